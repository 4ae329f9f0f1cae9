"""The column that shows what the model sees: at an entry, or in the next request."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QVBoxLayout, QWidget

from stemmata.domain.entries.tokens import Figure
from stemmata.gui.context.breakdown import BreakdownSection
from stemmata.gui.context.cache import CacheFacts, CacheSection
from stemmata.gui.context.chart_section import OverTimeSection
from stemmata.gui.context.compact_block import CompactPreview
from stemmata.gui.context.largest import LargeItem, LargestSection
from stemmata.gui.core.actions import Actions
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.section import Fact, Section
from stemmata.gui.widgets.side_column import lay_out_column
from stemmata.gui.widgets.surface import set_surface
from stemmata.services.context.contexts import ContextView


class ContextColumn(QWidget):
    """Breakdown, its course over time, compact preview, largest items and model, one under the other."""

    entry_chosen = Signal(int)  # store key

    def __init__(self, theme: Theme, actions: Actions) -> None:
        super().__init__()
        self.setObjectName("contextView")
        set_surface(self, "panel")
        self.header = ColumnHeader(theme, self.tr("Context"))
        self._switch = self._build_switch(actions)
        self.header.add(self._switch)
        self.breakdown = BreakdownSection(theme)
        self.over_time = OverTimeSection(theme)
        self.preview = CompactPreview(theme)
        self.largest = LargestSection()
        self.largest.entry_chosen.connect(self.entry_chosen)
        self.cache = CacheSection(theme)
        self._model = Fact(self.tr("Model"))
        self._level = Fact(self.tr("Thinking"))
        self._factor = Fact(self.tr("Reserve"))
        self._lay_out()
        self.clear()

    def show_context(self, view: ContextView, items: Sequence[LargeItem], *, now: bool) -> None:
        """`now`: the context is that of the leaf, the next request; else of the selected entry."""
        title = self.tr("Next request") if now else self.tr("At the selected entry")
        self.breakdown.show_breakdown(title, view.breakdown, view.budget)
        self.largest.show_items(items)
        self._switch.setText(self.tr("Now") if now else self.tr("Selected entry"))
        self._model.set_value((view.model or view.projection.model).rpartition("/")[2] or "—")
        self._level.set_value(view.projection.level)
        self._factor.set_value(_reserve(view))
        self._facts.show()

    def clear(self) -> None:
        self.breakdown.clear()
        self.largest.show_items(())
        self.cache.show_cache(CacheFacts())
        self._facts.hide()

    def _build_switch(self, actions: Actions) -> QToolButton:
        switch = QToolButton()
        switch.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # its arrow knows no other
        switch.setText(self.tr("Now"))
        switch.setAccessibleName(self.tr("Which context is shown"))
        switch.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu, group = QMenu(switch), QActionGroup(switch)
        for id in ("context-now", "context-here"):
            group.addAction(actions[id])
            menu.addAction(actions[id])
        switch.setMenu(menu)
        return switch

    def _lay_out(self) -> None:
        self._facts = Section("", rule=True)
        self._facts.title.setText(self.tr("Request"))
        for fact in (self._model, self._level, self._factor):
            self._facts.body.addWidget(fact)
        content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        for part in (self.breakdown, self.over_time, self.preview, self.largest, self.cache, self._facts):
            inner.addWidget(part)
        inner.addStretch(1)
        lay_out_column(self, self.header, content)


def _reserve(view: ContextView) -> str:
    from stemmata.gui.widgets.context_words import figure_text

    return figure_text(Figure.reported(view.budget.reserve)) if view.budget.window is not None else "—"
