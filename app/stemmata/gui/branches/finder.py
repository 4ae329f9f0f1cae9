"""Searching in the navigator: asks what matches, counts it, goes from match to match."""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, Signal

from stemmata.gui.branches.marks import words_of
from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.branches.search_line import SearchLine

Compute = Callable[[Callable[[], Any], Callable[[Any], None]], None]  # runs a job, delivers its value here
Stopped = Callable[[], bool]  # whether nobody waits for the answer any more; asked in any thread
Find = Callable[[str, Stopped], Collection[int]]  # keys of the entries that match a query


def at_once(job: Callable[[], Any], deliver: Callable[[Any], None]) -> None:
    """Compute on the spot: for small trees and tests."""
    deliver(job())


class Finder(QObject):
    """A query ends those before it; answers that come late all the same are dropped."""

    matched = Signal()
    found = Signal(int)  # key of the match to go to

    def __init__(self, model: BranchesModel, line: SearchLine, compute: Compute, find: Find | None) -> None:
        super().__init__(line)
        self.find = find
        self._model = model
        self._line = line
        self._compute = compute
        self._stop = Event()
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
        self._stop.set()
        stop = self._stop = Event()
        find = self.find
        if not query or find is None:
            self._on_answer(stop, None, "")
        else:
            self._compute(lambda: find(query, stop.is_set), lambda keys: self._on_answer(stop, keys, query))

    def _on_answer(self, stop: Event, keys: Collection[int] | None, query: str) -> None:
        if not stop.is_set():
            self._model.searched = words_of(query)
            self._model.set_matches(keys)
            self.matched.emit()
            self.show_count()
