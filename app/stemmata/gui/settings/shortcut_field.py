"""The keys of one action, to be pressed anew."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QKeySequenceEdit, QLineEdit, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.labels import label

PORTABLE = QKeySequence.SequenceFormat.PortableText


class KeysEdit(QKeySequenceEdit):
    """Takes all keys but Escape, by which one leaves without having chosen any."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)


class ShortcutField(QWidget):
    """`own` is the key that the navigator hears besides, "" for none."""

    keys_chosen = Signal(str)  # portable, "" for none

    def __init__(self, theme: Theme, name: str, own: str) -> None:
        super().__init__()
        self._default = ""
        self.edit = KeysEdit()
        self.edit.setMaximumSequenceLength(1)
        self.edit.setClearButtonEnabled(True)
        self.edit.setAccessibleName(self.tr("Keys: {0}").format(name))
        for field in self.edit.findChildren(QLineEdit):
            field.setAccessibleName(self.tr("Keys: {0}").format(name))
        self.edit.editingFinished.connect(self._on_finished)
        self.reset = IconButton(theme, "undo", self.tr("Back to the default"))
        self.reset.clicked.connect(lambda: self.keys_chosen.emit(self._default))
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(label(name), 1)
        if own:
            row.addWidget(label(self.tr("{0} in Branches").format(own), "dim"))
        row.addWidget(self.reset)
        row.addWidget(self.edit)
        self._shown = ""
        self._theme = theme
        theme.changed.connect(self._fit)
        self._fit()

    def show_keys(self, keys: str, default: str) -> None:
        self._shown, self._default = keys, default
        self.edit.setKeySequence(QKeySequence(keys))
        for field in self.edit.findChildren(QLineEdit):
            field.setPlaceholderText("")  # a column of hints would hide what has keys
        self.reset.setVisible(keys != default)

    def _fit(self) -> None:
        self.edit.setFixedWidth(self._theme.px(metrics.SETTING))

    def _on_finished(self) -> None:
        """Also comes when the focus leaves: then nothing was pressed."""
        keys = self.edit.keySequence().toString(PORTABLE)
        if keys != self._shown:
            self.keys_chosen.emit(keys)
