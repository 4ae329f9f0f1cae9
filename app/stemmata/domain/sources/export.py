"""The session that an export writes, and the entries that its format cannot hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.session import Session


class ExportSource(Protocol):
    """A session that is exported. Entries are given by their indices in the tree."""

    @property
    def session(self) -> Session:
        """The facts about the session."""
        ...

    @property
    def parent(self) -> Session | None:
        """The facts about the session that this one was forked from or spawned by; None for none."""
        ...

    @property
    def tree(self) -> Tree:
        """The tree of the session."""
        ...

    @property
    def leaf(self) -> int | None:
        """The index of the leaf; None for the start of the session."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether the person asked for all branches. A format that shows one branch then shows all."""
        ...

    def raw(self) -> Iterator[bytes]:
        """Yield the bytes of the source file in chunks; nothing for a part, or for a session without a source."""
        ...

    def rows(self, entries: Sequence[int]) -> list[EntryRow]:
        """Return the rows of the entries at these indices, in this order."""
        ...

    def bodies(self, entries: Sequence[int]) -> list[Body]:
        """Return the bodies of the entries at these indices, in this order."""
        ...

    def records(self, entries: Sequence[int]) -> list[bytes | None]:
        """Return the records of entries in the source file; None for an entry without one."""
        ...

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes of an image or attachment; None when the archive does not contain them."""
        ...


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The numbers of entries that an export in a format lacks.

    `others` are on branches that it does not show, `trashed` are in the trash. `unsent` are in the file, but the tool
    that reads it neither shows nor sends them.
    """

    others: int = 0
    trashed: int = 0
    unsent: int = 0
