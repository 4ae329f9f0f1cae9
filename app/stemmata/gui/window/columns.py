"""The splitter with the four columns: resizes, hides and shows them, and saves and restores their widths.

In a window too narrow for readable columns, some columns fold automatically; they return when the window is wider.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QWidget

from stemmata.gui.core.turns import TurnSteps, paint_in_turns
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.surface import Surface, set_surface


def neighbour(focused: QWidget | None, columns: Sequence[QWidget], *, forward: bool) -> QWidget | None:
    """Return the widget that Tab moves the focus to; None to use Qt's own order."""
    if focused is None or QGuiApplication.styleHints().tabFocusBehavior() != Qt.TabFocusBehavior.TabFocusAllControls:
        return None
    stops = sorted(_stops(focused), key=lambda stop: _column(stop, columns))
    if focused not in stops or len(stops) == 1:
        return None
    return stops[(stops.index(focused) + (1 if forward else -1)) % len(stops)]


def widgets_at_left(widgets: Iterable[QWidget], width: int) -> list[QWidget]:
    """Return the first of the widgets that are not hidden and together have a width, in pixels."""
    out: list[QWidget] = []
    for widget in widgets:
        if not widget.isHidden() and sum(each.width() for each in out) < width:
            out.append(widget)
    return out


def first_stop(column: QWidget) -> QWidget | None:
    """Return the first widget of the column that Tab can focus; None when it has none."""
    return next((stop for stop in _stops(column) if column.isAncestorOf(stop)), None)


def _stops(inside: QWidget) -> list[QWidget]:
    """Return all widgets of the window that Tab can focus, from top to bottom and in the direction of reading.

    Not by `nextInFocusChain`: PySide6 6.11 deletes the widget that it returns together with the Python reference. Not
    by `findChildren`: PySide makes all that it returns children of the window, also a menu that Qt made for a field
    and deletes when it is closed; then the program ends with a segmentation fault when the window is deleted.
    """
    window = inside.window()
    stops = [
        widget
        for widget in QApplication.allWidgets()
        if widget.isVisible()  # first: most widgets are on hidden pages
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and widget.isEnabled()
        and widget.window() is window
    ]
    places = {stop: stop.mapTo(window, stop.rect().center()) for stop in stops}
    rows: list[list[QWidget]] = []
    for stop in sorted(stops, key=lambda stop: places[stop].y()):
        if not rows or places[stop].y() - places[rows[-1][0]].y() > ROW:
            rows.append([])
        rows[-1].append(stop)
    sign = -1 if window.isRightToLeft() else 1
    return [stop for row in rows for stop in sorted(row, key=lambda stop: sign * places[stop].x())]


def _column(widget: QWidget, columns: Sequence[QWidget]) -> int:
    """Return the index of the column that holds the widget; `len(columns)` for a widget outside of the columns."""
    return next((at for at, column in enumerate(columns) if column.isAncestorOf(widget)), len(columns))


def shared(room: int, wanted: Sequence[int], least: Sequence[int], stretch: Sequence[int]) -> list[int]:
    """Return column widths that add up to `room`, in pixels.

    Room beyond the `wanted` widths is distributed in proportion to `stretch`. Missing room is taken from the columns
    in proportion to their width above the `least` one. When even the `least` widths exceed the room, all columns
    shrink in proportion to them.
    """
    over = room - sum(wanted)
    if over >= 0:
        return _distribute(over, wanted, stretch)
    spare = [max(have - need, 0) for have, need in zip(wanted, least, strict=True)]
    if sum(spare) < -over:
        return _distribute(room, [0] * len(least), least)
    return _distribute(over, wanted, spare)


def _distribute(amount: int, base: Sequence[int], parts: Sequence[int]) -> list[int]:
    """Return the `base` widths with `amount` added in proportion to `parts`; the sum is exact to the pixel."""
    out, left, rest = [], amount, sum(parts)
    for width, part in zip(base, parts, strict=True):
        share = round(left * part / rest) if rest else 0
        out.append(width + share)
        left, rest = left - share, rest - part
    return out


ROW = 8  # pixels: widgets whose middles differ by no more are on one line
NAMES, STRETCH = metrics.COLUMN_NAMES, metrics.COLUMN_STRETCH
FOLDING = ("context", "sessions")  # the columns that fold, in this order
TRANSCRIPT, CONTEXT = NAMES.index("transcript"), NAMES.index("context")  # indices among the columns
BRANCHES = NAMES.index("branches")
WORKBENCH = 1  # page index in the last column; page 0 is the context


