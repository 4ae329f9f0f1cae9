"""Offers to continue an old session in full or from a summary, and carries out the choice."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stemmata.domain.sessions.session import Session
from stemmata.domain.sessions.steps import History, Step
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.actions import State
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.widgets.figures import figure_text
from stemmata.services.chat.resuming import ResumeChoice, Resumed


class ResumeController(QObject):
    """Asks whether the open session is old, after each reading of its tree, and shows the line above the composer."""

    continued = Signal(int, int)  # keys of the old session and of its continuation

    def __init__(self, shared: WindowContext, composer: Composer) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._toast, self._actions, self._composer = shared.toast, shared.actions, composer
        self._line = composer.resume_line
        self._asking = LatestOnly()
        self._chosen: set[int] = set()  # sessions that continue whole until the window closes
        self._writing: int | None = None  # the session whose summary is being written
        self._line.whole_chosen.connect(self.continue_whole)
        self._line.summary_chosen.connect(self.continue_from_summary)
        shared.opened.started.connect(self._hide)
        shared.opened.tree_read.connect(self._ask)

    def continue_whole(self) -> None:
        """Continue the open session with its full context: hide the line, and focus the composer."""
        if self._opened.key is not None:
            self._chosen.add(self._opened.key)
        self._hide()
        self._composer.editor.setFocus()

    def continue_from_summary(self) -> None:
        """Continue the open session in a new one that begins with a summary of it."""
        choice = self._line.choice
        if choice is None or self._writing is not None:
            return
        self._writing = choice.session
        self._line.show_writing()

        def failed(error: Exception) -> None:
            self._writing = None
            self._hide()
            self._ask()
            self._bridge.failed.emit(error)

        future = self._services.resuming.from_summary(choice.session)
        self._bridge.when_done(future, lambda done: self._on_resumed(choice, done), failed)

    def sent(self) -> None:
        """Hide the line, because the user has sent a message, which continues the session in full."""
        if self._line.choice is not None:
            self._chosen.add(self._line.choice.session)
        self._hide()

    def _ask(self) -> None:
        session = self._opened.key
        if session is not None and session not in self._chosen and self._writing != session:
            self._bridge.when_done(self._services.resuming.choice(session), self._show, run=self._asking)

    def _hide(self) -> None:
        self._asking.cancel()
        self._show(None)

    def _show(self, choice: ResumeChoice | None) -> None:
        self._line.show_choice(choice)
        self._actions.set_state(State.RESUMABLE, on=choice is not None)
        if choice is not None and self._writing == choice.session:
            self._line.show_writing()

    def _on_resumed(self, choice: ResumeChoice, done: Resumed) -> None:
        self._writing = None
        if self._opened.key == choice.session:
            self.continued.emit(choice.session, done.session)
        made = done.compaction
        if made is None:
            self._toast.tell(translate_phrase(done.notice))
            return
        told = self.tr("Continued from a summary ({0} → {1}). The old session is unchanged.")
        sizes = figure_text(made.before.total), figure_text(made.after.total)
        text = told.format(*sizes)

        def tell(history: History) -> None:
            step = history.next_undo
            undo = self.tr("Undo") if step is not None else ""
            self._toast.tell(text, undo, lambda: self._undo(choice.session, done, step))

        self._bridge.when_done(self._services.histories.of(choice.session), tell)

    def _undo(self, old: int, done: Resumed, step: Step | None) -> None:
        """Open the old session again, and move the new one to the trash when nothing was added to it."""
        made = done.compaction

        def decide(session: Session) -> None:
            if self._opened.key == done.session:
                self.continued.emit(done.session, old)
            if made is not None and step is not None and session.leaf == made.tip:
                undone = self._services.histories.undo(old, step.key, only=True)
                self._bridge.when_done(undone, lambda _undone: None)

        self._bridge.when_done(self._services.sessions.get(done.session), decide)
