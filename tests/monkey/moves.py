"""What a monkey does: chosen by chance, and done again from what was written down of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from random import Random

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QAccessible, QMouseEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QScrollBar,
    QSplitter,
    QSplitterHandle,
)
from shiboken6 import isValid

from stemmata.gui.core.actions import Actions
from tests.accessible.tree import interfaces, line_of
from tests.monkey.choices import (
    NONE,
    REPLIES,
    Facts,
    a_bar,
    a_click,
    a_drag,
    a_file,
    a_focus,
    a_key,
    a_menu_item,
    a_place,
    a_reply,
    a_session,
    a_size,
    a_split,
    a_text,
    a_top,
    a_wait,
    a_wheel,
    a_window,
    an_action,
    nothing,
    some_words,
)
from tests.monkey.places import a_drag_from_outside, a_stay, a_talk, drag_from_outside, stay, talk
from tests.monkey.pressing import press, type_text
from tests.monkey.quick import a_fold, a_hurry, a_search, fold, hurry, search
from tests.monkey.scene import Scene, escape, place_in
from tests.monkey.tours import (
    a_look_at_files,
    a_rare_action,
    a_reading,
    a_refined_search,
    act_rarely,
    an_export,
    export,
    look_at_files,
    read,
    refine,
)
from tests.monkey.unwinding import a_deed, a_history, a_step_to_undo, act_on_archive, undo_one_step, unwind

Key, Button = Qt.Key, Qt.MouseButton

MOST_HEARD = 400


def _target(scene: Scene, facts: Facts) -> tuple[QWindow, QPoint] | None:
    widget = scene.find(facts["widget"])
    handle = None if widget is None else scene.handle_of(widget.window())
    return None if widget is None or handle is None else (handle, place_in(widget, facts["x"], facts["y"]))


def act(scene: Scene, facts: Facts) -> None:
    table: Actions = scene.window(facts).actions_table
    table[facts["id"]].trigger()


def write(scene: Scene, facts: Facts) -> None:
    field = scene.find(facts["widget"]) if facts["widget"] else None
    if field is not None:
        field.setFocus()
    type_text(scene, facts["text"])
    if facts["enter"]:
        press(scene, {"key": int(Key.Key_Return), "held": 0})


def _press_and_release(hit: tuple[QWindow, QPoint], button: Qt.MouseButton, held: Qt.KeyboardModifier = NONE) -> None:
    QTest.mousePress(hit[0], button, held, hit[1])
    if isValid(hit[0]):
        QTest.mouseRelease(hit[0], button, held, hit[1])


def click(scene: Scene, facts: Facts) -> None:
    if (hit := _target(scene, facts)) is not None:
        QTest.mouseMove(*hit)
        if isValid(hit[0]):
            _press_and_release(hit, Button.LeftButton, Qt.KeyboardModifier(facts["held"]))


def click_twice(scene: Scene, facts: Facts) -> None:
    """Click twice, as long as the window is there: the first click may close it, as it does with a menu.

    A dialog may have become smaller, as when an import begins; the second click is then beside it.

    `QTest.mouseDClick` goes on with a window that is gone, and ends the program.
    """
    if (hit := _target(scene, facts)) is None:
        return
    window, place = hit
    _press_and_release(hit, Button.LeftButton)
    is_there = isValid(window) and window.isVisible() and QRect(QPoint(), window.size()).contains(place)
    if is_there and window.type() != Qt.WindowType.Popup:
        kind, at, on_screen = QEvent.Type.MouseButtonDblClick, QPointF(place), QPointF(window.mapToGlobal(place))
        double = QMouseEvent(kind, at, on_screen, Button.LeftButton, Button.LeftButton, NONE)
        QApplication.sendEvent(window, double)
        if isValid(window) and QRect(QPoint(), window.size()).contains(place):
            QTest.mouseRelease(window, Button.LeftButton, NONE, place)


def ask_menu(scene: Scene, facts: Facts) -> None:
    if (hit := _target(scene, facts)) is not None:
        _press_and_release(hit, Button.RightButton)


def hover(scene: Scene, facts: Facts) -> None:
    if (hit := _target(scene, facts)) is not None:
        QTest.mouseMove(*hit)


def drag(scene: Scene, facts: Facts) -> None:
    if (hit := _target(scene, facts)) is None:
        return
    window, start = hit
    room = QRect(0, 0, max(window.width(), 1), max(window.height(), 1))
    QTest.mousePress(window, Button.LeftButton, NONE, start)
    for part in (4, 2, 1):
        there = start + QPoint(facts["dx"] // part, facts["dy"] // part)
        inside = QPoint(
            min(max(there.x(), room.left()), room.right()), min(max(there.y(), room.top()), room.bottom())
        )
        if isValid(window):
            QTest.mouseMove(window, inside)
    if isValid(window):
        QTest.mouseRelease(window, Button.LeftButton, NONE, inside)


def turn_wheel(scene: Scene, facts: Facts) -> None:
    if (hit := _target(scene, facts)) is not None:
        turn = QPoint(0, facts["by"])
        QTest.wheelEvent(hit[0], QPointF(hit[1]), turn, QPoint(), Qt.KeyboardModifier(facts["held"]))


def scroll(scene: Scene, facts: Facts) -> None:
    bar = scene.find(facts["widget"])
    if isinstance(bar, QScrollBar):
        bar.setValue(bar.minimum() + int(facts["to"] * (bar.maximum() - bar.minimum())))


def resize(scene: Scene, facts: Facts) -> None:
    scene.window(facts).resize(*facts["size"])


def move_splitter(scene: Scene, facts: Facts) -> None:
    handle = scene.find(facts["widget"])
    # not by `handle.splitter()`: with the handle PySide gives up all widgets inside the splitter that Qt has made
    splitter = handle.parentWidget() if isinstance(handle, QSplitterHandle) else None
    if isinstance(splitter, QSplitter):
        splitter.setSizes([facts["to"] if at == 0 else size for at, size in enumerate(splitter.sizes())])


def open_session(scene: Scene, facts: Facts) -> None:
    known = sorted(scene.application.gui.sessions.sessions)
    window = scene.window(facts)
    for workspace in scene.application.gui.workspaces:
        if workspace.window is window and known:
            workspace.open_session(known[facts["at"] % len(known)])


def take_menu_item(scene: Scene, facts: Facts) -> None:
    for action in scene.menu_actions():
        if action.text() == facts["text"]:
            escape()
            action.trigger()
            return


def script(scene: Scene, facts: Facts) -> None:
    scene.server.script(REPLIES[facts["reply"]])


def wait(scene: Scene, facts: Facts) -> None:
    scene.process(facts["rounds"], wait=15)


def drop(scene: Scene, facts: Facts) -> None:
    scene.application.gui.importing.import_paths([scene.files[facts["at"] % len(scene.files)]])


def focus(scene: Scene, facts: Facts) -> None:
    widget = scene.find(facts["widget"])
    if widget is not None:
        widget.setFocus()


def say(scene: Scene, facts: Facts) -> None:
    """Send a message from the composer of the first window, wherever the focus is."""
    editor = scene.main_windows[0].transcript.composer.editor
    if editor.isVisible() and editor.isEnabled():
        editor.setFocus()
        editor.put(facts["text"])
        QTest.keyClick(editor, Key.Key_Return)


def grow(scene: Scene, facts: Facts) -> None:
    """Append to the session's file as its tool does, and import it again."""
    path = Path(scene.files[0])
    number = len(path.read_text(encoding="utf-8").splitlines())
    message = {"role": "user", "content": facts["text"]}
    line = {"type": "message", "id": f"mor{number:05d}", "parentId": "ans00007", "message": message}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"timestamp": "2025-01-02T04:00:00.000Z"}) + "\n")
    scene.application.gui.importing.import_paths([str(path)])


