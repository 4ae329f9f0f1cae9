"""Toasts and banners: messages of the window, with at most one action."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
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
    """A short message in the lower left corner of the window; a new one replaces it, and hovering keeps it open.

    It covers neither the message that is being written nor the figures at the right. When its time is over, its
    action stays in force until the next toast, and the status line shows it.
    """

    offered = Signal(bool)  # whether an action is in force
    rested = Signal(str, str)  # the message and the label of the action that stay; "" for none

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host)
        self._theme = theme
        self._host = host
        self._above: QWidget | None = None  # the widgets that the toast must not cover
        self._beside: QWidget | None = None
        self._is_resting = False
        self._act: Callable[[], object] = lambda: None
        self._timer = QTimer(self, singleShot=True, interval=STAYS_MS)
        self._timer.timeout.connect(self.rest)
        self.setObjectName("toast")
        self.setProperty("overlay", True)
        self._text = label(wrap=True)
        self._button = push_button("", self._on_clicked, look="primary")
        self._button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click hides it, and the focus would go elsewhere
        row = QHBoxLayout(self)
        row.setContentsMargins(*[metrics.SPACE[5]] * 4)
        row.setSpacing(metrics.SPACE[6])
        row.addWidget(self._text, 1)
        row.addWidget(self._button)
        self._close = IconButton(theme, "close", self.tr("Close"))
        self._close.clicked.connect(self.withdraw)
        row.addWidget(self._close)
        cast_shadow(self, theme)
        self.hide()
        host.installEventFilter(self)

    def tell(self, text: str, action: str = "", act: Callable[[], object] | None = None) -> None:
        """Show a message for some seconds; `action` is the label of the button that calls `act`."""
        self.rested.emit("", "")
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

    def rest(self) -> None:
        """Hide the toast, and leave its action to the status line."""
        self._is_resting = not self._button.isHidden()
        self.hide()
        if self._is_resting:
            self.rested.emit(self.text, self._button.text())
            self._is_resting = False

    def withdraw(self) -> None:
        """Hide the toast, and take its action back."""
        was_visible = self.isVisible()  # hiding a visible toast emits a signal
        self.hide()
        self.rested.emit("", "")
        if not was_visible:
            self.offered.emit(False)

    def stay_clear_of(self, above: QWidget, beside: QWidget) -> None:
        """Place toasts above a widget that is in the way, and left of another one, while these are visible."""
        self._above, self._beside = above, beside
        above.installEventFilter(self)
        beside.installEventFilter(self)

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
        if not self._is_resting:
            self.offered.emit(False)

    def enterEvent(self, _event: QEnterEvent) -> None:
        self._timer.stop()

    def leaveEvent(self, _event: QEvent) -> None:
        self._timer.start()

    def _on_clicked(self) -> None:
        self.withdraw()
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
        host, margin = self._host, metrics.SPACE[7]
        room = host.width()
        if self._beside is not None and self._beside.isVisible():
            room = self._beside.mapTo(host, QPoint(0, 0)).x()
        width = min(self._in_one_line, self._theme.px(metrics.TOAST), max(room, host.width() // 2) - 2 * margin)
        self.resize(width, self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height())
        ground = host.height() - self._theme.px(metrics.STATUS_BAR)
        if self._above is not None and self._above.isVisible():
            corner = self._above.mapTo(host, QPoint(0, 0))
            ground = corner.y() if corner.x() < margin + width else ground
        self.move(margin, ground - self.height() - margin)
