"""Read a rollout once, from its start or from the place where the last reading left off."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from stemmata.domain.entries.entry import Entry
from stemmata.domain.errors import KnownError, UnreadableSourceError
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Repaired, Skipped
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.codex.compressed import Unpacked, is_compressed, open_rollout
from stemmata.formats.codex.header import CodexHeader, Continuation, header_of
from stemmata.formats.codex.home import current_file, file_of_base, files_of, name_of
from stemmata.formats.codex.records import normalised
from stemmata.formats.codex.rollout import Facts, Restart, Rollout, RolloutState
from stemmata.formats.shared.lines import Line, SourceLines, object_in, resume
from stemmata.formats.shared.values import BadLineError, mapping, parse_object, text

SOURCE = "codex"
_MOST_BASES = 1000  # files that a file continues, one after the other
_MOST_FORKS = 20  # threads whose lines a file repeats


class CodexReading:
    """Yield the events of the file's one session. With `end`, no more than about that number of bytes is read."""

    def __init__(self, path: Path, since: Checkpoint | None, *, end: int | None = None) -> None:
        self._path = path
        self._header = header_of(path)
        known = _Known.of(resume(path, since) if not is_compressed(path) else None)
        self._since = since if known is not None else None
        restart = known.restart if known is not None else Restart(0, 0, RolloutState())
        self._file: object = None
        self._source = SourceLines(path, offset=restart.offset, lines=restart.lines, opener=self._opened, end=end)
        self._rollout = Rollout(self._header.seed, restart.state, resumed=known is not None)
        self._call = (known.call if known is not None else "") or _call_of(path, self._header)
        self._times = None if known is not None else _OriginalTimes.of(path, self._header)
        self._had_entries = known is not None

    def _opened(self, path: Path) -> BinaryIO:
        file = open_rollout(path)
        self._file = file
        return file

    def _history(self) -> Iterator[ReadEvent]:
        """Yield the entries of the files that this one continues, and take up where they end.

        So the session is whole without those files, and the archive stores each entry only once.
        """
        facts = Facts(provider=self._header.provider)
        state = RolloutState(facts)
        if not self._header.fields:
            yield Repaired("The record at the beginning of the file is missing; more may be missing after it.")
        if self._header.base is not None:
            found = yield from history_before(self._path, self._header)
            if found is None:
                yield Repaired("The file that this one continues is missing; its first entry is a root.")
            else:
                state = replace(found, facts=replace(found.facts, provider=facts.provider or found.facts.provider))
        self._rollout = Rollout(self._header.seed, state)

    def events(self) -> Iterator[ReadEvent]:
        """Yield Begin, the file's bytes, entries and report items, and End."""
        begin = self._since.offset if self._since is not None else 0
        title = name_of(self._header.id, self._path)
        yield Begin(self._header.info(SOURCE, title=title, call=self._call), offset=begin)
        if self._since is None:
            yield from self._history()
        restart: Restart | None = None
        for part in self._source:
            if isinstance(part, Raw):
                yield from _behind(part, begin)
                continue
            if not part.complete:
                restart = self._rollout.restart(self._source.offset, self._source.lines)
            yield from self._line(part)
        if isinstance(self._file, Unpacked) and self._file.is_damaged:
            yield Skipped(self._source.lines + 1, "the compressed file is damaged from here on")
        restart = restart or self._rollout.restart(self._source.offset, self._source.lines)
        yield from self._placed(self._rollout.settle(last=True))
        if not self._had_entries and self._header.base is None:
            raise UnreadableSourceError(Phrase("{0} contains no messages of a Codex session.", self._path))
        title = self._rollout.facts.title or title
        yield End(self._leaf(), leaf_known=True, title=title, checkpoint=self._checkpoint(restart), named=bool(title))

    def _line(self, line: Line) -> Iterator[ReadEvent]:
        try:
            record = object_in(line)
        except BadLineError as error:
            # earlier readings reported the problem of an earlier line
            if self._since is None or line.number > self._since.lines:
                yield Skipped(line.number, str(error))
            return
        yield from self._placed(self._rollout.take(record, line))

    def _placed(self, events: Iterable[Entry | Blob]) -> Iterator[Entry | Blob]:
        """Pass entries on; those that the file repeats from another thread get their original time."""
        for event in events:
            if isinstance(event, Entry):
                self._had_entries = True
                if self._times is not None:
                    event = self._times.restored(event)
            yield event

    def _leaf(self) -> str | None:
        """Return the current entry of the thread, which can be in another of its files."""
        other = current_file(self._header.id, self._path) if self._header.is_paginated else None
        if other is None:
            return self._rollout.leaf
        try:
            header = header_of(other)
            state = _result(history_before(other, header)) or RolloutState()
            return (_result(_played(other, header, state, None)) or state).parent
        except KnownError:
            return self._rollout.leaf

    def _checkpoint(self, restart: Restart) -> Checkpoint | None:
        if is_compressed(self._path):
            return None  # a packed file does not grow
        repeats = self._times is not None and not self._times.is_over
        if repeats or not self._rollout.is_certain:
            return self._source.checkpoint({})
        return self._source.checkpoint(_Known(restart, self._call).json)


def _behind(raw: Raw, offset: int) -> Iterator[Raw]:
    """Yield the part of the bytes from the offset on."""
    cut = max(offset - raw.offset, 0)
    if cut < len(raw.data):
        yield Raw(raw.offset + cut, raw.data[cut:])


