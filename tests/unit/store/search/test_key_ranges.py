"""Searches with times, models and images leave out the ranges of keys that cannot fit."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.search.hits import UnreadHit
from stemmata.domain.search.query import parse
from stemmata.store.core import key_ranges
from stemmata.store.core.key_ranges import MOST_RANGES, PLACE, ranges_of
from stemmata.store.schema.migrations import MIGRATIONS
from stemmata.store.search import search as search_module
from tests.unit.store.conftest import Filled

NOW = datetime(2026, 11, 25)
DAY = 86_400_000_000_000
COUNT = 3 * PLACE


def entry(at: int) -> Entry:
    """Return an entry of a chain: a day each, a model for each range, an image in the first range alone."""
    picture = (Image("image/png", "0" * 64, 1),) if at == 5 else ()
    model = f"model-{at // PLACE}"
    return Entry(
        id=str(at), role=Role.ASSISTANT, model=model, time=at * DAY, blocks=(Text(f"word n{at % 10}"), *picture)
    )


@pytest.fixture
def long(filled: Filled) -> Filled:
    filled.append(filled.session(), [entry(at) for at in range(1, COUNT)])
    return filled


def compared(filled: Filled, text: str) -> tuple[list[int], int]:
    """Return the keys that a search finds, and the number of keys in the ranges that it looks at."""
    looked: list[range] = []

    def below(ranges: Any, end: int) -> Any:
        parts = [range(part.start, min(part.stop, end)) for part in ranges if part.start < end]
        looked.extend(parts)
        return parts

    def job(reader: Any) -> list[int]:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(search_module, "_ranges_below", below)
            return [match.entry for match in reader.find(parse(text, NOW)).found]

    return filled.archive.read(job).result(), sum(map(len, looked))


def test_only_ranges_that_can_fit_are_compared(long: Filled) -> None:
    assert compared(long, "n3 before:1970-01-10") == ([3], PLACE)
    assert compared(long, "word has:image") == ([5], PLACE)
    keys, seen = compared(long, "n1 model:Model-1")
    assert (keys[-1], keys[0], seen) == (1031, 2041, PLACE)
    assert compared(long, "n1 model:model-1 has:image") == ([], 0)
    newest, seen = compared(long, "n1 after:1978-05-20")
    assert (min(newest), seen) == (3061, PLACE)
    assert compared(long, "n1 after:2000") == ([], 0)


def test_many_sessions_are_looked_for_between_their_first_and_last_entries(
    long: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "FEW_SESSIONS", 0)
    other = long.session("two", source="codex")
    long.session("empty", source="codex")
    long.append(other, [Entry(id="z", role=Role.USER, blocks=(Text("word"),))])
    assert compared(long, "word source:codex") == ([COUNT], PLACE)


def test_a_search_that_ends_in_a_range_goes_on_in_the_next(long: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "SCANNED", PLACE // 2)
    query = parse("n7 model:model-0,model-2 role:reply", NOW)
    whole = long.archive.read(lambda reader: reader.find(query)).result().found
    found: list[UnreadHit] = []
    rest: int | None = None
    steps = 0
    while steps == 0 or rest is not None:
        part = long.archive.read(lambda reader, at=rest: reader.find(query, seconds=-1, below=at)).result()  # type: ignore[misc]
        found += part.found
        rest, steps = part.rest, steps + 1
    assert found == list(whole)
    assert len(found) == 204
    assert steps > 1


def test_adjacent_places_are_one_range() -> None:
    assert ranges_of([2, 0, 3]) == [range(2 * PLACE, 4 * PLACE), range(PLACE)]
    assert ranges_of([]) == []


def test_many_ranges_become_a_few_where_the_gaps_are_smallest() -> None:
    far, near = range(0, 16 * 100, 100), [*range(0, 16 * 100, 100), 3, 702]
    assert ranges_of(far) == [range(place * PLACE, (place + 1) * PLACE) for place in reversed(far)]
    found = ranges_of(near)
    assert len(found) == MOST_RANGES
    assert found[-1] == range(4 * PLACE)
    assert range(700 * PLACE, 703 * PLACE) in found
    assert len(ranges_of(range(0, 1000, 10))) <= MOST_RANGES


def test_later_entries_widen_a_range(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [Entry(id="a", role=Role.USER, time=9 * DAY, blocks=(Text("word"),))])
    filled.append(session, [Entry(id="b", role=Role.USER, time=2 * DAY, blocks=(Text("word"),))])
    query = "SELECT place, model, earliest, latest, images FROM key_ranges"
    rows = filled.archive.read(lambda reader: reader.connection.execute(query).fetchall()).result()
    assert rows == [(0, "", 2 * DAY, 9 * DAY, 0)]


def test_an_archive_of_an_older_format_gets_its_ranges(long: Filled, path: Path) -> None:
    query = "SELECT * FROM key_ranges ORDER BY place, model"
    long.archive.close()
    step = next(step for step in MIGRATIONS if step.__name__ == "_key_ranges")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        before = connection.execute(query).fetchall()
        connection.execute("DROP TABLE key_ranges")
        step(connection)
        assert connection.execute(query).fetchall() == before
    assert len(before) == COUNT // PLACE


def test_the_ranges_are_those_of_the_migration() -> None:
    assert key_ranges.BITS == 10  # in the text of a migration, which is never edited
