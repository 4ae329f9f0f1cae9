"""Labels of plain text: what a file says is never read as markup."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from stemmata.gui.widgets.painting import draw_words


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """`role`: one of the style sheet's, such as dim, faint, section, heading, chip, error."""
    out = QLabel(text)
    out.setTextFormat(Qt.TextFormat.PlainText)
    out.setWordWrap(wrap)
    if role:
        out.setProperty("role", role)
    return out


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet selects by, and style the widget anew."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class ElidedLabel(QLabel):
    """One line that gives way: what does not fit ends in an ellipsis, and the whole is in the tooltip."""

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 1, hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 3, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ToolTip:
            return super().event(event)
        if self.is_whole:
            return True
        if self.toolTip() or not isinstance(event, QHelpEvent):
            return super().event(event)
        _show_whole(self, event)
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        draw_words(painter, self.contentsRect(), self.alignment() | Qt.AlignmentFlag.AlignVCenter, self._shown())
        painter.end()

    @property
    def is_whole(self) -> bool:
        """Whether all of it can be read."""
        return self._shown() == self.text()

    def _shown(self) -> str:
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)


def _show_whole(label: QLabel, event: QHelpEvent) -> None:
    from html import escape

    from PySide6.QtWidgets import QToolTip  # its class takes a while to load

    QToolTip.showText(event.globalPos(), f"<qt>{escape(label.text())}</qt>", label)
