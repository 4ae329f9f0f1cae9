"""The cut line of a previewed compaction, which the user drags between cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from stemmata.domain.compaction.plan import Plan
from stemmata.gui.cards.content import Stage
from stemmata.gui.core.shown_path import EntryAppearance, TreePath
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.layout import PlacedCard, TranscriptLayout
from stemmata.gui.widgets.figures import tokens_text
from stemmata.gui.widgets.labels import set_plain_tip
from stemmata.gui.widgets.readable_value import ReadableValue, announce_value, install_readable_values


@dataclass(frozen=True)
class CutPreview:
    """A plan on a path.

    `replaced` is the number of tokens that the summary replaces, scaled as the context's figures.
    """

    path: TreePath
    plan: Plan
    replaced: int = 0

    @cached_property
    def cut(self) -> int:
        """Position of the entry below the line: the first kept entry, or the length of the path when nothing is kept.
        For a branch summary it is the first summarised entry.
        """
        kept = self._entry_below
        at = None if kept is None else self.path.position(self.path.tree.key(kept))
        return len(self.path) if at is None else at

    @property
    def is_branch_summary(self) -> bool:
        """Whether everything below the line is summarised, not everything above it."""
        return self.plan.first_summarised is not None

    @property
    def _entry_below(self) -> int | None:
        return self.plan.first_summarised if self.is_branch_summary else self.plan.first_kept

    @cached_property
    def _pinned(self) -> frozenset[int]:
        return frozenset(self.plan.pinned)

    @cached_property
    def entries(self) -> int:
        """The number of summarised entries."""
        return len(self.plan.summarised) + len(self.plan.turn_prefix)

    def on_path(self, path: TreePath) -> CutPreview | None:
        """Return the same preview on the path of a newer tree; None when the plan does not belong to that path."""
        tree, plan = path.tree, self.plan
        ends = (plan.parent, plan.parent if self._entry_below is None else self._entry_below)
        known = all(entry < len(tree) and tree.key(entry) == self.path.tree.key(entry) for entry in ends)
        if not known or not len(path) or path.path[-1] != plan.parent:
            return None
        return CutPreview(path, plan, self.replaced)

    def stage(self, at: int) -> Stage:
        """Return the fate of the entry at a position in the compaction."""
        if self.path.path[at] in self._pinned:
            return Stage.PINNED
        return Stage.SUMMARISED if (at < self.cut) != self.is_branch_summary else Stage.KEPT


class CutLine(QWidget, ReadableValue):
    """The line with its pill. Dragging it emits signals; its owner moves it."""

    dragged = Signal(int)  # y in the parent's coordinates
    stepped = Signal(int)  # -1 for the card above, 1 for the card below
    pin_requested = Signal()  # for the card above

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = self._short = ""
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Where the summary ends"))
        self.setToolTip(self.tr("Drag, or press ↑ and ↓, to keep more or less. P pins the entry above."))
        self.hide()
        install_readable_values()

    def show_text(self, text: str, short: str = "") -> None:
        """Show a text on the pill; `short` replaces it when it does not fit."""
        self._short = short or text
        if text != self._text:
            self._text = text
            announce_value(self, self)
            self.update()

    @property
    def spoken(self) -> str:
        """The value for screen readers."""
        return self._text.lstrip("⇕ ")

    def accessible_role(self) -> QAccessible.Role:
        """Screen readers treat the line as a slider."""
        return QAccessible.Role.Slider

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        """Increasing moves the line up, which keeps more; decreasing moves it down."""
        actions = QAccessibleActionInterface
        return {
            actions.increaseAction(): lambda: self.stepped.emit(-1),
            actions.decreaseAction(): lambda: self.stepped.emit(1),
        }

    def put(self, y: int, width: int) -> None:
        """Show the line at height `y` of the parent, `width` pixels wide."""
        _put(self, y, width, self._theme.px(metrics.PILL))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, middle = self._theme, self.height() / 2
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("summary"), theme.px(metrics.LANE_LINE)))
        painter.drawLine(QPointF(theme.px(metrics.SPACE[7]), middle), QPointF(self.width(), middle))
        pill = QRectF(self._pill())
        painter.setPen(QPen(theme.color("text"), metrics.FOCUS_BORDER) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("summary"))
        painter.drawRoundedRect(pill.adjusted(1, 1, -1, -1), pill.height() / 2, pill.height() / 2)
        painter.setFont(theme.font("small_bold"))
        painter.setPen(theme.color("on_accent"))
        painter.drawText(pill, int(Qt.AlignmentFlag.AlignCenter), self.shown)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # keeps the press from the card below

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged.emit(self.mapToParent(event.position().toPoint()).y())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if event.key() == Qt.Key.Key_P and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.pin_requested.emit()
        elif step is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(step)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _pill(self) -> QRect:
        """Return the pill's rectangle, aligned with the right edge of the cards."""
        theme = self._theme
        words = QFontMetrics(theme.font("small_bold")).horizontalAdvance(self.shown)
        width = words + 2 * theme.px(metrics.SPACE[5])
        margin = theme.px(metrics.SPACE[8])
        spare = max(self.width() - 2 * margin - theme.px(metrics.READING_WIDTH), 0)
        right = self.width() - margin - spare // 2
        return QRect(max(right - width, 0), 0, min(width, right), self.height())

    @property
    def shown(self) -> str:
        """The text on the pill: in full, short, or elided."""
        theme, font = self._theme, QFontMetrics(self._theme.font("small_bold"))
        room = self.width() - theme.px(metrics.SPACE[8]) - 2 * theme.px(metrics.SPACE[5])
        text = self._text if font.horizontalAdvance(self._text) <= room else self._short
        return font.elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0))


