"""Finds text in the open session: the matches on the displayed path, and the number of those on other branches.

The entries are searched on the db thread, slice by slice, beginning with the visible ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.growing import Numbers
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError
from stemmata.domain.search.finding import entries_off_path, occurrences
from stemmata.domain.search.needle import Needle, TextNeedle, terms_needle, text_needle
from stemmata.domain.search.terms import Term, terms_of
from stemmata.gui.core.actions import State
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.transcript.find_bar import FindBar, FindOptions
from stemmata.services.futures import then


class FoundMatches:
    """The number of occurrences at each position of a path, with sums for slices, which count a million fast."""

    def __init__(self, length: int, size: int) -> None:
        """Create empty slices. `length` is the number of positions of the path, `size` that of a slice."""
        self._size = size
        self._slices: list[dict[int, int]] = [{} for _ in range(-(-length // size))]
        self._sums = [0] * len(self._slices)

    @property
    def total(self) -> int:
        """The number of matches found so far."""
        return sum(self._sums)

    def add(self, slice: int, found: Mapping[int, int]) -> None:
        """Store the occurrences that were found in a slice: their number by position."""
        self._slices[slice] = dict(sorted(found.items()))
        self._sums[slice] = sum(found.values())

    def count(self, at: int) -> int:
        """Return the number of occurrences in the entry at a position."""
        return self._slices[at // self._size].get(at, 0)

    def before(self, at: int) -> int:
        """Return the number of occurrences in all entries before a position."""
        slice = at // self._size
        inside = self._slices[slice] if slice < len(self._slices) else {}
        return sum(self._sums[:slice]) + sum(count for place, count in inside.items() if place < at)

    def next(self, at: int) -> int | None:
        """Return the first position with an occurrence from `at` on, continuing at the start; None without any."""
        if not self.total:
            return None
        for slice in range(at // self._size, len(self._slices)):
            found = next((place for place in self._slices[slice] if place >= at), None)
            if found is not None:
                return found
        return self.next(0)

    def previous(self, at: int) -> int | None:
        """Return the last position with an occurrence before `at`, continuing from the end; None without any."""
        if not self.total:
            return None
        for slice in range(min(at // self._size, len(self._slices) - 1), -1, -1):
            found = next((place for place in reversed(self._slices[slice]) if place < at), None)
            if found is not None:
                return found
        return self.previous(len(self._slices) * self._size)

    def order(self, near: int) -> list[int]:
        """Return all slices in search order: the slice around a position, the later ones, then the earlier ones."""
        first = min(near // self._size, max(len(self._slices) - 1, 0))
        return [*range(first, len(self._slices)), *range(first - 1, -1, -1)]


SLICE = 1024  # entries: some 4 MB of text, looked through in about 30 ms
PAUSE_MS = 300  # after the session has changed
UNSEEN = frozenset(map(int, (Kind.LABEL, Kind.PIN, Kind.SESSION_INFO, Kind.CUSTOM)))


@dataclass(slots=True)
class Search:
    """The state of a search for one needle on one path."""

    needle: Needle
    tree: Tree
    path: Numbers
    matches: FoundMatches
    anchor: int  # position at or below which the first match is wanted, else the nearest one above it
    jumps: bool  # whether to go to that match once it is known
    is_here: Callable[[], bool]  # whether the user has chosen no entry since the search began
    slices: list[int] = field(default_factory=list)  # slices that were not searched yet
    others: list[int] | None = None  # entries of other branches that are not searched yet
    elsewhere: dict[int, int] = field(default_factory=dict)  # occurrences on other branches, by key

    @property
    def is_finished(self) -> bool:
        """Whether all slices were searched."""
        return not self.slices

    def first_match(self) -> int | None:
        """Return the position of the match to go to first; None while it is not known, and without any match."""
        at = self.matches.next(self.anchor)
        if at is None or at >= self.anchor:
            return at
        all_below = not self.slices or self.slices[0] * SLICE < self.anchor
        return self.matches.previous(self.anchor) if all_below else None


OnFound = Callable[[Search, dict[int, int]], None]


class FindController(QObject):
    """Finds text in the open session and steps through the matches."""

    hidden_found = Signal()  # a wanted match is in an entry that the transcript does not show
    unmarked_found = Signal()  # a wanted match is in words that the transcript does not show

    def __init__(self, shared: WindowContext, theme: Theme, column: TranscriptColumn) -> None:
        super().__init__(column)
        self._services, self._entries = shared.services, shared.services.entries
        self._bridge, self._actions = shared.bridge, shared.actions
        self._opened, self._theme, self._column = shared.opened, theme, column
        self._view = column.view
        self._bar: FindBar | None = None
        self._run = LatestOnly()
        self._search: Search | None = None
        self._group = (-1, -1)  # positions of the entries of the card that was gone to
        self._first = -1  # position of the entry from which the numbers in that card count
        self._number = 0  # number of the current match in that card
        self._again = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._again.timeout.connect(self._search_again)
        self._asked: tuple[str, tuple[Term, ...]] = "", ()  # the words of a search in the archive, and its terms
        self._is_of_results = False  # whether the results of a search opened the find bar, and nobody used it since
        self._unmarked: Needle | None = None  # a pattern that is marked when the first part was searched
        self._problem = ""  # why nothing is searched
        self._wanted: int | None = None  # key of the entry to go to when its path is shown
        self._arriving = QTimer(self, singleShot=True, interval=0)
        self._arriving.timeout.connect(self._go_to_wanted)
        self._going = TurnSteps(self)  # the find bar and the wanted match, after the path of its entry
        shared.opened.started.connect(self._on_started)
        shared.opened.tree_read.connect(self._on_path_changed)
        shared.opened.view_changed.connect(self._on_path_changed)

    @property
    def bar(self) -> FindBar:
        """The find bar, created on first use."""
        if self._bar is None:
            self._bar = bar = FindBar(self._theme)
            self._column.put_bar(bar)
            bar.query_changed.connect(self._on_query_changed)
            bar.step_requested.connect(self.step)
            bar.elsewhere_requested.connect(self._go_elsewhere)
            bar.closed.connect(self._on_closed)
        return self._bar

    def show_in(self, column: TranscriptColumn) -> None:
        """Move the find bar to the column that shows the open session, and search there from now on."""
        self._going.finish()
        self._forget()
        self._column, self._view = column, column.view
        if self._bar is not None:
            is_open = not self._bar.isHidden()
            column.put_bar(self._bar)
            if is_open:
                self._bar.show()
                self._again.start()

    def open(self) -> None:
        """Show the find bar and give it the keyboard focus."""
        self._going.finish()
        self._is_of_results = False
        self.bar.open()
        self._actions.set_state(State.FINDING)
        if self.bar.query:
            self._start(jumps=False)

    def close(self) -> None:
        """Hide the find bar and the highlighted matches."""
        if self._bar is not None and not self._bar.isHidden():
            self._bar.close_bar()

    def leave_results(self) -> None:
        """Close the find bar if the results of a search opened it, unless the person has used it since."""
        if self._is_of_results:
            self._going.finish()
            self._wanted = None  # of a session that is still being read: it is shown at its entry anyway
            self.close()

    def find_at(self, key: int, words: str, *, of_results: bool = False) -> None:
        """Go to the first match of a search's words in an entry (key), also while its session is being opened.

        The matches of every word are marked, and the find bar steps on from there. With `of_results`, a find bar that
        this opens is closed with the results.
        """
        self._going.stop()
        self._asked, self._wanted = (words, tuple(terms_of(words))), key
        if not self._asked[1]:
            self._wanted = None
            self.close()
            return
        is_open = self._bar is not None and not self._bar.isHidden()
        if not is_open:
            self._is_of_results = of_results
        is_shown = self._opened.shown_tree is not None
        if is_shown and not is_open:  # laying out the path, the bar above it and the match takes longer than a frame
            self._going.start(self._show_asked, self._go_to_wanted)
            return
        self._show_asked()
        if is_shown:
            self._go_to_wanted()

    def _show_asked(self) -> None:
        """Show the find bar with the words of the search in the archive."""
        self.bar.show_query(self._asked[0])
        self._actions.set_state(State.FINDING)

    def _go_to_wanted(self) -> None:
        key, self._wanted = self._wanted, None
        at = None if key is None else self._view.finding.position(key)
        if at is None:
            self.close()  # another session was chosen while that of the hit was read
        else:
            self._start(jumps=False, anchor=at, at_once=False)
            self._go(at, exact=True, then=partial(self._on_wanted_shown, at))

    def _on_wanted_shown(self, at: int) -> None:
        """Count the matches, and show a notice if the transcript shows no mark in the entry of the hit."""
        self._tell_unmarked(at)
        # after a long text of the hit was read: the person waits for that text, and not for the count
        self._bridge.when_done(self._entries.bodies([]), lambda _none: self._search_further(), run=self._run)

    def _tell_unmarked(self, at: int) -> None:
        """Show a notice if the transcript shows no mark in the entry to which the search went."""
        if not self._view.finding.is_displayed(at):
            self.hidden_found.emit()
        elif not self._view.finding.is_marked:
            self.unmarked_found.emit()

    def _on_query_changed(self, _text: str) -> None:
        self._is_of_results = False
        self._start(jumps=True)

    def _needle(self) -> Needle:
        """Return the needle of the find bar.

        A regular expression is marked only after the first part of the session was searched in time on the db thread.
        """
        (words, terms), text, options = self._asked, self.bar.query, self.bar.options
        if text and text == words and options == FindOptions():
            return terms_needle(terms)
        if not options.pattern or not text:
            return text_needle(text, case=options.case, word=options.word)
        try:
            make = partial(self._services.pattern, text, case=options.case, word=options.word)
            self._unmarked = make(patient=False)
            return make(patient=True)
        except KnownError as error:
            self._problem = str(error)
            return TextNeedle()

    def _on_failed(self, error: Exception) -> None:
        """Stop a search that takes too long, and say so."""
        self._forget()
        self._problem = str(error)
        self._tell()

    def _on_started(self) -> None:
        """Close the find bar when another session is opened, unless a match in it is wanted."""
        self._arriving.stop()
        if self._going.is_active:  # the wanted entry is in the previous session
            self._going.stop()
            self._wanted = None
        if self._wanted is None:
            self.close()

    def step(self, by: int) -> None:
        """Go to the next match (`by` 1) or to the previous one (-1)."""
        self._is_of_results = False
        self._going.finish()
        self._view.finding.finish()
        search = self._search
        if search is None or not search.matches.total or not self._is_on_shown_path(search):
            return
        if self._group[0] < 0:
            at = search.matches.next(search.anchor) if by > 0 else search.matches.previous(search.anchor)
            self._go(at, last=by < 0)
            return
        first, end = self._group
        number = self._view.finding.step(by, search.matches.before(end) - search.matches.before(first))
        if number is not None:
            self._tell(number)
        else:
            self._go(search.matches.next(end) if by > 0 else search.matches.previous(first), last=by < 0)

    # -- looking through -------------------------------------------------------------------------------------------

    def _start(self, *, jumps: bool, anchor: int | None = None, at_once: bool = True) -> None:
        """Start a new search for the text of the find bar. Without `at_once` the caller starts the search itself."""
        self._run.cancel()
        self._again.stop()
        self._problem = ""
        session_tree, self._unmarked = self._opened.session_tree, None
        needle = self._needle()
        if self._unmarked is None:
            self._view.finding.mark(needle)
        self._group = (-1, -1)
        self._search = None
        if needle and session_tree is not None:
            path = self._opened.path
            at = self._top_position() if anchor is None else anchor
            matches = FoundMatches(len(path), SLICE)
            is_here, order = self._opened.selection_check(), matches.order(at)
            self._search = Search(needle, session_tree.tree, path, matches, at, jumps, is_here, order)
            if at_once:
                self._search_further()
        self._tell()

    def _search_again(self) -> None:
        """Search the path that is shown now. If the previous search had not yet gone to its match, the new one goes
        to it, unless the user has chosen an entry meanwhile.
        """
        self._view.finding.finish()
        search = self._search
        self._start(jumps=search is not None and search.jumps and search.is_here())

    def _search_further(self) -> None:
        search = self._search
        if search is None:
            return
        if search.slices:
            start = search.slices[0] * SLICE
            self._scan(search, list(search.path[start : start + SLICE]), self._on_slice)
        elif search.others is None:
            future = self._entries.bodies([])  # a turn on the db thread
            others = then(future, lambda _none: entries_off_path(search.tree, search.path))
            self._bridge.when_done(others, self._on_others, run=self._run)
        elif search.others:
            part, search.others = search.others[:SLICE], search.others[SLICE:]
            self._scan(search, part, self._on_elsewhere)

    def _scan(self, search: Search, entries: list[int], on_found: OnFound) -> None:
        columns = search.tree.columns
        keys = [columns.key[entry] for entry in entries if self._is_shown(search.tree, entry)]
        named = {columns.key[entry] for entry in entries if columns.role[entry] == int(Role.BASH_EXECUTION)}
        count, is_wanted = partial(occurrences, needle=search.needle), self._run.next_is_wanted()
        found = self._entries.counts(keys, count, named=named, is_wanted=is_wanted)
        self._bridge.when_done(found, partial(on_found, search), self._on_failed, run=self._run)

    def _is_shown(self, tree: Tree, entry: int) -> bool:
        columns = tree.columns
        return columns.kind[entry] not in UNSEEN and not columns.flags[entry] & int(Flag.HIDDEN)

    def _on_slice(self, search: Search, found: dict[int, int]) -> None:
        if self._unmarked is not None:
            self._view.finding.mark(self._unmarked)
            self._unmarked = None
        slice = search.slices.pop(0)
        if found:
            start = slice * SLICE
            keys, columns = search.path[start : start + SLICE], search.tree.columns
            places = {columns.key[entry]: start + at for at, entry in enumerate(keys)}
            search.matches.add(slice, {places[key]: count for key, count in found.items()})
        if search.jumps and search.is_here():
            at = search.first_match()
            if at is not None and self._is_on_shown_path(search):
                search.jumps = False
                self._go(at)
        self._tell()
        self._search_further()

    def _on_others(self, others: list[int]) -> None:
        if self._search is not None:
            self._search.others = others
            self._search_further()

    def _on_elsewhere(self, search: Search, found: dict[int, int]) -> None:
        search.elsewhere |= found
        self.bar.show_elsewhere(sum(search.elsewhere.values()))
        self._search_further()

    # -- going there -----------------------------------------------------------------------------------------------

    def _top_position(self) -> int:
        """Return the position of the topmost visible entry on the path."""
        keys = self._view.visible_keys
        if not keys or self._opened.shown_tree is None:
            return 0
        return self._view.finding.position(keys[0]) or 0

    def _is_on_shown_path(self, search: Search) -> bool:
        """Whether the searched path is displayed. A newly displayed path is searched a moment later."""
        position = self._view.finding.position
        ends = {0, len(search.path) - 1} if len(search.path) else set()
        return all(position(search.tree.columns.key[search.path[at]]) == at for at in ends)

    def _go(
        self,
        at: int | None,
        *,
        last: bool = False,
        exact: bool = False,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Go to a match in the entry at a position, in a long card over several turns; call `then` at the end."""
        if at is not None:
            first, end = self._group = self._view.finding.extent(at)
            matches = self._search.matches if self._search is not None else None
            count = matches.before(end) - matches.before(first) if matches is not None else 1
            arrived = partial(self._on_arrived, then)
            self._view.finding.go_in_turns(at, arrived, last=last, count=count, exact=exact)

    def _on_arrived(self, then: Callable[[], None], number: int) -> None:
        self._first = self._view.finding.first
        self._tell(number)
        then()

    def _tell(self, number: int | None = None) -> None:
        """Show the number of the current match in the find bar. `number` is its number in its card, from 0."""
        search = self._search
        if search is None:
            if self._problem:
                self.bar.show_problem(self._problem)
            else:
                self.bar.show_count(None, None)
            self.bar.show_elsewhere(0)
            return
        if number is not None:
            self._number = number
        first, end = self._group
        place = None
        if first >= 0:
            before, behind = search.matches.before(first), search.matches.before(end)
            place = min(max(search.matches.before(self._first) + self._number, before) + 1, behind)
        self.bar.show_count(place, search.matches.total, more=not search.is_finished)
        self.bar.show_elsewhere(sum(search.elsewhere.values()))

    def _go_elsewhere(self) -> None:
        """Show the next branch that contains the text, and search there."""
        search = self._search
        if search is not None and search.elsewhere:
            key = next(iter(search.elsewhere))
            self._opened.view_entry(key)
            self._start(jumps=True, anchor=self._view.finding.position(key) or 0)

    def _on_path_changed(self) -> None:
        if self._going.is_active:
            return  # the wanted match is gone to in a later turn anyway
        if self._view.finding.is_going and self._search is not None:
            self._view.finding.stop()
            self._search.jumps = True  # to the match of the interrupted step, on the path that is shown now
        if self._wanted is not None:
            # in a turn of its own, since to show a tree and to mark a match in its cards take longer than a frame
            self._arriving.start()
        elif self._search is not None:
            self._again.start()

    def _forget(self) -> None:
        self._run.cancel()
        self._again.stop()
        self._search = None
        self._view.finding.mark(TextNeedle())

    def _on_closed(self) -> None:
        self._forget()
        self._actions.set_state(State.FINDING, on=False)
