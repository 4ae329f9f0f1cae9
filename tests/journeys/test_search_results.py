"""Searching all sessions by keys: hits by session, filters, and how a hit is shown in its session."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.search.hits import Hit, UnreadHit
from stemmata.domain.search.results import Results
from stemmata.gui.search import controller
from stemmata.gui.search import rows as result_rows
from stemmata.gui.search.rows import MoreRow, ResultHitRow, SavedRow, SessionHeading
from stemmata.gui.search.view import ResultsView
from stemmata.gui.search.words import who_said
from stemmata.gui.transcript.layout import TranscriptLayout
from stemmata.gui.transcript.raw_dialog import RawDialog
from stemmata.gui.widgets.labels import plain_tip
from stemmata.services.search import searching
from stemmata.store.search import search
from tests.fakes.embedding_model import install
from tests.fakes.transcripts import cards, said
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

Row = tuple[str, str | None, str, Any]


def written(path: Path, id: str, rows: Sequence[Row], cwd: str = "/code/app") -> Path:
    """Write a session of pi: id, parent, role and content of each message."""
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": id, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd}
    ]
    for at, (entry, parent, role, content) in enumerate(rows):
        message = {"role": role, "content": content}
        if role == "toolResult":
            message |= {"toolCallId": "call", "toolName": "bash"}
        stamp = f"2026-01-01T00:00:{at:02}.000Z"
        lines.append(
            {"type": "message", "id": f"{id}{entry}", "parentId": parent and f"{id}{parent}", "timestamp": stamp,
             "message": message}
        )  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    call = {"type": "toolCall", "id": "call", "name": "bash", "arguments": {"command": "vitest"}}
    thought = {"type": "thinking", "thinking": "hm"}
    output = "\n".join([*(f"line {at}" for at in range(60)), "expected width 40, got 44 for zebras"])
    main = [
        ("a", None, "user", "Mind the zebra widths."),
        ("b", "a", "assistant", [thought, {"type": "text", "text": "Running."}, call]),
        ("c", "b", "toolResult", [{"type": "text", "text": output}]),
        ("d", "c", "user", "An older way: a zebra crossing."),
        ("e", "c", "user", "Back to theming."),
        ("f", "e", "assistant", [{"type": "text", "text": "Done."}]),
    ]
    other = [(f"{at}", f"{at - 1}" if at else None, "user", f"Zebra number {at}") for at in range(6)]
    return [
        written(tmp_path / "main.jsonl", "m", main, "/code/stripes"),
        written(tmp_path / "other.jsonl", "o", other),
    ]


@pytest.fixture
def view(person: Person, files: list[Path]) -> ResultsView:
    """The search, opened by its shortcut over two sessions."""
    person.drop(*files)
    person.until(lambda: person.window.sessions_model.total == 2)
    QTest.keyClick(
        person.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    person.until(lambda: person.window.focusWidget() is person.window.results.field)
    return person.window.results


def test_results_that_were_never_shown_go_with_their_window(person: Person) -> None:
    """*Close the search* makes the view, which would outlive the window without a parent."""
    person.window.actions_table["close-search"].trigger()
    results = person.window.results
    assert results.window() is person.window
    assert results.isHidden()


def ask(person: Person, view: ResultsView, text: str, hits: int) -> None:
    view.field.selectAll()
    QTest.keyClicks(view.field, text)
    person.until(lambda: view.header.chip_label.text().startswith(f"{hits} hit"))
    person.until(lambda: all(row.read is not None for row in hit_rows(view)))


def hit_rows(view: ResultsView) -> list[ResultHitRow]:
    return [row for row in view.model.rows if isinstance(row, ResultHitRow)]


def is_shown(person: Person, session: int, entry: int) -> bool:
    return (person.gui.opened.key, person.gui.opened.selection, marked(person)) == (session, entry, ["zebra"])


def marked(person: Person) -> list[str]:
    """What is set off as the current match in the transcript."""
    spots = [spot for card in cards(person.window.transcript.view) for spot in card.spots()]
    current = [spot for spot in spots if spot.part.current == spot.start]
    return [spot.part.text()[spot.start : spot.start + 5].lower() for spot in current]


def test_hits_are_grouped_by_session_with_their_filters_counted(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra", 9)
    rows = view.model.rows
    assert sum(isinstance(row, SessionHeading) for row in rows) == 2
    assert [row.text for row in rows if isinstance(row, MoreRow)] == ["3 more hits"]
    assert view.header.chip_label.text() == "9 hits in 2 sessions"
    names = [chip.text() for chip in view.chips.roles.values()]
    assert names == ["Prompts 8", "Replies", "Tool results 1", "Summaries"]
    person.until(lambda: view.chips.off_path.text() == "Abandoned 1")
    person.until(lambda: [row.chip for row in hit_rows(view) if row.chip] == ["branch 1 · abandoned"])
    assert not person.window.columns.is_shown("branches")
    assert not person.window.columns.is_shown("context")
    chip, first = view.chips.off_path, view.chips.roles["user"]
    assert first.width() >= first.sizeHint().width()
    assert chip.isVisible()
    assert view.chips.rect().contains(chip.geometry())
    height = view.chips.height()
    view.set_query("needle role:foo")
    person.until(lambda: "unknown" in view.message_label.text())
    assert chip.text() == "Abandoned"
    assert view.chips.height() == height


def test_a_hit_in_a_folded_result_is_unfolded_and_marked(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra role:tool", 1)
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    person.until(lambda: marked(person) == ["zebra"])
    assert "got 44 for zebras" in said(person.window.transcript.view)
    bar = person.gui.controllers.finding.bar
    person.until(lambda: bar.count_text.endswith(" of 2"))
    assert person.window.focusWidget() is view.field
    QTest.keyClick(person.window, Qt.Key.Key_F3)
    person.until(lambda: bar.count_text == "1 of 2")
    assert "Mind the zebra" in said(person.window.transcript.view)


def test_a_session_opened_at_a_hit_is_laid_out_at_the_hit_alone(
    person: Person, view: ResultsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Laying it out at its end and in the width of the placeholder first took three times as long."""
    ask(person, view, "zebra widths", 1)
    person.gui.opened.close()
    arranged: list[int] = []
    arrange = TranscriptLayout.arrange

    def counted(layout: TranscriptLayout) -> None:
        if len(layout.model):
            arranged.append(len(layout.model))
        arrange(layout)

    monkeypatch.setattr(TranscriptLayout, "arrange", counted)
    read: list[int] = []
    person.gui.opened.tree_read.connect(lambda: read.append(len(arranged)))
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    person.until(lambda: bool(read))
    assert read[0] <= 3


