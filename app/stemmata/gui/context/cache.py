"""How much of what was sent the provider had already: the prompt cache of the branch's latest replies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from stemmata.domain.entries.entry import Usage
from stemmata.gui.cards.usage_words import cache_miss_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import percent
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.section import Section
from stemmata.gui.widgets.stacked_bar import Segment, StackedBar


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """Tokens of the latest `replies`: `sent` with the requests, `read` of them from the cache. `miss` of the last."""

    replies: int = 0
    sent: int = 0
    read: int = 0
    written: int = 0
    miss: str = ""

    @classmethod
    def of(cls, usages: Sequence[Usage | None], details: str = "") -> CacheFacts:
        """`details` is the JSON text of the last reply's."""
        known = [usage for usage in usages if usage is not None and usage.sent]
        return cls(
            len(known),
            sum(usage.sent for usage in known),
            sum(usage.cache_read for usage in known),
            sum(usage.cache_write for usage in known),
            _miss(details),
        )


class CacheSection(Section):
    """Hidden where no reply says what was sent, or nothing was ever cached."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(self.tr("Cache"), rule=True)
        self.setObjectName("cacheSection")
        self._bar = StackedBar(theme, metrics.THIN_BAR, self.tr("Cache"))
        self._miss = label("", "small", wrap=True)
        self.body.addWidget(self._bar)
        self.body.addWidget(self._miss)
        self.hide()

    def show_cache(self, facts: CacheFacts) -> None:
        self.setVisible(bool(facts.read or facts.written))
        if not facts.sent:
            return
        self.note.setText(self.tr("{0} read").format(percent(100 * facts.read // facts.sent)))
        self._bar.set_segments([Segment(facts.read, "good", self.note.text())], facts.sent)
        self.setToolTip(self.tr("Of what was sent with the last %Ln replies", None, facts.replies))
        miss = cache_miss_text(facts.miss)
        self._miss.setText(self.tr("Last request missed: {0}").format(miss) if miss else "")
        self._miss.setVisible(bool(miss))

    @property
    def texts(self) -> tuple[str, str]:
        return self.note.text(), self._miss.text()


def _miss(details: str) -> str:
    try:
        value = json.loads(details or "{}")
    except (ValueError, RecursionError):
        return ""
    return str(value.get("cache_miss") or "") if isinstance(value, dict) else ""
