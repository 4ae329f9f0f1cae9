"""Compact preview: what a compaction would do to the context, before anything is done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSlider, QVBoxLayout, QWidget

from stemmata.domain.compaction.forecast import Forecast
from stemmata.domain.compaction.plan import PrunePlan
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.path_totals import Line
from stemmata.domain.entries.tokens import Figure
from stemmata.gui.context.breakdown import segments_of
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.context_words import figure_text, tokens_text, tr
from stemmata.gui.widgets.figures import percent
from stemmata.gui.widgets.labels import ElidedLabel, label, set_property
from stemmata.gui.widgets.stacked_bar import StackedBar
from stemmata.gui.widgets.surface import Fact, Section
from stemmata.gui.widgets.wrapping import WrappingRow
from stemmata.services.compaction.compaction import Preview

LEAST_PERCENT = 5  # of the context that a compaction has to save to be offered as the thing to do


@dataclass(frozen=True, slots=True)
class Offer:
    """`prune` is the pruning that goes first when it is wanted; the forecast counts it in.

    What is shown of it is a figure at the scale of the context, whatever it is of.
    """

    preview: Preview
    forecast: Forecast
    prune: PrunePlan | None

    @property
    def before(self) -> Breakdown:
        return self.preview.before

    @property
    def after(self) -> Breakdown:
        return self.forecast.after

    @property
    def summary(self) -> Figure:
        return self.figure(self.forecast.summary)

    @property
    def kept(self) -> Figure:
        return self.figure(self.forecast.kept)

    @property
    def pinned(self) -> Figure:
        return self.figure(self.forecast.pinned)

    @property
    def dropped(self) -> Figure:
        """Of what is kept, the tool results that the pruning leaves out."""
        return self.figure(self.forecast.dropped)

    @property
    def replaced(self) -> Figure:
        """Of what the summary stands for; an earlier summary is in it."""
        return self.figure(self.forecast.summarised)

    @property
    def pruning(self) -> tuple[Figure, Figure] | None:
        """The tool results before and after the pruning that could go first."""
        return None if self.prune is None else (self.figure(self.prune.before), self.figure(self.prune.after))

    @property
    def most_kept(self) -> int:
        """The most tokens there are to keep: what is in the context, and no more than fits the window."""
        there = self.forecast.scaled(self.forecast.kept + self.forecast.summarised)
        return there if self.before.window is None else min(there, self.before.window)

    @property
    def summarised(self) -> int:
        """Number of entries that go into the summary."""
        return len(self.preview.plan.summarised) + len(self.preview.plan.turn_prefix)

    def figure(self, tokens: int) -> Figure:
        """An estimate as it is shown."""
        return Figure.estimated(self.forecast.scaled(tokens))

    @property
    def is_worth_it(self) -> bool:
        """Whether the context would become smaller by more than a rounding."""
        return self.saved_percent is None or self.saved_percent >= LEAST_PERCENT

    @property
    def saved_percent(self) -> int | None:
        before, after = self.before.total.value, self.after.total.value
        return None if not before or after is None else round(100 * (before - after) / before)


def offer_of(preview: Preview, prune: PrunePlan | None, line: Line, *, prune_first: bool) -> Offer:
    """`line`: one that the plan's entries lie on."""
    forecast, plan = preview.forecast, preview.plan
    if prune is not None and prune_first:
        forecast = forecast.with_pruned(context_at(line.tree, plan.parent, line), plan, prune.pruned)
    return Offer(preview, forecast, prune)


def with_summary(offer: Offer, tokens: int) -> Offer:
    """The offer once its summary is written: with the estimated size it has, not the one that was assumed."""
    preview = replace(offer.preview, forecast=offer.preview.forecast.with_summary(tokens))
    return replace(offer, preview=preview, forecast=offer.forecast.with_summary(tokens))


STEP = 100  # tokens


def keep_text(offer: Offer) -> str:
    """`≈ 20k tokens · 14 entries`: what is kept, which is what was asked for in whole entries."""
    return f"{tr('{0} tokens').format(figure_text(offer.kept))} · {entries_text(len(offer.preview.plan.kept))}"


def keep_brief(offer: Offer) -> str:
    """`≈ 20k · 14 entries`, for where there is little room."""
    return f"{figure_text(offer.kept)} · {entries_text(len(offer.preview.plan.kept))}"


def entries_text(count: int) -> str:
    return tr("%Ln entries", None, count)


def pruning_text(offer: Offer) -> str:
    """`≈ 59.9k → 2.1k` of tool output, `—` where none can be pruned."""
    pruning = offer.pruning
    return "—" if pruning is None else f"{figure_text(pruning[0])} → {tokens_text(pruning[1].value or 0)}"