def test_an_abandoned_branch_is_looked_at_and_nothing_moves(person: Person, view: ResultsView) -> None:
    leaf = person.gui.opened.session and person.gui.opened.session.leaf
    ask(person, view, "zebra in:abandoned", 1)
    QTest.keyClick(view.field, Qt.Key.Key_Down)
    assert person.window.focusWidget() is view.list
    QTest.keyClick(view.list, Qt.Key.Key_Return)
    person.until(lambda: marked(person) == ["zebra"])
    assert "older way" in said(person.window.transcript.view)
    assert not person.gui.opened.is_at_leaf
    assert leaf is None or person.leaf is not None
    assert person.window.focusWidget() is view.list


def test_the_chip_of_a_hit_names_its_branch_by_the_label(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra in:abandoned", 1)
    [row] = hit_rows(view)
    person.application.services.branching.label(row.hit.session, [row.hit.entry], "crossing").result()
    person.until(lambda: [row.chip for row in hit_rows(view)] == ["crossing · abandoned"])
    person.application.services.branching.trash(row.hit.session, row.hit.entry, on=True).result()
    person.until(lambda: [row.chip for row in hit_rows(view)] == ["deleted branch"])


def test_f4_goes_through_all_sessions(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra", 9)
    seen = []
    for _ in range(9):
        QTest.keyClick(person.window, Qt.Key.Key_F4)
        row = view.selected
        assert isinstance(row, ResultHitRow)
        seen.append((row.hit.session, row.hit.entry))
        person.until(partial(is_shown, person, *seen[-1]))
    assert len(set(seen)) == 9
    assert view.header.chip_label.text() == "9 of 9 hits in 2 sessions"
    QTest.keyClick(person.window, Qt.Key.Key_F4)
    assert isinstance(view.selected, ResultHitRow)
    assert view.selected.hit.entry == seen[0][1]
    QTest.keyClick(person.window, Qt.Key.Key_F4, Qt.KeyboardModifier.ShiftModifier)
    assert view.selected.hit.entry == seen[-1][1]


def test_chips_change_the_words_of_the_query(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra", 9)
    view.chips.roles["tool"].click()
    assert view.field.text() == "zebra role:tool"
    person.until(lambda: len(hit_rows(view)) == 1)
    assert view.chips.roles["user"].text() == "Prompts 8"  # as if no role was asked for
    assert view.chips.roles["user"].toolTip() == plain_tip("8 hits")
    view.chips.roles["tool"].click()
    assert view.field.text() == "zebra"
    person.until(lambda: view.header.chip_label.text().startswith("9"))
    menu = view.chips.choice_menu("project")
    next(action for action in menu.actions() if action.text().startswith("stripes")).trigger()
    assert view.field.text() == "zebra project:stripes"
    person.until(lambda: view.header.chip_label.text().startswith("3 hits"))
    view.chips.other_menu().actions()[-1].trigger()
    assert view.field.text() == "zebra"


def test_more_hits_of_a_session_are_shown_on_request(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra number", 6)
    QTest.keyClick(view.field, Qt.Key.Key_End)
    view.list.setFocus()
    QTest.keyClick(view.list, Qt.Key.Key_End)
    assert isinstance(view.selected, MoreRow)
    QTest.keyClick(view.list, Qt.Key.Key_Return)
    person.until(lambda: len(hit_rows(view)) == 6)
    row: object = view.selected
    assert row == hit_rows(view)[3]


def test_many_hits_of_a_session_are_shown_by_and_by(
    person: Person, view: ResultsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step to the next hit made a thousand rows, each of them again for every piece of text that was read."""
    monkeypatch.setattr(controller, "MORE", 2)
    made = Counter[int]()

    def counted(hit: UnreadHit, read: Hit | None) -> tuple[str, str]:
        made[hit.entry] += 1
        return who_said(hit, read)

    monkeypatch.setattr(result_rows, "who_said", counted)
    ask(person, view, "zebra number", 6)
    view.field.setFocus()
    for _ in range(4):
        QTest.keyClick(person.window, Qt.Key.Key_F4)
    person.until(lambda: all(row.read is not None for row in hit_rows(view)))
    assert len(hit_rows(view)) == 5
    assert view.selected == hit_rows(view)[3]
    assert [row.text for row in view.model.rows if isinstance(row, MoreRow)] == ["1 more hit"]
    assert len(made) == 5
    QTest.keyClick(person.window, Qt.Key.Key_F4)
    QTest.keyClick(person.window, Qt.Key.Key_F4)
    person.until(lambda: all(row.read is not None for row in hit_rows(view)))
    assert len(hit_rows(view)) == len(made) == 6
    assert max(made.values()) <= 2  # without its text, and with it


def more(view: ResultsView) -> list[str]:
    """Return the texts of the rows that offer more hits of a session."""
    return [row.text for row in view.model.rows if isinstance(row, MoreRow)]


def test_more_hits_of_a_session_are_searched_when_they_are_asked_for(
    person: Person, view: ResultsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST", 5)
    monkeypatch.setattr(controller, "SHARE", 4)

    QTest.keyClicks(view.field, "zebra number")
    person.until(lambda: len(more(view)) == 1)
    assert more(view) == ["1+ more hits"]
    assert [row.facts.endswith("4+ hits") for row in view.model.rows if isinstance(row, SessionHeading)] == [True]
    for expected in (4, 6):
        view.list.setCurrentIndex(view.model.index(view.model.rowCount() - 1))
        QTest.keyClick(view.list, Qt.Key.Key_Return)
        person.until(lambda count=expected: len(hit_rows(view)) == count)  # type: ignore[misc]
        assert more(view) == (["More hits of this session"] if expected == 4 else [])
    assert view.selected == hit_rows(view)[4]
    assert [row.facts.endswith(" 6 hits") for row in view.model.rows if isinstance(row, SessionHeading)] == [True]


def test_more_of_the_best_hits_of_a_session_are_searched(
    person: Person, view: ResultsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST", 5)
    monkeypatch.setattr(controller, "SHARE", 4)
    monkeypatch.setattr(controller, "ENOUGH", 5)
    monkeypatch.setattr(searching, "BUDGET", PATIENCE)  # on a busy machine, ranking would take too long
    person.gui.controllers.results.view.order_changed.emit(True)
    QTest.keyClicks(view.field, "zebra number")
    person.until(lambda: more(view) == ["1+ more hits"])
    for expected in (4, 5):
        person.until(lambda: len(more(view)) == 1)
        view.list.setCurrentIndex(view.model.index(view.model.rowCount() - 1))
        QTest.keyClick(view.list, Qt.Key.Key_Return)
        person.until(lambda count=expected: len(hit_rows(view)) == count)  # type: ignore[misc]
    assert more(view) == [], "no more are ranked"
    assert [row.facts.endswith(" 5+ hits") for row in view.model.rows if isinstance(row, SessionHeading)] == [True]


def test_the_last_hit_of_a_session_is_selected_when_there_are_no_more(
    person: Person, view: ResultsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST", 5)
    monkeypatch.setattr(controller, "SHARE", 4)

    def choose_last() -> None:
        view.list.setCurrentIndex(view.model.index(view.model.rowCount() - 1))
        QTest.keyClick(view.list, Qt.Key.Key_Return)

    QTest.keyClicks(view.field, "zebra number")
    person.until(lambda: more(view) == ["1+ more hits"])
    choose_last()
    person.until(lambda: more(view) == ["More hits of this session"])
    none: Future[Results] = Future()
    none.set_result(Results())
    monkeypatch.setattr(person.application.services.searching, "find", lambda *_query, **_limits: none)
    view.select(hit_rows(view)[0].hit.entry)
    choose_last()
    person.until(lambda: not more(view))
    assert view.selected == hit_rows(view)[-1]


def test_a_hit_that_is_listed_first_is_opened_in_the_next_turn(
    person: Person, view: ResultsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of a thousand hits and the path of one of them took 35 ms in one turn."""
    monkeypatch.setattr(controller, "MORE", 2)
    ask(person, view, "zebra number", 6)
    chosen: list[int] = []
    person.gui.controllers.results.entry_chosen.connect(lambda _session, entry, _words: chosen.append(entry))
    view.field.setFocus()
    QTest.keyClick(person.window, Qt.Key.Key_F4)
    assert chosen == [hit_rows(view)[0].hit.entry]  # it was listed
    QTest.keyClick(person.window, Qt.Key.Key_F4, Qt.KeyboardModifier.ShiftModifier)
    last = view.selected
    assert isinstance(last, ResultHitRow)
    assert last == hit_rows(view)[-1]
    assert last.hit.entry not in chosen
    person.until(lambda: last.hit.entry in chosen)
    assert person.gui.opened.selection == last.hit.entry
    assert len(chosen) == 2


def test_the_last_of_two_quick_steps_opens_its_hit(
    person: Person, view: ResultsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, "MORE", 2)
    ask(person, view, "zebra number", 6)
    chosen: list[int] = []
    person.gui.controllers.results.entry_chosen.connect(lambda _session, entry, _words: chosen.append(entry))
    view.field.setFocus()
    for _ in range(2):
        QTest.keyClick(person.window, Qt.Key.Key_F4, Qt.KeyboardModifier.ShiftModifier)
    assert view.selected == hit_rows(view)[-2]
    person.until(lambda: bool(chosen))
    assert chosen == [hit_rows(view)[-2].hit.entry]


def test_a_wrong_filter_is_told_and_mended(person: Person, view: ResultsView) -> None:
    QTest.keyClicks(view.field, "zebra after:soon")
    person.until(lambda: "not a date" in view.message_label.text())
    ask(person, view, "zebra after:2020", 9)
    assert not view.message_label.isVisible()
    QTest.keyClicks(view.field, " qqq")
    person.until(lambda: "No hits" in view.message_label.text())


def test_enter_waits_for_what_was_typed_last(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra", 9)
    QTest.keyClicks(view.field, " widths")
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    person.until(lambda: "Mind the zebra" in said(person.window.transcript.view) and bool(marked(person)))


def test_searches_are_saved_asked_again_and_removed(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra role:tool", 1)
    view.save.click()
    view.field.clear()
    person.until(lambda: any(isinstance(row, SavedRow) for row in view.model.rows))
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    assert view.field.text() == "zebra role:tool"
    person.until(lambda: len(hit_rows(view)) == 1)
    view.field.clear()
    person.until(lambda: isinstance(view.selected, SavedRow))
    view.list.setFocus()
    QTest.keyClick(view.list, Qt.Key.Key_Delete)
    assert not view.model.rows


def test_the_most_relevant_match_comes_first_when_asked_for(
    person: Person, view: ResultsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "BUDGET", PATIENCE)
    ask(person, view, "zebra", 9)
    view.order_changed.emit(True)
    person.until(lambda: view.order.text().startswith("Most relevant"))
    person.until(lambda: view.header.chip_label.text().startswith("9"))


def test_without_sessions_nothing_is_searched(person: Person) -> None:
    person.until(lambda: person.window.shows_welcome)
    person.window.actions_table["search-sessions"].trigger()
    assert not person.window.columns.in_results
    assert not person.window.actions_table["next-hit"].isEnabled()


def test_the_find_bar_goes_with_the_search_that_opened_it(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra role:tool", 1)
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    person.until(lambda: marked(person) == ["zebra"])
    bar, entry = person.gui.controllers.finding.bar, person.gui.opened.selection
    assert bar.isVisible()
    QTest.keyClick(view.field, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert not marked(person)
    assert person.gui.opened.selection == entry
    assert person.window.focusWidget() is person.window.branches.list
    assert not person.window.actions_table["find-next"].isEnabled()


def test_a_find_bar_that_was_used_stays_when_the_search_is_closed(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra role:tool", 1)
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    person.until(lambda: marked(person) == ["zebra"])
    bar = person.gui.controllers.finding.bar
    person.window.actions_table["find-in-session"].trigger()
    view.closed.emit()
    assert bar.isVisible()
    person.until(lambda: bar.count_text.endswith("2"))


def test_a_find_bar_with_which_the_next_match_was_found_stays_when_the_search_is_closed(
    person: Person, view: ResultsView
) -> None:
    ask(person, view, "zebra role:tool", 1)
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    person.until(lambda: marked(person) == ["zebra"])
    person.window.actions_table["find-next"].trigger()
    view.closed.emit()
    assert person.gui.controllers.finding.bar.isVisible()


def test_escape_gives_the_branches_back(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra", 9)
    QTest.keyClick(view.field, Qt.Key.Key_Escape)
    assert person.window.columns.is_shown("branches")
    assert person.window.columns.is_shown("context")
    assert person.window.focusWidget() is person.window.branches.list
    assert not person.window.actions_table["next-hit"].isEnabled()
    person.window.actions_table["search-sessions"].trigger()
    assert view.field.text() == "zebra"
    assert hit_rows(view)
    person.window.actions_table["go-branches"].trigger()
    assert person.window.columns.is_shown("branches")
    assert person.window.focusWidget() is person.window.branches.list


def test_what_is_written_meanwhile_is_found(person: Person, view: ResultsView, tmp_path: Path) -> None:
    ask(person, view, "zebra", 9)
    more = written(tmp_path / "more.jsonl", "x", [("0", None, "user", "One more zebra")])
    person.application.services.importing.import_paths([more]).result()
    person.until(lambda: view.header.chip_label.text() == "10 hits in 3 sessions")


def test_without_a_model_the_meaning_chip_shows_its_setting(person: Person, view: ResultsView) -> None:
    ask(person, view, "zebra", 9)
    view.chips.meaning.click()
    settings = person.gui.controllers.preferences.settings
    assert settings is not None
    person.until(settings.isVisible)
    assert (view.chips.words.isChecked(), view.chips.meaning.isChecked()) == (True, False)
    settings.close()


def test_texts_that_mean_the_same_are_found_by_meaning(
    person: Person, view: ResultsView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "model", monkeypatch)
    services = person.application.services
    entry = Entry(id="of-a-cat", role=Role.USER, blocks=(Text("my cat sleeps"),))
    (key,) = person.application.store.write(lambda writer: writer.append(1, [entry])).result()
    person.gui.controllers.preferences.change("search.meaning", "local")
    person.until(lambda: services.searches_meaning)
    person.until(lambda: bool(services.meaning.search("feline").result().hits))
    QTest.keyClicks(view.field, "feline")
    person.until(lambda: "No hits" in view.message_label.text())
    view.chips.meaning.click()
    person.until(lambda: [row.hit.entry for row in hit_rows(view)] == [key])
    assert (view.chips.words.isChecked(), view.chips.meaning.isChecked()) == (False, True)
    assert not view.order.isEnabled()
    assert view.order.text().startswith("Most relevant")
    view.save.click()
    view.chips.words.click()
    person.until(lambda: not hit_rows(view))
    assert view.order.isEnabled()
    assert view.chips.words.isChecked()
    view.field.clear()
    person.until(lambda: isinstance(view.selected, SavedRow))
    assert view.selected == SavedRow("feline", by_meaning=True, note="by meaning")
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    person.until(lambda: [row.hit.entry for row in hit_rows(view)] == [key])
    assert view.chips.meaning.isChecked(), "a search that was saved by meaning is asked by meaning again"
    assert view.field.text() == "feline"


def test_a_hit_in_a_hidden_record_says_so_and_can_be_looked_at(
    person: Person, view: ResultsView, tmp_path: Path
) -> None:
    path = written(tmp_path / "note.jsonl", "n", [("a", None, "user", "Which tea?")])
    note = {
        "type": "custom_message", "id": "nb", "parentId": "na", "timestamp": "2026-01-01T00:00:09.000Z",
        "customType": "hint", "content": "A quagga is no tea.", "display": False,
    }  # fmt: skip
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(note) + "\n", encoding="utf-8")
    person.application.services.importing.import_paths([path]).result(PATIENCE)
    ask(person, view, "quagga", 1)
    person.window.actions_table["next-hit"].trigger()
    toast = person.window.toast
    person.until(lambda: toast.text == "This hit is in a record that the transcript does not show.")
    assert person.gui.opened.selection == person.key("nb")
    person.gui.opened.select(person.key("na"))  # the offer is for the hit, whatever is selected meanwhile
    toast.click()
    person.until(lambda: bool(person.window.findChildren(RawDialog)))
    (dialog,) = person.window.findChildren(RawDialog)
    assert "quagga" in dialog.text.toPlainText()
    dialog.close()
