"""Pieces that several kinds of cards share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import islice
from math import ceil

import orjson
from PySide6.QtCore import QDateTime, QLocale

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, UnknownBlock
from stemmata.domain.text.terminal_text import readable, terminal_text
from stemmata.domain.tool_calls.results import MOST_CLEANED
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.json_folds import ALL, SHORT_JSON, print_folded, value_of
from stemmata.gui.cards.line_piece import HeadPiece, LinePiece, Word
from stemmata.gui.cards.long_json import all_segments, first_segments
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.picture_piece import LatePicture, PictureBlock
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.sideways import Sideways
from stemmata.gui.cards.sideways_bar import SidewaysBar
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, JsonPiece, OutputPiece, TextPiece
from stemmata.gui.cards.words import tr
from stemmata.gui.text.document import Wrap
from stemmata.gui.text.markdown import SECTION, MarkdownChunk, Prose, Table, has_many_cells, lines_apart, spans_apart
from stemmata.gui.widgets.figures import size_text

LONG = 50_000  # characters; of a longer text the first part is shown
FIRST_PART = 6_000
AT_ONCE = 20_000  # characters of JSON that is opened as a whole; longer JSON is opened in segments
MEGABYTE = 1000  # kilobytes
MOST_FIRST_LINES = 400
CHUNK = 1_500  # characters rendered at a time
MOST_CHUNKS = 40  # chunks in one long text
MOST_MARKDOWN = 500_000  # characters; longer texts are shown without formatting
MOST_FENCES = 2_000  # fence marks; a text with more is shown without formatting
FEW_FENCES = 16  # fence marks in a text that is rendered at once
MOST_PICTURES = 4  # pictures of an entry whose sizes are read at once; of more, each when it comes into view
ROOMY = 1.6  # width of a table that is wider than the card, as a factor on its least width
LATEST = 253_402_300_800 * 10**9  # the year 10000, in ns


class _TableText(TextPiece):
    """The text of a table. A table that is wider than the card gets wider columns. With the minimum width, each
    column would be as wide as its longest word, so that a sentence would have one word on each line.
    """

    def measure(self, width: int) -> int:
        height = super().measure(width)
        least, room = self.document.size().width(), max(width, 1)
        if self.sideways is None or least <= room:
            return height
        height = self.document.height(round(least * ROOMY))
        self.sideways.fit(ceil(self.document.idealWidth()), room)
        return height


class TablePiece(Piece):
    """A table of a message. A table that is wider than the card has a scroll bar, so that few words are broken. Very
    long words are still broken.
    """

    def __init__(self, style: CardStyle, table: Table, *, color: str = "text", gap: int = 4) -> None:
        super().__init__(style, min(gap, 1))  # a table has a margin of its own
        breaks = style.always_wraps or table.has_long_words
        document = style.prose(table.html, Wrap.WORDS if breaks else Wrap.WHOLE_WORDS)
        self.sideways = sideways = Sideways()
        text = _TableText(style, document, color=color, gap=0, sideways=sideways)
        self.children = [text, SidewaysBar(style, sideways)]


def heading(style: CardStyle, name: str, color: str, right: Sequence[Word] = ()) -> HeadPiece:
    """Return the head of a card: the speaker's name, and words at the right."""
    return HeadPiece(style, [Word(name, color, "small_bold")], right, names_speaker=True)


def prose(style: CardStyle, text: str, *, color: str = "text", gap: int = 4) -> list[Piece]:
    """Return Markdown as pieces of prose and code."""
    out: list[Piece] = []
    for segment in style.markdown.segments(readable(text)):
        if isinstance(segment, Table):
            out.append(TablePiece(style, segment, color=color, gap=gap))
        elif isinstance(segment, Prose):
            out.append(TextPiece(style, style.prose(segment.html), color=color, gap=gap))
        else:
            out.append(CodePiece(style, segment.text, segment.language))
        gap = 4
    return out


def long_prose(
    style: CardStyle, content: CardContent, text: str, *, color: str = "text", gap: int = 4
) -> list[Piece]:
    """Return Markdown as pieces; a long text is cut and offers *Show all*."""
    shown = first_part(content, text)
    out: list[Piece] = []
    if len(shown) <= 2 * CHUNK and shown.count("```") <= FEW_FENCES and not has_many_cells(shown, 0, len(shown)):
        out += prose(style, shown, color=color, gap=gap)
    elif len(shown) > MOST_MARKDOWN or shown.count("```") > MOST_FENCES:
        out += as_written(style, shown, color=color, gap=gap)
    else:
        out += _chunked(style, style.markdown.chunks(readable(shown), CHUNK), color, gap)
    return out if shown is text else [*out, show_all(style, content, len(text))]


