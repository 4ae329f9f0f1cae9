"""The names of the two compared branches above their columns."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.surface import set_surface


@dataclass(frozen=True, slots=True)
class BranchFacts:
    """A compared branch. `color` is the token of its lane; `end` is the entry from which to continue it."""

    name: str
    color: str
    active: bool
    end: int | None


class CompareHead(QWidget):
    """The heads of both columns, side by side."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        set_surface(self, "bg")
        self.sides = (_SideHead(theme), _SideHead(theme))
        for side in self.sides:
            side.setParent(self)
        set_surface(self.sides[0], "bg", "right")
        self.middle = 0  # x of the right column

    def place(self, width: int, height: int) -> None:
        """Lay out both columns with equal width at the top edge."""
        self.middle = width // 2
        self.setGeometry(0, 0, width, height)
        self.sides[0].setGeometry(0, 0, self.middle, height)
        self.sides[1].setGeometry(self.middle, 0, self.middle, height)

    def sizeHint(self) -> QSize:
        """Return the size of one head."""
        return self.sides[0].sizeHint()

    @property
    def names(self) -> tuple[str, str]:
        """The names of the left and the right branch."""
        return self.sides[0].title.text(), self.sides[1].title.text()

    def show_branches(self, left: BranchFacts, right: BranchFacts) -> None:
        """Show the names and states of both branches."""
        for side, facts in zip(self.sides, (left, right), strict=True):
            side.show_branch(facts)


class _SideHead(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.dot = LaneDot(theme)
        self.title = ElidedLabel("", "title")
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.chip = label("", "chip")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[8], metrics.SPACE[6], metrics.SPACE[8], 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self.dot, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.title, 1000)
        row.addWidget(self.chip, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addStretch(1)

    def show_branch(self, facts: BranchFacts) -> None:
        self.dot.color = facts.color
        self.dot.update()
        self.title.setText(facts.name)
        self.chip.setText(self.tr("active") if facts.active else self.tr("abandoned"))


class LaneDot(QWidget):
    """A dot in the colour of a branch's lane."""

    def __init__(self, theme: Theme, color: str = "lane_1") -> None:
        super().__init__()
        self._theme = theme
        self.color = color
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        side = self._theme.px(metrics.LANE_DOT)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(self.color))
        painter.drawEllipse(QRectF(self.rect()))
        painter.end()
