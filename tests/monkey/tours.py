"""Moves that go to a part of the window and work in it for some steps: chance alone rarely stays anywhere."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from stemmata.domain.errors import KnownError
from stemmata.gui.files.view import FileMode
from stemmata.gui.window.main_window import MainWindow
from tests.fakes.waiting import PATIENCE
from tests.monkey.choices import NONE, Facts
from tests.monkey.pressing import press, type_text
from tests.monkey.scene import Scene

Key = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier
READING = (
    *(((key, NONE)) for key in (
        Key.Key_J, Key.Key_J, Key.Key_K, Key.Key_Space, Key.Key_Left, Key.Key_Right, Key.Key_Home, Key.Key_End,
        Key.Key_PageUp, Key.Key_PageDown, Key.Key_BracketLeft, Key.Key_BracketRight, Key.Key_O, Key.Key_B, Key.Key_C,
        Key.Key_P, Key.Key_Up, Key.Key_Down, Key.Key_Return, Key.Key_F3, Key.Key_F4,
    )),
    (Key.Key_O, SHIFT), (Key.Key_C, SHIFT), (Key.Key_Right, SHIFT), (Key.Key_F3, SHIFT), (Key.Key_F4, SHIFT),
)  # fmt: skip
ON_FILES = (
    Key.Key_Left, Key.Key_Right, Key.Key_Home, Key.Key_End, Key.Key_Up, Key.Key_Down, Key.Key_Return, Key.Key_Escape,
    Key.Key_PageDown,
)  # fmt: skip
RARE = (
    "suggest-titles", "suggest-all-titles", "prune", "prune-duplicates", "exclude-entry", "include-entry",
    "cut-entry", "compact", "accept-compaction", "edit-summary", "compare", "open-beside", "split-view",
    "session-before", "session-after", "tag", "label", "group-tag", "group-date", "show-deleted", "compact-from",
)  # fmt: skip
CHIPS = ("role", "abandoned", "order", "save", "saved", "way", "next", "hit")
FORMATS = ("html", "markdown", "json", "pi")
TAGS = ("ui, later", "a,,b ,", "ünï", "<b>", "x" * 300)


def _can(window: MainWindow, id: str) -> bool:
    """Do an action if it is enabled; returns whether it was."""
    action = window.actions_table[id]
    if action.isEnabled():
        action.trigger()
        return True
    return False


def a_reading(dice: Random, scene: Scene) -> Facts | None:
    keys = [[int(key), held.value] for key, held in (dice.choice(READING) for _ in range(dice.randint(2, 6)))]
    return {"keys": keys, "window": dice.randrange(len(scene.main_windows))}


def read(scene: Scene, facts: Facts) -> None:
    """Press keys of the transcript, with its cursor."""
    if _can(scene.window(facts), "go-transcript"):
        for key, held in facts["keys"]:
            press(scene, {"key": key, "held": held})


def a_look_at_files(dice: Random, scene: Scene) -> Facts | None:
    keys = [int(dice.choice(ON_FILES)) for _ in range(dice.randint(1, 4))]
    found = {"file": round(dice.random(), 3), "mode": dice.randrange(2), "keys": keys}
    return found | {
        "focus": dice.choice(("timeline", "list", "history")),
        "window": dice.randrange(len(scene.main_windows)),
    }


def look_at_files(scene: Scene, facts: Facts) -> None:
    """Open the page of files, choose a file and how it is shown, and press keys there."""
    window = scene.window(facts)
    if not _can(window, "show-files"):
        return
    files = next(it.controllers.files for it in scene.application.gui.workspaces if it.window is window)
    scene.until(lambda: not files.is_open or bool(files.view.files.rowCount()), 0.3)
    if not files.is_open:
        return
    paths = [use.path for use in files.view.files.uses]
    if paths:
        files.show_file(paths[int(facts["file"] * (len(paths) - 1))])
        scene.process(3)
        files.set_mode(list(FileMode)[facts["mode"]])
    part = {"timeline": files.view.timeline, "list": files.view.list, "history": files.view.history}[facts["focus"]]
    part.setFocus()
    for key in facts["keys"]:
        press(scene, {"key": key, "held": NONE.value})


def a_rare_action(dice: Random, scene: Scene) -> Facts | None:
    window = dice.randrange(len(scene.main_windows))
    enabled = [id for id in RARE if scene.main_windows[window].actions_table[id].isEnabled()]
    return {"id": dice.choice(enabled), "text": dice.choice(TAGS), "window": window} if enabled else None


def act_rarely(scene: Scene, facts: Facts) -> None:
    """Do an action that chance alone rarely does, and type what it asks for."""
    window = scene.window(facts)
    if _can(window, facts["id"]) and facts["id"] in ("tag", "label"):
        type_text(scene, facts["text"][:40])
        press(scene, {"key": int(Key.Key_Return), "held": NONE.value})


def a_refined_search(dice: Random, scene: Scene) -> Facts | None:
    steps = [[dice.choice(CHIPS), round(dice.random(), 3)] for _ in range(dice.randint(1, 4))]
    text = dice.choice(("module", "hello", "the", "prompt number", "cost>0 a"))
    return {"text": text, "steps": steps, "window": dice.randrange(len(scene.main_windows))}


def refine(scene: Scene, facts: Facts) -> None:
    """Search all sessions, then use the chips, the order, saved searches and the hits."""
    window = scene.window(facts)
    if not _can(window, "search-sessions") or not window.results.field.isVisible():
        return
    results = window.results
    results.set_query(facts["text"])
    scene.until(lambda: results.selected is not None, 0.3)
    for what, at in facts["steps"]:
        chips = results.chips
        if what == "next":
            _can(window, "next-hit")
        elif what == "saved":
            results.set_query("")
            scene.process(2)
            _take_row(results, at)
        elif what == "hit":
            _take_row(results, at)
        else:
            roles = list(chips.roles.values())
            buttons: dict[str, Any] = {
                "role": roles[int(at * (len(roles) - 1))], "abandoned": chips.off_path, "order": results.order,
                "save": results.save, "way": chips.meaning if at < 0.5 else chips.words,
            }  # fmt: skip
            button: QPushButton = buttons[what]
            if button.isVisible() and button.isEnabled():
                button.click()
        scene.process(2)


def _take_row(results: Any, at: float) -> None:
    rows = results.model.rowCount()
    if rows:
        index = results.model.index(int(at * (rows - 1)))
        results.list.setCurrentIndex(index)
        QTest.keyClick(results.list, Key.Key_Return)


def an_export(dice: Random, scene: Scene) -> Facts | None:
    known = len(scene.application.gui.sessions.sessions)
    return {"at": dice.randrange(known), "format": dice.choice(FORMATS)} if known else None


def export(scene: Scene, facts: Facts) -> None:
    """Export a session as its dialog does when a file was named."""
    known = sorted(scene.application.gui.sessions.sessions)
    if not known:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        try:
            scene.application.services.exporting.to_file(
                known[facts["at"] % len(known)], facts["format"], path
            ).result(PATIENCE)
        except KnownError:
            return  # a session without entries
        assert path.stat().st_size > 0
