"""Build the cards of a turn for painting, in the style of the transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntFlag
from functools import partial

from PySide6.QtCore import QCoreApplication, QRect
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextCursor, QTextDocument

from stemmata.domain.compare.turns import Totals, Turn
from stemmata.domain.entries.blocks import Block, Image, Text, ToolCall
from stemmata.domain.entries.entry import MESSAGE_KINDS, Kind, Role
from stemmata.domain.entries.figures import Figure, FigureKind
from stemmata.domain.text.word_diff import Span
from stemmata.gui.cards import assistant, layout, parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.picture_piece import PicturePiece
from stemmata.gui.cards.piece import Piece, stack
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece
from stemmata.gui.cards.words import tr as card_tr
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.core.shown_path import ContextSizes
from stemmata.gui.text.markdown import MarkdownChunk, Prose, chunks
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.figures import dollars, figure_text, number

SECOND = 10**9
MINUTE, HOUR = 60, 3600
UNKNOWN = "—"
CENT = 10_000  # millionths of a dollar


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text of the comparison."""
    return QCoreApplication.translate("Compare", text, comment, count)


def cost_text(figure: Figure) -> str:
    """Format a cost: `$0.31`, or `<$0.01` for less than a cent."""
    if figure.value is None:
        return UNKNOWN
    if 0 < figure.value < CENT:
        return _marked(figure, f"<{dollars(CENT)}")
    return _marked(figure, dollars(figure.value))


def time_text(figure: Figure) -> str:
    """Format a duration: `40 s`, `14 min` or `2 h 5 min`."""
    if figure.value is None:
        return UNKNOWN
    seconds = figure.value // SECOND
    if seconds < MINUTE:
        return tr("{0} s").format(seconds)
    if seconds < HOUR:
        return tr("{0} min").format(round(seconds / MINUTE))
    hours, rest = divmod(seconds, HOUR)
    minutes = rest // MINUTE
    return tr("{0} h {1} min").format(number(hours), minutes) if minutes else tr("{0} h").format(number(hours))


def turn_text(totals: Totals) -> str:
    """Return the totals of a turn in short, such as `2 tools · 14.1k · $0.06`, without unknown and zero values."""
    parts = []
    if totals.calls:
        parts.append(tr("%Ln tools", None, totals.calls))
    if totals.tokens.value:
        parts.append(figure_text(totals.tokens))
    if totals.cost.value:
        parts.append(cost_text(totals.cost))
    return " · ".join(parts)


def table(left: Totals, right: Totals) -> list[tuple[str, str, str]]:
    """Return the rows of the table: name, left value, right value."""
    return [
        (tr("Turns"), number(left.turns), number(right.turns)),
        (tr("Tool calls"), number(left.calls), number(right.calls)),
        (tr("Failed commands"), number(left.failed_commands), number(right.failed_commands)),
        (tr("Tokens"), figure_text(left.tokens), figure_text(right.tokens)),
        (tr("Cost"), cost_text(left.cost), cost_text(right.cost)),
        (tr("Time"), time_text(left.time), time_text(right.time)),
    ]


def _marked(figure: Figure, text: str) -> str:
    return f"≈ {text}" if figure.kind is FigureKind.ESTIMATED else text


START, STOP = "\ue002", "\ue003"  # private use
_FOREIGN = {ord(START): "\ufffd", ord(STOP): "\ufffd"}


def prompt_pieces(style: CardStyle, text: str, spans: Sequence[Span], ground: str) -> list[Piece]:
    """Return the prompt with highlighted spans.

    `spans` are character ranges in order; `ground` is the token of the background colour.
    """
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


SHORT = 400  # characters of a prompt or an entry that is rendered even before it is visible


def prompt_parts(style: CardStyle, text: str, spans: Sequence[Span], ground: str) -> list[Piece]:
    """Return a prompt with highlighted spans as `prompt_pieces` does; a long one in parts, rendered when visible."""
    if len(text) <= SHORT:
        return prompt_pieces(style, text, spans, ground)
    if len(text) > parts.MOST_MARKDOWN or text.count("```") > parts.MOST_FENCES:
        return parts.as_written(style, text)
    out: list[Piece] = []
    start = 0
    for chunk in chunks(text, parts.CHUNK):
        stop = start + len(chunk.source)
        if chunk.language is None:
            inside = [
                (max(at, start) - start, min(end, stop) - start) for at, end in spans if at < stop and end > start
            ]
            build = partial(_chunk_pieces, style, chunk, inside, ground)
        else:
            build = partial(_code, style, chunk.language)
        gap = 4 if chunk.joint is None else 0
        out.append(LongText(style, chunk.text, build, gap, joint=chunk.joint))
        start = stop
    return out


