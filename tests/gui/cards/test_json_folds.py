"""JSON in cards: objects and lists fold, the first page is open, and nothing of the text is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.search.needle import text_needle
from stemmata.domain.text.terminal_text import with_one_line_end
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.finding import hiding
from stemmata.gui.cards.json_folds import ALL, MOST_ITEMS, MOST_OPENED, print_folded, value_of
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import JsonPiece, TextPiece
from tests.fakes.conversation import assistant, result

MakeCard = Callable[..., Card]
OPEN = frozenset({"call0"})
VALUE = {"path": "a.py", "edits": [{"old": "x", "new": "y"}, {}], "many": {str(at): at for at in range(MOST_OPENED)}}


def made(make_card: MakeCard, *parts: str, value: object = VALUE, whole: bool = False) -> Card:
    call = assistant(ToolCall("c", "apply", json.dumps({"a": 1, "b": 2})))
    return make_card(call, result("c", json.dumps(value), "apply"), unfolded=OPEN | set(parts), whole=whole)


def shown(card: Card) -> TextPiece:
    """The text of the result."""
    return [part for part in card.parts if isinstance(part, TextPiece)][-1]


def clicked(card: Card, line: int, *, beside: bool) -> Action | None:
    piece = shown(card)
    box = piece.document.documentLayout().blockBoundingRect(piece.document.findBlockByNumber(line))
    return piece.action_at(QPoint(2 if beside else piece.inset + 20, round(box.center().y())))


def test_the_outer_objects_are_open_and_a_long_one_is_closed(make_card: MakeCard) -> None:
    lines = shown(made(make_card)).text().split("\n")
    assert lines[:5] == ["{", '  "path": "a.py",', '  "edits": [', "    {", '      "old": "x",']
    assert lines[-4:] == ["    {}", "  ],", f'  "many": {{… {MOST_OPENED}}}', "}"]


def test_a_click_beside_a_line_folds_it_and_one_on_a_folded_line_unfolds_it(make_card: MakeCard) -> None:
    card = made(make_card)
    closing = clicked(card, 2, beside=True)
    assert closing is not None
    assert closing.request is Request.FOLD
    assert clicked(card, 2, beside=False) is None, "an open line is text"
    assert clicked(card, 1, beside=True) is None
    card = made(make_card, closing.text)
    assert shown(card).text().split("\n")[2:4] == ['  "edits": [… 2],', f'  "many": {{… {MOST_OPENED}}}']
    assert clicked(card, 2, beside=False) == closing, "the same part opens again"
    opening = clicked(card, 3, beside=True)
    assert opening is not None
    assert '    "59": 59' in shown(made(make_card, closing.text, opening.text)).text().split("\n")


def test_keys_unfold_all_of_it(make_card: MakeCard) -> None:
    card = made(make_card)
    assert card.foldable - card.unfolded == {ALL}
    card = made(make_card, ALL)
    assert card.foldable - card.unfolded == set()
    assert json.loads(shown(card).text()) == VALUE


def test_a_copy_has_all_of_it(make_card: MakeCard) -> None:
    copied = [action for action in made(make_card).content_actions if action.request is Request.COPY_JSON]
    assert [json.loads(action.text) for action in copied] == [{"a": 1, "b": 2}, VALUE]


def test_find_unfolds_what_holds_a_match(make_card: MakeCard, style: CardStyle) -> None:
    content = made(make_card).content
    assert content is not None
    assert ALL in hiding(content, text_needle("59"))[0]


def test_a_very_long_list_offers_to_show_all(make_card: MakeCard) -> None:
    value = {"list": list(range(MOST_ITEMS + 1)), "end": ""}
    card = made(make_card, f"{ALL}+result 1/0", value=value)
    pieces = [part for part in card.parts if isinstance(part, JsonPiece)]
    assert len(pieces) == 2
    assert [act.request for act in card.content_actions if act.request is Request.SHOW_ALL]
    card = made(make_card, ALL, value=value, whole=True)
    assert any(str(MOST_ITEMS) in part.text() for part in card.parts)
    assert not [act.request for act in card.content_actions if act.request is Request.SHOW_ALL]


@pytest.mark.parametrize("text", ['{"a": }', "[" * 2000 + '"' + "]" * 2000, '{"a": "' + "9" * 6000 + '"}'])
def test_a_text_that_is_no_json_and_exact_numbers_stay_as_they_are(make_card: MakeCard, text: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        value_of(text)
    card = make_card(assistant(ToolCall("c", "apply", "{}")), result("c", text, "apply"), unfolded=OPEN)
    assert not [part for part in card.parts if isinstance(part, JsonPiece)]


scalars = st.none() | st.booleans() | st.integers() | st.text(alphabet='a"\n\u2028\u2029\ufdd0é', max_size=4)
VALUES: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
)


@given(VALUES)
def test_open_json_is_the_value_with_one_line_for_each_item(value: Any) -> None:
    printed = print_folded(value, "x", frozenset({ALL}))
    assert json.loads(printed.text) == value
    lines = with_one_line_end(printed.text).split("\n")
    assert len(lines) == len(json.dumps(value, indent=2).split("\n"))
    assert all(lines[at].rstrip().endswith(("{", "[")) for at in printed.folds)
    assert not printed.has_closed
