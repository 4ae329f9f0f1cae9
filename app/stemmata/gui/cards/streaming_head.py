"""The right side of a streaming card's head: that it is coming, how fast, and Stop."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from stemmata.domain.entries.tokens import UNITS_PER_TOKEN
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.line_piece import Word
from stemmata.gui.cards.words import tr
from stemmata.gui.core.streams import OpenReply

AFTER = 1.0  # seconds: before them a rate says nothing
PAUSE = 0.5  # seconds between two figures, so that they can be read


class StreamingHead:
    """Words for the reply that is open, the same object until there are others to show."""

    def __init__(self) -> None:
        self._words: list[Word] = []
        self._said = 0.0

    def words(self, replies: Sequence[OpenReply]) -> list[Word]:
        """None once all replies have ended. The rate is an estimate: the stream tells no tokens before its end."""
        last = replies[-1] if replies else None
        if last is None or last.ended:
            self._words = []
            return self._words
        now = monotonic()
        if not self._words or now - self._said >= PAUSE:
            self._said = now
            self._words = [
                Word(_state(last, now), "faint"),
                Word(tr("Stop"), "dim", action=Action(Request.STOP), tip=tr("Keep what has come and stop here")),
            ]
        return self._words


def _state(reply: OpenReply, now: float) -> str:
    taken = now - reply.since if reply.since else 0.0
    if taken < AFTER:
        return tr("streaming")
    rate = reply.characters / UNITS_PER_TOKEN / taken
    return tr("streaming · ≈ {rate} tok/s").format(rate=f"{rate:.0f}")
