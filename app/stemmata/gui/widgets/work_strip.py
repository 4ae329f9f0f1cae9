"""Long work in the line at the foot of the window: what is done, how far it is, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label


class WorkStrip(QWidget):
    """Hidden while nothing is under way. One work at a time: a later one takes the place."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("workStrip")
        self._theme = theme
        self._cancel: Callable[[], object] = lambda: None
        self._text = label("", "small")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.button = push_button(self.tr("Cancel"), self._on_clicked, look="link")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self._text)
        row.addWidget(self.bar)
        row.addWidget(self.button)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def begin(self, text: str, cancel: Callable[[], object]) -> None:
        """Show work of unknown length; `cancel` is called at most once."""
        self._cancel = cancel
        self.button.setEnabled(True)
        self.show_progress(text, 0, 0)
        self.show()

    def show_progress(self, text: str, done: int, total: int) -> None:
        """How far it is; a total of 0 is an unknown one."""
        self._text.setText(text)
        self.bar.setAccessibleName(text)
        self.bar.setRange(0, total)
        self.bar.setValue(done)

    def end(self) -> None:
        self._cancel = lambda: None
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def _on_clicked(self) -> None:
        self.button.setEnabled(False)
        cancel, self._cancel = self._cancel, lambda: None
        cancel()

    def _restyle(self) -> None:
        self.bar.setFixedWidth(self._theme.px(metrics.CHART))
