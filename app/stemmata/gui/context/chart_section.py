"""The chart of the context under its heading, which folds it away."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent

from stemmata.gui.context import chart_words as words
from stemmata.gui.context.chart import ContextChart
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import ArrowButton
from stemmata.gui.widgets.section import Section
from stemmata.services.context.contexts import Timeline


class OverTimeSection(Section):
    """Hidden while there is nothing to show. `note` says what is at the marker."""

    unfolded = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__("", rule=True)
        self.title.setText(self.tr("Over time"))
        self.chart = ContextChart(theme)
        self.fold = ArrowButton(theme, "chevron-down", self.tr("Fold the chart away"))
        self.fold.setCheckable(True)
        self.fold.toggled.connect(self._on_folded)
        self.head.addWidget(self.fold)
        self._theme = theme
        theme.changed.connect(self._restyle)
        self._restyle()
        self.body.addWidget(self.chart)
        self.chart.position_requested.connect(self._show_note)
        self.show_timeline(None)

    @property
    def is_folded(self) -> bool:
        return self.fold.isChecked()

    def show_timeline(self, timeline: Timeline | None, position: int = 0) -> None:
        self.chart.show_timeline(timeline, position)
        self.setVisible(self.chart.timeline is not None)
        self._show_note()

    def set_position(self, position: int) -> None:
        self.chart.set_position(position)
        self._show_note()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_note()

    def _show_note(self) -> None:
        timeline = self.chart.timeline
        if timeline is None:
            self.note.setText("")
            return
        full, short = words.notes(timeline.series, self.chart.position)
        margins, gaps = self.body.contentsMargins(), 2 * self.head.spacing()
        taken = margins.left() + margins.right() + gaps + self.title.sizeHint().width() + self.fold.sizeHint().width()
        fits = self.note.fontMetrics().horizontalAdvance(full) <= self.width() - taken
        self.note.setText(full if fits else short)

    def _restyle(self) -> None:
        """The heading gets no higher than those without a button."""
        side = self._theme.px(metrics.SMALL_LINE)
        self.fold.setFixedSize(side, side)

    def _on_folded(self) -> None:
        folded = self.fold.isChecked()
        self.chart.setVisible(not folded)
        name = self.tr("Unfold the chart") if folded else self.tr("Fold the chart away")
        self.fold.set_icon("chevron-right" if folded else "chevron-down")
        self.fold.setAccessibleName(name)
        self.fold.setToolTip(name)
        if not folded:
            self.unfolded.emit()
