"""What a summary is written from."""

from __future__ import annotations

from collections.abc import Sequence

from stemmata.domain.compaction.operations import Operations
from stemmata.domain.compaction.operations_json import from_details
from stemmata.domain.compaction.plan import Plan
from stemmata.domain.compaction.summary.summary import SummaryInput
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.session_facts import whole_entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.ports.archive import ArchiveReader


def material_of(reader: ArchiveReader, tree: Tree, plan: Plan, focus: str) -> SummaryInput:
    previous, operations = "", Operations()
    if plan.previous is not None:
        [entry] = whole_entries(reader, tree, [plan.previous])
        previous = "\n".join(block.text for block in entry.blocks if isinstance(block, Text))
        operations = from_details(entry.details)
    return SummaryInput(
        entries=tuple(whole_entries(reader, tree, plan.summarised)),
        turn_prefix=tuple(whole_entries(reader, tree, plan.turn_prefix)),
        previous=previous,
        previous_operations=operations,
        focus=focus,
    )


def whole_entries(reader: ArchiveReader, tree: Tree, entries: Sequence[int]) -> list[Entry]:
    keys = [tree.key(entry) for entry in entries]
    rows, bodies = reader.rows(keys), reader.bodies(keys)
    missing = [key for key in keys if key not in rows or key not in bodies]
    if missing:
        raise NotFoundError(Phrase("Entry {0} has no content in the archive. Run `stemmata check`.", str(missing[0])))
    return [whole_entry(rows[key], bodies[key]) for key in keys]
