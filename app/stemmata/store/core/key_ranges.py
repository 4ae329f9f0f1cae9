"""Ranges of keys with the times, models and images of their entries, so that a search skips other ranges.

The full-text index does not know these facts. Without the ranges, a search for a time long ago or for a model that is
rarely used would compare every entry that has the words. Keys ascend with time in most archives, and a model is used
for many entries in a row, so most ranges are left out. After entries were deleted, a range may still list their
times, models and images.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import orjson

BITS = 10
MOST_RANGES = 16  # a query of a range takes about a quarter of a millisecond
PLACE = 1 << BITS  # keys of a range; a *place* is a key divided by it


def note_keys(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Add new entries, given by key, to the ranges."""
    connection.execute(_NOTE, (first, last))


def note_keys_anew(connection: sqlite3.Connection) -> None:
    """Compute the ranges again from all entries."""
    connection.execute("DELETE FROM key_ranges")
    note_keys(connection, 0, (1 << 63) - 1)


def places_where(
    connection: sqlite3.Connection, conditions: Sequence[str], values: Mapping[str, object]
) -> list[int]:
    """Return the places of the ranges that meet all conditions: SQL on `earliest`, `latest`, `model` and `images`."""
    query = f"SELECT json_group_array(DISTINCT place) FROM key_ranges WHERE {' AND '.join(conditions)}"
    found: list[int] = orjson.loads(connection.execute(query, values).fetchone()[0])
    return found


def places_of_sessions(connection: sqlite3.Connection, sessions: Sequence[int]) -> set[int]:
    """Return the places between the first and the last entry of each session."""
    out: set[int] = set()
    for first, last in connection.execute(_EXTENTS, (orjson.dumps(list(sessions)).decode(),)).fetchall():
        if first is not None:
            out.update(range(first >> BITS, (last >> BITS) + 1))
    return out


def ranges_of(places: Iterable[int]) -> list[range]:
    """Return the keys at these places as ranges, the last ones first; adjacent places are one range.

    There are at most MOST_RANGES: of more, those with the smallest gaps between them become one, since each range is
    a query of the full-text index.
    """
    found = sorted(places, reverse=True)
    steps = sorted((after - before for after, before in pairwise(found)), reverse=True)
    longest = max((1, *steps[MOST_RANGES - 1 : MOST_RANGES]))  # a longer step leads to another range
    out: list[range] = []
    for place in found:
        if out and out[-1].start - place * PLACE <= longest * PLACE:
            out[-1] = range(place * PLACE, out[-1].stop)
        else:
            out.append(range(place * PLACE, (place + 1) * PLACE))
    return out


_NOTE = f"""
    INSERT INTO key_ranges (place, model, earliest, latest, images)
    SELECT key >> {BITS} AS place, model, min(time), max(time), max(images > 0)
    FROM entries WHERE key BETWEEN ? AND ? GROUP BY 1, 2
    ON CONFLICT (place, model) DO UPDATE SET
        earliest = min(earliest, excluded.earliest), latest = max(latest, excluded.latest),
        images = max(images, excluded.images)"""
_EXTENTS = """
    SELECT (SELECT min(key) FROM entries WHERE session = value), (SELECT max(key) FROM entries WHERE session = value)
    FROM json_each(?)"""
