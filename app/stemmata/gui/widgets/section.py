"""A part of a side column: a small heading with a figure beside it, and lines of label and value under it."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.surface import set_surface
from stemmata.gui.widgets.wrapping import WrappingRow


class Section(QWidget):
    """`body` takes the content; `note` is the text at the right of the heading."""

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


def line(left: QWidget, *right: QWidget) -> QHBoxLayout:
    """Widgets on one line: the first takes what room there is, the others stand at the right."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(metrics.SPACE[4])
    row.addWidget(left, 1)
    for widget in right:
        row.addWidget(widget)
    return row


class Fact(QWidget):
    """`Summarise … 398 entries`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._value = ElidedLabel(name), ElidedLabel("", "dim")
        self.setLayout(WrappingRow(self._name, self._value))

    def set_value(self, text: str) -> None:
        self._value.setText(text)
        self.setAccessibleName(f"{self._name.text()}: {text}")

    @property
    def is_whole(self) -> bool:
        """Whether all of the value can be read."""
        return self._value.is_whole

    @property
    def value(self) -> str:
        return self._value.text()
