"""Compact preview: what a compaction would do to the context, before anything is done."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from stemmata.gui.context.breakdown import segments_of
from stemmata.gui.context.compact_offer import Offer
from stemmata.gui.context.keep_slider import KeepSlider, doubt_text, keep_brief, keep_text, pruning_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.context_words import figure_text
from stemmata.gui.widgets.labels import label, set_property
from stemmata.gui.widgets.section import Fact, Section
from stemmata.gui.widgets.stacked_bar import StackedBar
from stemmata.gui.widgets.wrapping import WrappingRow


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
