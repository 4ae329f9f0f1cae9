"""Searching in the navigator: asks what matches, counts it, goes from match to match."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from PySide6.QtCore import QObject, Signal

from stemmata.gui.models.branches import BranchesModel
from stemmata.gui.views.branches_search import SearchLine

Compute = Callable[[Callable[[], Any], Callable[[Any], None]], None]  # runs a job, delivers its value here
Find = Callable[[str], Collection[int]]  # keys of the entries that match a query


def at_once(job: Callable[[], Any], deliver: Callable[[Any], None]) -> None:
    """Compute on the spot: for small trees and tests."""
    deliver(job())


class Finder(QObject):
    """Answers to earlier queries that come late are dropped."""

    matched = Signal()
    found = Signal(int)  # key of the match to go to

    def __init__(self, model: BranchesModel, line: SearchLine, compute: Compute, find: Find | None) -> None:
        super().__init__(line)
        self.find = find
        self._model = model
        self._line = line
        self._compute = compute
        self._run = 0
        line.query_changed.connect(self._on_query_changed)

    def jump(self, row: int | None, step: int) -> None:
        """Go to the match after or before this row."""
        match = self._model.next_match(row, step)
        if match is not None:
            key, number = match
            self.found.emit(key)
            self.show_count(number)

    def show_count(self, number: int | None = None) -> None:
        self._line.set_count(number, self._model.match_count)

    def _on_query_changed(self, query: str) -> None:
        self._run += 1
        run, find = self._run, self.find
        if not query or find is None:
            self._on_answer(run, None)
        else:
            self._compute(lambda: find(query), lambda keys: self._on_answer(run, keys))

    def _on_answer(self, run: int, keys: Collection[int] | None) -> None:
        if run == self._run:
            self._model.set_matches(keys)
            self.matched.emit()
            self.show_count()
