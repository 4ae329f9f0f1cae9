"""Another tool writes while the person reads: what it writes appears by itself, and the reader's place stays."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from stemmata.domain.settings.settings import setting_of
from stemmata.domain.sources.session_files import Discovered
from stemmata.gui.sessions.model import SessionRole
from stemmata.gui.window.followed_folders import FollowedFolders
from stemmata.services.settings.preferences import FOLLOWED
from tests.fakes.claude_code import Line, call, reply, result, user
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

SECOND = 1_000_000_000
WRITER = """
import sys, time
for line in sys.stdin:
    with open(sys.argv[1], "a") as file:
        for part in (line[:30], line[30:]):  # a line comes in two halves
            file.write(part)
            file.flush()
            time.sleep(0.05)
    print(time.time_ns(), flush=True)
"""


class Tool:
    """A process that appends lines to a session file, as Claude Code does."""

    def __init__(self, path: Path) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def writes(self, line: Line) -> int:
        """Return when the line was written, in ns."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(line) + "\n")
        self._child.stdin.flush()
        return int(self._child.stdout.readline())

    def close(self) -> None:
        self._child.communicate(timeout=PATIENCE)


def talk(turns: int) -> list[Line]:
    lines: list[Line] = [user("u0", None, 0, "Please build the shed.")]
    for turn in range(1, turns):
        lines += [
            call(f"c{turn}", lines[-1]["uuid"], turn, f"m{turn}", f"t{turn}"),
            result(f"r{turn}", f"c{turn}", turn + 0.2, f"t{turn}"),
            reply(f"a{turn}", f"r{turn}", turn + 0.4, f"n{turn}"),
            user(f"u{turn}", f"a{turn}", turn + 0.6, f"Step {turn}, please. " * 20),
        ]
    return lines


def append(path: Path, *lines: Line) -> None:
    with path.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "projects"
    made.mkdir()
    return made


@pytest.fixture
def session(folder: Path) -> Path:
    path = folder / "shed" / "s.jsonl"
    path.parent.mkdir()
    append(path, *talk(20))
    return path


@pytest.fixture
def reader(person: Person, folder: Path, session: Path) -> Person:
    """A user who follows the folder and has its session open."""
    person.gui.follow()
    services = person.application.services
    services.preferences.change(FOLLOWED, setting_of([str(folder)])).result(PATIENCE)
    person.until(lambda: person.window.sessions_model.total == 1)
    person.gui.open_session(next(iter(person.gui.sessions.sessions)))
    person.until(lambda: person.gui.opened.session_tree is not None and len(person.tree) == 77)
    return person


@pytest.fixture
def tool(session: Path) -> Iterator[Tool]:
    made = Tool(session)
    yield made
    made.close()


def test_what_claude_code_writes_appears_within_a_second(reader: Person, tool: Tool) -> None:
    view = reader.window.transcript.view
    parent, delays = "u19", []

    def has_come(count: int) -> bool:
        return len(reader.tree) == 77 + count

    for at in range(5):
        written = tool.writes(reply(f"x{at}", parent, 30 + at, f"y{at}", stop="end_turn"))
        parent = f"x{at}"
        reader.until(partial(has_come, at + 1))
        delays.append(time.time_ns() - written)
        assert reader.leaf == reader.key(parent)
    assert min(delays) < SECOND  # of several: the machine may be busy with other things
    reader.until(lambda: reader.leaf in view.visible_keys)
    assert view.follows_end
    branches = reader.window.branches.list.model
    reader.until(lambda: branches.row_of(reader.leaf) is not None)
    assert branches.row_of(reader.leaf) == branches.leaf_row


def test_the_place_of_a_reader_stays(reader: Person, tool: Tool) -> None:
    view = reader.window.transcript.view
    key = reader.key("u5")
    reader.gui.opened.view_entry(key)
    reader.until(lambda: reader.gui.opened.selection == key)
    bar = view.verticalScrollBar()
    reader.until(lambda: bar.value() < bar.maximum())
    reader.qtbot.wait(50)
    place, seen = view.place, view.visible_keys
    tool.writes(reply("x", "u19", 30, "y"))
    reader.until(lambda: len(reader.tree) == 78)
    reader.qtbot.wait(100)
    assert (view.place, view.visible_keys) == (place, seen)
    assert (reader.gui.opened.selection, view.follows_end) == (key, False)


def test_a_rewind_there_is_a_branch_here_and_the_leaf_goes_along(reader: Person, session: Path) -> None:
    append(session, user("again", "a10", 40, "No, start over from here."))
    reader.until(lambda: len(reader.tree) == 78)
    assert len(reader.tree.leaves) == 2
    assert reader.leaf == reader.key("again")
    append(session, reply("then", "again", 41, "z"))
    reader.until(lambda: len(reader.tree) == 79)
    assert reader.leaf == reader.key("then")


