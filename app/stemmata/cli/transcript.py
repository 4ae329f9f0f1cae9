"""Commands that show a session: show, tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from stemmata.cli import words
from stemmata.cli.command_context import CommandContext, CommandSubject, GlobalCommand, pass_cli
from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Flag
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.lanes import lay_out
from stemmata.domain.entries.tree import ROOT, Tree
from stemmata.domain.entries.visible import Filter, parent_rows, rows_above, visible_entries

PAGE = 500
FILTERS = {choice.text: choice for choice in Filter}


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option("--leaf", default=None, metavar="ENTRY", help="Show the path to this entry instead of the active path.")
@click.option("--all", "everything", is_flag=True, help="Show every entry of every branch, in the order of writing.")
@pass_cli
def show(cli: CommandContext, session: str, leaf: str | None, everything: bool) -> None:
    """Show the transcript of a session."""
    subject = cli.subject(session)
    tree = subject.session_tree.tree
    entries: Sequence[int] = range(len(tree)) if everything else tree.path(subject.index(leaf))
    cli.answer(
        lambda: {
            "session": subject.session.id,
            "entries": [_document(subject, row, body) for row, body in _pages(cli, subject, entries)],
        },
        lambda: (line for row, body in _pages(cli, subject, entries) for line in _lines(subject, row, body)),
    )


def _pages(cli: CommandContext, subject: CommandSubject, entries: Sequence[int]) -> Iterator[tuple[EntryRow, Body]]:
    tree, read = subject.session_tree.tree, subject.services.entries
    for start in range(0, len(entries), PAGE):
        keys = [tree.key(entry) for entry in entries[start : start + PAGE]]
        rows, bodies = cli.wait(read.rows(keys)), cli.wait(read.bodies(keys))
        yield from ((rows[key], bodies[key]) for key in keys)


def _document(subject: CommandSubject, row: EntryRow, body: Body) -> dict[str, Any]:
    tree = subject.session_tree.tree
    parent = None if row.parent is None else tree.get(row.parent)
    return {
        "id": row.id,
        "parent": None if parent is None else subject.ids[parent],
        "kind": row.kind.text,
        "role": row.role.text,
        "time": words.iso(row.time),
        "text": "\n".join(block.text for block in body.blocks if isinstance(block, Text)),
        "blocks": [_block(block) for block in body.blocks],
        "removed": _removal(subject, row),
    }


def _removal(subject: CommandSubject, row: EntryRow) -> dict[str, Any] | None:
    """Return which tool removed the entry from its source, and since when an import has missed it; None for none."""
    return {"by": _tool(subject), "at": words.iso(row.removed)} if row.flags & Flag.REMOVED else None


def _tool(subject: CommandSubject) -> str:
    return subject.services.importing.tool_name(subject.session.source)


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text):
            return {"type": "thinking", "thinking": text}
        case ToolCall(id, name, arguments):
            return {"type": "tool_call", "id": id, "name": name, "arguments": arguments}
        case Image(media_type, _, size, name):
            return {"type": "image", "media_type": media_type, "bytes": size, "name": name}
        case _:
            return {"type": block.type, "json": block.json}


def _lines(subject: CommandSubject, row: EntryRow, body: Body) -> Iterator[str]:
    who = row.role.text or row.kind.text
    about = row.model or row.tool or row.name
    removed = f" · {words.removed(_tool(subject), row.removed)}" if row.flags & Flag.REMOVED else ""
    yield f"── {who}{f' · {about}' if about else ''} · {row.id} · {words.day(row.time)}{removed}"
    for block in body.blocks:
        match block:
            case Text(text):
                yield text
            case Thinking(text):
                yield "\n".join(f"  ∴ {line}" for line in text.splitlines())
            case ToolCall(_, name, arguments):
                yield f"  ▸ {name} {arguments}"
            case Image(media_type, _, size):
                yield f"  [image {media_type}, {size} bytes]"
            case _:
                yield f"  [{block.type}]"
    yield ""


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option(
    "--filter", "filter_", type=click.Choice(list(FILTERS)), default="default", help="Which entries to list."
)
@pass_cli
def tree(cli: CommandContext, session: str, filter_: str) -> None:
    """Show the tree of a session, oldest entry first.

    A * marks the entries of the active path.
    """
    subject = cli.subject(session)
    rows = _tree_rows(cli, subject, FILTERS[filter_])
    leaf = subject.index(None)
    words_of = {id: words.removed(_tool(subject), row.removed) for id, row in _removed_rows(cli, subject).items()}
    cli.answer(
        lambda: {
            "session": subject.session.id,
            "leaf": None if leaf is None else subject.ids[leaf],
            "roots": [subject.ids[root] for root in subject.session_tree.tree.roots],
            "entries": rows,
        },
        lambda: (_tree_line(row, words_of.get(row["id"], "")) for row in rows),
    )


def _tree_rows(cli: CommandContext, subject: CommandSubject, wanted: Filter) -> list[dict[str, Any]]:
    """Return the rows in display order. Each parent is the parent in the tree, even if the filter hides it."""
    whole = subject.session_tree.tree
    leaf = subject.index(None)
    active = set(whole.path(leaf))
    previews = cli.wait(subject.services.entries.previews(subject.session.key))
    removed, rows = _removed_rows(cli, subject), []
    for entry, lane in _in_lanes(whole, wanted, leaf):
        parent, gone = whole.parents[entry], removed.get(subject.ids[entry])
        rows.append(
            {
                "id": subject.ids[entry],
                "parent": None if parent == ROOT else subject.ids[parent],
                "kind": whole.kind(entry).text,
                "role": whole.role(entry).text,
                "time": words.iso(whole.columns.time[entry]),
                "label": whole.labels.get(entry),
                "preview": previews[entry],
                "on_active_path": entry in active,
                "variant": bool(whole.columns.flags[entry] & Flag.VARIANT),
                "removed": None if gone is None else _removal(subject, gone),
                "lane": lane,
            }
        )
    return rows


def _removed_rows(cli: CommandContext, subject: CommandSubject) -> dict[str, EntryRow]:
    """Return the rows of the entries that the session's tool removed, by id."""
    tree = subject.session_tree.tree
    keys = [tree.key(entry) for entry, flags in enumerate(tree.columns.flags) if flags & Flag.REMOVED]
    return {row.id: row for row in cli.wait(subject.services.entries.rows(keys)).values()} if keys else {}


def _in_lanes(tree: Tree, wanted: Filter, leaf: int | None) -> Iterator[tuple[int, int]]:
    """Yield entry and lane of the visible entries, in display order."""
    entries = visible_entries(tree, wanted, leaf)
    above = rows_above(tree, entries)
    times = [tree.columns.time[entry] for entry in entries]
    lanes = lay_out(parent_rows(tree, entries, above), times, ROOT if leaf is None else above[leaf])
    for place, row in enumerate(lanes.row):
        yield entries[row], lanes.lane[place]


def _tree_line(row: dict[str, Any], removed: str) -> str:
    mark = "*" if row["on_active_path"] else " "
    label = f"[{row['label']}] " if row["label"] else ""
    who = (row["role"] or row["kind"]) + (" (variant)" if row["variant"] else "")
    who += f" ({removed})" if removed else ""
    return f"{mark} {'│ ' * row['lane']}{row['id']}  {who}: {label}{row['preview'][:100]}"


COMMANDS = (show, tree)