def _chunk_pieces(
    style: CardStyle, chunk: MarkdownChunk, spans: Sequence[Span], ground: str, _text: str
) -> list[Piece]:
    """Render a part of a prompt. The head of a table that is repeated above the part is not highlighted."""
    head = chunk.text.removesuffix(chunk.source)
    moved = [(start + len(head), stop + len(head)) for start, stop in spans]
    return prompt_pieces(style, chunk.text, moved, ground)


def _code(style: CardStyle, language: str, text: str) -> list[Piece]:
    return [CodePiece(style, text.rstrip("\n"), language)]


def marked(text: str, spans: Sequence[Span]) -> str:
    """Return the text with marks around the spans. A mark ends with its line, because Markdown blocks can end there.

    Characters at the start of a line or the end of a span that are not part of a word may be markup; they stay
    outside the marks.
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
    """Highlight the text between the marks, and remove the marks."""
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


MOST_ENTRIES = 64  # entries shown of a turn before “show all”
FEW_CALLS = 4  # calls of a reply that is rendered even before it is visible
MOST_TEXT = 3000  # characters shown of a prompt or reply before “show all”


class ShownTurn(IntFlag):
    """The parts of turns that are shown."""

    PROMPTS = 1
    REPLIES = 2
    TOOLS = 4
    FILES = 8
    ALL = 15


@dataclass(frozen=True, slots=True)
class TurnContent:
    """The content of a turn's cards.

    `entries` are the shown entries in order; `unfolded` holds the open parts by entry. `spans` are the differing
    words of the prompt; `ground` is the token of their background colour. `sizes` are the contexts around
    compactions, by key.
    """

    turn: Turn
    entries: Sequence[LoadedEntry]
    spans: Sequence[Span] = ()
    ground: str = "good"
    unfolded: frozenset[tuple[int, str]] = frozenset()
    whole: bool = False
    sizes: Mapping[int, ContextSizes] = field(default_factory=dict)


class EntryPieces(Piece):
    """The parts of one entry."""

    def __init__(self, style: CardStyle, children: Sequence[Piece], key: int) -> None:
        super().__init__(style, gap=3)  # the gap between joined cards of the transcript
        self.children = children
        self.is_said = bool(children) and children[0].is_said
        self.is_box = bool(children) and children[-1].is_box
        self.key = key

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        """Stack the parts, and return the bottom edge."""
        out.append(self)
        height = stack(self.children, x, y, width, out)
        self.rect = QRect(x, y, width, height)
        return height


class BarredPieces(Piece):
    """Parts beside a bar in the speaker's colour."""

    def __init__(self, style: CardStyle, children: Sequence[Piece], color: str) -> None:
        super().__init__(style, gap=6)
        self.children = children
        self._color = color

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        """Stack the parts beside the bar, and return the bottom edge."""
        out.append(self)
        indent = self.style.px(metrics.CARD_INDENT)
        height = stack(self.children, x + indent, y, width - indent, out)
        self.rect = QRect(x, y, width, height)
        return height

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        """Paint the bar."""
        width = self.style.px(metrics.LANE_LINE)
        painter.fillRect(QRect(0, 0, width, self.rect.height()), self.style.color(self._color or "line"))


def turn_pieces(style: CardStyle, content: TurnContent, shown: ShownTurn) -> list[BarredPieces]:
    """Return the cards of a turn."""
    out: list[BarredPieces] = []
    for card in _cards(style, content, shown):
        last = out[-1] if out else None
        if card.model and last is not None and isinstance(last, _ReplyPieces) and last.model == card.model:
            last.go_on(EntryPieces(style, card.pieces, card.key) if card.pieces else None)
        elif card.pieces or card.model:
            out.append(_made(style, content, card, first=not any(isinstance(made, _ReplyPieces) for made in out)))
    hidden = len(content.turn.entries) - len(content.entries)
    if hidden > 0:
        words = tr("Show %Ln more entries", None, hidden)
        line = LinePiece(style, [Word(words, "accent", action=Action(Request.SHOW_ALL))])
        out.append(BarredPieces(style, [line], "line"))
    return out


@dataclass(frozen=True, slots=True)
class _Card:
    """A card to build. `model` is set for replies only; replies of one model share a heading."""

    key: int
    pieces: list[Piece]
    color: str
    model: str = ""


class _ReplyPieces(BarredPieces):
    def __init__(self, style: CardStyle, heading: Piece, model: str) -> None:
        super().__init__(style, [heading], "assistant")
        self.model = model

    def go_on(self, group: EntryPieces | None) -> None:
        self.children = [*self.children, *([group] if group is not None else [])]


def _made(style: CardStyle, content: TurnContent, card: _Card, *, first: bool) -> BarredPieces:
    group = EntryPieces(style, card.pieces, card.key) if card.pieces else None
    if not card.model:
        return BarredPieces(style, [group] if group is not None else [], card.color)
    right = [Word(turn_text(content.turn.totals), "faint")] if first else []
    out = _ReplyPieces(style, parts.heading(style, card.model, "assistant", right), card.model)
    out.go_on(group)
    return out


