"""The context before and after a compaction, as two bars to one scale, and what each choice comes to."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.entries.path_totals import Category
from stemmata.gui.context.breakdown import segments_of
from stemmata.gui.context.compact_offer import Offer
from stemmata.gui.context.keep_slider import entries_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.context_words import figure_text, tokens_text
from stemmata.gui.widgets.figures import change
from stemmata.gui.widgets.labels import set_property
from stemmata.gui.widgets.section import Fact, Section
from stemmata.gui.widgets.stacked_bar import StackedBar


def tr(text: str) -> str:
    return QCoreApplication.translate("WorkbenchPanel", text)


class CompactionSizes(Section):
    """The parts add up to the bars: what is summarised, pinned and kept to the one, the rest to the other."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("")
        self.title.setText(tr("Before"))
        self._before, self._after = StackedBar(theme, name=tr("Before")), StackedBar(theme, name=tr("After"))
        self.body.addWidget(self._before)
        self.left = Section(tr("After"))
        self.left.body.setContentsMargins(0, metrics.SPACE[2], 0, 0)
        self.left.body.addWidget(self._after)
        self.facts = {
            "summary": Fact(tr("Summary")),
            "pinned": Fact(tr("Pinned")),
            "kept": Fact(tr("Kept word for word")),
            "summarised": Fact(tr("Summarised")),
            "dropped": Fact(tr("Tool output left out")),
            "system": Fact(tr("System and tools")),
        }
        for fact in self.facts.values():
            self.left.body.addWidget(fact)
        self.body.addWidget(self.left)

    def show_offer(self, offer: Offer) -> None:
        self.note.setText(self._before_text(offer))
        saved = offer.saved_percent
        changed = "" if saved is None else f" · {change(-saved)}"
        self.left.note.setText(figure_text(offer.after.total) + changed)
        set_property(self.left.note, "role", "changed")
        whole = offer.before.window or offer.before.total.value or 0
        self._before.set_segments(segments_of(offer.before), whole)
        self._after.set_segments(segments_of(offer.after), whole)
        self._show_facts(offer)

    def _show_facts(self, offer: Offer) -> None:
        plan, facts, emptied = offer.preview.plan, self.facts, offer.forecast.emptied
        facts["summary"].set_value(figure_text(offer.summary))
        for name, count, figure in (
            ("pinned", len(plan.pinned), offer.pinned),
            ("kept", len(plan.kept), offer.kept),
            ("summarised", offer.summarised, offer.replaced),
            ("dropped", emptied, offer.dropped),
        ):
            facts[name].set_value(f"{entries_text(count)} · {figure_text(figure)}")
        facts["pinned"].setVisible(bool(plan.pinned))
        facts["dropped"].setVisible(bool(emptied))
        facts["system"].set_value(figure_text(offer.after.categories[Category.SYSTEM]))

    def _before_text(self, offer: Offer) -> str:
        total = figure_text(offer.before.total)
        window = offer.before.window
        return total if window is None else tr("{0} of {1}").format(total, tokens_text(window))
