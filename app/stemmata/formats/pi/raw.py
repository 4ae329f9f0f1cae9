"""The stored bytes of a pi file, read again for export: what is in it, and its lines with what has to change."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from stemmata.domain.text.json_text import compact
from stemmata.formats.pi.header import NEWEST, Header, header_in
from stemmata.formats.pi.ids import PiIds
from stemmata.formats.pi.sequence import PiSequence, Step
from stemmata.formats.shared.json_lines import BadLineError, parse_object
from stemmata.formats.shared.lines import LINE_LIMIT, Line, LineSplitter

_NAMING = ("firstKeptEntryId", "targetId", "fromId")


@dataclass(frozen=True, slots=True)
class Survey:
    """`ids`: the entries in the file, under their stored ids. `last`: where pi stands when it opens the file.

    `sound`: pi reads it as we do. Not so where the header is lost, or where it names a newer version than its records
    are of: pi then brings none of them up to date.
    """

    header: Header
    last: str | None = None
    ids: set[str] = field(default_factory=set)
    sound: bool = True


def survey(chunks: Iterable[bytes]) -> Survey | None:
    """None when the bytes are no pi session."""
    header: Header | None = None
    ids: set[str] = set()
    sound, copied = True, True
    taken: list[tuple[int, dict[str, Any]]] = []  # and before the header is found, what stands before it
    for line, record in _records(chunks):
        if record is None:
            continue
        taken.append((line.number, record))
        if header is None:
            header = header_in(taken[-1:])
            if header is None:
                continue
            sequence = PiSequence(header)
        for number, each in taken:
            step = None if number == header.number else sequence.take(each)
            if step is not None:
                ids.add(step.id)
                sound &= not (step.migrated and header.version >= NEWEST)
                copied &= step.own is None and header.version >= 2
        taken.clear()
    if header is None:
        return None
    return Survey(header, sequence.last, ids, sound and not header.damage and not (ids and copied))


def lines(
    chunks: Iterable[bytes], found: Survey, parents: Mapping[str, str | None], header: dict[str, Any]
) -> Iterator[tuple[str | None, bytes]]:
    """Every line with its end, as version 3, and the id of the entry in it (None for other lines).

    A line goes out as it is, unless its version, its id or its links are not what the archive holds: version 1 and
    2, ids made unique, parents that were missing from the record or closed a cycle. `header` stands for a lost one.
    """
    if not found.header.number:
        yield None, _text(header) + b"\n"
    sequence = PiSequence(found.header)
    for line, record in _records(chunks):
        data, id = line.data or b"", None
        if record is not None and line.number == found.header.number:
            if found.header.version < NEWEST or found.header.damage:
                data = _text({**record, "version": NEWEST, "id": found.header.id or header["id"]})
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
