"""One model of the catalogue: its window, its longest reply, its prices, and who says so."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.figures import dollars
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.section import line
from stemmata.gui.widgets.surface import set_surface
from stemmata.gui.widgets.token_figures import tokens_text
from stemmata.services.settings.own_models import KnownModel


class ModelRow(QWidget):
    edit_requested = Signal()

    def __init__(self, known: KnownModel) -> None:
        super().__init__()
        set_surface(self, edge="bottom")
        model = known.model
        self.known = known
        self.facts = label(self._facts(), "dim", wrap=True)
        self.edit = push_button(self.tr("Edit"), self.edit_requested.emit)
        self.edit.setAccessibleName(self.tr("Edit {0}").format(model.id))
        yours = label(self.tr("yours"), "changed")
        yours.setVisible(known.own is not None)
        words = QVBoxLayout()
        words.setSpacing(metrics.SPACE[2])
        words.addLayout(line(ElidedLabel(model.id, "title"), yours))
        words.addWidget(self.facts)
        if model.aliases:
            words.addWidget(label(self.tr("Also {0}").format(", ".join(model.aliases)), "faint", wrap=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, metrics.SPACE[5], 0, metrics.SPACE[5])
        row.setSpacing(metrics.SPACE[5])
        row.addLayout(words, 1)
        row.addWidget(self.edit)

    def _facts(self) -> str:
        model = self.known.model
        parts = []
        if model.window is not None:
            parts.append(self.tr("Window {0}").format(tokens_text(model.window)))
        if model.most_output is not None:
            parts.append(self.tr("replies up to {0}").format(tokens_text(model.most_output)))
        for price, text in zip(
            model.prices,
            (self.tr("{0} in"), self.tr("{0} out"), self.tr("{0} from the cache"), self.tr("{0} to the cache")),
            strict=True,
        ):
            if price is not None:
                parts.append(text.format(dollars(price)))
        return " · ".join(parts) or self.tr("Nothing is known of it.")
