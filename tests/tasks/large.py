"""The same tasks in one large session, which is as it was at the start of each task: all that was done is undone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtGui import QGuiApplication

from stemmata.bootstrap.window import Application
from stemmata.domain.errors import ConflictError, NothingToDoError
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.fakes.worked_files import WorkedSession
from tests.journeys.person import Person
from tests.tasks.player import Player, much_output, worked_lines
from tests.tasks.table import Task

NAME = "large"


@dataclass(frozen=True)
class Made:
    """The key of the large session, and of its entries by their names."""

    session: int
    keys: dict[str, int]


def prepare(application: Application, waiting: Any, folder: Path, base: Sequence[dict[str, Any]]) -> Made:
    """Import the lines of a large session with those that the tasks are done to."""
    made, more = WorkedSession(NAME), WorkedSession(f"{NAME}more")
    much_output(more, base[-1]["id"])
    ids = worked_lines(made, NAME, [*base, *more.lines[1:]])
    person = Person(application, waiting)
    person.gui.importing.import_paths([str(made.write(folder))])
    person.until(lambda: person.gui.opened.session_tree is not None and len(person.tree) > len(base))
    session = person.gui.opened.key
    assert session is not None
    return Made(session, {name: person.key(id) for name, id in ids.items()})


class LargePlayer(Player):
    """A person whose every task begins in the same large session."""

    def __init__(
        self, application: Application, waiting: Any, folder: Path, server: AnthropicServer, name: str, made: Made
    ) -> None:
        super().__init__(Person(application, waiting), folder, server, name)
        self._made = made
        self.word = NAME

    def begin(self, task: Task) -> None:
        """Bring the window to where the task begins, with nothing on the clipboard."""
        self.calm_down()
        QGuiApplication.clipboard().clear()
        task.start(self)
        gui = self.gui
        self.notes |= {"own": self.session, "wraps": self.window.actions_table["wrap-code"].isChecked()}
        self.notes |= {"scheme": gui.theme.scheme, "scale": gui.theme.scale}

    def open_worked(self) -> None:
        histories, wanted = self.application.services.histories, self._made.session
        with suppress(NothingToDoError, ConflictError):
            while True:
                histories.undo(wanted).result(PATIENCE)
        if self.gui.opened.key == wanted:
            self.gui.controllers.chat.start()
            self.until(lambda: self.gui.opened.key != wanted and self.gui.opened.session_tree is not None)
        self.gui.open_session(wanted)
        self.until(lambda: self.gui.opened.key == wanted and self.gui.opened.session_tree is not None)
        self.until(lambda: self.window.sessions_model.row_of(wanted) is not None)
        self.until(lambda: self.window.branches.outline is not None)
        self.notes |= self._made.keys
        self.begin_at_last()
        self.window.transcript.view.card_cursor.end()  # a session that is opened again shows where it was read
        # until what is computed after opening is shown; a person reads for longer
        self.until(lambda: self.gui.compaction.offer is not None and not self.gui.controllers.context.is_behind)
        self.application.services.sessions.totals().result(PATIENCE)

    def open_compactable(self) -> None:
        self.open_worked()