def _cards(style: CardStyle, content: TurnContent, shown: ShownTurn) -> Iterator[_Card]:
    answers = _answers(content.entries)
    answered = {answer.row.key for found in answers.values() for answer in found}
    for entry in content.entries:
        row = entry.row
        if row.key == content.turn.request:
            if shown & ShownTurn.PROMPTS:
                yield _Card(row.key, _prompt(style, content, entry), "user")
        elif row.kind is Kind.MESSAGE and row.role is Role.ASSISTANT:
            found = answers.get(row.key, []) if shown & ShownTurn.TOOLS else []
            pieces = _reply(style, content, entry, found, shown)
            yield _Card(row.key, pieces, "assistant", row.model or card_tr("Assistant"))
        elif row.kind in MESSAGE_KINDS and row.key not in answered and _is_wanted(row.role, shown):
            pieces, bar = layout.build(style, _card_content(content, entry))
            yield _Card(row.key, pieces, bar)


def _is_wanted(role: Role, shown: ShownTurn) -> bool:
    wanted = (
        ShownTurn.TOOLS if role in (Role.TOOL_RESULT, Role.BASH_EXECUTION) else ShownTurn.PROMPTS | ShownTurn.REPLIES
    )
    return bool(shown & wanted)


def _answers(entries: Sequence[LoadedEntry]) -> dict[int, list[LoadedEntry]]:
    """Return the results of each entry's calls. Each call gets the next result that names it."""
    callers: dict[str, int] = {}
    out: dict[int, list[LoadedEntry]] = {}
    for entry in entries:
        if entry.row.role is Role.TOOL_RESULT and entry.row.call in callers:
            out.setdefault(callers.pop(entry.row.call), []).append(entry)
        for block in entry.body.blocks if entry.row.role is Role.ASSISTANT else ():
            if isinstance(block, ToolCall):
                callers[block.id] = entry.row.key
    return out


def _prompt(style: CardStyle, content: TurnContent, entry: LoadedEntry) -> list[Piece]:
    text = content.turn.prompt
    shown = text if content.whole else _first_part(text)
    spans = [(start, min(stop, len(shown))) for start, stop in content.spans if start < len(shown)]
    out: list[Piece] = [parts.heading(style, card_tr("You"), "user", parts.time_word(entry.row.time))]
    out += prompt_parts(style, shown, spans, content.ground)
    out += [PicturePiece(style, block) for block in entry.body.blocks if isinstance(block, Image)]
    return out if shown is text else [*out, _show_all(style)]


def _reply(
    style: CardStyle, content: TurnContent, entry: LoadedEntry, answers: Sequence[LoadedEntry], shown: ShownTurn
) -> list[Piece]:
    blocks: list[Block] = []
    is_cut = False
    for block in entry.body.blocks:
        if isinstance(block, Text) and shown & ShownTurn.REPLIES:
            text = block.text if content.whole else _first_part(block.text)
            is_cut |= text is not block.text
            blocks.append(Text(text))
        elif isinstance(block, ToolCall) and shown & ShownTurn.TOOLS:
            blocks.append(block)
    body = replace(entry.body, blocks=tuple(blocks))
    card = replace(_card_content(content, LoadedEntry(entry.row, body)), answers=tuple(answers), heading=False)
    pieces = _lazy_pieces(style, card)
    return [*pieces, _show_all(style)] if is_cut else pieces


def _lazy_pieces(style: CardStyle, card: CardContent) -> list[Piece]:
    """Return the pieces of a reply; the pieces of a long reply are made when it becomes visible."""
    blocks = card.entry.body.blocks
    calls = sum(isinstance(block, ToolCall) for block in blocks)
    text = "\n".join(block.text for block in blocks if isinstance(block, Text))
    if len(text) <= SHORT and calls <= FEW_CALLS:
        return assistant.pieces(style, card)
    whole = LongText(style, text + "\n" * calls, lambda _text: assistant.pieces(style, card), 3)
    whole.is_said = isinstance(blocks[0], Text)
    return [whole]


def _card_content(content: TurnContent, entry: LoadedEntry) -> CardContent:
    unfolded = frozenset(part for key, part in content.unfolded if key == entry.row.key)
    sizes = content.sizes.get(entry.row.key)
    return CardContent(entry, unfolded=unfolded, whole=content.whole, sizes=sizes)


def _first_part(text: str) -> str:
    """Return the text, shortened at a line end if it is long."""
    if len(text) <= MOST_TEXT:
        return text
    end = text.rfind("\n", MOST_TEXT // 2, MOST_TEXT)
    return text[: end if end > 0 else MOST_TEXT]


def _show_all(style: CardStyle) -> Piece:
    return LinePiece(style, [Word(tr("Show all of this turn"), "accent", action=Action(Request.SHOW_ALL))])
