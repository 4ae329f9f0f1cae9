"""Editing the summary of a compaction. What is saved is a new summary beside the old one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label


class SummaryDialog(QDialog):
    """Not modal; `saved` carries the text when it was changed."""

    saved = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget, text: str) -> None:
        super().__init__(parent)
        self.setObjectName("summaryDialog")
        self.setWindowTitle(self.tr("Edit summary"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._text = text
        self.editor = QPlainTextEdit(text)
        self.editor.setAccessibleName(self.tr("Summary"))
        self.editor.setTabChangesFocus(True)
        self.save = push_button(self.tr("Save"), self._on_saved, look="primary")
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        foot.addWidget(label(self.tr("The old summary stays in the tree, as a sibling."), "small"), 1)
        foot.addWidget(push_button(self.tr("Cancel"), self.close))
        foot.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[5])
        column.addWidget(self.editor, 1)
        column.addLayout(foot)

    def sizeHint(self) -> QSize:
        return QSize(*map(self._theme.px, metrics.DIALOG))

    def _on_saved(self) -> None:
        text = self.editor.toPlainText()
        if text.strip() and text != self._text:
            self.saved.emit(text)
        self.close()
