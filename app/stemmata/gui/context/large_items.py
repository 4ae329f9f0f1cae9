"""The words for the largest entries of a context: who, and what about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stemmata.domain.context.breakdown import Breakdown, Item
from stemmata.domain.entries.blocks import ToolCall, arguments_of
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.session_facts import EntryRow
from stemmata.domain.entries.tree import ROOT, Tree
from stemmata.gui.cards.tool_line import main_argument, within
from stemmata.gui.context.largest import LargeItem
from stemmata.gui.widgets.context_words import tr
from stemmata.services.ports.archive import Pages

LONGEST_NAME = 20  # characters of a tool or note
LOOK_BACK = 64  # results after one call at most: models ask for a handful at once


class LargeItems:
    """A result is told by what was asked for; one session's calls are remembered, as steps through time ask again."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._tree: Tree | None = None
        self._asked: dict[int, str] = {}

    def of(self, tree: Tree, items: Sequence[Item], scale: Breakdown, folder: str) -> list[LargeItem]:
        """The lines for these entries, those of no size left out. `folder` is the session's."""
        if tree is not self._tree:
            self._tree, self._asked = tree, {}
        items = [item for item in items if item.tokens > 0]
        keys = [tree.key(item.entry) for item in items]
        rows = self._pages.rows(keys)
        self._look_up(tree, [(item.entry, rows[key]) for item, key in zip(items, keys, strict=True) if key in rows])
        return [
            LargeItem(key, _who(rows[key])[:LONGEST_NAME], self._what(rows[key], folder), scale.scaled(item.tokens))
            for item, key in zip(items, keys, strict=True)
            if key in rows
        ]

    def _what(self, row: EntryRow, folder: str) -> str:
        return within(folder, self._asked.get(row.key, "")) or row.preview

    def _look_up(self, tree: Tree, shown: Sequence[tuple[int, EntryRow]]) -> None:
        """Read the calls of those results that are not known yet."""
        results = [(at, row) for at, row in shown if row.role is Role.TOOL_RESULT and row.key not in self._asked]
        callers = {row.key: tree.key(caller) for at, row in results if (caller := _caller(tree, at)) is not None}
        bodies = self._pages.bodies(sorted(set(callers.values()))) if callers else {}
        for _, row in results:
            body = bodies.get(callers.get(row.key, ROOT))
            calls: Mapping[str, ToolCall] = {}
            if body is not None:
                calls = {block.id: block for block in body.blocks if isinstance(block, ToolCall)}
            self._asked[row.key] = main_argument(arguments_of(calls[row.call])) if row.call in calls else ""


def _caller(tree: Tree, result: int) -> int | None:
    """The reply that asked for this result."""
    entry = tree.parents[result]
    for _ in range(LOOK_BACK):
        if entry < 0 or tree.role(entry) is Role.ASSISTANT:
            break
        entry = tree.parents[entry]
    return entry if entry >= 0 and tree.role(entry) is Role.ASSISTANT else None


def _who(row: EntryRow) -> str:
    if row.kind is Kind.COMPACTION:
        return tr("Summary")
    match row.role:
        case Role.USER:
            return tr("You")
        case Role.ASSISTANT:
            return tr("Assistant")
        case Role.TOOL_RESULT:
            return row.tool or tr("Tool")
        case Role.BASH_EXECUTION:
            return "bash"
    return row.name or tr("Note")
