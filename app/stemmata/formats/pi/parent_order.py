"""Parents before children: holds entries back until their parent has come, and mends what never fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stemmata.domain.entries.entry import Entry, Flag
from stemmata.domain.entries.session_facts import Repaired
from stemmata.domain.errors import RereadError

HELD_LIMIT = 10_000  # entries held at once; a file that needs more is mended in pieces, memory stays bounded


class Links:
    """A source's entries in, the same entries out with every parent before its children.

    An entry whose parent never comes becomes a root; of a cycle the first entry written does. Both are reported
    and carry the REPAIRED flag. In a sound file every entry passes straight through.

    With `blind`, parents that are not known stand before what is read here: RereadError when one comes after all.
    """

    def __init__(self, *, blind: bool = False) -> None:
        self._blind = blind
        self._believed: set[str] = set()  # parents that are said to stand before
        self._placed: set[str] = set()
        self._held: dict[str, Entry] = {}  # in file order
        self._waiting: dict[str, list[str]] = {}  # parent → held children
        self.has_mended = False  # whether any became a root

    def place(self, entry: Entry) -> Iterator[Entry | Repaired]:
        if entry.id in self._believed:
            raise RereadError(f"{entry.id} comes behind an entry below it.")
        if self._blind and entry.parent not in (None, entry.id) and entry.parent not in self._placed:
            self._believed.add(str(entry.parent))
            yield from self._release(entry)
        elif entry.parent is None or entry.parent in self._placed:
            yield from self._release(entry)
        elif entry.parent == entry.id:
            yield from self._root(entry, "it named itself as its parent")
        else:
            self._held[entry.id] = entry
            self._waiting.setdefault(entry.parent, []).append(entry.id)
            if len(self._held) > HELD_LIMIT:
                yield from self.settle()

    def settle(self) -> Iterator[Entry | Repaired]:
        """Give out all that is still held."""
        ids = list(self._held)
        for entry in [entry for entry in self._held.values() if entry.parent not in self._held]:
            yield from self._root(entry, f"its parent {entry.parent} is not in the file")
        order = {id: at for at, id in enumerate(ids)}
        for id in ids:
            if id in self._held:
                yield from self._root(self._cycle_head(id, order), "its parents formed a cycle")

    def _cycle_head(self, id: str, order: dict[str, int]) -> Entry:
        """Of the cycle at or above a held entry, the member that was written first. All its parents are held."""
        walk: dict[str, None] = {}
        while id not in walk:
            walk[id] = None
            id = str(self._held[id].parent)
        passed = list(walk)
        return self._held[min(passed[passed.index(id) :], key=order.__getitem__)]

    def _root(self, entry: Entry, why: str) -> Iterator[Entry | Repaired]:
        self.has_mended = True
        yield Repaired(f"Entry {entry.id} was attached as a root: {why}.", entry.id)
        self._held.pop(entry.id, None)
        yield from self._release(replace(entry, parent=None, flags=entry.flags | Flag.REPAIRED))

    def _release(self, entry: Entry) -> Iterator[Entry]:
        ready = [entry]
        while ready:
            entry = ready.pop()
            self._placed.add(entry.id)
            yield entry
            if self._waiting:
                children = self._waiting.pop(entry.id, ())
                ready.extend(self._held.pop(id) for id in reversed(children) if id in self._held)
