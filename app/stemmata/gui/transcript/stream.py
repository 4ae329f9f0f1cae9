"""The card of the streaming replies, below the last card of a transcript."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from stemmata.gui.cards.content import Action
from stemmata.gui.cards.streaming import StreamingCard
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.core.streams import StreamingReply
from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.transcript.layout import TranscriptLayout


class TranscriptStream:
    """The streaming card, created with the first reply. `arrange` lays out the transcript when the height changes."""

    def __init__(
        self,
        viewport: QWidget,
        layout: TranscriptLayout,
        style: Callable[[], CardStyle],
        arrange: Callable[[], None],
        acted: Callable[[Action], None],
    ) -> None:
        self._viewport, self._layout = viewport, layout
        self._style, self._arrange, self._acted = style, arrange, acted
        self.allowance: Callable[[], float | None] = lambda: None  # until when the card may be laid out
        self._card: StreamingCard | None = None
        self._replies: Sequence[StreamingReply] = ()
        clock = TurnClock(viewport)
        self._again = SpareTurn(viewport, clock, self._on_again)
        # in another turn, so that the card is not laid out during a layout
        self._resized = SpareTurn(viewport, clock, arrange)

    def show(self, replies: Sequence[StreamingReply]) -> None:
        """Show the replies received so far; an empty sequence hides the card."""
        if not replies:
            self._set_height(0)  # the card keeps its content, since the user may return to this branch
            return
        if self._card is None:
            self._card = self._made()
        self._replies = replies
        self._card.lay_out(self._viewport.width())
        height = self._card.show_replies(replies, self.allowance())
        if self._layout.at_end:
            height = self._card.fit(height - self._layout.height, height, self.allowance())
        self._set_height(height)
        self._go_on()

    def _go_on(self) -> None:
        """Continue laying out in the next turn of the event loop."""
        if self._card is not None and self._card.is_behind:
            self._again.start()

    def _on_again(self) -> None:
        if self._layout.tail:
            self.show(self._replies)
            self.place()

    def fit(self) -> None:
        """Lay out the card for another width of the viewport."""
        if self._card is not None and self._layout.tail:
            self._layout.tail = self._card.lay_out(self._viewport.width())
            if self._layout.at_end:
                tail = self._layout.tail
                self._layout.tail = self._card.fit(tail - self._layout.height, tail, self.allowance())
            self._go_on()

    def restyle(self) -> None:
        """Use other fonts, colours or sizes."""
        if self._card is not None:
            self._card.restyle(self._style())
            self.fit()

    def place(self) -> None:
        """Move the card below the last card, once that is placed."""
        card, layout = self._card, self._layout
        if card is None:
            return
        top = layout.bottom
        shown = layout.tail > 0 and top is not None and top < layout.height
        if shown and top is not None:
            tail = card.fit(-top, layout.height - top, self.allowance())
            if tail != layout.tail:
                layout.tail = tail
                self._resized.start()
            self._go_on()
            card.setGeometry(0, top, self._viewport.width(), layout.tail)
        card.setVisible(shown)

    def selected_text(self) -> str:
        """Return the text selected in the card."""
        return self._card.selected_text() if self._card is not None else ""

    def _made(self) -> StreamingCard:

        card = StreamingCard(self._style(), self._viewport)
        card.acted.connect(self._acted)
        return card

    def _set_height(self, height: int) -> None:
        if height != self._layout.tail:
            self._layout.tail = height
            self._arrange()
