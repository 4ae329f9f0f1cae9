"""Widgets with a background and borders, and the layouts around them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QFocusFrame, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label, set_property
from stemmata.gui.widgets.wrapping import WrappingRow


def lay_out_column(host: QWidget, header: QWidget, content: QWidget) -> QVBoxLayout:
    """Put a header and a scrolling content into `host`; returns the layout, so that a foot can be added.

    Call it before the content is filled: Qt styles all widgets of a tree again whenever the tree gets another parent.
    """
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the area scrolls to its focused child instead
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    column = QVBoxLayout(host)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(header)
    column.addWidget(scroll, 1)
    scroll.setWidget(content)
    content.setAutoFillBackground(False)  # Qt paints an opaque widget, and again with the column around it
    return column


class Shadow(QFocusFrame):
    """The shadow of a widget that lies over its siblings, such as a toast. It follows the widget.

    It is not a graphics effect: Qt renders a widget with an effect into a pixmap, again after each change near it,
    and before that lays out every hidden widget of the window. It is a focus frame, because Qt does not report those
    to screen readers; unlike Qt's own, it is not attached to its widget.
    """

    def __init__(self, widget: QWidget, theme: Theme) -> None:
        super().__init__(widget.parentWidget())
        self._widget, self._theme = widget, theme
        self._corners: tuple[tuple[int, float, bool], QImage] | None = None  # for a blur, a pixel ratio, and dark
        self.hide()
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._widget:
            match event.type():
                case QEvent.Type.Show | QEvent.Type.Move | QEvent.Type.Resize | QEvent.Type.ZOrderChange:
                    self._follow()
                case QEvent.Type.Hide:
                    self.hide()
        return False

    @property
    def reach(self) -> int:
        """How far the shadow reaches beyond the widget's edges, in pixels, before it is moved down."""
        return self._theme.px(metrics.HEADER)

    def _follow(self) -> None:
        reach, widget = self.reach, self._widget
        drop = QPoint(0, self._theme.px(metrics.SPACE[5]))
        self.setGeometry(widget.geometry().translated(drop).adjusted(-reach, -reach, reach, reach))
        self.stackUnder(widget)
        self.setVisible(widget.isVisible())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the shadow from a small blurred square: its corners, and between them its stretched middle."""
        blur, side = self.reach, 2 * self.reach
        picture, ratio = self._picture(blur), self.devicePixelRatioF()
        painter = QPainter(self)
        across, down = min(side, self.width() // 2), min(side, self.height() // 2)  # size of a corner
        xs, ys = (0, across, self.width() - across), (0, down, self.height() - down)
        widths, heights = (across, xs[2] - across, across), (down, ys[2] - down, down)
        from_at, from_size = (0, side, side + 1), (side, 1, side)
        for row in range(3):
            for column in range(3):
                target = QRectF(xs[column], ys[row], widths[column], heights[row])
                source = QRectF(from_at[column], from_at[row], from_size[column], from_size[row])
                scaled = QRectF(source.topLeft() * ratio, source.size() * ratio)
                painter.drawImage(target, picture, scaled)
        painter.end()

    def _picture(self, blur: int) -> QImage:
        """Return a square of 4 × blur + 1 pixels whose edges fade over 2 × blur."""
        ratio, is_dark = self.devicePixelRatioF(), self._theme.dark
        known = (blur, ratio, is_dark)
        if self._corners is None or self._corners[0] != known:
            side = 4 * blur + 1
            picture = QImage(round(side * ratio), round(side * ratio), QImage.Format.Format_ARGB32_Premultiplied)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            painter.scale(ratio, ratio)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            darkest = metrics.SHADOW_DARK if is_dark else metrics.SHADOW
            for inset in range(2 * blur):  # lines from the outside in, each darker than the previous one
                part = (inset + 1) / (2 * blur)
                painter.setBrush(QColor.fromRgbF(0, 0, 0, darkest * part * part * (3 - 2 * part)))
                radius = max(2 * blur - inset, metrics.RADIUS_PANEL)
                painter.drawRoundedRect(QRectF(inset, inset, side - 2 * inset, side - 2 * inset), radius, radius)
            painter.end()
            self._corners = known, picture
        return self._corners[1]


def cast_shadow(widget: QWidget, theme: Theme) -> Shadow:
    """Give a widget over its siblings the shadow of pop-ups."""
    return Shadow(widget, theme)


Edge = Literal["", "top", "bottom", "left", "right"]
Surface = Literal["", "bg", "panel", "raised"]


def set_surface(widget: QWidget, surface: Surface = "", edge: Edge = "") -> None:
    """Let the style sheet paint a widget's background and border; Qt does not paint plain widgets by default."""
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    if surface:
        widget.setProperty("surface", surface)
    if edge:
        widget.setProperty("edge", edge)


