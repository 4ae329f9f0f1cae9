"""The line below the header leads to the agents of a session, and from an agent back."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from stemmata.domain.sessions.lineage import ForkPoint, Lineage
from stemmata.domain.sessions.session import Session
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.lineage_line import LineageLine


def test_a_session_and_its_agents_are_linked_both_ways(
    theme: Theme, qtbot: QtBot, make_session: Callable[..., Session]
) -> None:
    line = LineageLine(theme)
    qtbot.addWidget(line)
    main = make_session(1, "main", source="claude-code", source_id="m")
    agents = [
        make_session(key, f"agent {key}", source="claude-code", source_id=f"m/agent-{key}", parent=1, created_at=key)
        for key in (2, 3)
    ]
    line.show_session(main, Lineage([main, agents[0]]))
    assert line.agents.words == "Started “agent 2”"
    line.show_session(main, Lineage([main, *agents]))
    assert line.agents.words == "Started 2 agents"
    assert not line.isHidden()
    with qtbot.waitSignal(line.session_wanted) as wanted:
        line.agents.click()
    assert wanted.args == [2, None]
    line.show_session(agents[1], Lineage([main, *agents]))
    assert line.before.words == "Started by “main”"
    assert line.agents.isHidden()
    line.show_session(main, Lineage([main]))
    assert line.isHidden()


def test_a_fork_names_the_entry_at_which_it_was_forked_and_leads_there(
    theme: Theme, qtbot: QtBot, make_session: Callable[..., Session]
) -> None:
    line = LineageLine(theme)
    qtbot.addWidget(line)
    origin, fork = make_session(1, "origin"), make_session(2, "fork", parent=1)
    lineage, long = Lineage([origin, fork]), "a prompt\nof many words " * 9
    line.show_session(fork, lineage, ForkPoint(7, "a prompt"))
    assert line.before.words == "Forked from “origin” at “a prompt”"
    with qtbot.waitSignal(line.session_wanted) as wanted:
        line.before.click()
    assert wanted.args == [1, 7]
    line.show_session(fork, lineage, ForkPoint(7, long))
    assert line.before.words.endswith("…”")
    assert "a prompt of many words a prompt" in line.before.words
    line.show_session(fork, lineage)
    assert line.before.words == "Forked from “origin”"
    with qtbot.waitSignal(line.session_wanted) as wanted:
        line.before.click()
    assert wanted.args == [1, None]
