"""A scrolling list of the turns of two branches side by side. Only visible rows are laid out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from time import thread_time

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QFocusEvent,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)  # fmt: skip
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from stemmata.domain.compare.comparison import AlignedRow, Comparison
from stemmata.domain.compare.turns import Turn
from stemmata.domain.text.one_line import one_line
from stemmata.domain.text.terminal_text import terminal_text
from stemmata.gui.branches.list_view import announce_focus
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.parts import pretty
from stemmata.gui.cards.style import CardStyle, ImageSource
from stemmata.gui.compare.head import CompareHead
from stemmata.gui.compare.layout import RowsLayout
from stemmata.gui.compare.pieces import MOST_ENTRIES, ShownTurn, TurnContent, turn_pieces
from stemmata.gui.compare.row import RowPieces, SideOf
from stemmata.gui.core.heights import Heights
from stemmata.gui.core.pages import LoadedEntry, PageCache
from stemmata.gui.core.shown_path import ContextSizes
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.idle import LayoutAllowance
from stemmata.gui.transcript.layout import CardInSight, MeasuredCard
from stemmata.gui.widgets.clipboard import put_on_clipboard
from stemmata.gui.widgets.items_accessible import ItemsInterface
from stemmata.gui.widgets.labels import show_plain_tip
from stemmata.services.ports.archive import Pages

SIDES = len(SideOf)
# what a click in a card does here; a card offers nothing else, such as to undo its compaction
ANSWERED = frozenset(
    {
        Request.FOLD, Request.SHOW_ALL, Request.LINK,
        Request.COPY_TEXT, Request.COPY_JSON, Request.COPY_OUTPUT,
    }
)  # fmt: skip


def _style(theme: Theme, blob: ImageSource) -> CardStyle:
    out = CardStyle(theme, blob)
    out.always_wraps, out.answered = True, ANSWERED
    return out


class CompareItems:
    """The list's turns for screen readers; each row has two items."""

    def __init__(self, view: CompareList) -> None:
        self._view = view

    def count(self) -> int:
        """Return the number of items."""
        return SIDES * self._view.row_count

    def current(self) -> int | None:
        """Return the index of the selected item, or None."""
        return index_of(self._view) if self._view.row_count else None

    def is_selected(self, index: int) -> bool:
        """Return whether the item is selected."""
        return index == self.current()

    def place(self, index: int) -> QRect:
        """Return the item's rectangle in the viewport."""
        return self._view.place_of(*_row(index))

    def at(self, point: QPoint) -> int | None:
        """Return the index of the item at a point of the viewport, or None."""
        found = self._view.turn_at(point)
        return None if found is None else SIDES * found[0] + found[1]

    def name_of(self, index: int) -> str:
        """Return the item's text."""
        return self._view.spoken(*_row(index))


def _row(index: int) -> tuple[int, SideOf]:
    return index // SIDES, SideOf(index % SIDES)


def index_of(view: CompareList) -> int:
    """Return the index of the selected turn."""
    return SIDES * view.row + view.side


def make_accessible(view: CompareList) -> None:
    """Install the accessible interface of the list. Repeated calls have no effect."""
    kind = type(view)
    view.selection_changed.connect(lambda: announce_focus(view, index_of(view)) if view.row_count else None)

    def interface_of(_name: str, thing: QObject) -> ItemsInterface | None:
        if not isinstance(thing, kind):
            return None
        thing.interface = ItemsInterface(thing, CompareItems(thing))
        return thing.interface

    QAccessible.installFactory(interface_of)


class CompareKey(Enum):
    """The meaning of a key in the list."""

    NEXT = auto()
    PREVIOUS = auto()
    FIRST = auto()
    LAST = auto()
    LEFT = auto()
    RIGHT = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    CONTINUE = auto()
    COPY_TURN = auto()
    COPY_TEXT = auto()
    LEAVE = auto()


