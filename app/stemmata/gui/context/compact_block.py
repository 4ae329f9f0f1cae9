"""The compact preview: the effect of a compaction on the context, shown before anything is changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSlider, QVBoxLayout, QWidget

from stemmata.domain.compaction.forecast import Forecast
from stemmata.domain.compaction.pruning import PrunePlan
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.figures import Figure
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.gui.context.breakdown import segments_of
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.context_words import figure_with_noun, tr
from stemmata.gui.widgets.figures import figure_text, percent
from stemmata.gui.widgets.labels import ElidedLabel, label, set_property
from stemmata.gui.widgets.stacked_bar import StackedBar
from stemmata.gui.widgets.surface import FactLine, TitledSection, laid_out_once
from stemmata.gui.widgets.wrapping import WrappingRow
from stemmata.services.compaction.request import Preview

LEAST_PERCENT = 5  # share of the context that a compaction must save to be recommended


@dataclass(frozen=True, slots=True)
class Offer:
    """A possible compaction with its forecast. `prune` is the pruning that would run first, or None.

    The forecast includes the pruning when it is chosen. Every figure is scaled as the context's figures are.
    """

    preview: Preview
    forecast: Forecast
    prune: PrunePlan | None
    gain: int = 0  # estimated tokens by which pruning first makes the context after the compaction smaller

    @property
    def before(self) -> Breakdown:
        """The breakdown of the context now."""
        return self.preview.before

    @property
    def after(self) -> Breakdown:
        """The forecast breakdown after the compaction."""
        return self.forecast.after

    @property
    def summary(self) -> Figure:
        """The forecast size of the summary."""
        return self.figure(self.forecast.summary)

    @property
    def kept(self) -> Figure:
        """The size of the kept entries."""
        return self.figure(self.forecast.kept)

    @property
    def pinned(self) -> Figure:
        """The size of the pinned entries."""
        return self.figure(self.forecast.pinned)

    @property
    def skills(self) -> Figure:
        """The size of the active skills, which no compaction removes."""
        return self.figure(self.forecast.skills)

    @property
    def dropped(self) -> Figure:
        """The size of the kept tool results that pruning leaves out of the context."""
        return self.figure(self.forecast.dropped)

    @property
    def replaced(self) -> Figure:
        """The size of the entries that the summary replaces, an earlier summary included."""
        return self.figure(self.forecast.summarised)

    @property
    def freed(self) -> Figure | None:
        """The tokens that the pruning alone frees; None when nothing can be pruned."""
        return None if self.prune is None else self.figure(self.prune.freed)

    @property
    def is_branch_summary(self) -> bool:
        """Whether a branch summary replaces everything from an entry on, and the entries above it are kept."""
        return self.preview.plan.first_summarised is not None

    @property
    def most_kept(self) -> int:
        """The largest number of tokens that can be kept: the size of the context, limited by the window."""
        there = self.forecast.scaled(self.forecast.kept + self.forecast.summarised)
        return there if self.before.window is None else min(there, self.before.window)

    @property
    def summarised(self) -> int:
        """The number of entries that the summary replaces."""
        return len(self.preview.plan.summarised) + len(self.preview.plan.turn_prefix)

    def figure(self, tokens: int) -> Figure:
        """Return an estimate as a figure, scaled as the context's figures are."""
        return Figure.estimated(self.forecast.scaled(tokens))

    @property
    def is_worth_it(self) -> bool:
        """Whether the compaction saves at least `LEAST_PERCENT` of the context, or its size is unknown."""
        saved = self.saved_percent
        return self.before.total.value != 0 and (saved is None or saved >= LEAST_PERCENT)

    @property
    def saved_percent(self) -> int | None:
        """The share of the context that the compaction saves, in percent; None when unknown or nothing to save."""
        before, after = self.before.total.value, self.after.total.value
        return None if not before or after is None else round(100 * (before - after) / before)


def offer_of(preview: Preview, prune: PrunePlan | None, line: PathTotals, *, prune_first: bool) -> Offer:
    """Build the offer for a preview. `line` is a path that contains the plan's entries."""
    forecast, plan = preview.forecast, preview.plan
    if prune is None:
        return Offer(preview, forecast, None)
    pruned = forecast.with_pruned(context_at(line.tree, plan.parent, line), plan, prune.pruned)
    return Offer(preview, pruned if prune_first else forecast, prune, pruned.dropped)


