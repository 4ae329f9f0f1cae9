"""Somebody does anything at all in the window, and nothing breaks.

Short here, from fixed seeds. `MONKEY_SEED` and `MONKEY_STEPS` play another one and longer, `MONKEY_FILE` plays the
steps of a file again: `python -m tests.monkey` does that again and again, and shortens what went wrong.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, TextIO

import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAccessible, QDesktopServices
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from stemmata.bootstrap.window import Application, build
from stemmata.domain.chat.connections import Connection
from stemmata.gui.window.action_table import TABLE
from tests.benchmarks.corpus import Shape, write_session
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person
from tests.monkey.choices import ACTIONS
from tests.monkey.monkey import Monkey
from tests.monkey.places import WAYS, WHILE
from tests.monkey.pressing import press
from tests.monkey.scene import Scene, escape
from tests.monkey.watch import Watch

DATA = Path(__file__).parents[1] / "data"
SEEDS = [int(os.environ["MONKEY_SEED"])] if "MONKEY_SEED" in os.environ else [1, 2]
COUNT = int(os.environ.get("MONKEY_STEPS", "60"))
CLOSED = "http://127.0.0.1:9"  # nobody listens there


@pytest.fixture
def files(session_file: Path, tmp_path: Path) -> list[str]:
    """A session with branches, a long one, and those of another tool."""
    long = write_session(tmp_path / "long.jsonl", Shape(900, 60, 120, 400_000, forks=12))
    small = write_session(tmp_path / "small.jsonl", Shape(40, 6, 10, 20_000, forks=2), seed=3)
    return [str(path) for path in (session_file, small, long, *sorted((DATA / "claude_code").glob("*.jsonl")))]


@pytest.fixture
def watch(qtlog: Any) -> Iterator[Watch]:
    """A watch that reports faults at once, also those that other guards would report later."""

    def told() -> list[str]:
        return [record.message for record in qtlog.records if record.matches_level("WARNING") and not record.ignored]

    watch = Watch(told, escape)
    with watch.watching():
        yield watch


@pytest.fixture
def scene(
    person: Person, files: list[str], chat_server: AnthropicServer, tmp_path: Path, qtbot: QtBot, watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Scene]:  # fmt: skip
    """An archive with some sessions and a model to chat with; no way out to the network."""
    import_module("anthropic")  # else the first message loads it, for seconds where the machine is busy
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, CLOSED)
        monkeypatch.setenv(name.upper(), CLOSED)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: True)
    QAccessible.setActive(True)  # what changes is told, as it is while a screen reader listens
    connection = Connection(name="Fake", base_url=chat_server.url, model="claude-opus-4-5")
    person.application.services.connecting.save(connection).result(PATIENCE)
    person.gui.controllers.preferences.change("chat.own_tools", value=True)  # they ask for consent
    person.gui.importing.import_paths(files)
    person.until(lambda: person.window.sessions_model.total >= len(files) - 1)
    person.until(lambda: person.gui.is_warm)

    def again(application: Application) -> Application:
        application.close()
        later = build(["--profile", str(tmp_path / "profile")])
        later.window.show()
        later.gui.theme.takes_turns = True
        later.gui.restore()
        qtbot.waitUntil(lambda: later.gui.is_warm)
        return later

    scene = Scene(person.application, chat_server, files, again, watch.guard)
    yield scene
    QAccessible.setActive(False)
    if scene.application is not person.application:
        scene.application.close()
        qtbot.wait(1)


@pytest.fixture
def told() -> Iterator[TextIO | None]:
    """The file to which each step is written before it is done."""
    if "MONKEY_TOLD" not in os.environ:
        yield None
        return
    with Path(os.environ["MONKEY_TOLD"]).open("w", encoding="utf-8") as file:
        yield file


@pytest.fixture
def monkey(scene: Scene, watch: Watch, tmp_path: Path, told: TextIO | None) -> Monkey:
    return Monkey(scene, watch, tmp_path / "profile" / "data" / "archive.db", told)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_that_is_done_breaks_anything(monkey: Monkey, seed: int) -> None:
    steps = os.environ.get("MONKEY_FILE")
    if steps is not None:
        monkey.replay([json.loads(line) for line in Path(steps).read_text(encoding="utf-8").splitlines()])
    else:
        monkey.play(Random(seed), COUNT)
    monkey.check_archive()


def test_every_action_is_among_its_steps() -> None:
    done = {*ACTIONS, *WHILE, *(id for ways, inside in WAYS.values() for id in (*ways, *inside))}
    left = {spec.id for spec in TABLE.specs} - done
    assert left == {"quit", "close-window"}, "the moves “restart” and “close window” do these"


def test_a_window_that_is_deleted_between_two_keys_is_not_used(qtbot: QtBot) -> None:
    scene = Scene.__new__(Scene)
    dialog = QDialog()
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    handle = dialog.windowHandle()
    scene.focus = lambda: handle if isValid(handle) else None  # type: ignore[method-assign]
    QTimer.singleShot(0, dialog.close)
    QTimer.singleShot(0, lambda: QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value))
    press(scene, {"key": Qt.Key.Key_Comma.value, "held": Qt.KeyboardModifier.ControlModifier.value})
    qtbot.waitUntil(lambda: not isValid(dialog))
