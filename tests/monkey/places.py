"""Moves that go to one place of the window and work there: buttons, keys, texts and drags inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QImage, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from shiboken6 import isValid

from stemmata.gui.window.workspace import Workspace
from tests.monkey.choices import NONE, REPLIES, TEXTS, Facts
from tests.monkey.pressing import press, type_text
from tests.monkey.scene import Scene, label_of, place_in

Key = Qt.Key
ALT, CONTROL, SHIFT = (
    Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier,
)  # fmt: skip
KEYS = (
    *((key, NONE) for key in (
        Key.Key_Return, Key.Key_Space, Key.Key_Tab, Key.Key_Backtab, Key.Key_Up, Key.Key_Down, Key.Key_Left,
        Key.Key_Right, Key.Key_Home, Key.Key_End, Key.Key_PageDown, Key.Key_PageUp, Key.Key_Delete, Key.Key_J,
        Key.Key_C, Key.Key_F3, Key.Key_Escape,
    )),
    (Key.Key_Return, SHIFT), (Key.Key_F3, SHIFT), (Key.Key_A, ALT), (Key.Key_W, ALT), (Key.Key_R, ALT),
    (Key.Key_Z, CONTROL), (Key.Key_Right, SHIFT),
)  # fmt: skip
# By place: the actions that lead there, and those that are done there.
DIALOGS = (
    "settings", "search-meaning", "models", "tool-servers", "shortcuts", "keys", "connect", "import", "hand-off",
    "show-raw", "about", "export-all", "export-path", "export", "attach", "import-files", "import-folder",
)  # fmt: skip
WAYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "find": (("find-in-session",), ("find-next", "find-previous")),
    "workbench": (
        ("compact", "summarise-from", "summarise-up-to", "compact-from", "up-to-entry", "from-entry"),
        ("compare-cuts", "other-cut", "other-cut", "edit-summary", "accept-compaction", "leave-preview"),
    ),
    "compare": (("compare",), ("undo",)),
    "files": (("show-files",), ("undo",)),
    "results": (("search-sessions",), ("next-hit", "previous-hit", "close-search")),
    "beside": (("split-view", "open-beside", "open-session-beside"), ("other-side", "fork", "label", "pin")),
    "dialog": (DIALOGS, ()),
    "trash": (("trash", "show-trash"), ("show-trash", "delete", "trash", "undo")),
    "context": (("go-context",), ("context-here", "context-now", "count-context")),
    "branches": (("go-branches",), ("compare", "show-deleted", "trash-branch", "undo")),
}
PATIENCE = 0.3  # seconds until a place is there: the windows may be busy with something else


def _workspace(scene: Scene, facts: Facts) -> Workspace:
    windows = scene.main_windows
    window = windows[min(int(facts["window"]), len(windows) - 1)]
    return next(workspace for workspace in scene.application.gui.workspaces if workspace.window is window)


def a_stay(dice: Random, scene: Scene) -> Facts | None:
    place = dice.choice(list(WAYS))
    ways, inside = WAYS[place]
    steps = [_step(dice, inside) for _ in range(dice.randint(2, 7))]
    return {
        "place": place, "way": dice.choice(ways), "steps": steps, "window": dice.randrange(len(scene.main_windows)),
    }  # fmt: skip


def _step(dice: Random, inside: tuple[str, ...]) -> list[Any]:
    """Choose a step inside a place: its kind, and what it needs."""
    kind = dice.choice(("key", "key", "button", "button", "type", "drag", "wait", *(("do", "do") if inside else ())))
    match kind:
        case "key":
            key, held = dice.choice(KEYS)
            return [kind, int(key), held.value]
        case "type":
            return [kind, dice.choice(TEXTS)]
        case "do":
            return [kind, dice.choice(inside)]
        case "drag":
            where = [round(dice.random(), 3) for _ in range(3)]
            return [kind, *where, dice.randint(-300, 300), dice.randint(-200, 200)]
        case _:
            return [kind, round(dice.random(), 3)]


def stay(scene: Scene, facts: Facts) -> None:
    """Go to a place and do something there, as long as it is there."""
    workspace = _workspace(scene, facts)
    if not workspace.is_wired:
        return
    tops = set(scene.tops())
    action = workspace.window.actions_table[facts["way"]]
    if not action.isEnabled():
        return
    action.trigger()
    find: Callable[[], QWidget | None] = lambda: _place(scene, workspace, facts["place"], tops)  # noqa: E731
    scene.until(lambda: find() is not None, PATIENCE)
    for step in facts["steps"]:
        place = find()
        if place is None or not isValid(workspace):
            return
        _take(scene, workspace, place, step)
        scene.process(2)
        scene.close_file_dialogs()


def _place(scene: Scene, workspace: Workspace, name: str, tops: set[QWidget]) -> QWidget | None:
    """Return the visible widget of a place; `tops` are the windows that were there before."""
    if not isValid(workspace) or not isValid(workspace.window) or not workspace.window.isVisible():
        return None
    if name == "dialog":
        return next((top for top in scene.tops() if top not in tops), None)
    window, controllers = workspace.window, workspace.controllers
    compare, files = controllers.compare, controllers.files
    places: dict[str, Callable[[], QWidget | None]] = {
        "find": lambda: controllers.finding.bar, "trash": lambda: window.sessions, "beside": lambda: window.beside,
        "workbench": lambda: window.columns if window.columns.in_workbench else None,
        # their pages have no parent before they are opened
        "compare": lambda: compare.view if compare.is_open else None,
        "files": lambda: files.view if files.is_open else None, "results": lambda: window.results,
        "context": lambda: window.context, "branches": lambda: window.branches,
    }  # fmt: skip
    found = places[name]()
    return found if found is not None and found.isVisible() else None


def _take(scene: Scene, workspace: Workspace, place: QWidget, step: list[Any]) -> None:
    match step:
        case ["key", key, held]:
            press(scene, {"key": key, "held": held})
        case ["type", text]:
            type_text(scene, text[:20])
        case ["do", id]:
            if workspace.window.actions_table[id].isEnabled():
                workspace.window.actions_table[id].trigger()
        case ["button", at]:
            buttons = [widget for widget in _inside(place) if isinstance(widget, QAbstractButton)]
            if buttons and (button := buttons[int(at * (len(buttons) - 1))]).isEnabled():
                QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        case ["drag", at, x, y, dx, dy]:
            if inside := [*_inside(place)]:
                _drag(scene, inside[int(at * (len(inside) - 1))], x, y, QPoint(dx, dy))
        case _:
            scene.process(6, wait=10)


def _inside(place: QWidget) -> Iterator[QWidget]:
    """Return the visible widgets of a place in a fixed order; not by `findChildren`, see `Scene.widgets`."""
    found = [widget for widget in QApplication.allWidgets() if place.isAncestorOf(widget) and widget.isVisible()]
    where = {widget: widget.mapTo(place, QPoint()) for widget in found}
    yield from sorted(found, key=lambda widget: (where[widget].y(), where[widget].x(), label_of(widget)))


def _drag(scene: Scene, widget: QWidget, x: float, y: float, by: QPoint) -> None:
    """Press on a widget, move in three steps, and release: a cut line, a chart, the minimap, a text, a scroll bar."""
    window = scene.handle_of(widget.window())
    if window is None or widget.visibleRegion().isEmpty():
        return
    start = place_in(widget, x, y)
    QTest.mousePress(window, Qt.MouseButton.LeftButton, NONE, start)
    for part in (3, 2, 1):
        if isValid(window):
            QTest.mouseMove(window, _within(window, start + by / part))
    if isValid(window):
        QTest.mouseRelease(window, Qt.MouseButton.LeftButton, NONE, _within(window, start + by))


def _within(window: QWindow, at: QPoint) -> QPoint:
    return QPoint(min(max(at.x(), 0), window.width() - 1), min(max(at.y(), 0), window.height() - 1))


# -- dragged from another program ------------------------------------------------------------------------------------

DRAGGED = ("files", "files", "missing", "text", "picture", "link", "nothing")


def a_drag_from_outside(dice: Random, scene: Scene) -> Facts | None:
    return {
        "what": dice.choice(DRAGGED), "at": dice.randrange(64), "on": dice.choice(("window", "editor")),
        "leaves": dice.random() < 0.3, "window": dice.randrange(len(scene.main_windows)),
    }  # fmt: skip


def drag_from_outside(scene: Scene, facts: Facts) -> None:
    """Drag something of another program into the window or the composer, and drop it or leave."""
    window = _workspace(scene, facts).window
    target: QWidget = window if facts["on"] == "window" else window.transcript.composer.editor.viewport()
    if not target.isVisible():
        return
    data, action = _dragged(scene, facts), Qt.DropAction.CopyAction
    button, at = Qt.MouseButton.LeftButton, QPoint(20, 10)
    for event in (
        QDragEnterEvent(at, action, data, button, NONE), QDragMoveEvent(at, action, data, button, NONE),
        QDragLeaveEvent() if facts["leaves"] else QDropEvent(QPointF(at), action, data, button, NONE),
    ):  # fmt: skip
        QApplication.sendEvent(target, event)
        scene.process(1)


def _dragged(scene: Scene, facts: Facts) -> QMimeData:
    data = QMimeData()
    match facts["what"]:
        case "files":
            data.setUrls([QUrl.fromLocalFile(scene.files[facts["at"] % len(scene.files)])])
        case "missing":
            data.setUrls([QUrl.fromLocalFile("/nowhere/at all.jsonl")])
        case "text":
            data.setText(TEXTS[facts["at"] % len(TEXTS)])
        case "picture":
            image = QImage(20, 20, QImage.Format.Format_RGB32)
            image.fill(QColor("red"))
            data.setImageData(image)
        case "link":
            data.setUrls([QUrl("https://example.com/x.jsonl")])
        case _:
            pass
    return data


# -- what is done while a model answers -----------------------------------------------------------------------------

WHILE = (
    "stop", "send-now", "retry", "go-on", "regenerate", "take-offer", "answer-tool", "allow-tool", "refuse-tool",
    "resume-whole", "resume-summary", "fork", "undo",
)  # fmt: skip
SAID = tuple(text for text in TEXTS if text.strip() and not text.startswith("/"))


def a_talk(dice: Random, scene: Scene) -> Facts | None:
    steps = [[dice.choice(WHILE), dice.choice((1, 3, 10, 20))] for _ in range(dice.randint(1, 4))]
    replies = [dice.choice(list(REPLIES)) for _ in range(dice.randint(0, 2))]
    window = dice.randrange(len(scene.main_windows))
    return {"replies": replies, "text": dice.choice(SAID), "steps": steps, "window": window}


def talk(scene: Scene, facts: Facts) -> None:
    """Say something, and do what can be done while the model answers, asks or has broken off."""
    window = _workspace(scene, facts).window
    editor = window.transcript.composer.editor
    if not editor.isVisible() or not editor.isEnabled():
        return
    scene.server.script(*(REPLIES[name] for name in facts["replies"]))
    editor.setFocus()
    editor.put(facts["text"])
    QTest.keyClick(editor, Key.Key_Return)
    for id, rounds in facts["steps"]:
        scene.process(rounds, wait=15)
        if not isValid(window):
            return
        if window.actions_table[id].isEnabled():
            window.actions_table[id].trigger()
