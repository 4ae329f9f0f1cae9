"""How values are worded on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from stemmata.domain.context.breakdown import Basis, Breakdown
from stemmata.domain.entries.tokens import Figure, FigureKind, abbreviated_count


def iso(time: int) -> str | None:
    """Nanoseconds as ISO 8601 UTC with milliseconds; None for an unknown time."""
    if not time:
        return None
    try:
        moment = datetime.fromtimestamp(time / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(time: int) -> str:
    return (iso(time) or "—").replace("T", " ")[:16]


def tokens(figure: Figure) -> str:
    """A number with its mark: 124.6k reported, ≈ 33.1k estimated, — unknown."""
    if figure.value is None:
        return "—"
    mark = "≈ " if figure.kind is FigureKind.ESTIMATED else ""
    return f"{mark}{abbreviated_count(figure.value)}"


def table(rows: Iterable[Sequence[str]], right: frozenset[int] = frozenset()) -> Iterator[str]:
    """Columns padded to their widest cell, two spaces apart; the columns named in `right` are right-aligned."""
    listed = [list(row) for row in rows]
    if not listed:
        return
    widths = [max(len(row[at]) for row in listed) for at in range(len(listed[0]))]
    for row in listed:
        cells = (
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def breakdown(value: Breakdown) -> Iterator[str]:
    """The breakdown as lines: total and window, then a row a category that has something in it."""
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
    """What the figures of a breakdown rest on, where it is not its report alone."""
    if value.basis is Basis.MESSAGES:
        yield "  (messages alone: no reply reported its size)"
    elif value.factor != 1.0:
        meets = "to meet the reported total" if value.basis is Basis.REPORT else "to the scale of the last report"
        yield f"  (estimates × {value.factor:.2f} {meets})"


def how_to_connect(settings: Path) -> str:
    """Whom to ask is said in the settings file: what to write there, and where the key goes."""
    return f"""No model is connected. Nothing was sent. Connect one in the window (`stemmata`), or write
into {settings}

  [[connections]]
  name = "anthropic"                  # what you like
  api = "anthropic"                   # or "openai-chat", "openai-responses"
  base_url = "https://api.anthropic.com"
  model = "claude-opus-5-5"

and give the key, which is never written there: in the environment,

  export ANTHROPIC_API_KEY=…    # OPENAI_API_KEY; others as the connection's `variable` says

or in the keyring of the system, under the name of the connection:

  {sys.executable} -m keyring set stemmata anthropic

A server on this machine, such as Ollama, needs no key: api = "openai-chat", base_url = "http://127.0.0.1:11434/v1".
Browsing, forking and digest compaction work without."""
