"""Labels of plain text. Foreign text is never interpreted as markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QPaintEvent


SIDES = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignRight


def draw_words(painter: QPainter, rect: QRect | QRectF, alignment: Qt.AlignmentFlag, text: str) -> None:
    """Draw text with an alignment of the window's reading direction.

    The text's own direction does not move it: a Hebrew title in an English window is left-aligned.
    """
    window = painter.layoutDirection()
    side = absolute(alignment, window)
    painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    painter.drawText(QRectF(rect), side, text)
    painter.setLayoutDirection(window)


def absolute(alignment: Qt.AlignmentFlag, window: Qt.LayoutDirection) -> Qt.AlignmentFlag:
    """Return the alignment with left and right resolved, as `QStyle.visualAlignment` does.

    `QStyle` is not used because loading its class takes milliseconds at the start.
    """
    if not alignment & Qt.AlignmentFlag.AlignHorizontal_Mask:
        alignment |= Qt.AlignmentFlag.AlignLeft
    if (
        window == Qt.LayoutDirection.RightToLeft
        and alignment & SIDES
        and not alignment & Qt.AlignmentFlag.AlignAbsolute
    ):
        alignment ^= SIDES
    return alignment | Qt.AlignmentFlag.AlignAbsolute


MOST_SHOWN = 1_000  # characters of a label or a message; Qt would shape every letter of a longer text
MOST_TIP = 2_000  # characters of a tooltip
TIP_LINE = 80  # characters of a tooltip that is not wrapped


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """Return the text, cut to `most` characters with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def plain_tip(text: str) -> str:
    """The tooltip that shows `text` as it is, or the beginning of a long text.

    Qt shows a tooltip as HTML if it looks like HTML. Text with "<" or "&", and text that needs wrapping, becomes HTML
    with these characters escaped; any other text is returned unchanged.
    """
    text = shortened(text, MOST_TIP)
    if "<" not in text and "&" not in text and all(len(line) <= TIP_LINE for line in text.split("\n")):
        return text
    from html import escape

    html = escape(text).replace("\n", "<br>")
    return f"<qt>{html}</qt>"


def literal(text: str) -> str:
    """Return a text for a button, tab or menu that shows each "&"; Qt underlines the letter after a single one."""
    return text.replace("&", "&&")


def set_plain_tip(widget: QWidget, text: str) -> None:
    """Set the tooltip of `widget` to text from outside the program: a path, a title, a name, a message."""
    widget.setToolTip(plain_tip(text))


def show_plain_tip(at: QPoint, text: str, widget: QWidget, rect: QRect | None = None) -> None:
    """Show `text` at a global point as a tooltip of `widget`, until the mouse leaves `rect`; "" hides the tooltip."""
    QToolTip.showText(at, plain_tip(text), widget, rect if rect is not None else QRect())


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a plain-text label. `role` is one of the style sheet's: dim, faint, section, heading, chip, error …"""
    out = QLabel(text)
    out.setTextFormat(Qt.TextFormat.PlainText)
    out.setWordWrap(wrap)
    if role:
        out.setProperty("role", role)
    return out


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet uses as a selector, and apply the style sheet again."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class ElidedLabel(QLabel):
    """A label of one line. Text that does not fit is elided; the tooltip then shows all of it."""

    def __init__(self, text: str = "", role: str = "", *, keeps_end: bool = False) -> None:
        """Create a label. `keeps_end`: the beginning is elided, because the end says more, as in a path."""
        super().__init__(shortened(text))
        self._tip = ""
        self._is_part = False  # whether the text stands for a longer one
        self._elided = Qt.TextElideMode.ElideLeft if keeps_end else Qt.TextElideMode.ElideRight
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    def setText(self, text: str) -> None:
        super().setText(shortened(text))

    def set_text_of(self, text: str, whole: str) -> None:
        """Show a text that stands for the `whole` one, which the tooltip shows also while the text fits."""
        self.setText(text)
        set_plain_tip(self, whole)
        self._is_part = text != whole

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 1, hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 3, super().minimumSizeHint().height())

    def setToolTip(self, text: str) -> None:
        """Set the tooltip for the time when the text is elided; "" shows the whole text."""
        self._tip = text
        super().setToolTip(text)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Set the tooltip when the mouse enters. Overriding `event` instead would load all event classes at start."""
        super().enterEvent(event)
        super().setToolTip("" if self.is_whole and not self._is_part else self._tip or plain_tip(self.text()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        draw_words(painter, self.contentsRect(), self.alignment() | Qt.AlignmentFlag.AlignVCenter, self.visible_text)
        painter.end()

    @property
    def is_whole(self) -> bool:
        """Whether the whole text is visible."""
        return self.visible_text == self.text()

    @property
    def visible_text(self) -> str:
        """The text as it is painted, with an ellipsis where it is cut."""
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._elided, width)
