"""Format values for the command line."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time_ns

from stemmata.domain.context.breakdown import Breakdown, ScaleBasis
from stemmata.domain.entries.figures import Figure, abbreviated_count
from stemmata.domain.sessions.details import is_compacted_by_hand
from stemmata.domain.sources.export import LeftOut
from stemmata.domain.sources.session_files import EndangeredFiles


def iso(time: int) -> str | None:
    """Format nanoseconds as ISO 8601 in UTC with milliseconds; None for an unknown time."""
    if not time:
        return None
    try:
        moment = datetime.fromtimestamp(time / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(time: int) -> str:
    """Format nanoseconds as date and time to the minute, or "—"."""
    return (iso(time) or "—").replace("T", " ")[:16]


def removed(tool: str, time: int) -> str:
    """Return that a tool removed an entry, and since when an import has missed it (ns); 0 for an unknown time."""
    return f"removed by {tool} on {day(time)[:10]}" if time else f"removed by {tool}"


def endangered(one: EndangeredFiles) -> str:
    """Return the warning that a tool will delete sessions that the archive lacks, with the command to import them."""
    several = plural(len(one.files), "session is", "sessions are")
    days = plural(one.days, "day", "days")
    when = f"from {day(one.first)[:10]} on" if one.first > time_ns() else "now"
    return (
        f"{one.name} deletes sessions {days} after their last use. {several} not in the archive and may be deleted "
        f"{when}. Import them: stemmata import {shlex.quote(one.folder)}"
    )


def left_out(tool: str, lost: LeftOut) -> Iterator[str]:
    """Yield a sentence for each kind of entries that an export lacks, or that only Stemmata reads from it."""
    if lost.others:
        messages = plural(lost.others, "message of another branch", "messages of other branches")
        yield f"Not in the file: {messages}. --whole adds them."
    if lost.trashed:
        yield f"Not in the file: {plural(lost.trashed, 'entry', 'entries')} in the trash."
    if lost.unsent:
        entries = plural(lost.unsent, "entry", "entries")
        yield f"In the file, but neither shown nor sent by {tool}: {entries}, such as messages that you left out."


def tokens(figure: Figure) -> str:
    """Format a token count with its mark: `124.6k` reported, `= 124k` counted, `≈ 33.1k` estimated, `—` unknown."""
    if figure.value is None:
        return "—"
    return f"{figure.kind.mark}{abbreviated_count(figure.value)}"


def plural(count: int, one: str, many: str) -> str:
    """Return a count with its noun: `1 session`, `12 sessions`."""
    return f"{count} {one if count == 1 else many}"


def size(count: int) -> str:
    """Return a number of bytes, such as `17.4 kB` or `2.1 MB`."""
    if count < 1_000_000:
        return f"{count / 1e3:.1f} kB"
    return f"{count / 1e6:.1f} MB" if count < 1_000_000_000 else f"{count / 1e9:.1f} GB"


def automatic(details: str, *, is_on: bool) -> str:
    """Return whether a session with these details is compacted automatically; `is_on` says that it is."""
    if is_on:
        return "on"
    return "off for this session" if is_compacted_by_hand(details) else "off in the settings"


def table(rows: Iterable[Sequence[str]], right: frozenset[int] = frozenset()) -> Iterator[str]:
    """Yield rows with columns padded to their widest cell; the columns numbered in `right` are right-aligned."""
    listed = [list(row) for row in rows]
    if not listed:
        return
    widths = [max(terminal_columns(row[at]) for row in listed) for at in range(len(listed[0]))]
    for row in listed:
        cells = (
            _padded(cell, width, is_right=at in right)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def terminal_columns(text: str) -> int:
    """Return the number of columns that a terminal needs for a text; a Chinese character and an emoji need two."""
    if text.isascii():
        return len(text)
    from wcwidth import width  # takes 20 ms

    return width(text)


def _padded(cell: str, width: int, *, is_right: bool) -> str:
    blank = " " * (width - terminal_columns(cell))
    return f"{blank}{cell}" if is_right else f"{cell}{blank}"


def breakdown(value: Breakdown) -> Iterator[str]:
    """Yield the breakdown as lines: total and window, then one line per non-empty category."""
    window = "unknown window" if value.window is None else abbreviated_count(value.window)
    yield f"Context  {tokens(value.total)} of {window}"
    total = value.total.value or 0
    rows = []
    for category, figure in value.categories.items():
        if figure.value:
            name = category.text.replace("_", " ").capitalize()
            rows.append((f"  {name}", tokens(figure), f"{round(100 * figure.value / total) if total else 0} %"))
    yield from table(rows, frozenset({1, 2}))
    yield from scale(value)


def scale(value: Breakdown) -> Iterator[str]:
    """Yield how the estimates were adjusted, unless the provider reported the figures."""
    if value.fixed_origin == "inferred":
        yield "  (system: with the tool definitions, inferred from the first reported request)"
    if value.basis is ScaleBasis.COUNT:
        yield f"  (= counted by the provider; estimates adjusted ×{value.factor:.2f} to match)"
    elif value.basis is ScaleBasis.MESSAGES:
        yield "  (messages only: no reply has reported its size)"
    elif value.factor != 1.0:
        target = "the reported total" if value.basis is ScaleBasis.REPORT else "the scale of the last report"
        yield f"  (estimates adjusted ×{value.factor:.2f} to match {target})"


def how_to_connect(settings: Path) -> str:
    """Return instructions for connecting a model, with the path of the settings file."""
    return f"""No model is connected. Nothing was sent. Connect a model in the window (`stemmata`), or add
to {settings}

  [[connections]]
  name = "anthropic"                  # any name
  api = "anthropic"                   # or "openai-chat", "openai-responses", "openai-codex-responses"
  base_url = "https://api.anthropic.com"
  model = "claude-opus-5-5"

and provide the API key, which is never stored in that file, in the environment:

  export ANTHROPIC_API_KEY=…    # or OPENAI_API_KEY; for other servers, the connection's `variable`

or in the system's keyring, under the name of the connection:

  {sys.executable} -m keyring set stemmata anthropic

A server on this machine, such as Ollama, needs no key: api = "openai-chat", base_url = "http://127.0.0.1:11434/v1".
Browsing, forking and digest compaction work without a model."""
