"""The cursor of the transcript: the card that keys act on, with a frame around it while they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.layout import NOTHING, PlacedCard, TranscriptLayout
from stemmata.gui.transcript.reading_position import ReadingPosition

# The actions of Enter: the first of these that the card has.
COPIED = (Request.COPY_TEXT, Request.COPY_OUTPUT, Request.COPY_JSON)
OPENED = (Request.SUBAGENT, Request.IMAGE, Request.SHOW_SUMMARISED, Request.SHOW_ALL)


class CursorFrame(QWidget):
    """The frame around the card of the cursor. It lies above the cards and lets the mouse through."""

    def __init__(self, theme: Theme, viewport: QWidget) -> None:
        super().__init__(viewport)
        self._theme, self._viewport = theme, viewport
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def put(self, card: Card | None) -> None:
        """Show the frame around a card, or hide it for None."""
        if card is None:
            self.hide()
            return
        beside, above = self._theme.px(metrics.SPACE[4]), self._theme.px(metrics.SPACE[2])
        area = card.frame.translated(card.pos()).adjusted(-beside, -above, beside, above)
        self.setGeometry(area.intersected(self._viewport.rect().adjusted(1, 1, -1, -1)))
        self.raise_()
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("accent"), metrics.FOCUS_BORDER))
        inset, radius = metrics.FOCUS_BORDER / 2, self._theme.px(metrics.RADIUS_CONTROL)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), radius, radius)


class TranscriptCursor(QObject):
    """Moves from card to card, and folds and opens the card that it is on.

    `arrange` lays the cards out after the position changed; `act` runs an action of the card of an entry (key).
    """

    moved = Signal(int)  # store key of the entry, when the user moved the cursor
    code_copied = Signal(int, int)  # number of the copied block of code from 1, and of all blocks; 0, 0 for no block

    def __init__(
        self,
        theme: Theme,
        viewport: QWidget,
        layout: TranscriptLayout,
        cards: TranscriptCards,
        reading: ReadingPosition,
        *,
        arrange: Callable[[], None],
        act: Callable[[int, Action], None],
    ) -> None:
        super().__init__(viewport)
        self._theme, self._layout, self._cards, self._reading = theme, layout, cards, reading
        self._arrange, self._act = arrange, act
        self._frame = CursorFrame(theme, viewport)
        self.key = -1  # store key of the entry; -1 for none
        self._copied = (-1, -1)  # the entry (key) whose code was copied last, and the number of the block, from 0
        self._by_keys = False  # whether the cursor was moved by keys: only then its frame is painted

    # -- where it is -----------------------------------------------------------------------------------------

    def take(self, key: int) -> None:
        """Move to an entry (store key) that was chosen elsewhere, without a signal."""
        self.key = key

    def forget(self) -> None:
        """Clear the cursor when another session is shown."""
        self.key, self._by_keys = -1, False

    @property
    def at(self) -> int | None:
        """The position of the card; None when the path does not have its entry."""
        model = self._layout.model
        at = model.path.position(self.key) if self.key >= 0 else None
        return None if at is None else model.card_of(at)

    @property
    def visible_key(self) -> int:
        """The store key of the entry whose card is in view under the cursor; -1 for none."""
        return -1 if self._placed is None else self._layout.model.path.key(self._placed.at)

    @property
    def is_shown(self) -> bool:
        """Whether the frame is shown."""
        return not self._frame.isHidden()

    def place(self, *, focused: bool) -> None:
        """Put the frame around the card; `focused` is whether keys reach the transcript."""
        shown = focused and self._by_keys and self.visible_key >= 0
        self._frame.put(self._cards.get(self.visible_key) if shown else None)

    def hide(self) -> None:
        """Hide the frame until the next key, because the mouse is used."""
        self._by_keys = False
        self._frame.hide()

    def start(self) -> None:
        """Show the frame: around the card of the cursor if it is in view, else around the card that is read."""
        self._by_keys = True
        if self._placed is None and self._reading.entry >= 0:
            self.key = self._reading.entry
            self.moved.emit(self.key)
        self._arrange()

    # -- moving ----------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """Go to the next card (`by` 1) or to the previous one (-1); from a card out of view to one in view."""
        model, at = self._layout.model, self.at
        if self._placed is None or at is None:
            self.start()
            return
        found = model.after(at) if by > 0 else model.before(at)
        self.go(at if found is None else found)

    def scroll_or_step(self, by: int) -> None:
        """Scroll a card that does not fit the view; at its end go to the next card (`by` 1) or previous one (-1)."""
        placed, height = self._placed, self._layout.height
        step = self._theme.px(metrics.ARROW_STEP)
        if placed is None:
            self.start()
        elif by > 0 and placed.y + placed.height > height:
            self._scroll(min(step, placed.y + placed.height - height))
        elif by < 0 and placed.y < 0:
            self._scroll(-min(step, -placed.y))
        else:
            self.step(by)

    def page(self, by: int) -> None:
        """Scroll by a page down (`by` 1) or up (-1), and go to the card that is read there."""
        self._scroll(by * max(self._layout.height - self._theme.px(metrics.PAGE_OVERLAP), 1))
        if self._layout.at_end and by > 0:
            self.end()
        elif self._placed is None or self._placed.y + self._placed.height < self._theme.px(metrics.EDGE):
            self._reach(self._reading.entry)

    def home(self) -> None:
        """Go to the first card."""
        first = self._layout.model.after(-1)
        if first is not None:
            self._reading.stay(0)
            self._layout.go_to(0)
            self._reach(self._layout.model.path.key(first))

    def end(self) -> None:
        """Go to the last card, and follow new entries."""
        last = self._layout.model.before(len(self._layout.model))
        if last is not None:
            self._reading.follow()
            self._reach(self._layout.model.path.key(last))

    def go(self, at: int) -> None:
        """Go to the card at a position, and scroll as little as needed to show it: its beginning when it is long."""
        model, layout = self._layout.model, self._layout
        placed, height = self._placed_at(at), layout.height
        if placed is None or placed.y < 0 or placed.y + placed.height > height:
            is_below = placed.y >= 0 if placed is not None else at > layout.at
            tall = layout.measure(model, at, NOTHING).height
            layout.go_to(at)
            if is_below and tall < height:
                layout.scroll_by(tall + layout.below - height)
        self._reading.stay(at)
        self._reach(model.path.key(at))
        self._reading.follows = layout.at_end and model.after(at) is None

    def _reach(self, key: int) -> None:
        self._by_keys = True
        is_new, self.key = key != self.key, key
        self._copied = self._copied if self._copied[0] == key else (-1, -1)
        self._arrange()
        if is_new:
            self.moved.emit(key)

    def _scroll(self, dy: int) -> None:
        self._by_keys = True
        self._reading.stay()
        self._layout.scroll_by(dy)
        self._arrange()
        self._reading.follows = self._layout.at_end

    # -- the card --------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Unfold the card, or fold it when nothing in it is folded."""
        if not self.unfold():
            self.fold()

    def unfold(self) -> bool:
        """Unfold all parts of the card; returns whether any was folded."""
        card = self._card()
        return card is not None and self._change(card, card.foldable - card.unfolded)

    def fold(self) -> bool:
        """Fold all parts of the card; returns whether any was unfolded."""
        card = self._card()
        return card is not None and self._change(card, card.unfolded)

    def scroll_sideways(self, by: int) -> None:
        """Scroll code and tables of the card that are wider than it, to the right (`by` 1) or to the left (-1)."""
        card = self._card()
        if card is not None:
            card.scroll_sideways(by)

    def open(self) -> None:
        """Open the subagent's session, the picture, the summarised entries or the whole text; else unfold."""
        card = self._card()
        if card is None:
            return
        actions = {action.request: action for action in reversed(card.content_actions)}
        found = next((actions[request] for request in OPENED if request in actions), None)
        if found is not None:
            self._act(card.key, found)
        else:
            self.toggle()

    def copy_code(self) -> None:
        """Copy the first block of code of the card; called again, the next one, after the last one the first."""
        card = self._card()
        blocks = [] if card is None else [act for act in card.content_actions if act.request in COPIED]
        if card is None or not blocks:
            self.code_copied.emit(0, 0)
            return
        key, at = self._copied
        at = (at + 1) % len(blocks) if key == card.key else 0
        self._copied = card.key, at
        self._act(card.key, blocks[at])
        self.code_copied.emit(at + 1, len(blocks))

    def unfold_tools(self) -> None:
        """Unfold all calls of tools, or fold them again."""
        self._in_place(self._cards.toggle_tools)

    def unfold_thoughts(self) -> None:
        """Unfold all thoughts, or fold them again."""
        self._in_place(self._cards.toggle_thoughts)

    def point(self) -> QPoint | None:
        """Return the global point below the head of the card, for a menu or a popup; None when it is out of view."""
        card = self._card()
        if card is None:
            return None
        area, line = card.frame, self._theme.px(metrics.HEADER_LINE)
        y = min(max(area.top() + line, -card.y() + line), self._layout.height - card.y() - line)
        return card.mapToGlobal(QPoint(area.left(), y))

    def _change(self, card: Card, parts: Iterable[str]) -> bool:
        changed = frozenset(parts)
        if changed:
            self._by_keys = True
            self._in_place(lambda: self._cards.toggle_parts(card.key, changed))
        return bool(changed)

    def _in_place(self, change: Callable[[], object]) -> None:
        """Change the height of cards while the beginning of the cursor's card stays where it is."""
        before = self._placed
        change()
        if before is not None:
            self._layout.go_to(before.at)
            self._layout.scroll_by(-max(before.y, 0))
            self._reading.stay(before.at)
        else:
            self._reading.hold()
        self._arrange()

    def _card(self) -> Card | None:
        return self._cards.get(self.visible_key)

    @property
    def _placed(self) -> PlacedCard | None:
        at = self.at
        return None if at is None else self._placed_at(at)

    def _placed_at(self, at: int) -> PlacedCard | None:
        return next((placed for placed in self._layout.placed if placed.at == at), None)
