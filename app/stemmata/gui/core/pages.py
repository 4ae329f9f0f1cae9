"""The rows and bodies a viewport needs, read a page at a time and kept while they may be looked at again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stemmata.domain.entries.blocks import Image, Opaque, Text, Thinking, ToolCall
from stemmata.domain.entries.session_facts import Body, EntryRow
from stemmata.services.ports.archive import Pages

PAGE = 64  # keys a call: what the store allows on the window's thread
MOST_CHARACTERS = 4_000_000
MOST_ENTRIES = 300  # several screens; reading an entry again takes a fraction of a millisecond
LEAST_ENTRIES = 16  # kept however long they are: about what a viewport shows
UNCUT = 1 << 30
PICTURE_HEAD = 64_000  # bytes: what cameras write in front of a picture


@dataclass(frozen=True, slots=True)
class LoadedEntry:
    """An entry as far as a card needs it."""

    row: EntryRow
    body: Body


class PageCache:
    """Keeps the entries used last, within a bound on their number and on their characters."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._entries: OrderedDict[int, LoadedEntry] = OrderedDict()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def characters(self) -> int:
        return self._characters

    def load(self, keys: Iterable[int]) -> bool:
        """Read those of the entries that are not here yet; False when all were."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._entries]
        for start in range(0, len(missing), PAGE):
            self._read(missing[start : start + PAGE])
        return bool(missing)

    def get(self, key: int) -> LoadedEntry | None:
        """The entry, read when it is not here; None when the archive has it no more."""
        if key not in self._entries:
            self._read([key])
        loaded = self._entries.get(key)
        if loaded is not None:
            self._entries.move_to_end(key)
        return loaded

    def uncut(self, loaded: LoadedEntry) -> LoadedEntry:
        """The entry with its blocks at full length; not kept."""
        if not loaded.body.cut:
            return loaded
        bodies = self._pages.bodies([loaded.row.key], limit=UNCUT)
        return LoadedEntry(loaded.row, bodies.get(loaded.row.key, loaded.body))

    def blob(self, digest: str) -> bytes | None:
        return self._pages.blob(digest)

    def blob_head(self, digest: str) -> bytes | None:
        """As much of it as tells the size of a picture."""
        return self._pages.blob_head(digest, PICTURE_HEAD)

    def rows(self, keys: Sequence[int]) -> list[EntryRow]:
        """Rows alone, in the order of the keys; those that are gone are left out."""
        found: dict[int, EntryRow] = {}
        for start in range(0, len(keys), PAGE):
            found |= self._pages.rows(keys[start : start + PAGE])
        return [found[key] for key in keys if key in found]

    def clear(self) -> None:
        self._entries.clear()
        self._characters = 0

    def _read(self, keys: Sequence[int]) -> None:
        rows, bodies = self._pages.rows(keys), self._pages.bodies(keys)
        for key in keys:
            if key in rows:
                body = bodies.get(key, Body(key, ()))
                self._entries[key] = LoadedEntry(rows[key], body)
                self._characters += _characters(body)
        while self._is_too_full():
            _, dropped = self._entries.popitem(last=False)
            self._characters -= _characters(dropped.body)

    def _is_too_full(self) -> bool:
        count = len(self._entries)
        return count > MOST_ENTRIES or (self._characters > MOST_CHARACTERS and count > LEAST_ENTRIES)


def _characters(body: Body) -> int:
    total = len(body.details)
    for block in body.blocks:
        match block:
            case Text() | Thinking():
                total += len(block.text)
            case ToolCall():
                total += len(block.arguments)
            case Opaque():
                total += len(block.json)
            case Image():
                pass
    return total
