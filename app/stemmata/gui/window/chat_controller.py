"""Writing messages: what is sent or done, what is recalled, and new sessions to write in."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.chat.run import OutgoingMessage
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.session_facts import Body, Session
from stemmata.domain.settings.settings import Preferred
from stemmata.gui.composer.attachment_controller import AttachmentController
from stemmata.gui.composer.command_controller import CommandController
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.run_controller import RunController
from stemmata.services.chat.command_table import literal
from stemmata.services.sessions.drafts import Kept

PAUSE_MS = 500  # a write for each key would keep the disk busy; at the worst this much of writing is lost


class DraftController(QObject):
    """Sending takes the draft out of the archive in one step with the message: until then it stays there."""

    def __init__(self, desk: WindowContext, composer: Composer, attachments: AttachmentController) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened, self._composer = desk.services, desk.bridge, desk.opened, composer
        self._attachments = attachments
        self._waiting: dict[int, str | None] = {}  # session → text that is not kept yet, None: as it was kept
        self._attached: set[int] = set()  # sessions whose attachments are not kept yet
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        composer.draft_changed.connect(self._on_draft_changed)
        attachments.changed.connect(self._on_attached)
        desk.opened.started.connect(self._on_started)

    def flush(self) -> None:
        """Keep now what waits to be kept."""
        self._pause.stop()
        waiting, self._waiting = self._waiting, {}
        changed = {session for session in self._attached if self._attachments.knows(session)}
        self._attached -= changed  # of the others it is not known yet what was attached before
        for session, text in waiting.items():
            attached, files = self._attachments.draft(session) if session in changed else (None, {})
            kept = self._services.drafts.save(session, text, attached, files)
            self._bridge.when_done(kept, lambda _kept: None)

    def sent(self, session: int) -> None:
        """The draft is on its way: it is taken out of the archive where the message comes in."""
        self._waiting.pop(session, None)
        self._attached.discard(session)

    def _on_draft_changed(self, session: int, text: str) -> None:
        self._waiting[session] = text
        self._pause.start()

    def _on_attached(self, session: int) -> None:
        self._attached.add(session)
        self._waiting.setdefault(session, None)
        self._pause.start()

    def _on_started(self) -> None:
        self.flush()
        key = self._opened.key
        if key is None:
            return
        if not self._composer.knows(key):
            self._bridge.when_done(self._services.drafts.get(key), lambda text: self._composer.adopt(key, text))
        if not self._attachments.knows(key):
            self._bridge.when_done(self._services.drafts.attached(key), lambda kept: self._adopt(key, kept))

    def _adopt(self, session: int, kept: Sequence[Kept]) -> None:
        if not self._attachments.knows(session):
            self._attachments.adopt(session, kept)
        if session in self._attached:
            self._on_attached(session)


MOST_SAID = 50  # prompts that can be recalled
OURS = "stemmata"  # the source of sessions that were begun here


class ChatController(QObject):
    session_wanted = Signal(int)  # a new one, to be opened

    def __init__(self, desk: WindowContext, theme: Theme, composer: Composer, runs: RunController) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = desk.services, desk.bridge, desk.opened
        self._composer, self._runs = composer, runs
        self.attachments = AttachmentController(desk, composer)
        self.drafts = DraftController(desk, composer, self.attachments)
        self.commands = CommandController(desk, theme, composer)
        self._said_run, self._said = LatestOnly(), list[int]()
        self._sent: dict[int, str] = {}  # by session, what was written last
        self._is_starting, self._fresh = False, 0  # key of the session that was started last
        runs.refused.connect(self._on_refused)
        composer.submitted.connect(lambda now: self._submit(now=now))
        composer.held_back.connect(desk.toast.tell)
        desk.opened.started.connect(self._on_started)
        desk.opened.tree_read.connect(self._read_said)
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
        self._runs.send(OutgoingMessage(blocks=(*blocks, *said), files=files), now=now)

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
