"""Read a session that is one JSON object with a list of messages, also when a part of the file is damaged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Record
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Skipped
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.shared.json_elements import elements, places
from stemmata.formats.shared.values import BadLineError, parse_object

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """The object of a document, without the messages that cannot be read.

    `records` are the places of the listed messages that are objects, in order. `skipped` names the parts that cannot
    be read.
    """

    fields: dict[str, Any]
    records: Sequence[Record]
    skipped: Sequence[Skipped] = ()


def read_document(data: bytes, key: str, path: Path) -> ReadDocument:
    """Read a document whose messages are listed under `key`. Only a damaged message is lost; the others are read.

    Raises UnreadableSourceError when neither the document nor any message of it can be read.
    """
    found = [Record(*place) for name, place in places(data, key).items() if isinstance(name, int)]
    try:
        return ReadDocument(parse_object(data), found)
    except BadLineError as error:
        reason = str(error)
    readable: list[tuple[Record, dict[str, Any]]] = []
    skipped: list[Skipped] = []
    for record in found:
        try:
            readable.append((record, parse_object(data[record.offset : record.offset + record.size])))
        except BadLineError as error:
            skipped.append(Skipped(_line(data, record.offset), str(error)))
    if not readable:
        raise UnreadableSourceError(Phrase("{0} is damaged: {1}.", path, reason))
    if not skipped:
        last = found[-1]
        skipped.append(Skipped(_line(data, last.offset + last.size), f"{reason}, after {len(found)} messages"))
    fields = {**fields_beside(data, found), key: [message for _, message in readable]}
    return ReadDocument(fields, [record for record, _ in readable], skipped)


def id_by_name(path: Path, *, is_damaged: bool) -> str:
    """Return the id of a session whose document contains none: the name that its tool gave the file.

    Raises UnreadableSourceError when the document is damaged and its name is not a UUID. The id is then in the part
    that is missing; under any other id the session would be stored a second time when the document is whole.
    """
    if is_damaged and _ID.fullmatch(path.stem) is None:
        reason = "the part with the id of its session is missing"
        raise UnreadableSourceError(Phrase("{0} is damaged: {1}.", path, reason))
    return path.stem


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def fields_beside(data: bytes, messages: Sequence[Record]) -> dict[str, Any]:
    """Return the fields before and after the list of messages, as far as they can be read; it has at least one."""
    end = messages[-1].offset + messages[-1].size
    before = data[: data.rfind(b"[", 0, messages[0].offset)] + b"[]"
    _, bracket, after = data[end:].partition(b"]")
    for whole in ((before + after,) if bracket else ()) + (before + b"}",):
        try:
            return parse_object(whole)
        except BadLineError:
            continue
    return {}


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """An object of a list in a document, and its place there. `reason` says why it is not read, "" when it is."""

    fields: dict[str, Any]
    record: Record
    reason: str = ""


def document_items(data: bytes, at: int, reason_of: Callable[[dict[str, Any]], str]) -> Iterator[DocumentItem]:
    """Yield the objects of the list that begins at byte `at` or after it, also those that are damaged.

    `reason_of` returns why an object does not belong to the format, "" when it does.
    """
    for element in elements([data[at:] if at else data]):
        piece = element.data or b""
        at = max(data.find(piece, at), 0)
        record = Record(at, len(piece))
        at += len(piece)
        try:
            found = parse_object(element.data)
        except BadLineError as error:
            yield DocumentItem({}, record, str(error) if element.whole else f"{error}: the file ends inside it")
            continue
        yield DocumentItem(found, record, reason_of(found))
