"""The selection of the navigator: the current row and further selected rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stemmata.gui.branches.model import BranchesModel


class BranchesSelection:
    """The selected rows, stored as entry keys, so that they survive changes of the rows.

    It is a range of rows from an anchor to the current row, and rows added one by one.
    """

    def __init__(self, model: BranchesModel) -> None:
        self._model = model
        self._current: int | None = None
        self._anchor: int | None = None
        self._picked: frozenset[int] = frozenset()  # entries added one by one, without the current one
        self._picked_rows: frozenset[int] = frozenset()

    @property
    def current(self) -> int | None:
        """Key of the current entry, None for none."""
        return self._current

    @property
    def current_row(self) -> int | None:
        """The current row, None for none."""
        return self._model.row_of(self._current)

    def refresh(self) -> None:
        """Find the selected rows again after the rows have changed."""
        rows = map(self._model.row_of, self._picked)
        self._picked_rows = frozenset(row for row in rows if row is not None)

    # -- changing ---------------------------------------------------------------------------------------------

    def choose(self, key: int | None) -> None:
        """Select only this entry (key)."""
        self._current = self._anchor = key
        self._pick(frozenset())

    def extend(self, key: int) -> None:
        """Select the range from the anchor to this entry (key)."""
        self._current = key
        self._pick(frozenset())

    def toggle(self, row: int) -> None:
        """Add a row to the selection, or remove it unless it is the only one."""
        keys = {at: self._model.key(at) for at in self.rows}
        if row not in keys:
            self._current = self._model.key(row)
        elif len(keys) > 1:
            del keys[row]
            self._current = keys[min(keys, key=lambda at: abs(at - row))]
        self._anchor = self._current
        self._pick(frozenset(keys.values()) - {self._current})

    def _pick(self, keys: frozenset[int]) -> None:
        self._picked = keys
        self.refresh()

    # -- asking -----------------------------------------------------------------------------------------------

    @property
    def _run(self) -> range:
        current, anchor = self.current_row, self._model.row_of(self._anchor)
        if current is None:
            return range(0)
        if anchor is None:
            return range(current, current + 1)
        return range(min(current, anchor), max(current, anchor) + 1)

    @property
    def rows(self) -> Sequence[int]:
        """All selected rows, ascending."""
        run = self._run
        return sorted(self._picked_rows.union(run)) if self._picked_rows else run

    @property
    def is_many(self) -> bool:
        """Whether more than one row is selected."""
        run = self._run
        return len(run) > 1 or any(row not in run for row in self._picked_rows)

    def within(self, rows: Iterable[int]) -> frozenset[int]:
        """Return the selected rows among these rows."""
        run = self._run
        return frozenset(row for row in rows if row in run or row in self._picked_rows)

    def __contains__(self, row: object) -> bool:
        return row in self._picked_rows or row in self._run
