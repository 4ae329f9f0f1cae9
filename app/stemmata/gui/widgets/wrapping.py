"""A row layout that wraps: widgets without room beside the first go to lines below, aligned to the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from stemmata.gui.theme import metrics

_GAP = metrics.SPACE[1]  # pixels between two lines


@dataclass(slots=True)
class _Line:
    items: list[tuple[QLayoutItem, int]] = field(default_factory=list)  # items with their widths in pixels
    width: int = 0

    def widen(self, width: int) -> None:
        """Let the first item fill the rest of the line."""
        (item, wanted), *others = self.items
        self.items = [(item, wanted + max(0, width - self.width)), *others]
        self.width = max(width, self.width)

    def height(self) -> int:
        """Return the height of the line, in pixels."""
        return max(_height(item, width) for item, width in self.items)


class WrappingRow(QLayout):
    """A row that wraps into several lines. The first widget stretches; the widest one sets the minimum width.

    Where two lines are enough, the others stay together on the second one.
    """

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        # by width, until `invalidate`, since Qt asks for each of them many times while a window is resized
        self._broken: dict[int, list[_Line]] = {}
        self._heights: dict[int, int] = {}
        self._minimum: QSize | None = None
        self.setContentsMargins(QMargins())
        self.setSpacing(metrics.SPACE[4])
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def invalidate(self) -> None:
        self._broken, self._heights, self._minimum = {}, {}, None
        super().invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            lines = self._lines(width)
            gaps = _GAP * max(0, len(lines) - 1)
            self._heights[width] = sum(line.height() for line in lines) + gaps
        return self._heights[width]

    def sizeHint(self) -> QSize:
        """The size with all widgets on one line."""
        shown = self._shown()
        width = sum(map(_preferred_width, shown)) + self.spacing() * max(0, len(shown) - 1)
        return QSize(width, max((item.sizeHint().height() for item in shown), default=0))

    def minimumSize(self) -> QSize:
        if self._minimum is None:
            shown = self._shown()
            self._minimum = QSize(
                max((item.minimumSize().width() for item in shown), default=0),
                max((_height(item, item.sizeHint().width()) for item in shown), default=0),
            )
        return self._minimum

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        top = rect.top()
        for line in self._lines(rect.width()):
            height = line.height()
            self._put(line, QRect(rect.left(), top, rect.width(), height))
            top += height + _GAP

    def _put(self, line: _Line, place: QRect) -> None:
        left = place.left() + max(0, place.width() - line.width)
        for item, width in line.items:
            height = min(place.height(), _height(item, width))
            item.setGeometry(
                self._mirrored(QRect(left, place.top() + (place.height() - height) // 2, width, height), place)
            )
            left += width + self.spacing()

    def _mirrored(self, rect: QRect, place: QRect) -> QRect:
        host = self.parentWidget()
        if host is not None and host.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            rect.moveLeft(place.left() + place.right() - rect.right())
        return rect

    def _lines(self, width: int) -> list[_Line]:
        """Return the lines for a width. A widget wider than the line gets the whole line."""
        known = self._broken.get(width)
        if known is not None:
            return known
        shown = self._shown()
        lines = self._broken_lines(shown, width)
        if len(lines) > 1:
            apart = [*self._broken_lines(shown[:1], width), *self._broken_lines(shown[1:], width)]
            lines = apart if len(apart) == len(lines) else lines
        if lines:
            lines[0].widen(width)
        self._broken[width] = lines
        return lines

    def _broken_lines(self, shown: list[QLayoutItem], width: int) -> list[_Line]:
        lines: list[_Line] = []
        for item in shown:
            wanted = min(_preferred_width(item), max(width, item.minimumSize().width()))
            more = wanted + (self.spacing() if lines and lines[-1].items else 0)
            if not lines or lines[-1].width + more > width:
                lines.append(_Line())
                more = wanted
            lines[-1].items.append((item, wanted))
            lines[-1].width += more
        return lines

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]


def _preferred_width(item: QLayoutItem) -> int:
    """Return the width that an item asks for; wrapping text asks for half, since it may break once."""
    widget = item.widget()
    hint = (widget or item).sizeHint().width()  # the layout item of an elided label reports 0
    return max(item.minimumSize().width(), hint // 2) if item.hasHeightForWidth() else hint


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
