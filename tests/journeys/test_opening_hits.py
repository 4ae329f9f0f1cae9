"""Opening a hit of the search: its words are in view and marked, wherever the card of the entry has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.gui.cards.finding import FoundSpot
from stemmata.gui.palette.rows import HitRow
from stemmata.gui.search.rows import ResultHitRow
from tests.fakes.transcripts import cards
from tests.journeys.person import Person

BIG = "\n".join(f"row {at} of the numbers" for at in range(1_500))
LONG_LINE = "filler " * 60_000 + "okapi " + "filler " * 400


def _call(id: str, name: str, **arguments: object) -> dict[str, Any]:
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


class _Lines:
    """The lines of a pi session with one path."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = [
            {"type": "session", "version": 3, "id": "hits", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/code"}
        ]

    def add(self, role: str, content: object, **more: object) -> None:
        at = len(self.lines)
        self.lines.append(
            {"type": "message", "id": f"h{at:07}", "parentId": f"h{at - 1:07}" if at > 1 else None,
             "timestamp": f"2026-01-01T00:{at // 60:02}:{at % 60:02}.000Z",
             "message": {"role": role, "content": content, **more}}
        )  # fmt: skip

    def result(self, call: str, tool: str, text: str) -> None:
        self.add("toolResult", [_text(text)], toolCallId=call, toolName=tool)


def _session() -> list[dict[str, Any]]:
    out = _Lines()
    out.add("user", "Look at [the page](https://example.org/wombat) first.")
    edit = _call("c1", "edit", path="/code/src/a.py", oldText="one", newText="two")
    out.add("assistant", [_text("Changing it."), edit])
    out.result("c1", "edit", "Successfully replaced text in /code/src/numbat.py.")
    twin = [_call("c2", "bash", command="ls"), _call("c3", "bash", command="ls lib")]
    out.add("assistant", [_text("A gecko first."), *twin])
    out.result("c2", "bash", "a gecko here\nand more")
    out.result("c3", "bash", "a gecko there")
    out.add("assistant", [_call("c4", "bash", command="date")])
    out.add("assistant", [_call("c5", "bash", command="uptime")])
    out.result("c4", "bash", "the day of the marmot")
    out.result("c5", "bash", "up for a day")
    out.add("assistant", [_call("c6", "frobnicate", depth=[1, {"axolotl": "line\\none"}])])
    out.result("c6", "frobnicate", BIG + "\nthe tapir at the end")
    out.add("assistant", [_call("c7", "bash", command="cat long")])
    out.result("c7", "bash", LONG_LINE)
    out.add("user", "<command-name>/numbers</command-name><command-message>numbers</command-message>")
    thought = {"type": "thinking", "thinking": "Nobody asked.\n\nPerhaps a quokka would do.", "thinkingSignature": ""}
    out.add("assistant", [thought, _text("It is done.")])
    out.add("user", "| a | b |\n|---|---|\n| 一只袋熊在表格里 | 2 |")
    out.add("assistant", [_call("c8", "bash", command="pytest")])
    out.result("c8", "bash", "\x1b[31mNARWHAL\x1b[0m tests/a.py\r\n 10 %\r\x1b[2K100 %")
    out.add("user", "What does \x1b[1mmanatee\x1b[0m mean?\n\n```\n\x1b[32mcapybara\x1b[0m = 1\n```")
    coloured = [
        {"type": "thinking", "thinking": "A \x1b]8;;http://x\x07dugong\x1b]8;;\x07.", "thinkingSignature": ""}
    ]
    out.add("assistant", [*coloured, _call("c9", "bash", command="npm test")])
    out.result("c9", "bash", "\x1b[2m.\x1b[0m\n" * 40_000 + "\x1b[31mMEERKAT\x1b[0m\n")
    return out.lines


@pytest.fixture
def found(person: Person, tmp_path: Path) -> Person:
    """The search, opened over the session."""
    path = tmp_path / "hits.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in _session()), encoding="utf-8")
    person.drop(path)
    person.window.actions_table["search-sessions"].trigger()
    return person


def _spots(person: Person) -> list[tuple[FoundSpot, int]]:
    """Return the current matches, each with its y in the viewport."""
    found = [(card, spot) for card in cards(person.window.transcript.view) for spot in card.spots()]
    return [(spot, card.y() + spot.y) for card, spot in found if spot.part.current == spot.start]


def _open(person: Person, query: str, number: int = 0, hits: int = 1) -> FoundSpot:
    """Search, open the hit with this number, and return its match once it is in view."""
    view = person.window.results
    view.set_query(query)
    person.until(lambda: view.header.chip_label.text().endswith(f"{hits} hit{'s' * (hits > 1)} in 1 session"))
    rows = [row for row in view.model.rows if isinstance(row, ResultHitRow)]
    view.select(rows[number].hit.entry)
    QTest.keyClick(view.list, Qt.Key.Key_Return)
    height = person.window.transcript.view.viewport().height()
    person.until(lambda: [0 <= y < height for _, y in _spots(person)] == [True])
    assert person.gui.opened.selection == rows[number].hit.entry
    return _spots(person)[0][0]


def _line(spot: FoundSpot) -> str:
    """Return the text around a match."""
    text = spot.part.text()
    return text[max(spot.start - 20, 0) : spot.start + 20]


def test_a_result_that_is_shown_as_changed_lines_is_shown_below_them(found: Person) -> None:
    assert "/code/src/numbat.py" in _line(_open(found, "numbat"))


