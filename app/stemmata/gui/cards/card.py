"""A card of the transcript: a widget that paints its pieces and can show another entry at any time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Generator, Iterator, Sequence
from itertools import islice, takewhile
from time import thread_time

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QAccessibleInterface,
    QEnterEvent,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from stemmata.domain.search.needle import Needle, TextNeedle
from stemmata.gui.cards.content import Action, CardContent, CardMarks, Request
from stemmata.gui.cards.decoration import Decoration
from stemmata.gui.cards.diff_piece import DiffPiece
from stemmata.gui.cards.finding import FoundSpot, may_paint_match, next_spot, numbered_spot, spots
from stemmata.gui.cards.fold_lines import FoldLine, fold_lines
from stemmata.gui.cards.layout import build
from stemmata.gui.cards.line_piece import HeadPiece
from stemmata.gui.cards.long_text import Heights, LongText, long_texts, unrealised
from stemmata.gui.cards.match_stops import CardMatches, MatchStop, MatchStops, ShownPiece
from stemmata.gui.cards.piece import MarkedPiece, Piece, action_under, paint_pieces, pieces_under, stack
from stemmata.gui.cards.selection import TextSelection
from stemmata.gui.cards.sideways_bar import SidewaysBar, wheel
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.labels import show_plain_tip

ColouredPiece = CodePiece | DiffPiece  # a piece that gets its colours in slices
MOST_REALISED = 48  # rendered long texts per card, besides those near the visible part
FAR = 4  # distance at which long texts are released, in heights of the visible part
MOST_LOOKED = 3  # long texts that are rendered at most to find the next match
MOST_STEPS = 64  # number of steps of a search for a match; the last step does all remaining work
MOST_SECONDS = 0.006  # seconds of layout per turn of the event loop


class Card(QWidget):
    """The widget of a card, empty until `show_content`. `acted` carries (key, Action)."""

    acted = Signal(int, object)
    pressed = Signal(object)  # Card
    dragged = Signal(object, QPoint)  # Card, and the point (possibly outside it) to which the selection extends
    released = Signal()
    interface: QAccessibleInterface | None = None  # keeps the interface alive

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.key = -1
        self.content: CardContent | None = None
        self._style: CardStyle | None = None
        self._parts: list[Piece] = []
        self._placed: list[Piece] = []
        self._decoration: Decoration | None = None
        self._selection = TextSelection(())
        self._bar = ""
        self._laid_out = (-1, 0)  # width, height
        self.is_late = False  # whether a visible part is not laid out yet
        self._realised: list[LongText] = []  # rendered long texts, oldest first
        self._waiting: list[LongText] = []  # long texts that are placed but not rendered, from the top
        self._matches: CardMatches | None = None
        self._hiding_of: Needle | None = None  # the searched text that `_hiding_texts` are about
        self._hiding_texts: set[Piece] = set()
        self._looked_at: int | None = None  # upper edge of the visible part when far texts were last released
        self._hovered: Piece | None = None
        self._pressed: QPoint | None = None
        self._held: SidewaysBar | None = None  # the bar whose handle is dragged

    # -- content ---------------------------------------------------------------------------------------------

    def show_content(self, style: CardStyle, content: CardContent, marks: CardMarks) -> None:
        """Show an entry. Call `lay_out` afterwards."""
        heights = self._heights() if self.key == content.entry.row.key else {}
        self._style, self.content, self.key = style, content, content.entry.row.key
        self._parts, self._bar = build(style, content)
        for part in long_texts(self._parts):
            part.heights = heights  # keeps the reading position when a part is folded
        head = next((part for part in _flat(self._parts) if isinstance(part, HeadPiece)), None)
        begins_with_text = bool(self._parts) and self._parts[0].is_said
        self._decoration = Decoration(style, content, head, begins_with_text=begins_with_text)
        self._laid_out = (-1, 0)
        self._realised, self._looked_at = [], None
        self._hiding_texts = set()
        self._hovered = None
        self.show_marks(marks)
        self.update()  # repaint even if the marks are equal
        self.setAccessibleName(self._decoration.speaker)
        self.setAccessibleDescription(content.entry.row.preview)

    def _heights(self) -> Heights:
        """Return the heights of the long texts."""
        found = [piece for piece in _flat(self._parts) if isinstance(piece, LongText)]
        before = found[0].heights if found else {}
        return {**before, **{part.span: (part.rect.width(), part.rect.height()) for part in found}}

    def show_marks(self, marks: CardMarks) -> None:
        """Change the marks around the content.

        When they need a separate line, the card must be laid out again.
        """
        assert self._decoration is not None
        if self._decoration.shows(marks, hovered=self.underMouse()):
            return  # a moved cut asks all cards, and most keep their marks
        if self._decoration.show(marks, hovered=self.underMouse()):
            self._laid_out = (-1, 0)
        self.update()

    def lay_out(
        self, width: int, top: int = 0, bottom: int = 0, keep: int = 0, until: float | None = None
    ) -> tuple[int, int]:
        """Lay out at a width: parts between `top` and `bottom` in full, the others with known or estimated heights.

        Returns the height, and the new y of the content that was at `keep`. The layout stops when this thread's
        processor time reaches `until` seconds; `is_late` is then True and a later call continues.
        """
        if self._laid_out[0] != width:
            self._set_aside()
            self._laid_out = (width, self._place(width))
        end = thread_time() + MOST_SECONDS if until is None else until
        self.is_late = False
        while unseen := self._unseen(top, bottom):
            if thread_time() > end:
                self.is_late = True
                break
            # when a text is shown again, the change in it is visible, such as a folded line: the text's top stays
            below = next((part for part in self._placed if part.rect.y() >= keep or _was_laid_out(part, keep)), None)
            before = below.rect.y() if below is not None else self._laid_out[1]
            for part in unseen:
                self._realise(part)
                part.lay_out()
                if thread_time() > end:
                    break
            self._laid_out = (width, self._place(width))
            shift = (below.rect.y() if below is not None else self._laid_out[1]) - before
            top, bottom, keep = top + shift, bottom + shift, keep + shift
        if len(self._realised) > MOST_REALISED and bottom > top and self._retire(top, bottom, end):
            self._laid_out = (width, self._place(width))
        return self._laid_out[1], keep

    def _unseen(self, top: int, bottom: int) -> list[LongText]:
        """Return the long texts between `top` and `bottom` that are not rendered, from the top."""
        if bottom <= top:
            return []
        first = bisect_right(self._waiting, top, key=_end)
        return list(takewhile(lambda part: part.rect.y() < bottom, islice(self._waiting, first, None)))

    def _realise(self, part: LongText) -> None:
        is_new = not part.is_made
        part.realise()
        if is_new and part.children:  # blank Markdown has none, and nothing to release either
            self._realised.append(part)

    def _set_aside(self) -> None:
        """Mark the long texts to be laid out again when they become visible, because the width has changed."""
        for part in self._realised:
            if not _is_in_use(part):
                part.set_aside()

    def _retire(self, top: int, bottom: int, end: float) -> bool:
        """Release rendered texts far from the visible part until this thread's processor time reaches `end`, but at
        least one; return whether there were any. A later call goes on: to free a hundred documents takes 10 ms.
        """
        if self._looked_at is not None and abs(self._looked_at - top) < bottom - top:
            return False
        self._looked_at = top
        room = FAR * (bottom - top)
        far = [part for part in self._realised if part.rect.y() > bottom + room or _end(part) < top - room]
        given_up = [part for part in reversed(far) if not _is_in_use(part)]  # inner ones before those around them
        if given_up:
            self._placed, self._selection = [], TextSelection(())  # so that `retire` itself frees what it releases
        for part in given_up:
            part.retire()
            if thread_time() > end:
                self._looked_at = None
                break
        self._realised = [part for part in self._realised if part.is_made]
        return bool(given_up)

    def spots(self) -> list[FoundSpot]:
        """Return the matches of the searched text in the rendered parts."""
        return spots(self._placed)

    def next_match(
        self, after: FoundSpot | None = None, *, back: bool = False, source: int | None = None
    ) -> FoundSpot | None:
        """Return the match after (or before) another one; for None the card's first (or last) match.

        `source` limits this to the pieces that show one tool result (store key), or to those of the entry (0).
        Long texts that contain the text are rendered. The search ends after a few that paint no match, since markup
        may hide it.
        """
        looking = self.looking(after, back=back, source=source)
        while True:
            try:
                next(looking)
            except StopIteration as ended:
                found: FoundSpot | None = ended.value
                return found

    def looking(
        self, after: FoundSpot | None = None, *, back: bool = False, source: int | None = None
    ) -> Generator[None, None, FoundSpot | None]:
        """Find the match that `next_match` returns, in steps that each render at most one long text.

        The generator returns the match; the card may be laid out between its steps.
        """
        without, looked, steps = set[LongText](), 0, 0
        while looked < MOST_LOOKED:
            placed = self._placed if source is None else self._placed_of(source)
            found = next_spot(placed, after, self._needle, back=back, without=without)
            if not isinstance(found, LongText):
                return found
            self._realise(found)
            if may_paint_match(found.children):
                self._laid_out = (self._laid_out[0], self._place(self._laid_out[0]))
            else:
                self._release(found)
                without.add(found)
                looked += 1
            steps += 1
            if steps < MOST_STEPS:  # at last without a layout, which may release what was rendered far from the view
                yield
        return None

    def reading(self, keys: Collection[int]) -> Iterator[None]:
        """Prepare `stops` for these entries (store keys), in steps that each fit into a turn of the event loop."""
        return self._matches_of(keys).reading(list(self._shown()))

    def stops(self, keys: Collection[int]) -> MatchStops:
        """Return the matches in the texts of these entries (store keys), in the order in which find steps through
        them.
        """
        return self._matches_of(keys).stops(list(self._shown()))

    def _matches_of(self, keys: Collection[int]) -> CardMatches:
        """Return the matches in these entries; they are kept until others are asked for, since reading takes long."""
        assert self.content is not None
        entries = [one for one in (self.content.entry, *self.content.answers) if one.row.key in keys]
        if self._matches is None or not self._matches.is_of(entries, self._needle):
            self._matches = CardMatches(entries, self._needle)
        return self._matches

    def _hiding(self) -> set[Piece]:
        """Return the long texts that contain the searched text and were found to paint no match."""
        if self._hiding_of is not self._needle:
            self._hiding_of, self._hiding_texts = self._needle, set()
        return self._hiding_texts

    def _shown(self) -> Iterator[ShownPiece]:
        """Yield the placed pieces that show formatted text, from the top; texts shown as written are left out."""
        hiding, found = self._hiding(), dict[int, ShownPiece]()
        waiting = [(piece, ShownPiece(piece.result_key or self.key, piece)) for piece in self._parts]
        while waiting:
            piece, shown = waiting.pop()
            if piece.written or piece in hiding:
                continue
            if isinstance(piece, LongText):
                shown = ShownPiece(shown.source, piece, (*shown.within, piece))
            found[id(piece)] = shown
            waiting += [
                (child, ShownPiece(child.result_key or shown.source, child, shown.within)) for child in piece.children
            ]
        return (found[id(piece)] for piece in self._placed if id(piece) in found and _has_text(piece))

    def spot_of(self, stop: MatchStop, part: str) -> FoundSpot | LongText | None:
        """Return the painted match of a stop, or the long text to render before it is known; None for no such match.

        `part` is the name of the text as it is written, for a match that is shown there.
        """
        written = [one for one in _flat(self._parts) if one.written == part] if stop.piece is None else [stop.piece]
        return numbered_spot(written, stop.number, self._needle, without=self._hiding())

    def render_text(self, part: LongText) -> None:
        """Render a long text. Afterwards `stops` returns other stops, and `spot_of` counts what the text paints."""
        self._realise(part)
        if may_paint_match(part.children):
            self._laid_out = (self._laid_out[0], self._place(self._laid_out[0]))
        else:
            self._hiding().add(part)
            self._release(part)

    def _release(self, part: LongText) -> None:
        """Release a rendered text before it is laid out, which takes longer than to render it."""
        part.retire()
        self._realised = [one for one in self._realised if one is not part]

    def _placed_of(self, source: int) -> list[Piece]:
        """Return the placed pieces that show one tool result (store key), or those of the entry (0)."""
        own, waiting = set[int](), [(piece, piece.result_key) for piece in self._parts]
        while waiting:
            piece, shows = waiting.pop()
            if shows == source:
                own.add(id(piece))
            waiting += [(child, child.result_key or shows) for child in piece.children]
        return [piece for piece in self._placed if id(piece) in own]

    @property
    def _needle(self) -> Needle:
        return self._style.needle if self._style is not None else TextNeedle()

    def pending(self) -> Iterator[ColouredPiece]:
        """Yield the pieces of code and of changes whose colours are missing."""
        return (part for part in self._placed if isinstance(part, ColouredPiece) and not part.highlighting.is_done)

    @property
    def parts(self) -> Sequence[Piece]:
        """The pieces of the card, in the order of painting."""
        return self._placed

    @property
    def offers(self) -> list[tuple[str, Action]]:
        """The actions of the entry's buttons and menu, by name."""
        return self._decoration.offers if self._decoration is not None else []

    @property
    def content_actions(self) -> list[Action]:
        """The actions of clicks on the content, from the top."""
        return [action for part in self._placed for action in part.actions]

    @property
    def foldable(self) -> frozenset[str]:
        """The names of the parts that a click folds or unfolds."""
        return frozenset(action.text for action in self.content_actions if action.request is Request.FOLD)

    @property
    def unfolded(self) -> frozenset[str]:
        """The names of the unfolded parts."""
        return self.content.unfolded if self.content is not None else frozenset()

    def fold_lines(self) -> list[FoldLine]:
        """Return the lines that fold in the rendered parts of the card, from the top."""
        return list(fold_lines(self._placed, self.unfolded))

    @property
    def frame(self) -> QRect:
        """The rectangle of the content with its bar, without the gap above it."""
        return QRect() if self._decoration is None else self._decoration.frame

    @property
    def remarks(self) -> list[str]:
        """The meanings of the marks around the content, as sentences."""
        return self._decoration.remarks if self._decoration is not None else []

    @property
    def margin(self) -> Piece | None:
        """The actions in the margin beside the card; None when they are in the card's head."""
        return self._decoration.margin if self._decoration is not None else None

    @property
    def selection(self) -> TextSelection:
        """The card's selection."""
        return self._selection

    def clear_selection(self) -> None:
        """Clear the selection of the card."""
        self._selection.clear()
        self.update()

    def _place(self, width: int) -> int:
        style, decoration = self._style, self._decoration
        assert style is not None
        assert decoration is not None
        decoration.lay_out(width, bar=self._bar)
        self._placed = []
        left, right = decoration.text_edges
        above = decoration.above
        parts = self._parts if decoration.line is None else [decoration.line, *self._parts]
        height = above + stack(parts, left, above, right - left, self._placed)
        self._waiting = list(unrealised(self._placed))
        decoration.fit(height)
        self._selection = TextSelection([part for part in self._placed if isinstance(part, TextPiece)])
        return height

    # -- painting --------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        style, decoration = self._style, self._decoration
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # a painter takes the application's direction by default
        if style is None or decoration is None:
            painter.fillRect(event.rect(), self.palette().base())
            painter.end()
            return
        style.ratio = self.devicePixelRatioF()
        painter.fillRect(event.rect(), style.color("bg"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        decoration.paint_strip(painter, self.height())
        if decoration.dimmed:
            painter.setOpacity(metrics.DIMMED)
        decoration.paint_bar(painter, self.height())
        paint_pieces(painter, self._placed, event.rect())
        if self._hovered is not None:
            painter.save()
            painter.translate(self._hovered.rect.topLeft())
            self._hovered.paint_over(painter)
            painter.restore()
        painter.setOpacity(1)
        if self.margin is not None:
            paint_pieces(painter, [self.margin], event.rect())
        painter.end()

    # -- mouse -----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._pressed = event.position().toPoint()
        self._held = next((part for part in self._pieces_under(self._pressed) if isinstance(part, SidewaysBar)), None)
        if self._held is not None:
            self._held.press(self._pressed.x() - self._held.rect.x())
            self.update()
            return
        goes_on = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if goes_on:
            self.dragged.emit(self, self._pressed)
            self._pressed = None
            return
        self._selection.start(self._pressed)
        self.pressed.emit(self)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._held is not None:
            self._held.drag(point.x() - self._held.rect.x())
            self.update()
            return
        if self._pressed is not None:
            self._selection.extend(point)
            self.dragged.emit(self, point)
            self.update()
            return
        self._hover(point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        held, self._held = self._held, None
        if held is not None:
            held.release()
            self.update()
            return
        if pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.released.emit()
        moved = (event.position().toPoint() - pressed).manhattanLength() >= QApplication.startDragDistance()
        if moved and not self._selection.is_empty:
            return
        self._selection.clear()
        self.acted.emit(self.key, self.action_at(pressed) or Action(Request.ACTIVATE))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def scroll_sideways(self, by: int) -> None:
        """Scroll all wide blocks by a step to the right, or to the left if `by` is negative."""
        blocks = {part.sideways for part in self._placed if part.sideways is not None}
        for block in blocks:
            block.move_to(block.offset + by * metrics.WHEEL_STEP)
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.setAccepted(wheel(self._pieces_under(event.position().toPoint()), event))
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._set_hovered(event.position().toPoint())

    def leaveEvent(self, _event: QEvent) -> None:
        self._set_hovered(None)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            show_plain_tip(event.globalPos(), self.tip_at(event.pos()), self)
            return True
        return super().event(event)

    def action_at(self, point: QPoint) -> Action | None:
        """Return the action of a click at a point; None for none."""
        return action_under(self._pieces_under(point), point)

    def tip_at(self, point: QPoint) -> str:
        """Return the tooltip at a point; "" for none."""
        if self._decoration is not None and self._decoration.on_strip(point):
            return self._decoration.strip_tip
        tips = (part.tip_at(point - part.rect.topLeft()) for part in self._pieces_under(point))
        return next((tip for tip in tips if tip), "")

    def _pieces_under(self, point: QPoint) -> Iterator[Piece]:
        """Yield the pieces under a point, topmost first."""
        if self.margin is not None and self.margin.rect.contains(point):
            yield self.margin
        hovered = self._hovered
        if hovered is not None and hovered.rect.contains(point):
            yield hovered
        yield from pieces_under(self._placed, point)

    def _hover(self, point: QPoint) -> None:
        over = next((p for p in self._placed if isinstance(p, CodePiece) and p.rect.contains(point)), None)
        if over is not self._hovered:
            self._hovered = over
            self.update()
        action = self.action_at(point)
        on_text = any(isinstance(part, TextPiece) for part in self._pieces_under(point))
        shapes = Qt.CursorShape
        shape = shapes.PointingHandCursor if action else shapes.IBeamCursor if on_text else shapes.ArrowCursor
        self.setCursor(shape)

    def _set_hovered(self, point: QPoint | None) -> None:
        if self._decoration is not None:
            self._decoration.hover(hovered=point is not None)
        if point is None:
            self._hovered = None
        self.update()


def _has_text(piece: Piece) -> bool:
    return isinstance(piece, MarkedPiece) or (isinstance(piece, LongText) and not piece.is_realised)


def _was_laid_out(part: Piece, keep: int) -> bool:
    """Return whether a part at the height `keep` is a long text that was laid out before the card was built again."""
    return isinstance(part, LongText) and part.is_known and _end(part) > keep


def _is_in_use(part: LongText) -> bool:
    """Return whether a long text has selected text or the current match."""
    return any(
        piece.selection is not None or piece.current is not None
        for piece in _flat(part.children)
        if isinstance(piece, TextPiece)
    )


def _end(part: Piece) -> int:
    return part.rect.y() + part.rect.height()


def _flat(parts: Sequence[Piece]) -> Iterator[Piece]:
    waiting = list(reversed(parts))
    while waiting:
        yield (part := waiting.pop())
        waiting += reversed(part.children)
