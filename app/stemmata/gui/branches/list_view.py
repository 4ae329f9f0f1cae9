"""The list of the navigator: rows of equal height, of which only the visible ones are painted."""

from __future__ import annotations

from collections.abc import Sequence
from time import thread_time

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from stemmata.gui.branches.graph import BranchGraph
from stemmata.gui.branches.keys import STEPS, Move, meaning
from stemmata.gui.branches.minimap import Minimap
from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.branches.row import BranchRowPainter
from stemmata.gui.branches.row_pictures import RowPictures, RowState
from stemmata.gui.branches.selection import BranchesSelection
from stemmata.gui.branches.words import empty_text, figures, tr
from stemmata.gui.core.actions import ColumnKeys
from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.theme import metrics
from stemmata.gui.theme.covers import hidden_widgets_left_alone
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.items_accessible import ItemsInterface
from stemmata.gui.widgets.labels import label, show_plain_tip
from stemmata.gui.widgets.skeleton import LENGTHS

FOLLOWED_EVERY_MS = 40  # least milliseconds between two marks of the read row while the transcript scrolls
PREPARED = 6  # rows at least whose pictures are painted in a turn
PAINTING = 0.002  # seconds a turn for rows that can be shown as they were in another width
PREPARING = 0.002  # seconds a turn for pictures of the rows that the list is about to show


class BranchesItems:
    """The rows of the list, as `ItemsInterface` reads them for screen readers."""

    def __init__(self, view: BranchesList, model: BranchesModel) -> None:
        self._view = view
        self._model = model

    def count(self) -> int:
        """Return the number of rows."""
        return len(self._model)

    def current(self) -> int | None:
        """Return the current row, None for none."""
        return self._view.selected_row

    def is_selected(self, index: int) -> bool:
        """Return whether the row is selected."""
        return index in self._view.selection

    def place(self, index: int) -> QRect:
        """Return the rectangle of the row in the viewport."""
        return self._view.row_rect(index)

    def at(self, point: QPoint) -> int | None:
        """Return the row at a point of the viewport, None for none."""
        return self._view.row_at(point.y())

    def name_of(self, index: int) -> str:
        """Return the accessible name of the row."""
        return self._model.accessible_name(index)


def install(kind: type[BranchesList]) -> None:
    """Register the accessible interface of the list with Qt; the list keeps the interface alive.

    May be called twice.
    """

    def interface_of(_name: str, thing: QObject) -> ItemsInterface | None:
        if not isinstance(thing, kind):
            return None
        thing.interface = ItemsInterface(thing, BranchesItems(thing, thing.model), many=True)
        return thing.interface

    QAccessible.installFactory(interface_of)


def announce_focus(view: QAbstractScrollArea, row: int) -> None:
    """Tell screen readers which row has the focus."""
    if QAccessible.isActive():
        event = QAccessibleEvent(view, QAccessible.Event.Focus)
        event.setChild(row)
        QAccessible.updateAccessibility(event)


def tooltip(model: BranchesModel, row: int) -> str:
    """Return the tooltip of a row: its full text, and a line with its facts."""
    shown = model.shown(row)
    states = [shown.removed, tr("streaming") if shown.streaming else ""]
    facts = [*filter(None, states), *figures(shown.row, hidden=shown.hidden)]
    if shown.row.label:
        facts.insert(0, tr("labelled {0}").format(shown.row.label))
    if shown.row.pinned:
        facts.append(tr("pinned"))
    facts.append(
        tr("current leaf") if shown.leaf else tr("on active path") if shown.active else tr("on another branch")
    )
    return "\n".join((shown.text, " · ".join(facts)))


class EmptyListLabel:
    """Explains an empty list in a label; `waits` is True while placeholder rows are shown."""

    def __init__(self, theme: Theme, model: BranchesModel, viewport: QWidget) -> None:
        self._theme, self._model, self._viewport = theme, model, viewport
        self.waits = False
        self._why = label("", "dim", wrap=True)
        self._why.setParent(viewport)
        self._why.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)

    @property
    def message(self) -> str:
        """The explanation; "" while the list has rows."""
        return "" if self._why.isHidden() else self._why.text()

    def refresh(self) -> None:
        """Update the label after a change of the rows or the size."""
        outline = self._model.outline
        self._why.setVisible(outline is not None and not len(self._model))
        if outline is not None:
            self._why.setText(empty_text(outline.density))
        margin = self._theme.px(metrics.SPACE[7])
        self._why.setGeometry(self._viewport.rect().adjusted(margin, margin, -margin, -margin))