_PLAIN = Qt.KeyboardModifier.NoModifier
_KEYS = {
    (_PLAIN, Qt.Key.Key_J): CompareKey.NEXT,
    (_PLAIN, Qt.Key.Key_Down): CompareKey.NEXT,
    (_PLAIN, Qt.Key.Key_K): CompareKey.PREVIOUS,
    (_PLAIN, Qt.Key.Key_Up): CompareKey.PREVIOUS,
    (_PLAIN, Qt.Key.Key_Home): CompareKey.FIRST,
    (_PLAIN, Qt.Key.Key_End): CompareKey.LAST,
    (_PLAIN, Qt.Key.Key_Left): CompareKey.LEFT,
    (_PLAIN, Qt.Key.Key_Right): CompareKey.RIGHT,
    (_PLAIN, Qt.Key.Key_PageUp): CompareKey.PAGE_UP,
    (_PLAIN, Qt.Key.Key_PageDown): CompareKey.PAGE_DOWN,
    (_PLAIN, Qt.Key.Key_Space): CompareKey.PAGE_DOWN,
    (_PLAIN, Qt.Key.Key_Return): CompareKey.CONTINUE,
    (_PLAIN, Qt.Key.Key_Enter): CompareKey.CONTINUE,
    (_PLAIN, Qt.Key.Key_C): CompareKey.COPY_TURN,
    (Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_C): CompareKey.COPY_TEXT,
    (_PLAIN, Qt.Key.Key_Escape): CompareKey.LEAVE,
}


def meaning(event: QKeyEvent) -> CompareKey | None:
    """Return the meaning of a key, or None."""
    return _KEYS.get((event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier, Qt.Key(event.key())))


MOST_ROWS = 32  # rows kept laid out
MOST_WHOLE = 1000  # entries of a turn after “show all”
PAINTING = 0.008  # seconds of painting in one turn of the event loop
SLICE = 0.004  # seconds of syntax colouring between two events
GROUNDS = ("good", "bad")


