"""The stored texts of an entry, as they are written. A card shows one when a match is in words that it leaves out.

Such words are the names of arguments, markup, or a result that the card replaces by the changed lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.search.finding import unescaped
from stemmata.domain.text.terminal_text import readable
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

_WRITTEN = "written"
NAME = -1  # number of the entry's name, among the numbers of its blocks


def texts_of(loaded: LoadedEntry) -> Iterator[tuple[int, str]]:
    """Yield the texts of an entry, each with the number of its block."""
    if loaded.row.name:
        yield NAME, loaded.row.name
    for at, block in enumerate(loaded.body.blocks):
        match block:
            case Text() | Thinking():
                yield at, readable(block.text)
            case ToolCall():
                yield at, f"{block.name} {unescaped(parts.pretty(block.arguments))}"
            case UnknownBlock():
                yield at, block.json
            case _:
                pass


def stored_length(loaded: LoadedEntry) -> int:
    """Return the number of characters of the texts of an entry as they are stored."""
    length = len(loaded.row.name)
    for block in loaded.body.blocks:
        match block:
            case Text() | Thinking():
                length += len(block.text)
            case ToolCall():
                length += len(block.arguments)
            case UnknownBlock():
                length += len(block.json)
            case _:
                pass
    return length


def part_of(loaded: LoadedEntry, at: int) -> str:
    """Return the name under which a card keeps whether it shows the text of a block as it is written."""
    return part_name(loaded.row.key, at)


def part_name(key: int, at: int) -> str:
    """Return the name of the part for the block with a number of an entry (store key)."""
    return f"{_WRITTEN}{key}.{at}"


def pieces(style: CardStyle, content: CardContent, loaded: LoadedEntry, *, only: str = "") -> list[Piece]:
    """Return the texts of an entry that are shown as they are written, each below a line that hides it when clicked.

    `only` is the part of a call whose text is wanted; without it, the texts of all blocks that are no calls.
    """
    out: list[Piece] = []
    if not any(name.startswith(_WRITTEN) for name in content.unfolded):
        return out  # most cards: the texts of calls take time to write
    for at, text in texts_of(loaded):
        is_call = at >= 0 and isinstance(loaded.body.blocks[at], ToolCall)
        if part_of(loaded, at) in content.unfolded and (only == f"call{at}" if is_call else not only):
            words = tr("Text that is not shown above")
            out.append(parts.fold_line(style, part_of(loaded, at), words, open=True))
            out.append(CodePiece(style, text.rstrip("\n"), color="dim", gap=1))
            out[-1].written = part_of(loaded, at)
    if loaded is not content.entry:
        for piece in out:
            piece.result_key = loaded.row.key
    return out
