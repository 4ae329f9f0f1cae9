"""Hands a session over to another tool: writes a new session into the tool's folder, which the tool continues.

The archive notes the new session's id, so that it is shown below its origin once it is imported. No file is ever
replaced.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from stemmata.domain.compaction.digest.digest import digest
from stemmata.domain.compaction.summary.summary import SummaryInput
from stemmata.domain.context.projection import Form, Projection, SentMessage, context_at
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.hand_off import BRIEF, Extent, HandOffDocument, HandOffSize, size_of
from stemmata.domain.requests.message_normalizer import CleanMessage, UserMessage, normalize
from stemmata.domain.sessions.origin import is_subagent
from stemmata.domain.sessions.session import Session
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.requests import entries_of, messages_of
from stemmata.services.chat.summary_writing import SummaryWriting
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.futures import run_in_thread
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.ports.sources import Formats
from stemmata.services.sessions.exporting import ArchivedPath, ExportPart, archived_part

_FOLDER_MODE = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOff:
    """A hand-off that the user requests. `entry` is the store key of the entry to continue from.

    `tool` is a format's name. `brief` is the text of a brief that was written or edited before; "" for the digest.
    `cwd` is the folder to work in; "" for the session's folder.
    """

    session: int
    entry: int
    tool: str
    extent: Extent = Extent.WHOLE
    brief: str = ""
    cwd: str = ""


@dataclass(frozen=True, slots=True)
class HandOffPreview:
    """The size of a hand-off, and the parts of the session that the tool would not get.

    `brief` is the text of a brief, "" otherwise.
    """

    path: Path
    cwd: str
    size: HandOffSize
    lost: tuple[Phrase, ...]
    brief: str = ""


@dataclass(frozen=True, slots=True)
class HandedOff:
    """A new session of another tool. `command` continues it, in the folder `cwd`."""

    path: Path
    cwd: str
    command: tuple[str, ...]


class HandingOff:
    """Hands sessions over to other tools, and returns the commands with which tools continue their own sessions."""

    def __init__(
        self, archive: Archive, formats: Callable[[], Formats], writing: Callable[[], SummaryWriting], clock: Clock
    ) -> None:
        self._archive, self._formats, self._writing, self._clock = archive, formats, writing, clock

    def tools(self) -> dict[str, tuple[str, Sequence[Extent]]]:
        """Return the tools that sessions can be handed over to: format name → title and possible extents."""
        formats = self._formats()
        return {name: (formats.title(name), extents) for name, extents in formats.carriers().items()}

    def resume_command(self, session: Session) -> tuple[str, ...]:
        """Return the command that continues a session in the tool that it came from; () when there is none."""
        return self._formats().resume_command(
            session.source, session.source_id, session.path, is_subagent=is_subagent(session)
        )

    def brief(self, session: int, entry: int, *, by_model: bool = False) -> Future[str]:
        """Return a summary of the context at an entry, by the digest or by the model for summaries.

        Fails with NothingToDoError for an empty context, and like `SummaryWriting.by_model`.
        """
        if not by_model:
            return self._archive.read(lambda reader: _digest(reader, context_of(reader, session, entry)))
        request = CompactionRequest(session=session, leaf=entry, whole=True)
        return run_in_thread(lambda: self._writing().by_model(request).text or "")

    def preview(self, asked: HandOff) -> Future[HandOffPreview]:
        """Return the preview of a hand-off. Fails with KnownError."""

        def job(reader: ArchiveReader) -> HandOffPreview:
            document = self._document(reader, asked)
            path, _ = self._formats().handed_over(asked.tool, document)
            brief = asked.brief
            if asked.extent is Extent.BRIEF and not brief:
                brief = _digest(reader, context_of(reader, asked.session, asked.entry))
            return HandOffPreview(path, document.cwd, size_of(document.messages), self._lost(reader, asked), brief)

        return self._archive.read(job)

    def _lost(self, reader: ArchiveReader, asked: HandOff) -> tuple[Phrase, ...]:
        knows_all = Extent.CONTEXT not in self._formats().carriers()[asked.tool]
        return tuple(_lost(reader, asked, knows_all=knows_all))

    def write(self, asked: HandOff) -> Future[HandedOff]:
        """Write the new session and note its origin. Fails with KnownError and leaves nothing."""

        def job(writer: ArchiveWriter) -> HandedOff:
            document = self._document(writer, asked)
            path, lines = self._formats().handed_over(asked.tool, document)
            writer.note_hand_off(asked.session, asked.tool, document.id)
            write_new(path, lines)
            command = self._formats().resume_command(asked.tool, document.id, str(path))
            return HandedOff(path, document.cwd, command)

        return self._archive.write(job)

    def _document(self, reader: ArchiveReader, asked: HandOff) -> HandOffDocument:
        session, projection = reader.session(asked.session), context_of(reader, asked.session, asked.entry)
        cwd = asked.cwd or session.cwd
        if not cwd:
            raise KnownError(Phrase("The session has no folder to work in. Choose one; nothing was written."))
        messages = _messages(reader, asked, projection)
        if not messages:
            raise NothingToDoError(Phrase("Nothing to hand over: the path has no message. Nothing was written."))
        id = str(uuid4())
        path: ArchivedPath | None = None
        if asked.extent is not Extent.BRIEF:
            found = archived_part(reader, asked.session, ExportPart(asked.entry))
            assert isinstance(found, ArchivedPath)
            path = replace(found, session=replace(session, source_id=id, cwd=cwd))
        return HandOffDocument(
            id=id,
            cwd=cwd,
            title=session.title,
            time=self._clock.now(),
            model=projection.model,
            messages=messages,
            blob=reader.blob,
            path=path,
        )


def context_of(reader: ArchiveReader, session: int, entry: int) -> Projection:
    """Return the context at an entry, given by its store key."""
    tree = reader.tree(session)
    return context_at(tree, tree.index(entry))


def _messages(reader: ArchiveReader, asked: HandOff, projection: Projection) -> list[CleanMessage]:
    match asked.extent:
        case Extent.BRIEF:
            return [UserMessage((Text(BRIEF.format(asked.brief or _digest(reader, projection))),))]
        case Extent.CONTEXT:
            return normalize(messages_of(reader, projection))
    tree = projection.tree
    whole = [SentMessage(entry, Form.WHOLE) for entry in _conversation_entries(tree, tree.index(asked.entry))]
    return normalize(entries_of(reader, tree, whole))


def _conversation_entries(tree: Tree, entry: int) -> Iterator[int]:
    """Yield the entries of the path that the model or the user wrote, without summaries of earlier entries."""
    for at in tree.path(entry):
        if tree.kind(at) is not Kind.COMPACTION and not tree.columns.flags[at] & Flag.HIDDEN:
            yield at


def _digest(reader: ArchiveReader, projection: Projection) -> str:
    entries = [entry for entry, _form in messages_of(reader, projection)]
    if not entries:
        raise NothingToDoError(Phrase("Nothing to summarise: the context is empty. Nothing was written."))
    earlier = [plain_text(entry.blocks) for entry in entries if entry.kind is Kind.COMPACTION]
    rest = [entry for entry in entries if entry.kind is not Kind.COMPACTION]
    return digest(SummaryInput(entries=rest, previous="\n\n".join(earlier))).text


def _lost(reader: ArchiveReader, asked: HandOff, *, knows_all: bool) -> Iterator[Phrase]:
    """Yield the parts that the tool does not get.

    `knows_all`: the tool has compactions and thinking as Stemmata has them.
    """
    tree = reader.tree(asked.session)
    path = tree.path(tree.index(asked.entry))
    others = len(tree.kept_leaves()) - 1
    if others > 0:
        yield Phrase("{0} other branches stay here", others) if others > 1 else Phrase("1 other branch stays here")
    if asked.extent is Extent.BRIEF:
        yield Phrase("the messages themselves: the tool gets only the brief")
        return
    columns = tree.columns
    compactions = sum(columns.kind[at] == Kind.COMPACTION for at in path)
    if compactions and asked.extent is Extent.WHOLE and not knows_all:
        yield Phrase("the summaries: the tool gets the messages that they have replaced")
    if compactions and asked.extent is Extent.CONTEXT:
        yield Phrase("the messages that the last summary has replaced")
    broken = sum(
        columns.role[at] == Role.ASSISTANT and bool(columns.flags[at] & (Flag.FAILED | Flag.ABORTED)) for at in path
    )
    if broken:
        yield (
            Phrase("{0} replies that were interrupted", broken)
            if broken > 1
            else Phrase("1 reply that was interrupted")
        )
    if not knows_all and any(columns.thinking[at] for at in path):
        yield Phrase("thinking that another model has not signed or cannot read")


def write_new(path: Path, lines: Iterator[bytes]) -> None:
    """Write a new file completely or not at all, and make its folder. Raises KnownError, also if the file exists."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=_FOLDER_MODE)
        with open(temporary, "xb", opener=_private) as file:
            for line in lines:
                file.write(line)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)  # unlike a rename, this replaces no file
    except OSError as error:
        reason = error.strerror or error
        raise KnownError(Phrase("Could not write {0}: {1}. Nothing was changed.", path, reason)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def command_line(command: Sequence[str], cwd: str) -> str:
    """Return the line that runs a command in a folder, for a POSIX shell."""
    line = shlex.join(command)
    return f"cd {shlex.quote(cwd)} && {line}" if cwd else line
