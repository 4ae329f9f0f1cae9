"""The cursor of the transcript: the card that keys act on, with a frame around it while they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.fold_lines import FoldLine
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.layout import NOTHING, PlacedCard, TranscriptLayout
from stemmata.gui.transcript.reading_position import ReadingPosition
from stemmata.gui.widgets.announcer import announce

COPIED = (Request.COPY_TEXT, Request.COPY_OUTPUT, Request.COPY_JSON)  # the actions that copy a block of code
# The actions of Enter: the first of these that the card has.
OPENED = (Request.SUBAGENT, Request.IMAGE, Request.SHOW_SUMMARISED, Request.SHOW_ALL)


class CursorFrame(QWidget):
    """The frame around the card of the cursor. It lies above the cards and lets the mouse through."""

    def __init__(self, theme: Theme, viewport: QWidget) -> None:
        super().__init__(viewport)
        self._theme, self._viewport = theme, viewport
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def put(self, card: Card | None, line: FoldLine | None = None) -> None:
        """Show the frame around a card or one of its lines, or hide it for None."""
        if card is None:
            self.hide()
            return
        beside, above = self._theme.px(metrics.SPACE[4]), self._theme.px(metrics.SPACE[2])
        if line is not None:
            above = metrics.FOCUS_BORDER
        area = (
            (card.frame if line is None else line.area)
            .translated(card.pos())
            .adjusted(-beside, -above, beside, above)
        )
        if card.margin is not None and line is None:  # the actions beside a narrow card
            area.setRight(min(area.right(), card.x() + card.margin.rect.left() - metrics.FOCUS_BORDER))
        self.setGeometry(area.intersected(self._viewport.rect().adjusted(1, 1, -1, -1)))
        self.raise_()
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("accent"), metrics.FOCUS_BORDER))
        inset, radius = metrics.FOCUS_BORDER / 2, self._theme.px(metrics.RADIUS_CONTROL)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), radius, radius)
        painter.end()


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
        self._viewport, self._arrange, self._act = viewport, arrange, act
        self._frame = CursorFrame(theme, viewport)
        self.key = -1  # store key of the entry; -1 for none
        self._copied = (-1, -1)  # the entry (key) whose code was copied last, and the number of the block, from 0
        self._by_keys = False  # whether the cursor was moved by keys: only then its frame is painted
        self._line: FoldLine | None = None  # the line of the card that it is on, when it is inside the card

    # -- where it is -----------------------------------------------------------------------------------------

    def take(self, key: int) -> None:
        """Move to an entry (store key) that was chosen elsewhere, without a signal."""
        self._line = self._line if key == self.key else None
        self.key = key

    def forget(self) -> None:
        """Clear the cursor when another session is shown."""
        self.key, self._by_keys, self._line = -1, False, None

    @property
    def is_inside(self) -> bool:
        """Whether the cursor is on a line of its card."""
        return self._line is not None

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
        card = self._cards.get(self.visible_key) if shown else None
        if card is not None and self._line is not None:
            self._line = _same_line(card.fold_lines(), self._line)
        self._frame.put(card, self._line)

    def hide(self) -> None:
        """Hide the frame until the next key, because the mouse is used."""
        self._by_keys, self._line = False, None
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
        """Go to the next card or line (`by` 1), or the previous one (-1); from a card out of view to one in view."""
        if self._line is not None:
            self._step_line(by)
            return
        model, at = self._layout.model, self.at
        if self._placed is None or at is None:
            self.start()
            return
        found = model.after(at) if by > 0 else model.before(at)
        self.go(at if found is None else found)

    def scroll_or_step(self, by: int) -> None:
        """Scroll a card that does not fit the view; at its end go to the next card (`by` 1) or previous one (-1).

        Inside a card go to its next or previous line that folds, and scroll as long as that is out of view.
        """
        if self._line is not None:
            if not self._scroll_to_line(by):
                self._step_line(by)
            return
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
        self._line = None
        self._scroll(by * max(self._layout.height - self._theme.px(metrics.PAGE_OVERLAP), 1))
        if self._layout.at_end and by > 0:
            self.end()
        elif self._placed is None or self._placed.y + self._placed.height < self._theme.px(metrics.EDGE):
            self._move_to(self._reading.entry)

    def home(self) -> None:
        """Go to the first card."""
        first = self._layout.model.after(-1)
        if first is not None:
            self._reading.stay(0)
            self._layout.go_to(0)
            self._move_to(self._layout.model.path.key(first))

    def end(self) -> None:
        """Go to the last card, and follow new entries."""
        last = self._layout.model.before(len(self._layout.model))
        if last is not None:
            self._reading.follow()
            self._move_to(self._layout.model.path.key(last))

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
        self._move_to(model.path.key(at))
        self._reading.follows = layout.at_end and model.after(at) is None

    def _move_to(self, key: int) -> None:
        self._by_keys, self._line = True, None
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
        """Unfold the card, or fold it when all of it is unfolded; on a line, only the part of that line."""
        if self._line is not None:
            self._fold_line()
        elif not self._unfold_all():
            self.fold()

    def unfold(self) -> bool:
        """Unfold all parts of the card, or go to its lines when none is folded; returns whether any was folded.

        On a line that is folded unfold it, on another one go to the first line below it.
        """
        card = self._card()
        if card is None:
            return False
        if self._line is None:
            return self._unfold_all() or self.go_inside()
        if not self._line.is_open:
            self._fold_line()
        else:
            lines = card.fold_lines()
            at = _index(lines, self._line)
            if at + 1 < len(lines) and lines[at + 1].depth > self._line.depth:
                self._step_line(1)
        return True

    def _unfold_all(self) -> bool:
        card = self._card()
        return card is not None and self._change(card, card.foldable - card.unfolded)

    def fold(self) -> bool:
        """Fold all parts of the card; returns whether any was unfolded.

        On a line that is unfolded fold it, on another one go to the line above that holds it, or leave the card.
        """
        card = self._card()
        if card is not None and self._line is not None:
            lines = card.fold_lines()
            above = lines[: _index(lines, self._line)]
            depth = self._line.depth
            if self._line.is_open:
                self._fold_line()
            elif (holder := next((line for line in reversed(above) if line.depth < depth), None)) is not None:
                self._show_line(holder)
            else:
                self.leave()
            return True
        return card is not None and self._change(card, card.unfolded)

    def scroll_sideways(self, by: int) -> None:
        """Scroll code and tables of the card that are wider than it, to the right (`by` 1) or to the left (-1)."""
        card = self._card()
        if card is not None:
            card.scroll_sideways(by)

    def open(self) -> None:
        """Open the subagent's session, the picture, the summarised entries or the whole text.

        A card without these is unfolded when it has one line that folds; else the cursor goes to its lines.
        """
        card = self._card()
        if card is None:
            return
        if self._line is not None:
            self._fold_line()
            return
        actions = {action.request: action for action in reversed(card.content_actions)}
        found = next((actions[request] for request in OPENED if request in actions), None)
        if found is not None:
            self._act(card.key, found)
            return
        lines = card.fold_lines()
        if len(lines) > 1 or any(line.is_open for line in lines):
            self.go_inside()
        else:
            self.toggle()

    # -- the lines of the card that fold ---------------------------------------------------------------------

    def go_inside(self) -> bool:
        """Go to the first line in view that folds a part of the card; returns whether there is one."""
        card = self._card()
        lines = card.fold_lines() if card is not None else []
        if card is None or not lines:
            return False
        self._show_line(next((line for line in lines if card.y() + line.area.y() >= 0), lines[-1]))
        return True

    def leave(self) -> bool:
        """Go back from a line of the card to the card; returns whether the cursor was on a line."""
        was_inside, self._line = self._line is not None, None
        if was_inside:
            self._arrange()
        return was_inside

    def _step_line(self, by: int) -> None:
        card, line = self._card(), self._line
        if card is None or line is None:
            self.leave()
            return
        lines = card.fold_lines()
        to = _index(lines, line) + by
        if to < 0:
            self.leave()
        elif to < len(lines):
            self._show_line(lines[to])

    def _scroll_to_line(self, by: int) -> bool:
        """Scroll by a step while the next line (`by` 1) or the previous one (-1) is out of view; else return False.

        What is between them is read on the way, and lines of a long card are rendered only when they come into view.
        """
        card, line = self._card(), self._line
        if card is None or line is None:
            return False
        lines, height = card.fold_lines(), self._layout.height
        to = _index(lines, line) + by
        top = card.y() + (lines[to].area.y() if 0 <= to < len(lines) else card.height() if to else 0)
        step = self._theme.px(metrics.ARROW_STEP)
        rest = top + step - height if by > 0 else -top
        if rest <= 0 or (by > 0 and to == len(lines) and rest <= step):
            return False
        self._scroll(min(step, rest) * by)
        return True

    def _show_line(self, line: FoldLine) -> None:
        """Go to a line, scroll as little as needed to show it, and say it."""
        self._line, self._by_keys = line, True
        card = self._card()
        if card is not None:
            top, edge = card.y() + line.area.y(), self._theme.px(metrics.EDGE)
            below = top + line.area.height() + edge - self._layout.height
            self._scroll(top - edge if top < edge else max(below, 0))
        state = self.tr("unfolded") if line.is_open else self.tr("folded")
        announce(self._viewport, f"{line.text}, {state}")

    def _fold_line(self) -> None:
        """Fold or unfold the part of a line; the line keeps its place in the view."""
        card, line, placed = self._card(), self._line, self._placed
        if card is None or line is None or placed is None:
            return
        self._cards.toggle_parts(card.key, frozenset({line.part}))
        self._layout.go_to(placed.at)
        self._layout.scroll_by(-placed.y)
        self._reading.stay(placed.at)
        self._arrange()
        if self._line is not None:
            self._show_line(self._line)

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


def _index(lines: Sequence[FoldLine], line: FoldLine) -> int:
    """Return the index of a line; -1 when its part is gone."""
    return next((at for at, one in enumerate(lines) if one.part == line.part), -1)


def _same_line(lines: Sequence[FoldLine], line: FoldLine) -> FoldLine | None:
    """Return the line with the same part, as it is now; None when its part is gone."""
    at = _index(lines, line)
    return lines[at] if at >= 0 else None
