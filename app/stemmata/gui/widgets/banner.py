"""A line at the top of the window that says what went wrong, what was kept and what to do."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from stemmata.domain.errors import KnownError
from stemmata.gui.text.phrases import told
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.labels import label, shortened


class Banner(QWidget):
    """Stays until it is closed or something else is said."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("banner")
        self._theme = theme
        self.error: Exception | None = None  # that was told last
        self._icon = QLabel()
        self._text = label(wrap=True)
        close = IconButton(theme, "close", self.tr("Close"))
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[6], metrics.SPACE[3], metrics.SPACE[4], metrics.SPACE[3])
        row.setSpacing(metrics.SPACE[5])
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(close)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def tell_error(self, error: Exception) -> None:
        """A known error in its own words; anything else is our fault and is said so."""
        self.error = error
        if isinstance(error, KnownError):
            text = shortened(told(str(error)))
        else:
            text = self.tr(
                "Something went wrong inside Stemmata ({0}). Your sessions are untouched; the log has the details."
            ).format(type(error).__name__)
        self._text.setText(text)
        self.setAccessibleName(text)
        self.show()
        announce(self, text, urgent=True)

    @property
    def text(self) -> str:
        return self._text.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("bad_bg"))
        painter.end()

    def _restyle(self) -> None:
        self.update()
        self._icon.setPixmap(self._theme.pixmap("warning", "bad", ratio=self.devicePixelRatioF()))
