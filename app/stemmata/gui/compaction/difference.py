"""The difference between the displayed summary and an earlier one or another one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from stemmata.domain.files.changed_lines import difference
from stemmata.gui.cards.diff_piece import DiffPiece
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import line, set_surface

SummaryVersion = tuple[str, str]  # name and text of a summary


class DiffCanvas(QWidget):
    """Paints a difference as the cards of edits do."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._piece: DiffPiece | None = None
        self._diff = ""
        set_surface(self, "raised")

    @property
    def diff(self) -> str:
        """The displayed lines, marked with + and -."""
        return self._diff

    def show_diff(self, diff: str) -> None:
        """Show lines marked with + and -; "" shows none."""
        self._diff = diff
        self.restyle()

    def restyle(self) -> None:
        """Lay out the lines in the colours and fonts of the theme."""
        self._piece = DiffPiece(CardStyle(self._theme, lambda _id: None), self._diff, gap=0) if self._diff else None
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._piece is None:
            return
        painter = QPainter(self)
        corner = self._piece.rect.topLeft()
        painter.translate(corner)
        self._piece.paint(painter, event.rect().translated(-corner))
        painter.end()

    def _fit(self) -> None:
        margin, height = self._theme.px(metrics.SPACE[3]), 0
        if self._piece is not None:
            pieces: list[Piece] = []
            width = max(self.width() - 2 * margin, 1)
            height = self._piece.place(margin, margin, width, pieces) + 2 * margin
        self.setMinimumHeight(height)
        self.update(QRect())
        self.update()


class DifferencePage(QWidget):
    """The difference, with the choice of the summary to compare with."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._versions: tuple[SummaryVersion, ...] = ()
        self._text = ""
        self._picked = ""  # name of the version that the user chose
        self.other = QComboBox()
        self.other.setAccessibleName(self.tr("Compare with"))
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.other.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.counts = label("", "small")
        self.canvas = DiffCanvas(theme)
        self.area = QScrollArea()
        self.area.setProperty("framed", True)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self.canvas)
        self.area.setAccessibleName(self.tr("Difference of the summaries"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(metrics.SPACE[3])
        column.addLayout(line(self.other, self.counts))
        column.addWidget(self.area, 1)
        self.other.currentIndexChanged.connect(lambda _index: self._show())
        self.other.activated.connect(lambda _index: self._pick())
        theme.changed.connect(self.canvas.restyle)

    def show_versions(self, versions: Sequence[SummaryVersion]) -> None:
        """Offer these summaries to compare with, the last one first; the chosen one stays chosen while it exists."""
        if tuple(versions) == self._versions:
            return
        names = [name for name, _text in versions]
        self._versions = tuple(versions)
        blocked = self.other.blockSignals(True)
        self.other.clear()
        self.other.addItems(names)
        self.other.setCurrentIndex(names.index(self._picked) if self._picked in names else len(names) - 1)
        self.other.blockSignals(blocked)
        self._show()

    def _pick(self) -> None:
        self._picked = self.other.currentText()

    def show_text(self, text: str) -> None:
        """Show how this text differs from the other summary, which is the older one."""
        self._text = text
        self._show()

    def _show(self) -> None:
        """Compare the texts, only while the page is visible: otherwise each typed letter would compare them."""
        if not self.isVisible() or not self._versions:
            return
        diff = difference(self._versions[self.other.currentIndex()][1], self._text)
        signs = [line[:1] for line in diff.splitlines()]
        told = self.tr("no difference")
        if diff:
            told = f"+{signs.count('+')} −{signs.count('-')}"
        self.counts.setText(told)
        self.area.setAccessibleDescription(told)
        self.canvas.show_diff(diff)