def doubt_text(offer: Offer) -> str:
    """Why a compaction is hardly worth it; "" when it is."""
    saved = offer.saved_percent
    if saved is None or offer.is_worth_it:
        return ""
    if saved < 0:
        return tr("This would make the context larger, by {0}.").format(percent(-saved))
    return tr("This would save only {0} of the context.").format(percent(saved))


class KeepSlider(QWidget):
    """`Keep the last … 20k tokens · 14 entries` over a slider."""

    tokens_changed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._name, self._value = ElidedLabel(self.tr("Keep the last")), ElidedLabel("", "dim")
        self._texts = "", ""  # at length and short
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(1, 100)
        self.slider.setPageStep(10)
        self.slider.setAccessibleName(self.tr("Keep the last, in hundreds of tokens"))
        self.slider.valueChanged.connect(lambda value: self.tokens_changed.emit(value * STEP))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(metrics.SPACE[1])
        self._line = WrappingRow(self._name, self._value)
        column.addLayout(self._line)
        column.addWidget(self.slider)

    def show_value(self, tokens: int, largest: int, text: str, brief: str = "") -> None:
        """Put the handle somewhere without telling anybody. `largest`: the most there is to keep.

        `brief` stands for the text where that has no room beside the name.
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
        room = self.width() - self._name.sizeHint().width() - self._line.spacing()
        text, brief = self._texts
        self._value.setText(text if self._value.fontMetrics().horizontalAdvance(text) < room else brief)


class CompactPreview(Section):
    """The block in the context column. It shows and asks; plans are made elsewhere."""

    keep_changed = Signal(int)  # tokens
    prune_first_changed = Signal(bool)
    compact_requested = Signal()
    prune_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__("", rule=True)
        self.setObjectName("compactionWorkbench")
        self.title.setText(self.tr("Compact preview"))
        self.before = StackedBar(theme, name=self.tr("Before"))
        self.after = StackedBar(theme, name=self.tr("After"))
        self.keep = KeepSlider()
        self.summarise = Fact(self.tr("Summarise"))
        self.prune_first = QCheckBox(self.tr("Prune tool output first"))
        self._prune_effect = label("", "small")
        self.compact = push_button(self.tr("Compact…"), self.compact_requested.emit, look="primary")
        self.prune = push_button(self.tr("Prune only"), self.prune_requested.emit)
        self._reason = label("", "dim", wrap=True)
        self._offered = self._build()
        self.keep.tokens_changed.connect(self.keep_changed)
        self.prune_first.toggled.connect(self.prune_first_changed)
        self.show_reason(self.tr("Open a session to see what a compaction would do."))

    def show_offer(self, offer: Offer, keep_tokens: int, *, prune_first: bool) -> None:
        self._reason.setText(doubt_text(offer))
        self._reason.setVisible(not offer.is_worth_it)
        set_property(self.compact, "primary", offer.is_worth_it)
        self._offered.show()
        self.compact.setEnabled(True)
        self.note.setText(f"{figure_text(offer.before.total)} → {figure_text(offer.after.total)}")
        set_property(self.note, "role", "changed")
        whole = offer.before.window or offer.before.total.value or 0
        self.before.set_segments(segments_of(offer.before), whole)
        self.after.set_segments(segments_of(offer.after), whole)
        self.keep.show_value(keep_tokens, offer.most_kept, keep_text(offer), keep_brief(offer))
        self.summarise.set_value(self.tr("%Ln entries", None, offer.summarised))
        self._show_prune(offer, prune_first=prune_first)

    def show_reason(self, text: str, *, can_prune: bool = False) -> None:
        """Why nothing can be compacted now."""
        self._offered.hide()
        self.note.setText("")
        self._reason.setText(text)
        self._reason.show()
        self.compact.setEnabled(False)
        self.prune.setEnabled(can_prune)

    @property
    def reason(self) -> str:
        return "" if self._reason.isHidden() else self._reason.text()

    def _show_prune(self, offer: Offer, *, prune_first: bool) -> None:
        blocked = self.prune_first.blockSignals(True)
        self.prune_first.setChecked(prune_first and offer.prune is not None)
        self.prune_first.blockSignals(blocked)
        self.prune_first.setEnabled(offer.prune is not None)
        self.prune.setEnabled(offer.prune is not None)
        self._prune_effect.setText(pruning_text(offer))

    def _build(self) -> QWidget:
        offered = Section("")
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
        return offered
