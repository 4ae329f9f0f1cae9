"""A made-up archive to search in: sessions of many shapes, with words, roles and tools that are common or rare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from random import Random

from stemmata.bootstrap.core import Core
from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.writer import Writer

BATCH = 2000  # entries a transaction
ORDINARY = 1000  # entries of a session like most
TURN = 50  # entries by which two sessions grow in turn
BEGIN = 1_700_000_000_000_000_000
CHARACTERS = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
COMMON_TOOLS = ("read", "bash", "edit", "grep")
RARE_TOOL, RARE_SHELL, RARE_SUMMARY = 20_000, 5000, 4000  # one of so many entries
HUGE = 25_000  # one of so many entries has a very long text


def vocabulary(random: Random) -> list[str]:
    """Return 2,400 invented words of two to four syllables, which share prefixes as real words do."""
    syllables = [consonant + vowel for consonant in "bcdfghjklmnprstvwz" for vowel in "aeiou"]
    return ["".join(random.choices(syllables, k=random.randint(2, 4))) for _ in range(2400)]


class Speech:
    """Entries one after the other: words as frequent as in a language, roles as in the session of an agent."""

    def __init__(self, seed: int = 1) -> None:
        self._random = Random(seed)
        self.words = vocabulary(Random(1))
        self._weights = list(accumulate(1 / rank for rank in range(1, len(self.words) + 1)))
        self._at = 0

    def entries(self, count: int, ids: str) -> Iterator[Entry]:
        """A chain, or its continuation: ids go on where the last call of any chain ended."""
        for _ in range(count):
            self._at += 1
            yield self._entry(f"{ids}{self._at}", BEGIN + self._at * 1_000_000_000)

    def _entry(self, id: str, time: int) -> Entry:
        at, random = self._at, self._random
        text = self._text(60_000 if at % HUGE == 7 else random.randint(6, 24))
        if at % RARE_SUMMARY == 3:
            return Entry(id=id, kind=Kind.COMPACTION, time=time, blocks=(Text(text),))
        if at % RARE_SHELL == 5:
            return Entry(id=id, role=Role.BASH_EXECUTION, name="make check", time=time, blocks=(Text(text),))
        if at % 20 == 0:
            return Entry(id=id, role=Role.USER, time=time, blocks=(Text(text),))
        tool = "browser" if at % RARE_TOOL == 11 else COMMON_TOOLS[at % 4]
        if at % 2:
            return Entry(id=id, role=Role.TOOL_RESULT, tool=tool, time=time, blocks=(Text(f"toolresult {text}"),))
        blocks: tuple[Block, ...] = (Text(text), ToolCall(id, tool, f'{{"path":"src/module_{at % 90}.py"}}'))
        return Entry(id=id, role=Role.ASSISTANT, time=time, blocks=blocks)

    def _text(self, count: int) -> str:
        """Return words, among them one of 400 that begin alike in every entry, and some sentences in Chinese."""
        words = self._random.choices(self.words, cum_weights=self._weights, k=count)
        words += ["the", f"lane{self._random.randrange(400)}"]
        if self._at % 50 == 1:
            words.append("，".join("".join(self._random.choices(CHARACTERS, k=6)) for _ in range(3)))
        return " ".join(words)


def fill(core: Core, count: int) -> None:
    """Add `count` entries to sessions whose names say what is special about them."""
    speech = Speech()
    _long(core, speech, count * 3 // 10)
    _in_turn(core, speech, count // 25)
    chat, fork_of = _session(core, "long-lived"), ""
    while speech._at < count:
        source = f"session-{speech._at}"
        session = _session(core, source)
        _append(core, session, list(speech.entries(ORDINARY, source)))
        if speech._at // ORDINARY % 5 == 0:
            _side_branch(core, session)
            _append(core, session, list(speech.entries(TURN, source)))
            _append(core, chat, list(speech.entries(1, "chat")))
        fork_of = fork_of or source
    _fork(core, speech, fork_of)
    core.store.write(lambda writer: [writer.refresh(session.key) for session in writer.sessions()]).result()


def _long(core: Core, speech: Speech, count: int) -> None:
    session = _session(core, "long")
    for start in range(0, count, BATCH):
        _append(core, session, list(speech.entries(min(BATCH, count - start), "long")))


def _in_turn(core: Core, speech: Speech, count: int) -> None:
    """Write two sessions alternately."""
    pair = _session(core, "turn-1"), _session(core, "turn-2")
    for at in range(0, count, TURN):
        _append(core, pair[at // TURN % 2], list(speech.entries(TURN, "turn")))


def _side_branch(core: Core, session: int) -> None:
    """Leave half of the messages on an abandoned branch."""

    def job(writer: Writer) -> None:
        leaf = writer.session(session).leaf
        assert leaf is not None
        writer.move_leaf(session, writer.tail(leaf, ORDINARY // 2)[0], "continue", time=1)

    core.store.write(job).result()


def _fork(core: Core, speech: Speech, source: str) -> None:
    """A session that shares nearly all of another."""
    fork = _session(core, "fork", parent=source)

    def job(writer: Writer) -> None:
        origin = next(session for session in writer.sessions() if session.source_id == source)
        writer.move_leaf(fork, origin.leaf, "fork", time=1)

    core.store.write(job).result()
    _append(core, fork, list(speech.entries(TURN, "fork")))


def _session(core: Core, source: str, parent: str = "") -> int:
    info = SessionInfo(
        source="stemmata", source_id=source, title=source, cwd=f"/projects/{len(source) % 5}", parent_source_id=parent
    )
    return core.store.write(lambda writer: writer.create_session(info)).result()


def _append(core: Core, session: int, entries: Sequence[Entry]) -> None:
    """Append an entry below the session's leaf and move the leaf to it."""

    def job(writer: Writer) -> None:
        leaf = writer.session(session).leaf
        above = writer.rows([leaf])[leaf].id if leaf else None
        chain = []
        for entry in entries:
            chain.append(replace(entry, parent=above))
            above = entry.id
        writer.move_leaf(session, writer.append(session, chain)[-1], "append", time=1)

    core.store.write(job).result()


def archive_of(work: Path, count: int) -> Path:
    """Return the archive, made once because it takes minutes; the file `done` marks a complete one."""
    from tests.benchmarks.core import core_at

    path = work / f"search-{count}" / "archive.db"
    done = path.with_name("done")
    if not done.exists():
        for old in path.parent.glob("*"):
            old.unlink()
        core = core_at(path)
        fill(core, count)
        core.close()
        done.touch()
    return path
