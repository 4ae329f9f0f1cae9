"""A single line with words at the left and at the right; words can be clickable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from stemmata.domain.search.needle import Needle
from stemmata.gui.cards.content import Action
from stemmata.gui.cards.piece import Around, MarkedPiece, SinglePiece, around
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics

Flags = Qt.AlignmentFlag
MOST_MEASURED = 1_000  # characters of a word
_ELISIONS = {"right": Qt.TextElideMode.ElideRight, "middle": Qt.TextElideMode.ElideMiddle}


@dataclass(frozen=True, slots=True)
class Word:
    """A text in a line, in one font and colour."""

    text: str
    color: str = "faint"
    font: str = "small"
    action: Action | None = None
    icon: str = ""
    faint: bool = False  # whether the icon is faint
    chip: bool = False
    underlined: bool = False
    tip: str = ""
    shorten: Literal["right", "middle"] = "right"  # where the text is elided


class PlacedWord(NamedTuple):
    """A word in its place on the line. `text` is the part of it that fits, `rect` its area in pixels of the piece."""

    rect: QRect
    word: Word
    text: str


class LinePiece(SinglePiece):
    """A line of words. `action` is the action of a click outside the clickable words.

    When space is short, words at the right that do not fit are left out and the last word at the left is elided.
    Words whose request the view does not answer are left out as well; a line without words takes no room.
    """

    def __init__(
        self,
        style: CardStyle,
        left: Sequence[Word],
        right: Sequence[Word] = (),
        *,
        height: int = metrics.SMALL_LINE,
        action: Action | None = None,
        gap: int = 3,
    ) -> None:
        super().__init__(style, gap)
        self.left, self.right = ([word for word in side if style.offers(word.action)] for side in (left, right))
        self._height = style.px(height)
        self._action = action
        self._boxes: list[PlacedWord] | None = None

    def measure(self, _width: int) -> int:
        self._boxes = None
        return self._height if self.left or self.right else 0

    def set_words(self, left: Sequence[Word], right: Sequence[Word]) -> None:
        self.left, self.right = list(left), list(right)
        self._boxes = None

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        for box in self.placed_words():
            self._paint_word(painter, box)

    def action_at(self, point: QPoint) -> Action | None:
        word = self._word_at(point)
        return word.action if word is not None and word.action is not None else self._action

    @property
    def actions(self) -> Sequence[Action]:
        words = [word.action for word in (*self.left, *self.right) if word.action is not None]
        return words if self._action is None else [self._action, *words]

    def tip_at(self, point: QPoint) -> str:
        word = self._word_at(point)
        return word.tip if word is not None else ""

    def text(self) -> str:
        return " ".join(word.text for word in (*self.left, *self.right) if word.text)

    def _word_at(self, point: QPoint) -> Word | None:
        return next((box.word for box in self.placed_words() if box.rect.contains(point)), None)

    def placed_words(self) -> list[PlacedWord]:
        """Return the words of the line in their places: first those at the right, then those at the left.

        The words at the left get the remaining width.
        """
        if self._boxes is None:
            self._boxes = []
            gap, edge, x = self.style.space(4), self.rect.width(), 0
            beside = self._least_left(edge) + gap if self.left else 0
            for word in reversed(self._fitting(edge - beside)):
                width = self._width(word)
                self._add_box(word, edge - width, width)
                edge -= width + gap
            for word in self.left:
                width = min(self._width(word), edge - x)
                if width > self._extra(word):
                    self._add_box(word, x, width)
                x += width + gap
        return self._boxes

    def _least_left(self, edge: int) -> int:
        """Return the pixels that the words at the left keep of a line's width."""
        return min(sum(map(self._width, self.left)), edge // 3)

    def _fitting(self, room: int) -> list[Word]:
        """Return the words at the right that fit into `room` pixels, in order."""
        shown, gap = set[int](), self.style.space(4)
        for at in self._precedence():
            width = self._width(self.right[at])
            if width <= room:
                shown.add(at)
                room -= width + gap
        return [word for at, word in enumerate(self.right) if at in shown]

    def _precedence(self) -> Sequence[int]:
        """Return the indices of the words at the right, the most important first."""
        return range(len(self.right) - 1, -1, -1)

    def _add_box(self, word: Word, x: int, width: int) -> None:
        room = width - self._extra(word)
        text, font_metrics = _bounded(word), self.style.font_metrics(word.font)
        if font_metrics.horizontalAdvance(text) > room:
            text = font_metrics.elidedText(text, _ELISIONS[word.shorten], room)
        assert self._boxes is not None
        self._boxes.append(PlacedWord(QRect(x, 0, width, self._height), word, text))

    def _width(self, word: Word) -> int:
        return self.style.font_metrics(word.font).horizontalAdvance(_bounded(word)) + 1 + self._extra(word)

    def _extra(self, word: Word) -> int:
        """Return the width of a word besides its text, in pixels."""
        extra = 2 * self.style.space(3) if word.chip else 0
        if word.icon:
            extra += self.style.px(metrics.ICON) + (self.style.space(2) if word.text else 0)
        return extra

    def _paint_word(self, painter: QPainter, box: PlacedWord) -> None:
        rect, word = box.rect, box.word
        if word.chip:
            self._paint_chip(painter, rect)
            rect = rect.adjusted(self.style.space(3), 0, -self.style.space(3), 0)
        if word.icon:
            side = self.style.px(metrics.ICON)
            icon = self.style.icon(word.icon, "faint" if word.faint else word.color)
            painter.drawPixmap(rect.x(), (self._height - side) // 2, icon)
            rect = rect.adjusted(side + self.style.space(2), 0, 0, 0)
        if box.text:
            font = self.style.font(word.font)
            if word.underlined:
                font = QFont(font)
                font.setUnderline(True)
            painter.setFont(font)
            painter.setPen(self.style.color(word.color))
            painter.drawText(rect, int(Flags.AlignLeft | Flags.AlignVCenter), box.text)

    def _paint_chip(self, painter: QPainter, box: QRect) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.style.color("label_bg"))
        radius = self.style.px(metrics.RADIUS_BAR)
        inset = self.style.space(1) / 2
        painter.drawRoundedRect(QRectF(box).adjusted(0, inset, 0, -inset), radius, radius)


def _bounded(word: Word) -> str:
    """Return a word's text, shortened when no line could hold it, because Qt measures every letter."""
    text = word.text
    if len(text) <= MOST_MEASURED:
        return text
    if word.shorten == "right":
        return text[:MOST_MEASURED]
    return f"{text[: MOST_MEASURED // 2]}…{text[-MOST_MEASURED // 2 :]}"


class MarkedLine(LinePiece, MarkedPiece):
    """A line in which the matches of the searched text are marked. A match that is elided is not painted.

    Positions count the characters of the painted words, one word after the other.
    """

    def found(self) -> list[int]:
        return [at + start for at, box in self._starts() for start, _ in _painted(box, self.style.needle)]

    def around_matches(self) -> list[Around]:
        needle = self.style.needle
        places = (
            (span, place)
            for _, box in self._starts()
            for span, place in zip(needle.spans(box.text), around(box.text, needle), strict=True)
            if span in _painted(box, needle)
        )
        return [place for _, place in places]

    def y_of(self, _position: int) -> int:
        return 0

    def _starts(self) -> Iterator[tuple[int, PlacedWord]]:
        """Yield the placed words from the left, each with the position of its first character."""
        at = 0
        for box in sorted(self.placed_words(), key=lambda box: box.rect.x()):
            yield at, box
            at += len(box.text)

    def paint(self, painter: QPainter, clip: QRect) -> None:
        super().paint(painter, clip)
        if self.style.needle:
            for at, box in self._starts():
                self._paint_marks(painter, at, box)

    def _paint_marks(self, painter: QPainter, at: int, box: PlacedWord) -> None:
        """Paint the matches in a word again, on the background of a match or of the current match."""
        font, word = self.style.font_metrics(box.word.font), box.word
        left = box.rect.x() + self._extra(word) - (self.style.space(3) if word.chip else 0)
        top = (self._height - font.height()) // 2
        for start, stop in _painted(box, self.style.needle):
            ground, text = ("accent", "on_accent") if at + start == self.current else ("match", "text")
            x, end = (left + font.horizontalAdvance(box.text[:edge]) for edge in (start, stop))
            painter.save()
            painter.setClipRect(QRect(x, top, end - x, font.height()), Qt.ClipOperation.IntersectClip)
            painter.fillRect(box.rect, self.style.color(ground))
            painter.setFont(self.style.font(word.font))
            painter.setPen(self.style.color(text))
            room = box.rect.adjusted(left - box.rect.x(), 0, 0, 0)
            painter.drawText(room, int(Flags.AlignLeft | Flags.AlignVCenter), box.text)
            painter.restore()


def _painted(box: PlacedWord, needle: Needle) -> list[tuple[int, int]]:
    """Return start and end of the matches in a word as it is painted, without matches next to an elision."""
    text = box.text
    if not needle or not text:
        return []
    is_whole = text == box.word.text
    return [
        (start, stop)
        for start, stop in needle.spans(text)
        if is_whole or ("…" not in text[max(start - 1, 0) : stop + 1])
    ]


class HeadPiece(LinePiece):
    """The first line of a card, with the decorations of its entry. Its own words at the left are its title."""

    def __init__(
        self, style: CardStyle, left: Sequence[Word], right: Sequence[Word] = (), *, names_speaker: bool = False
    ) -> None:
        super().__init__(style, left, right, height=metrics.HEADER_LINE)
        self.names_speaker = names_speaker
        self._own = tuple(self.left), tuple(self.right)
        self._before = 0  # number of words before its own at the right

    def decorate(self, left: Sequence[Word], before: Sequence[Word], after: Sequence[Word]) -> None:
        """Add words after the left ones, and before and after the right ones.

        The head's own words at the right are left out first, so that the words after them keep their place.
        """
        own_left, own_right = self._own
        self._before = len(before)
        self.set_words([*own_left, *left], [*before, *own_right, *after])

    def _least_left(self, edge: int) -> int:
        """The title is whole before words at the right are shown, unless it takes most of the line."""
        title = sum(map(self._width, self._own[0]))
        return max(super()._least_left(edge), min(title, edge * 2 // 3))

    def _precedence(self) -> Sequence[int]:
        end, own = len(self.right), self._before + len(self._own[1])
        return [*range(end - 1, own - 1, -1), *range(self._before - 1, -1, -1), *range(own - 1, self._before - 1, -1)]