def with_summary(offer: Offer, tokens: int) -> Offer:
    """Return the offer with the written summary's estimated size in place of the forecast one."""
    preview = replace(offer.preview, forecast=offer.preview.forecast.with_summary(tokens))
    return replace(offer, preview=preview, forecast=offer.forecast.with_summary(tokens))


STEP = 100  # tokens


def keep_text(offer: Offer) -> str:
    """Describe the kept part: `≈ 20k tokens · 14 entries`. Only whole entries are kept."""
    return f"{figure_with_noun(offer.kept)} · {entries_text(len(offer.preview.plan.kept))}"


def keep_brief(offer: Offer) -> str:
    """Describe the kept part for a narrow column: `≈ 20k · 14 entries`."""
    return f"{figure_text(offer.kept)} · {entries_text(len(offer.preview.plan.kept))}"


def entries_text(count: int) -> str:
    """Return a number of entries with its noun: `14 entries`."""
    return tr("%Ln entries", None, count)


def pruning_text(offer: Offer) -> str:
    """Describe how many more tokens a compaction saves after a pruning: `saves ≈ 2.1k more`; `—` when nothing can be
    pruned.

    Results in the summarised part do not count, since the summary replaces them anyway.
    """
    if offer.prune is None:
        return "—"
    more = offer.figure(offer.gain)
    return tr("saves {0} more").format(figure_text(more)) if more.value else tr("saves nothing more")


def prune_only_text(offer: Offer) -> str:
    """Describe how many tokens a pruning without a compaction frees:

    `Prune only frees ≈ 57.8k.`; "" when nothing can be pruned.
    """
    return "" if offer.freed is None else tr("Prune only frees {0}.").format(figure_text(offer.freed))


def doubt_text(offer: Offer) -> str:
    """Return the reason why the compaction saves too little; "" when it saves enough."""
    saved = offer.saved_percent
    if offer.is_worth_it:
        return ""
    if saved is None or saved < 0:
        return tr("The context would grow.") if offer.is_branch_summary else tr("Too short to compact.")
    return tr("This would save only {0} of the context.").format(percent(saved))


