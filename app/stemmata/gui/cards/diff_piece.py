"""A diff: added lines on green, removed lines on red, with the differing words highlighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QPainter, QTextBlockFormat, QTextCharFormat, QTextCursor

from stemmata.domain.text.word_diff import Span, word_diff
from stemmata.gui.cards.gutter import LineNumbers, ShownLines
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.cards.words import tr
from stemmata.gui.text.highlighting import STYLES, Highlighting
from stemmata.gui.theme import metrics

MOST_CHARACTERS = 30_000  # characters of a diff that are shown
LONGEST = 1_000  # characters per line
MOST_MARKED = 30_000  # characters of a diff whose words are compared
# characters at which a document begins another line, which would not have a number
_BREAKS = {ord("\r"): None, 0x2029: " ", 0xFDD0: " ", 0xFDD1: " "}
COLORS = {"+": ("good", "good_bg"), "-": ("bad", "bad_bg")}


class DiffPiece(TextPiece):
    """Shows a diff: lines that start with + or -; all others are context."""

    def __init__(
        self, style: CardStyle, diff: str, gap: int = 3, *, numbers: Sequence[int] = (), language: str = ""
    ) -> None:
        """Create a diff. `numbers` are those of its lines; its text gets the colours of `language`."""
        lines = diff.translate(_BREAKS).split("\n")
        shown = [line if len(line) <= LONGEST else f"{line[:LONGEST]}…" for line in lines[: metrics.MOST_DIFF_LINES]]
        shown = shown[: max(_fitting(shown), 1)]
        marks = marked_words(shown) if sum(map(len, shown)) <= MOST_MARKED else []
        if len(shown) < len(lines):
            shown.append(tr("… %Ln more lines", None, len(lines) - len(shown)))
        text = "\n".join(shown)
        beside = LineNumbers(style, text, numbers[: len(shown)]) if numbers else None
        document = style.code(text)
        super().__init__(
            style, document, color="dim", gap=gap, lines=ShownLines(beside, 0) if beside is not None else None
        )
        unsigned = "\n".join(f" {line[1:]}" if line else "" for line in shown)  # a sign is no part of the language
        self.highlighting = Highlighting(unsigned, language, style.colors(set(STYLES.values())), style.lexers)
        self.highlighting.add(document)
        self._signs = [line[:1] for line in shown]
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        self._indent(cursor)
        for number, line in enumerate(shown):
            if line[:1] in COLORS:
                start = document.findBlockByNumber(number).position()
                self._color_line(cursor, (start, start + len(line.encode("utf-16-le")) // 2), line[0])
        for number, span in marks:
            self._mark(cursor, number, shown[number], span)
        cursor.endEditBlock()

    def paint(self, painter: QPainter, clip: QRect) -> None:
        for stripe, ground in self.stripes():
            if stripe.bottom() >= clip.top() and stripe.top() <= clip.bottom():
                painter.fillRect(stripe, self.style.color(ground))
        super().paint(painter, clip)

    def stripes(self) -> Iterator[tuple[QRectF, str]]:
        """Yield the background rectangles of consecutive lines of one kind, with their colour tokens."""
        layout, at = self.document.documentLayout(), 0
        tops = [layout.blockBoundingRect(self.document.findBlockByNumber(n)).y() for n in range(len(self._signs))]
        tops.append(float(self.rect.height()))
        for sign, run in groupby(self._signs):
            end = at + len(list(run))
            if sign in COLORS:
                yield QRectF(0, tops[at], self.rect.width(), tops[end] - tops[at]), COLORS[sign][1]
            at = end

    def _indent(self, cursor: QTextCursor) -> None:
        """Indent the lines. Signs do not touch the edge of the background, and no wrapped word is below a sign."""
        room, sign = QTextBlockFormat(), self.style.font_metrics("code").horizontalAdvance("+")
        room.setLeftMargin(self.style.space(2) + sign)
        room.setTextIndent(-sign)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(room)

    def _color_line(self, cursor: QTextCursor, place: Span, sign: str) -> None:
        """Colour the + or - of a changed line; its words keep the text colour for contrast."""
        _format(cursor, place, self.style.color("text"))
        _format(cursor, (place[0], place[0] + 1), self.style.color(COLORS[sign][0]))

    def _mark(self, cursor: QTextCursor, number: int, line: str, span: Span) -> None:
        """Put a background behind words that differ, on which the colours of code would be too faint."""
        ground = QColor(self.style.color(COLORS[line[0]][0]))
        ground.setAlphaF(metrics.MARKED)
        start = self.document.findBlockByNumber(number).position()
        before, inside = (len(text.encode("utf-16-le")) // 2 for text in (line[: span[0]], line[slice(*span)]))
        _format(cursor, (start + before, start + before + inside), None, ground)
        self.highlighting.keep(number, before, inside, self.style.color("text"))


def _fitting(lines: Sequence[str]) -> int:
    """Return the number of lines that are shown."""
    sums = accumulate(map(len, lines))
    return next((at for at, size in enumerate(sums) if size > MOST_CHARACTERS), len(lines))


def marked_words(lines: Sequence[str]) -> list[tuple[int, Span]]:
    """Return the words that differ between removed lines and the added lines right after them, as (line, span).

    A completely new line gets no highlight, since its background already shows it.
    """
    grouped = groupby(range(len(lines)), key=lambda number: lines[number][:1])
    runs = [(sign, list(numbers)) for sign, numbers in grouped]
    out: list[tuple[int, Span]] = []
    for (sign, removed), (following, added) in pairwise(runs):
        if (sign, following) == ("-", "+"):
            texts = ["\n".join(lines[number][1:] for number in run) for run in (removed, added)]
            found = word_diff(*texts)
            if found.is_related:
                out += _by_line(lines, removed, found.left)
                out += _by_line(lines, added, found.right)
    return out


def _by_line(lines: Sequence[str], run: Sequence[int], spans: Sequence[Span]) -> Iterator[tuple[int, Span]]:
    """Split spans of the joined lines into spans of each line."""
    offset = 0
    for number in run:
        text = lines[number][1:]
        for start, stop in spans:
            first, last = max(start - offset, 0), min(stop - offset, len(text))
            if first < last and text[first:last].strip() != text.strip():
                yield number, (first + 1, last + 1)
        offset += len(text) + 1


def _format(cursor: QTextCursor, place: Span, color: QColor | None, ground: QColor | None = None) -> None:
    """Format a span, given in UTF-16 units from the document's start."""
    cursor.setPosition(place[0])
    cursor.setPosition(place[1], QTextCursor.MoveMode.KeepAnchor)
    shape = QTextCharFormat()
    if color is not None:
        shape.setForeground(color)
    if ground is not None:
        shape.setBackground(ground)
    cursor.mergeCharFormat(shape)
