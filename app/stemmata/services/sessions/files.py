"""The files that a session's tool calls read and changed, their text at each step, and the file on the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow, whole_entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.files.log import (
    LEFT_OUT,
    FileHistory,
    FileLog,
    FileStep,
    FileUse,
    ReadingPlace,
    paths_of,
    reading_order,
    uses_of,
)
from stemmata.domain.files.requests import requests_of
from stemmata.domain.files.rows import CHANGED, FileRow, difference_rows, whole_rows
from stemmata.domain.files.state import MOST_TEXT, FileState, written
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.domain.text.phrases import Phrase
from stemmata.domain.tool_calls.checks import is_check
from stemmata.services.futures import run_in_thread
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.regular_file import read_regular

AT_ONCE = 200  # entries of one read
# entries of the shown branch that are read first: NEAR up to the selected one, and BELOW after it
NEAR, BELOW = 160, 40
MOST_MENTIONS = 100  # earlier entries of a branch that mention the file that is shown first
MOST_HITS = 400  # entries of other sessions that mention a file's name and are looked at
_SAID = frozenset({Role.USER, Role.ASSISTANT})
_MEGA = 1_000_000


@dataclass(frozen=True, slots=True)
class FileListing:
    """The files of a session. `steps` are in reading order, with indices of `tree`.

    `here` has a 1 for each entry of the shown branch. `read` are the entries that were read when the listing is only
    a part: some of the shown branch, in its order; None when all entries were read.
    """

    session: Session
    tree: Tree
    steps: tuple[FileStep, ...]
    here: bytearray
    uses: tuple[FileUse, ...]  # the files of all branches, sorted by path
    read: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class FileView:
    """A file for display: its rows, and the state that they show."""

    rows: tuple[FileRow, ...]
    state: FileState
    longest: int  # characters of the longest row
    first: int  # the first row that was added or removed, 0 without one

    @classmethod
    def of(cls, rows: Sequence[FileRow], state: FileState) -> FileView:
        """Return the view of a state with these rows."""
        first = next((at for at, row in enumerate(rows) if row.kind in CHANGED), 0)
        return cls(tuple(rows), state, max((len(row.text) for row in rows), default=0), first)


@dataclass(frozen=True, slots=True)
class OtherUse:
    """Another session that used a file. `entry` is the key of the newest message with a call about it."""

    session: Session
    entry: int


class SessionFiles:
    """Lists the files of sessions and reconstructs their text. Long work runs on separate threads."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def near(
        self, session_tree: SessionTree, end: int | None, selected: int | None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Future[FileListing | None]:  # fmt: skip
        """Return the files that were used near the selected entry on the shown branch: fast, however long it is.

        Arguments are indices; `end` is the end of the shown branch, and is used when the selected entry is not on it.
        Returns None when the branch has no more than NEAR + BELOW entries, or no file was used there. For the file
        that was changed last before the selected entry, its earlier calls on the branch are included.
        """
        session, tree = session_tree.session, session_tree.tree

        def work() -> FileListing | None:
            path = tree.path(end)
            if len(path) <= NEAR + BELOW:
                return None
            at = next((at for at, entry in enumerate(path) if entry == selected), len(path) - 1)
            top = max(0, at + 1 - NEAR)
            read = tuple(path[top : at + 1 + BELOW])
            log = self._log_of(session_tree, read, is_wanted)
            if not log.steps:
                return None
            changed = [step for step in log.steps if step.act.is_change and step.entry <= path[at]]
            earlier = self._mentions(session_tree, path[:top], changed[-1].path) if changed else []
            if earlier:
                read = (*earlier, *read)
                log = self._log_of(session_tree, read, is_wanted)
            here = bytearray(len(tree))
            for entry in read:
                here[entry] = 1
            return FileListing(session, tree, tuple(log.steps), here, uses_of(log.steps, here), read)

        return run_in_thread(work)

    def listing(
        self, session_tree: SessionTree, end: int | None, is_wanted: Callable[[], bool] = lambda: True,
        tell: Callable[[int], object] = lambda _percent: None,
    ) -> Future[FileListing]:  # fmt: skip
        """Return the files of all branches; `end` (an index) is the end of the shown branch.

        `tell` is called with the percentage of the session that was read. Fails with CancelledError once `is_wanted`
        is false.
        """
        session, tree = session_tree.session, session_tree.tree

        def work() -> FileListing:
            here = bytearray(len(tree))
            for entry in tree.path(end):
                here[entry] = 1
            log = FileLog(session.cwd)
            self._follow(session_tree, _whole_order(session_tree, end), log, None, is_wanted, tell)
            return FileListing(session, tree, tuple(log.steps), here, uses_of(log.steps, here))

        return run_in_thread(work)

    def history(
        self,
        session_tree: SessionTree,
        listing: FileListing,
        path: str,
        end: int | None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Future[FileHistory]:
        """Return the steps of one file, from which its text at each step is computed.

        `session_tree` and `end` are those of the listing.
        """

        tree = session_tree.tree

        def work() -> FileHistory:
            paths = paths_of(path, listing.steps)
            told = [step for step in listing.steps if step.path in paths]
            wanted = {entry for step in told for entry in (step.entry, step.result)}
            log = FileLog(listing.session.cwd, paths)
            read = listing.read
            order = _whole_order(session_tree, end) if read is None else _branch_order(tree, read)
            self._follow(session_tree, order, log, wanted, is_wanted)
            leaves = [-1 if listing.here[step.entry] else tree.newest_leaf_below(step.entry) for step in told]
            return log.history(path, told, leaves)

        return run_in_thread(work)

    def whole(self, history: FileHistory, step: int) -> Future[FileView]:
        """Return the file after a step."""

        def work() -> FileView:
            state = history.state(step)
            return FileView.of(whole_rows(state), state)

        return run_in_thread(work)

    def change(self, history: FileHistory, step: int) -> Future[FileView]:
        """Return the file after a step, with the lines that the step removed and added."""

        def work() -> FileView:
            state = history.state(step)
            return FileView.of(difference_rows(history.before(step), state), state)

        return run_in_thread(work)

    def compared(self, history: FileHistory, step: int, other: int) -> Future[FileView]:
        """Return the file after a step, compared with the file after another step."""

        def work() -> FileView:
            state = history.state(step)
            return FileView.of(difference_rows(history.state(other), state), state)

        return run_in_thread(work)

    def compared_with_disk(self, history: FileHistory, step: int, path: str) -> Future[FileView]:
        """Read a file on the disk and compare it with the file after a step.

        Lines that only the disk has are removed lines. Fails with KnownError for a file that is missing, not a file,
        too large, or not a text.
        """

        def work() -> FileView:
            there, state = written(text_on_disk(path)), history.state(step)
            return FileView.of(difference_rows(there, state), state)

        return run_in_thread(work)

    def other_uses(self, session: int, path: str) -> Future[tuple[OtherUse, ...]]:
        """Return the other sessions that used a file, newest first; only the newest mentions of its name are read."""
        phrase = _phrase_of(path)

        def job(reader: ArchiveReader) -> tuple[OtherUse, ...]:
            if not phrase:
                return ()
            found = reader.unread_hits(phrase, role=Role.ASSISTANT.text, limit=MOST_HITS).found
            newest: dict[int, list[int]] = {}
            for match in islice(found, MOST_HITS):
                if match.session != session:
                    newest.setdefault(match.session, []).append(match.entry)
            uses = (_other_use(reader, key, entries, path) for key, entries in newest.items())
            return tuple(use for use in uses if use is not None)

        return self._archive.read(job)

    # -- inside -------------------------------------------------------------------------------------------------

    def _log_of(self, session_tree: SessionTree, read: Sequence[int], is_wanted: Callable[[], bool]) -> FileLog:
        """Return the log of some entries of a branch."""
        log = FileLog(session_tree.session.cwd)
        self._follow(session_tree, _branch_order(session_tree.tree, read), log, None, is_wanted)
        return log

    def _mentions(self, session_tree: SessionTree, path: Sequence[int], file: str) -> list[int]:
        """Return the newest entries of a path whose calls mention a file's name, with their results."""
        tree, phrase = session_tree.tree, _phrase_of(file)

        def job(reader: ArchiveReader) -> list[int]:
            role = Role.ASSISTANT.text
            found = reader.unread_hits(phrase, session=session_tree.session.key, role=role, limit=MOST_MENTIONS).found
            return [match.entry for match in islice(found, MOST_MENTIONS)]

        calls = {tree.get(key) for key in self._archive.read(job).result()} if phrase else set()
        out: list[int] = []
        is_result = False
        for entry in path:
            is_result = entry in calls or (is_result and tree.columns.role[entry] == Role.TOOL_RESULT)
            if is_result:
                out.append(entry)
        return out

    def _follow(
        self,
        session_tree: SessionTree,
        order: Iterator[ReadingPlace],
        log: FileLog,
        wanted: set[int] | None,
        is_wanted: Callable[[], bool],
        tell: Callable[[int], object] = lambda _percent: None,
    ) -> None:
        """Pass the entries to the log in reading order; with `wanted`, read the content of these entries only."""
        done, count = 0, len(session_tree.tree)
        while page := list(islice(order, AT_ONCE)):
            content = _Content(self._archive, session_tree, page, wanted)
            content.read(log)
            for place in page:
                if not is_wanted():
                    raise CancelledError
                log.enter(place)
                content.add(place.entry, log)
                log.leave(place)
            done += len(page)
            tell(100 * done // count)


def _whole_order(session_tree: SessionTree, end: int | None) -> Iterator[ReadingPlace]:
    """Return the entries of all branches that are not in the trash in reading order."""
    tree, leaf = session_tree.tree, session_tree.session.leaf
    return reading_order(tree, end, tree.in_trash(tree.get(leaf), end))


def _branch_order(tree: Tree, entries: Sequence[int]) -> Iterator[ReadingPlace]:
    """Yield the given entries of one branch, in reading order."""
    above = -1
    for entry in entries:
        parent = above if above in (-1, tree.parents[entry]) else LEFT_OUT
        yield ReadingPlace(entry, parent, 1)
        above = entry


def _phrase_of(path: str) -> str:
    """Return the query that finds the name of a file; "" for a name that no query finds."""
    name = PurePosixPath(path).name.replace('"', " ")
    return f'"{name}"' if name.strip() else ""


class _Content:
    """The entries of a page that matter: messages with calls, the results of calls about files, and spoken words."""

    def __init__(
        self, archive: Archive, session_tree: SessionTree, page: Sequence[ReadingPlace], wanted: set[int] | None
    ) -> None:
        self._archive = archive
        tree, columns = session_tree.tree, session_tree.tree.columns
        chosen = [
            place.entry
            for place in page
            if columns.kind[place.entry] == Kind.MESSAGE and (wanted is None or place.entry in wanted)
        ]
        self._roles = {entry: Role(columns.role[entry]) for entry in chosen}
        self._calls = {entry for entry in chosen if self._roles[entry] is Role.ASSISTANT and columns.calls[entry]}
        self._keys = {entry: tree.key(entry) for entry in chosen}
        self._rows: dict[int, EntryRow] = {}
        self._bodies: dict[int, Body] = {}

    def read(self, log: FileLog) -> None:
        """Read the page in two jobs: the calls, then the results that the log needs for them."""
        if not self._keys:
            return
        calls = [self._keys[entry] for entry in self._calls]
        others = [key for entry, key in self._keys.items() if entry not in self._calls]
        bodies, self._rows = self._archive.read(lambda reader: (reader.bodies(calls), reader.rows(others))).result()
        for entry in self._roles:
            body = bodies.get(self._keys[entry])
            if body is not None:
                log.parse(entry, Entry(id="", blocks=body.blocks))
        needed = [
            self._keys[entry]
            for entry, role in self._roles.items()
            if (row := self._rows.get(self._keys[entry])) is not None and _is_relevant(role, row, log)
        ]
        self._bodies = self._archive.read(lambda reader: reader.bodies(needed)).result() if needed else {}

    def add(self, entry: int, log: FileLog) -> None:
        """Give an entry to the log."""
        role, key = self._roles.get(entry), self._keys.get(entry, -1)
        row, body = self._rows.get(key), self._bodies.get(key)
        if row is None or role is None:
            return
        if role in _SAID:
            log.prompt(row.preview)
        elif body is not None:
            whole = whole_entry(row, body)
            if role is Role.TOOL_RESULT:
                log.result(entry, whole)
            else:
                log.command(whole)


def _is_relevant(role: Role, row: EntryRow, log: FileLog) -> bool:
    if role is Role.TOOL_RESULT:
        return log.needs(row.call)
    return role is Role.BASH_EXECUTION and is_check(row.name)


def _other_use(reader: ArchiveReader, session: int, entries: Sequence[int], path: str) -> OtherUse | None:
    """Return the use of a file by a session, given messages that mention its name, newest first; None for no use."""
    try:
        other = reader.session(session)
    except NotFoundError:  # it was deleted since the search
        return None
    bodies = reader.bodies(entries)
    for entry in entries:
        calls = [block for block in bodies[entry].blocks if isinstance(block, ToolCall)] if entry in bodies else []
        if any(request.path == path for call in calls for request in requests_of(call, other.cwd)):
            return OtherUse(other, entry)
    return None


def text_on_disk(path: str) -> str:
    """Return the text of a file on the disk, with every line end as a line feed. Raises KnownError.

    Only a regular file is read, and at most MOST_TEXT bytes: the path comes from a transcript.
    """
    name = PurePosixPath(path).name or path
    place = Path(path).expanduser()
    if not place.is_absolute():
        raise KnownError(
            Phrase("“{0}” cannot be compared: the session does not say in which folder the file is.", name)
        )
    try:
        data = read_regular(place, MOST_TEXT + 1)
    except FileNotFoundError as error:
        raise KnownError(Phrase("“{0}” is not on the disk: {1} does not exist.", name, str(place))) from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise KnownError(Phrase("“{0}” cannot be read from the disk: {1}.", name, str(why))) from error
    if data is None:
        raise KnownError(Phrase("“{0}” is not a regular file on the disk.", name))
    if len(data) > MOST_TEXT:
        most = MOST_TEXT // _MEGA
        raise KnownError(Phrase("“{0}” is too large on the disk: at most {1} MB are compared.", name, str(most)))
    return _decoded(data, name)


def _decoded(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise KnownError(Phrase("“{0}” is a binary file on the disk. Only texts are compared.", name))
    return text.replace("\r\n", "\n")
