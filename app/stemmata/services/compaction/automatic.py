"""Facts about the automatic compactions of a branch: which they are, how much they gained, and why they repeat."""

from __future__ import annotations

import json

from stemmata.domain.compaction.advice import Cause, Gain, causes_of
from stemmata.domain.context.breakdown import CompactionSettings
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.services.compaction.compaction import Compaction
from stemmata.services.context.contexts import ContextView
from stemmata.services.ports.archive import ArchiveReader

TRIGGERS = frozenset({"threshold", "before-request", "overflow"})


def automatic_compactions(reader: ArchiveReader, tree: Tree, line: PathTotals) -> list[int]:
    """Return the positions of the automatic compactions on a path. Runs on the db thread."""
    own = [
        at
        for at in range(len(line))
        if line.kinds[at] == Kind.COMPACTION and tree.columns.flags[line.path[at]] & Flag.OWN
    ]
    bodies = reader.bodies([tree.key(line.path[at]) for at in own])
    triggers = {key: json.loads(body.details or "{}").get("trigger") for key, body in bodies.items()}
    return [at for at in own if triggers.get(tree.key(line.path[at])) in TRIGGERS]


def gain_of(reader: ArchiveReader, view: ContextView, done: Compaction) -> Gain:
    """Return the gain of an automatic compaction that is about to be stored. `view` is the context before it."""
    line = view.projection.path_totals
    earlier = automatic_compactions(reader, line.tree, line)
    replies = None
    if earlier:
        replies = sum(1 for at in range(earlier[-1], view.projection.end) if line.roles[at] == Role.ASSISTANT)
    return Gain(done.before.total.value or 0, done.after.total.value or 0, replies)


def repeated_causes(
    reader: ArchiveReader, view: ContextView, done: Compaction, settings: CompactionSettings
) -> tuple[Cause, ...]:
    """Return why an automatic compaction followed another so soon, or brings so little; empty when it does not."""
    if not gain_of(reader, view, done).is_repeated:
        return ()
    return causes_of(view.budget, settings, view.breakdown)
