"""Writing messages: what is sent or done, what is recalled, and new sessions to write in."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stemmata.domain.chat.run import Outgoing
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.session import Session
from stemmata.domain.entries.session_facts import Body
from stemmata.domain.settings.preferences import Preferred
from stemmata.gui.composer.attachment_controller import AttachmentController
from stemmata.gui.composer.command_controller import CommandController
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.bridge import Run
from stemmata.gui.core.window_context import Desk
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.draft_controller import DraftController
from stemmata.gui.window.run_controller import RunController
from stemmata.services.chat.command_table import literal

MOST_SAID = 50  # prompts that can be recalled
OURS = "stemmata"  # the source of sessions that were begun here


class ChatController(QObject):
    session_wanted = Signal(int)  # a new one, to be opened

    def __init__(self, desk: Desk, theme: Theme, composer: Composer, runs: RunController) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = desk.services, desk.bridge, desk.opened
        self._composer, self._runs = composer, runs
        self.attachments = AttachmentController(desk, composer)
        self.drafts = DraftController(desk, composer, self.attachments)
        self.commands = CommandController(desk, theme, composer)
        self._said_run, self._said = Run(), list[int]()
        self._sent: dict[int, str] = {}  # by session, what was written last
        self._is_starting, self._fresh = False, 0  # key of the session that was started last
        runs.refused.connect(self._on_refused)
        composer.submitted.connect(lambda now: self._submit(now=now))
        composer.held_back.connect(desk.toast.tell)
        desk.opened.started.connect(self._on_started)
        desk.opened.tree_read.connect(self._read_said)
        desk.actions.on("new-chat", self.start)
        desk.actions.on("compose", composer.editor.setFocus)
        self.read_settings()

    def read_settings(self) -> None:
        """Whether Enter sends."""
        self._bridge.when_done(self._services.preferences.read(), self.use)

    def use(self, preferred: Preferred) -> None:
        """These settings are in force."""
        self._composer.editor.enter_sends = bool(preferred.values["window.enter_sends"])

    def start(self) -> None:
        """A new session, with the composer ready; the one that is open, where nothing was said in it yet."""
        if self._is_starting or self._is_new():
            self._composer.editor.setFocus()
            return
        self._is_starting = True
        self._bridge.when_done(self._services.branching.start(), self._on_started_new, self._on_not_started)

    def _is_new(self) -> bool:
        opened = self._opened
        if opened.key is None or self._composer.text.strip() or self._composer.attachments.rows:
            return False
        if opened.skeleton is None:
            return opened.key == self._fresh
        return not len(opened.skeleton.tree) and opened.skeleton.session.source == OURS

    def _on_not_started(self, error: Exception) -> None:
        self._is_starting = False
        self._bridge.failed.emit(error)

    def _on_started_new(self, session: Session) -> None:
        self._is_starting, self._fresh = False, session.key
        self.session_wanted.emit(session.key)
        self._composer.editor.setFocus()

    def _submit(self, *, now: bool) -> None:
        text = self._composer.text.strip()
        if self.commands.run(text):
            self._composer.clear()
            return
        if self._opened.key is not None:
            self._sent[self._opened.key] = text
        blocks, files = self.attachments.take()
        said = (Text(literal(text)),) if text else ()
        self._composer.clear()
        self.drafts.sent(self._opened.key or 0)
        self._runs.send(Outgoing(blocks=(*blocks, *said), files=files), now=now)

    def _on_refused(self, session: int) -> None:
        """Nothing was stored: the message is where it was written, unless somebody writes there already."""
        self.attachments.give_back(session)
        if session == self._opened.key and not self._composer.text:
            self._composer.put(self._sent.get(session, ""))

    # -- what was said before ---------------------------------------------------------------------------------

    def _on_started(self) -> None:
        self._said = []
        self._composer.editor.set_said(())

    def _read_said(self) -> None:
        skeleton = self._opened.skeleton
        if skeleton is None:
            return
        tree, found = skeleton.tree, list[int]()
        for entry in reversed(tree.path(self._opened.leaf)):
            if tree.role(entry) is Role.USER and tree.kind(entry) is Kind.MESSAGE:
                found.append(tree.key(entry))
                if len(found) == MOST_SAID:
                    break
        if found != self._said:
            self._said = found
            self._bridge.when_done(self._services.entries.bodies(found), self._on_said, run=self._said_run)

    def _on_said(self, bodies: dict[int, Body]) -> None:
        texts = [plain_text(bodies[key].blocks) for key in reversed(self._said) if key in bodies]
        self._composer.editor.set_said([text for text in dict.fromkeys(texts) if text.strip()])
