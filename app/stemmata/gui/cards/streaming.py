"""The card of the streaming replies. It looks like other cards, but only its end is laid out again."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic, thread_time

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from stemmata.domain.entries.tokens import UNITS_PER_TOKEN
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.flow import Flow
from stemmata.gui.cards.line_piece import HeadPiece, Word
from stemmata.gui.cards.parts import heading
from stemmata.gui.cards.piece import Piece, action_under, paint_pieces, pieces_under
from stemmata.gui.cards.selection import TextSelection
from stemmata.gui.cards.sideways_bar import wheel
from stemmata.gui.cards.streaming_blocks import GrowingBlock, growing
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece
from stemmata.gui.cards.words import tr
from stemmata.gui.core.streams import StreamingReply
from stemmata.gui.theme import metrics

AFTER = 1.0  # seconds until the rate is meaningful
PAUSE = 0.5  # seconds between updates of the rate


class StreamingHead:
    """The words in the head of the open reply. The same list is returned until the words change."""

    def __init__(self) -> None:
        self._words: list[Word] = []
        self._said = 0.0

    def words(self, replies: Sequence[StreamingReply]) -> list[Word]:
        """Return the words; empty after all replies ended.

        The rate is estimated: streams report tokens only at the end.
        """
        last = replies[-1] if replies else None
        if last is None or last.ended:
            self._words = []
            return self._words
        now = monotonic()
        if not self._words or now - self._said >= PAUSE:
            self._said = now
            self._words = [
                Word(_state(last, now), "faint"),
                Word(tr("Stop"), "dim", action=Action(Request.STOP), tip=tr("Stop and keep the received part")),
            ]
        return self._words


def _state(reply: StreamingReply, now: float) -> str:
    taken = now - reply.since if reply.since else 0.0
    if taken < AFTER:
        return tr("streaming")
    rate = reply.characters / UNITS_PER_TOKEN / taken
    return tr("streaming · ≈ {rate} tok/s").format(rate=f"{rate:.0f}")


TAKING = 0.004  # seconds per update for new text
COLOURING = 0.002  # seconds per update for syntax colours


class StreamingCard(QWidget):
    """Shows the open replies of a session, in order. `acted` carries the Action of a click."""

    acted = Signal(object)

    def __init__(self, style: CardStyle, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("streamingCard")
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(tr("Streaming reply"))
        self._style = style
        self._flow = Flow()
        self._head: HeadPiece | None = None
        self._state = StreamingHead()
        self._shown: list[tuple[StreamingReply, list[GrowingBlock]]] = []
        self._selection = TextSelection(())
        self._pressed: QPoint | None = None
        self._laid_out = -1  # width
        self._edges = (0, 0)
        self.hide()

    @property
    def above(self) -> int:
        """The space above the first line, in pixels."""
        return self._style.px(metrics.CARD_GAP)

    def restyle(self, style: CardStyle) -> None:
        """Start again with other fonts, colours or sizes."""
        self._style = style
        replies = [reply for reply, _ in self._shown]
        self._begin()
        self.show_replies(replies)

    def show_replies(self, replies: Sequence[StreamingReply], until: float | None = None) -> int:
        """Show the text received since the last call; returns the total height. Other replies start again.

        When this thread's processor time reaches `until` seconds, the next call shows the remaining text.
        """
        known = [reply for reply, _ in self._shown]
        if any(one is not other for one, other in zip(known, replies, strict=False)) or len(replies) < len(known):
            self._begin()
        for reply in replies[len(self._shown) :]:
            self._shown.append((reply, []))
            if self._head is None:
                self._head = heading(self._style, reply.model or tr("Assistant"), "assistant")
                self._flow.settle([self._head])
        latest = thread_time() + TAKING
        for shown in self._shown:
            self._take(*shown, latest if until is None else min(until, latest))
        if self._head is not None:
            self._head.decorate([], [], self._state.words(replies))
        return self._measure()

    def lay_out(self, width: int) -> int:
        """Lay out at a width; returns the height."""
        if width != self._laid_out:
            self._laid_out = width
            margin = self._style.space(8)
            spare = max(width - 2 * margin - self._style.px(metrics.READING_WIDTH), 0) // 2
            left, right = margin + spare, width - margin - spare
            self._edges = (left, right)
            indent = self._style.px(metrics.CARD_INDENT)
            self._flow.move(left + indent, self.above, right - left - indent)
        return self._measure()

    @property
    def is_behind(self) -> bool:
        """Whether received text is not shown yet."""
        return self._flow.is_late or any(block.is_behind for _, blocks in self._shown for block in blocks)

    def fit(self, top: int, bottom: int, until: float | None = None) -> int:
        """Lay out the pieces between `top` and `bottom`, with `until` as in `Flow.fit`; returns the total height."""
        if self._flow.fit(top, bottom, until) and self.isVisible():
            self.update()
        return self._measure()

    def selected_text(self) -> str:
        return self._selection.text()

    def text(self) -> str:
        """Return the text for screen readers."""
        return "\n".join(filter(None, (piece.text() for piece in self._flow.placed)))

    # -- inside ----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._shown, self._head = [], None
        self._selection = TextSelection(())
        self._flow.clear()

    def _take(self, reply: StreamingReply, blocks: list[GrowingBlock], until: float) -> None:
        blocks += [growing(self._style, block) for block in list(reply.blocks.values())[len(blocks) :]]
        open_parts: list[Piece] = []
        for block in blocks:
            self._flow.settle(block.take(until))
            open_parts += block.open()
            if block.is_behind:
                break  # later pieces are below it
        self._flow.show_open(open_parts)
        self._colour()
        if self.isVisible():
            self.update()

    def _measure(self) -> int:
        return self.above + self._flow.height if self._shown else 0

    def _colour(self) -> None:
        piece = self._flow.last()
        if isinstance(piece, CodePiece) and not piece.highlighting.is_done:
            piece.highlighting.work(COLOURING)

    # -- painting --------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # a painter takes the application's direction by default
        style = self._style
        style.ratio = self.devicePixelRatioF()
        painter.fillRect(event.rect(), style.color("bg"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRect(self._edges[0], self.above, style.px(metrics.LANE_LINE), self.height() - self.above)
        painter.fillRect(bar, style.color("assistant"))
        paint_pieces(painter, self._flow.between(event.rect().top(), event.rect().bottom()), event.rect())
        self._paint_caret(painter)
        painter.end()

    def _paint_caret(self, painter: QPainter) -> None:
        """Paint the caret where the next text will appear."""
        end = self._flow.end()
        if self._shown and not self._shown[-1][0].ended and isinstance(end, TextPiece):
            painter.fillRect(end.end_box().translated(end.rect.topLeft()), self._style.color("accent"))

    # -- mouse -----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._pressed = event.position().toPoint()
        self._selection.clear()
        self._selection = TextSelection([piece for piece in self._flow.placed if isinstance(piece, TextPiece)])
        self._selection.start(self._pressed)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None:
            self._selection.extend(event.position().toPoint())
            self.update()
            return
        shapes = Qt.CursorShape
        clickable = self.action_at(event.position().toPoint()) is not None
        self.setCursor(shapes.PointingHandCursor if clickable else shapes.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return
        moved = (event.position().toPoint() - pressed).manhattanLength() >= QApplication.startDragDistance()
        if not moved:
            self._selection.clear()
            self.acted.emit(self.action_at(pressed) or Action(Request.ACTIVATE))
            self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.setAccepted(wheel(pieces_under(self._flow.placed, event.position().toPoint()), event))
        self.update()

    def action_at(self, point: QPoint) -> Action | None:
        return action_under(pieces_under(self._flow.placed, point), point)
