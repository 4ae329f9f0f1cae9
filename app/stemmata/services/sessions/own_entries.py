"""Entries that Stemmata creates: flagged as its own and appended below the branch's tip."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from stemmata.domain.compaction.pruning import PrunePlan
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.steps import Fact
from stemmata.domain.text.phrases import Phrase, to_data
from stemmata.services.ports.archive import ArchiveReader, ArchiveWriter, Clock
from stemmata.services.whole_entries import no_such_entry

MARKS = {Fact.LABEL: Kind.LABEL, Fact.PIN: Kind.PIN, Fact.DELETED: Kind.TRASH}  # the kinds of entry that mark another


def own_entry(clock: Clock, kind: Kind, **facts: Any) -> Entry:
    """Create an entry with the current time and the flag OWN. `facts` are further fields."""
    flags = facts.pop("flags", Flag.NONE) | Flag.OWN
    return Entry(id=clock.new_id(), kind=kind, time=clock.now(), flags=flags, **facts)


def note_entry(clock: Clock, text: str, **facts: object) -> Entry:
    """Create a note, which is shown in the transcript and never sent. `facts` are stored in its details.

    A phrase is stored with its template and values, so that the window can translate it.
    """
    kept = dict(facts)
    if isinstance(text, Phrase):
        kept["phrase"] = to_data(text)
    return own_entry(
        clock, Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="note", blocks=(Text(text),), flags=Flag.EXCLUDED,
        details=json.dumps(kept, ensure_ascii=False) if kept else "",
    )  # fmt: skip


def prune_entry(clock: Clock, parent: str, boundary: str, kept: Iterable[str] = ()) -> Entry:
    """Create a pruning below the entry `parent` of the tool results up to the entry `boundary`; both are ids.

    The results of the tools `kept` stay whole. They are stored in the entry, so that a later change of the settings
    changes no session.
    """
    return own_entry(clock, Kind.TOOL_PRUNE, parent=parent, target=boundary, name="\n".join(kept))


def ids_in(reader: ArchiveReader, tree: Tree) -> Callable[[int], str]:
    """Return a function for the source id of an entry of the tree. It reads single rows: a long session has many."""

    @cache
    def id_of(entry: int) -> str:
        key = tree.key(entry)
        return reader.rows([key])[key].id

    return id_of


def prune_entries(clock: Clock, id_of: Callable[[int], str], plan: PrunePlan) -> list[Entry]:
    """Create the entries of a pruning, each below the previous one. `id_of` returns the source id of a tree's entry.

    Only the last mark of a duplicate has a card, which shows the number of all duplicates.
    """
    out = []
    if plan.boundary is not None:
        out.append(prune_entry(clock, id_of(plan.parent), id_of(plan.boundary), plan.kept))
    for number, each in enumerate(plan.duplicates, 1):
        is_last = number == len(plan.duplicates)
        mark = own_entry(
            clock, Kind.OMISSION, target=id_of(each.entry), name=each.reason.text,
            parent=out[-1].id if out else id_of(plan.parent), flags=Flag.NONE if is_last else Flag.HIDDEN,
            details=json.dumps({"by": id_of(each.by), "number": number}),
        )  # fmt: skip
        out.append(mark)
    return out


def mark_entry(writer: ArchiveWriter, clock: Clock, session: int, id: str, kind: Kind, name: str) -> None:
    """Append a mark (a label, a pin, a trash mark) below the entry with this source id, which it marks."""
    writer.append(session, [own_entry(clock, kind, parent=id, target=id, name=name)])


def put_below(
    writer: ArchiveWriter, clock: Clock, session: int, entry: Entry, tip: int | None, reason: str = "append"
) -> int:
    """Append an entry below `tip` (None appends a root) and return its key.

    A leaf at `tip` moves to the new entry, for this reason. Raises NotFoundError when `tip` is gone.
    """
    row = None if tip is None else writer.rows([tip]).get(tip)
    if tip is not None and row is None:
        raise no_such_entry(tip)
    parent = None if row is None else row.id
    [key] = writer.append(session, [replace(entry, parent=parent)])
    if writer.session(session).leaf == tip:
        writer.move_leaf(session, key, reason, time=clock.now())
    return key
