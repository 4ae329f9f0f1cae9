"""The context column's widgets: the model's context at an entry or in the next request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QVBoxLayout, QWidget

from stemmata.domain.entries.entry import Usage
from stemmata.domain.entries.figures import Figure
from stemmata.gui.cards.usage_words import cache_miss_text
from stemmata.gui.context.breakdown import BreakdownSection
from stemmata.gui.context.chart import OverTimeSection
from stemmata.gui.context.compact_block import CompactPreview
from stemmata.gui.context.duplicates import DuplicatesSection
from stemmata.gui.context.item_button import ItemButton, LargeItem
from stemmata.gui.core.actions import Actions
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import figure_text, percent
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.stacked_bar import Segment, StackedBar
from stemmata.gui.widgets.surface import FactLine, TitledSection, laid_out_once, lay_out_column, set_surface
from stemmata.services.context.contexts import ContextView

SHOWN = 6


class LargestSection(TitledSection):
    """The section "Largest".

    It reuses its buttons: creating new ones would cost a frame at each step of the chart.
    """

    entry_chosen = Signal(int)  # store key

    def __init__(self) -> None:
        super().__init__("", rule=True)
        self.body.setSpacing(metrics.SPACE[1])
        self._buttons = [ItemButton() for _ in range(SHOWN)]
        for button in self._buttons:
            button.clicked.connect(partial(self._on_clicked, button))
            self.body.addWidget(button)
        self.show_items(())

    def show_items(self, items: Sequence[LargeItem], title: str = "") -> None:
        """Show `items`; `title` replaces the heading when they are not the largest of the context."""
        self.title.setText(title or self.tr("Largest in context"))
        for button, item in zip_longest(self._buttons, items[:SHOWN]):
            button.setVisible(item is not None)
            if item is not None:
                button.show_item(item)
        self.setVisible(bool(items))

    @property
    def buttons(self) -> list[ItemButton]:
        """The visible buttons."""
        return [button for button in self._buttons if not button.isHidden()]

    def _on_clicked(self, button: ItemButton) -> None:
        self.entry_chosen.emit(button.key)


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """Cache figures of the latest `replies`, in tokens: `sent` with the requests, `read` of those from the cache.

    `miss` is the reason why the last request missed the cache, or "".
    """

    replies: int = 0
    sent: int = 0
    read: int = 0
    written: int = 0
    miss: str = ""

    @classmethod
    def of(cls, usages: Sequence[Usage | None], details: str = "") -> CacheFacts:
        """Add up the usages of replies. `details` is the JSON text of the last reply's details."""
        known = [usage for usage in usages if usage is not None and usage.sent]
        return cls(
            len(known),
            sum(usage.sent for usage in known),
            sum(usage.cache_read for usage in known),
            sum(usage.cache_write for usage in known),
            _miss(details),
        )


class CacheSection(TitledSection):
    """The section "Cache". Hidden when no reply reports its input, or when no request used the cache."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(self.tr("Cache"), rule=True)
        self.setObjectName("cacheSection")
        self._bar = StackedBar(theme, metrics.THIN_BAR, self.tr("Cache"))
        self._miss = label("", "small", wrap=True)
        self.body.addWidget(self._bar)
        self.body.addWidget(self._miss)
        self.hide()

    def show_cache(self, facts: CacheFacts) -> None:
        """Show cache figures, or hide the section."""
        self.setVisible(bool(facts.read or facts.written))
        if not facts.sent:
            return
        self.note.setText(self.tr("{0} read").format(percent(100 * facts.read // facts.sent)))
        self._bar.set_segments([Segment(facts.read, "good", self.note.text())], facts.sent)
        self.setToolTip(self.tr("Input of the last %Ln replies", None, facts.replies))
        miss = cache_miss_text(facts.miss)
        self._miss.setText(self.tr("Last request missed the cache: {0}").format(miss) if miss else "")
        self._miss.setVisible(bool(miss))

    @property
    def texts(self) -> tuple[str, str]:
        """The two displayed texts."""
        return self.note.text(), self._miss.text()


def _miss(details: str) -> str:
    try:
        value = json.loads(details or "{}")
    except (ValueError, RecursionError):
        return ""
    return str(value.get("cache_miss") or "") if isinstance(value, dict) else ""


class ContextColumn(QWidget):
    """The column: breakdown, chart over time, compact preview, duplicates, largest entries, cache and model."""

    entry_chosen = Signal(int)  # store key

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextView")
        set_surface(self, "panel")
        self.header = ColumnHeader(theme, self.tr("Context"))
        self._switch = self._build_switch(actions)
        self.header.add(self._switch)
        self.breakdown = BreakdownSection(theme)
        self.breakdown.count_wanted.connect(actions["count-context"].trigger)
        self.over_time = OverTimeSection(theme)
        self.preview = CompactPreview(theme)
        self.duplicates = DuplicatesSection()
        self.duplicates.entry_chosen.connect(self.entry_chosen)
        self.largest = LargestSection()
        self.largest.entry_chosen.connect(self.entry_chosen)
        self.cache = CacheSection(theme)
        self._model = FactLine(self.tr("Model"))
        self._level = FactLine(self.tr("Thinking"))
        self._factor = FactLine(self.tr("Reserve"))
        self._automatic = FactLine(self.tr("Automatic compaction"))
        self._lay_out()
        self.clear()

    def show_context(self, view: ContextView, items: Sequence[LargeItem], *, now: bool, automatic: str = "") -> None:
        """Show a context. `now` means the context of the next request, otherwise that of the selected entry.

        `automatic` says when the session is compacted automatically.
        """
        title = self.tr("Next request") if now else self.tr("At the selected entry")
        with laid_out_once(self._content, self.breakdown, self.largest, self._facts):
            self.breakdown.show_breakdown(title, view.breakdown, view.budget)
            self.largest.show_items(items)
            self._facts.show()
        self._switch.setText(self.tr("Now") if now else self.tr("Selected entry"))
        self._model.set_value((view.model or view.projection.model).rpartition("/")[2] or "—")
        self._level.set_value(view.projection.level)
        self._factor.set_value(_reserve(view))
        self._automatic.set_value(automatic or "—")

    @property
    def automatic(self) -> str:
        """The displayed text about automatic compaction."""
        return self._automatic.value

    def clear(self) -> None:
        """Show an empty column, while no session is open."""
        with laid_out_once(self._content, self.breakdown, self.duplicates, self.largest, self.cache, self._facts):
            self.breakdown.clear()
            self.largest.show_items(())
            self.duplicates.clear()
            self.cache.show_cache(CacheFacts())
            self._facts.hide()

    def _build_switch(self, actions: Actions) -> QToolButton:
        switch = QToolButton()
        switch.setLayoutDirection(
            Qt.LayoutDirection.LeftToRight
        )  # the arrow of the switch is drawn for left-to-right only
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
        self._facts = TitledSection("", rule=True)
        self._facts.title.setText(self.tr("Request"))
        for fact in (self._model, self._level, self._factor, self._automatic):
            self._facts.body.addWidget(fact)
        self._content = content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        lay_out_column(self, self.header, content)
        above = (self.breakdown, self.over_time, self.preview, self.duplicates)
        for part in (*above, self.largest, self.cache, self._facts):
            inner.addWidget(part)
        inner.addStretch(1)


def _reserve(view: ContextView) -> str:

    return figure_text(Figure.reported(view.budget.reserve)) if view.budget.window is not None else "—"