def test_a_session_that_is_not_open_is_marked_until_it_is(reader: Person, folder: Path) -> None:
    other = folder / "other" / "o.jsonl"
    other.parent.mkdir()
    append(other, user("o1", None, 0, "Another one"))
    model = reader.window.sessions_model
    reader.until(lambda: model.total == 2)
    append(other, reply("o2", "o1", 1), user("o3", "o2", 2))
    key = next(key for key, session in reader.gui.sessions.sessions.items() if session.source_id == "o")

    def told(role: int) -> object:
        row = model.row_of(key)
        return None if row is None else model.index(row).data(role)

    reader.until(lambda: told(SessionRole.NEW) == 2)
    assert "2 new entries" in str(told(Qt.ItemDataRole.AccessibleTextRole))
    assert "2 new entries" in str(told(Qt.ItemDataRole.ToolTipRole))
    reader.gui.open_session(key)
    reader.until(lambda: told(SessionRole.NEW) == 0)


def test_what_is_shown_beside_is_looked_at(reader: Person, folder: Path) -> None:
    other = folder / "other" / "o.jsonl"
    other.parent.mkdir()
    append(other, user("o1", None, 0, "Another one"))
    reader.until(lambda: reader.window.sessions_model.total == 2)
    key = next(key for key, session in reader.gui.sessions.sessions.items() if session.source_id == "o")
    reader.gui.controllers.split.show_beside(key, None)
    reader.until(lambda: reader.gui.controllers.split.other is not None)
    following = reader.gui.findChild(FollowedFolders)
    assert following is not None
    seen = len(following.new)
    append(other, reply("o2", "o1", 1))
    other_side = reader.gui.controllers.split
    reader.until(lambda: other_side.other is not None and len(other_side.other[1].tree) == 2)
    assert len(following.new) == seen == 0


def test_trouble_is_told_in_every_window(reader: Person, folder: Path) -> None:
    second = reader.gui.open_window()
    reader.until(lambda: second.is_warm)
    away = folder.with_name("away")
    folder.rename(away)
    banners = [workspace.window.banner for workspace in reader.gui.workspaces]
    reader.until(lambda: all("does not exist" in banner.text and not banner.isHidden() for banner in banners))
    third = reader.gui.open_window()
    reader.until(lambda: third.is_warm and "does not exist" in third.window.banner.text)
    away.rename(folder)
    banners.append(third.window.banner)
    reader.until(lambda: all(banner.isHidden() for banner in banners))


def test_a_folder_that_goes_and_comes_back_is_told(reader: Person, folder: Path, session: Path) -> None:
    banner = reader.window.banner
    away = folder.with_name("away")
    folder.rename(away)
    reader.until(lambda: banner.isVisible() and "does not exist" in banner.text)
    append(away / "shed" / "s.jsonl", reply("x", "u19", 30))
    away.rename(folder)
    reader.until(lambda: not banner.isVisible() and len(reader.tree) == 78)
    assert reader.window.toast.text == f"{folder} is followed again."


def test_of_several_troubles_those_that_are_left_are_shown(reader: Person, folder: Path) -> None:
    banner, services = reader.window.banner, reader.application.services
    others = [folder.with_name(name) for name in ("one", "two")]
    services.preferences.change(FOLLOWED, setting_of(map(str, [folder, *others]))).result(PATIENCE)
    reader.until(lambda: str(others[1]) in banner.text)
    others[1].mkdir()
    reader.until(lambda: str(others[0]) in banner.text and banner.isVisible())
    others[0].mkdir()
    reader.until(lambda: not banner.isVisible())


def test_following_is_wished_on_the_first_page(person: Person, folder: Path, session: Path) -> None:
    person.gui.follow()
    welcome = person.window.welcome
    found = Discovered("claude-code", "Claude Code", str(folder), (str(session),), 1)
    welcome.show_discovered([found])
    assert welcome.follow_box.isChecked()
    welcome.import_button.click()
    person.until(lambda: person.window.sessions_model.total == 1)
    services = person.application.services
    person.until(lambda: services.followed == (str(folder),))
    append(session, reply("x", "u19", 30))
    person.until(lambda: next(iter(person.gui.sessions.sessions.values())).entries == 78)
    person.gui.importing.show_dialog()
    dialog = person.window.import_dialog
    dialog.show_discovered([found])
    assert dialog.follow_box.isChecked()
    dialog.follow_box.setChecked(False)
    dialog.import_button.click()
    person.until(lambda: services.followed == ())
    person.until(lambda: not dialog.is_importing)


def test_an_imported_folder_is_followed_only_when_that_is_asked_for(
    person: Person, folder: Path, session: Path
) -> None:
    person.gui.follow()
    importing, dialog, services = person.gui.importing, person.window.import_dialog, person.application.services
    dialog.follow_box.setChecked(True)  # it is about the folders that are ticked
    importing.choose_folder()
    chooser = person.window.findChild(QFileDialog)
    assert chooser is not None
    chooser.filesSelected.emit([str(folder)])
    chooser.close()
    person.until(lambda: person.window.sessions_model.total == 1 and not dialog.is_importing)
    assert services.followed == ()
    assert dialog.follow_button.isVisible()
    dialog.follow_button.click()
    person.until(lambda: services.followed == (str(folder),))
    importing.import_paths([str(folder)])
    person.until(lambda: not dialog.is_importing)
    assert dialog.follow_button.isHidden()


def test_nothing_is_left_running(reader: Person) -> None:
    assert "follow" in [thread.name for thread in threading.enumerate()]
    reader.application.close()
    assert "follow" not in [thread.name for thread in threading.enumerate()]
