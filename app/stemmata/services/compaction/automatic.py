"""Facts about the automatic compactions of a branch: which they are, how much they gained, and why they repeat."""

from __future__ import annotations

import json

from stemmata.domain.compaction.advice import Cause, Gain, causes_of
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.services.compaction.request import Compaction
from stemmata.services.context.contexts import ContextView
from stemmata.services.ports.archive import ArchiveReader

TRIGGERS = frozenset({"threshold", "before-request", "overflow"})


def last_automatic_compaction(reader: ArchiveReader, tree: Tree, line: PathTotals) -> int | None:
    """Return the position of the last automatic compaction on a path, None without one. Runs on the db thread.

    Compactions are read one by one from the end of the path: a long session has thousands, and the details of each
    list up to 1,000 files.
    """
    at = line.kinds.rfind(Kind.COMPACTION)
    while at >= 0:
        if tree.columns.flags[line.path[at]] & Flag.OWN:
            key = tree.key(line.path[at])
            if json.loads(reader.bodies([key])[key].details or "{}").get("trigger") in TRIGGERS:
                return at
        at = line.kinds.rfind(Kind.COMPACTION, 0, at)
    return None


def gain_of(reader: ArchiveReader, view: ContextView, done: Compaction) -> Gain:
    """Return the gain of an automatic compaction that is about to be stored. `view` is the context before it."""
    line = view.projection.path_totals
    last = last_automatic_compaction(reader, line.tree, line)
    replies = None
    if last is not None:
        replies = sum(1 for at in range(last, view.projection.end) if line.roles[at] == Role.ASSISTANT)
    return Gain(done.before.total.value or 0, done.after.total.value or 0, replies)


def repeated_causes(
    reader: ArchiveReader, view: ContextView, done: Compaction, settings: CompactionSettings
) -> tuple[Cause, ...]:
    """Return why an automatic compaction followed another so soon, or brings so little; empty when it does not."""
    if not gain_of(reader, view, done).is_repeated:
        return ()
    return causes_of(view.budget, settings, view.breakdown)
