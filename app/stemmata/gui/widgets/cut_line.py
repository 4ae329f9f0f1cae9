"""The line between what will be summarised and what stays, with a pill that says so and is dragged."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
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

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.told import Told, announce_value, tell_values


class CutLine(QWidget, Told):
    """Its owner puts it where the cut is; it says where it is wanted."""

    dragged = Signal(int)  # y in the parent
    stepped = Signal(int)  # -1 to the card above, 1 to the one below

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = self._short = ""
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Where the summary ends"))
        self.setToolTip(self.tr("Drag, or press ↑ and ↓, to keep more or less"))
        self.hide()
        tell_values()

    def show_text(self, text: str, short: str = "") -> None:
        """`short` stands there where the text has no room."""
        self._short = short or text
        if text != self._text:
            self._text = text
            announce_value(self, self)
            self.update()

    @property
    def spoken(self) -> str:
        return self._text.lstrip("⇕ ")

    def told_as(self) -> QAccessible.Role:
        return QAccessible.Role.Slider

    def told_actions(self) -> Mapping[str, Callable[[], object]]:
        """The higher the line, the more is kept."""
        actions = QAccessibleActionInterface
        return {
            actions.increaseAction(): lambda: self.stepped.emit(-1),
            actions.decreaseAction(): lambda: self.stepped.emit(1),
        }

    def put(self, y: int, width: int) -> None:
        """Show the line at this height of the parent."""
        height = self._theme.px(metrics.PILL)
        self.setGeometry(0, y - height // 2, width, height)
        self.show()
        self.raise_()

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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # the drag begins here, not in the card below

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged.emit(self.mapToParent(event.position().toPoint()).y())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
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
        """The pill ends where the cards do."""
        theme = self._theme
        words = QFontMetrics(theme.font("small_bold")).horizontalAdvance(self.shown)
        width = words + 2 * theme.px(metrics.SPACE[5])
        margin = theme.px(metrics.SPACE[8])
        spare = max(self.width() - 2 * margin - theme.px(metrics.READING_WIDTH), 0)
        right = self.width() - margin - spare // 2
        return QRect(max(right - width, 0), 0, min(width, right), self.height())

    @property
    def shown(self) -> str:
        """The words on the pill: in full, in short, or cut off at their end."""
        theme, font = self._theme, QFontMetrics(self._theme.font("small_bold"))
        room = self.width() - theme.px(metrics.SPACE[8]) - 2 * theme.px(metrics.SPACE[5])
        text = self._text if font.horizontalAdvance(self._text) <= room else self._short
        return font.elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0))
