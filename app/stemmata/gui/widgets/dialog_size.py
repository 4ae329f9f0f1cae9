"""How large a dialog is."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme


def dialog_size(theme: Theme, dialog: QDialog) -> QSize:
    """The size of all dialogs, within most of the window it stands over: text of twice the size fits a screen too."""
    wanted = QSize(*map(theme.px, metrics.DIALOG))
    parent = dialog.parentWidget()
    if parent is None:
        return wanted
    room = parent.window().size().expandedTo(QSize(*metrics.WINDOW_MINIMUM)) * metrics.IMAGE_PLACE
    return wanted.boundedTo(room)
