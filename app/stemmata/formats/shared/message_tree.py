"""Yield the entries of a conversation whose messages name their parents, parents before children.

A message becomes one entry or several, each the child of the previous one; its answers are children of the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from stemmata.domain.entries.entry import Entry, Flag
from stemmata.domain.sources.reading import Blob, End, ReadEvent, Repaired
from stemmata.formats.shared.forest import placed
from stemmata.formats.shared.free_ids import with_free_id


def tree_events(
    parents: Mapping[str, str | None],
    children: Mapping[str, Sequence[str]],
    entries_of: Callable[[str], Iterable[Entry | Blob]],
    current: str,
) -> Iterator[ReadEvent]:
    """Yield the entries of all messages, their repairs, and the end.

    `entries_of` returns the entries of a message, at least one, without parents. `parents` and `children` are as
    `forest.placed` takes them. A further entry of a message gets another id where its own is taken. The leaf is the
    message `current`; without it, the latest entry.
    """
    ends: dict[str, str] = {}  # message → the last of its entries
    taken = set(parents)
    latest: tuple[int, str] | None = None
    for place in placed(parents, children):
        if place.repair:
            yield Repaired(place.repair, place.id)
        above = None if place.parent is None else ends[place.parent]
        flags = Flag.REPAIRED if place.repair else Flag.NONE
        for one in entries_of(place.id):
            if isinstance(one, Blob):
                yield one
                continue
            entry = with_free_id(one, place.id, taken)
            yield replace(entry, parent=above, flags=entry.flags | flags)
            above, flags = entry.id, Flag.NONE
            ends[place.id] = entry.id
            if latest is None or entry.time >= latest[0]:
                latest = (entry.time, entry.id)
    yield End(leaf=ends.get(current) or (latest and latest[1]), leaf_known=True)
