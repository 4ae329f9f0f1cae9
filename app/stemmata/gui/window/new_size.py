"""Paint a window whose size changed suddenly, such as to the whole screen, in several turns of the event loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QBackingStore, QGuiApplication, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import delete, isValid

from stemmata.gui.theme.covers import Covers
from stemmata.gui.theme.held_clicks import HeldClicks
from stemmata.gui.theme.theme import Theme

TELL_PICTURE = ("xcb", "offscreen")  # platforms on which Qt was seen to keep a window's picture until it is painted
SUDDEN = 160  # pixels by which a size changes suddenly; an edge that is dragged moves less at a time


class NewSize(QObject):
    """Lets a window keep its old picture after a sudden resize until the new one is complete.

    Each column is painted in a turn of its own, and all are shown at once. A window whose edge is dragged is painted
    at each step.
    """

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self._clicks = HeldClicks(self)
        self._turns: Iterator[None] | None = None
        self._old: _OldPicture | None = None
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self.take_turn)

    @property
    def is_painting(self) -> bool:
        """Whether turns are left."""
        return self._turns is not None

    def resized(self, before: QSize, now: QSize) -> None:
        """Begin to paint in turns when the window changed suddenly; end that when it is resized once more."""
        if self._turns is not None:
            self._stop()
        elif self._is_sudden(before, now) and (picture := _painted(self._window)) is not None:
            self._clicks.hold([self._window])
            self._old = _OldPicture(self._window, picture)
            self._turns = self._paint()
            self._next.start()

    def take_turn(self) -> None:
        """Paint the next column; the event loop does so until all are painted."""
        if self._theme.is_changing:
            self._stop()  # the theme paints the window when it is complete
        elif self._turns is not None:
            if next(self._turns, self) is self:
                self._turns = None
            else:
                self._next.start()

    def _is_sudden(self, before: QSize, now: QSize) -> bool:
        change = max(abs(now.width() - before.width()), abs(now.height() - before.height()))
        painted = before.isValid() and self._window.isVisible() and self._window.updatesEnabled()
        return painted and change >= SUDDEN and self._theme.takes_turns and not self._theme.is_changing

    def _paint(self) -> Iterator[None]:
        with closing(Covers([self._window])) as covers:
            yield from covers.take()
            covers.show()
            self._show_new()
            yield
            yield from covers.remove()

    def _stop(self) -> None:
        self._turns = None
        self._show_new()

    def _show_new(self) -> None:
        if self._old is not None:
            self._old.give_way()
            self._old = None  # with its picture
        self._clicks.drop()


def _painted(window: QWidget) -> QImage | None:
    """Return the picture that a window shows, cut to its new size; None where Qt does not keep it."""
    if QGuiApplication.platformName() not in TELL_PICTURE:
        return None
    store: object = window.backingStore()  # None before the first paint
    device = store.paintDevice() if isinstance(store, QBackingStore) else None
    if not isinstance(device, QImage) or device.isNull():
        return None
    ratio = window.devicePixelRatio()
    picture = device.copy(device.rect().intersected(QRect(QPoint(), window.size() * ratio)))
    picture.setDevicePixelRatio(ratio)
    return picture


class _OldPicture(QWidget):
    """Shows the old picture over a window, and the window's background beyond the picture."""

    def __init__(self, window: QWidget, picture: QImage) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._picture = picture
        self.setGeometry(window.rect())
        self.show()
        self.raise_()

    def give_way(self) -> None:
        """Remove the picture, so that the window itself is seen."""
        if isValid(self):
            delete(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self.palette().window())
        painter.drawImage(0, 0, self._picture)
        painter.end()
