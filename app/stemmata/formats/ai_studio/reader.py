"""Recognise the chats of Google AI Studio and read them. Each chat is a file, whose name is its title."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from stemmata.domain.entries.entry import Entry, Record, Role
from stemmata.domain.sources.reading import Begin, Blob, End, ReadEvent
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.ai_studio.chunk import Chunks, chunk_id, instructions
from stemmata.formats.shared.export_format import ExportFormat, NoConversationError
from stemmata.formats.shared.json_elements import places
from stemmata.formats.shared.values import dump, instant, listed, mapping, text

_CHUNKS = re.compile(rb'"chunkedPrompt"\s*:\s*\{')
_AROUND = b'{"file":'  # written before a chat, so that its own objects are those of a key
# what downloads add to the name of a chat: `.json`, `(1)`
_COPY = re.compile(r"(\.json)? ?\(\d+\)(\.json)?$|\.json$", re.IGNORECASE)


class AiStudio(ExportFormat):
    """The reader of the chats of Google AI Studio."""

    name = "ai-studio"
    key = "chunkedPrompt"
    start = re.compile(rb'\{\s*"(runSettings|chunkedPrompt)"\s*:\s*\{')
    paths: ClassVar[Collection[tuple[str, ...]]] = {("chunkedPrompt", "chunks")}
    bookkeeping: ClassVar[Mapping[str, str]] = {}

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file is a chat, or a ZIP archive with chats."""
        return super().sniff(head, path) and (head.lstrip()[:1] != b"{" or _CHUNKS.search(head) is not None)

    def named(self, begin: Begin, document: str) -> Begin:
        """Return `begin` with the title and the id of the chat: a chat has only the name of its file to tell them."""
        title = _title(document)
        id = hashlib.sha256(f"{title}\0{begin.info.source_id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return replace(begin, info=replace(begin.info, source_id=id, title=title))

    def conversation(self, record: dict[str, Any], data: bytes) -> Iterator[ReadEvent]:
        """Yield the events of one chat. Its id is that of its first chunk, until `named` adds the title."""
        chunks = mapping(record.get(self.key)).get("chunks")
        if not isinstance(chunks, list):
            raise NoConversationError(Phrase("has no messages"))
        if not chunks:
            raise NoConversationError(Phrase("is empty"), damaged=False)
        times = [time for chunk in chunks if (time := instant(mapping(chunk).get("createTime")))]
        settings = mapping(record.get("runSettings"))
        facts = {"runSettings": settings, "pendingInputs": _unsent(record.get("pendingInputs"))}
        yield Begin(self.info(chunk_id("", 1, chunks[0]), "", min(times, default=0), max(times, default=0), facts))
        leaf: str | None = None
        for event in _events(record, chunks, data, text(settings.get("model")).removeprefix("models/")):
            if isinstance(event, Entry):
                event, leaf = replace(event, parent=leaf), event.id
            yield event
        yield End(leaf, leaf_known=True)


def _events(record: dict[str, Any], chunks: list[Any], data: bytes, model: str) -> Iterator[Entry | Blob]:
    """Yield the entries of a chat without their parents, each before the next, and their blobs before them."""
    found = {name: (at - len(_AROUND), size) for name, (at, size) in places(_AROUND + data + b"}", "file").items()}
    told = instructions(record.get("systemInstruction"))
    if told:
        id = hashlib.blake2b(dump(record["systemInstruction"]).encode(), digest_size=8).hexdigest()
        place = Record(*found["systemInstruction"]) if "systemInstruction" in found else None
        yield Entry(id=f"system.{id}", role=Role.SYSTEM, blocks=told, record=place)
    start, size = found["chunkedPrompt"]
    objects = places(data[start : start + size], "chunks")
    reader, above, number = Chunks(model), "", 0
    for at, chunk in enumerate(chunks, 1):
        above = chunk_id(above, at, chunk)
        place = None
        if isinstance(chunk, dict):
            offset, length = objects[number]
            place, number = Record(start + offset, length), number + 1
        yield from reader.entries(above, chunk, place)


def _title(name: str) -> str:
    """Return the title of a chat whose file has this name, without what a download adds to it."""
    return _COPY.sub("", name, count=1) or name


def _unsent(value: Any) -> Any:
    """Return the messages that were written and not sent; None when they are empty."""
    fields = (field for one in listed(value) for field in (mapping(one) or {"": one}).items())
    return value if any(said for name, said in fields if name != "role") else None