class KeepSlider(QWidget):
    """A slider under the text `Keep the last … 20k tokens · 14 entries`."""

    tokens_changed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.title, self.amount = ElidedLabel(self.tr("Keep the last")), ElidedLabel("", "dim")
        self._texts = "", ""  # long and short form
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(1, 100)
        self.slider.setPageStep(10)
        self.slider.setAccessibleName(self.tr("Tokens that the compaction keeps, in hundreds"))
        self.slider.valueChanged.connect(lambda value: self.tokens_changed.emit(value * STEP))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(metrics.SPACE[1])
        self._line = WrappingRow(self.title, self.amount)
        column.addLayout(self._line)
        column.addWidget(self.slider)

    def show_value(self, tokens: int, largest: int, text: str, brief: str = "") -> None:
        """Move the handle without emitting a signal. `largest` is the slider's maximum, in tokens.

        `brief` replaces `text` when `text` does not fit beside the name.
        """
        blocker = QSignalBlocker(self.slider)
        self.slider.setMaximum(max(2, -(-largest // STEP)))
        self.slider.setValue(round(tokens / STEP))
        blocker.unblock()
        self._texts = text, brief or text
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.width() - self.title.sizeHint().width() - self._line.spacing()
        text, brief = self._texts
        self.amount.setText(text if self.amount.fontMetrics().horizontalAdvance(text) < room else brief)


class CompactPreview(TitledSection):
    """The section "Compact" of the context column. It shows an offer and emits requests; it makes no plans."""

    keep_changed = Signal(int)  # tokens
    prune_first_changed = Signal(bool)
    compact_requested = Signal()
    prune_requested = Signal()
    prune_changed = Signal()  # whether there is something to prune

    def __init__(self, theme: Theme) -> None:
        super().__init__("", rule=True)
        self.setObjectName("compactionWorkbench")
        self.title.setText(self.tr("Compact preview"))
        self.before = StackedBar(theme, name=self.tr("Before"))
        self.after = StackedBar(theme, name=self.tr("After"))
        self.keep = KeepSlider()
        self.summarise = FactLine(self.tr("Summarise"))
        self.prune_first = QCheckBox(self.tr("Prune tool output first"))
        self._prune_effect = label("", "small")
        self.compact = push_button(self.tr("Compact…"), self.compact_requested.emit, look="primary")
        self.prune = push_button(self.tr("Prune only"), self.prune_requested.emit)
        self.prune_effect = label("", "small", wrap=True)
        self._reason = label("", "dim", wrap=True)
        self._offered = self._build()
        self.keep.tokens_changed.connect(self.keep_changed)
        self.prune_first.toggled.connect(self.prune_first_changed)
        self.show_reason(self.tr("Open a session to see what a compaction would do."))

    def show_offer(self, offer: Offer, keep_tokens: int, *, prune_first: bool) -> None:
        """Show an offer; `keep_tokens` is the position of the slider."""
        with laid_out_once(self, self._offered):
            self._show_offer(offer, keep_tokens, prune_first=prune_first)

    def _show_offer(self, offer: Offer, keep_tokens: int, *, prune_first: bool) -> None:
        self._reason.setText(doubt_text(offer))
        self._reason.setVisible(not offer.is_worth_it)
        set_property(self.compact, "primary", offer.is_worth_it)
        self._offered.show()
        self.compact.setEnabled(True)
        self.note.setText(f"{figure_text(offer.before.total)} → {figure_text(offer.after.total)}")
        set_property(self.note, "role", "changed" if offer.is_worth_it else "dim")
        whole = offer.before.window or offer.before.total.value or 0
        self.before.set_segments(segments_of(offer.before), whole)
        self.after.set_segments(segments_of(offer.after) if offer.before.total.value != 0 else [], whole)
        self.keep.show_value(keep_tokens, offer.most_kept, keep_text(offer), keep_brief(offer))
        self.summarise.set_value(self.tr("%Ln entries", None, offer.summarised))
        self._show_prune(offer, prune_first=prune_first)

    def show_reason(self, text: str, *, can_prune: bool = False) -> None:
        """Show the reason why nothing can be compacted now."""
        self._offered.hide()
        self.note.setText("")
        self._reason.setText(text)
        self._reason.show()
        self.compact.setEnabled(False)
        self._enable_prune(on=can_prune)
        self.prune_effect.hide()

    def show_waiting(self) -> None:
        """Show that the session is being read. The button can be pressed meanwhile."""
        self.show_reason(self.tr("Reading the session…"))
        self.compact.setEnabled(True)

    @property
    def reason(self) -> str:
        """The displayed reason; "" when an offer is shown."""
        return "" if self._reason.isHidden() else self._reason.text()

    def _enable_prune(self, *, on: bool) -> None:
        if self.prune.isEnabled() != on:
            self.prune.setEnabled(on)
            self.prune_changed.emit()

    def _show_prune(self, offer: Offer, *, prune_first: bool) -> None:
        blocked = self.prune_first.blockSignals(True)
        self.prune_first.setChecked(prune_first and offer.prune is not None)
        self.prune_first.blockSignals(blocked)
        self.prune_first.setEnabled(offer.prune is not None)
        self._enable_prune(on=offer.prune is not None)
        self._prune_effect.setText(pruning_text(offer))
        self.prune_effect.setText(prune_only_text(offer))
        self.prune_effect.setVisible(offer.freed is not None)

    def _build(self) -> QWidget:
        offered = TitledSection("")
        offered.body.setContentsMargins(0, 0, 0, 0)
        offered.title.hide()
        offered.note.hide()
        rows: tuple[QWidget, ...] = (
            label(self.tr("Before"), "faint"),
            self.before,
            label(self.tr("After"), "faint"),
            self.after,
            self.keep,
            self.summarise,
        )
        for row in rows:
            offered.body.addWidget(row)
        offered.body.addLayout(WrappingRow(self.prune_first, self._prune_effect))
        self.body.addWidget(offered)
        self.body.addWidget(self._reason)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(0, metrics.SPACE[3], 0, 0)
        buttons.setSpacing(metrics.SPACE[4])
        buttons.addWidget(self.compact)
        buttons.addWidget(self.prune)
        buttons.addStretch(1)
        self.body.addLayout(buttons)
        self.body.addWidget(self.prune_effect)
        return offered
