"""An entry as it is kept, as text: its source record, or what the archive holds of an entry that was made here."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from stemmata.domain.entries.session_facts import Body, EntryRow

FIRST_PART = 64_000  # characters shown before all is asked for
FIRST_LINES = 4_000
LINE = 2_000  # characters; longer lines are broken: a text view takes seconds for a line of megabytes


@dataclass(frozen=True, slots=True)
class RawText:
    """`text` is what is copied. `shown` is the same with its long lines broken, `first` the beginning of that."""

    text: str
    shown: str
    first: str
    size: int  # bytes
    from_source: bool

    @property
    def is_cut(self) -> bool:
        return len(self.first) < len(self.shown)


def raw_text(record: bytes | None, row: EntryRow, body: Body) -> RawText:
    """Bytes of the record that are no UTF-8 are written as \\x…."""
    text = stored(row, body) if record is None else record.decode("utf-8", "backslashreplace")
    shown = broken(text)
    first = shown[: end_of_part(shown, 0, FIRST_PART, FIRST_LINES)]
    size = len(text.encode("utf-8", "replace")) if record is None else len(record)
    return RawText(text, shown, first, size, record is not None)


def end_of_part(text: str, start: int, size: int, lines: int) -> int:
    """Where a part of so many characters and lines at most ends, at the end of a line if there is one."""
    stop = min(start + size, len(text))
    if text.count("\n", start, stop) > lines:
        for _ in range(lines):
            start = text.find("\n", start) + 1
        return start - 1
    end = text.rfind("\n", start + size // 2, stop)
    return end if stop < len(text) and end > 0 else stop


def stored(row: EntryRow, body: Body) -> str:
    """The row with its blocks, each under the name of its kind, as JSON with indents."""
    facts = {name: value for name, value in asdict(row).items() if name not in ("preview", "kind", "role", "flags")}
    facts |= {"kind": row.kind.name, "role": row.role.name, "flags": row.flags.name or ""}
    facts["blocks"] = [{"type": type(block).__name__, **asdict(block)} for block in body.blocks]
    facts["details"] = body.details
    return json.dumps(facts, indent=2, ensure_ascii=False)


def broken(text: str) -> str:
    lines = (line[at : at + LINE] for line in text.split("\n") for at in range(0, max(len(line), 1), LINE))
    return "\n".join(lines)
