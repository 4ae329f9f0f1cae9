"""The base of formats in which one file, the export of a service, has many conversations.

Each conversation becomes a session with a source of its own: its bytes in the file. So a conversation is stored,
compared and returned as if it were the only session of its file.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from stemmata.domain.entries.session_facts import SessionInfo, with_changed_in_source
from stemmata.domain.entries.source_facts import Checkpoint, End, Raw, ReadEvent, SourceShape, UnusedPart
from stemmata.domain.errors import KnownError, UnreadableSourceError
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.export_file import CHUNK, SNIFF, ZIP, ExportDocument, ExportFile, head_of, open_export
from stemmata.formats.shared.file_digest import digest_checkpoint
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.json_elements import Element, element_keys, elements
from stemmata.formats.shared.values import BadLineError, parse_object, text


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
    bookkeeping: ClassVar[Mapping[str, str]]  # the export's other files: name → description

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

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether a document of the file has conversations with the format's key."""
        if not head.startswith(ZIP):
            return self.key in element_keys(head[:SNIFF])
        try:
            with open_export(path) as export:
                return any(self._has_conversations(export, one) for one in export.documents)
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
            for document in documents:
                for event in self._document(export, document):
                    yield replace(event, checkpoint=checkpoint) if isinstance(event, End) else event
            yield from self._others(export)

    def _has_conversations(self, export: ExportFile, document: ExportDocument) -> bool:
        return self.key in element_keys(head_of(export, document))

    def _others(self, export: ExportFile) -> Iterator[UnusedPart]:
        """Yield the files beside the conversations, in the archive or in the folder of the file."""
        others = export.others or [name for name in self.bookkeeping if export.path.with_name(name).is_file()]
        known = [name for name in others if name in self.bookkeeping]
        for name in known:
            yield UnusedPart(name, self.bookkeeping[name], damaged=False)
        if len(others) > len(known):
            yield UnusedPart(f"{len(others) - len(known)} other files", "not read", damaged=False)

    def _document(self, export: ExportFile, document: ExportDocument) -> Iterator[ReadEvent]:
        read = 0
        try:
            with closing(export.chunks(document)) as chunks:
                for element in elements(chunks):
                    read = element.number
                    yield from self._element(document.name, element)
        except UnreadableSourceError as error:
            yield UnusedPart(f"{document.name}, after conversation {read}", str(error))

    def _element(self, name: str, element: Element) -> Iterator[ReadEvent]:
        where = f"{name}, conversation {element.number}"
        try:
            yield from self._read(element.data)
        except NoConversationError as error:
            yield UnusedPart(where, str(error), error.damaged)
        except BadLineError as error:
            if element.data is None:
                yield UnusedPart(where, "is too large, or its end is lost")
                return
            yield UnusedPart(where, str(error) if element.whole else "cut off by the end of the file")
            yield from self._behind(element.data)

    def _read(self, data: bytes | None) -> Iterator[ReadEvent]:
        """Yield the events of an element. Raises BadLineError and NoConversationError before the first one."""
        record = self.parsed(data)
        assert data is not None
        events = self.conversation(record, data)
        yield next(events)
        yield Raw(0, data)
        yield from events

    def _behind(self, data: bytes) -> Iterator[ReadEvent]:
        """Yield the conversations after a damaged one, whose end is unknown, such as after a lost quotation mark."""
        at = 1
        while found := self.start.search(data, at):
            at = found.end()
            pieces = (data[place : place + CHUNK] for place in range(found.start(), len(data), CHUNK))
            element = next(elements(pieces))
            try:
                yield from self._read(element.data)
            except (BadLineError, NoConversationError):
                continue
            at = found.start() + len(element.data or b"")


def _without(names: Sequence[str], documents: Sequence[ExportDocument]) -> list[str]:
    """Return the names without those of the documents, each as often as there is a document with it."""
    left = Counter(names) - Counter(one.name for one in documents)
    return list(left.elements())
