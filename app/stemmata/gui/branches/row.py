"""Paints a row of the navigator: its mark, text, label, pin and metadata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil
from typing import cast

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTextLayout, QTextLine, QTextOption

from stemmata.domain.navigator.outline import Shape
from stemmata.gui.branches.graph import FAINT_OPACITY, BranchGraph, mixed
from stemmata.gui.branches.model import ShownRow
from stemmata.gui.branches.words import removed_word
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import draw_words, shortened

_WORD = re.compile(r"[^\W_]+")  # a word, as the search index of the archive splits texts


def words_of(query: str) -> tuple[str, ...]:
    """Return the distinct words of a query, in order."""
    return tuple(dict.fromkeys(_WORD.findall(query)))


def marks(text: str, words: Sequence[str], font: QFont) -> list[tuple[float, float]]:
    """Return (left, width), in pixels, of each highlight: each match of a word at the beginning of a word."""
    if not words:
        return []
    pattern = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    found = [match.span() for match in re.finditer(rf"(?<![^\W_])(?:{pattern})", text, re.IGNORECASE)]
    if not found:
        return []
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    # as wide as the text: right-to-left text begins at the right edge of the rectangle
    line.setLineWidth(QFontMetricsF(font).horizontalAdvance(text))
    layout.endLayout()
    ends = [sorted(_x(line, _units(text[:at])) for at in span) for span in found]
    return [(left, right - left) for left, right in ends]


def _x(line: QTextLine, at: int) -> float:
    x, _at = cast("tuple[float, int]", line.cursorToX(at))  # PySide's stub declares `object`
    return x


def _units(text: str) -> int:
    """Return the length in UTF-16 units, as Qt counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


PIN = metrics.SPACE[6]  # size of the pin, unscaled
MOST_FITS = 512  # cached elided texts: several screens of rows
LEAST_LABEL, LEAST_WORDS = 10, 12  # characters; with less room, the metadata at the right is left out
DIMMED_WORDS = 0.78  # opacity of texts that do not match a search, with a contrast of at least 3:1
LABEL, REMOVED = ("label_bg", "tool"), ("bad_bg", "bad")  # colour tokens of a chip: ground and text
QUIET = frozenset({Shape.TOOL, Shape.SETTING, Shape.NOTE})
_WORDS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_ELIDED = Qt.TextElideMode.ElideRight