def undo(scene: Scene, facts: Facts) -> None:
    scene.window(facts).actions_table["undo"].trigger()


def redo(scene: Scene, facts: Facts) -> None:
    scene.window(facts).actions_table["redo"].trigger()


def go_back(scene: Scene, _facts: Facts) -> None:
    press(scene, {"key": int(Key.Key_Escape), "held": 0})


def close_window(scene: Scene, _facts: Facts) -> None:
    """The last one stays."""
    if len(scene.main_windows) > 1:
        scene.main_windows[-1].close()


def restart(scene: Scene, _facts: Facts) -> None:
    scene.restart()


def listen(scene: Scene, facts: Facts) -> None:
    """Read the whole window as a screen reader does."""
    tops = scene.tops()
    top = QAccessible.queryAccessibleInterface(tops[facts["at"] % len(tops)]) if tops else None
    for item, _depth in islice(interfaces(top), MOST_HEARD) if top is not None else ():
        line_of(item)
        item.rect()


Choose = Callable[[Random, Scene], Facts | None]
Do = Callable[[Scene, Facts], None]

MOVES: Mapping[str, tuple[float, Choose, Do]] = {
    "act": (14, an_action, act),
    "press": (16, a_key, press),
    "write": (6, a_text, write),
    "click": (16, a_click, click),
    "click twice": (4, a_place, click_twice),
    "ask menu": (3, a_place, ask_menu),
    "menu item": (4, a_menu_item, take_menu_item),
    "hover": (3, a_place, hover),
    "drag": (3, a_drag, drag),
    "wheel": (3, a_wheel, turn_wheel),
    "scroll": (3, a_bar, scroll),
    "resize": (1.5, a_size, resize),
    "splitter": (1, a_split, move_splitter),
    "open": (4, a_session, open_session),
    "reply": (3, a_reply, script),
    "wait": (6, a_wait, wait),
    "focus": (3, a_focus, focus),
    "say": (3, some_words, say),
    "grow": (0.6, some_words, grow),
    "listen": (1.5, a_top, listen),
    "escape": (5, nothing, go_back),
    "undo": (4, a_window, undo),
    "redo": (2, a_window, redo),
    "hurry": (2, a_hurry, hurry),
    "search": (1.5, a_search, search),
    "fold": (2, a_fold, fold),
    "read": (3, a_reading, read),
    "refine": (1.5, a_refined_search, refine),
    "files": (1.5, a_look_at_files, look_at_files),
    "rare": (4, a_rare_action, act_rarely),
    "export": (0.6, an_export, export),
    "stay": (7, a_stay, stay),
    "talk": (2, a_talk, talk),
    "drag from outside": (1.5, a_drag_from_outside, drag_from_outside),
    "one step": (3, a_step_to_undo, undo_one_step),
    "deed": (5, a_deed, act_on_archive),
    "unwind": (0.8, a_history, unwind),
    "drop": (1, a_file, drop),
    "close window": (1, nothing, close_window),
    "restart": (0.25, nothing, restart),
}  # how often, how it is chosen, how it is done
