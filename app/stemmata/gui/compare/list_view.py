"""Turns of two branches beside each other: a list of any length of which only the rows in sight are laid out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)  # fmt: skip
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from stemmata.domain.compare.comparison import AlignedRow, Comparison
from stemmata.domain.compare.turns import Turn
from stemmata.domain.entries.preview import one_line
from stemmata.gui.branches.list_view import announce_focus
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.compare.head import CompareHead
from stemmata.gui.compare.pieces import MOST_ENTRIES, ShownTurn, TurnContent, turn_pieces
from stemmata.gui.compare.row import RowPieces, SideOf
from stemmata.gui.core.heights import Heights
from stemmata.gui.core.pages import LoadedEntry, PageCache
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.items_accessible import ItemsInterface
from stemmata.gui.widgets.labels import show_plain_tip
from stemmata.services.ports.archive import Pages

SIDES = len(SideOf)


class CompareItems:
    def __init__(self, view: CompareList) -> None:
        self._view = view

    def count(self) -> int:
        return SIDES * self._view.row_count

    def current(self) -> int | None:
        return index_of(self._view) if self._view.row_count else None

    def is_selected(self, index: int) -> bool:
        return index == self.current()

    def place(self, index: int) -> QRect:
        return self._view.place_of(*_row(index))

    def at(self, point: QPoint) -> int | None:
        found = self._view.turn_at(point)
        return None if found is None else SIDES * found[0] + found[1]

    def name_of(self, index: int) -> str:
        return self._view.spoken(*_row(index))


def _row(index: int) -> tuple[int, SideOf]:
    return index // SIDES, SideOf(index % SIDES)


def index_of(view: CompareList) -> int:
    """The number of the selected turn."""
    return SIDES * view.row + view.side


def make_accessible(view: CompareList) -> None:
    """Teach Qt to make the interface when it is asked for; the list keeps it alive. Twice does no harm."""
    kind = type(view)
    view.selection_changed.connect(lambda: announce_focus(view, index_of(view)) if view.row_count else None)

    def interface_of(_name: str, thing: QObject) -> ItemsInterface | None:
        if not isinstance(thing, kind):
            return None
        thing.interface = ItemsInterface(thing, CompareItems(thing))
        return thing.interface

    QAccessible.installFactory(interface_of)


class PlacedTurn(NamedTuple):
    """A row and the y of its upper edge in the viewport."""

    at: int
    y: int
    height: int


@dataclass(slots=True)
class RowsLayout:
    """The place being read is a row and an offset into it: correcting a guess above moves nothing in sight."""

    heights: Heights
    measure: Callable[[int], int]
    height: int = 0  # of the viewport
    at: int = 0  # the row at the upper edge
    offset: int = 0  # how much of it is above the edge
    placed: list[PlacedTurn] = field(default_factory=list)

    @property
    def top(self) -> int:
        """Height of everything above the viewport, partly guessed."""
        return self.heights.top(self.at) + self.offset if len(self.heights) else 0

    def go_to_y(self, y: int) -> None:
        """Put what lies at this height, as far as is known, at the upper edge."""
        if len(self.heights):
            self.at = self.heights.at(y)
            self.offset = max(y - self.heights.top(self.at), 0)

    def show(self, at: int) -> None:
        """Bring a row into sight, its upper edge at least."""
        if at <= self.at:
            self.at, self.offset = at, 0
            return
        self.arrange()
        found = next((row for row in self.placed if row.at == at), None)
        if found is None or found.y + found.height > self.height:
            height = self._measured(at)
            self.at, self.offset = at, min(height - self.height, 0)

    def arrange(self) -> None:
        """Place the rows in sight."""
        self.placed = []
        if not len(self.heights):
            self.at = self.offset = 0
            return
        self._settle()
        bottom = self._place()
        if bottom < self.height:  # behind the end
            self.offset -= self.height - bottom
            self._settle()
            self._place()

    def _settle(self) -> None:
        """The anchor becomes the row that covers the upper edge."""
        while self.offset < 0 and self.at > 0:
            self.at -= 1
            self.offset += self._measured(self.at)
        self.offset = max(self.offset, 0)
        while self.at < len(self.heights) - 1 and self.offset >= (height := self._measured(self.at)):
            self.offset -= height
            self.at += 1

    def _place(self) -> int:
        self.placed = []
        y = -self.offset
        for at in range(self.at, len(self.heights)):
            if y >= self.height:
                break
            height = self._measured(at)
            self.placed.append(PlacedTurn(at, y, height))
            y += height
        return y

    def _measured(self, at: int) -> int:
        height = max(self.measure(at), 1)
        self.heights[at] = height
        return height


class CompareKey(Enum):
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
    """None for a key that means nothing here."""
    return _KEYS.get((event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier, Qt.Key(event.key())))


MOST_ROWS = 32  # laid out at a time
MOST_WHOLE = 1000  # entries of a turn that is shown whole
SLICE = 0.004  # seconds for colouring code between two events
GROUNDS = ("good", "bad")


class CompareList(QAbstractScrollArea):
    """The selected turn is a row and a side. `head` stands above the rows and scrolls not."""

    selection_changed = Signal()
    continue_requested = Signal()
    copy_requested = Signal()
    leave_requested = Signal()
    link_activated = Signal(str)
    interface: QAccessibleInterface | None = None  # what screen readers were given

    def __init__(self, theme: Theme, pages: Pages, head: CompareHead) -> None:
        super().__init__()
        self.setObjectName("compareList")
        self.setAccessibleName(self.tr("Turns of two branches"))
        self.setProperty("surface", "bg")
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # left and right have names
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._theme, self._cache, self._head = theme, PageCache(pages), head
        head.setParent(self)
        self._style = CardStyle(theme, self._cache.blob)
        self._rows: Sequence[AlignedRow] = ()
        self._built: OrderedDict[int, RowPieces] = OrderedDict()
        self._unfolded: frozenset[tuple[int, str]] = frozenset()
        self._whole: set[tuple[int, SideOf]] = set()
        self._shown = ShownTurn.ALL
        self._row, self._side = 0, SideOf.RIGHT
        self._syncing = False
        self._colouring = QTimer(self, singleShot=True, interval=0)
        self._colouring.timeout.connect(self._color)
        self._layout = RowsLayout(Heights(0, 0), self._measure)
        theme.changed.connect(self._on_theme_changed)
        make_accessible(self)

    # -- what is shown ----------------------------------------------------------------------------------------

    def show_comparison(self, comparison: Comparison | None, folder: str = "", *, keep: bool = False) -> None:
        """Another comparison, from its start, or with `keep` the same one grown, where it is being read.

        Paths in `folder` are shown without it.
        """
        self._style.folder = folder
        self._rows = () if comparison is None else comparison.rows
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
        self._shown = shown
        self._rebuild()

    @property
    def side(self) -> SideOf:
        return self._side

    @property
    def row(self) -> int:
        return self._row

    @property
    def turn(self) -> Turn | None:
        """The selected turn; None where the selected side has none in this row."""
        return self._turn(self._row, self._side) if self._rows else None

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def place_of(self, row: int, side: SideOf) -> QRect:
        """Where a turn stands in the viewport; empty for one out of sight."""
        placed = next((placed for placed in self._layout.placed if placed.at == row), None)
        if placed is None:
            return QRect()
        middle = self._head.middle
        left, width = (0, middle) if side is SideOf.LEFT else (middle, self.viewport().width() - middle)
        return QRect(left, placed.y, width, placed.height)

    def turn_at(self, point: QPoint) -> tuple[int, SideOf] | None:
        """Row and side of the turn under a point of the viewport."""
        found = self._under(point)
        return None if found is None else (found[0], found[1].side_at(found[2]))

    def spoken(self, row: int, side: SideOf) -> str:
        """A turn as a screen reader says it."""
        name, turn = self._head.names[side], self._turn(row, side)
        if turn is None:
            return self.tr("{0}: no turn here").format(name)
        said = one_line(turn.prompt) or one_line(" ".join(turn.replies))
        return self.tr("{0}, turn {1}: {2}").format(name, row + 1, said)

    @property
    def built_count(self) -> int:
        """Rows that are laid out; bounded whatever the length of the branches."""
        return len(self._built)

    def text_of(self, row: int, side: SideOf) -> str:
        """What is shown of a turn."""
        return self._pieces(row).text(side)

    # -- selecting --------------------------------------------------------------------------------------------

    def select(self, row: int, side: SideOf) -> None:
        """Select a turn and bring it into sight."""
        if self._rows:
            self._select(min(max(row, 0), len(self._rows) - 1), side)
            self._layout.show(self._row)
            self._arrange()

    def _select(self, row: int, side: SideOf) -> None:
        self._row, self._side = row, side
        self.selection_changed.emit()
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
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
        """Tab goes from the left side to the right one, and then on."""
        if next == (self._side is SideOf.LEFT) and self._rows:
            self.select(self._row, self._side.other)
            return True
        return super().focusNextPrevChild(next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        sides = {Qt.FocusReason.TabFocusReason: SideOf.LEFT, Qt.FocusReason.BacktabFocusReason: SideOf.RIGHT}
        if event.reason() in sides:
            self._select(self._row, sides[event.reason()])
        self.viewport().update()

    def focusOutEvent(self, _event: QFocusEvent) -> None:
        self.viewport().update()

    # -- scrolling --------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta().y()
        notches = event.angleDelta().y() / 120
        self._scroll_by(-pixels if pixels else -round(notches * self._theme.px(metrics.WHEEL_STEP)))
        event.accept()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        if not self._syncing:
            value = self.verticalScrollBar().value()
            if abs(value - self._layout.top) <= 2 * self.viewport().height():
                self._layout.offset += value - self._layout.top
            else:
                self._layout.go_to_y(value)
            self._arrange()

    def _scroll_by(self, dy: int) -> None:
        self._layout.offset += dy
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
        self._colouring.start()
        self.viewport().update()

    def _color(self) -> None:
        """Give the code in sight its colours, a little at a time."""
        for placed in self._layout.placed:
            for part in self._pieces(placed.at).uncoloured():
                part.color(SLICE)
                self._colouring.start()
                self.viewport().update()
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        height = self._head.sizeHint().height()
        if self.viewportMargins().top() != height:
            self.setViewportMargins(0, height, 0, 0)
        self._head.place(self.viewport().width(), height)
        if event.oldSize().width() != event.size().width():
            self._rebuild()
        else:
            self._arrange()

    # -- laying out and painting ------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        self._built.clear()
        self._layout.heights = Heights(len(self._rows), self._theme.px(metrics.COMPARE_ROW))
        self._arrange()

    def _measure(self, at: int) -> int:
        return self._pieces(at).height

    def _pieces(self, at: int) -> RowPieces:
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
        return TurnContent(turn, self._loaded(keys), spans, GROUNDS[side], self._unfolded, whole)

    def _loaded(self, keys: Sequence[int]) -> list[LoadedEntry]:
        self._cache.load(keys)
        return [loaded for loaded in map(self._cache.get, keys) if loaded is not None]

    def _turn(self, at: int, side: SideOf) -> Turn | None:
        row = self._rows[at]
        return row.left if side is SideOf.LEFT else row.right

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application’s
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), self._theme.color("bg"))
        for placed in self._layout.placed:
            pieces = self._pieces(placed.at)
            painter.save()
            painter.translate(0, placed.y)
            if placed.at == self._row:
                pieces.paint_frame(painter, self._side, "accent" if self.hasFocus() else "line")
            pieces.paint(painter, event.rect().translated(0, -placed.y))
            painter.restore()
        middle = self._head.middle - metrics.BORDER
        painter.fillRect(QRect(middle, 0, metrics.BORDER, self.viewport().height()), self._theme.color("line"))

    # -- mouse ------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self._under(event.position().toPoint())
        if found is None or event.button() != Qt.MouseButton.LeftButton:
            return
        at, pieces, point = found
        self._select(at, pieces.side_at(point))
        action = pieces.action_at(point)
        if action is not None:
            self._act(at, *action)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self._under(event.position().toPoint())
        shapes = Qt.CursorShape
        over = found is not None and found[1].action_at(found[2]) is not None
        self.viewport().setCursor(shapes.PointingHandCursor if over else shapes.ArrowCursor)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self._under(event.pos())
            show_plain_tip(event.globalPos(), found[1].tip_at(found[2]) if found else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def _under(self, point: QPoint) -> tuple[int, RowPieces, QPoint] | None:
        """The row under a point of the viewport, and the point in it."""
        for placed in self._layout.placed:
            if placed.y <= point.y() < placed.y + placed.height:
                return placed.at, self._pieces(placed.at), point - QPoint(0, placed.y)
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
                QGuiApplication.clipboard().setText(action.text)
            case _:
                pass
        self._built.pop(at, None)
        self._arrange()

    def _copy(self) -> None:
        """The selected turn as it was written: Markdown."""
        turn = self.turn
        if turn is not None:
            QGuiApplication.clipboard().setText("\n\n".join(filter(None, (turn.prompt, *turn.replies))))

    def _on_theme_changed(self) -> None:
        folder = self._style.folder
        self._style = CardStyle(self._theme, self._cache.blob)
        self._style.folder = folder
        self._rebuild()
