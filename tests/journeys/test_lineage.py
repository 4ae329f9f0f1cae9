"""Sessions that follow each other: shown in the list and below the header, and walked in both directions."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from stemmata.gui.sessions.model import SessionRole
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


def compact_anew(person: Person) -> tuple[int, int]:
    """Continue the open session in a new one, with the workbench; return the keys of both."""
    first = person.gui.opened.key
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    panel = person.window.workbench
    person.until(lambda: person.in_workbench() and bool(panel.editor.text) and panel.accept.isEnabled())
    panel.new_session.setChecked(True)
    panel.accept.click()
    person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
    assert first is not None
    assert person.gui.opened.key is not None
    return first, person.gui.opened.key


def row(person: Person, key: int, role: int) -> str:
    model = person.window.sessions_model
    return str(model.data(model.index(model.row_of(key) or 0), role))


def opened(person: Person, key: int) -> None:
    person.until(lambda: person.gui.opened.key == key and person.gui.opened.session_tree is not None)


def test_segments_are_named_and_walked_both_ways(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    actions, line = person.window.actions_table, person.window.transcript.lineage
    assert line.isHidden()
    assert not actions["session-before"].isEnabled()
    old, new = compact_anew(person)
    person.until(line.before.isVisible)
    assert line.before.words.startswith("Continued from “")
    assert line.after.isHidden()
    assert (actions["session-before"].isEnabled(), actions["session-after"].isEnabled()) == (True, False)
    actions["session-before"].trigger()
    opened(person, old)
    person.until(line.after.isVisible)
    assert line.after.words.startswith("Continued as “")
    assert line.before.isHidden()
    actions["session-after"].trigger()
    opened(person, new)
    person.until(line.before.isVisible)
    line.before.click()
    opened(person, old)
    tip, said = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole
    assert "Continued as “" in row(person, old, tip)
    assert "finalised with a summary" in row(person, old, said)
    assert "Continued from “" in row(person, new, said)
    assert row(person, old, SessionRole.SIGN) == row(person, new, SessionRole.SIGN) == "link"


def test_a_fork_leads_back_to_its_origin(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    old, line = person.gui.opened.key, person.window.transcript.lineage
    assert old is not None
    assert person.leaf is not None
    person.gui.controllers.branches.fork(person.leaf)
    person.until(lambda: person.gui.opened.key != old and line.before.isVisible())
    assert line.before.words.startswith("Forked from “")
    fork = person.gui.opened.key
    assert fork is not None
    assert row(person, fork, SessionRole.SIGN) == "fork"
    person.until(lambda: "” at “" in line.before.words)
    assert line.before.words in row(person, fork, Qt.ItemDataRole.ToolTipRole)
    assert line.before.words in row(person, fork, Qt.ItemDataRole.AccessibleTextRole)
    at = person.leaf
    line.before.click()
    opened(person, old)
    person.until(lambda: person.gui.opened.selection == at)
    person.until(line.after.isVisible)
    assert line.after.words.startswith("Forked as “")


@pytest.mark.parametrize("width", [160, 900])
def test_long_titles_are_elided(person: Person, session_file: Path, width: int) -> None:
    person.drop(session_file)
    session = person.gui.opened.key
    assert session is not None
    person.application.services.sessions.rename(session, "A very long title " * 12).result()
    compact_anew(person)
    line = person.window.transcript.lineage
    person.until(line.before.isVisible)
    line.resize(width, line.height())
    person.until(lambda: line.before.width() <= width)
    assert line.before.text().endswith("…")
    assert line.before.accessibleName().startswith("Continued from “A very long title A very")


def test_a_session_beside_has_its_own_line(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    old, new = compact_anew(person)
    person.gui.controllers.split.show_beside(old, None)
    window = person.window
    person.until(lambda: person.gui.controllers.split.is_split)
    person.until(lambda: any(column.lineage.after.isVisible() for column in (window.transcript, window.beside)))
    person.until(lambda: any(column.lineage.before.isVisible() for column in (window.transcript, window.beside)))
    assert person.gui.controllers.split.sessions == {new, old}


@pytest.mark.parametrize("strategy", ["in-place", "new-session"])
def test_the_box_begins_as_the_setting_says(person: Person, session_file: Path, strategy: str) -> None:
    person.application.services.preferences.change("compaction.strategy", strategy).result(PATIENCE)
    person.drop(session_file)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    assert person.window.workbench.new_session.isChecked() is (strategy == "new-session")
