"""Lays out the text around a match in at most three lines, so that the first match is always whole."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QTextLayout, QTextOption

from stemmata.gui.search.rows import MATCH_END, MATCH_START

LINES = 3
ELLIPSIS = "…"
CUT = 3  # characters that give it room
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The lines of a snippet. `spans` are its matches, as characters of the layout's text."""

    layout: QTextLayout
    spans: tuple[Span, ...]


def parts_of(snippet: str) -> tuple[str, tuple[Span, ...]]:
    """Return the text of a snippet without marks, and where its matches stand."""
    text, spans = "", []
    for at, part in enumerate(snippet.split(MATCH_START)):
        matched, ended, rest = part.partition(MATCH_END)
        if at and ended:
            spans.append((len(text), len(text) + len(matched)))
        text += matched + rest
    return text, tuple(spans)


def laid_out(snippet: str, font: QFont, width: int, most: int = LINES) -> LaidOut:
    """Return the lines of a snippet. Where the first match would be below the last line, the text begins later."""
    text, spans = parts_of(snippet)
    layout = _lines(text, font, width)
    if layout.lineCount() > most and spans:
        first, last = layout.lineForTextPosition(spans[0][0]), layout.lineForTextPosition(spans[0][1] - 1)
        if last.lineNumber() >= most:
            line = layout.lineAt(min(first.lineNumber(), last.lineNumber() - most + 1))
            text, spans = _without_start(text, spans, line.textStart())
            layout = _lines(text, font, width)
    if layout.lineCount() > most:
        end = layout.lineAt(most - 1).textStart() + layout.lineAt(most - 1).textLength()
        text, spans = _without_end(text, spans, end)
        layout = _lines(text, font, width)
    return LaidOut(layout, spans)


def _without_start(text: str, spans: tuple[Span, ...], start: int) -> tuple[str, tuple[Span, ...]]:
    by = start - len(ELLIPSIS)
    return ELLIPSIS + text[start:], tuple((first - by, last - by) for first, last in spans if first >= start)


def _without_end(text: str, spans: tuple[Span, ...], end: int) -> tuple[str, tuple[Span, ...]]:
    """Cut the text at the end of the last line, and put an ellipsis there unless a match would lose letters."""
    text = text[:end].rstrip()
    kept = tuple((first, min(last, len(text))) for first, last in spans if first < len(text))
    shorter = len(text) - CUT
    if kept and kept[-1][1] > shorter:
        return text, kept
    return text[:shorter].rstrip() + ELLIPSIS, kept


def _lines(text: str, font: QFont, width: int) -> QTextLayout:
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    layout.beginLayout()
    top = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1))
        line.setPosition(QPointF(0, top))
        top += line.height()
    layout.endLayout()
    return layout
