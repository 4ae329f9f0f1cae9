"""Reading on another thread: the order of the events, the bound of what waits, errors, and the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Record
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, End, Raw, ReadEvent, Repaired, UnusedPart
from stemmata.services.importing import read_ahead
from stemmata.services.importing.read_ahead import EntryGroup, ReadAhead
from tests.fakes.waiting import PATIENCE

BEGIN, END = Begin(SessionInfo(source="s", source_id="1")), End(None)


def entry(id: str, size: int = 10) -> Entry:
    return Entry(id=id, blocks=(Text(id),), record=Record(0, size))


def nothing() -> None:
    """Wait on."""


def same(entries: Sequence[Entry]) -> Sequence[Entry]:
    return entries


def ahead(
    *events: ReadEvent,
    prepare: Callable[[Sequence[Entry]], Sequence[Entry]] = same,
    idle: Callable[[], None] = nothing,
) -> ReadAhead:
    return ReadAhead(lambda: iter(events), prepare, idle)


def test_entries_come_in_groups_behind_their_bytes() -> None:
    raw, repaired, unused = Raw(0, b"x"), Repaired("mended"), UnusedPart("there", "bad")
    a, b, c = entry("a"), entry("b"), entry("c")
    with closing(ahead(BEGIN, a, raw, b, repaired, END, unused, BEGIN, c, END)) as events:
        found = list(events)
    groups = [EntryGroup((a, b)), EntryGroup((c,))]
    taken = [EntryGroup(tuple(each.entries)) if isinstance(each, EntryGroup) else each for each in found]
    assert taken == [BEGIN, raw, repaired, groups[0], END, unused, BEGIN, groups[1], END]


def test_entries_without_an_end_are_handed_over() -> None:
    with closing(ahead(BEGIN, Entry(id="a"))) as events:
        assert [type(event) for event in events] == [Begin, EntryGroup]


@pytest.mark.parametrize(("limit", "value"), [("GROUP", 2), ("GROUP_UNITS", 20)])
def test_a_group_is_bounded(monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> None:
    monkeypatch.setattr(read_ahead, limit, value)
    with closing(ahead(BEGIN, *map(entry, "abcde"), END)) as events:
        assert [len(event.entries) for event in events if isinstance(event, EntryGroup)] == [2, 2, 1]


def test_entries_are_prepared_on_the_other_thread() -> None:
    threads: list[str] = []

    def prepare(entries: Sequence[Entry]) -> Sequence[Entry]:
        threads.append(threading.current_thread().name)
        return [*entries, entry("made")]

    with closing(ahead(BEGIN, entry("a"), END, prepare=prepare)) as events:
        found = list(events)
    assert isinstance(found[1], EntryGroup)
    assert [each.id for each in found[1].entries] == ["a", "made"]
    assert threads == ["import"]


def test_the_reading_waits_while_too_much_waits_to_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "AHEAD", 100)
    read: list[int] = []

    def events() -> Iterator[ReadEvent]:
        for at in range(50):
            read.append(at)
            yield Raw(at * 40, bytes(40))

    with closing(ReadAhead(events, same, nothing)) as taken:
        for at, _ in enumerate(taken):
            assert len(read) <= at + 5  # three wait, one is taken, one is read
    assert len(read) == 50


def test_closing_ends_a_reading_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "AHEAD", 1)
    closed = threading.Event()

    def events() -> Iterator[ReadEvent]:
        try:
            while True:
                yield Raw(0, b"xx")
        finally:
            closed.set()

    with closing(ReadAhead(events, same, nothing)) as taken:
        next(iter(taken))
    assert closed.wait(PATIENCE)


def test_what_was_read_comes_before_the_error_of_the_reading() -> None:
    def events() -> Iterator[ReadEvent]:
        yield BEGIN
        raise ValueError("bad line")

    with closing(ReadAhead(events, same, nothing)) as taken:
        iterator = iter(taken)
        assert next(iterator) == BEGIN
        with pytest.raises(ValueError, match="bad line"):
            next(iterator)


def test_whoever_waits_may_do_something_else() -> None:
    go_on = threading.Event()

    def events() -> Iterator[ReadEvent]:
        assert go_on.wait(PATIENCE)
        yield BEGIN

    with closing(ReadAhead(events, same, go_on.set)) as taken:
        assert list(taken) == [BEGIN]


def test_a_small_source_is_read_by_the_thread_that_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "AHEAD", 1)
    threads: list[str] = []

    def events() -> Iterator[ReadEvent]:
        threads.append(threading.current_thread().name)
        yield from (BEGIN, Raw(0, b"xx"), Raw(2, b"xx"), END)

    with closing(ReadAhead(events, same, nothing, size=read_ahead.SMALL - 1)) as taken:
        assert list(taken) == [BEGIN, Raw(0, b"xx"), Raw(2, b"xx"), END]
    assert threads == [threading.current_thread().name]
