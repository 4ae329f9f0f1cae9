"""Connects the composer: sends messages, runs commands, recalls prompts and starts sessions."""

from __future__ import annotations

from itertools import islice

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.chat.run import OutgoingMessage
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.entries.prompts import prompts_of
from stemmata.domain.sessions.session import Session
from stemmata.domain.settings.settings import Preferred
from stemmata.gui.composer.command_controller import CommandController
from stemmata.gui.composer.draft_controller import DraftController
from stemmata.gui.composer.resume_controller import ResumeController
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.run_controller import RunController
from stemmata.services.chat.command_table import literal, typed

MOST_SAID = 50  # maximum number of prompts that can be recalled
LONGEST_SAID = 65_536  # characters of a prompt that can be recalled; the archive has this much of each text at hand
MINUTE_MS = 60_000
OURS = "stemmata"  # the source of sessions that were started in this program


class ChatController(QObject):
    """Sends the message of the composer, and starts new sessions."""

    session_wanted = Signal(int)  # key of a new session, to be opened

    def __init__(self, shared: WindowContext, theme: Theme, composer: Composer, runs: RunController) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._composer, self._runs = composer, runs
        self.drafts = DraftController(shared, composer)
        self.commands = CommandController(shared, theme, composer)
        self.resume = ResumeController(shared, composer)
        self._said_run, self._said = LatestOnly(), list[int]()
        self._sent: dict[int, str] = {}  # session → the last text that was sent
        self._is_starting = False  # whether a new session is being created
        self._fresh = 0  # key of the session that was created last
        runs.refused.connect(self._on_refused)
        composer.submitted.connect(lambda now: self._submit(now=now))
        composer.held_back.connect(shared.toast.tell)
        shared.opened.started.connect(self._on_started)
        shared.opened.tree_read.connect(self._read_said)
        self._toast, self._reset_run, self._declined = shared.toast, LatestOnly(), set[int]()
        composer.reset_line.declined.connect(self._decline_reset)
        shared.opened.tree_read.connect(self.look_for_reset)
        self._minute = QTimer(self, interval=MINUTE_MS)
        self._minute.timeout.connect(self.look_for_reset)
        self._minute.start()
        self.read_settings()

    def read_settings(self) -> None:
        """Read the setting for the Enter key and apply it."""
        self._bridge.when_done(self._services.preferences.read(), self.use)

    def use(self, preferred: Preferred) -> None:
        """Apply these settings to the composer."""
        self._composer.editor.enter_sends = bool(preferred.values["window.enter_sends"])

    def start(self) -> None:
        """Start a new session and focus the composer; an open session without messages is used instead."""
        if self._is_starting or self._is_new():
            self._composer.editor.setFocus()
            return
        self._is_starting = True
        started = self._opened.unless_selection_changed(self._on_started_new, self._on_started_elsewhere)
        self._bridge.when_done(self._services.branching.start(), started, self._on_not_started)

    def _is_new(self) -> bool:
        opened = self._opened
        if opened.key is None or self._composer.text.strip() or self._composer.attachments.rows:
            return False
        if opened.session_tree is None:
            return opened.key == self._fresh
        return not len(opened.session_tree.tree) and opened.session_tree.session.source == OURS

    def _on_not_started(self, error: Exception) -> None:
        self._is_starting = False
        self._bridge.failed.emit(error)

    def _on_started_new(self, session: Session) -> None:
        self._is_starting, self._fresh = False, session.key
        self.session_wanted.emit(session.key)
        self._composer.editor.setFocus()

    def _on_started_elsewhere(self, session: Session) -> None:
        """Offer the new session if the user has opened another session meanwhile."""
        self._is_starting, self._fresh = False, session.key
        self._toast.tell(
            self.tr("A new session was created."), self.tr("Show"), lambda: self.session_wanted.emit(session.key)
        )

    def _submit(self, *, now: bool) -> None:
        text = self._composer.text.strip()
        if typed(text) is not None:
            self._composer.clear()  # before the command runs, since /new looks whether something is written
            self.commands.run(text)
            return
        if self._opened.key is not None:
            self._sent[self._opened.key] = text
        blocks, files = self.drafts.take()
        said = (Text(literal(text)),) if text else ()
        self._composer.clear()
        message = OutgoingMessage(blocks=(*blocks, *said), files=files)
        self.resume.sent()
        if self._composer.reset_line.reason is not None and self._opened.key is not None:
            self._send_after_reset(self._opened.key, message)
            return
        self.drafts.sent(self._opened.key or 0)
        self._declined.discard(self._opened.key or 0)
        self._runs.send(message, now=now)

    def _on_refused(self, session: int) -> None:
        """Put a message that was not stored back into the composer, unless the composer holds new text."""
        self.drafts.restore_unsent(session)
        if session == self._opened.key and not self._composer.text:
            self._composer.put(self._sent.get(session, ""))

    # -- resets -----------------------------------------------------------------------------------------------

    def look_for_reset(self) -> None:
        """Show whether the next message begins a new session. Asked after each reading and once a minute."""
        session = self._opened.key
        if session is not None and session not in self._declined:
            due = self._services.conversations.due(session)
            self._bridge.when_done(due, self._composer.reset_line.show_reason, run=self._reset_run)

    def _decline_reset(self) -> None:
        if self._opened.key is not None:
            self._declined.add(self._opened.key)
        self._hide_reset()
        self._composer.editor.setFocus()

    def _hide_reset(self) -> None:
        self._reset_run.cancel()
        self._composer.reset_line.show_reason(None)

    def _send_after_reset(self, session: int, message: OutgoingMessage) -> None:
        """Begin a new session for the conversation and send the message there."""
        self._hide_reset()

        def done(made: Session) -> None:
            self.drafts.move_to_session(session, made.key)
            self._sent[made.key] = self._sent.pop(session, "")
            self.session_wanted.emit(made.key)
            self._runs.send(message)
            told = self.tr("The conversation goes on in a new session.")
            self._toast.tell(told, self.tr("Show the old session"), lambda: self._go_back(made.key))

        def elsewhere(made: Session) -> None:
            """Send the message; if the user has opened another session meanwhile, this session stays open."""
            self.drafts.move_to_session(session, made.key)
            self._sent[made.key] = self._sent.pop(session, "")
            sent = self._services.runs.send(made.key, message)
            self._bridge.when_done(sent, lambda _entry: None)
            told = self.tr("The conversation goes on in a new session.")
            self._toast.tell(told, self.tr("Show"), lambda: self.session_wanted.emit(made.key))

        def failed(error: Exception) -> None:
            self._on_refused(session)
            self._bridge.failed.emit(error)

        reset = self._services.conversations.reset(session)
        self._bridge.when_done(reset, self._opened.unless_selection_changed(done, elsewhere), failed)

    def _go_back(self, session: int) -> None:
        """Make the session before the reset the current one again, and open it."""

        opens = self._opened.unless_selection_changed(lambda old: self.session_wanted.emit(old.key))

        def opened(old: Session) -> None:
            self._declined.add(old.key)
            opens(old)

        self._bridge.when_done(self._services.conversations.back(session), opened)

    # -- earlier messages -------------------------------------------------------------------------------------

    def _on_started(self) -> None:
        self._said = []
        self._composer.editor.set_said(())
        self._hide_reset()

    def _read_said(self) -> None:
        session_tree = self._opened.session_tree
        if session_tree is None:
            return
        tree = session_tree.tree
        prompts = islice(prompts_of(tree, reversed(tree.path(self._opened.leaf))), MOST_SAID)
        found = list(map(tree.key, prompts))
        if found != self._said:
            self._said = found
            bodies = self._services.entries.bodies(found, limit=LONGEST_SAID)
            self._bridge.when_done(bodies, self._on_said, run=self._said_run)

    def _on_said(self, bodies: dict[int, Body]) -> None:
        whole = [bodies[key] for key in reversed(self._said) if key in bodies and not bodies[key].cut]
        texts = [plain_text(body.blocks) for body in whole]
        self._composer.editor.set_said([text for text in dict.fromkeys(texts) if text.strip()])
