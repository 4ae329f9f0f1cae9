"""Lay out and paint a window that changes as a whole in several turns, while it shows its old picture."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QBackingStore, QGuiApplication, QImage, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import delete, isValid

from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.theme.covers import Covers
from stemmata.gui.theme.held_clicks import HeldClicks
from stemmata.gui.theme.restyling import MOST_SECONDS, in_turns
from stemmata.gui.theme.theme import Theme

TELL_PICTURE = ("xcb", "offscreen")  # platforms on which Qt was seen to keep a window's picture until it is painted
SUDDEN = 160  # pixels in one step; an edge that is dragged moves less
FORGOTTEN = 1_000  # ms after the last change of the size, when the memory of its copy is given back


class NewPicture(QObject):
    """Lets a window keep its old picture until the new one is complete.

    `begin` is called before a page is shown or left, `resize` before the window gets another size. From then on, each
    column is laid out in a separate turn and painted in later turns; all columns are shown at once. Clicks into the
    old picture wait for the new one. A window whose edge is dragged shows each column in the turn that lays it out.
    `cover_columns` is called after the window got another size.
    """

    completed = Signal()  # after the last column was painted

    def __init__(self, window: QWidget, pages: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._pages, self._theme = window, pages, theme
        self._clicks = HeldClicks(self)
        self._turns: Generator[None] | None = None
        self._copies = _Copies(self)
        self._kept: dict[QWidget, Shown] = {}  # what each column showed before the edge moved
        self._old: dict[QWidget, _OldPicture] = {}  # by the column, or the window, that it lies over
        self._held: list[QLayout] = []  # of the columns that are not laid out until their turn
        self._is_dragged = False  # by an edge: the columns are shown one after another
        self._next = SpareTurn(self, TurnClock(self), self.take_turn)

    @property
    def is_painting(self) -> bool:
        """Whether turns are left."""
        return self._turns is not None

    def resize(self, before: QSize, now: QSize) -> None:
        """Keep the old picture if the window is about to have another size.

        A window that changes its size during another change is painted at once. One whose edge moves again while it
        shows parts of its old picture shows what is painted by now, and begins with the columns that have waited.
        """
        if self._turns is not None and not self._is_dragged:
            self._stop()
        elif before.isValid() and self._can_wait and (picture := self._copies.of(self._window)) is not None:
            if max(abs(now.width() - before.width()), abs(now.height() - before.height())) < SUDDEN:
                self._follow(picture)
            else:
                self._begin(picture)  # Qt forgets it when the window has another size
        elif self._is_dragged:
            self._stop()

    def _follow(self, picture: Shown) -> None:
        """Lay out and show each column in its turn; one that has waited before the others."""
        waiting = self._held
        self._hold_layouts()
        self._held.sort(key=lambda layout: layout not in waiting)
        self._remove_old()
        columns = [column for layout in self._held if (column := layout.parentWidget()) is not None]
        self._kept = {column: picture.area(_place(column)) for column in columns}
        if self._turns is None:
            self._turns, self._is_dragged = self._change_size(), True
            self._next.start()

    def cover_columns(self) -> None:
        """Lay what each column showed over it, at its new place."""
        for column, picture in self._kept.items():
            if column.isVisible():
                self._old[column] = _OldPicture(self._window, _place(column), picture)
        self._kept = {}

    def _change_size(self) -> Generator[None]:
        yield  # in this turn, the window paints its old picture
        while self._held:
            layout = self._held.pop(0)
            column = layout.parentWidget() if isValid(layout) else None
            if column is None:
                continue
            _lay_out(layout)
            if column in self._old:
                self._old.pop(column).give_way()
                yield
        self._is_dragged = False
        self._remove_old()

    def begin(self) -> None:
        """Keep the old picture from now on."""
        self._begin(None)

    def _begin(self, picture: Shown | None) -> None:
        if not self._can_wait:
            return
        if self._is_dragged:
            self._stop()
            self._window.repaint()  # Qt has thrown away what the window showed before its edge moved
        if not self._old:
            self._clicks.hold([self._window])
            self._old[self._window] = _OldPicture(self._window, self._window.rect(), picture)
        if self._turns is not None:
            self._turns.close()  # it begins again
        self._hold_layouts()
        self._turns = self._change()
        self._next.start()

    @property
    def _can_wait(self) -> bool:
        """Whether the window may show its old picture for some turns."""
        return self._theme.takes_turns and not self._theme.is_changing and self._window.isVisible()

    def _hold_layouts(self) -> None:
        """Let a column take another size without a new layout of its contents."""
        for layout in filter(isValid, self._held):
            layout.setEnabled(True)  # its column may have left the window
        self._held = _layouts(self._pages)
        for layout in self._held:
            layout.setEnabled(False)

    def take_turn(self) -> None:
        """Take the next turn; the event loop does so until all are taken."""
        if self._theme.is_changing:
            self._stop()  # the theme paints the window when it is complete
        elif self._turns is not None:
            if next(self._turns, self) is self:
                self._turns = None
                self.completed.emit()
            else:
                self._next.start()

    def _change(self) -> Generator[None]:
        yield  # in this turn, the window paints its old picture
        yield from in_turns(self._lay_out(), MOST_SECONDS)
        yield
        with closing(Covers([self._window])) as covers:
            yield from covers.take()
            self._show_new()
            covers.show()
            yield
            yield from covers.remove()

    def _lay_out(self) -> Iterator[None]:
        """Lay out a column in each step."""
        while self._held:
            layout = self._held.pop(0)
            if isValid(layout):
                _lay_out(layout)
                yield

    def _stop(self) -> None:
        """Do all remaining layout and painting in one turn."""
        turns, self._turns = self._turns, None
        for _ in self._lay_out():
            pass
        if turns is not None:
            turns.close()
        self._is_dragged = False
        self._show_new()
        self.completed.emit()

    def _show_new(self) -> None:
        self._remove_old()
        self._clicks.deliver(moved=True, same_rows=True)

    def _remove_old(self) -> None:
        while self._old:
            self._old.popitem()[1].give_way()


class TellingLayout(QVBoxLayout):
    """A column layout that emits signals for a new size before and after its widgets are laid out."""

    about_to_change = Signal(QSize, QSize)  # the size before, and the new one
    has_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._size = QSize()  # Qt forgets its own when a widget wants another size

    def setGeometry(self, rect: QRect) -> None:
        before, self._size = self._size, rect.size()
        if before != rect.size():
            self.about_to_change.emit(before, rect.size())
        super().setGeometry(rect)
        if before != rect.size():
            self.has_changed.emit()


def _layouts(pages: QWidget) -> list[QLayout]:
    """Return the layouts of the widgets in nested splitters and stacks, also of hidden ones, without splitters and
    stacks.
    """
    out: list[QLayout] = []
    left: list[QWidget | None] = [pages]
    while left:
        at = left.pop()
        if isinstance(at, QSplitter | QStackedWidget):
            left += map(at.widget, range(at.count()))
        elif at is not None and (layout := at.layout()) is not None:
            out.append(layout)
    return out


def _lay_out(layout: QLayout) -> None:
    """Lay out the contents of a column for its present size; a hidden column is laid out when it is shown."""
    layout.setEnabled(True)
    column = layout.parentWidget()
    if column is None or not column.isVisible():
        layout.invalidate()
    elif not layout.activate():
        layout.setGeometry(column.contentsRect())


class Shown(NamedTuple):
    """The old picture of a window or of an area of it. `part` is the area in `picture`, in pixels of the screen."""

    picture: QImage
    part: QRect

    def area(self, place: QRect) -> Shown:
        """Return the old picture of an area of the window; `place` is in pixels of the window."""
        ratio = self.picture.devicePixelRatio()
        return Shown(self.picture, QRect(place.topLeft() * ratio, place.size() * ratio).intersected(self.part))


def _place(column: QWidget) -> QRect:
    """Return the area of a window that a column takes."""
    return QRect(column.mapTo(column.window(), QPoint()), column.size())


class _Copies(QObject):
    """Copies what a window shows, always into the same memory while its size changes again and again.

    The system needs two thirds of the time for handing out new memory: 4 of 6 ms at 2560×1440.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.memory = QImage()
        self._quiet = QTimer(self, singleShot=True)
        self._quiet.timeout.connect(self._forget)

    def of(self, window: QWidget) -> Shown | None:
        """Return the window's present content, cut to its new size; None if Qt cannot provide it."""
        if QGuiApplication.platformName() not in TELL_PICTURE:
            return None
        store: object = window.backingStore()  # None before the first paint
        device = store.paintDevice() if isinstance(store, QBackingStore) else None
        if not isinstance(device, QImage) or device.isNull():
            return None
        ratio = device.devicePixelRatio()
        part = device.rect().intersected(QRect(QPoint(), window.size() * ratio))
        self._make_room(part.size(), device.format())
        self.memory.setDevicePixelRatio(1)
        painter = QPainter(self.memory)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)  # copies without blending
        painter.drawImage(part, device, part)
        painter.end()
        self.memory.setDevicePixelRatio(ratio)
        self._quiet.start(FORGOTTEN)
        return Shown(self.memory, part)

    def _make_room(self, size: QSize, format: QImage.Format) -> None:
        if self.memory.format() != format or self.memory.size().expandedTo(size) != self.memory.size():
            self.memory = QImage(size + QSize(SUDDEN, SUDDEN), format)

    def _forget(self) -> None:
        self.memory = QImage()


class _OldPicture(QWidget):
    """Shows a picture over an area of a window, above all else in it, and background where the picture ends.

    Without a picture, it keeps Qt from painting anything, so that the window shows what was painted before.
    """

    def __init__(self, window: QWidget, area: QRect, shown: Shown | None) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._shown = shown
        self.setGeometry(area)
        self.show()
        self.raise_()

    def give_way(self) -> None:
        """Let the window show what is below."""
        if isValid(self):
            delete(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._shown is None:
            return
        picture, part = self._shown
        known = QRect(QPoint(), part.size() / picture.devicePixelRatio())
        painter = QPainter(self)
        painter.setClipRegion(event.region().subtracted(QRegion(known)))
        painter.fillRect(self.rect(), self.palette().window())
        painter.setClipRegion(event.region())
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.drawImage(QPoint(), picture, part)
        painter.end()
