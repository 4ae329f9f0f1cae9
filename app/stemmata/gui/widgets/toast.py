"""Toasts and banners: messages of the window, with at most one action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget
from shiboken6 import isValid

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

    It covers nothing: while it is shown, the widgets at that corner (`ground`) keep space free below their
    content. When its time is over, its action stays in force until the next toast, and the status line shows it.
    """

    offered = Signal(bool)  # whether an action is in force
    rested = Signal(str, str)  # the message and the label of the action that stay; "" for none

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host)
        self._theme = theme
        self._host = host
        self._find_ground: Callable[[], Sequence[QWidget]] = tuple
        self._ground: Sequence[QWidget] = ()  # the widgets that are free below their content now
        self._is_resting = False
        self._is_of_open = False
        self._is_held: Callable[[], bool] = lambda: False
        self._is_waiting = False  # whether a message waits until the window is painted
        self._act: Callable[[], object] = lambda: None
        self._told = ""
        self._timer = QTimer(self, singleShot=True, interval=STAYS_MS)
        self._timer.timeout.connect(self.rest)
        self.setObjectName("toast")
        self.setProperty("overlay", True)
        self._text = label(wrap=True)
        self._button = push_button("", self._on_clicked, look="primary")
        self._button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click hides it, and the focus would go elsewhere
        self._close = IconButton(theme, "close", self.tr("Close"))
        self._close.clicked.connect(self.withdraw)
        self._lines = QVBoxLayout(self)
        self._lines.setContentsMargins(*[metrics.SPACE[5]] * 4)
        self._lines.setSpacing(metrics.SPACE[4])
        self._line = QHBoxLayout()
        self._line.setSpacing(metrics.SPACE[6])
        self._line.addWidget(self._text, 1)
        self._line.addWidget(self._button)
        self._line.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._lines.addLayout(self._line)
        cast_shadow(self, theme)
        self.hide()
        host.installEventFilter(self)

    def tell(
        self, text: str, action: str = "", act: Callable[[], object] | None = None, *, of_open: bool = False
    ) -> None:
        """Show a message for some seconds; `action` is the label of the button that calls `act`.

        A message `of_open` concerns only the open session: it is hidden when another session is opened.
        """
        self.rested.emit("", "")
        self._is_of_open = of_open
        text, self._act = shortened(translate_phrase(text)), act or (lambda: None)
        self._told = text
        self._text.setText(text.replace("≈ ", "≈\N{NO-BREAK SPACE}"))  # a sign is not parted from its figure
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self.setAccessibleName(text)
        self._place()
        self._is_waiting = self._is_held()
        if not self._is_waiting:
            self.show()
            self.raise_()
        announce(self, text)
        self._timer.start()
        self.offered.emit(bool(action))

    def hold_while(self, is_held: Callable[[], bool]) -> None:
        """Show no new message while `is_held` is true: the window shows its old picture, which has no place for it.

        Call `appear` afterwards.
        """
        self._is_held = is_held

    def appear(self) -> None:
        """Show the message that waited until the window was painted."""
        if self._is_waiting and not self._is_held():
            self._is_waiting = False
            self._place()
            self.show()
            self.raise_()

    def rest(self) -> None:
        """Hide the toast; the status line shows its action from now on."""
        was_visible = self.isVisible()
        self._is_resting = not self._button.isHidden()
        self._is_waiting = False
        self.hide()
        if not was_visible:  # hiding a visible toast emits a signal
            self._free(())
        if self._is_resting:
            self.rested.emit(self.text, self._button.text())
            self._is_resting = False

    def withdraw(self) -> None:
        """Hide the toast and discard its action."""
        was_visible = self.isVisible()  # hiding a visible toast emits a signal
        self._is_waiting = False
        self.hide()
        if not was_visible:
            self._free(())
        self.rested.emit("", "")
        if not was_visible:
            self.offered.emit(False)

    def leave_session(self) -> None:
        """Hide a message that concerns only the session that was open."""
        if self._is_of_open:
            self.withdraw()

    def place_over(self, ground: Callable[[], Sequence[QWidget]]) -> None:
        """Place toasts in the lower left corner of the widgets that `ground` returns, and keep that place free.

        The widgets are beside each other and have the same lower edge.
        """
        self._find_ground = ground

    def place_again(self) -> None:
        """Move a visible toast when the columns that it stands over have changed."""
        if self.isVisible():
            self._place()

    @property
    def text(self) -> str:
        """The displayed message."""
        return self._told

    def click(self) -> None:
        """Press the action's button."""
        self._button.click()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in MOVED:
            self.place_again()
        return False

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._free(())
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
        host, ground, margin = self._host, self._find_ground(), metrics.SPACE[5]
        place = QRect(0, 0, host.width(), host.height() - self._theme.px(metrics.STATUS_BAR))
        for widget in ground:
            own = QRect(widget.mapTo(host, QPoint(0, 0)), widget.size())
            place = own if widget is ground[0] else place.united(own)
        width = min(self._in_one_line, self._theme.px(metrics.TOAST), place.width() - 2 * margin)
        self._put_button(below=width < self._in_one_line)
        self._line.invalidate()  # Qt invalidates an inner layout later, and would measure the text before this one
        self.resize(width, self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height())
        self._free(ground, self.height() + 2 * margin)
        self.move(place.x() + margin, place.y() + place.height() - self.height() - margin)

    def _put_button(self, *, below: bool) -> None:
        """Place the button of the action below the text of several lines, or beside a short text."""
        if below == (self._lines.indexOf(self._button) >= 0):
            return
        self._lines.removeWidget(self._button)
        self._line.removeWidget(self._button)
        if below:
            self._lines.addWidget(self._button, 0, Qt.AlignmentFlag.AlignLeft)
        else:
            self._line.insertWidget(1, self._button)

    def _free(self, ground: Sequence[QWidget], height: int = 0) -> None:
        """Keep `height` pixels free below the content of these widgets, and none below those of the last call."""
        before, self._ground = self._ground, ground
        for widget in before:
            if widget not in ground and isValid(widget):
                widget.removeEventFilter(self)
                widget.setContentsMargins(0, 0, 0, 0)
        for widget in ground:
            if widget not in before:
                widget.installEventFilter(self)
            if widget.contentsMargins().bottom() != height:
                _keep_free(widget, height)


def _keep_free(widget: QWidget, height: int) -> None:
    """Keep pixels free below the content of a widget. A current row that is in view stays in view."""
    # not by `findChildren`, see decision 9
    every = (each for each in QApplication.allWidgets() if isinstance(each, QAbstractItemView))
    lists = [each for each in every if widget.isAncestorOf(each) and _shows_current(each)]
    widget.setContentsMargins(0, 0, 0, height)
    for each in lists:
        QTimer.singleShot(0, each, partial(_show_current, each))  # after the list has its new height


def _show_current(view: QAbstractItemView) -> None:
    view.scrollTo(view.currentIndex())


def _shows_current(view: QAbstractItemView) -> bool:
    """Return whether the current row of a visible list is in view."""
    return view.isVisible() and view.viewport().rect().intersects(view.visualRect(view.currentIndex()))
