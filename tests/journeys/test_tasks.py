"""The steps of the table of tasks, played in the window, so that the page `docs/tasks.md` cannot promise too much."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap import build
from stemmata.bootstrap.window import Application
from stemmata.domain.chat.connections import Connection
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person
from tests.tasks.page import page
from tests.tasks.player import Player
from tests.tasks.steps import steps_of
from tests.tasks.table import GROUPS, TASKS, Task

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def application(qtbot: QtBot, tmp_path: Path, anthropic_server: AnthropicServer) -> Iterator[Application]:
    """A window with a model, in which the tasks of a group are done one after the other."""
    application = build(["--profile", str(tmp_path / "profile")])
    window = application.window
    window.resize(1440, 900)
    with qtbot.waitSignal(application.gui.sessions.listed):
        window.show()
    connection = Connection(name="Fake", base_url=anthropic_server.url, model="claude-opus-4-5")
    application.services.connecting.save(connection).result(PATIENCE)
    qtbot.waitUntil(lambda: application.gui.is_warm)
    application.gui.controllers.preferences.change("chat.own_tools", value=True)
    qtbot.waitUntil(lambda: application.services.chat.own_tools)
    yield application
    application.close()
    qtbot.wait(1)


def play(task: Task, player: Player, way: str) -> None:
    """Do a task in one of the two ways, from its start to its end."""
    player.calm_down()
    task.start(player)
    gui = player.gui
    player.notes |= {"own": player.session, "wraps": player.window.actions_table["wrap-code"].isChecked()}
    player.notes |= {"scheme": gui.theme.scheme, "scale": gui.theme.scale}
    for step in task.mouse if way == "mouse" else task.keys:
        step.play(player)
    player.wait_for(lambda: task.done(player))
    player.end()


@pytest.mark.parametrize("way", ["mouse", "keys"])
@pytest.mark.parametrize("group", [name for name, _tasks in GROUPS])
def test_the_steps_do_what_the_table_says(
    group: str, way: str, application: Application, qtbot: QtBot, tmp_path: Path, anthropic_server: AnthropicServer
) -> None:
    person = Person(application, qtbot)
    failed: list[str] = []
    for number, task in enumerate(dict(GROUPS)[group]):
        player = Player(person, tmp_path, anthropic_server, f"{number}{way}")
        try:
            play(task, player, way)
        except Exception as error:  # noqa: BLE001 - the other tasks are played as well
            failed.append(f"{task.text}: {type(error).__name__}: {error} {_places(error)}")
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("task", TASKS, ids=[task.text for task in TASKS])
def test_no_task_takes_more_steps_than_in_another_tool(task: Task) -> None:
    keys = [len(peer) for peer in (task.claude, task.zed) if peer]
    assert steps_of(task.keys) <= min(keys, default=100)
    assert steps_of(task.mouse) <= (len(task.zed_mouse) or 100)


def test_the_page_is_made_from_the_table() -> None:
    """After a change of the table, `python -m tests.tasks` writes the page."""
    assert (DOCS / "tasks.md").read_text(encoding="utf-8") == page()


def test_there_are_sixty_tasks() -> None:
    assert len(TASKS) == 60
    assert len({task.text for task in TASKS}) == len(TASKS)


def _places(error: Exception) -> str:
    """Return the lines of the tasks in which an error happened."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "tests/tasks/" in frame.filename]
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.line}" for frame in reversed(own))