def _chunked(style: CardStyle, found: Sequence[MarkdownChunk], color: str, gap: int) -> list[LongText]:
    """Return long texts for chunks. Many chunks are nested, because each direct part of a card costs a placement."""
    if len(found) <= MOST_CHUNKS:
        return [_chunk(style, chunk, color, 4 if at else gap) for at, chunk in enumerate(found)]
    out: list[LongText] = []
    for start in range(0, len(found), MOST_CHUNKS):
        some = found[start : start + MOST_CHUNKS]
        above = (4 if out else gap) if some[0].joint is None else 0
        text = "".join(chunk.source for chunk in some)
        out.append(LongText(style, text, partial(_section, style, some, color), above, joint=some[0].joint))
    return out


def _section(style: CardStyle, some: Sequence[MarkdownChunk], color: str, _text: str) -> list[LongText]:
    return _chunked(style, some, color, 0)


def _chunk(style: CardStyle, chunk: MarkdownChunk, color: str, gap: int) -> LongText:
    """Return a long text that renders a chunk when it becomes visible."""
    if chunk.language is not None:
        language = chunk.language
        return LongText(style, chunk.text, lambda code: [CodePiece(style, code.rstrip("\n"), language)], gap)
    gap = gap if chunk.joint is None else 0
    return LongText(style, chunk.text, partial(prose, style, color=color), gap, joint=chunk.joint)