class CompareList(QAbstractScrollArea):
    """The turns of two branches side by side. The selection is a row and a side; `head` stays above the rows."""

    selection_changed = Signal()
    continue_requested = Signal()
    copy_requested = Signal()
    leave_requested = Signal()
    link_activated = Signal(str)
    interface: QAccessibleInterface | None = None  # the interface for screen readers, kept alive here

    def __init__(self, theme: Theme, pages: Pages, head: CompareHead) -> None:
        super().__init__()
        self.setObjectName("compareList")
        self.setAccessibleName(self.tr("Turns of two branches"))
        self.setProperty("surface", "bg")
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # left and right are named in the texts
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._theme, self._cache, self._head = theme, PageCache(pages), head
        head.setParent(self)
        self._style = _style(theme, self._cache.blob)
        self._rows: Sequence[AlignedRow] = ()
        self._sizes: Mapping[int, ContextSizes] = {}
        self._built: OrderedDict[int, RowPieces] = OrderedDict()
        self._unfolded: frozenset[tuple[int, str]] = frozenset()
        self._whole: set[tuple[int, SideOf]] = set()
        self._shown = ShownTurn.ALL
        self._row, self._side = 0, SideOf.RIGHT
        self._syncing = False
        self._allowance = LayoutAllowance(self)
        self._late = QTimer(self, singleShot=True, interval=0)
        self._late.timeout.connect(self._arrange)
        self._unpainted = QRegion()  # part of the viewport that is not painted yet
        self._painting = QTimer(self, singleShot=True, interval=0)
        self._painting.timeout.connect(self._paint_rest)
        self._colouring = QTimer(self, singleShot=True, interval=0)
        self._colouring.timeout.connect(self._color)
        self._layout = RowsLayout(Heights(0, 0), self._measure)
        theme.texts_changed.connect(self._on_theme_changed)
        theme.code_changed.connect(self._on_theme_changed)
        make_accessible(self)

    # -- display ----------------------------------------------------------------------------------------------

    def show_comparison(self, comparison: Comparison | None, folder: str = "", *, keep: bool = False) -> None:
        """Show a comparison from its start, or keep the scroll position with `keep` when the same comparison grew."""
        self._style.folder = folder
        self._rows = () if comparison is None else comparison.rows
        self._sizes = {} if comparison is None else comparison.sizes
        if keep and self._rows:
            self._select(min(self._row, len(self._rows) - 1), self._side)
            self._layout.at = min(self._layout.at, len(self._rows) - 1)
        else:
            self._cache.clear()
            self._unfolded, self._whole = frozenset(), set()
            self._layout.at = self._layout.offset = 0
            self._select(0, SideOf.RIGHT)
        self._rebuild()

    def set_shown(self, shown: ShownTurn) -> None:
        """Choose the parts of the turns to show."""
        self._shown = shown
        self._rebuild()

    @property
    def side(self) -> SideOf:
        """The side of the comparison whose row is selected."""
        return self._side

    @property
    def row(self) -> int:
        """The number of the selected row of the comparison, from 0."""
        return self._row

    @property
    def turn(self) -> Turn | None:
        """The selected turn; None when the selected side has no turn in this row."""
        return self._turn(self._row, self._side) if self._rows else None

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return len(self._rows)

    def place_of(self, row: int, side: SideOf) -> QRect:
        """Return a turn's rectangle in the viewport; empty when it is not visible."""
        placed = next((placed for placed in self._layout.placed if placed.at == row), None)
        if placed is None:
            return QRect()
        middle = self._head.middle
        left, width = (0, middle) if side is SideOf.LEFT else (middle, self.viewport().width() - middle)
        return QRect(left, placed.y, width, placed.height)

    def turn_at(self, point: QPoint) -> tuple[int, SideOf] | None:
        """Return row and side of the turn at a point of the viewport, or None."""
        found = self._row_under(point)
        return None if found is None else (found[0], found[1].side_at(found[2]))

    def spoken(self, row: int, side: SideOf) -> str:
        """Return a turn in words for a screen reader."""
        name, turn = self._head.names[side], self._turn(row, side)
        if turn is None or not turn.totals.turns:
            return self.tr("{0}: no turn").format(name)
        said = one_line(turn.prompt) or one_line(" ".join(turn.replies))
        return self.tr("{0}, turn {1}: {2}").format(name, row + 1, said)

    @property
    def built_count(self) -> int:
        """The number of rows laid out; bounded for branches of any length."""
        return len(self._built)

    def text_of(self, row: int, side: SideOf) -> str:
        """Return the visible text of a turn."""
        return self.pieces(row).text(side)

    # -- selecting --------------------------------------------------------------------------------------------

    def select(self, row: int, side: SideOf) -> None:
        """Select a turn and scroll it into view."""
        if self._rows:
            self._select(min(max(row, 0), len(self._rows) - 1), side)
            self._layout.show(self._row)
            self._arrange()

    def _select(self, row: int, side: SideOf) -> None:
        self._row, self._side = row, side
        self.selection_changed.emit()
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys of the list."""
        key = meaning(event)
        signals = {
            CompareKey.CONTINUE: self.continue_requested,
            CompareKey.COPY_TURN: self.copy_requested,
            CompareKey.LEAVE: self.leave_requested,
        }
        if key in signals:
            signals[key].emit()
        elif key is CompareKey.COPY_TEXT:
            self._copy()
        elif key in (CompareKey.PAGE_UP, CompareKey.PAGE_DOWN):
            self._scroll_by(self._page() if key is CompareKey.PAGE_DOWN else -self._page())
        elif key is not None:
            self._move(key)
        else:
            super().keyPressEvent(event)

    def _move(self, key: CompareKey) -> None:
        steps = {
            CompareKey.NEXT: 1,
            CompareKey.PREVIOUS: -1,
            CompareKey.FIRST: -len(self._rows),
            CompareKey.LAST: len(self._rows),
        }
        sides = {CompareKey.LEFT: SideOf.LEFT, CompareKey.RIGHT: SideOf.RIGHT}
        self.select(self._row + steps.get(key, 0), sides.get(key, self._side))

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Move Tab from the left side to the right side before it leaves the list."""
        if next == (self._side is SideOf.LEFT) and self._rows:
            self.select(self._row, self._side.other)
            return True
        return super().focusNextPrevChild(next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select the left side on Tab and the right side on Shift+Tab."""
        sides = {Qt.FocusReason.TabFocusReason: SideOf.LEFT, Qt.FocusReason.BacktabFocusReason: SideOf.RIGHT}
        if event.reason() in sides:
            self._select(self._row, sides[event.reason()])
        self.viewport().update()

    def focusOutEvent(self, _event: QFocusEvent) -> None:
        """Repaint without the focus frame."""
        self.viewport().update()

    # -- scrolling --------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll by the wheel."""
        pixels = event.pixelDelta().y()
        notches = event.angleDelta().y() / 120
        self._scroll_by(-pixels if pixels else -round(notches * self._theme.px(metrics.WHEEL_STEP)))
        event.accept()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Follow the scroll bar."""
        if not self._syncing:
            value = self.verticalScrollBar().value()
            if abs(value - self._layout.top) <= 2 * self.viewport().height():
                self._layout.scroll_by(value - self._layout.top)
            else:
                self._layout.go_to_y(value)
            self._arrange()

    def _scroll_by(self, dy: int) -> None:
        self._layout.scroll_by(dy)
        self._arrange()

    def _page(self) -> int:
        return max(self.viewport().height() - self._theme.px(metrics.PAGE_OVERLAP), 1)

    def _arrange(self) -> None:
        self._layout.height = self.viewport().height()
        self._layout.arrange()
        bar = self.verticalScrollBar()
        self._syncing = True
        bar.setRange(0, max(self._layout.heights.total - self._layout.height, 0))
        bar.setPageStep(self._layout.height)
        bar.setSingleStep(self._theme.px(metrics.ARROW_STEP))
        bar.setValue(self._layout.top)
        self._syncing = False
        if not self.isVisible():
            return
        if self._is_late:
            self._late.start()
        else:
            self._colouring.start()
        self.viewport().update()

    @property
    def _is_late(self) -> bool:
        """Whether a visible part is not laid out yet."""
        rows = [self._built.get(placed.at) for placed in self._layout.placed]
        return any(row is None or row.is_late for row in rows)

    def _color(self) -> None:
        """Colour visible code blocks in small time slices."""
        for placed in self._layout.placed:
            row = self._built.get(placed.at)
            for part in row.uncoloured() if row is not None else ():
                part.highlighting.work(SLICE)
                self._colouring.start()
                self.viewport().update()
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the rows out for the new width."""
        height = self._head.sizeHint().height()
        if self.viewportMargins().top() != height:
            self.setViewportMargins(0, height, 0, 0)
        self._head.place(self.viewport().width(), height)
        if event.oldSize().width() != event.size().width():
            self._rebuild()
        else:
            self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Start laying out the rows in a later turn of the event loop, so that the page is shown at once."""
        super().showEvent(event)
        self._late.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop laying out until the page is shown again."""
        super().hideEvent(event)
        for timer in (self._late, self._painting, self._colouring):
            timer.stop()

    # -- laying out and painting ------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        self._built.clear()
        self._layout.heights = Heights(len(self._rows), self._theme.px(metrics.COMPARE_ROW))
        self._layout.placed = []
        if self.isVisible():
            self._arrange()  # a hidden list is laid out when it is shown

    def _measure(self, at: int, sight: CardInSight) -> MeasuredCard:
        """Lay out the visible part of a row, as far as the time for this turn of the event loop reaches."""
        until = self._allowance.until()
        if at not in self._built and thread_time() > until:
            return MeasuredCard(self._layout.heights[at], sight.keep)
        return self.pieces(at).fit(sight, self._side, until)

    def pieces(self, at: int) -> RowPieces:
        """Return the cards of both sides of a row. They are made when they are first needed."""
        found = self._built.pop(at, None)
        if found is None:
            cards = [turn_pieces(self._style, content, self._shown) if content is not None else []
                     for content in (self._content(at, side) for side in SideOf)]  # fmt: skip
            found = RowPieces(self._style, (cards[0], cards[1]), self._head.middle)
        self._built[at] = found
        while len(self._built) > MOST_ROWS:
            self._built.popitem(last=False)
        return found

    def _content(self, at: int, side: SideOf) -> TurnContent | None:
        turn, prompts = self._turn(at, side), self._rows[at].prompts
        if turn is None:
            return None
        whole = (at, side) in self._whole
        keys = turn.entries[: MOST_WHOLE if whole else MOST_ENTRIES]
        spans = (prompts.left, prompts.right)[side] if prompts.is_related else ()
        return TurnContent(turn, self._loaded(keys), spans, GROUNDS[side], self._unfolded, whole, self._sizes)

    def _loaded(self, keys: Sequence[int]) -> list[LoadedEntry]:
        self._cache.load(keys)
        return [loaded for loaded in map(self._cache.get, keys) if loaded is not None]

    def _turn(self, at: int, side: SideOf) -> Turn | None:
        row = self._rows[at]
        return row.left if side is SideOf.LEFT else row.right

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible rows; parts that take long are painted in later turns of the event loop."""
        until = thread_time() + PAINTING
        painter = QPainter(self.viewport())
        painter.setLayoutDirection(self.layoutDirection())  # the default is the application’s direction
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), self._theme.color("bg"))
        for placed in self._layout.placed:
            pieces = self._built.get(placed.at)
            if pieces is None:
                continue  # laid out in a later turn of the event loop
            painter.save()
            painter.translate(0, placed.y)
            if placed.at == self._row:
                pieces.paint_frame(painter, self._side, "accent" if self.hasFocus() else "line")
            for side in filter(pieces.is_empty, SideOf):
                pieces.paint_words(painter, side, self._empty_text(placed.at, side))
            rest = pieces.paint(painter, event.region().translated(0, -placed.y), until)
            painter.restore()
            if not rest.isEmpty():
                self._unpainted += rest.translated(0, placed.y)
                self._painting.start()
        middle = self._head.middle - metrics.BORDER
        painter.fillRect(QRect(middle, 0, metrics.BORDER, self.viewport().height()), self._theme.color("line"))
        painter.end()

    def _empty_text(self, at: int, side: SideOf) -> str:
        """Return why a side shows no card: its turn has none to show, or, in the selected place, there is no turn."""
        turn = self._turn(at, side)
        if turn is not None and turn.totals.turns:
            return self.tr("Nothing to show")
        return self.tr("No turn here") if (at, side) == (self._row, self._side) else ""

    def _paint_rest(self) -> None:
        rest, self._unpainted = self._unpainted, QRegion()
        self.viewport().update(rest)

    # -- mouse ------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select a turn and carry out the action under the mouse."""
        found = self._row_under(event.position().toPoint())
        if found is None or event.button() != Qt.MouseButton.LeftButton:
            return
        at, pieces, point = found
        self._select(at, pieces.side_at(point))
        action = pieces.action_at(point)
        if action is not None:
            self._act(at, *action)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the cursor for actions."""
        found = self._row_under(event.position().toPoint())
        shapes = Qt.CursorShape
        over = found is not None and found[1].action_at(found[2]) is not None
        self.viewport().setCursor(shapes.PointingHandCursor if over else shapes.ArrowCursor)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show tooltips."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self._row_under(event.pos())
            show_plain_tip(event.globalPos(), found[1].tip_at(found[2]) if found else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def _row_under(self, point: QPoint) -> tuple[int, RowPieces, QPoint] | None:
        """Return the row at a point of the viewport, and the point within it."""
        for placed in self._layout.placed:
            row = self._built.get(placed.at)
            if row is not None and placed.y <= point.y() < placed.y + placed.height:
                return placed.at, row, point - QPoint(0, placed.y)
        return None

    def _act(self, at: int, key: int, action: Action) -> None:
        match action.request:
            case Request.FOLD:
                self._unfolded ^= {(key, action.text)}
            case Request.SHOW_ALL:
                self._whole.add((at, self._side))
            case Request.LINK:
                self.link_activated.emit(action.text)
            case Request.COPY_TEXT:
                put_on_clipboard(action.text)
            case Request.COPY_JSON:
                put_on_clipboard(action.text, change=pretty)
            case Request.COPY_OUTPUT:
                put_on_clipboard(action.text, change=terminal_text)
            case _:
                pass
        self._built.pop(at, None)
        self._arrange()

    def _copy(self) -> None:
        """Copy the selected turn as Markdown."""
        turn = self.turn
        if turn is not None:
            put_on_clipboard("\n\n".join(filter(None, (turn.prompt, *turn.replies))))

    def _on_theme_changed(self) -> None:
        folder = self._style.folder
        self._style = _style(self._theme, self._cache.blob)
        self._style.folder = folder
        self._rebuild()