class ColumnSplitter(QSplitter):
    """Sessions, branches, transcript and, at the right, context or the workbench.

    At first only the sessions are real; `put` replaces the placeholders of the other columns.
    """

    about_to_change = Signal()  # other columns are shown, or all have other widths
    results_left = Signal()  # the user shows the branches, which the search results cover
    shown_changed = Signal()  # a column folded or returned automatically
    focus_left = Signal()  # the column that has the focus is about to fold

    def __init__(self, theme: Theme, sessions: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setObjectName("columns")
        self.setHandleWidth(metrics.BORDER)
        self.setChildrenCollapsible(False)
        self._theme = theme
        self._wanted = dict.fromkeys(NAMES, True)
        self._folded: set[str] = set()  # hidden automatically, because the window is too narrow
        self._covered: set[str] = set()  # hidden while search results are shown, until the user shows it
        self._kept: set[str] = set()  # shown by the user although the window is too narrow
        self._chosen: list[int] = []  # widths set by the user; a hidden column keeps its last width
        self._chosen_split: list[int] = []  # the chosen widths while the view is split
        self._chosen_results: list[int] = []  # the chosen widths while search results are shown
        self._results: QWidget | None = None
        self._second = QStackedWidget()  # the branches, or the search results in their place
        set_surface(self._second, "bg")  # as the branches, in whose place it is seen while they are hidden
        self._side = QStackedWidget()
        self._sides = QSplitter(Qt.Orientation.Horizontal)  # the transcript, and a second one while the view is split
        self._sides.setHandleWidth(metrics.BORDER)
        self._sides.setChildrenCollapsible(False)
        set_surface(self._sides, "bg")
        self._sides.addWidget(_place("bg"))  # without a widget, Qt would let the inner splitter have no width
        made: dict[str, QWidget] = {
            "sessions": sessions, "branches": self._second, "transcript": self._sides, "context": self._side,
        }  # fmt: skip
        self._columns = [made.get(name) or _place("panel") for name in NAMES]
        set_surface(self._side, "panel")
        for at, widget in enumerate(self._columns):
            self.addWidget(widget)
            self.setStretchFactor(at, STRETCH[at])
        self._second.lower()  # screen readers read it first
        self._painting = TurnSteps(self)
        self._fit()
        self.setSizes([theme.px(width) for width in metrics.COLUMNS])
        self.splitterMoved.connect(self._on_moved)
        theme.room_changed.connect(self._fit_all)

    def put(self, name: str, widget: QWidget) -> None:
        """Set the content of a column; for the last column, `put_beside` does."""
        if name == "transcript":
            before = self._sides.replaceWidget(0, widget)
            self._share()
            if before is not None:
                before.deleteLater()
            return
        if name == "branches":
            self._second.insertWidget(0, widget)
            if not self.in_results:
                self._second.setCurrentIndex(0)
            return
        at = NAMES.index(name)
        before = self.replaceWidget(at, widget)
        self._columns[at] = widget
        self.setStretchFactor(at, STRETCH[at])
        self._fit()
        self._share()
        if before is not None:
            before.deleteLater()

    def put_other_side(self, widget: QWidget) -> None:
        """Add a second transcript beside the first, as wide as the first, and hide it."""
        widget.hide()
        self._sides.addWidget(widget)
        for at in range(self._sides.count()):
            self._sides.setStretchFactor(at, 1)

    def share_sides(self) -> None:
        """Give both transcripts the same width; `join_sides` restores the widths of the other columns."""
        self.about_to_change.emit()
        self.fold_again()
        half = self._sides.width() // 2
        self._sides.setSizes([half, half])

    def join_sides(self) -> None:
        """Restore the column widths from before the split; to be called after the second transcript is hidden."""
        self.about_to_change.emit()
        self._chosen_split = []
        self.fold_again()

    def at_left(self, width: int) -> list[QWidget]:
        """Return the first visible columns that together have a width, in pixels."""
        return widgets_at_left(self._columns, width)

    @property
    def in_results(self) -> bool:
        """Whether search results are shown in place of the branches."""
        return self._results is not None and self._second.currentWidget() is self._results

    @property
    def second(self) -> QWidget:
        """The parent of the branches and of the search results."""
        return self._second

    def set_results(self, results: QWidget, *, on: bool) -> None:
        """Show search results in place of the branches, and the context only when asked for; or return to both."""
        if self._results is None:
            self._results = results
            self._second.addWidget(results)
        if on == self.in_results:
            return
        self.about_to_change.emit()
        self._second.setCurrentIndex(self._second.indexOf(results) if on else 0)
        self._covered = {"context"} if on else set()
        self._kept.clear()
        self._fold(anew=True)

    @property
    def beside(self) -> QWidget:
        """The parent of the pages that `put_beside` adds: a page that is made without it is styled twice."""
        return self._side

    def put_beside(self, widget: QWidget) -> None:
        """Add a page to the last column: first the context, then the workbench."""
        self._side.addWidget(widget)

    def neighbour(self, focused: QWidget | None, *, forward: bool) -> QWidget | None:
        """Return the widget that Tab moves the focus to; None to use Qt's own order."""
        return neighbour(focused, self._columns, forward=forward)

    def _on_moved(self) -> None:
        if not self.in_workbench:
            widths = [now or before for now, before in zip(self.sizes(), self._widths(), strict=True)]
            if self.in_results:
                self._chosen_results = widths
            elif self._sides_shown > 1:
                self._chosen_split = widths
            else:
                self._chosen = widths

    def _widths(self) -> list[int]:
        """Return the preferred widths: those set by the user, else the default ones."""
        if self.in_results and self._sides_shown == 1:
            return self._chosen_results or [self._theme.px(width) for width in metrics.RESULTS_COLUMNS]
        widths = self._chosen or [self._theme.px(width) for width in metrics.COLUMNS]
        if self._sides_shown == 1:
            return widths
        least = self._need("transcript")
        return self._chosen_split or [max(w, least) if at == TRANSCRIPT else w for at, w in enumerate(widths)]

    @property
    def _sides_shown(self) -> int:
        return max(1, sum(side is not None and not side.isHidden() for side in map(self._sides.widget, range(2))))

    def _fit_all(self) -> None:
        self._fit()
        self._fold()

    def _share(self) -> None:
        """Set the column widths from the preferred ones, which a smaller window does not change."""
        widths = [*self._widths()]
        shown = [at for at, name in enumerate(NAMES) if self._takes_room(name)]
        room = self.width() - metrics.BORDER * (len(shown) - 1)
        least = [self._comfort(NAMES[at]) for at in shown]
        parts = shared(room, [widths[at] for at in shown], least, [STRETCH[at] for at in shown])
        for at, width in zip(shown, parts, strict=True):
            widths[at] = width
        self.setSizes(widths)

    def _fit(self) -> None:
        """Set the minimum widths of the columns; they grow with the text size, within the width of the screen."""
        room = max(self.screen().availableSize().width(), self.width())
        wanted = [self._theme.px(least) for least in metrics.COLUMN_MINIMUMS]
        if self.in_results:
            wanted[BRANCHES] = self._theme.px(metrics.RESULTS_MINIMUM)
        wanted[TRANSCRIPT] = metrics.COLUMN_MINIMUMS[TRANSCRIPT]  # the lines of the transcript can break anywhere
        shown = [at for at, name in enumerate(NAMES) if self._takes_room(name)]
        if sum(wanted[at] for at in shown) > room:
            parts = sum(metrics.COLUMN_MINIMUMS[at] for at in shown)
            wanted = [min(width, room * metrics.COLUMN_MINIMUMS[at] // parts) for at, width in enumerate(wanted)]
        for widget, width, least in zip(self._columns, wanted, metrics.COLUMN_MINIMUMS, strict=True):
            widget.setMinimumWidth(max(least, width))

    @property
    def in_workbench(self) -> bool:
        """Whether the last column shows the workbench instead of the context."""
        return self._side.currentIndex() == WORKBENCH

    def is_shown(self, name: str) -> bool:
        """Return whether the user shows the column and it is not folded."""
        if self.in_results and name == "branches":
            return False
        return self._takes_room(name)

    def _takes_room(self, name: str) -> bool:
        """Return whether a column is visible."""
        if self.in_results and name == "branches":
            return True
        return self._wanted[name] and name not in self._folded and name not in self._covered

    def set_shown(self, name: str, *, on: bool) -> None:
        """Show or hide a column; the last visible one stays. A folded column is shown even without enough room."""
        if not on and sum(map(self.is_shown, NAMES)) == 1:
            return
        if on and name == "branches" and self.in_results:
            self.results_left.emit()
        self._wanted[name] = on
        self._folded.discard(name)
        self._covered.discard(name)
        if on:
            self._kept.add(name)
        self.about_to_change.emit()
        self._apply()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width. Qt's own share would lay out every column a first time, only to be replaced."""
        self._fit()
        if self.in_workbench or not self.width():
            super().resizeEvent(event)
        else:
            self._fold()

    def fold_again(self) -> None:
        """Decide again which columns fold, including those that the user had shown despite the lack of room."""
        self._kept.clear()
        self._fold()

    def _fold(self, *, anew: bool = False) -> None:
        """Fold the columns that do not fit into the window, and show those that fit again.

        With `anew`, the set of visible columns changes, whether or not columns fold. The columns are laid out once.
        """
        if self.in_workbench or not self.width():
            if anew:
                self._apply()
                self.shown_changed.emit()
            return
        folded = self._without_room()
        if folded != self._folded or anew:
            self._leave_focus(folded | self._covered)
            self._folded = folded
            self._apply()
            self.shown_changed.emit()
        else:
            self._share()
        if self._columns[TRANSCRIPT].width() < self._need("transcript"):
            self._make_room()

    def _without_room(self) -> set[str]:
        """Return the columns that do not fit into the window beside the others, without those that the user keeps."""
        room = self.width()
        left = [name for name in NAMES if self._wanted[name] or (name == "branches" and self.in_results)]
        left = [name for name in left if name not in self._covered]
        if sum(map(self._comfort, left)) <= room:
            self._kept.clear()
        folded: set[str] = set()
        for name in FOLDING:
            needed = sum(map(self._comfort if name == "context" else self._need, left))
            if name in left and name not in self._kept and needed > room and len(left) > 1:
                left.remove(name)
                folded.add(name)
        return folded

    def _leave_focus(self, going: set[str]) -> None:
        """Announce that a column with the focus will be hidden; afterwards Qt gives the focus to the next widget."""
        focused = QApplication.focusWidget()
        columns = [self._columns[NAMES.index(name)] for name in going]
        if focused is not None and any(column.isAncestorOf(focused) for column in columns):
            self.focus_left.emit()

    def _make_room(self) -> None:
        """Narrow the other columns until the transcript has its minimum width."""
        if not self.is_shown("transcript"):
            return
        shown = {name: widget for name, widget in zip(NAMES, self._columns, strict=True) if self._takes_room(name)}
        widths = {name: max(widget.width(), widget.minimumWidth()) for name, widget in shown.items()}
        widths["transcript"] = 0
        lacking = self._need("transcript") - (self.width() - sum(widths.values()))
        for name in reversed(NAMES):
            if name in shown and name != "transcript":
                taken = min(max(lacking, 0), widths[name] - shown[name].minimumWidth())
                widths[name], lacking = widths[name] - taken, lacking - taken
        widths["transcript"] = self.width() - sum(widths.values())
        self.setSizes([widths.get(name, 0) for name in NAMES])

    def _need(self, name: str) -> int:
        """Return the minimum usable width of a column, in pixels; for the transcript, of all its visible sides."""
        least = self._columns[NAMES.index(name)].minimumWidth()
        if name != "transcript":
            return least
        return self._sides_shown * max(least, self._theme.px(metrics.READABLE))

    def _comfort(self, name: str) -> int:
        """Return the width, in pixels, below which another column folds; for the branches more than `_need`."""
        readable = metrics.READABLE_RESULTS if self.in_results else metrics.READABLE_BRANCHES
        return max(self._need(name), self._theme.px(readable) if name == "branches" else 0)

    def paint_in_turns(self) -> None:
        """Paint the columns one after the other, the transcript first, because all of them are about to change."""
        first = self._columns[TRANSCRIPT]
        paint_in_turns(sorted(self._columns, key=lambda column: column is not first), self._painting)

    def set_workbench(self, *, on: bool) -> None:
        """Show only the previewed transcript and the workbench, or return to the columns."""
        if on == self.in_workbench:
            return
        self.about_to_change.emit()
        self._side.setCurrentIndex(WORKBENCH if on else 0)
        self._side.setMinimumWidth(self._theme.px(metrics.COLUMN_MINIMUMS[CONTEXT]))
        self._apply()
        if on:
            side = min(self._theme.px(metrics.WORKBENCH), self.width() // 2)
            widths = {"transcript": self.width() - side, "context": side}
            self.setSizes([widths.get(name, 0) for name in NAMES])
        else:
            self._fold()

    def save(self, settings: QSettings) -> None:
        """Save the widths and the visible columns."""
        if self._chosen:
            settings.setValue("columns/widths", " ".join(map(str, self._chosen)))
        settings.setValue("columns/shown", " ".join(name for name in NAMES if self._wanted[name]))

    def restore(self, settings: QSettings) -> None:
        """Restore the saved widths and visible columns; invalid values are ignored."""
        widths, shown = settings.value("columns/widths"), settings.value("columns/shown")
        numbers = [int(width) for width in widths.split() if width.isdecimal()] if isinstance(widths, str) else []
        if len(numbers) == len(NAMES):
            self._chosen = numbers
        names = set(shown.split()) & set(NAMES) if isinstance(shown, str) else set()
        if names:
            self._wanted = {name: name in names for name in NAMES}
        self._apply()

    def _apply(self) -> None:
        is_first = True
        for at, (name, widget) in enumerate(zip(NAMES, self._columns, strict=True)):
            in_workbench = name in ("transcript", "context")
            is_on = in_workbench if self.in_workbench else self._takes_room(name)
            widget.setVisible(is_on)
            # Qt would show the handles later, and then lay out all columns a second time for their width
            self.handle(at).setVisible(is_on and not is_first)
            is_first = is_first and not is_on
        if not self.in_workbench:
            self._fit()
            self._share()


def _place(surface: Surface) -> QWidget:
    out = QWidget()
    set_surface(out, surface)
    return out