class HeldLine(QWidget):
    """A dashed line with a letter for the cut that is compared with the previewed one. A click chooses it."""

    chosen = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def show_name(self, name: str) -> None:
        """Show the letter of the cut."""
        self._name = name
        self.setAccessibleName(self.tr("Cut {0}").format(name))
        set_plain_tip(self, self.tr("Cut {0}: click to use it").format(name))
        self.update()

    def put(self, y: int, width: int) -> None:
        """Show the line at height `y` of the parent, `width` pixels wide."""
        _put(self, y, width, self._theme.px(metrics.CARD_GAP))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, middle = self._theme, self.height() / 2
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(theme.color("summary"), theme.px(1), Qt.PenStyle.DashLine)
        painter.setPen(pen)
        side = theme.px(metrics.CARD_GAP)
        tag = QRectF(self.width() - side - theme.px(metrics.SPACE[1]), 0, side, self.height())
        painter.drawLine(QPointF(theme.px(metrics.SPACE[7]), middle), QPointF(tag.left(), middle))
        painter.setFont(theme.font("small_bold"))
        painter.setPen(theme.color("summary"))
        painter.drawText(tag, int(Qt.AlignmentFlag.AlignCenter), self._name)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.chosen.emit()


def _put(line: QWidget, y: int, width: int, height: int) -> None:
    """Show a line above the cards, its middle at height `y` of the parent."""
    line.setGeometry(0, y - height // 2, width, height)
    line.show()
    line.raise_()


class TranscriptCut(QObject):
    """Turns drags of the line into the first kept entry, which `moved` carries. It does not move the cut itself."""

    moved = Signal(int)
    pin_requested = Signal(int)  # store key of the entry above the line
    held_chosen = Signal()
    scroll_requested = Signal(int)  # pixels; emitted while the line is dragged near an edge

    def __init__(self, theme: Theme, viewport: QWidget, layout: TranscriptLayout) -> None:
        super().__init__(viewport)
        self._theme = theme
        self._viewport = viewport
        self._layout = layout
        self._preview: CutPreview | None = None
        self._line = CutLine(theme, viewport)
        self._held: int | None = None  # store key of the first entry that the held cut keeps
        self._held_line = HeldLine(theme, viewport)
        self._held_line.chosen.connect(self.held_chosen)
        self._line.dragged.connect(self._on_dragged)
        self._line.stepped.connect(self._on_stepped)
        self._line.pin_requested.connect(self._on_pin_requested)

    def show(self, preview: CutPreview | None) -> None:
        """Set or clear the preview; call `place` afterwards to move the line."""
        self._preview = preview
        if preview is not None:
            above = self.tr("⇕ everything above is summarised · {0} · ≈ {1}")
            words = self.tr("⇕ everything below is summarised · {0} · ≈ {1}") if preview.is_branch_summary else above
            entries = self.tr("%Ln entries", None, preview.entries)
            size = tokens_text(preview.replaced)
            self._line.show_text(words.format(entries, size), f"⇕ {entries} · ≈ {size}")

    def hold(self, key: int | None, name: str) -> None:
        """Mark the held cut above an entry (store key), with its letter; None for no mark."""
        self._held = key
        self._held_line.show_name(name)
        self._place_held()

    def place(self) -> None:
        """Move the line above the first kept card; hide it when that card is not in view."""
        self._place_held()
        placed = self._placed(self._card())
        if placed is None:
            self._line.hide()
            return
        # a card that continues its speaker has a smaller gap above
        begins = self._layout.model.appearance(placed.at) == EntryAppearance.CARD
        middle = self._theme.px((metrics.CARD_GAP if begins else metrics.SPACE[3]) + metrics.CUT_SPACE) // 2
        self._line.put(placed.y + middle, self._viewport.width())

    def _place_held(self) -> None:
        """Move the mark of the held cut; hide it where the cut line is."""
        model = self._layout.model
        at = None if self._preview is None or self._held is None else model.path.position(self._held)
        card = None if at is None else model.card_from(at)
        placed = None if card == self._card() else self._placed(card)
        if placed is None:
            self._held_line.hide()
        else:
            gap = metrics.CARD_GAP if model.appearance(placed.at) == EntryAppearance.CARD else metrics.SPACE[3]
            self._held_line.put(placed.y + self._theme.px(gap) // 2, self._viewport.width())

    def _placed(self, card: int | None) -> PlacedCard | None:
        return next((placed for placed in self._layout.placed if placed.at == card), None)

    def _card(self) -> int | None:
        """Return the position of the first kept card; None when nothing is kept."""
        return self._layout.model.card_from(self._preview.cut) if self._preview is not None else None

    def _on_dragged(self, y: int) -> None:
        edge, height = self._theme.px(metrics.EDGE), self._viewport.height()
        if y < edge or y > height - edge:
            self.scroll_requested.emit(-edge if y < edge else edge)
        if self._layout.placed:
            self._ask(min(self._layout.placed, key=lambda placed: abs(placed.y - y)).at)

    def _on_stepped(self, step: int) -> None:
        card, model = self._card(), self._layout.model
        if card is not None:
            at = model.after(card) if step > 0 else model.before(card)
            if at is not None:
                self._ask(at)

    def _on_pin_requested(self) -> None:
        card, model = self._card(), self._layout.model
        above = None if card is None else model.before(card)
        if above is not None:
            self.pin_requested.emit(model.path.key(above))

    def _ask(self, at: int) -> None:
        if self._preview is not None and at != self._card():
            self.moved.emit(self._layout.model.path.key(at))
