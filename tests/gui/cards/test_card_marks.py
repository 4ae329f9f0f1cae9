"""What stands around the content of a card: label, pin, siblings, fate, actions; and that it covers nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from pytestqt.qtbot import QtBot

from stemmata.domain.context.projection import SUPERSEDED, EntryFate, Fate, Reason
from stemmata.domain.entries.blocks import Image, Text, Thinking
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, CardMarks, Request, Stage
from stemmata.gui.cards.line_piece import LinePiece
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.core.shown_path import Marks
from stemmata.gui.theme.theme import Theme
from tests.fakes.cards import actions, click, hover, pixel, words
from tests.fakes.conversation import assistant, call, result, user

MakeCard = Callable[..., Card]
WIDTH = 600  # of the cards that are made


# -- what can be done ------------------------------------------------------------------------------------------------


def test_actions_appear_under_the_mouse(qtbot: QtBot, make_card: MakeCard) -> None:
    card = make_card(user("Hello"))
    assert not actions(card)
    hover(card)
    assert set(actions(card)) == {Request.COPY, Request.PIN, Request.FORK, Request.EDIT}
    assert click(qtbot, card, Request.FORK) == Action(Request.FORK)
    card.leaveEvent(QEvent(QEvent.Type.Leave))
    assert not actions(card)


def test_an_answer_is_regenerated_and_not_edited(make_card: MakeCard) -> None:
    for heading in (True, False):
        card = make_card(assistant("Hello\n\nthere\n\nand on\n\nand on"), heading=heading)
        hover(card)
        assert set(actions(card)) == {Request.COPY, Request.PIN, Request.FORK, Request.REGENERATE}


def test_beside_a_low_card_the_rest_is_in_a_menu(make_card: MakeCard, qtbot: QtBot) -> None:
    card = make_card(assistant("Hello"), heading=False)
    hover(card)
    assert set(actions(card)) == {Request.MENU}
    assert card.tip_at(actions(card)[Request.MENU][0]) == "Actions for this entry"
    assert click(qtbot, card, Request.MENU) == Action(Request.MENU)
    taller = make_card(assistant("Hello\n\nthere"), heading=False)
    hover(taller)
    assert set(actions(taller)) == {Request.COPY, Request.MENU}


def test_siblings_are_stepped_through(qtbot: QtBot, make_card: MakeCard) -> None:
    card = make_card(user("Hello"), marks=CardMarks(Marks(place=2, siblings=3)))
    assert "‹ 2 / 3 ›" in words(card)
    steps = {card.action_at(QPoint(x, 22)) for x in range(600)} - {None}
    assert steps == {Action(Request.SIBLING, step=-1), Action(Request.SIBLING, step=1)}
    first = make_card(user("Hello"), marks=CardMarks(Marks(place=1, siblings=3)))
    assert {first.action_at(QPoint(x, 22)) for x in range(600)} - {None} == {Action(Request.SIBLING, step=1)}


def test_a_card_that_keeps_its_marks_is_not_painted_again(make_card: MakeCard, qtbot: QtBot) -> None:
    """A cut that is dragged asks all cards at each move, and only a few change."""
    card, painted = make_card(user("Hello"), marks=CardMarks(stage=Stage.KEPT)), Paints()
    card.show()
    qtbot.waitExposed(card)
    qtbot.wait(1)
    card.installEventFilter(painted)
    card.show_marks(CardMarks(stage=Stage.KEPT))
    qtbot.wait(1)
    assert painted.count == 0
    card.show_marks(CardMarks(stage=Stage.SUMMARISED))
    qtbot.waitUntil(lambda: painted.count == 1)


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.Paint
        return super().eventFilter(watched, event)


@pytest.mark.parametrize("width", [300, 440, 600, 1200])
def test_siblings_stay_where_they_are_under_the_mouse(make_card: MakeCard, width: int) -> None:
    for entry in (user("Hello", time=10**18), assistant("Hello", usage=USAGE, model="claude-opus-4-5")):
        card = make_card(entry, marks=CardMarks(Marks(place=2, siblings=3)))
        card.resize(width, card.lay_out(width, 0, 10**6)[0])
        before = steps(card)
        hover(card)
        assert actions(card).keys() > {Request.SIBLING}
        assert before == steps(card)
        assert len({action for _x, action in before}) == 2


def steps(card: Card) -> list[tuple[int, Action]]:
    """Return the places in the card's first line where a click goes to another version."""
    found = ((x, card.action_at(QPoint(x, 22))) for x in range(card.width()))
    return [(x, action) for x, action in found if action is not None and action.request is Request.SIBLING]


def test_label_and_pin_are_shown_and_change_no_height(make_card: MakeCard) -> None:
    card = make_card(user("Hello"))
    height = card.height()
    card.show_marks(CardMarks(Marks(label="known-good", pinned=True)))
    assert "known-good" in words(card)
    assert card.lay_out(600)[0] == height


def test_a_variant_says_that_it_is_one(make_card: MakeCard) -> None:
    entry = Entry(id="1", role=Role.USER, blocks=(Text("Hello"),), flags=Flag.VARIANT)
    assert "other text" in words(make_card(entry))
    assert "other text" not in words(make_card(user("Hello")))


def test_a_removed_entry_says_so_once_for_joined_cards(make_card: MakeCard) -> None:
    entry = Entry(id="1", role=Role.USER, blocks=(Text("Hello"),), flags=Flag.REMOVED)
    assert "removed by the tool" in words(make_card(entry))
    assert "removed by the tool" not in words(make_card(entry, heading=False))
    assert "The tool removed this entry. It is kept here." in make_card(entry, heading=False).remarks
    assert "removed by the tool" not in words(make_card(user("Hello")))


