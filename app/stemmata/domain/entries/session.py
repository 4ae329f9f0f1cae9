"""One session of the archive, in a module of its own: the first window shows sessions and needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session as the list shows it. Times in ns. `leaf` and `key` are store keys."""

    key: int
    id: str  # our id: short, unique, stable
    source: str
    source_id: str
    title: str  # the given name, else the first prompt's first line, else ""
    named: bool  # whether the title was given
    cwd: str
    parent: int | None  # key of the session it was forked from or spawned by
    leaf: int | None
    created_at: int
    updated_at: int
    entries: int
    branches: int  # without what is in the trash
    compactions: int
    context_tokens: int | None  # at the leaf; see `context_kind`
    context_kind: str  # reported | estimated | unknown
    model: str  # "provider/model" in force at the leaf, or ""
    cost: int  # millionths of a dollar over all branches
    starred: bool = False
    archived: bool = False
    trashed: bool = False
    tags: tuple[str, ...] = ()
    path: str = ""  # source file, "" for sessions made here
    details: str = ""
