"""Whether to keep following: what the box says, and what it puts into the settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from stemmata.domain.settings.settings import changed_setting, folders_of
from stemmata.domain.sources.session_files import Discovered
from stemmata.gui.importing.discovered_table import DiscoveredTable, FollowBox, setting_with
from stemmata.gui.theme.theme import Theme


def found(name: str) -> Discovered:
    return Discovered(name, name, f"{Path.home()}/{name}", ("x.jsonl",), 1)


@pytest.fixture
def table(qtbot: QtBot, theme: Theme) -> DiscoveredTable:
    made = DiscoveredTable(theme)
    qtbot.addWidget(made)
    return made


@pytest.fixture
def box(qtbot: QtBot, table: DiscoveredTable) -> FollowBox:
    made = FollowBox(table)
    qtbot.addWidget(made)
    return made


def test_the_setting_gains_and_loses_what_is_ticked(table: DiscoveredTable, box: FollowBox) -> None:
    table.show_discovered([found("a"), found("b")])
    box.setChecked(True)
    assert box.setting(["/other"]) == "/other; ~/a; ~/b"
    assert box.setting(["~/a", f"{Path.home()}/b"]) is None
    assert setting_with(["~/a"], [f"{Path.home()}/chosen"], on=True) == "~/a; ~/chosen"
    table.boxes[1].setChecked(False)
    box.setChecked(False)
    assert box.setting(["~/a", "~/b"]) == "~/b"
    assert box.setting([]) is None


def test_the_box_says_whether_all_that_is_ticked_is_followed(table: DiscoveredTable, box: FollowBox) -> None:
    box.show_followed([f"{Path.home()}/a"])
    assert not box.isChecked()  # nothing was found yet
    table.show_discovered([found("a"), found("b")])
    assert not box.isChecked()
    table.boxes[1].setChecked(False)
    assert box.isChecked()


def test_folders_of_projects_are_not_followed_with_the_others(table: DiscoveredTable, box: FollowBox) -> None:
    table.show_discovered([found("a"), replace(found("tea"), is_of_project=True)])
    box.setChecked(True)
    assert box.setting([]) == "~/a"
    assert table.paths == ["x.jsonl", "x.jsonl"]


def test_the_setting_as_people_write_it() -> None:
    assert folders_of(" ~/a ;; /b;~/a; ") == ("~/a", "/b")
    assert folders_of("") == ()
    assert changed_setting("", [], on=True) == ""