def test_a_card_without_a_heading_gets_a_line_for_its_marks(make_card: MakeCard) -> None:
    card = make_card(assistant("Hello"), heading=False)
    height = card.height()
    card.show_marks(CardMarks(Marks(label="known-good", place=1, siblings=2)))
    higher = card.lay_out(WIDTH, 0, 10**6)[0]
    assert higher > height
    assert "known-good ‹ 1 / 2 ›" in words(card)
    hover(card)
    assert {Request.COPY, Request.PIN, Request.FORK, Request.REGENERATE} < set(actions(card))
    card.show_marks(CardMarks())
    assert card.lay_out(WIDTH, 0, 10**6)[0] == height


SAID = Marks(label="a label that is really rather long", pinned=True, place=2, siblings=12)
USAGE = Usage(input=12, output=1300, cache_read=19_600, cache_write=400)
LONG = "Words that fill a line and the next one too, " * 5
SHAPES: dict[str, tuple[tuple[Entry, ...], bool]] = {
    "prompt": ((user(LONG, time=10**18),), True),
    "reply": ((assistant(LONG, usage=USAGE, model="a-model-with-quite-a-long-name-4-5"),), True),
    "goes on": ((assistant(LONG),), False),
    "thought": ((assistant(Thinking("why"), LONG),), False),
    "code": ((assistant(f"```python\n{'print(1)' * 40}\n```"),), False),
    "calls": ((assistant(call("x")), result("x")), False),
    "image": ((Entry(id="", role=Role.ASSISTANT, blocks=(Image("image/png", "ab", name="shot"),)),), False),
    "model": ((Entry(id="", kind=Kind.MODEL_CHANGE, provider="anthropic", model="claude"),), True),
    "wrapped": ((user(f"<system-reminder>{LONG}</system-reminder>", flags=Flag.INJECTED),), True),
}


@pytest.mark.parametrize("scale", [100, 200])
@pytest.mark.parametrize("width", [300, 440, 600, 1200])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_is_covered(make_card: MakeCard, theme: Theme, shape: str, width: int, scale: int) -> None:
    entries, heading = SHAPES[shape]
    theme.set_scale(scale)
    style = CardStyle(theme, lambda _digest: None)
    made = make_card(*entries, heading=heading)
    assert made.content is not None
    for marks in (Marks(), SAID):
        for stage in (Stage.NONE, Stage.PINNED):
            made.show_content(style, made.content, CardMarks(marks, stage))
            made.resize(width, made.lay_out(width, 0, 10**6)[0])
            hover(made)
            assert is_clear(made)
            assert actions(made)


def is_clear(card: Card) -> bool:
    """Return whether the words of a line, its parts and its margin do not overlap."""
    boxes = [box for part in card.parts for box in boxes_of(part)]
    if card.margin is not None:
        assert card.rect().contains(card.margin.rect.adjusted(0, 0, 0, -card.margin.rect.height() + 1))
        boxes.append(card.margin.rect)
    return not any(one.intersects(other) for one, other in combinations(boxes, 2))


def boxes_of(part: Piece) -> list[QRect]:
    """Return the rectangles in which a piece itself shows something."""
    if isinstance(part, LinePiece):
        return [box.rect.translated(part.rect.topLeft()) for box in part.placed_words()]
    if isinstance(part, CodePiece):
        button = part._button(0)
        return [button.translated(part.rect.topLeft())]
    return [] if part.children else [part.rect]


# -- fate and preview ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fate", "tip"),
    [
        (EntryFate(Fate.SENT), "Sent with the next request"),
        (EntryFate(Fate.SUMMARISED, by=3), "Summarised by ◆"),
        (EntryFate(Fate.PRUNED), "Pruned: only the tool’s name is sent"),
        (EntryFate(Fate.PINNED), "Pinned: sent word for word"),
        (EntryFate(Fate.NEVER), "Never sent"),
        *((EntryFate(Fate.NEVER, reason), "Never sent: ") for reason in Reason if reason not in SUPERSEDED.values()),
        *((EntryFate(Fate.PRUNED, reason), "Pruned: ") for reason in SUPERSEDED.values()),
    ],
)
def test_the_margin_tells_the_fate(make_card: MakeCard, fate: EntryFate, tip: str) -> None:
    card = make_card(user("Hello"), marks=CardMarks(Marks(fate=fate)))
    assert card.tip_at(QPoint(10, 20)).startswith(tip)
    assert card.tip_at(QPoint(300, 20)) == ""


def test_the_margin_knows_nothing_at_first(make_card: MakeCard) -> None:
    assert make_card(user("Hello")).tip_at(QPoint(10, 20)) == ""


def test_a_preview_marks_and_dims(make_card: MakeCard, style: CardStyle) -> None:
    plain = make_card(user("# Hello"))
    text = [plain.grab().toImage().pixelColor(x, 50).lightness() for x in range(42, 120)]
    card = make_card(user("# Hello"), marks=CardMarks(stage=Stage.SUMMARISED))
    dimmed = [card.grab().toImage().pixelColor(x, 50).lightness() for x in range(42, 120)]
    assert max(dimmed) < max(text)
    assert "summarised" in words(card)
    kept = make_card(user("Hello"), marks=CardMarks(stage=Stage.KEPT))
    assert pixel(kept, 9, 30) == style.color("user")
    pinned = make_card(user("Hello"), marks=CardMarks(stage=Stage.PINNED))
    assert pixel(pinned, 9, 30) == style.color("accent")
    assert "kept word for word" in words(pinned)