def test_the_name_of_an_argument_is_shown(found: Person) -> None:
    assert "newText" in _line(_open(found, '"newText"'))


def test_the_name_of_a_tool_is_marked_in_the_line_of_the_call(found: Person) -> None:
    spot = _open(found, "frobnicate role:assistant")
    assert spot.start == 0


def test_a_thought_is_unfolded(found: Person) -> None:
    assert "a quokka would" in _line(_open(found, "quokka"))


def test_the_address_of_a_link_is_shown(found: Person) -> None:
    assert "example.org/wombat" in _line(_open(found, "wombat"))


def test_the_hit_is_marked_in_its_own_result(found: Person) -> None:
    """The card of a reply has its text and the results of all its calls."""
    lines = [_line(_open(found, "gecko", number, hits=3)) for number in range(3)]
    assert [next(word for word in ("there", "here", "first") if word in line) for line in lines] == [
        "there", "here", "first",
    ]  # fmt: skip


def test_find_goes_on_from_the_hit(found: Person) -> None:
    _open(found, "gecko", 1, hits=3)
    bar = found.gui.controllers.finding.bar
    found.until(lambda: bar.count_text == "2 of 3")
    QTest.keyClick(found.window, Qt.Key.Key_F3)
    found.until(lambda: bar.count_text == "3 of 3")
    assert "there" in _line(_spots(found)[0][0])


def test_a_result_after_another_call_is_found_in_the_card_of_its_own(found: Person) -> None:
    assert "marmot" in _line(_open(found, "marmot"))
    (card,) = [card for card in cards(found.window.transcript.view) for spot in card.spots() if spot.part.current]
    assert card.content is not None
    assert [answer.row.call for answer in card.content.answers] == ["c4"]


def test_the_end_of_a_long_result_is_shown(found: Person) -> None:
    assert "the tapir at the end" in _line(_open(found, "tapir"))


def test_a_word_in_a_very_long_line_is_shown(found: Person) -> None:
    assert "okapi" in _line(_open(found, "okapi"))


def test_a_long_text_is_read_before_the_matches_are_counted(found: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The person waits for the text of the hit; to count the matches of a large session takes longer."""
    entries = found.application.services.entries
    bodies, counts, asked = entries.bodies, entries.counts, list[str]()

    def read(keys: list[int], *arguments: Any, **named: Any) -> object:
        asked.extend("text" for key in keys if key == found.gui.opened.selection)
        return bodies(keys, *arguments, **named)

    def counted(*arguments: Any, **named: Any) -> object:
        asked.append("count")
        return counts(*arguments, **named)

    monkeypatch.setattr(entries, "bodies", read)
    monkeypatch.setattr(entries, "counts", counted)
    _open(found, "okapi")
    found.until(lambda: found.gui.controllers.finding.bar.count_text == "1 of 1")
    assert asked[-2:] == ["text", "count"]


@pytest.mark.parametrize("word", ["NARWHAL", "manatee", "capybara", "dugong", "MEERKAT"])
def test_a_word_behind_a_terminal_sequence_is_marked(found: Person, word: str) -> None:
    spot = _open(found, word)
    assert word in _line(spot)
    assert "\x1b" not in _line(spot)


def test_a_nested_argument_with_escapes_is_shown(found: Person) -> None:
    assert "axolotl" in _line(_open(found, '"axolotl"'))


def test_the_marks_of_a_tool_around_a_command_are_shown(found: Person) -> None:
    assert "<command-message>" in _line(_open(found, '"command-message"'))


def test_characters_inside_a_run_in_a_table_are_marked(found: Person) -> None:
    assert "袋熊" in _line(_open(found, "袋熊"))


def test_find_shows_words_that_cards_leave_out(found: Person) -> None:
    """`F3` does not say “1 of 1” at a card in which nothing is marked."""
    found.window.results.closed.emit()
    found.gui.controllers.finding.open()
    bar = found.gui.controllers.finding.bar
    QTest.keyClicks(bar.field, "numbat")
    found.until(lambda: bar.count_text == "1 of 1")
    found.until(lambda: len(_spots(found)) == 1)
    assert "numbat" in _line(_spots(found)[0][0])


@pytest.mark.parametrize("opened", [True, False])
def test_a_hit_of_the_palette_is_marked_and_find_goes_on(found: Person, opened: bool) -> None:
    if not opened:
        found.gui.opened.close()
    palette = found.window.palette_box
    palette.open()
    palette.field.setText("gecko here")
    found.until(lambda: any(isinstance(row, HitRow) for row in palette.rows))
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    found.until(lambda: ["here" in _line(spot) for spot, _ in _spots(found)] == [True])
    bar = found.gui.controllers.finding.bar
    found.until(lambda: bar.count_text.startswith("2 of 4"))
    QTest.keyClick(found.window.focusWidget(), Qt.Key.Key_F3)
    found.until(lambda: bar.count_text == "3 of 4")


def test_f3_in_the_branches_steps_through_the_session_while_their_search_is_closed(found: Person) -> None:
    found.window.results.closed.emit()
    bar = found.gui.controllers.finding.bar
    found.window.actions_table["find-in-session"].trigger()
    QTest.keyClicks(bar.field, "gecko")
    found.until(lambda: bar.count_text == "1 of 3")
    found.window.actions_table["go-branches"].trigger()
    QTest.keyClick(found.window.branches.list, Qt.Key.Key_F3)
    found.until(lambda: bar.count_text == "2 of 3")
