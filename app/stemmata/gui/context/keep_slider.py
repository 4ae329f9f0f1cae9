"""How much stays word for word, as a slider."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSlider, QVBoxLayout, QWidget

from stemmata.gui.context.compact_offer import Offer
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.context_words import figure_text, tokens_text, tr
from stemmata.gui.widgets.figures import percent
from stemmata.gui.widgets.labels import ElidedLabel
from stemmata.gui.widgets.wrapping import WrappingRow

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
