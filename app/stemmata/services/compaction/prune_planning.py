"""Plans prunings with the content of the entries, which the archive has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stemmata.domain.compaction.duplicates import Duplicate, duplicates_of
from stemmata.domain.compaction.pruning import PruneOccasion, PrunePlan, plan_prune
from stemmata.domain.context.projection import Projection
from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.services.ports.archive import EntrySource
from stemmata.services.whole_entries import whole_entries

PAGE = 64  # bodies in memory at a time


def planned_prune(
    reader: EntrySource, tree: Tree, leaf: int | None, settings: CompactionSettings, occasion: PruneOccasion
) -> PrunePlan:
    """Return the plan of a pruning at an entry (index). Raises NothingToDoError."""

    def find(projection: Projection) -> Sequence[Duplicate]:
        return duplicates_of(projection, ArchiveContents(reader, tree))

    return plan_prune(tree, leaf, settings, occasion, find=find)


class ArchiveContents:
    """Implements `domain.compaction.duplicates.Contents` with the entries of the archive."""

    def __init__(self, reader: EntrySource, tree: Tree) -> None:
        self._reader, self._tree = reader, tree

    def calls(self, replies: Sequence[int]) -> Mapping[int, Sequence[ToolCall]]:
        """Return the tool calls of assistant messages."""
        out = {}
        for start in range(0, len(replies), PAGE):
            keys = {self._tree.key(entry): entry for entry in replies[start : start + PAGE]}
            for key, body in self._reader.bodies(list(keys)).items():
                out[keys[key]] = [block for block in body.blocks if isinstance(block, ToolCall)]
        return out

    def answered(self, results: Sequence[int]) -> Mapping[int, str]:
        """Return the ids of the calls that tool results answer."""
        keys = {self._tree.key(entry): entry for entry in results}
        return {keys[key]: row.call for key, row in self._reader.rows(list(keys)).items()}

    def whole(self, entry: int) -> Entry:
        """Return an entry with its content."""
        [found] = whole_entries(self._reader, self._tree, [entry])
        return found
