"""What a monkey might do next, chosen from what stands before it."""

from __future__ import annotations

from random import Random
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QSplitterHandle,
    QTextEdit,
)

from stemmata.gui.window.action_table import TABLE
from tests.fakes.script import Break, Call, Refuse, Reply, Say, Step, Think
from tests.monkey.scene import Scene

Facts = dict[str, Any]  # what a move needs to be done again; goes through JSON
Key, Button = Qt.Key, Qt.MouseButton
NONE = Qt.KeyboardModifier.NoModifier

# They open a window of the system over this machine's real files, or end the program.
KEPT_AWAY = {"quit", "import-files", "import-folder", "export", "attach", "close-window"}
ACTIONS = [spec.id for spec in TABLE.specs if spec.id not in KEPT_AWAY]
TEXTS = (
    "hello", "a", "Port 8080?", "ünï 漢字 🙂👩‍👩‍👧", "e\u0301 שלום", "<b>x</b> & `y`", "/", "/compact", "/branches x",
    " ", "x" * 400, "http://127.0.0.1:1/", "0", "-1", "999999999999", "# One\n\n- two\n", "*", "\"", "\\", "module",
    "cmd.exe /c", "${env:HOME} ${key}", "A=1", "[[servers]]", "name = 'x'",
)  # fmt: skip
NAMED = (
    Key.Key_Return, Key.Key_Enter, Key.Key_Escape, Key.Key_Tab, Key.Key_Backtab, Key.Key_Space, Key.Key_Backspace,
    Key.Key_Delete, Key.Key_Home, Key.Key_End, Key.Key_PageUp, Key.Key_PageDown, Key.Key_Up, Key.Key_Down,
    Key.Key_Left, Key.Key_Right, Key.Key_F1, Key.Key_F2, Key.Key_F3, Key.Key_F4, Key.Key_F6, Key.Key_Menu,
    Key.Key_Slash,
    Key.Key_BracketLeft, Key.Key_BracketRight, Key.Key_Period, Key.Key_Comma, Key.Key_Plus, Key.Key_Minus,
    Key.Key_Backslash, Key.Key_Alt, Key.Key_Control,
)  # fmt: skip
LETTERS = tuple(Key(code) for code in (*range(int(Key.Key_A), int(Key.Key_Z) + 1), *range(0x30, 0x3A)))
HELD = (
    NONE, NONE, NONE, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier,
)  # fmt: skip
SIZES = ((1440, 900), (1024, 700), (800, 600), (640, 480), (1900, 1000), (1100, 400), (300, 1000))
ENDS = {  # keys of what is kept away, by what is held
    (Key.Key_Q, HELD[3]), (Key.Key_W, HELD[3]), (Key.Key_O, HELD[3]), (Key.Key_O, HELD[6]), (Key.Key_E, HELD[3]),
    (Key.Key_U, HELD[6]),
}  # fmt: skip
REPLIES: dict[str, Step] = {
    "long": Reply(blocks=(Say("Some **words** of `code`.\n\n" * 200),), piece=40, delay=0.001),
    "slow": Reply(blocks=(Say("And so on, and so forth. " * 40),), piece=6, delay=0.004),
    "rich": Reply(
        blocks=(Say("# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```\n\n1. [x] y\n"),), piece=3
    ),
    "thinks": Reply(blocks=(Think("Hm. " * 50), Say("Well."))),
    "calls": Reply(blocks=(Say("I look."), Call("recall", {"query": "module"}))),
    "notes": Reply(blocks=(Call("memory", {"command": "view", "path": "/memories"}),)),
    "asks": Reply(
        blocks=(Say("I note it."), Call("memory", {"command": "create", "file": "tea.md", "text": "No sugar."}))
    ),
    "foreign": Reply(blocks=(Call("no_such_tool", {"a": 1}), Call("recall", raw="{not json"))),
    "cut": Reply(blocks=(Say("This breaks off somewhere. " * 9),), breaks=Break("rst", 5)),
    "stalls": Reply(blocks=(Say("This stalls. " * 9),), breaks=Break("stall", 4)),
    "garbage": Reply(breaks=Break("garbage", 1)),
    "empty": Reply(blocks=()),
    "busy": Refuse(529, "Overloaded", headers={"retry-after": "30"}),
    "key": Refuse(401, "invalid x-api-key"),
    "full": Refuse(400, "prompt is too long: 250000 tokens > 200000 maximum"),
}


