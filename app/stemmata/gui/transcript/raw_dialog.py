"""An entry as it is kept: to be looked at and copied."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QShowEvent, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.raw_text import RawText, end_of_part
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.dialog_size import dialog_size
from stemmata.gui.widgets.figures import size_text
from stemmata.gui.widgets.labels import label

PART, PART_LINES = 64_000, 2_000  # characters, lines that are added at a time


class RawDialog(QDialog):
    """Not modal. Shows the beginning of a long record until all of it is asked for."""

    def __init__(self, theme: Theme, parent: QWidget, raw: RawText) -> None:
        super().__init__(parent)
        self.setObjectName("rawDialog")
        self.setWindowTitle(self.tr("Raw entry"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._raw = raw
        self._size = len(raw.first)  # characters that are shown
        self._more = QTimer(self, interval=0)
        self._more.timeout.connect(self._show_more)
        self.text = QPlainTextEdit(raw.first, readOnly=True, undoRedoEnabled=False)
        self.text.setProperty("framed", True)
        self.text.setFont(theme.font("code"))
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self.tr("Raw entry"))
        self.all = push_button(self.tr("Show all ({0})").format(size_text(raw.size)), self.show_all, look="link")
        self.all.setVisible(raw.is_cut)
        self.copy = push_button(self.tr("Copy"), self._on_copied, look="primary")
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        foot.addWidget(self.all)
        foot.addStretch(1)
        foot.addWidget(push_button(self.tr("Close"), self.close))
        foot.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[5])
        column.addWidget(label(self._note(), "small", wrap=True))
        column.addWidget(self.text, 1)
        column.addLayout(foot)
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return dialog_size(self._theme, self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.text.setFocus()

    def show_all(self) -> None:
        """The rest comes in parts: all of it at once keeps the window waiting."""
        self.all.hide()
        self._more.start()

    def _show_more(self) -> None:
        shown, start = self._raw.shown, self._size
        self._size = stop = end_of_part(shown, start, PART, PART_LINES)
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(shown[start:stop])
        if stop >= len(shown):
            self._more.stop()

    def _note(self) -> str:
        size = size_text(self._raw.size)
        if self._raw.from_source:
            return self.tr("The record of the source as it was imported, {0}.").format(size)
        return self.tr(
            "This entry was made here and has no source record: what the archive holds of it, {0}."
        ).format(size)

    def _on_copied(self) -> None:
        QGuiApplication.clipboard().setText(self._raw.text)