class BranchRowPainter:
    """Paints rows from left to right."""

    def __init__(self, theme: Theme, graph: BranchGraph) -> None:
        self._theme = theme
        self._graph = graph
        self.restyle()

    def restyle(self) -> None:
        """Read the fonts and sizes of the theme again."""
        theme = self._theme
        self._plain, self._small = theme.font("ui"), theme.font("small")
        self._strong = QFont(self._plain)
        self._strong.setWeight(QFont.Weight.Medium)
        self._struck = QFont(self._plain)
        self._struck.setStrikeOut(True)
        fonts = (self._plain, self._strong, self._struck, self._small)
        self._measures = {id(font): QFontMetricsF(font) for font in fonts}
        self._fits: dict[tuple[str, bool, int], str] = {}
        plain, small = self._measures[id(self._plain)], self._measures[id(self._small)]
        # aligns both fonts to one base line
        self._drop = (plain.ascent() - plain.descent() - small.ascent() + small.descent()) / 2
        self._gap = theme.px(metrics.SPACE[4])
        self._margin = theme.px(metrics.SPACE[5])

    def ground(self, *, selected: bool, hovered: bool) -> QColor:
        """Return the background colour of a row."""
        if selected:
            return self._theme.color("selection")
        return self._theme.color("hover" if hovered else "bg")

    def paint(self, painter: QPainter, shown: ShownRow, area: QRectF, *, selected: bool, hovered: bool) -> None:
        """Paint the mark and the texts of a row, over its background and lines."""
        ground = self.ground(selected=selected, hovered=hovered)
        faint = (not shown.matches or shown.row.deleted) and not selected and not hovered
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._graph.paint_mark(
            painter, shown.place, area.top(), shown.row.shape, ground, leaf=shown.leaf, faint=faint
        )
        if shown.streaming:
            self._graph.paint_ring(painter, shown.place, area.top())
        line = area.adjusted(self._graph.width, 0, -self._margin, 0)
        quiet = mixed(self._theme.color("faint"), ground, DIMMED_WORDS) if faint else None
        line = self._paint_meta(painter, shown, line, quiet or self._theme.color("dim" if selected else "faint"))
        if shown.row.pinned:
            line = self._paint_pin(painter, line, faint=faint)
        if shown.row.label:
            line = self._paint_label(painter, shown.row.label, line, faint=faint)
        if shown.row.begins_removed:
            line = self._paint_label(painter, shown.removed, line, faint=faint, colours=REMOVED, brief=removed_word())
        self._paint_words(painter, shown, line, quiet or self._theme.color(self._colour(shown, selected=selected)))

    def _paint_words(self, painter: QPainter, shown: ShownRow, line: QRectF, colour: QColor) -> None:
        font = self._font(shown)
        text = self._fitted(shown.text, font, int(line.width()))
        painter.setFont(font)
        painter.setPen(colour)
        draw_words(painter, line, _WORDS, text)
        inset = self._theme.px(metrics.SPACE[3])
        for left, width in marks(text, shown.searched, font):
            place = QRectF(line.left() + left, line.top() + inset, width, line.height() - 2 * inset)
            painter.save()
            painter.setClipRect(place)
            painter.fillRect(place, self._theme.color("match"))
            painter.setPen(self._theme.color("text"))
            draw_words(painter, line, _WORDS, text)
            painter.restore()

    def _fitted(self, text: str, font: QFont, width: int) -> str:
        """Return the text elided to the width; cached, because eliding takes as long as painting."""
        key = (text, font is self._strong, width)
        fitted = self._fits.get(key)
        if fitted is None:
            if len(self._fits) >= MOST_FITS:
                self._fits.clear()
            fitted = self._fits[key] = self._measures[id(font)].elidedText(text, _ELIDED, width)
        return fitted

    def _font(self, shown: ShownRow) -> QFont:
        if shown.row.deleted:
            return self._struck
        return (
            self._strong
            if (shown.active or shown.viewed) and shown.row.shape in (Shape.USER, Shape.COMPACTION)
            else self._plain
        )

    def _colour(self, shown: ShownRow, *, selected: bool) -> str:
        """Return the colour token of the text: never "faint" on a selected row, "text" for a match of a search."""
        shape = shown.row.shape
        if shape is Shape.COMPACTION and (shown.active or shown.viewed):
            return "summary"
        if shown.searched and shown.matches:
            return "text"
        if shape is Shape.USER and not shown.row.removed:
            return "text" if shown.active or shown.viewed or selected else "dim"
        if shown.row.removed and not selected:
            return "faint"
        if selected or ((shown.active or shown.viewed) and shape not in QUIET):
            return "dim"
        return "faint"

    def _paint_meta(self, painter: QPainter, shown: ShownRow, line: QRectF, colour: QColor) -> QRectF:
        """Paint the metadata at the right unless the text would have too little room; return the remaining area."""
        if not shown.meta:
            return line
        width = self._measures[id(self._small)].horizontalAdvance(shown.meta)
        left = line.adjusted(0, 0, -width - self._gap, 0)
        if left.width() < self._needed(shown):
            return line
        painter.setFont(self._small)
        painter.setPen(colour)
        place = line.translated(0, self._drop)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, shown.meta)
        return left

    def _needed(self, shown: ShownRow) -> float:
        """Return the minimum width for pin, label and text, in pixels."""
        plain = self._measures[id(self._plain)]
        out = min(plain.averageCharWidth() * LEAST_WORDS, plain.horizontalAdvance(shown.text))
        if shown.row.pinned:
            out += self._theme.px(PIN) + self._gap
        removed = removed_word() if shown.row.begins_removed else ""
        for label in filter(None, (shown.row.label, removed)):
            out += self._least_label(label) + 3 * self._theme.px(metrics.SPACE[3])
        return out

    def _least_label(self, label: str) -> float:
        """Return the minimum width of a label, in pixels: that of its first LEAST_LABEL characters."""
        measures = self._measures[id(self._small)]
        return min(
            measures.horizontalAdvance(f"{label[:LEAST_LABEL]}…"), measures.horizontalAdvance(shortened(label))
        )

    def _paint_pin(self, painter: QPainter, line: QRectF, *, faint: bool) -> QRectF:
        side = self._theme.px(PIN)
        pixmap = self._theme.pixmap("pin", "dim", size=PIN, ratio=painter.device().devicePixelRatioF())
        painter.setOpacity(FAINT_OPACITY if faint else 1)
        painter.drawPixmap(round(line.right() - side), round(line.center().y() - side / 2), pixmap)
        painter.setOpacity(1)
        return line.adjusted(0, 0, -side - self._gap, 0)

    def _paint_label(
        self,
        painter: QPainter,
        label: str,
        line: QRectF,
        *,
        faint: bool,
        colours: tuple[str, str] = LABEL,
        brief: str = "",
    ) -> QRectF:
        """Paint the label as a chip before the text, at most as wide as half the area or its minimum width.

        `brief` replaces a label that is too long.
        """
        ground, words = colours
        label = shortened(label)
        measures, inset = self._measures[id(self._small)], self._theme.px(metrics.SPACE[3])
        least = self._least_label(brief or label)
        room = min(max(line.width() / 2 - 2 * inset, least), line.width() - 2 * inset)
        if brief and measures.horizontalAdvance(label) > room:
            label = brief
        text = measures.elidedText(label, _ELIDED, room)
        width = measures.horizontalAdvance(text) + 2 * inset
        height = round(measures.height() + self._theme.px(metrics.SPACE[1]))
        chip = QRectF(line.left(), ceil(line.center().y() + self._drop - height / 2), width, height)
        painter.setOpacity(FAINT_OPACITY if faint else 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(ground))
        painter.drawRoundedRect(chip, self._theme.px(metrics.RADIUS_BAR), self._theme.px(metrics.RADIUS_BAR))
        painter.setFont(self._small)
        painter.setPen(self._theme.color(words))
        place = QRectF(chip.left(), line.top() + self._drop, chip.width(), line.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        painter.setOpacity(1)
        return line.adjusted(width + self._theme.px(metrics.SPACE[3]), 0, 0, 0)
