"""Reads the rows and bodies of entries for a viewport, in pages, and caches them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.tool_calls.kinds import details_of
from stemmata.services.ports.archive import Pages

PAGE = 64  # keys per call, limited by the store on the GUI thread
MOST_CHARACTERS = 4_000_000
MOST_ENTRIES = 300  # several screens; reading an entry again takes a fraction of a millisecond
LEAST_ENTRIES = 16  # kept regardless of their length: about one viewport
UNCUT = 1 << 30
PICTURE_HEAD = 64_000  # bytes: room for the metadata that cameras write before a picture


@dataclass(frozen=True, slots=True)
class LoadedEntry:
    """The row and the body of an entry, which a card shows."""

    row: EntryRow
    body: Body

    @property
    def details(self) -> Mapping[str, Any]:
        """The structured details; empty when there are none, or when they are too long to be read at each layout."""
        return details_of(self.body.details)


class PageCache:
    """Caches the entries used last, limited by their number and their characters."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._entries: OrderedDict[int, LoadedEntry] = OrderedDict()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def characters(self) -> int:
        """The number of characters in the cached bodies."""
        return self._characters

    def load(self, keys: Iterable[int]) -> bool:
        """Read the entries that are not cached; return False when all were cached."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._entries]
        for start in range(0, len(missing), PAGE):
            self._read(missing[start : start + PAGE])
        return bool(missing)

    def get(self, key: int) -> LoadedEntry | None:
        """Return the entry, from the cache or the archive; None when the archive does not have it."""
        if key not in self._entries:
            self._read([key])
        loaded = self._entries.get(key)
        if loaded is not None:
            self._entries.move_to_end(key)
        return loaded

    def uncut(self, loaded: LoadedEntry) -> LoadedEntry:
        """Return the entry with its blocks at full length; the result is not cached."""
        if not loaded.body.cut:
            return loaded
        bodies = self._pages.bodies([loaded.row.key], limit=UNCUT)
        return LoadedEntry(loaded.row, bodies.get(loaded.row.key, loaded.body))

    def blob(self, digest: str) -> bytes | None:
        """Return the blob with this digest; None when the archive does not have it."""
        return self._pages.blob(digest)

    def blob_head(self, digest: str) -> bytes | None:
        """Return the first PICTURE_HEAD bytes of a blob, enough to find a picture's size; None when it is missing."""
        return self._pages.blob_head(digest, PICTURE_HEAD)

    def rows(self, keys: Sequence[int]) -> list[EntryRow]:
        """Return the rows of entries without bodies, in the order of the keys, without deleted entries."""
        found: dict[int, EntryRow] = {}
        for start in range(0, len(keys), PAGE):
            found |= self._pages.rows(keys[start : start + PAGE])
        return [found[key] for key in keys if key in found]

    def clear(self) -> None:
        """Remove all entries from the cache."""
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
            case UnknownBlock():
                total += len(block.json)
            case Image():
                pass
    return total
