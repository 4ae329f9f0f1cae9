"""The flat list of sessions: groups, order, filter, figures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from stemmata.domain.sessions.details import with_gone_from_source, with_named_here, with_reset_origin
from stemmata.domain.sessions.lineage import Relation
from stemmata.domain.sessions.origin import SourceState
from stemmata.domain.sessions.session import Session
from stemmata.formats.registry import FORMATS
from stemmata.gui.sessions.listing import Listing, Order
from stemmata.gui.sessions.model import SessionRole, SessionsModel
from stemmata.gui.sessions.words import (
    AUTOMATED,
    HOUR,
    MOST_TITLE,
    ORPHANS,
    SECOND,
    Grouping,
    ListFigure,
    age,
    facts,
    goes_on_as,
    moment,
    short_title,
    source_name,
    title_of,
    titles_of,
    tooltip,
)

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


def test_the_number_beside_a_group_says_of_what(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([make_session(1, cwd="/code/a"), make_session(2, cwd="/code/a")])
    header = model.index(0)
    assert (header.data(), header.data(SessionRole.COUNT)) == ("a", 2)
    assert header.data(Qt.ItemDataRole.AccessibleTextRole) == "a, 2 sessions"
    assert "2 sessions" in str(header.data(Qt.ItemDataRole.ToolTipRole))


def test_other_groupings(model: SessionsModel, make_session: Make, now: int) -> None:
    week = 8 * 24 * HOUR * SECOND
    model.set_sessions(
        [
            make_session(1, source="claude-code", updated_at=now),
            make_session(2, updated_at=now - 1),
            make_session(3, updated_at=now - week),
        ]
    )
    model.set_grouping(Grouping.SOURCE)
    assert shown(model) == ["Claude Code", "Session 1", "pi", "Session 2", "Session 3"]
    assert "Claude Code" not in str(row(model, 1).data(SessionRole.FACTS)), "the heading names the tool"
    model.set_grouping(Grouping.DATE)
    assert "Claude Code" in str(row(model, 1).data(SessionRole.FACTS))
    (today, *rest) = shown(model)
    assert (today, rest[:2], rest[3:]) == ("Today", ["Session 1", "Session 2"], ["Session 3"])
    assert re.fullmatch(r"\w{3} \d+ \w{3}", rest[2])


def test_a_row_tells_what_its_heading_does_not(model: SessionsModel, make_session: Make, now: int) -> None:
    week = 8 * 24 * HOUR * SECOND
    ages = {"updated_at": now - week, "cwd": "/code/okapi"}
    model.set_sessions([make_session(1, **ages), make_session(2, source_id="1/agent", **ages)])  # 2 has no session
    words, clock = moment(now - week, now), moment(now - week, now, names_day=False)
    assert re.fullmatch(r"\d\d:\d\d", clock)
    for grouping, expected in (
        (Grouping.FOLDER, f"pi · {words}"),
        (Grouping.SOURCE, f"okapi · {words}"),
        (Grouping.DATE, f"pi · okapi · {clock}"),
        (Grouping.TAG, f"pi · okapi · {words}"),
    ):
        model.set_grouping(grouping)
        assert row(model, 1).data(SessionRole.FACTS) == expected
    model.set_grouping(Grouping.DATE)
    assert row(model, 1).data(SessionRole.TIME) == clock
    model.open_folder(ORPHANS, on=True)
    orphan = model.index(model.row_of(2) or 0)
    assert orphan.data(SessionRole.FACTS) == f"subagent · pi · {words}", "its heading names no day"


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


def test_a_row_tells_source_time_branches_and_fill(model: SessionsModel, make_session: Make, now: int) -> None:
    model.set_sessions([make_session(2, branches=5, context_tokens=150_000), make_session(3, model="who/knows")])
    row = model.index(model.row_of(2) or 0)
    assert row.data(SessionRole.FACTS) == f"pi · {moment(row.data(SessionRole.SESSION).updated_at, now)} · 5 branches"
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
    assert age(now + 60 * SECOND, now) == "just now"  # the clocks of two machines differ a little
    assert age(now + 800 * 24 * HOUR * SECOND, now)[-4:].isdigit()  # the day, with its year
    assert facts(make_session(1), moment(0, now)) == "pi"


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


def test_titles_of_tools_are_cut_between_words_those_of_persons_stay(
    make_session: Make, model: SessionsModel
) -> None:
    long = "Investigate why the importer drops the very last line of files without a newline"
    given = replace(make_session(2, long), details=with_named_here("", on=True))
    session = make_session(1, long)
    assert titles_of(session) == ("Investigate why the importer drops the very last line of…", long)
    assert titles_of(given) == (long, long)
    model.set_sessions([session, given])
    rows = [model.index(model.row_of(each.key) or 0) for each in (session, given)]
    assert [row.data() for row in rows] == [short_title(session), long]
    assert all(long in row.data(Qt.ItemDataRole.ToolTipRole) for row in rows)
    assert all(row.data(Qt.ItemDataRole.AccessibleTextRole).startswith(long) for row in rows)


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


def moments(now: int) -> list[int]:
    """Noon of today and of the days before, by their number."""
    today = datetime.fromtimestamp(now / SECOND).replace(hour=12, minute=5)
    return [int((today - timedelta(days=days)).timestamp()) * SECOND for days in range(800)]


def test_times_are_dates_in_words(now: int) -> None:
    at = moments(now)
    assert [moment(at[0], now), moment(at[0], now, brief=True)] == ["today 12:05", "12:05"]
    assert [moment(at[1], now), moment(at[1], now, brief=True)] == ["yesterday 12:05", "yesterday"]
    assert re.fullmatch(r"\d+ \w{3}( \d{4})?", moment(at[3], now))
    assert re.fullmatch(r"\d+ \w{3} \d{4}", moment(at[700], now))
    assert re.fullmatch(r"\d+ \w{3} \d\d", moment(at[700], now, brief=True))
    assert moment(0, now) == ""


def test_sessions_are_grouped_by_day(model: SessionsModel, make_session: Make, now: int) -> None:
    at = moments(now)
    times = (at[0], at[0] - 60 * SECOND, at[1], at[700], 0)
    model.set_sessions([make_session(key, updated_at=time) for key, time in enumerate(times, 1)])
    model.set_grouping(Grouping.DATE)
    rows = shown(model)
    assert rows[:5] == ["Today", "Session 1", "Session 2", "Yesterday", "Session 3"]
    assert re.fullmatch(r"\d+ \w{3} \d{4}", rows[5])
    assert rows[6:] == ["Session 4", "Without a date", "Session 5"]


# -- the tree of work --------------------------------------------------------------------------------------------


def family(make: Make) -> list[Session]:
    """A session with two agents, of which one has an agent of its own, and a fork of the session."""
    tool = {"source": "claude-code"}
    return [
        make(1, "main", source_id="m", **tool),
        make(2, "agent", source_id="m/agent-a", parent=1, created_at=1, **tool),
        make(3, "inner", source_id="m/agent-b", parent=2, **tool),
        make(4, "second", source_id="m/agent-c", parent=1, created_at=2, **tool),
        make(5, "fork", source_id="f", parent=1, created_at=3, **tool),
    ]


def row(model: SessionsModel, key: int) -> QModelIndex:
    at = model.row_of(key)
    assert at is not None
    return model.index(at)


def test_sessions_are_nested_below_the_one_that_began_them(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions(family(make_session))
    assert shown(model) == ["pi-mono", "main"]
    assert row(model, 1).data(SessionRole.BELOW) == 4
    assert model.toggle(1)
    assert shown(model)[1:] == ["main", "agent", "second", "fork"]
    model.expand(2, on=True)
    assert shown(model)[1:] == ["main", "agent", "inner", "second", "fork"]
    assert [row(model, key).data(SessionRole.DEPTH) for key in (1, 2, 3, 5)] == [0, 1, 2, 1]
    assert str(row(model, 2).data(SessionRole.FACTS)).startswith("subagent · ")
    assert str(row(model, 5).data(SessionRole.FACTS)).startswith("fork · ")
    assert "4 nested, shown" in str(row(model, 1).data(Qt.ItemDataRole.AccessibleTextRole))
    model.toggle(1)
    assert shown(model) == ["pi-mono", "main"]
    assert "4 nested" in str(row(model, 1).data(Qt.ItemDataRole.AccessibleTextRole))


def test_a_folded_session_has_the_time_of_the_newest_below_it(
    model: SessionsModel, make_session: Make, now: int
) -> None:
    at = moments(now)
    sessions = [make_session(1, updated_at=at[20]), make_session(2, parent=1, updated_at=at[0])]
    model.set_sessions([*sessions, make_session(3, updated_at=at[5])])
    assert shown(model) == ["pi-mono", "Session 1", "Session 3"]
    assert "today" in str(row(model, 1).data(SessionRole.FACTS))
    model.expand(1, on=True)
    assert "today" not in str(row(model, 1).data(SessionRole.FACTS))


def test_the_filter_shows_what_is_above_a_match(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([*family(make_session), make_session(9, "other")])
    model.set_filter("inner")
    assert shown(model) == ["pi-mono", "main", "agent", "inner"]
    assert [row(model, key).data(SessionRole.MATCHES) for key in (1, 2, 3)] == [False, False, True]
    assert (model.matching, model.total) == (1, 6)
    assert model.toggle(1)  # filtered rows stay unfolded
    assert shown(model) == ["pi-mono", "main", "agent", "inner"]


def test_a_match_is_unfolded_while_the_list_is_filtered(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([*family(make_session), make_session(9, "other")])
    model.set_filter("agent-a")
    assert shown(model) == ["pi-mono", "main", "agent"]
    assert model.toggle(2)
    assert shown(model) == ["pi-mono", "main", "agent", "inner"]
    assert [row(model, key).data(SessionRole.EXPANDED) for key in (2, 3)] == [True, False]
    assert (model.matching, row(model, 3).data(SessionRole.MATCHES)) == (1, False)
    assert model.toggle(2)
    assert shown(model) == ["pi-mono", "main", "agent"]
    model.toggle(2)
    model.set_filter("")
    assert shown(model) == ["pi-mono", "main", "other"]  # as the list was before


def test_a_session_is_revealed(model: SessionsModel, make_session: Make) -> None:
    lonely = make_session(8, "lonely", source="claude-code", source_id="x/agent-z")
    model.set_sessions([*family(make_session), lonely, make_session(9, "Warmup")])
    for key in (3, 8, 9):
        assert model.row_of(key) is None
        assert model.reveal(key)
        assert model.row_of(key) is not None
    assert not model.reveal(99)
    assert model.visible_above(3) == model.row_of(2)
    assert model.visible_above(99) is None


def test_agents_without_a_session_and_automated_runs_have_folders(model: SessionsModel, make_session: Make) -> None:
    sessions = [
        make_session(1, "person"),
        make_session(2, "lonely", source="claude-code", source_id="x/agent-z"),
        make_session(3, "Warmup"),
        make_session(4, "script", source="claude-code", details='{"entrypoint":"sdk-py"}'),
        make_session(5, "starred script", source="claude-code", details='{"entrypoint":"sdk-py"}', starred=True),
    ]
    model.set_sessions(sessions)
    folders = ["Agents without their session · 1", "Automated · 2 hidden"]
    assert shown(model) == ["pi-mono", "person", "starred script", *folders]
    assert model.toggle(4)
    assert shown(model)[3:] == [folders[0], "Automated · 2", "Warmup", "script"]
    assert model.index(4).data(SessionRole.EXPANDED) is True
    assert model.shows_automated
    model.open_folder(ORPHANS, on=True)
    assert shown(model)[3:5] == [folders[0], "lonely"]
    for folder in (AUTOMATED, ORPHANS):
        model.open_folder(folder, on=False)
    assert shown(model)[3:] == folders
    assert not model.toggle(0)  # the header of a group
    model.set_filter("script")
    assert shown(model) == ["pi-mono", "starred script", "Automated · 1 hidden"]


def test_agents_are_archived_with_their_session_and_forks_are_not(model: SessionsModel, make_session: Make) -> None:
    main, *others = family(make_session)
    model.set_sessions([replace(main, archived=True), *others])
    assert shown(model) == ["pi-mono", "fork"]
    model.show_archived(on=True)
    assert shown(model) == ["pi-mono", "main"]


def test_worktrees_belong_to_the_project_of_their_repository(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([make_session(1, cwd="/code/app"), make_session(2, cwd="/code/app/.claude/worktrees/fix/src")])
    assert shown(model) == ["app", "Session 1", "Session 2"]
    assert model.index(0).data(SessionRole.COUNT) == 2


def test_sessions_are_sorted(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions(
        [
            make_session(1, "b", entries=1, cost=3, context_tokens=1),
            make_session(2, "c", entries=3, cost=1, created_at=10**20),
            make_session(3, "a", entries=2, cost=2, context_tokens=9),
        ]
    )
    found = {}
    for order in (Order.CREATED, Order.TITLE, Order.ENTRIES, Order.TOKENS, Order.COST, Order.NEWEST):
        model.set_order(order)
        found[order] = "".join(shown(model)[1:])
    assert found == {
        Order.CREATED: "cab", Order.TITLE: "abc", Order.ENTRIES: "cab", Order.TOKENS: "abc", Order.COST: "bac",
        Order.NEWEST: "bca",
    }  # fmt: skip


def test_figures_are_shown_on_request(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([make_session(1, cost=4_120_000, context_tokens=181_000), make_session(2)])
    assert row(model, 1).data(SessionRole.FIGURES) == ()
    for figure in ListFigure:
        model.show_figure(figure, on=True)
    assert row(model, 1).data(SessionRole.FIGURES) == ("181k", "$4.12")
    assert row(model, 2).data(SessionRole.FIGURES) == ("", ""), "an unknown figure keeps its place in the row"
    assert ", ," not in row(model, 2).data(Qt.ItemDataRole.AccessibleTextRole)
    model.show_figure(ListFigure.COST, on=False)
    assert model.figures == {ListFigure.TOKENS}


def test_a_listing_of_another_order_is_sorted_again(make_session: Make, model: SessionsModel) -> None:
    listing = Listing([make_session(1, "b"), make_session(2, "a")])
    forest = model.forest_of(listing)
    model.set_order(Order.TITLE)
    model.set_listing(listing, forest)
    assert shown(model)[1:] == ["a", "b"]


def test_continuations_tell_what_they_came_from(model: SessionsModel, make_session: Make) -> None:
    own = {"source": "stemmata"}
    model.set_sessions(
        [
            make_session(1, context_tokens=181_000, **own),
            make_session(2, parent=1, source_id="continued-a", **own),
            make_session(3, parent=2, source_id="continued-b", **own),
            make_session(4, parent=1, source_id="r", details=with_reset_origin("", "s1"), **own),
            make_session(5, parent=4, source="codex"),
        ]
    )
    for key in (1, 2, 4):
        model.expand(key, on=True)
    words = {key: str(row(model, key).data(SessionRole.FACTS)).split(" · ")[0] for key in (2, 3, 4, 5)}
    assert words == {2: "compacted from 181k", 3: "continued from a summary", 4: "after a reset", 5: "handed over"}
    assert row(model, 4).data(SessionRole.SIGN) == row(model, 5).data(SessionRole.SIGN) == "link"
    assert goes_on_as(make_session(5, "New", source="codex"), Relation.HANDED_OVER) == "Handed over to Codex as “New”"


def test_a_tag_has_all_its_sessions_also_those_that_came_from_others(
    model: SessionsModel, make_session: Make
) -> None:
    main, *agents, fork = family(make_session)
    model.set_grouping(Grouping.TAG)
    model.set_sessions([main, *agents, replace(fork, tags=("bug",))])
    assert shown(model) == ["Without tags", "main", "#bug", "fork"]
    model.set_grouping(Grouping.SOURCE)
    assert shown(model) == ["Claude Code", "main"]


def test_the_state_of_the_source_file_is_told(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([make_session(1), make_session(2), make_session(3)])
    model.set_states({1: SourceState.DELETED, 2: SourceState.FOLLOWED})
    assert str(row(model, 1).data(SessionRole.FACTS)).endswith(" · deleted by its tool")
    tips = [str(row(model, key).data(Qt.ItemDataRole.ToolTipRole)).splitlines()[-1] for key in (1, 2, 3)]
    assert tips[:2] == [
        "deleted by its tool; the session is safe here", "followed: new entries are imported",
    ]  # fmt: skip
    assert "followed" not in tips[2]
    model.set_sessions([make_session(4, details=with_gone_from_source("", 5))])  # no file is looked for
    assert str(row(model, 4).data(SessionRole.FACTS)).endswith(" · deleted by its tool")


def test_a_folded_session_tells_what_happens_below_it(model: SessionsModel, make_session: Make) -> None:
    model.set_sessions([*family(make_session), make_session(9)])
    changed: list[int] = []
    model.dataChanged.connect(lambda first, _last: changed.append(first.row()))
    model.set_running(frozenset({3}))
    model.set_new({3: 2, 5: 1, 9: 4})
    assert set(changed) == {1, 2}
    assert (row(model, 1).data(SessionRole.RUNNING), row(model, 1).data(SessionRole.NEW)) == (True, 3)
    assert "3 new entries" in str(row(model, 1).data(Qt.ItemDataRole.AccessibleTextRole))
    assert (row(model, 9).data(SessionRole.RUNNING), row(model, 9).data(SessionRole.NEW)) == (False, 4)
    model.expand(1, on=True)
    assert (row(model, 1).data(SessionRole.RUNNING), row(model, 1).data(SessionRole.NEW)) == (False, 0)
    assert (row(model, 2).data(SessionRole.RUNNING), row(model, 2).data(SessionRole.NEW)) == (True, 2)