def paint_skeleton(painter: QPainter, theme: Theme, area: QRect) -> None:
    """Paint placeholder rows: a lane with marks, and a bar beside each mark."""
    row, lane, thick = theme.px(metrics.NAVIGATOR_ROW), theme.px(metrics.LANE), theme.px(metrics.SPACE[5])
    dot, radius, colour = theme.px(metrics.LANE_DOT) / 2, theme.px(metrics.RADIUS_BAR), theme.color("hover")
    count = area.height() // row
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, theme.px(metrics.LANE_LINE)))
    painter.drawLine(QPointF(lane, row / 2), QPointF(lane, (count - 0.5) * row))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    room = area.width() - 4 * lane
    for at in range(count):
        middle = (at + 0.5) * row
        painter.drawEllipse(QPointF(lane, middle), dot, dot)
        bar = QRectF(3 * lane, middle - thick / 2, room * LENGTHS[at % len(LENGTHS)], thick)
        painter.drawRoundedRect(bar, radius, radius)


class BranchesList(QAbstractScrollArea):
    """The list of the navigator. Rows are numbered from 0; the selection consists of entries and survives changes."""

    row_selected = Signal(int)  # the user selected this row
    action_given = Signal(str)  # id of the action to run on the selected rows
    move_given = Signal(object)  # Move that the view handles
    menu_given = Signal(int, QPoint)  # row, global point
    fold_given = Signal(int)  # row
    scrolled = Signal()
    refreshed = Signal()  # the rows have changed

    def __init__(
        self,
        theme: Theme,
        model: BranchesModel,
        keys: ColumnKeys,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._keys = keys
        self.setAccessibleName(self.tr("Branches"))
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # the lanes run from left to right in every language
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._theme = theme
        self._model = model
        self._graph = BranchGraph(theme)
        self._rows = BranchRowPainter(theme, self._graph)
        self._pictures = RowPictures(self._paint_anew)
        self.selection = BranchesSelection(model)
        self.minimap = Minimap(theme, model, self._graph)
        self.setVerticalScrollBar(self.minimap)
        self._hovered = -1
        self._read_row: int | None = None  # the row that is painted as the one being read
        self._barred: set[int] = set()  # rows that were painted with its bar since it was marked
        self._reading = SpareTurn(self, TurnClock(self), self._follow_reading)
        self._sharp = SpareTurn(self, TurnClock(self), self.viewport().update)
        self._has_new_size = False  # until it is painted
        self._soon = QTimer(self, singleShot=True, interval=FOLLOWED_EVERY_MS)
        self._soon.timeout.connect(self._reading.start)
        self._no_rows = EmptyListLabel(theme, model, self.viewport())
        self._left: QPixmap | None = None  # the picture of a session that was left, until the next one has rows
        self.interface: ItemsInterface | None = None  # the interface for screen readers
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    # -- display ----------------------------------------------------------------------------------------------

    @property
    def model(self) -> BranchesModel:
        """The model of the rows."""
        return self._model

    @property
    def selected(self) -> int | None:
        """Key of the current entry; `selection` holds all selected ones."""
        return self.selection.current

    @property
    def selected_row(self) -> int | None:
        """The current row, None for none."""
        return self.selection.current_row

    def select(self, key: int | None) -> None:
        """Select only this entry (key), or the nearest row above it, without a signal."""
        self.selection.choose(key)
        self.show_current()

    def show_current(self) -> None:
        """Scroll to the current row and repaint."""
        row = self.selected_row
        if row is not None:
            self.show_row(row)
        self.viewport().update()

    @property
    def is_waiting(self) -> bool:
        """Whether placeholder rows are shown."""
        return self._no_rows.waits

    @property
    def message(self) -> str:
        """The explanation of an empty list; "" while it has rows."""
        return self._no_rows.message

    def keep_picture(self) -> None:
        """Keep showing a picture of the present rows until there are other rows, or until `show_waiting`.

        The picture takes no clicks: the model has no rows meanwhile. Without rows, an earlier picture stays.
        """
        if self._theme.takes_turns and self.isVisible() and len(self._model):
            waits = self.testAttribute(Qt.WidgetAttribute.WA_ForceUpdatesDisabled)  # for its turn to be painted
            if waits:
                self.setUpdatesEnabled(True)  # else the picture is empty
            if self.updatesEnabled():
                with hidden_widgets_left_alone():
                    self._left = self.grab()
            if waits:
                self.setUpdatesEnabled(False)

    def drop_picture(self) -> None:
        """Show no picture of a session that was left."""
        self._left = None
        self.viewport().update()

    def show_waiting(self) -> None:
        """Show placeholder rows until `refresh`."""
        self._left = None
        self._no_rows.waits = True
        self.viewport().update()

    def refresh(self) -> None:
        """Show the rows of the model after it has changed."""
        self._no_rows.waits = False
        outline = self._model.outline
        if outline is not None:
            self._left = None
        self._graph.set_lanes(None if outline is None else outline.lanes, self._model.deepest)
        self._graph.set_viewed(self._model.viewed)
        self._hovered = -1
        self.selection.refresh()
        self._set_range()
        self._no_rows.refresh()
        self.viewport().update()
        self.refreshed.emit()

    def show_viewed(self, key: int | None) -> None:
        """Mark the path to an entry (key) as the one that the transcript shows; None for no path."""
        self._model.set_viewed(key)
        self._graph.set_viewed(self._model.viewed)
        self.minimap.restyle()
        self.viewport().update()

    def show_reading(self, key: int | None) -> None:
        """Mark the row of the entry (key) that is being read in the transcript; None for no mark.

        The mark is painted a moment later, in a turn of the event loop that has time left, because painting all rows
        takes as long as a frame of the scrolled transcript. The row is also scrolled into view, unless the user is
        using the list.
        """
        self._model.reading = key
        if self._model.reading_row != self._read_row and not self.is_late:
            self._soon.start()

    @property
    def is_late(self) -> bool:
        """Whether the mark of the row that is being read is still to be painted."""
        return self._soon.isActive() or self._reading.is_active

    def _follow_reading(self) -> None:
        row, before = self._model.reading_row, self._read_row
        follows = not self.hasFocus() and not self.underMouse() and not self.minimap.isSliderDown()
        if row is not None and follows and not self._prepare(self._rows_at(self._value_for(row))):
            self._reading.start()
            return
        outdated, self._barred = self._barred - {row}, set()
        if row == before and not outdated:
            return
        self._read_row = row
        if row is not None and follows:
            self.show_row(row)
        self.minimap.update()
        self._update_rows(*outdated, before, row)

    @property
    def row_height(self) -> int:
        """The height of a row, in pixels."""
        return self._theme.px(metrics.NAVIGATOR_ROW)

    def rows_in(self, area: QRect) -> range:
        """Return the rows that an area of the viewport touches."""
        return self._rows_in(area, self.verticalScrollBar().value())

    def _rows_at(self, value: int) -> range:
        """Return the rows in view when the scroll bar has this value."""
        return self._rows_in(self.viewport().rect(), value)

    def _rows_in(self, area: QRect, value: int) -> range:
        offset = value - self._inset
        first = max(0, (area.top() + offset) // self.row_height)
        last = min(len(self._model), (area.bottom() + offset) // self.row_height + 1)
        return range(first, max(first, last))

    def row_at(self, y: int) -> int | None:
        """Return the row at this y of the viewport, None for none."""
        row = (y + self.verticalScrollBar().value() - self._inset) // self.row_height
        return row if 0 <= row < len(self._model) else None

    def row_rect(self, row: int) -> QRect:
        """Return the rectangle of the row in the viewport."""
        top = row * self.row_height - self.verticalScrollBar().value() + self._inset
        return QRect(0, top, self.viewport().width(), self.row_height)

    # -- scrolling --------------------------------------------------------------------------------------------

    @property
    def _inset(self) -> int:
        """The margin above the first row and below the last, in pixels."""
        return self._theme.px(metrics.SPACE[1])

    def show_row(self, row: int) -> None:
        """Scroll to a row: as little as needed, or to the middle for a row far away."""
        self.verticalScrollBar().setValue(self._value_for(row))

    def _value_for(self, row: int) -> int:
        """Return the value of the scroll bar at which a row is in view."""
        bar, height = self.verticalScrollBar(), self.viewport().height()
        top, bottom = row * self.row_height, (row + 1) * self.row_height + 2 * self._inset
        value = bar.value()
        if top < value - height or bottom > value + 2 * height:
            value = top - (height - self.row_height) // 2
        elif top < value:
            value = top
        elif bottom > value + height:
            value = bottom - height
        return min(max(value, bar.minimum()), bar.maximum())

    def show_match(self) -> None:
        """Show new matches of a search; when none is visible, scroll to the match that Enter selects."""
        self.viewport().update()
        following = self._model.next_match(self.selected)
        row = None if following is None else self._model.row_of(following[0])
        if row is not None and not any(map(self.is_in_sight, self._model.match_rows)):
            self.show_row(row)

    def is_in_sight(self, row: int) -> bool:
        """Return whether the row is at least partly visible."""
        rect = self.row_rect(row)
        return rect.bottom() >= 0 and rect.top() < self.viewport().height()

    @property
    def anchor(self) -> tuple[int, int] | None:
        """The scroll position: key of the row at the top edge, and its pixels above the edge; None without rows."""
        row = self.row_at(0) if len(self._model) else None
        if row is None:
            return (self._model.key(0), 0) if len(self._model) else None
        return self._model.key(row), -self.row_rect(row).top()

    def scroll_to_anchor(self, anchor: tuple[int, int] | None) -> None:
        """Restore a scroll position that `anchor` returned."""
        row = None if anchor is None else self._model.row_of(anchor[0])
        if row is not None and anchor is not None:
            self.verticalScrollBar().setValue(row * self.row_height + self._inset + anchor[1])

    def _set_range(self) -> None:
        bar = self.verticalScrollBar()
        content = len(self._model) * self.row_height + 2 * self._inset
        bar.setRange(0, max(0, content - self.viewport().height()))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self.row_height)

    def scrollContentsBy(self, _dx: int, dy: int) -> None:
        """Move the painted pixels, so that only the rows that come into view are painted."""
        viewport = self.viewport()
        if abs(dy) < viewport.height() and not self._has_fixed_marks:
            viewport.scroll(0, dy, viewport.rect())
        else:
            viewport.update()

    def _on_scrolled(self) -> None:
        self._hover_under_mouse()
        self.scrolled.emit()

    @property
    def _has_fixed_marks(self) -> bool:
        """Whether something is painted that does not move with the rows."""
        return self._no_rows.waits or (self.hasFocus() and self.selected_row is None)

    def _update_rows(self, *rows: int | None) -> None:
        """Paint these rows again; None is no row."""
        for row in rows:
            if row is not None:
                self.viewport().update(self.row_rect(row))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a visible current row visible, since the search line takes room from the list."""
        super().resizeEvent(event)
        self._has_new_size = True
        row, before = self.selected_row, event.oldSize().height()
        was_in_sight = row is not None and -self.row_height < self.row_rect(row).top() < before
        self._set_range()
        self._no_rows.refresh()
        if row is not None and was_in_sight:
            self.show_row(row)

    # -- painting ---------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setLayoutDirection(self.layoutDirection())  # the default is the direction of the application
        painter.fillRect(event.rect(), self._theme.color("bg"))
        rows = self._rows_of(event.region())
        if self._left is not None:
            painter.drawPixmap(-self.viewport().pos(), self._left)
        elif self._no_rows.waits:
            paint_skeleton(painter, self._theme, self.viewport().rect())
        elif rows:
            self._paint_rows(painter, rows)
            self._paint_reading(painter)
        if self.hasFocus():
            self._paint_focus(painter)
        painter.end()

    def _rows_of(self, region: QRegion) -> list[int]:
        """Return the rows that a region of the viewport touches."""
        return [row for row in self.rows_in(region.boundingRect()) if region.intersects(self.row_rect(row))]

    def _paint_rows(self, painter: QPainter, rows: Sequence[int]) -> None:
        states = self._states(rows)
        if not self._fit_pictures():
            self._paint_anew(painter, states)
            return
        self._add_some(self._pictures.missing(states))
        self._pictures.draw(painter, states, self._top)

    def _fit_pictures(self) -> bool:
        """Make the pictures fit the rows; return whether there can be any."""
        viewport = self.viewport()
        size = QSize(viewport.width(), self.row_height)
        return self._pictures.fit(size, viewport.devicePixelRatioF(), viewport.height(), self._model.looks)

    def _states(self, rows: Sequence[int]) -> list[RowState]:
        selected = self.selection.within(rows)
        return [RowState(row, row in selected, row == self._hovered) for row in rows]

    def _add_pictures(self, states: Sequence[RowState]) -> None:
        self._pictures.add(states, self._top, self._theme.color("bg"))

    def _add_some(self, states: Sequence[RowState]) -> None:
        """Paint pictures of rows for a limited time.

        Rows with a picture of another width are painted in later turns. At the first painting at a new size no
        picture is painted, because the whole window is painted then.
        """
        self._add_pictures([state for state in states if not self._pictures.has_old(state)])
        waits, self._has_new_size = self._has_new_size and self._theme.takes_turns, False
        waiting = [] if waits else [state for state in states if self._pictures.has_old(state)]
        end = thread_time() + PAINTING
        for start in range(0, len(waiting), PREPARED):
            if start and thread_time() > end:
                break
            self._add_pictures(waiting[start : start + PREPARED])
        if any(map(self._pictures.has_old, states)):
            self._sharp.start()
        else:
            self._pictures.forget_old()

    def _top(self, row: int) -> int:
        return self.row_rect(row).top()

    def _prepare(self, rows: Sequence[int]) -> bool:
        """Paint pictures of these rows for a limited time; return whether all have one."""
        if not self._fit_pictures():
            return True
        end = thread_time() + PREPARING
        missing = self._pictures.missing(self._states(rows))
        for start in range(0, len(missing), PREPARED):
            if start and thread_time() > end:
                return False
            self._add_pictures(missing[start : start + PREPARED])
        return True

    def _paint_anew(self, painter: QPainter, states: Sequence[RowState]) -> None:
        """Paint rows and the lines between them."""
        self._model.load(state.row for state in states)
        self._paint_bands(painter, states)
        self._paint_graph(painter, [state.row for state in states])
        for row, selected, hovered in states:
            area, shown = QRectF(self.row_rect(row)), self._model.shown(row)
            self._rows.paint(painter, shown, area, selected=selected, hovered=hovered)

    def _paint_bands(self, painter: QPainter, states: Sequence[RowState]) -> None:
        for row, selected, hovered in states:
            if selected or hovered:
                painter.fillRect(self.row_rect(row), self._rows.ground(selected=selected, hovered=hovered))

    def _paint_graph(self, painter: QPainter, rows: Sequence[int]) -> None:
        """Paint also the rows below these, since the curve of a fork begins above its row."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        below = (row + 1 for row in rows if row + 1 < len(self._model))
        for row in dict.fromkeys((*rows, *below)):
            folded = self._model.is_folded(row)
            self._graph.paint_lines(painter, self._model.place(row), self.row_rect(row).top(), folded=folded)

    def _paint_reading(self, painter: QPainter) -> None:
        """Paint a bar at the edge of the row that is being read in the transcript."""
        row = self._model.reading_row
        if row is not None:
            self._barred.add(row)
            area = self.row_rect(row)
            area.setWidth(self._theme.px(metrics.READING_BAR))
            painter.fillRect(area, self._theme.color("accent"))

    def _paint_focus(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        row = self.selected_row
        ring = self.viewport().rect() if row is None else self.row_rect(row)
        painter.setPen(QPen(self._theme.color("accent"), metrics.BORDER))
        painter.drawRect(ring.adjusted(0, 0, -1, -1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def _on_theme_changed(self) -> None:
        self._left = None
        self._graph.restyle()
        self._rows.restyle()
        self._pictures.clear()
        self._set_range()
        self.minimap.restyle()
        self.viewport().update()

    # -- mouse ------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().toPoint().y())
        if row is None or event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
            return
        if event.button() is Qt.MouseButton.LeftButton and self._is_on_fold(row, event.position().x()):
            self.fold_given.emit(row)
            return
        held = event.modifiers()
        if event.button() is Qt.MouseButton.RightButton and row in self.selection:
            self.viewport().update()  # the menu is for all selected rows
        elif held & Qt.KeyboardModifier.ControlModifier:
            self.selection.toggle(row)
            self._chosen()
        else:
            self._choose(row, extend=bool(held & Qt.KeyboardModifier.ShiftModifier))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().toPoint().y())
        if row is not None and event.button() is Qt.MouseButton.LeftButton:
            if self._is_on_fold(row, event.position().x()):
                self.fold_given.emit(row)
            else:
                self.action_given.emit("continue")

    def _is_on_fold(self, row: int, x: float) -> bool:
        """Return whether x is on the mark of a foldable row, which a click folds or unfolds."""
        if not self._model.is_foldable(row) or self._model.place(row) == 0:
            return False
        outline = self._model.outline
        assert outline is not None
        middle = self._graph.x(outline.lanes.lane[self._model.place(row)])
        return abs(x - middle) <= self._theme.px(metrics.LANE_DOT)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.row_at(event.position().toPoint().y()))
        row = self._hovered
        on_fold = row >= 0 and self._is_on_fold(row, event.position().x())
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if on_fold else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        row = self.selected_row if by_key else self.row_at(event.pos().y())
        if row is not None:
            at = self.row_rect(row).center() if by_key else event.pos()
            self.menu_given.emit(row, self.viewport().mapToGlobal(at))

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            row = self.row_at(event.pos().y())
            if row is None:
                QToolTip.hideText()
            else:
                show_plain_tip(event.globalPos(), tooltip(self._model, row), self.viewport(), self.row_rect(row))
            return True
        return super().viewportEvent(event)

    def _hover(self, row: int | None) -> None:
        before, self._hovered = self._hovered, -1 if row is None else row
        if before != self._hovered:
            self._update_rows(before, row)

    def _hover_under_mouse(self) -> None:
        if self._hovered >= 0:
            at = self.viewport().mapFromGlobal(self.cursor().pos())
            self._hover(self.row_at(at.y()) if self.viewport().rect().contains(at) else None)

    # -- keys -------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Take the list's keys before the shortcuts of the window, while the list has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            given = meaning(self._keys, event)
            if given is not None and (given is not Move.LEAVE or self.selection.is_many):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        given = meaning(self._keys, event)
        if given is None or (given is Move.LEAVE and not self.selection.is_many):
            event.ignore()  # for the parent widgets: Escape closes the search, Tab moves the focus
        elif isinstance(given, Move):
            self.move_by(given, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif self.selected_row is not None:
            self.action_given.emit(given)

    def move_by(self, move: Move, *, extend: bool = False) -> None:
        """Carry out a command; a step with `extend` extends the selection."""
        if move in STEPS:
            self._step(move, extend=extend)
        elif move is Move.LEAVE:
            self.select(self.selected)
        else:
            self.move_given.emit(move)

    def _step(self, move: Move, *, extend: bool) -> None:
        if not len(self._model):
            return
        last = len(self._model) - 1
        page = max(1, self.viewport().height() // self.row_height - 1)
        row = self.selected_row
        if row is None:
            to = last if move in (Move.UP, Move.LAST) else 0
        else:
            by = {Move.UP: -1, Move.DOWN: 1, Move.PAGE_UP: -page, Move.PAGE_DOWN: page}
            to = {Move.FIRST: 0, Move.LAST: last}.get(move, row + by.get(move, 0))
        self._choose(min(max(to, 0), last), extend=extend)

    def _choose(self, row: int, *, extend: bool = False) -> None:
        (self.selection.extend if extend else self.selection.choose)(self._model.key(row))
        self._chosen()

    def _chosen(self) -> None:
        row = self.selected_row
        assert row is not None  # the caller has selected a row
        self.show_current()
        announce_focus(self, row)
        self.row_selected.emit(row)