@dataclass(frozen=True, slots=True)
class _Known:
    """The state of a checkpoint: where the next reading continues, and the call that began a subagent."""

    restart: Restart
    call: str

    @property
    def json(self) -> dict[str, Any]:
        return {"at": [self.restart.offset, self.restart.lines], "state": self.restart.state.json, "call": self.call}

    @classmethod
    def of(cls, state: dict[str, Any] | None) -> _Known | None:
        """Restore the state of a checkpoint; None when it is invalid, since the archive is untrusted input here."""
        match state:
            case {"at": [int(offset), int(lines)], "state": dict(inner), "call": str(call)}:
                found = RolloutState.of_json(inner)
                is_sound = offset >= 0 and lines >= 0
                return cls(Restart(offset, lines, found), call) if found is not None and is_sound else None
        return None


# -- files that continue others -----------------------------------------------------------------------------------


_History = Generator[Entry | Blob, None, RolloutState | None]  # returns the state at the end


def history_before(path: Path, header: CodexHeader) -> _History:
    """Yield the entries of the earlier files that a file continues; return the state at their end, or None."""
    steps: list[tuple[Path, CodexHeader, Continuation]] = []
    seen = {path}
    while header.base is not None and len(steps) < _MOST_BASES:
        file = file_of_base(header.base, path)
        if file is None or file in seen:
            break
        seen.add(file)
        base, path, header = header.base, file, header_of(file)
        steps.append((path, header, base))
    if not steps:
        return None
    state: RolloutState | None = RolloutState(Facts(provider=header.provider))
    for file, found, end in reversed(steps):
        state = yield from _played(file, found, state or RolloutState(), end)
    return state


def _played(path: Path, header: CodexHeader, state: RolloutState, end: Continuation | None) -> _History:
    """Yield the entries of the file's lines up to the base's end, or of all lines; return the state behind them."""
    rollout = Rollout(header.seed, state)
    with closing(iter(SourceLines(path, opener=open_rollout))) as parts:
        for part in parts:
            if not isinstance(part, Line):
                continue
            try:
                record = parse_object(part.data)
            except BadLineError:
                continue
            if end is not None and _is_behind(end, record, part):
                break
            yield from map(_without_record, rollout.take(record, part))
    yield from map(_without_record, rollout.settle(last=True))
    return rollout.state


def _without_record(event: Entry | Blob) -> Entry | Blob:
    """Return an entry of another file without its place in that file."""
    return replace(event, record=None) if isinstance(event, Entry) else event


def _result(history: _History) -> RolloutState | None:
    """Return the state at the end of a history."""
    while True:
        try:
            next(history)
        except StopIteration as stop:
            state: RolloutState | None = stop.value
            return state


def _is_behind(end: Continuation, record: dict[str, Any], line: Line) -> bool:
    ordinal = record.get("ordinal")
    return ordinal >= end.ordinal if isinstance(ordinal, int) else 0 < end.offset <= line.offset


# -- files that repeat the lines of others ------------------------------------------------------------------------


class _OriginalTimes:
    """Restore the times of entries that a forked file repeats with the time of the fork.

    The entries are compared with those of the threads that the file came from, one by one from the start. The oldest
    thread is compared first.
    """

    def __init__(self, originals: list[_History]) -> None:
        self._originals = originals

    @property
    def is_over(self) -> bool:
        """Whether no entry repeats one of an earlier thread any more."""
        return not self._originals

    @classmethod
    def of(cls, path: Path, header: CodexHeader) -> _OriginalTimes | None:
        """Return the original times for a forked file; None for a file that repeats no other thread."""
        threads = header.roots or ((header.forked_from,) if header.forked_from else ())
        if not threads or header.base is not None:
            return None
        originals = []
        for thread in [thread for thread in threads if thread != header.id][-_MOST_FORKS:]:
            files = [file for file in files_of(thread, path) if file != path]
            if files:
                originals.append(_played(files[0], header_of(files[0]), RolloutState(), None))
        return cls(originals[::-1])

    def restored(self, entry: Entry) -> Entry:
        """Return the entry with its original time, if it is the next entry of an earlier thread."""
        time = None
        for original in list(self._originals):
            found = _next(original)
            if found is None or found.id != entry.id:
                original.close()
                self._originals.remove(original)
            elif time is None:
                time = found.time
        return entry if time is None else replace(entry, time=time)


def _next(history: _History) -> Entry | None:
    try:
        return next((event for event in history if isinstance(event, Entry)), None)
    except KnownError:
        return None


# -- subagents ----------------------------------------------------------------------------------------------------


def _call_of(path: Path, header: CodexHeader) -> str:
    """Return the id of the tool call that began a subagent; "" when it is unknown.

    The parent's file contains it together with the subagent's id.
    """
    if not header.spawned_by:
        return ""
    spawn = mapping(mapping(mapping(header.fields.get("source")).get("subagent")).get("thread_spawn"))
    named = text(spawn.get("spawn_call_id"))
    if named:
        return named
    for file in files_of(header.spawned_by, path):
        try:
            found = _call_in(file, header.id)
        except KnownError:
            continue
        if found:
            return found
    return ""


def _call_in(file: Path, thread: str) -> str:
    with closing(iter(SourceLines(file, opener=open_rollout))) as parts:
        for part in parts:
            if isinstance(part, Line) and part.data is not None and thread.encode() in part.data:
                try:
                    payload = normalised(parse_object(part.data))["payload"]
                except BadLineError:
                    continue
                if call := text(payload.get("call_id")):
                    return call
    return ""
