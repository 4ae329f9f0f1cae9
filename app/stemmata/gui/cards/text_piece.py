"""Text that can be selected: prose, code, output, differences."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QPainter, QPalette, QTextCursor, QTextLine

from stemmata.domain.search.needle import Needle, TextNeedle
from stemmata.domain.text.links import is_safe_link
from stemmata.domain.text.terminal_text import readable, terminal_text, with_one_line_end
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.gutter import FoldMarks, LineNumbers, ShownLines
from stemmata.gui.cards.json_folds import ALL, FoldedJson
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import Around, FramePiece, MarkedPiece, Piece, around
from stemmata.gui.cards.sideways import Sideways
from stemmata.gui.cards.sideways_bar import SidewaysBar
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.text.document import TextDocument
from stemmata.gui.text.highlighting import STYLES, Highlighting
from stemmata.gui.text.markdown import CODE_LINES, CODE_PART, SECTION, lines_apart, spans_apart
from stemmata.gui.theme import metrics

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def marks(text: str, needle: Needle) -> dict[int, int]:
    """Return start and end of each match of a needle in a text, ascending, in UTF-16 units."""
    spans = needle.spans(text)
    if not spans or text.isascii():
        return dict(spans)
    wide = [found.start() for found in _ASTRAL.finditer(text)]  # characters that take two units
    return {start + bisect_left(wide, start): stop + bisect_left(wide, stop) for start, stop in spans}


LONG_BLOCK = 1_000  # characters of a paragraph
MOST_FILLED = 120  # matches that are marked in long ones
MOST_MARKED = 400  # matches of one part: painting them takes longer than the text
LINE = 2_000  # characters: more than a line and a match hold


class TextPiece(MarkedPiece):
    """A selectable text. Positions count UTF-16 units from its start."""

    is_said = True

    def __init__(
        self,
        style: CardStyle,
        document: TextDocument,
        *,
        color: str = "text",
        gap: int = 3,
        lines: ShownLines | None = None,
        sideways: Sideways | None = None,
    ) -> None:
        """Create a text. `lines` are the numbers at its left; `sideways` is for a document that does not wrap."""
        super().__init__(style, gap)
        self.document = document
        self.sideways = sideways
        self.lines = lines
        self.inset = lines.numbers.width if lines is not None else 0  # pixels left of the text
        self.selection: tuple[int, int] | None = None
        self._color = color
        self._found: tuple[Needle, int, dict[int, int]] = TextNeedle(), -1, {}  # revision of the document, matches
        self._starts: list[int] = []  # start positions of the matches

    def measure(self, width: int) -> int:
        room = max(width - self.inset, 1)
        height = self.document.height(room)
        if self.sideways is not None:
            self.sideways.fit(ceil(self.document.size().width()), room)
        return height

    def paint(self, painter: QPainter, clip: QRect) -> None:
        if self.lines is not None:
            self.lines.numbers.paint(painter, clip, self.document, self.lines.start)
        left = self._left
        if self.sideways is not None:
            shown = QRect(self.inset, clip.y(), self.rect.width() - self.inset, clip.height())
            painter.setClipRect(shown, Qt.ClipOperation.IntersectClip)
        painter.translate(left, 0)
        self._paint_text(painter, clip.translated(-left, 0))

    @property
    def _left(self) -> int:
        """Where the document begins, in pixels from the left edge."""
        return self.inset - (self.sideways.offset if self.sideways is not None else 0)

    def reveal(self, position: int) -> None:
        """Scroll sideways to a character."""
        if self.sideways is None:
            return
        block = self.document.findBlock(position)
        line = block.layout().lineForTextPosition(position - block.position())
        if line.isValid():
            corner = self.document.documentLayout().blockBoundingRect(block).x()
            x = round(corner + _x(line, position - block.position()))
            around = self.style.font_metrics("code").averageCharWidth() * metrics.REVEALED
            self.sideways.reveal(max(x - around, 0), x + around)

    def _paint_text(self, painter: QPainter, clip: QRect) -> None:
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = QRectF(clip)
        context.palette.setColor(QPalette.ColorRole.Text, self.style.color(self._color))
        # colour of horizontal rules
        context.palette.setColor(QPalette.ColorRole.WindowText, self.style.color("line"))
        for margin in self.document.quotes(clip.top(), clip.bottom()):
            margin.setWidth(self.style.px(metrics.QUOTE_BAR))
            painter.fillRect(margin, self.style.color("line"))
        marked, filled = self._apart(self._in_sight(clip))
        context.selections = [self._as_selection(start) for start in marked]
        self._fill_marks(painter, filled[:MOST_FILLED])
        if self.selection is not None and self.selection[0] != self.selection[1]:
            context.selections = [*context.selections, self._selected()]
        self.document.documentLayout().draw(painter, context)

    def position_at(self, point: QPoint) -> int:
        """Return the character boundary nearest to a point, which may lie outside the text."""
        inside = QPointF(point - QPoint(self._left, 0))
        return self.document.documentLayout().hitTest(inside, Qt.HitTestAccuracy.FuzzyHit)

    def length(self) -> int:
        return self.document.characterCount() - 1

    def between(self, start: int, stop: int) -> str:
        return self._cursor(start, stop).selection().toPlainText()

    def action_at(self, point: QPoint) -> Action | None:
        if self.lines is not None:
            action = self.lines.action_at(self.document, point, is_beside=point.x() < self.inset)
            if action is not None:
                return action
        url = self.document.documentLayout().anchorAt(QPointF(point - QPoint(self._left, 0)))
        return Action(Request.LINK, url) if url and is_safe_link(url) else None

    def tip_at(self, point: QPoint) -> str:
        action = self.action_at(point)
        return action.text if action is not None and action.request is Request.LINK else ""

    def text(self) -> str:
        return self.document.toPlainText()

    def _cursor(self, start: int, stop: int) -> QTextCursor:
        cursor = QTextCursor(self.document)
        cursor.setPosition(min(start, self.length()))
        cursor.setPosition(min(stop, self.length()), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def found(self) -> list[int]:
        """Return the positions of the matches to highlight, in UTF-16 units; computed once per text and search."""
        needle, revision = self.style.needle, self.document.revision()
        if self._found[:2] != (needle, revision):
            self._found = needle, revision, marks(self.document.toPlainText(), needle) if needle else {}
            self._starts = list(self._found[2])
        return self._starts

    def around_matches(self) -> list[Around]:
        return around(self.document.toPlainText(), self.style.needle)

    def _stop(self, start: int) -> int:
        """Return the end of the match at a position."""
        return self._found[2].get(start, start)

    def y_of(self, position: int) -> int:
        """Return the upper edge of the line with this character, in pixels below the upper edge of the text."""
        block = self.document.findBlock(position)
        line = block.layout().lineForTextPosition(position - block.position())
        top = self.document.documentLayout().blockBoundingRect(block).y()
        return round(top + (line.y() if line.isValid() else 0))

    def end_box(self) -> QRect:
        """Return the rectangle of the next character that would be appended; empty before the first layout."""
        block = self.document.lastBlock()
        lines = block.layout()
        if not lines.lineCount():
            return QRect()
        corner = self.document.documentLayout().blockBoundingRect(block).topLeft()
        text = lines.lineAt(lines.lineCount() - 1).naturalTextRect().translated(corner)
        width = self.style.font_metrics("ui").averageCharWidth()
        return QRectF(text.right() + self.style.space(1), text.top(), width, text.height()).toRect()

    def _apart(self, found: list[int]) -> tuple[list[int], list[int]]:
        """Divide the matches into those that Qt highlights and those in long paragraphs, which this class paints.

        Qt draws a paragraph again for each match in it; in a long paragraph it highlights only the current match.
        """
        marked: list[int] = []
        filled: list[int] = []
        end, is_long = -1, False
        for start in found:
            if start >= end:
                block = self.document.findBlock(start)
                end, is_long = block.position() + block.length(), block.length() > LONG_BLOCK
            (filled if is_long and start != self.current else marked).append(start)
        return marked, filled

    def _as_selection(self, start: int) -> QAbstractTextDocumentLayout.Selection:
        ground, text = ("accent", "on_accent") if start == self.current else ("match", "text")
        return self._selection_of(start, self._stop(start), ground, text)

    def _fill_marks(self, painter: QPainter, starts: list[int]) -> None:
        """Fill the background of matches, each up to the end of its line; matches that touch are filled together."""
        box, color = QRectF(), self.style.color("match")
        for mark in self._boxes(starts):
            if box.isValid() and mark.y() == box.y() and mark.x() == box.right():
                box.setRight(mark.right())
            else:
                painter.fillRect(box, color)
                box = mark
        painter.fillRect(box, color)

    def _boxes(self, starts: list[int]) -> Iterator[QRectF]:
        """Yield the box of each match up to the end of its line, except in lines that are not laid out."""
        line, first, end, corner = QTextLine(), 0, -1, QPointF()
        for start in starts:
            if start >= end:
                block = self.document.findBlock(start)
                first = block.position()
                line = block.layout().lineForTextPosition(start - first)
                if not line.isValid():
                    continue
                end = first + line.textStart() + line.textLength()
                corner = self.document.documentLayout().blockBoundingRect(block).topLeft() + QPointF(0, line.y())
            stop = min(self._stop(start), end)
            left, right = sorted((_x(line, start - first), _x(line, stop - first)))
            yield QRectF(corner.x() + left, corner.y(), right - left, line.height())

    def _in_sight(self, clip: QRect) -> list[int]:
        """Return the start positions of the visible matches, at most MOST_MARKED."""
        places = self.found()
        if not places:
            return []
        layout, fuzzy = self.document.documentLayout(), Qt.HitTestAccuracy.FuzzyHit
        first = layout.hitTest(QPointF(clip.topLeft()), fuzzy) - LINE
        last = layout.hitTest(QPointF(clip.bottomRight()), fuzzy) + LINE
        return places[bisect_left(places, first) : bisect_right(places, last)][:MOST_MARKED]

    def _selected(self) -> QAbstractTextDocumentLayout.Selection:
        assert self.selection is not None
        return self._selection_of(*self.selection, "accent", "on_accent")

    def _selection_of(self, start: int, stop: int, ground: str, text: str) -> QAbstractTextDocumentLayout.Selection:
        selection = QAbstractTextDocumentLayout.Selection()
        selection.cursor = self._cursor(start, stop)
        selection.format.setBackground(self.style.color(ground))
        selection.format.setForeground(self.style.color(text))
        return selection


def _x(line: QTextLine, position: int) -> float:
    found: Any = line.cursorToX(position)
    return float(
        found[0] if isinstance(found, tuple) else found
    )  # with the position that is nearest, in some versions


Made = Callable[[TextDocument, int], None]  # a document, and the character of the text it begins with


@dataclass(frozen=True, slots=True)
class CodeLook:
    """The look of a text in the code font, for all its parts. `made` is called with each new document."""

    color: str = "text"
    made: Made | None = None
    numbers: LineNumbers | None = None
    sideways: Sideways | None = None
    printed: bool = False  # whether escape sequences and overwritten text are removed from each part


def code_texts(style: CardStyle, text: str, look: CodeLook, gap: int = 3) -> list[Piece]:
    """Return pieces that show code or output unchanged; long text is divided into parts rendered when visible."""
    if len(text) <= CODE_PART and text.count("\n") < CODE_LINES:
        return [_code_text(style, look, gap, 0, text)]
    if len(text) <= SECTION:
        return _code_parts(style, look, 0, text, gap)
    out: list[Piece] = []
    for start, stop, joint in spans_apart(text, SECTION):
        build, span = partial(_code_parts, style, look, start), (start, stop)
        out.append(_late(style, look, text, build, 0 if out else gap, joint if out else None, span))
    return out


def _code_parts(style: CardStyle, look: CodeLook, start: int, text: str, gap: int = 0) -> list[Piece]:
    out: list[Piece] = []
    for part, joint in lines_apart(text, CODE_PART, CODE_LINES):
        start += len(joint)
        build = partial(_code_built, style, look, start)
        out.append(_late(style, look, part, build, 0 if out else gap, joint if out else None))
        start += len(part)
    return out


def _late(
    style: CardStyle,
    look: CodeLook,
    text: str,
    build: Callable[[str], Sequence[Piece]],
    gap: int,
    joint: str | None,
    span: tuple[int, int] | None = None,
) -> LongText:
    return LongText(style, text, build, gap, joint=joint, font="code", span=span, wraps=look.sideways is None)


def _code_built(style: CardStyle, look: CodeLook, start: int, text: str) -> list[Piece]:
    return [_code_text(style, look, 0, start, text)]


def _code_text(style: CardStyle, look: CodeLook, gap: int, start: int, text: str) -> TextPiece:
    document = style.code(terminal_text(text) if look.printed else text, wraps=look.sideways is None)
    if look.made is not None:
        look.made(document, start)
    lines = ShownLines(look.numbers, start) if look.numbers is not None else None
    return TextPiece(style, document, color=look.color, gap=gap, lines=lines, sideways=look.sideways)


def copy_room(style: CardStyle) -> int:
    """Return the pixels that code leaves free at its right for the copy button."""
    return style.px(metrics.ICON) + style.space(2)


class CodePiece(FramePiece):
    """Code with buttons that copy it and wrap its lines; with or without a frame."""

    is_printed = False  # whether escape sequences and overwritten text are removed

    def __init__(
        self,
        style: CardStyle,
        text: str,
        language: str = "",
        *,
        color: str = "text",
        gap: int = 4,
        numbers: Sequence[int] = (),
        made: Made | None = None,
        framed: bool = True,
    ) -> None:
        """Create a block of code. `numbers` are those of its lines; `made` changes the looks of its documents."""
        shown = with_one_line_end(text if self.is_printed else readable(text), overwrites=self.is_printed)
        has_sequences = self.is_printed and any(sign in shown for sign in "\x1b\x9b\r\b")
        language = "" if has_sequences else language  # colours are found by place in the text
        self.highlighting = Highlighting(shown, language, style.colors(set(STYLES.values())), style.lexers)
        self.sideways = None if style.wraps_code else Sideways()
        look = CodeLook(
            color,
            partial(_prepare, self.highlighting, made),
            self._gutter(style, shown, numbers),
            self.sideways,
            printed=has_sequences,
        )
        pieces = code_texts(style, shown, look)
        if self.sideways is not None:
            pieces.append(SidewaysBar(style, self.sideways))
        padding = (4, 5) if framed else (0, 0)
        super().__init__(style, pieces, padding=padding, gap=gap, free=copy_room(style))
        self._copy = Action(Request.COPY_OUTPUT if has_sequences else Request.COPY_TEXT, text)
        self._framed = framed

    def _gutter(self, style: CardStyle, text: str, numbers: Sequence[int]) -> LineNumbers | None:
        """Return the marks beside the lines."""
        return LineNumbers(style, text, numbers) if numbers else None

    @property
    def actions(self) -> Sequence[Action]:
        return (self._copy,)

    def action_at(self, point: QPoint) -> Action | None:
        if self._button(0).contains(point):
            return self._copy
        return Action(Request.WRAP) if self._may_unwrap and self._button(1).contains(point) else None

    def tip_at(self, point: QPoint) -> str:
        if self._button(0).contains(point):
            return tr("Copy this code")
        if not self._may_unwrap or not self._button(1).contains(point):
            return ""
        return tr("Do not wrap long lines") if self.style.wraps_code else tr("Wrap long lines")

    @property
    def _may_unwrap(self) -> bool:
        return not self.style.always_wraps

    def paint(self, painter: QPainter, clip: QRect) -> None:
        if self._framed:
            super().paint(painter, clip)

    def paint_over(self, painter: QPainter) -> None:
        self._paint_button(painter, self._button(0), "copy", "dim")
        if self._may_unwrap:
            self._paint_button(painter, self._button(1), "wrap", "accent" if self.style.wraps_code else "dim")

    def _paint_button(self, painter: QPainter, button: QRect, icon: str, color: str) -> None:
        painter.setPen(self.style.color("line"))
        painter.setBrush(self.style.color("raised"))
        radius = self.style.px(metrics.RADIUS_BAR)
        painter.drawRoundedRect(QRectF(button).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        side = self.style.px(metrics.ICON)
        offset = (button.width() - side) // 2
        painter.drawPixmap(button.topLeft() + QPoint(offset, offset), self.style.icon(icon, color))

    def _button(self, number: int) -> QRect:
        """Return the rectangle of a button, the first at the right, in the space that `copy_room` keeps free."""
        side = self.style.px(metrics.ICON) + 2 * self.style.space(2)
        inset = self.style.space(2) if self._framed else 0
        x = self.rect.width() - (side + inset) - number * (side + self.style.space(1))
        return QRect(x, inset, side, side)


class OutputPiece(CodePiece):
    """Printed text without escape sequences and overwritten text, which are removed from each part that is shown."""

    is_printed = True


class JsonPiece(CodePiece):
    """JSON whose objects and lists fold by a click on the marks beside them, or on a folded line."""

    def __init__(
        self, style: CardStyle, folded: FoldedJson, whole: str, *, gap: int = 1, framed: bool = True
    ) -> None:
        """Create the piece; the `whole` JSON is copied, indented."""
        self._folded = folded
        super().__init__(style, folded.text, "json", gap=gap, framed=framed)
        self._copy = Action(Request.COPY_JSON, whole)

    def _gutter(self, style: CardStyle, text: str, _numbers: Sequence[int]) -> LineNumbers | None:
        return FoldMarks(style, text, self._folded.folds)

    @property
    def actions(self) -> Sequence[Action]:
        opening = Action(Request.FOLD, ALL)
        return [self._copy, opening] if self._folded.has_closed else [self._copy]


def _prepare(highlighting: Highlighting, made: Made | None, document: TextDocument, start: int) -> None:
    if made is not None:
        made(document, start)
    highlighting.add(document, start)
