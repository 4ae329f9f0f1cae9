"""`F3` goes to each match of an entry once, also to those that its card leaves out or shows twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QDeadlineTimer, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stemmata.gui.cards.content import Action, Request
from stemmata.gui.transcript import match_walk
from tests.fakes.patient_bot import LIMIT_MS
from tests.fakes.transcripts import cards
from tests.journeys.person import Person

NO, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
LONG = "\n".join(f"{at} of the lines" for at in range(40_000))


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _session(*messages: dict[str, Any]) -> str:
    head = {"type": "session", "version": 3, "id": "steps", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/code"}
    lines = [head]
    for at, message in enumerate(messages):
        parent = f"h{at - 1:07}" if at else None
        lines.append(
            {"type": "message", "id": f"h{at:07}", "parentId": parent,
             "timestamp": f"2026-01-01T00:00:{at:02}.000Z", "message": message}
        )  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


def _call(id: str, name: str, **arguments: object) -> dict[str, Any]:
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def _result(id: str, name: str, text: str) -> dict[str, Any]:
    return {"role": "toolResult", "content": [_text(text)], "toolCallId": id, "toolName": name}


LINK = {"role": "user", "content": "See [the Wombat](https://example.org/wombat) at once."}
AGAIN = {"role": "user", "content": "That wombat, yes."}
EDIT = {
    "role": "assistant",
    "content": [
        _text("I change it."),
        _call("c1", "edit", path="/code/src/numbat.py", oldText="one numbat", newText="two"),
        _call("c2", "bash", command="cat numbat.txt"),
    ],
}
EDITED = _result("c1", "edit", "Successfully replaced text in /code/src/numbat.py.")
SHOWN = _result("c2", "bash", "a numbat here\nand a numbat there")
READ = {"role": "assistant", "content": [_call("c3", "bash", command="cat quoll")]}


@pytest.fixture
def finder(person: Person, tmp_path: Path) -> Person:
    """A person in front of a session whose cards leave words out."""
    path = tmp_path / "steps.jsonl"
    long = _result("c3", "bash", f"a quoll\n{LONG}\nthe last quoll")
    path.write_text(_session(LINK, EDIT, EDITED, SHOWN, AGAIN, READ, long), encoding="utf-8")
    person.drop(path)
    person.gui.controllers.finding.open()
    return person


def _current(person: Person) -> list[tuple[int, int, str, int]]:
    """Return key of the card, number of the piece, text and place of each current match that is in view."""
    view = person.window.transcript.view
    height = view.viewport().height()
    return [
        (card.key, next(at for at, part in enumerate(card.parts) if part is spot.part), spot.part.text(), spot.start)
        for card in cards(view)
        for spot in card.spots()
        if spot.part.current == spot.start and 0 <= card.y() + spot.y < height
    ]


def _find(person: Person, text: str, *options: Qt.Key, total: int) -> None:
    bar = person.gui.controllers.finding.bar
    QTest.keyClicks(bar.field, text)
    for option in options:
        QTest.keyClick(bar.field, option, Qt.KeyboardModifier.AltModifier)
    person.until(lambda: bar.count_text == f"1 of {total}")
    person.until(lambda: len(_current(person)) == 1)


def _step(person: Person, number: int, total: int, modifier: Qt.KeyboardModifier = NO) -> str:
    """Press `F3`, wait for the match with this number, and return the text around it."""
    bar = person.gui.controllers.finding.bar
    QTest.keyClick(bar.field, Qt.Key.Key_F3, modifier)
    person.until(lambda: bar.count_text == f"{number} of {total}" and len(_current(person)) == 1)
    _, _, text, start = _current(person)[0]
    return text[max(start - 15, 0) : start + 15]


def _walk(person: Person, total: int) -> list[str]:
    """Step through all matches and back, past both ends; return the texts around them, in order."""
    seen = [_step(person, at % total + 1, total) for at in range(1, total + 1)]
    _step(person, total, total, SHIFT)
    back = [_step(person, at, total, SHIFT) for at in range(total - 1, 0, -1)]
    assert back == [*reversed(seen[:-2]), seen[-1]]
    return [seen[-1], *seen[:-1]]


@pytest.mark.parametrize("options", [(), (Qt.Key.Key_W,), (Qt.Key.Key_R,)])
def test_a_match_in_words_that_the_card_leaves_out_is_a_step_of_its_own(
    finder: Person, options: tuple[Qt.Key, ...]
) -> None:
    _find(finder, "wombat", *options, total=3)
    first, second, third = _walk(finder, 3)
    assert "the Wombat at" in first
    assert "example.org/wombat" in second
    assert "That wombat, yes" in third


def test_with_case_only_the_left_out_match_and_the_other_entry_are_steps(finder: Person) -> None:
    _find(finder, "wombat", Qt.Key.Key_A, total=2)
    first, second = _walk(finder, 2)
    assert "example.org/wombat" in first
    assert "That wombat, yes" in second


def test_a_card_of_calls_and_results_has_as_many_steps_as_matches(finder: Person) -> None:
    """The card shows one result as changed lines, and the path of the call in its line."""
    _find(finder, "numbat", total=6)
    places = set()
    for at in range(6):
        _step(finder, (at + 1) % 6 + 1, 6)
        key, piece, _, start = _current(finder)[0]
        places.add((key, piece, start))
    assert len(places) == 6


def test_the_end_of_a_result_is_read_for_its_last_match(finder: Person) -> None:
    _find(finder, "quoll", total=3)
    first, second, third = _walk(finder, 3)
    assert "cat quoll" in first
    assert "a quoll" in second
    assert "the last quoll" in third


def test_a_match_in_the_middle_of_long_json_is_shown_in_its_form(person: Person, tmp_path: Path) -> None:
    rows = [{"id": at, "text": f"row {at}", "in": {"a": [at, None]}} for at in range(9_000)]
    rows[7_000]["text"] = "the dunnart"
    asked = {"role": "assistant", "content": [_call("c1", "frobnicate", at=1)]}
    path = tmp_path / "long.jsonl"
    text = json.dumps({"rows": rows})
    assert len(text) > 400_000
    path.write_text(_session({"role": "user", "content": "Go."}, asked, _result("c1", "frobnicate", text)), "utf-8")
    person.drop(path)
    person.gui.controllers.finding.open()
    _find(person, "dunnart", total=1)
    _, _, shown, _start = _current(person)[0]
    assert '      "text": "the dunnart",\n' in shown
    assert len(shown) < 20_000
    assert not [part for card in cards(person.window.transcript.view) for part in card.parts if part.written]


def test_folding_in_the_middle_of_long_json_leaves_the_line_where_it_is(person: Person, tmp_path: Path) -> None:
    rows = [{"id": at, "text": f"row {at} " * (at % 40), "in": {"a": [at, None]}} for at in range(2_000)]
    asked = {"role": "assistant", "content": [_call("c1", "frobnicate", at=1)]}
    path = tmp_path / "long.jsonl"
    text = json.dumps(rows)
    path.write_text(_session({"role": "user", "content": "Go."}, asked, _result("c1", "frobnicate", text)), "utf-8")
    person.drop(path)
    view, key = person.window.transcript.view, person.key("h0000001")

    def act(action: Action) -> None:
        next(card for card in cards(view) if card.key == key).acted.emit(key, action)

    act(Action(Request.FOLD, "call0"))
    act(Action(Request.SHOW_ALL))
    person.until(lambda: any(card.key == key and card.height() > 20_000 for card in cards(view)))
    for _ in range(20):
        view.scroll_by(700)
        person.until(lambda: view.is_settled)
    (card,) = [card for card in cards(view) if card.key == key]
    part, before = next(
        (line.part, card.y() + line.area.y())
        for line in card.fold_lines()
        if line.is_open and 200 < card.y() + line.area.y() < 400
    )
    for _ in range(2):
        act(Action(Request.FOLD, part))
        person.until(lambda: view.is_settled)
        assert [card.y() + line.area.y() for line in card.fold_lines() if line.part == part] == [before]


def test_a_match_that_is_being_gone_to_is_found_though_the_path_is_shown_anew(
    finder: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long card takes several turns, between which another answer may show a path."""
    monkeypatch.setattr(match_walk, "SECONDS", 0)
    finding, view = finder.gui.controllers.finding, finder.window.transcript.view
    QTest.keyClicks(finding.bar.field, "39999 of the lines")
    _begin_to_go(finder)
    assert not _current(finder)
    finder.gui.opened.view_changed.emit()
    assert not view.finding.is_going
    finder.until(lambda: len(_current(finder)) == 1)


def _begin_to_go(finder: Person) -> None:
    """Let turns pass until a match is being gone to; looked at after each, for it may have few."""
    deadline = QDeadlineTimer(LIMIT_MS)
    while not finder.window.transcript.view.finding.is_going:
        assert not deadline.hasExpired()
        QApplication.processEvents()