def as_written(style: CardStyle, text: str, *, color: str = "text", gap: int = 4) -> list[Piece]:
    """Return unformatted text of any length, in long texts."""

    def build(part: str) -> list[Piece]:
        return [TextPiece(style, style.plain(part), color=color, gap=0)]

    def parts(section: str) -> list[Piece]:
        found = lines_apart(readable(section), CHUNK, CHUNK // 20)
        return [LongText(style, part, build, 0, joint=joint) for part, joint in found]

    # cut first: to make a megabyte readable that has many colours takes 20 ms
    return [
        LongText(style, text, parts, 0 if start else gap, joint=joint if start else None, span=(start, stop))
        for start, stop, joint in spans_apart(text, SECTION)
    ]


def output(style: CardStyle, content: CardContent, text: str) -> list[Piece]:
    """Return the output of a command in the code font, as a terminal shows it in the end."""
    shown = first_part(content, text)
    seen = (terminal_text(shown) if len(shown) <= MOST_CLEANED else shown).rstrip("\n")
    out: list[Piece] = [OutputPiece(style, seen, color="dim", gap=1, framed=False)]
    return out if shown is text else [*out, show_all(style, content, len(text))]


def first_part(content: CardContent, text: str) -> str:
    """Return the text, or its beginning up to a line end when it is too long."""
    if content.whole or len(text) <= LONG:
        return text
    end = text.rfind("\n", FIRST_PART // 2, FIRST_PART)
    first = text[: end if end > 0 else FIRST_PART]
    lines = first.split("\n", MOST_FIRST_LINES)
    return "\n".join(lines[:MOST_FIRST_LINES]) if len(lines) > MOST_FIRST_LINES else first


def show_all(style: CardStyle, content: CardContent, length: int) -> Piece:
    """Return the line *Show all* with the size of the text."""
    size = max(1, (length + content.entry.body.cut) // 1000)
    known = tr("Show all ({size} kB)").format(size=size)
    words = known if size < MEGABYTE else tr("Show all ({0})").format(size_text(size * 1000))
    return LinePiece(style, [Word(words, "accent", action=Action(Request.SHOW_ALL))], gap=3)


def files_word(read: int, modified: int, *more: str, tip: str = "") -> list[Word]:
    """Return the word `Read 3 files · modified 1 · …`; empty without files."""
    facts = [tr("Read %Ln files", None, read)] if read else []
    if modified:
        facts.append(tr("modified %Ln", None, modified) if read else tr("Modified %Ln files", None, modified))
    facts += filter(None, more)
    return [Word(" · ".join(facts), "dim", tip=tip)] if facts else []


def fold_line(style: CardStyle, part: str, words: str, *, open: bool) -> LinePiece:
    """Return a line that folds and unfolds the part below it."""
    icon = "triangle-down" if open else "triangle-right"
    return LinePiece(style, [Word(words, "faint", icon=icon)], action=Action(Request.FOLD, part), gap=2)


def thinking(
    style: CardStyle, content: CardContent, part: str, block: Thinking, seconds: int | None = None
) -> list[Piece]:
    """Return a thinking block as a foldable part; `seconds` is how long it took, None when that is unknown."""
    if block.redacted or not block.text.strip():
        return [LinePiece(style, [Word(tr("Thought, hidden by the provider"), "faint")], gap=2)]
    is_open = part in content.unfolded
    words = tr("Thought") if seconds is None else tr("Thought for {time}").format(time=seconds_text(seconds))
    line = fold_line(style, part, words, open=is_open)
    return [line, *long_prose(style, content, block.text, color="dim", gap=2)] if is_open else [line]


def seconds_text(seconds: int) -> str:
    """Return a duration in words, such as `6 s` or `2 min 5 s`."""
    minutes, rest = divmod(seconds, 60)
    if not minutes:
        return tr("{seconds} s").format(seconds=rest)
    return tr("{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)


def blocks(style: CardStyle, content: CardContent, found: Sequence[Block]) -> list[Piece]:
    """Return pieces for texts, images and unknown blocks. Calls and thinking belong to the assistant's card."""
    out: list[Piece] = []
    for at, block in enumerate(found):
        match block:
            case Text(text) if text.strip():
                out += long_prose(style, content, text)
            case Image():
                out.append(picture(style, block, content.entry.body.blocks))
            case UnknownBlock(type, text):
                out += json_part(style, content, f"opaque{at}", type, text)
            case _:
                pass
    return out


def picture(style: CardStyle, image: Image, among: Sequence[Block]) -> Piece:
    """Return a picture; its size is read later when there are many `among` the blocks."""
    images = (block for block in among if isinstance(block, Image))
    is_many = next(islice(images, MOST_PICTURES, None), None) is not None
    return LatePicture(style, image) if is_many else PictureBlock(style, image)


def json_part(style: CardStyle, content: CardContent, part: str, title: str, text: str) -> list[Piece]:
    """Return an unknown block: its name, and its JSON when unfolded."""
    is_open = part in content.unfolded
    line = fold_line(style, part, title, open=is_open)
    return [line, *json_code(style, content, text, part, gap=2)] if is_open else [line]


def json_code(
    style: CardStyle, content: CardContent, text: str, place: str, *, gap: int = 1, framed: bool = True
) -> list[Piece]:
    """Return JSON as code whose objects and lists fold.

    Invalid JSON does not fold. `place` names the JSON within the card.
    """
    is_whole = content.whole or len(text) + content.entry.body.cut <= LONG
    if is_whole and len(text) > AT_ONCE and ALL in content.unfolded:
        out = all_segments(style, content, text, place)
        if out:
            return out
    try:
        folded = print_folded(value_of(text), place, content.unfolded)
    except (ValueError, RecursionError):
        return long_json(style, content, text, place) or _plain_json(style, content, text, gap, framed=framed)
    if (is_whole and folded.is_limited) or (content.whole and folded.is_cut):
        return all_segments(style, content, text, place) or _plain_json(style, content, text, gap, framed=framed)
    out = [JsonPiece(style, folded, text, gap=gap, framed=framed)]
    return [*out, show_all(style, content, len(text))] if folded.is_cut else out


def long_json(style: CardStyle, content: CardContent, text: str, place: str) -> list[Piece]:
    """Return JSON that is too long to be printed at once, or its beginning; empty when it is short or no JSON."""
    if len(text) + content.entry.body.cut <= LONG:
        return []
    if content.whole:
        return all_segments(style, content, text, place)
    found = first_segments(style, content, text, place)
    return [*found, show_all(style, content, len(text))] if found else []


def _plain_json(style: CardStyle, content: CardContent, text: str, gap: int, *, framed: bool) -> list[Piece]:
    whole = pretty(text)
    shown = first_part(content, whole)
    out: list[Piece] = [CodePiece(style, shown.rstrip("\n"), "json", gap=gap, framed=framed)]
    return out if shown is whole else [*out, show_all(style, content, len(text))]


def pretty(text: str) -> str:
    """Return indented JSON; invalid or very long JSON stays unchanged."""
    try:
        value = value_of(text)
        if len(text) <= SHORT_JSON:
            return json.dumps(value, indent=2, ensure_ascii=False)
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except (ValueError, RecursionError):
        return text


def time_word(time: int) -> list[Word]:
    """Return the local time of day, with the date as its tooltip; empty for an unknown time."""
    if not 0 < time < LATEST:
        return []
    moment = QDateTime.fromMSecsSinceEpoch(time // 1_000_000)
    tip = QLocale().toString(moment, QLocale.FormatType.LongFormat)
    return [Word(moment.toString("HH:mm"), "faint", tip=tip)]
