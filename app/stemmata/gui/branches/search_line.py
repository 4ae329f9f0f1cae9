"""The search line of the navigator."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import set_surface

PAUSE_MS = 120  # after the last letter


class SearchLine(QWidget):
    """Hidden until it is opened. Enter and F3 jump, Shift goes back, Escape closes."""

    query_changed = Signal(str)  # "" once it is closed
    jump_requested = Signal(int)  # 1 or -1
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_surface(self, "bg")
        self._theme = theme
        self._field = QLineEdit(clearButtonEnabled=True)
        self._field.setPlaceholderText(self.tr("Search in these branches"))
        self._field.setAccessibleName(self.tr("Search in these branches"))
        self._count = label("", "faint")
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[5], metrics.SPACE[4], metrics.SPACE[5], metrics.SPACE[2])
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self._field, 1)
        row.addWidget(self._count)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._on_paused)
        self._field.textChanged.connect(lambda: self._pause.start())
        self.hide()

    @property
    def field(self) -> QLineEdit:
        return self._field

    @property
    def query(self) -> str:
        return self._field.text().strip()

    def open(self) -> None:
        self.show()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def close_search(self) -> None:
        self._field.clear()
        self._pause.stop()
        self.hide()
        self.query_changed.emit("")
        self.closed.emit()

    def set_count(self, at: int | None, total: int | None) -> None:
        """`3 of 12`; nothing while nothing is searched for."""
        if total is None:
            self._count.clear()
        elif not total:
            self._count.setText(self.tr("none"))
        elif at is None:
            self._count.setText(number(total))
        else:
            self._count.setText(self.tr("{0} of {1}").format(number(at), number(total)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            self.close_search()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3):
            if self._pause.isActive():
                self._pause.stop()
                self._on_paused()
            self.jump_requested.emit(-1 if back else 1)
        else:
            super().keyPressEvent(event)

    def _on_paused(self) -> None:
        self.query_changed.emit(self.query)
