"""A prompt as Markdown, with the words marked that the other branch's prompt has not.

What is marked is known by its place in the source, but Markdown is laid out from what it is rendered to. So the marks
travel through the rendering as two characters that no text has, and are turned into a background in the document.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument

from stemmata.domain.text.word_diff import Span
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece
from stemmata.gui.text.markdown import Prose
from stemmata.gui.theme import metrics

START, STOP = "\ue002", "\ue003"  # private use
_FOREIGN = {ord(START): "\ufffd", ord(STOP): "\ufffd"}


def prompt_pieces(style: CardStyle, text: str, spans: Sequence[Span], ground: str) -> list[Piece]:
    """`spans` are characters of the text, in order; `ground` is the token of the colour that shines through."""
    out: list[Piece] = []
    color = QColor(style.color(ground))
    color.setAlphaF(metrics.MARKED)
    for segment in style.markdown.segments(marked(text, spans)):
        if isinstance(segment, Prose):
            prose = style.prose(segment.html)
            paint_marks(prose, color)
            out.append(TextPiece(style, prose, gap=4))
        else:
            out.append(CodePiece(style, segment.text.replace(START, "").replace(STOP, ""), segment.language))
    return out


def marked(text: str, spans: Sequence[Span]) -> str:
    """The text with marks around the spans, line by line: a mark must not reach across blocks of Markdown.

    What stands at the start of a line or the end of a span and is no word may be markup; it stays outside the marks.
    """
    text = text.translate(_FOREIGN)
    out: list[str] = []
    at = 0
    for start, stop in spans:
        out.append(text[at:start])
        out.extend(_marked_line(line) for line in text[start:stop].splitlines(keepends=True))
        at = stop
    return "".join((*out, text[at:]))


def _marked_line(line: str) -> str:
    words = [at for at, character in enumerate(line) if character.isalnum()]
    if not words:
        return line
    start, stop = words[0], words[-1] + 1
    return f"{line[:start]}{START}{line[start:stop]}{STOP}{line[stop:]}"


def paint_marks(document: QTextDocument, color: QColor) -> None:
    """Give what stands between the marks a background, and take the marks out."""
    shape = QTextCharFormat()
    shape.setBackground(color)
    while not (start := document.find(START)).isNull():
        begin = start.selectionStart()
        start.removeSelectedText()
        stop = document.find(STOP, begin)
        if not stop.isNull():
            end = stop.selectionStart()
            stop.removeSelectedText()
            cursor = QTextCursor(document)
            cursor.setPosition(begin)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(shape)
    while not (stray := document.find(STOP)).isNull():
        stray.removeSelectedText()
