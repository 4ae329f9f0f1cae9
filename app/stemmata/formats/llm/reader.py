"""Recognise llm's database of logs and read its threads and conversations, those that have changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Checkpoint, ReadEvent, SourceShape, UnusedPart
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.llm.conversations import LlmConversations
from stemmata.formats.llm.threads import LlmThreads
from stemmata.formats.shared.database import LOG, MAGIC, SourceDatabase, TooLargeError, log_state, open_database
from stemmata.formats.shared.database_reading import Reading
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat

NAME = "logs.db"
_APP = "io.datasette.llm"


class _Sessions:
    """The threads and conversations of an open database."""

    def __init__(self, database: SourceDatabase) -> None:
        self.threads, self.conversations = LlmThreads(database), LlmConversations(database)

    def prints(self) -> dict[str, str]:
        """Return the fingerprint of each; a thread holds its conversation."""
        return {**self.conversations.prints(), **self.threads.prints()}


class Llm(SingleFileFormat):
    """The reader of llm's logs."""

    name = "llm"
    shape = SourceShape.DATABASE

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file is a database with llm's tables. Raises KnownError when it is locked."""
        if not head.startswith(MAGIC):
            return False
        try:
            with open_database(path) as database:
                return LlmThreads.are_in(database) or LlmConversations.are_in(database)
        except (UnreadableSourceError, TooLargeError):
            return False

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the database on Linux, macOS and Windows, or the one that the environment names."""
        named, config = environment.get("LLM_USER_PATH", ""), environment.get("XDG_CONFIG_HOME", "")
        if named:
            return (SessionFolder(Path(named), deep=False),)
        places = (
            Path(config) if config else home / ".config",
            home / "Library" / "Application Support",
            Path(environment.get("APPDATA", "") or home / "AppData" / "Roaming"),
        )
        return tuple(SessionFolder(place / _APP, deep=False) for place in places)

    def main_file(self, path: Path) -> Path | None:
        """Return the database file that a write-ahead log belongs to; None for any other file."""
        return path.with_name(NAME) if path.name == NAME + LOG else None

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the write-ahead log changed."""
        return Reading.of(known).beside != log_state(path)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the threads and conversations that have changed since the checkpoint, the oldest first."""
        before, found = Reading.of(since), Reading(log_state(path), 0, {})
        try:
            with open_database(path) as database:
                earlier = None if since is None else before
                sessions, prints = found.listed(database, earlier, lambda: _Sessions(database))
                threads, conversations = sessions.threads, sessions.conversations
                for id, print in sorted(prints.items()):
                    found.prints[id] = print
                    if before.prints.get(id) != print:
                        yield from threads.read(id) if threads.has(id) else conversations.read(id)
                if since is None:
                    yield from _unused(database, threads)
                    yield from found.lost_rows()
        except TooLargeError as error:
            raise UnreadableSourceError(Phrase("{0} has a row that is too large.", path)) from error
        yield found.end(path, before)


def _unused(database: SourceDatabase, threads: LlmThreads) -> Iterator[UnusedPart]:
    """Yield the problems that belong to no session: messages without a thread, and tables that lack columns."""
    if number := threads.strays():
        yield UnusedPart(f"messages: {number}", "they belong to no thread", damaged=False)
    for table, is_read in (("responses", LlmConversations.are_in), ("messages", LlmThreads.are_in)):
        if database.columns(table) and not is_read(database):
            (number,) = database.row(f"SELECT count(*) FROM {table}")
            if number:
                yield UnusedPart(f"{table}: {number}", "the database lacks columns or tables that Stemmata reads")
