"""Several entries as one text: plain, or as Markdown with a heading for who speaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stemmata.domain.entries.blocks import ToolCall, arguments_of
from stemmata.domain.entries.session_facts import Body, EntryRow
from stemmata.gui.cards.tool_line import main_argument
from stemmata.gui.transcript.export_controller import heading_of, text_of


def copied(
    parts: Sequence[tuple[int, str | None]],
    rows: Mapping[int, EntryRow],
    bodies: Mapping[int, Body],
    *,
    markdown: bool,
) -> str:
    """`parts`: key of each entry, with the text of it that is selected, None for all of it."""
    out: list[str] = []
    speaker = ""
    for key, text in parts:
        if key not in rows or key not in bodies:
            continue
        words = _whole(bodies[key], markdown=markdown) if text is None else text.strip()
        name = heading_of(rows[key])
        if words and markdown and name != speaker:
            out.append(f"## {name}")
            speaker = name
        out += [words] if words else []
    return "\n\n".join(out)


def _whole(body: Body, *, markdown: bool) -> str:
    """The text, and a line for each call."""
    calls = "\n".join(_calls(body, markdown=markdown))
    return "\n\n".join(filter(None, (text_of(body), calls)))


def _calls(body: Body, *, markdown: bool) -> Iterator[str]:
    for block in body.blocks:
        if isinstance(block, ToolCall):
            argument = main_argument(arguments_of(block))
            quoted = f" `{argument}`" if markdown and argument and "`" not in argument else f" {argument}".rstrip()
            yield f"- {block.name}{quoted}" if markdown else f"{block.name}{quoted}"
