"""The breakdown of a context: a stacked bar with a table of categories below it."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from stemmata.domain.context.breakdown import Breakdown, Budget, ScaleBasis
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.figures import Figure, FigureKind
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.context_words import COLORS, category_name, origin_text, percent_text
from stemmata.gui.widgets.figures import figure_text, tokens_text
from stemmata.gui.widgets.labels import ElidedLabel, label, set_plain_tip
from stemmata.gui.widgets.stacked_bar import Segment, StackedBar
from stemmata.gui.widgets.surface import TitledSection


class Swatch(QWidget):
    """A small square in the colour of a category."""

    def __init__(self, theme: Theme, color: str) -> None:
        super().__init__()
        self._theme = theme
        self._color = color
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(metrics.SWATCH), self._theme.px(metrics.SWATCH))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(self._color))
        painter.drawRoundedRect(QRectF(self.rect()), metrics.SPACE[1], metrics.SPACE[1])
        painter.end()


LEAST_SCALE = 0.005  # a smaller difference from 1 would be displayed as a factor of 1.00
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def segments_of(breakdown: Breakdown) -> list[Segment]:
    """Return the bar's segments for a breakdown, in the order of the categories."""
    return [
        Segment(figure.value, COLORS[category], f"{category_name(category)} {figure_text(figure)}")
        for category, figure in breakdown.categories.items()
        if figure.value
    ]


class _Row:
    """One row of the table. Every category has a row; a row without a figure is hidden."""

    def __init__(self, theme: Theme, color: str, name: str) -> None:
        self.swatch = Swatch(theme, color)
        self.name = ElidedLabel(name)
        self.value = label()
        self.percent = label("", "faint")
        for cell in (self.value, self.percent):
            cell.setAlignment(RIGHT)

    def put(self, grid: QGridLayout, row: int) -> None:
        """Add the widgets of the row to the grid."""
        for column, widget in enumerate((self.swatch, self.name, self.value, self.percent)):
            grid.addWidget(widget, row, column)

    def show(self, figure: Figure, whole: int, name: str = "", origin: str | None = None) -> None:
        """Show a figure and its share of `whole` tokens; `name` replaces the row's name when it is not empty.

        `origin` says how the figure is known; None if the figure's kind says it.
        """
        if name:
            self.name.setText(name)
        set_plain_tip(self.value, origin_text(figure) if origin is None else origin)
        self.value.setText(figure_text(figure))
        self.percent.setText("" if figure.value is None else percent_text(figure.value, whole))
        self.set_visible(on=True)

    def set_visible(self, *, on: bool) -> None:
        """Show or hide all widgets of the row."""
        for widget in (self.swatch, self.name, self.value, self.percent):
            widget.setVisible(on)

    @property
    def texts(self) -> tuple[str, str, str]:
        """Return the displayed name, figure and share."""
        return self.name.text(), self.value.text(), self.percent.text()


class BreakdownSection(TitledSection):
    """The section "Breakdown". Estimated figures carry ≈, counted ones =; an unknown category shows a dash."""

    count_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__("")
        self._theme = theme
        self.bar = StackedBar(theme, name=self.tr("Next request"))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(metrics.SPACE[4])
        self._grid.setVerticalSpacing(metrics.SPACE[2])
        self._grid.setColumnStretch(1, 1)
        self._rows = {category: _Row(theme, COLORS[category], category_name(category)) for category in Category}
        self._free = _Row(theme, "free", self.tr("Until auto-compact"))
        for at, row in enumerate((*self._rows.values(), self._free)):
            row.put(self._grid, at)
        self.remark: QLabel = label("", "faint", wrap=True)
        self.body.addWidget(self.bar)
        self.body.addLayout(self._grid)
        self.body.addWidget(self.remark)
        self.count = push_button(self.tr("Count exactly"), self.count_wanted.emit, look="link")
        set_plain_tip(self.count, self.tr("Ask the provider how many tokens this request has"))
        beside = QHBoxLayout()
        beside.addSpacing(-metrics.SPACE[2] - metrics.BORDER)  # the link's text begins where the other texts do
        beside.addWidget(self.count)
        beside.addStretch(1)
        self.body.addLayout(beside)
        self.clear()

    def show_breakdown(self, title: str, breakdown: Breakdown, budget: Budget) -> None:
        """Show a breakdown under `title`, with the reserve and the free space of `budget`."""
        self.title.setText(title)
        self.bar.setAccessibleName(title)
        self._show_total(breakdown)
        self.bar.set_segments(segments_of(breakdown), breakdown.window or 0)
        whole = breakdown.window or breakdown.total.value or 0
        tools_known = breakdown.categories[Category.TOOL_DEFINITIONS].value is not None
        inferred = self.tr("Inferred from the first reported total: the tokens that are not messages")
        for category, figure in breakdown.categories.items():
            row = self._rows[category]
            if category is Category.SYSTEM and not tools_known:
                row.show(figure, whole, self.tr("System and tools"), inferred if figure.value else "")
            elif figure.value:
                row.show(figure, whole, category_name(category))
            else:
                row.set_visible(on=False)
        self._show_free(breakdown, budget, whole)
        self._show_remark(breakdown)
        is_counted = breakdown.categories[Category.SYSTEM].kind is FigureKind.COUNTED
        self.count.setVisible(not is_counted)  # a counted context needs no button to count it

    def show_counting(self, *, on: bool) -> None:
        """Show whether the provider is being asked for a count."""
        self.count.setEnabled(not on)
        self.count.setText(self.tr("Counting…") if on else self.tr("Count exactly"))

    def clear(self) -> None:
        """Show no figures."""
        self.title.setText(self.tr("Next request"))
        self.note.setText("—")
        self.bar.set_segments((), 0)
        for row in (*self._rows.values(), self._free):
            row.set_visible(on=False)
        self.remark.hide()
        self.count.hide()

    @property
    def table(self) -> list[tuple[str, str, str]]:
        """Return the visible rows of the table as (name, figure, share)."""
        rows = (*self._rows.values(), self._free)
        return [row.texts for row in rows if not row.name.isHidden()]

    def _show_total(self, breakdown: Breakdown) -> None:
        total = figure_text(breakdown.total)
        set_plain_tip(self.note, origin_text(breakdown.total))
        if breakdown.window is None:
            self.note.setText(total)
        else:
            self.note.setText(self.tr("{0} of {1}").format(total, tokens_text(breakdown.window)))

    def _show_free(self, breakdown: Breakdown, budget: Budget, whole: int) -> None:
        if budget.trigger is None or breakdown.total.value is None:
            self._free.set_visible(on=False)
            return
        free = max(0, budget.trigger - breakdown.total.value)
        self._free.show(Figure(free, breakdown.total.kind), whole, origin="")

    def _show_remark(self, breakdown: Breakdown) -> None:
        remarks = []
        if breakdown.window is None:
            remarks.append(self.tr("This model's context window is unknown."))
        if breakdown.basis is ScaleBasis.COUNT:
            remarks.append(self.tr("= counted by the provider, ≈ estimated"))
        elif breakdown.basis is ScaleBasis.MESSAGES:
            remarks.append(
                self.tr("No reply reported the context's size. The figures are estimates of the messages only.")
            )
        elif abs(breakdown.factor - 1) > LEAST_SCALE:
            text = self.tr("Estimates adjusted ×{0} to match the reported total.")
            remarks.append(text.format(QLocale().toString(breakdown.factor, "f", 2)))
        self.remark.setText(" ".join(remarks))
        self.remark.setVisible(bool(remarks))