class TitledSection(QWidget):
    """A titled section: `body` is the layout for its content, `note` the label at the right of the heading."""

    def __init__(self, title: str, *, rule: bool = False) -> None:
        super().__init__()
        if rule:
            set_surface(self, edge="top")
        self.title = label(title, "section")
        self.note = label("", "small")
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(metrics.SPACE[6], metrics.SPACE[5], metrics.SPACE[6], metrics.SPACE[5])
        self.body.setSpacing(metrics.SPACE[3])
        self.head = WrappingRow(self.title, self.note)
        self.body.addLayout(self.head)


@contextmanager
def laid_out_once(*widgets: QWidget) -> Iterator[None]:
    """Lay out the given widgets, the outermost first, once at the end of the block.

    Otherwise Qt lays them out whenever a widget in them is shown, which takes longer than a frame in a large column.
    """
    layouts = [layout for widget in widgets if (layout := widget.layout()) is not None]
    for layout in layouts:
        layout.setEnabled(False)
    try:
        yield
    finally:
        for layout in layouts:
            layout.setEnabled(True)
        layouts[0].activate()


def line(left: QWidget, *right: QWidget) -> QHBoxLayout:
    """Return a horizontal layout in which `left` stretches and the other widgets stay at the right."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(metrics.SPACE[4])
    row.addWidget(left, 1)
    for widget in right:
        row.addWidget(widget)
    return row


class FactLine(QWidget):
    """A line with a name and a value, `Summarise … 398 entries`, or with two values, each in a column of its own."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._value = ElidedLabel(name), _ColumnLabel()
        self._second: _ColumnLabel | None = None  # created with the first pair
        self._row = WrappingRow(self._name, self._value)
        self.setLayout(self._row)

    def set_value(self, text: str) -> None:
        """Set the value."""
        self._show(text)
        set_property(self._value, "role", "dim")
        self.setAccessibleName(f"{self._name.text()}: {text}")

    def set_pair(self, first: str, second: str, names: tuple[str, str], *, used: int) -> None:
        """Set two values, whose columns have these names; `used` is the number of the column that stands out."""
        self._show(first, second)
        for at, part in enumerate(self._labels()):
            set_property(part, "role", "" if at == used else "dim")
        told = ", ".join(f"{name} {text}" for name, text in zip(names, (first, second), strict=True))
        self.setAccessibleName(f"{self._name.text()}: {told}")

    def _show(self, *texts: str) -> None:
        if self._second is None and len(texts) > 1:
            self._second = _ColumnLabel()
            self._row.addWidget(self._second)
        if self._second is not None:
            self._second.setVisible(len(texts) > 1)
        for part, text in zip(self._labels(), texts, strict=False):
            part.show_text(text, in_column=len(texts) > 1)

    def _labels(self) -> list[_ColumnLabel]:
        return [part for part in (self._value, self._second) if part is not None]

    @property
    def is_whole(self) -> bool:
        """Whether all values are visible as a whole."""
        return all(part.is_whole for part in self._labels())

    @property
    def value(self) -> str:
        """The value; two values with ` | ` between them."""
        return " | ".join(part.text() for part in self._labels() if not part.isHidden())


class _ColumnLabel(ElidedLabel):
    """A value, in a column at least as wide as `WIDEST` when there are two."""

    WIDEST = "888 · ≈ 888.8k"

    def __init__(self) -> None:
        super().__init__("", "dim")
        self._in_column = False
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def show_text(self, text: str, *, in_column: bool) -> None:
        """Show a text, right-aligned."""
        if in_column is not self._in_column:
            self._in_column = in_column
            self.updateGeometry()
        self.setText(text)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        least = self.fontMetrics().horizontalAdvance(self.WIDEST) if self._in_column else 0
        return QSize(max(hint.width(), least), hint.height())
