"""The base of formats in which one file, the export of a service, has many conversations.

Each conversation becomes a session with a source of its own: its bytes in the file. So a conversation is stored,
compared and returned as if it were the only session of its file.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from stemmata.domain.entries.entry import Entry
from stemmata.domain.errors import KnownError, UnreadableSourceError
from stemmata.domain.sessions.details import with_changed_in_source
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, Raw, ReadEvent, Skipped, SourceShape, UnusedPart
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.cut_conversation import closed_conversation
from stemmata.formats.shared.export_file import CHUNK, SNIFF, ExportDocument, ExportFile, head_of, open_export
from stemmata.formats.shared.file_digest import digest_checkpoint
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.json_elements import Element, ElementSplitter, element_keys, elements
from stemmata.formats.shared.values import BadLineError, parse_object, text
from stemmata.formats.shared.zip_archive import ZIP

_MOST_SNIFFED = 50  # documents of an archive in which the format's key is looked for
_MOST_WAITING = 64 << 20  # bytes of conversations that wait for their origin


class NoConversationError(ValueError):
    """An element of an export is not a conversation. `damaged`: it is a conversation that cannot be read."""

    def __init__(self, reason: str, *, damaged: bool = True) -> None:
        super().__init__(reason)
        self.damaged = damaged


class ExportFormat(SingleFileFormat):
    """A reader of exports. A subclass names the key that only its conversations have, and reads one of them."""

    name: ClassVar[str]  # the source name that sessions carry
    shape = SourceShape.EXPORT
    key: ClassVar[str]  # a key that only the object of a conversation has
    start: ClassVar[re.Pattern[bytes]]  # how a conversation begins
    wrapper: ClassVar[re.Pattern[bytes] | None] = None  # how an object around the list of conversations begins
    bookkeeping: ClassVar[Mapping[str, str]]  # the export's other files: name → description
    paths: ClassVar[
        Collection[tuple[str, ...]]
    ] = ()  # the keys that lead to the messages, where `key` alone does not
    below: ClassVar[Set[str]] = frozenset()  # keys of a message under which it contains its replies

    @abstractmethod
    def conversation(self, record: dict[str, Any], data: bytes) -> Iterator[ReadEvent]:
        """Yield the events of one conversation, from Begin to End, without its bytes.

        Raises NoConversationError, before the first event, for an element that is none.
        """

    def parsed(self, data: bytes | None) -> dict[str, Any]:
        """Return the object of an element; None is one that is too large. Raises BadLineError."""
        return parse_object(data)

    def info(self, id: str, title: Any, created_at: int, changed_at: int, facts: Mapping[str, Any]) -> SessionInfo:
        """Return the facts of the session that a conversation becomes.

        Times are nanoseconds since the epoch, 0 when unknown. `facts` are further facts to store, by their names in
        the export; those without a value are left out.
        """
        known = {name: value for name, value in facts.items() if value}
        return SessionInfo(
            source=self.name,
            source_id=id,
            title=text(title),
            created_at=created_at,
            details=with_changed_in_source(compact_json(known) if known else "", changed_at),
        )

    def named(self, begin: Begin, _document: str) -> Begin:
        """Return `begin` with the facts that the name of the document tells of the session: none in most formats."""
        return begin

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether one of the first documents of the file has conversations with the format's key."""
        if not head.startswith(ZIP):
            return bool(element_keys(head[:SNIFF], (self.key,)))
        try:
            with open_export(path) as export:
                return any(self._has_conversations(export, one) for one in export.documents[:_MOST_SNIFFED])
        except KnownError:
            return False

    def folders(self, _home: Path, _environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return nothing: an export is downloaded to a place of the user's choice."""
        return ()

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the sessions of the export one after the other; an export is always read whole.

        The checkpoint has the digest of the bytes, so that a copy with another time need not be read again.
        """
        checkpoint = digest_checkpoint(path)
        with open_export(path) as export:
            documents = export.documents
            if export.are_renamed:
                documents = [one for one in documents if self._has_conversations(export, one)]
                export.others = _without(export.others, documents)
            waiting = _Waiting()
            for document in documents:
                for event in _noted(self._document(export, document, waiting), checkpoint):
                    yield self.named(event, document.name) if isinstance(event, Begin) else event
            for data in waiting.origins_first():
                yield from _noted(self._read(data), checkpoint)
            yield from self._others(export)
            if export.cut:
                yield UnusedPart(f"{path.name}, its end", export.cut)

    def _has_conversations(self, export: ExportFile, document: ExportDocument) -> bool:
        return bool(element_keys(head_of(export, document), (self.key,)))

    def _others(self, export: ExportFile) -> Iterator[UnusedPart]:
        """Yield the files beside the conversations, in the archive or in the folder of the file."""
        others = export.others or [name for name in self.bookkeeping if export.path.with_name(name).is_file()]
        known = [name for name in others if name in self.bookkeeping]
        for name in known:
            yield UnusedPart(name, self.bookkeeping[name], damaged=False)
        if len(others) > len(known):
            yield UnusedPart(f"{len(others) - len(known)} other files", "not read", damaged=False)

    def _document(self, export: ExportFile, document: ExportDocument, waiting: _Waiting) -> Iterator[ReadEvent]:
        splitter, is_json = ElementSplitter(wrapper=self.wrapper), True
        try:
            with closing(export.chunks(document)) as chunks:
                for chunk in chunks:
                    for element in splitter.feed(chunk):
                        is_json = yield from self._element(document.name, element, waiting)
        except UnreadableSourceError as error:
            yield UnusedPart(f"{document.name}, after conversation {splitter.count}", str(error))
            return
        for element in splitter.finish():
            yield from self._element(document.name, element, waiting)
        if splitter.is_list_open and is_json:  # brackets in damaged JSON may hide the end
            yield UnusedPart(f"{document.name}, after conversation {splitter.count}", "the file ends early")

    def _element(self, name: str, element: Element, waiting: _Waiting) -> Generator[ReadEvent, None, bool]:
        """Yield the events of an element. Returns whether it is JSON."""
        where = f"{name}, conversation {element.number}"
        try:
            yield from self._read(element.data, waiting)
        except NoConversationError as error:
            yield UnusedPart(where, str(error), error.damaged)
        except BadLineError as error:
            if element.data is None:
                yield UnusedPart(where, "is too large, or its end is lost")
            elif element.whole:
                yield UnusedPart(where, str(error))
                yield from self._behind(element.data)
            else:
                yield from self._cut(where, element.data)
            return False
        return True

    def _cut(self, where: str, data: bytes) -> Iterator[ReadEvent]:
        """Yield what is complete of a conversation that the end of the file cuts, and those that may be behind it."""
        closed, size = closed_conversation(data, self.paths or {(self.key,)}, self.below)
        behind = self._behind(data, max(size, 1))
        first = next(behind, None)
        if first is None:
            try:
                yield from self._complete(where, data, closed)
                return
            except (BadLineError, NoConversationError):
                pass
        yield UnusedPart(where, "cut off by the end of the file")
        if first is not None:
            yield first
            yield from behind

    def _complete(self, where: str, data: bytes, closed: bytes) -> Iterator[ReadEvent]:
        """Yield the events of a conversation that is cut, of which `closed` is complete, and where it is cut."""
        messages: set[int] = set()
        for event in self._read(data, closed=closed):
            if isinstance(event, Entry) and event.record is not None:
                messages.add(event.record.offset)
            if isinstance(event, End):
                what = "1 message is" if len(messages) == 1 else f"{len(messages)} messages are"
                yield Skipped(0, f"{where}: the file ends early; {what} complete before its end")
            yield event

    def _read(
        self, data: bytes | None, waiting: _Waiting | None = None, closed: bytes | None = None
    ) -> Iterator[ReadEvent]:
        """Yield the events of an element; nothing for one that waits for its origin.

        Of an element that is cut, `closed` is the part that can be read. Raises BadLineError and NoConversationError
        before the first event.
        """
        record = self.parsed(data if closed is None else closed)
        assert data is not None
        events = self.conversation(record, data if closed is None else closed)
        begin = next(events)
        if waiting is not None and isinstance(begin, Begin) and waiting.holds(begin.info, data):
            return
        yield begin
        yield Raw(0, data)
        yield from events

    def _behind(self, data: bytes, at: int = 1) -> Iterator[ReadEvent]:
        """Yield the conversations that begin at a byte or behind it, in a damaged one whose end is unknown.

        Its end is unknown after a lost quotation mark, for instance.
        """
        while found := self.start.search(data, at):
            at = found.end()
            pieces = (data[place : place + CHUNK] for place in range(found.start(), len(data), CHUNK))
            element = next(elements(pieces))
            try:
                yield from self._read(element.data)
            except (BadLineError, NoConversationError):
                continue
            at = found.start() + len(element.data or b"")


class _Waiting:
    """Conversations that name an origin and come before it: exports begin with the newest.

    An origin has to be stored first, so that what they repeat of it is stored once.
    """

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._held: dict[str, tuple[str, bytes]] = {}  # conversation → its origin, and its bytes
        self._size = 0

    def holds(self, info: SessionInfo, data: bytes) -> bool:
        """Return whether a conversation is to wait, and keep it if so. Too many bytes do not wait."""
        id, origin = info.source_id, info.parent_source_id
        self._seen.add(id)
        is_origin_read = origin in self._seen and origin not in self._held
        if not origin or is_origin_read or id in self._held or self._size + len(data) > _MOST_WAITING:
            return False
        self._held[id] = origin, data
        self._size += len(data)
        return True

    def origins_first(self) -> Iterator[bytes]:
        """Yield the bytes of those that wait. Of origins in a circle any comes first."""
        while self._held:
            id = next(iter(self._held))
            passed = {id}
            while (above := self._held[id][0]) in self._held and above not in passed:
                passed.add(above)
                id = above
            yield self._held.pop(id)[1]


def _noted(events: Iterator[ReadEvent], checkpoint: Checkpoint) -> Iterator[ReadEvent]:
    """Yield the events with the checkpoint of the file at the end of each session."""
    for event in events:
        yield replace(event, checkpoint=checkpoint) if isinstance(event, End) else event


def _without(names: Sequence[str], documents: Sequence[ExportDocument]) -> list[str]:
    """Return the names without those of the documents, each as often as there is a document with it."""
    left = Counter(names) - Counter(one.name for one in documents)
    return list(left.elements())
