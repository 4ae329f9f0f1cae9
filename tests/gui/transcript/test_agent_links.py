"""The line below the header leads to the agents of a session, and from an agent back."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from stemmata.domain.entries.lineage import Lineage
from stemmata.domain.entries.session_facts import Session
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
    assert wanted.args == [2]
    line.show_session(agents[1], Lineage([main, *agents]))
    assert line.before.words == "Started by “main”"
    assert line.agents.isHidden()
    line.show_session(main, Lineage([main]))
    assert line.isHidden()
