"""The lines above a transcript that say that its branch was deleted here, or removed by its tool."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QHBoxLayout, QLabel, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import set_surface

VEIL = 0.45  # how much of the background covers the cards; their texts stay readable


class _Veil(QWidget):
    """Dims a transcript. The mouse and the keys reach the widgets below it."""

    def __init__(self, theme: Theme, view: QAbstractScrollArea) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        view.viewport().installEventFilter(self)

    def follow(self) -> None:
        """Take the place and size of the viewport, above its cards."""
        self.setGeometry(self._view.viewport().geometry())
        self.raise_()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.isVisible():
            self.follow()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setOpacity(VEIL)
        painter.fillRect(event.rect(), self._theme.color("bg"))
        painter.end()


class DeletedLine(QWidget):
    """Says that the shown branch is in the trash and offers to restore it; hidden for any other branch."""

    def __init__(self, theme: Theme, view: QAbstractScrollArea) -> None:
        super().__init__()
        set_surface(self, "bg", "bottom")
        self._theme = theme
        self.key: int | None = None
        text = label(self.tr("This branch is in the trash."), "warning", wrap=True)
        self.restore = push_button(self.tr("Restore branch"))
        self._veil = _Veil(theme, view)
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[6], metrics.SPACE[3], metrics.SPACE[6], metrics.SPACE[3])
        row.setSpacing(metrics.SPACE[6])
        row.addWidget(text, 1)
        row.addWidget(self.restore)
        self.hide()

    def show_head(self, key: int | None) -> None:
        """Show the line for the branch that begins with the entry `key`; None hides it."""
        self.key = key
        self.setVisible(key is not None)
        self._veil.setVisible(key is not None)
        if key is not None:
            self._veil.follow()


class RemovedLine(QWidget):
    """Says that the archive keeps entries that the tool has removed; hidden without anything to say."""

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
        """The text of the line; "" while it is hidden."""
        return self._session or self._branch

    def _tell(self) -> None:
        self._text.setText(self.text)
        self._text.setAccessibleName(self.text)
        self.setVisible(bool(self.text))

    def _restyle(self) -> None:
        self._icon.setPixmap(self._theme.pixmap("archive", "dim", ratio=self.devicePixelRatioF()))
