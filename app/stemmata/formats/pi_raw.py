"""The stored bytes of a pi file, read again for export: what is in it, and its lines with what has to change."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from stemmata.domain.json_text import compact
from stemmata.formats.json_lines import BadLineError, parse_object
from stemmata.formats.lines import LINE_LIMIT, Line, LineSplitter
from stemmata.formats.pi_header import NEWEST, Header, is_header
from stemmata.formats.pi_ids import PiIds
from stemmata.formats.pi_sequence import PiSequence, Step

_NAMING = ("firstKeptEntryId", "targetId", "fromId")


@dataclass(frozen=True, slots=True)
class Survey:
    """`ids`: the entries in the file, under their stored ids. `last`: where pi stands when it opens the file."""

    header: Header
    last: str | None = None
    ids: set[str] = field(default_factory=set)


def survey(chunks: Iterable[bytes]) -> Survey | None:
    """None when the bytes are no pi session."""
    ids: set[str] = set()
    sequence: PiSequence | None = None
    header: Header | None = None
    for line, record in _records(chunks):
        if record is None:
            continue
        if sequence is None or header is None:
            if not is_header(record):
                return None
            header = Header.of(record, line.number)
            sequence = PiSequence(header)
        elif (step := sequence.take(record)) is not None:
            ids.add(step.id)
    return None if header is None or sequence is None else Survey(header, sequence.last, ids)


def lines(
    chunks: Iterable[bytes], found: Survey, parents: Mapping[str, str | None]
) -> Iterator[tuple[str | None, bytes]]:
    """Every line with its end, as version 3, and the id of the entry in it (None for other lines).

    A line goes out as it is, unless its version, its id or its links are not what the archive holds: version 1 and
    2, ids made unique, parents that were missing from the record or closed a cycle.
    """
    sequence = PiSequence(found.header)
    for line, record in _records(chunks):
        data, id = line.data or b"", None
        if record is not None and line.number == found.header.number:
            if found.header.version < NEWEST:
                data = _text({**record, "version": NEWEST})
        elif record is not None and (step := sequence.take(record)) is not None:
            id = step.id
            parent = parents.get(id, step.parent)
            if parent != step.parent and step.parent not in found.ids:
                parent = step.parent  # an orphan: pi too takes it for a root
            if _mend(record, step, parent, sequence.ids):
                data = _text(record)
        yield id, data + (line.end or b"\n")


def _mend(record: dict[str, Any], step: Step, parent: str | None, ids: PiIds) -> bool:
    """Give the record the archive's ids. Answers whether that changed anything, older words included."""
    wanted: dict[str, Any] = {"id": step.id, "parentId": parent}
    for key in _NAMING:
        value = record.get(key)
        if isinstance(value, str) and ids.resolve(value) != value:
            wanted[key] = ids.resolve(value)
    same = not step.migrated and all(key in record and record[key] == value for key, value in wanted.items())
    record.update(wanted)
    return not same


def _records(chunks: Iterable[bytes]) -> Iterator[tuple[Line, dict[str, Any] | None]]:
    """Every line, and the record in it if the reader took it for one."""
    splitter = LineSplitter(limit=sys.maxsize)
    for chunk in chunks:
        yield from map(_parsed, splitter.feed(chunk))
    yield from map(_parsed, splitter.finish())


def _parsed(line: Line) -> tuple[Line, dict[str, Any] | None]:
    if line.blank or line.size > LINE_LIMIT:
        return line, None
    try:
        return line, parse_object(line.data)
    except BadLineError:
        return line, None


def _text(record: dict[str, Any]) -> bytes:
    return compact(record).encode("utf-8", "replace")
