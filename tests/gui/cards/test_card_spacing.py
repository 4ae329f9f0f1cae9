"""How the parts of cards stand: close to their headings, boxes by themselves, words whole, rules in their colour."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import pytest

from stemmata.domain.chat.streaming import BlockKind
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import CardMarks, Stage
from stemmata.gui.cards.line_piece import LinePiece
from stemmata.gui.cards.streaming import StreamingCard
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.core.streams import OpenBlock, StreamingReply
from stemmata.gui.text.document import TextDocument
from stemmata.gui.text.markdown import Prose
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.cut import CutLine
from tests.fakes.conversation import assistant, result, user

MakeCard = Callable[..., Card]


def first_words(parts: Iterable[object]) -> TextPiece:
    return next(part for part in parts if isinstance(part, TextPiece))


def laid_out(style: CardStyle, markdown: str, width: int = 300) -> TextDocument:
    (segment,) = style.markdown.segments(markdown)
    assert isinstance(segment, Prose)
    document = style.prose(segment.html)
    document.height(width)
    return document


def tops(document: TextDocument) -> list[float]:
    layout = document.documentLayout()
    return [layout.blockBoundingRect(document.findBlockByNumber(at)).y() for at in range(document.blockCount())]


@pytest.mark.parametrize("entry", [user("Hello"), assistant("Hello"), assistant("Hello " * 2000)])
def test_words_follow_their_heading_at_once(make_card: MakeCard, style: CardStyle, entry: object) -> None:
    card = make_card(entry)
    head = next(part for part in card.parts if isinstance(part, LinePiece))
    assert first_words(card.parts).rect.top() - head.rect.bottom() - 1 == style.space(1)


def test_a_call_keeps_its_distance_to_the_heading(make_card: MakeCard, style: CardStyle) -> None:
    card = make_card(assistant(ToolCall("c", "read", "{}")), result("c"))
    head, row = card.parts[:2]
    assert row.rect.top() - head.rect.bottom() - 1 == style.space(3)


def test_text_keeps_more_distance_to_a_box_above_it(make_card: MakeCard, style: CardStyle) -> None:
    card = make_card(assistant("```\ncode\n```\n\nBelow"))
    box = next(part for part in card.parts if part.is_box)
    below = next(part for part in card.parts if isinstance(part, TextPiece) and part.rect.top() > box.rect.bottom())
    assert below.rect.top() - box.rect.bottom() - 1 == style.space(5)


def test_text_that_continues_after_a_call_keeps_that_distance(make_card: MakeCard, style: CardStyle) -> None:
    card = make_card(assistant("Done."), heading=False)
    assert first_words(card.parts).rect.top() == style.space(5)
    call = make_card(assistant(ToolCall("c", "read", "{}")), heading=False)
    assert call.parts[0].rect.top() == style.space(3)


def test_a_reply_stands_where_it_stood_while_it_came(make_card: MakeCard, style: CardStyle) -> None:
    stored = make_card(assistant(Text("Hello")))
    block = OpenBlock(BlockKind.TEXT)
    block.pieces.append("Hello")
    reply = StreamingReply(0, 0, 0, blocks={0: block})
    parent = stored.parentWidget()
    assert parent is not None
    card = StreamingCard(style, parent)
    card.show_replies([reply])
    card.lay_out(stored.width())
    assert first_words(card._flow.placed).rect == first_words(stored.parts).rect


def test_boxes_of_tasks_stand_by_themselves(style: CardStyle) -> None:
    document = laid_out(style, "- [ ] " + "many words " * 12)
    task = document.firstBlock().layout()
    assert task.lineCount() > 1
    box = style.font_metrics("ui").horizontalAdvance("☐ ")
    assert task.lineAt(1).x() - task.lineAt(0).x() == pytest.approx(box, abs=1)


def test_lists_in_lists_are_as_close_as_their_lines(style: CardStyle) -> None:
    y = tops(laid_out(style, "- one\n- two\n  - in\n    - deeper\n- three"))
    steps = [below - above for above, below in pairwise(y)]
    assert max(steps) - min(steps) < 1


def test_code_breaks_between_words(style: CardStyle) -> None:
    document = style.code("value " * 30)
    document.height(200)
    lines = document.firstBlock().layout()
    assert lines.lineCount() > 1
    assert all(lines.lineAt(at).textStart() % len("value ") == 0 for at in range(lines.lineCount()))


def test_a_word_longer_than_the_line_breaks_inside(style: CardStyle) -> None:
    for length in (200, 5000):
        document = style.code("y" * length)
        document.height(200)
        assert document.firstBlock().layout().lineCount() > 1
        assert document.idealWidth() <= 200


def test_rules_have_the_colour_of_lines(make_card: MakeCard, style: CardStyle) -> None:
    card = make_card(user("above\n\n---\n\nbelow"))
    picture = card.grab().toImage()
    shades = {picture.pixelColor(card.width() // 2, y).lightness() for y in range(picture.height())}
    assert len(shades) > 1
    assert min(shades) == style.color("bg").lightness()  # Qt would draw them black


def test_a_note_gets_no_line_for_its_stage_alone(make_card: MakeCard) -> None:
    note = Entry(id="", kind=Kind.MODEL_CHANGE, model="opus")
    height = make_card(note).height()
    assert make_card(note, marks=CardMarks(stage=Stage.SUMMARISED)).height() == height
    assert make_card(note, marks=CardMarks(stage=Stage.PINNED)).height() > height


@pytest.mark.parametrize("width", [400, 900, 1600])
def test_the_pill_of_a_cut_ends_where_cards_do(make_card: MakeCard, theme: Theme, width: int) -> None:
    card = make_card(user("Hello"))
    card.lay_out(width)
    parent = card.parentWidget()
    assert parent is not None
    cut = CutLine(theme, parent)
    cut.show_text("everything above is summarised")
    cut.put(40, width)
    head = next(part for part in card.parts if isinstance(part, LinePiece))
    assert cut._pill().right() == head.rect.right()
