"""Steps through a card with very many matches reach each match of its text once."""

from __future__ import annotations

import json
import re

import pytest
from PySide6.QtWidgets import QApplication

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.search.needle import text_needle
from stemmata.gui.cards import match_stops
from stemmata.gui.cards.match_stops import paired
from stemmata.gui.cards.piece import Around
from stemmata.gui.transcript import match_walk
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.transcripts import cards
from tests.gui.transcript.conftest import MakeView

NUMBERED = re.compile(r"needle(\d+)")


def _view(make_view: MakeView, text: str, needle: str = "needle") -> TranscriptView:
    view = make_view(
        [
            Entry(id="a", role=Role.USER, blocks=(Text("Go on."),)),
            Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(Text(text),)),
        ]
    )
    view.finding.mark(text_needle(needle))
    return view


def _at(view: TranscriptView) -> int:
    """Return the number behind the current match, which is the only one and in view."""
    ((card, spot),) = [
        (card, spot) for card in cards(view) for spot in card.spots() if spot.part.current == spot.start
    ]
    assert 0 <= card.y() + spot.y < view.viewport().height()
    found = NUMBERED.match(spot.part.text(), spot.start)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"see [needle{2 * at}](https://example.org/needle{2 * at + 1})" for at in range(130)),
        "\n\n".join(f"Paragraph needle{2 * at} has nee**d**le and needle{2 * at + 1}." for at in range(130)),
        json.dumps([{"id": f"needle{at}"} for at in range(260)]),
    ],
    ids=["links", "paragraphs", "json"],
)
def test_with_more_than_200_matches_each_is_a_step(make_view: MakeView, text: str) -> None:
    view = _view(make_view, text)
    assert view.finding.go(1, count=260) == 0
    there = [_at(view)]
    for number in range(1, 260):
        assert view.finding.step(1, 260) == number
        there.append(_at(view))
    assert sorted(there) == list(range(260))
    assert view.finding.step(1, 260) is None
    back = []
    for number in range(258, -1, -1):
        assert view.finding.step(-1, 260) == number
        back.append(_at(view))
    assert back == there[-2::-1]
    assert view.finding.step(-1, 260) is None


def test_in_a_card_of_more_than_200000_characters_the_address_of_a_link_is_a_step(make_view: MakeView) -> None:
    filling = "A line without it.\n\n" * 6_000
    text = f"needle0\n\n{filling}[here](https://example.org/needle3) and needle1\n\n{filling}needle2"
    assert len(text) > 200_000
    view = _view(make_view, text)
    assert view.finding.go(1, count=4) == 0
    there = [_at(view)]
    for _ in range(3):
        view.finding.step(1, 4)
        view.finding.finish()
        there.append(_at(view))
    assert there == [0, 1, 2, 3]
    assert view.finding.go(1, last=True, count=4) == 3
    assert _at(view) == 3


def test_a_letter_with_hundreds_of_thousands_of_matches_is_not_compared_one_by_one(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = list[int]()

    def count(written: list[Around], painted: list[Around]) -> dict[int, int]:
        compared.append(max(len(written), len(painted)))
        return paired(written, painted)

    monkeypatch.setattr(match_stops, "paired", count)
    view = _view(make_view, "eeee eee\n\n" * 30_000, "e")
    view.finding.go(1, count=210_000)
    assert view.finding.step(1, 210_000) == 1
    view.finding.go(1, last=True, count=210_000)
    assert view.finding.is_marked
    assert compared
    assert max(compared) < 2_000


def test_many_matches_are_paired_in_their_order_by_the_letters_around_them() -> None:
    written = [Around(f"before{at}"[-8:], f"after{at}"[:8]) for at in range(1_000)]
    seen = [Around("", place.after) if at % 7 == 0 else place for at, place in enumerate(written)]
    pairs = paired(written, [written[3], *seen])
    assert len(pairs) == 1_000
    assert len(set(pairs.values())) == 1_000
    assert sum(other == at + 1 for at, other in pairs.items()) >= 997


def test_a_walk_that_was_given_up_while_it_read_leaves_no_half_read_card(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as when a running agent adds an entry meanwhile: the same words are then searched again."""
    filling = "A line without it.\n\n" * 6_000
    view = _view(make_view, f"needle0\n\n{filling}needle1\n\n{filling}needle2")
    view.finding.go(1, count=3)
    view.finding.step(1, 3)
    view.finding.finish()  # now the whole text is there
    monkeypatch.setattr(match_walk, "SECONDS", 0.0)  # each step in a turn of its own
    monkeypatch.setattr(match_stops, "READ", 4_096)  # characters, of more than 200,000
    view.finding.mark(text_needle("need"))
    view.finding.go_in_turns(1, lambda _number: None, count=3)
    for _ in range(20):  # the card is unfolded and built, and some parts of its text are read
        QApplication.processEvents()
    assert view.finding.is_going
    view.finding.stop()
    view.finding.mark(text_needle("need"))
    assert view.finding.go(1, count=3) == 0
    there = [_at(view)]
    for _ in range(2):
        view.finding.step(1, 3)
        view.finding.finish()
        there.append(_at(view))
    assert there == [0, 1, 2]
