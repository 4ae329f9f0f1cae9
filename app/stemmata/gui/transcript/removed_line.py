"""The line above a transcript that says that the tool deleted the session, or removed the shown branch."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import set_surface


class RemovedLine(QWidget):
    """Says what the archive keeps although the tool does not; hidden without anything to say."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        set_surface(self, "bg", "bottom")
        self._theme = theme
        self._session = self._branch = ""
        self._icon = QLabel()
        self._text = label("", "dim", wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[6], metrics.SPACE[3], metrics.SPACE[6], metrics.SPACE[3])
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_session(self, text: str) -> None:
        """Say that the tool deleted the session; "" for a session that it has."""
        self._session = text
        self._tell()

    def show_branch(self, text: str) -> None:
        """Say that the tool removed the shown branch; "" for a branch that it has."""
        self._branch = text
        self._tell()

    @property
    def text(self) -> str:
        """What the line says; "" while it is hidden."""
        return self._session or self._branch

    def _tell(self) -> None:
        self._text.setText(self.text)
        self._text.setAccessibleName(self.text)
        self.setVisible(bool(self.text))

    def _restyle(self) -> None:
        self._icon.setPixmap(self._theme.pixmap("archive", "dim", ratio=self.devicePixelRatioF()))
