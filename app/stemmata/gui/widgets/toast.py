"""Toasts and banners: messages of the window, with at most one action."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from stemmata.domain.errors import KnownError
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.labels import label, shortened
from stemmata.gui.widgets.surface import cast_shadow


class Banner(QWidget):
    """A message that stays until it is closed or replaced."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("banner")
        self._theme = theme
        self.error: Exception | None = None  # the error shown last
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
        """Show a `KnownError` with its own text; any other exception is shown as a bug of the application."""
        self.error = error
        if isinstance(error, KnownError):
            text = shortened(translate_phrase(str(error)))
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
        """The displayed message."""
        return self._text.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("bad_bg"))
        painter.end()

    def _restyle(self) -> None:
        self.update()
        self._icon.setPixmap(self._theme.pixmap("warning", "bad", ratio=self.devicePixelRatioF()))


MOVED = frozenset({QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide})
STAYS_MS = 8000  # time to read the message twice and reach for Undo


class Toast(QFrame):
    """A short message above the window's lower edge. A new toast replaces the old one; hovering keeps it open."""

    offered = Signal(bool)  # whether the toast has an action

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host)
        self._theme = theme
        self._host = host
        self._above: QWidget | None = None  # the widget that the toast must not cover
        self._act: Callable[[], object] = lambda: None
        self._timer = QTimer(self, singleShot=True, interval=STAYS_MS)
        self._timer.timeout.connect(self.hide)
        self.setObjectName("toast")
        self.setProperty("overlay", True)
        self._text = label(wrap=True)
        self._button = push_button("", self._on_clicked, look="primary")
        row = QHBoxLayout(self)
        row.setContentsMargins(*[metrics.SPACE[5]] * 4)
        row.setSpacing(metrics.SPACE[6])
        row.addWidget(self._text, 1)
        row.addWidget(self._button)
        self._close = IconButton(theme, "close", self.tr("Close"))
        self._close.clicked.connect(self.hide)
        row.addWidget(self._close)
        cast_shadow(self, theme)
        self.hide()
        host.installEventFilter(self)

    def tell(self, text: str, action: str = "", act: Callable[[], object] | None = None) -> None:
        """Show a message for some seconds; `action` is the label of the button that calls `act`."""
        text, self._act = shortened(translate_phrase(text)), act or (lambda: None)
        self._text.setText(text)
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self.setAccessibleName(text)
        self._place()
        self.show()
        self.raise_()
        announce(self, text)
        self._timer.start()
        self.offered.emit(bool(action))

    def stay_above(self, widget: QWidget) -> None:
        """Place toasts above `widget` whenever that widget is visible."""
        self._above = widget
        widget.installEventFilter(self)

    @property
    def text(self) -> str:
        """The displayed message."""
        return self._text.text()

    def click(self) -> None:
        """Press the action's button."""
        self._button.click()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in MOVED and self.isVisible():
            self._place()
        return False

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.offered.emit(False)

    def enterEvent(self, _event: QEnterEvent) -> None:
        self._timer.stop()

    def leaveEvent(self, _event: QEvent) -> None:
        self._timer.start()

    def _on_clicked(self) -> None:
        self.hide()
        self._act()

    @property
    def _in_one_line(self) -> int:
        """Return the width that the message needs on one line, in pixels."""
        beside = [self._close.sizeHint().width()]
        if not self._button.isHidden():
            beside.append(self._button.sizeHint().width())
        text = self._text.fontMetrics().horizontalAdvance(self._text.text()) + metrics.SPACE[1]
        return text + sum(beside) + len(beside) * metrics.SPACE[6] + 2 * (metrics.SPACE[5] + metrics.BORDER)

    def _place(self) -> None:
        host = self._host
        width = min(self._in_one_line, self._theme.px(metrics.TOAST), host.width() - 2 * metrics.SPACE[7])
        self.resize(width, self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height())
        ground = host.height() - self._theme.px(metrics.STATUS_BAR)
        if self._above is not None and self._above.isVisible():
            ground = self._above.mapTo(host, QPoint(0, 0)).y()
        self.move((host.width() - width) // 2, ground - self.height() - metrics.SPACE[7])
