"""Tables that are wider than the card are scrolled sideways, and no word of them is broken."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QTextDocument

from stemmata.domain.entries.blocks import Text
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.parts import TablePiece
from stemmata.gui.cards.sideways_bar import SidewaysBar
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.text.markdown import Markdown, Prose, Table
from tests.fakes.conversation import assistant

MakeCard = Callable[..., Card]
HEAD = "| Approach | Description of it | Complexity | Memory_footprint_of_all | Throughput_a_second | Notes |\n"
WIDE = f"Before.\n\n{HEAD}{'|---' * 6}|\n| a | b | c | moderate_allocation_of_memory | e | f |\n\nAfter."


def tables(card: Card) -> list[TablePiece]:
    return [part for part in card.parts if isinstance(part, TablePiece)]


def is_broken(document: QTextDocument) -> bool:
    """Whether a line ends inside a word."""
    block = document.firstBlock()
    while block.isValid():
        text, layout = block.text(), block.layout()
        for number in range(layout.lineCount() - 1):
            line = layout.lineAt(number)
            end = line.textStart() + line.textLength()
            if end < len(text) and not text[end - 1].isspace() and text[end - 1] not in "-/(":
                return True
        block = block.next()
    return False


def test_a_wide_table_is_scrolled(make_card: MakeCard) -> None:
    card = make_card(assistant(Text(WIDE)))
    (table,) = tables(card)
    assert table.sideways is not None
    assert table.sideways.most > 0
    text = next(part for part in table.children if isinstance(part, TextPiece))
    assert not is_broken(text.document)
    bar = next(part for part in table.children if isinstance(part, SidewaysBar))
    assert bar.rect.height() > 0
    assert text.rect.right() <= card.width()


def test_a_sentence_in_a_scrolled_table_is_not_one_word_wide(make_card: MakeCard) -> None:
    sentence = "It reads a row and then it writes a row as long as it can"
    (table,) = tables(make_card(assistant(Text(WIDE.replace("| f |", f"| {sentence} |")))))
    text = next(part for part in table.children if isinstance(part, TextPiece))
    block = text.document.firstBlock()
    while block.text() != sentence:
        block = block.next()
    assert block.layout().lineCount() <= len(sentence.split()) / 2


def test_a_narrow_table_takes_no_more_room(make_card: MakeCard) -> None:
    card = make_card(assistant(Text("| a | b |\n|---|---|\n| 1 | 2 |")))
    (table,) = tables(card)
    assert table.sideways is not None
    assert table.sideways.most == 0
    assert table.children[1].rect.height() == 0


@pytest.mark.parametrize("word", ["x" * 400, "https://a.example/" + "y" * 300])
def test_a_word_that_no_column_should_hold_is_broken(make_card: MakeCard, word: str) -> None:
    card = make_card(assistant(Text(f"| a | b |\n|---|---|\n| {word} | 2 |")))
    (table,) = tables(card)
    assert table.sideways is not None
    assert table.sideways.most == 0


def test_where_nothing_is_scrolled_words_are_broken(style: CardStyle) -> None:
    style.always_wraps = True
    (table,) = (part for part in Markdown().segments(WIDE) if isinstance(part, Table))
    piece = TablePiece(style, table)
    piece.place(0, 0, 300, [])
    assert piece.sideways is not None
    assert piece.sideways.most < 20


def test_tables_are_segments_of_their_own() -> None:
    kinds = [type(part) for part in Markdown().segments(f"{WIDE}\n\n- item\n\n  | a |\n  |---|\n  | b |")]
    assert kinds == [Prose, Table, Prose]
