"""Widgets with a background and borders, and the layouts around them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.wrapping import WrappingRow


def lay_out_column(host: QWidget, header: QWidget, content: QWidget) -> QVBoxLayout:
    """Put a header and a scrolling content into `host`; returns the layout, so that a foot can be added."""
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the area scrolls to its focused child instead
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setWidget(content)
    column = QVBoxLayout(host)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(header)
    column.addWidget(scroll, 1)
    return column


def cast_shadow(widget: QWidget, theme: Theme) -> None:
    """Give a widget the shadow of pop-ups."""
    shadow = QGraphicsDropShadowEffect(widget)
    shadow.setBlurRadius(theme.px(metrics.HEADER))
    shadow.setOffset(0, theme.px(metrics.SPACE[5]))
    widget.setGraphicsEffect(shadow)


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
    """Lay out these widgets, the outermost first, once at the end.

    Otherwise Qt does so each time when one in them is shown, which for a column of figures takes longer than a frame.
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
    """Return a horizontal layout in which `left` stretches and the others stay at the right."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(metrics.SPACE[4])
    row.addWidget(left, 1)
    for widget in right:
        row.addWidget(widget)
    return row


class FactLine(QWidget):
    """A line with a name and a value: `Summarise … 398 entries`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._value = ElidedLabel(name), ElidedLabel("", "dim")
        self.setLayout(WrappingRow(self._name, self._value))

    def set_value(self, text: str) -> None:
        """Set the value."""
        self._value.setText(text)
        self.setAccessibleName(f"{self._name.text()}: {text}")

    @property
    def is_whole(self) -> bool:
        """Whether the whole value is visible."""
        return self._value.is_whole

    @property
    def value(self) -> str:
        """The value."""
        return self._value.text()