def an_action(dice: Random, scene: Scene) -> Facts | None:
    window = dice.randrange(len(scene.main_windows))
    table = scene.main_windows[window].actions_table
    enabled = [id for id in ACTIONS if table[id].isEnabled()]
    return {"id": dice.choice(enabled), "window": window}


def a_key(dice: Random, _scene: Scene) -> Facts | None:
    key = dice.choice(NAMED if dice.random() < 0.7 else LETTERS)
    held = dice.choice(HELD)
    return None if (key, held) in ENDS else {"key": int(key), "held": held.value}


def a_text(dice: Random, scene: Scene) -> Facts | None:
    fields = [name for name, widget in scene.widgets() if isinstance(widget, QLineEdit | QTextEdit | QPlainTextEdit)]
    where = dice.choice(fields) if fields and dice.random() < 0.5 else ""
    return {"text": dice.choice(TEXTS), "widget": where, "enter": dice.random() < 0.4}


def a_place(dice: Random, scene: Scene) -> Facts | None:
    """Choose a widget; small ones are chosen as often as large ones."""
    names = [name for name, widget in scene.widgets() if not isinstance(widget, QSplitterHandle)]
    if not names:
        return None
    return {"widget": dice.choice(names), "x": round(dice.random(), 3), "y": round(dice.random(), 3)}


def a_click(dice: Random, scene: Scene) -> Facts | None:
    place = a_place(dice, scene)
    return place and place | {"held": dice.choice(HELD[:5]).value if dice.random() < 0.2 else 0}


def a_drag(dice: Random, scene: Scene) -> Facts | None:
    place = a_place(dice, scene)
    return place and place | {"dx": dice.randint(-400, 400), "dy": dice.randint(-400, 400)}


def a_wheel(dice: Random, scene: Scene) -> Facts | None:
    place = a_place(dice, scene)
    return place and place | {
        "by": dice.choice((-2400, -360, -120, 120, 360, 2400)),
        "held": dice.choice(HELD[2:4]).value,
    }


def a_bar(dice: Random, scene: Scene) -> Facts | None:
    bars = [name for name, widget in scene.widgets() if isinstance(widget, QScrollBar)]
    return {"widget": dice.choice(bars), "to": round(dice.random(), 3)} if bars else None


def a_window(dice: Random, scene: Scene) -> Facts | None:
    return {"window": dice.randrange(len(scene.main_windows))}


def a_size(dice: Random, scene: Scene) -> Facts | None:
    return {"window": dice.randrange(len(scene.main_windows)), "size": list(dice.choice(SIZES))}


def a_split(dice: Random, scene: Scene) -> Facts | None:
    handles = [name for name, widget in scene.widgets() if isinstance(widget, QSplitterHandle)]
    return {"widget": dice.choice(handles), "to": dice.randint(-50, 1500)} if handles else None


def a_session(dice: Random, scene: Scene) -> Facts | None:
    known = sorted(scene.application.gui.sessions.sessions)
    return {"at": dice.randrange(len(known)), "window": dice.randrange(len(scene.main_windows))} if known else None


def a_menu_item(dice: Random, scene: Scene) -> Facts | None:
    names = [action.text() for action in scene.menu_actions()]
    return {"text": dice.choice(names)} if names else None


def a_reply(dice: Random, _scene: Scene) -> Facts | None:
    return {"reply": dice.choice(list(REPLIES))}


def a_wait(dice: Random, _scene: Scene) -> Facts | None:
    return {"rounds": dice.choice((1, 3, 10, 40))}


def a_file(dice: Random, scene: Scene) -> Facts | None:
    return {"at": dice.randrange(len(scene.files))}


def a_focus(dice: Random, scene: Scene) -> Facts | None:
    names = [name for name, widget in scene.widgets() if widget.focusPolicy() & Qt.FocusPolicy.TabFocus]
    return {"widget": dice.choice(names)} if names else None


def some_words(dice: Random, _scene: Scene) -> Facts | None:
    return {"text": dice.choice(TEXTS)}


def nothing(_dice: Random, _scene: Scene) -> Facts | None:
    return {}


def a_top(dice: Random, scene: Scene) -> Facts | None:
    return {"at": dice.randrange(max(len(scene.tops()), 1))}
