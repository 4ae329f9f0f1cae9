"""The flat list of sessions: groups, order, filter, figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.session_facts import Session
from stemmata.formats.registry import FORMATS
from stemmata.gui.sessions.model import SessionRole, SessionsModel
from stemmata.gui.sessions.words import HOUR, MOST_TITLE, SECOND, Grouping, age, facts, source_name, title_of, tooltip

Make = Callable[..., Session]


@pytest.fixture
def model(qapp: object, now: int) -> SessionsModel:
    return SessionsModel({"anthropic/claude": 200_000}.get, lambda: now)


def shown(model: SessionsModel) -> list[str]:
    return [str(model.index(row).data()) for row in range(model.rowCount())]


def test_groups_by_folder_newest_first_also_those_without_a_folder(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions(
        [
            make_session(3, "old", cwd="/x/billing"),
            make_session(2, "homeless", cwd=""),
            make_session(4, "older", cwd="/x/pi-mono"),
            make_session(5, "oldest", cwd="/x/billing/"),
            make_session(1, "new", cwd="/x/pi-mono"),
        ]
    )
    assert shown(model) == ["pi-mono", "new", "older", "No folder", "homeless", "billing", "old", "oldest"]
    assert (model.total, model.shown) == (5, 5)


def test_folders_of_one_name_are_told_apart(model: SessionsModel, make_session: Make) -> None:
    folders = ("/home/me/ledgerly", "/tmp/ledgerly", "/x/other", "C:\\a\\one", "/y/home/me/ledgerly", "ledgerly", "/")
    model.set_sessions([make_session(at, "", cwd=folder) for at, folder in enumerate(folders, 1)])
    titles = [text for text in shown(model) if not text.startswith("Session")]
    assert len(set(titles)) == len(folders)
    assert {"tmp/ledgerly", "other", "one", "y/home/me/ledgerly", "/"} < set(titles)


def test_other_groupings(model: SessionsModel, make_session: Make, now: int) -> None:
    week = 7 * 24 * HOUR * SECOND
    model.set_sessions(
        [make_session(1, source="claude-code"), make_session(2), make_session(3, updated_at=now - week - 1)]
    )
    model.set_grouping(Grouping.SOURCE)
    assert shown(model) == ["Claude Code", "Session 1", "pi", "Session 2", "Session 3"]
    model.set_grouping(Grouping.DATE)
    assert shown(model) == ["Last 24 hours", "Session 1", "Session 2", "Last 30 days", "Session 3"]


def test_filter_wants_every_word_somewhere(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([make_session(1, "Port the selectors"), make_session(2, "Port the theme", cwd="/x/SELECTORS")])
    model.set_filter("port SELEC")
    assert shown(model) == ["pi-mono", "Port the selectors", "SELECTORS", "Port the theme"]
    model.set_filter("theme")
    assert shown(model) == ["SELECTORS", "Port the theme"]
    model.set_filter("nothing like it")
    assert (model.rowCount(), model.shown, model.total) == (0, 0, 2)


def test_archived_sessions_are_shown_on_request(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([make_session(1), make_session(2, archived=True)])
    assert shown(model) == ["pi-mono", "Session 1"]
    model.show_archived(on=True)
    assert shown(model) == ["pi-mono", "Session 1", "Session 2"]


def test_a_row_tells_source_age_branches_and_fill(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([make_session(2, branches=5, context_tokens=150_000), make_session(3, model="who/knows")])
    row = model.index(model.row_of(2) or 0)
    assert row.data(SessionRole.FACTS) == "pi · 2 h ago · 5 branches"
    assert row.data(SessionRole.FILL) == pytest.approx(0.75)
    assert "Session 2" in row.data(Qt.ItemDataRole.AccessibleTextRole)
    assert model.index(model.row_of(3) or 0).data(SessionRole.FILL) is None


def test_headers_cannot_be_selected(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([make_session(1)])
    assert model.flags(model.index(0)) == Qt.ItemFlag.NoItemFlags
    assert model.flags(model.index(1)) & Qt.ItemFlag.ItemIsSelectable
    assert model.session_at(0) is None
    assert model.session_at(99) is None


def test_new_facts_in_the_same_order_change_rows_in_place(
    model: SessionsModel, make_session: Make, qtbot: QtBot
) -> None:
    model.set_sessions([make_session(1), make_session(2)])
    with qtbot.waitSignal(model.dataChanged), qtbot.assertNotEmitted(model.modelReset):
        model.set_sessions([make_session(1, starred=True), make_session(2)])
    session = model.session_at(1)
    assert session is not None
    assert session.starred


def test_the_model_keeps_qts_contract(model: SessionsModel, make_session: Make, qtmodeltester: ModelTester) -> None:
    model.set_sessions([make_session(key, cwd=f"/x/{key % 3}") for key in range(1, 20)])
    qtmodeltester.check(model)  # type: ignore[no-untyped-call] # of pytest-qt


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (5, "just now"), (120, "2 min ago"), (2 * HOUR, "2 h ago"), (30 * HOUR, "yesterday"), (80 * HOUR, "3 d ago"),
    ],
)  # fmt: skip
def test_ages(seconds: int, words: str, now: int) -> None:
    assert age(now - seconds * SECOND, now) == words


def test_old_ages_are_dates_and_unknown_ones_nothing(now: int, make_session: Make) -> None:
    assert age(now - 40 * 24 * HOUR * SECOND, now)[0].isdigit()
    assert age(now - 800 * 24 * HOUR * SECOND, now)[0].isalpha()  # the month says enough
    assert age(0, now) == ""
    assert facts(make_session(1, updated_at=0), now) == "pi"


def test_what_has_come_is_told_and_only_those_rows_change(
    model: SessionsModel, make_session: Make, qtbot: QtBot
) -> None:
    model.set_sessions([make_session(1), make_session(2)])
    changed: list[int] = []
    model.dataChanged.connect(lambda first, _last: changed.append(first.row()))
    model.set_new({2: 3, 99: 1})
    row = model.row_of(2)
    assert row is not None
    index = model.index(row)
    assert (changed, index.data(SessionRole.NEW)) == ([row], 3)
    assert str(index.data(Qt.ItemDataRole.AccessibleTextRole)).endswith(", 3 new entries")
    model.set_new({2: 3})
    assert changed == [row]
    model.set_new({})
    assert (changed, index.data(SessionRole.NEW)) == ([row, row], 0)


@pytest.mark.parametrize(
    "hard", ["y" * 10_000_000, "[" * 3_000_000, ("a" + "\u0301" * 100) * 2_000], ids=["word", "brackets", "marks"]
)
def test_a_title_has_a_length_that_can_be_read(make_session: Make, hard: str) -> None:
    session = make_session(1, hard)
    assert len(title_of(session)) == MOST_TITLE
    assert len(tooltip(session, [])) < 8 * MOST_TITLE


@pytest.mark.parametrize(
    ("id", "title"), [("notes-on-tea", "notes-on-tea"), ("717ea0d7-ff29-47e1-8a0d-be1234567890", "Untitled")]
)
def test_a_session_without_a_title_has_no_name_of_hexadecimal_digits(make_session: Make, id: str, title: str) -> None:
    assert title_of(replace(make_session(1), title="", source="pi", source_id=id)) == title


def test_the_list_names_a_tool_as_its_format_does() -> None:
    assert [source_name(format.name) for format in FORMATS if format.reader] == [
        format.title for format in FORMATS if format.reader
    ]
    assert [source_name(source) for source in ("stemmata", "codex")] == ["Stemmata", "Codex"]
