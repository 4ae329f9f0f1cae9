"""The good records of a spoilt file: those whose own bytes, or rows, are as they were. None of them may be lost.

What a record is called here is an entry of the sound file with a text. Its text has to be in an entry of the spoilt
file as well, or the reading has to say that something was left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import zstandard

from stemmata.domain.entries.blocks import Text, Thinking, UnknownBlock
from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, Raw, ReadEvent
from stemmata.formats.shared.database import MAGIC
from stemmata.formats.shared.zip_archive import ZIP
from tests.fuzz.archives import documents_of
from tests.fuzz.databases import rows_of

PACKED = b"\x28\xb5\x2f\xfd"
_SHORTEST = 4  # characters of a text that is looked for


@dataclass
class Said:
    """What the entries of readings say. `texts` are the texts of each record, by the record's bytes."""

    texts: dict[bytes, set[str]] = field(default_factory=dict)
    all: str = ""

    def add(self, events: Iterable[ReadEvent]) -> None:
        raw, entries, parts = bytearray(), list[Entry](), [self.all]
        for event in events:
            match event:
                case Begin():
                    self._end(bytes(raw), entries)
                    raw, entries = bytearray(), []
                case Raw(data=data):
                    raw += data
                case Entry():
                    entries.append(event)
                    parts += [*_said(event), *_kept(event)]
        self._end(bytes(raw), entries)
        self.all = "\n".join(parts)

    def _end(self, raw: bytes, entries: list[Entry]) -> None:
        for entry in entries:
            if entry.record is not None:
                data = raw[entry.record.offset : entry.record.offset + entry.record.size]
                texts = {text for text in _said(entry) if len(text) >= _SHORTEST}
                if texts and data:
                    self.texts.setdefault(data, set()).update(texts)

    def good_texts(self, sound: bytes, spoilt: bytes) -> set[str]:
        """Return the texts of the records that the spoilt file still has as they were in the sound one."""
        if sound.startswith(MAGIC):
            return self._good_rows(sound, spoilt)
        inner = b"\n".join(_documents(spoilt))
        whole = inner if _is_document(sound) else b""
        lines = set() if whole else set(inner.split(b"\n"))
        good = (texts for record, texts in self.texts.items() if record in lines or record in whole)
        return {text for texts in good for text in texts}

    def _good_rows(self, sound: bytes, spoilt: bytes) -> set[str]:
        """Return the texts all of whose rows are there."""
        there = rows_of(spoilt)
        carriers = _carriers(sound)
        out: set[str] = set()
        for text in {text for texts in self.texts.values() for text in texts}:
            needle = json.dumps(text)[1:-1].encode()
            rows = [row for row, content in carriers if needle in content or text.encode() in content]
            rows = [row for row in rows if row[0] != "event"]  # opencode tells its changes there, one by one
            if rows and all(row in there for row in rows):
                out.add(text)
        return out


def _said(entry: Entry) -> list[str]:
    return [block.text for block in entry.blocks if isinstance(block, Text | Thinking)]


def _kept(entry: Entry) -> Iterator[str]:
    """Yield the texts in blocks of an unknown type, such as a call in a message of the user."""
    waiting: list[Any] = []
    for block in entry.blocks:
        if isinstance(block, UnknownBlock):
            with suppress(ValueError, RecursionError):
                waiting.append(json.loads(block.json))
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | dict):
            waiting += value.values() if isinstance(value, dict) else value


def _documents(data: bytes) -> list[bytes]:
    if data.startswith(ZIP):
        return [inner for _, inner in documents_of(data)]
    if data.startswith(PACKED):
        return [_unpacked(data)]
    return [data]


def _unpacked(data: bytes) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    except zstandard.ZstdError:
        return b""


@cache
def _is_document(sound: bytes) -> bool:
    """Return whether a file is one value, with its records inside, and no list of lines."""
    if sound.startswith(ZIP):
        return True
    try:
        json.loads(sound)
    except ValueError:
        return False
    return True


@cache
def _carriers(sound: bytes) -> list[tuple[tuple[Any, ...], bytes]]:
    return [(row, b"\0".join(map(_plain, row[2:]))) for row in rows_of(sound)]


def _plain(value: Any) -> bytes:
    data = value if isinstance(value, bytes) else str(value).encode()
    return _unpacked(data) if data.startswith(PACKED) else data


def lost_texts(good: Iterable[str], found: Said) -> list[str]:
    return sorted({sys.intern(text) for text in good if text not in found.all})
