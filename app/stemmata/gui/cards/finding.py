"""Find in a card: the folded parts that hide a match, and the positions of matches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Role
from stemmata.domain.search.finding import block_texts
from stemmata.domain.search.needle import Needle
from stemmata.domain.text.terminal_text import readable
from stemmata.gui.cards import assistant, compaction, note, parts, shell
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.json_folds import ALL
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import MarkedPiece, Piece
from stemmata.gui.cards.written_text import part_of, texts_of
from stemmata.gui.core.pages import LoadedEntry

WHOLE_CARD = frozenset({compaction.PART, note.PART, shell.PART, ALL, "answer", "record"})


@dataclass(frozen=True, slots=True)
class FoundSpot:
    """A painted match. `start` counts from the start of the piece's document."""

    part: MarkedPiece
    start: int

    @property
    def y(self) -> int:
        """The match's upper edge in the card."""
        return self.part.rect.y() + self.part.y_of(self.start)


def spots(placed: Iterable[Piece]) -> list[FoundSpot]:
    """Return all painted matches of the style's searched text, in reading order."""
    return [FoundSpot(part, start) for part in placed if isinstance(part, MarkedPiece) for start in part.found()]


def next_spot(
    placed: Sequence[Piece],
    after: FoundSpot | None,
    needle: Needle,
    *,
    back: bool = False,
    without: set[LongText],
) -> FoundSpot | LongText | None:
    """Return the match after (or before) another one in reading order, or a long text that must be rendered first.

    With `after` None the search begins at the first (or last) piece. The long texts in `without` are passed over;
    those that have no match are added to them.
    """
    pieces = [part for part in placed if isinstance(part, MarkedPiece | LongText)]
    if back:
        pieces.reverse()
    start = next((at for at, part in enumerate(pieces) if after is not None and part is after.part), 0)
    for part in pieces[start:]:
        if isinstance(part, MarkedPiece):
            found = part.found()
            if after is not None and part is after.part:
                found = [at for at in found if (at < after.start if back else at > after.start)]
            if found:
                return FoundSpot(part, found[-1 if back else 0])
        elif not part.is_realised and part not in without and needle:
            if part.holds(needle):
                return part
            without.add(part)
    return None


def numbered_spot(
    pieces: Sequence[Piece], number: int, needle: Needle, *, without: Collection[Piece]
) -> FoundSpot | LongText | None:
    """Return the match with a number (from 0) in pieces and their children; None for no such match.

    Return a long text instead when it must be rendered first, since it may paint fewer matches than it has. The long
    texts in `without` paint none.
    """
    waiting = list(reversed(pieces))
    while waiting:
        piece = waiting.pop()
        count = 0
        if isinstance(piece, MarkedPiece):
            found = piece.found()
            count = len(found)
            if count > number:
                return FoundSpot(piece, found[number])
        elif isinstance(piece, LongText) and not piece.is_realised and piece not in without:
            count = needle.count(readable(piece.text()))
            if count > number:
                return piece
        number -= count
        waiting += reversed(piece.children)
    return None


def may_paint_match(pieces: Sequence[Piece]) -> bool:
    """Return whether a match may be painted in pieces that need not be laid out: in a text, or in a long text."""
    waiting = list(pieces)
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, LongText) or (isinstance(piece, MarkedPiece) and piece.found()):
            return True
        waiting += piece.children
    return False


def hiding(content: CardContent, needle: Needle, wanted: int | None = None) -> tuple[frozenset[str], bool]:
    """Return the parts to unfold so that every match is visible, and whether long blocks must be shown in full.

    `wanted` is the store key of the entry whose match is wanted, which may be in the part that was not read yet.
    """
    own = content.entry.body.blocks
    names = {f"call{at}" for at, answer in _called(content) if _holds(answer.body.blocks, needle)}
    names |= {f"answer{answer.row.key}" for answer in content.answers if _holds(answer.body.blocks, needle)}
    for at, block in enumerate(own):
        if _holds([block], needle):
            names |= _parts_of(at, block)
    every = (content.entry, *content.answers)
    unseen = not names and any(loaded.body.cut for loaded in every)
    unseen |= any(one.row.key == wanted and one.body.cut and not _holds(one.body.blocks, needle) for one in every)
    is_long = any(_is_beyond(content, loaded, needle) for loaded in every)
    return frozenset(names | WHOLE_CARD), is_long or _has_late_call(own, names) or unseen


def leaving_out(
    content: CardContent, needle: Needle, key: int, block: int | None = None
) -> tuple[frozenset[str], bool]:
    """Return the parts of the card that show, as they are written, the texts of an entry (key) that have a match.

    With `block` this is only the text of the block with this number.
    """
    own, names = content.entry.body.blocks, set[str]()
    calls = {answer.row.key: f"call{at}" for at, answer in _called(content)}
    for loaded in (content.entry, *content.answers):
        if loaded.row.key != key:
            continue
        found = [at for at, text in texts_of(loaded) if block in (None, at) and needle.is_in(text)]
        names |= {part_of(loaded, at) for at in found}
        if loaded is not content.entry:
            names |= {calls.get(key, f"answer{key}")} if found else set()
        else:
            names |= {f"call{at}" for at in found if at >= 0 and isinstance(own[at], ToolCall)}
    return frozenset(names), _has_late_call(own, names)


def _has_late_call(blocks: Sequence[Block], names: Iterable[str]) -> bool:
    """Return whether one of the parts is a call that is shown only with *Show more calls*."""
    calls = (name for name in names if name.startswith("call"))
    return any(_number_of_call(blocks, name) > assistant.MOST_CALLS for name in calls)


def tool_parts(entry: LoadedEntry, answers: Iterable[LoadedEntry]) -> frozenset[str]:
    """Return the parts of a card that are calls of tools or their results."""
    if entry.row.role is Role.TOOL_RESULT:
        return frozenset({"answer"})
    names = {f"call{at}" for at, block in enumerate(entry.body.blocks) if isinstance(block, ToolCall)}
    return frozenset(names | {f"answer{answer.row.key}" for answer in answers})


def thought_parts(entry: LoadedEntry) -> frozenset[str]:
    """Return the parts of a card that are thoughts."""
    return frozenset(f"thinking{at}" for at, block in enumerate(entry.body.blocks) if isinstance(block, Thinking))


def _parts_of(at: int, block: Block) -> set[str]:
    match block:
        case Thinking():
            return {f"thinking{at}"}
        case ToolCall():
            return {f"call{at}"}
        case UnknownBlock():
            return {f"opaque{at}"}
        case _:
            return {"text"}


def _called(content: CardContent) -> Iterator[tuple[int, LoadedEntry]]:
    """Yield the results with the position of their call's block."""
    places = {block.id: at for at, block in enumerate(content.entry.body.blocks) if isinstance(block, ToolCall)}
    return ((places[answer.row.call], answer) for answer in content.answers if answer.row.call in places)


def _number_of_call(blocks: Iterable[Block], name: str) -> int:
    at = int(name.removeprefix("call"))
    return sum(isinstance(block, ToolCall) for block in list(blocks)[: at + 1])


def _holds(blocks: Iterable[Block], needle: Needle) -> bool:
    return any(needle.is_in(text) for block in blocks for text in block_texts(block))


def _is_beyond(content: CardContent, loaded: LoadedEntry, needle: Needle) -> bool:
    """Whether a match lies beyond the shown part of a long block."""
    texts = [block.text for block in loaded.body.blocks if isinstance(block, Text | Thinking)]
    own = CardContent(loaded, whole=content.whole)
    return any(needle.is_in(readable(text), len(readable(parts.first_part(own, text)))) for text in texts)
