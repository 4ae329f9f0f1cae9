"""A monkey at the window: steps from a seed, or from a list, with a look after every few whether all is well."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TextIO

from stemmata.gui.window.workspace import Workspace
from tests.monkey.choices import Facts
from tests.monkey.moves import MOVES
from tests.monkey.scene import Scene
from tests.monkey.watch import Watch

EVERY = 8  # steps between two looks
PATIENCE = 10.0  # seconds until what is shown is in step

# They wait, or act on the archive itself.
UNMEASURED = ("wait", "write", "restart", "deed", "unwind", "export", "one step")

Step = tuple[str, Facts]


class FaultError(AssertionError):
    """A fault, with the steps before it."""


class Monkey:
    """`told` is a file that each step is written to before it is done: of a crash it is all that is left."""

    def __init__(self, scene: Scene, watch: Watch, archive: Path, told: TextIO | None = None) -> None:
        self._scene, self._watch, self._archive, self._told = scene, watch, archive, told
        self.steps: list[Step] = []
        self._kept: dict[int, tuple[object, ...]] = {}
        self._deleted: set[int] = set()

    def play(self, dice: Random, count: int) -> None:
        """Do this number of random steps."""
        names, weights = list(MOVES), [weight for weight, _choose, _do in MOVES.values()]
        for _ in range(count):
            name = dice.choices(names, weights)[0]
            facts = MOVES[name][1](dice, self._scene)
            if facts is not None:
                self._take((name, facts))
        self._look()

    def replay(self, steps: Sequence[Step]) -> None:
        for step in steps:
            self._take(step)
        self._look()

    def _take(self, step: Step) -> None:
        name, facts = step
        self.steps.append(step)
        if self._told is not None:
            self._told.write(json.dumps(step) + "\n")
            self._told.flush()
        self._scene.close_file_dialogs()
        with self._watch.guard(f"“{name}” {facts}") if name not in UNMEASURED else _unmeasured():
            MOVES[name][2](self._scene, facts)
        self._scene.process()
        if not self._scene.main_windows:  # somebody quit
            self._scene.restart()
        self._fail_for(self._watch.take())
        if len(self.steps) % EVERY == 0:
            self._look()

    def _fail_for(self, faults: Sequence[str]) -> None:
        if faults:
            last = "\n".join(map(json.dumps, self.steps[-12:]))
            raise FaultError("\n".join(faults) + f"\nafter {len(self.steps)} steps, the last of them:\n{last}")

    # -- whether all is well ----------------------------------------------------------------------------------------

    def _look(self) -> None:
        for workspace in list(self._scene.application.gui.workspaces):
            if workspace.is_wired:
                self._look_in(workspace)
        self._fail_for(self._watch.take())
        self._look_at_archive()

    def _look_in(self, workspace: Workspace) -> None:
        self._scene.until(lambda: not out_of_step(workspace), PATIENCE)
        problem = out_of_step(workspace)
        self._fail_for([problem] if problem else [])

    def _look_at_archive(self) -> None:
        """Check that no entry changed or disappeared, except in permanently deleted sessions."""
        connection = sqlite3.connect(f"file:{self._archive}?mode=ro", uri=True, timeout=10)
        try:
            sessions = {key for (key,) in connection.execute("SELECT key FROM sessions")}
            rows = connection.execute(
                "SELECT key, session, parent, kind, role, time, preview FROM entries"
            ).fetchall()
        finally:
            connection.close()
        found = {row[0]: tuple(row[1:]) for row in rows}
        lost = [key for key, facts in self._kept.items() if key not in found and facts[0] in sessions]
        changed = [
            key for key, facts in self._kept.items() if key in found and found[key] != facts and facts[0] in sessions
        ]
        self._kept = found
        self._fail_for([f"entries vanished: {lost}"] if lost else [])
        self._fail_for([f"entries changed: {changed}"] if changed else [])

    def check_archive(self) -> None:
        """The whole integrity check, at the end."""
        problems = self._scene.application.services.sessions.check().result(60)
        self._fail_for([f"the archive: {problem}" for problem in problems])


class _unmeasured:  # noqa: N801 - a context manager
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def out_of_step(workspace: Workspace) -> str:
    """What of the window does not fit what is open in it, "" for nothing; what is under way comes into step soon."""
    opened, controllers = workspace.opened, workspace.controllers
    session_tree = opened.session_tree
    if session_tree is None:
        return "" if opened.key is None else f"session {opened.key} is never read"
    tree = session_tree.tree
    if session_tree.session.leaf is not None and tree.get(session_tree.session.leaf) is None:
        return f"the leaf {session_tree.session.leaf} is not in the tree"
    for name, key in (("selected", opened.selection), ("looked at", opened.viewed_key)):
        if key is not None and tree.get(key) is None:
            return f"what is {name}, {key}, is not in the tree"
    selected = workspace.window.branches.list.selected
    if selected is not None and tree.get(selected) is None:
        return f"the navigator selects {selected}, which is not in the tree"
    path = [tree.key(at) for at in opened.path or array("i")]
    shown = controllers.split.view._layout.model.path
    keys = [shown.key(at) for at in range(len(shown))]
    if keys != path:
        return f"the transcript shows {keys[-3:]} of {len(keys)}, the path has {path[-3:]} of {len(path)}"
    if not controllers.split.view.isVisibleTo(controllers.split._column(controllers.split.active)):
        return f"session {opened.key} is open, but its column does not show the transcript"
    column = workspace.window.transcript
    if controllers.split.view is column.view:
        head = tree.deleted_head(opened.end, opened.leaf)
        if column.deleted.key != (None if head is None else tree.key(head)):
            return f"the branch of {head} is deleted, the transcript says {column.deleted.key}"
    return ""
