"""Editing the summary of a compaction. What is saved is a new summary beside the old one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from stemmata.gui.compaction.summary_editor import SummaryEditor
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.dialog_size import dialog_size
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.section import line


class SummaryDialog(QDialog):
    """Not modal; `saved` carries the text when it was changed. `signed`: the text is one that its provider signed."""

    saved = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget, text: str, *, signed: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("summaryDialog")
        self.setWindowTitle(self.tr("Edit summary"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._text = text
        self.summary = SummaryEditor(theme)
        self.summary.set_text(text)
        self.editor = self.summary.source
        self.save = push_button(self.tr("Save as sibling"), self._on_saved, look="primary")
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        note = self.tr("The old summary stays in the tree, as a sibling.")
        if signed:
            plain = self.tr("Its signature holds for its own words alone, so yours go as plain text.")
            note = f"{note} {plain}"
        foot.addWidget(label(note, "small", wrap=True), 1)
        foot.addWidget(push_button(self.tr("Cancel"), self.close))
        foot.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[5])
        column.addLayout(line(label(self.tr("Summary"), "title"), self.summary.switch))
        column.addWidget(self.summary, 1)
        column.addLayout(foot)
        self.summary.text_changed.connect(self._on_typed)
        self._on_typed()
        self.summary.edit()
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return dialog_size(self._theme, self)

    def _on_typed(self) -> None:
        self.save.setEnabled(bool(self.summary.text.strip()) and self.summary.text != self._text)

    def _on_saved(self) -> None:
        self.saved.emit(self.summary.text)
        self.close()
