"""Long JSON as pieces: segments that are parsed, folded and coloured when they come into view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile

from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.json_folds import ALL, MOST_LINES, MOST_OPENED
from stemmata.gui.cards.json_segments import Place, Segment, check, divided, line_count, may_be_json, printed
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, JsonPiece

FIRST = 12_000  # characters of JSON that are shown before *Show all*
MOST_DIVIDED = 3_000_000  # characters; longer JSON is shown as it is written
REST_LINES = 16  # characters of JSON that become about one line


def first_segments(style: CardStyle, content: CardContent, text: str, place: str) -> list[Piece]:
    """Return the beginning of long JSON; empty when the text is not JSON. `place` names the text in its card."""
    found = divided(text, most=FIRST)[0] if may_be_json(text) else []
    try:
        made = [_printed(style, content, text, place, segment) for segment in found]
    except ValueError:
        return []
    return [*made, LinePiece(style, [Word("…", "faint", "code")], gap=1)] if made else []


def all_segments(style: CardStyle, content: CardContent, text: str, place: str) -> list[Piece]:
    """Return all of long JSON; empty when the text is not JSON or longer than MOST_DIVIDED."""
    if len(text) > MOST_DIVIDED or not may_be_json(text):
        return []
    found, rest = divided(text)
    try:
        for segment in takewhile(lambda segment: segment.start < FIRST, found):
            check(text, segment)
    except ValueError:
        return []
    return _pieces(style, content, text, place, None, (found, rest)) if found else []


def _segments(
    style: CardStyle, content: CardContent, text: str, place: str, start: Place | None, _part: str
) -> Sequence[Piece]:
    """Return the segments from a place on, and the rest of the text as one piece that is divided later."""
    return _pieces(style, content, text, place, start, divided(text, start))


def _pieces(
    style: CardStyle,
    content: CardContent,
    text: str,
    place: str,
    start: Place | None,
    division: tuple[list[Segment], Place | None],
) -> list[Piece]:
    found, rest = division
    most = MOST_LINES if ALL in content.unfolded else MOST_OPENED
    out: list[Piece] = []
    for segment in found:
        build = partial(_built, style, content, text, place, segment)
        joint = "\n" if out or start is not None else None
        out.append(_late(style, text, build, (segment.start, segment.stop), line_count(text, segment, most), joint))
    if rest is None:
        return out
    if rest == start:
        return [CodePiece(style, text[rest.at :], gap=0, framed=False)]  # the rest is not valid JSON
    build = partial(_segments, style, content, text, place, rest)
    lines = (len(text) - rest.at) // REST_LINES
    return [*out, _late(style, text, build, (rest.at, len(text)), lines, "\n")]


def _late(
    style: CardStyle,
    text: str,
    build: Callable[[str], Sequence[Piece]],
    span: tuple[int, int],
    lines: int,
    joint: str | None,
) -> LongText:
    out = LongText(style, text, build, 0, joint=joint, font="code", span=span, wraps=False)
    out.expect_lines(lines)
    return out


def _built(
    style: CardStyle, content: CardContent, text: str, place: str, segment: Segment, part: str
) -> Sequence[Piece]:
    try:
        return [_printed(style, content, text, place, segment)]
    except ValueError:
        return [CodePiece(style, part, gap=0, framed=False)]


def _printed(style: CardStyle, content: CardContent, text: str, place: str, segment: Segment) -> Piece:
    return JsonPiece(style, printed(text, segment, place, content.unfolded), text, gap=0, framed=False)
