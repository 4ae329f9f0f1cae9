"""Manages the draft of each session, its text and its attachments.

Files are read off the GUI thread and kept until the message is sent. Drafts are saved in the archive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from stemmata.domain.entries.blocks import Block, Image, name_of
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.model_abilities import ModelTraits
from stemmata.gui.composer.attaching import ComposerAttachment, of_block, of_file, of_picture, of_text
from stemmata.gui.composer.attachments import AttachedRow
from stemmata.gui.composer.pickers import ModelChoice
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.services.chat.attachments import MOST, refusal
from stemmata.services.chat.requests import ModelInForce
from stemmata.services.sessions.drafts import Kept


@dataclass(slots=True)
class _Attached:
    """One attachment. `blocks` is known before reading if the attachment was restored."""

    key: int
    name: str
    blocks: tuple[Block, ...] = ()
    ready: ComposerAttachment | None = None  # None while it is being read


PAUSE_MS = 500  # delay before a draft is saved, so that not every key press writes to the disk


class DraftController(QObject):
    """Attaches files, pictures and texts to the draft of the open session, and saves drafts in the archive.

    The archive removes a draft in the same transaction that stores the sent message.
    """

    def __init__(self, shared: WindowContext, composer: Composer) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._background, self._composer = shared.background, composer
        self._attached: dict[int, list[_Attached]] = {}  # by session
        self._taken: dict[int, list[_Attached]] = {}  # attachments of the last sent message, by session
        self._known: set[int] = set()  # sessions whose stored draft was restored or replaced
        self._choice = ModelChoice()  # the connection and model of the next request
        self._traits: ModelTraits | None = None  # traits of that model; None while unknown
        self._is_checked = True
        self._check_run = LatestOnly()
        self._rows: list[AttachedRow] = []  # the rows shown
        self._count = 0
        self._unsaved: dict[int, str | None] = {}  # session → text to save, None when only the attachments changed
        self._unsaved_attachments: set[int] = set()  # sessions whose attachments are not saved yet
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        composer.editor.files_given.connect(self.add_files)
        composer.editor.image_given.connect(self.add_image)
        composer.editor.text_given.connect(self.add_text)
        composer.attachments.remove_requested.connect(self.remove)
        composer.foot.attach_requested.connect(self.choose)
        composer.draft_changed.connect(self._on_text_changed)
        shared.opened.started.connect(self._on_started)

    # -- attachments ------------------------------------------------------------------------------------------

    def choose(self) -> None:
        """Open a file dialog."""
        dialog = QFileDialog(self._composer.window(), self.tr("Attach files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.add_files)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def add_files(self, paths: Sequence[str]) -> None:
        """Attach files."""
        for path in paths:
            self._add(Path(path).name, partial(of_file, Path(path)))

    def add_image(self, image: QImage) -> None:
        """Attach a picture from the clipboard."""
        name = self.tr("Pasted picture")
        self._add(name, partial(of_picture, QImage(image), f"{name}.png"))

    def add_text(self, text: str) -> None:
        """Attach a text from the clipboard that is too long for the editor."""
        name = self.tr("Pasted text")
        self._add(name, partial(of_text, text, f"{name}.txt"))

    def attach_prompt(self, entry: int) -> None:
        """Add the attachments of a prompt that is being edited to the draft."""
        session = self._opened.key
        self._bridge.when_done(
            self._services.drafts.of_prompt(entry), lambda written: self._on_written(session, *written)
        )

    def drop(self) -> None:
        """Clear the draft of the open session, with its attachments."""
        session = self._opened.key
        self._composer.clear()
        if session is not None and self._of(session):
            self._attached[session] = []
            self._show()
            self._on_attached(session)

    def _on_written(self, session: int | None, said: str, kept: Sequence[Kept]) -> None:
        if session is not None and session == self._opened.key and kept:
            self._attached[session] = []
            self._composer.put(said)
            self.adopt(session, kept)
            self._on_attached(session)

    def check(self, choice: ModelChoice) -> None:
        """Mark attachments that this model does not accept; it answers the next message."""
        session, opened = self._opened.key, self._opened
        if session is None or not choice.connected or opened.session_tree is None:
            self._check_run.cancel()
            self._traits, self._is_checked = None, True
        elif self._has_media(session):
            if choice != self._choice or self._traits is None:
                self._traits, self._is_checked = None, False
            end = None if opened.end is None else opened.session_tree.tree.key(opened.end)
            asked = self._services.model_lookup.find(session, end)
            self._bridge.when_done(asked, self._on_asked, self._on_unasked, run=self._check_run)
        self._choice = choice
        self._show()

    def _has_media(self, session: int) -> bool:
        return any(isinstance(block, Image) for item in self._of(session) for block in item.blocks)

    def _on_asked(self, asked: ModelInForce) -> None:
        self._traits, self._is_checked = asked.traits, True
        self._show()

    def _on_unasked(self, _error: Exception) -> None:
        """Remove the marks when the model of the next request cannot be found; sending then reports the problem."""
        self._traits, self._is_checked = None, True
        self._show()

    def has_draft(self, session: int) -> bool:
        """Return whether the stored draft of the session was restored or replaced."""
        return session in self._known

    def adopt(self, session: int, kept: Sequence[Kept]) -> None:
        """Load the stored attachments, before those that the user has added meanwhile."""
        self._known.add(session)
        later, self._attached[session] = self._of(session), []
        for block, data in kept:
            self._add(name_of(block), partial(of_block, block, data), session, (block,))
        self._of(session).extend(later)
        self._show()

    def remove(self, key: int) -> None:
        """Remove an attachment."""
        session = self._opened.key
        if session is not None:
            self._attached[session] = [item for item in self._of(session) if item.key != key]
            self._show()
            self._on_attached(session)

    def take(self) -> tuple[tuple[Block, ...], dict[str, bytes]]:
        """Return the attachments as blocks with their bytes by SHA-256, and clear them."""
        session = self._opened.key
        attached = [] if session is None else self._of(session)
        if session is not None:
            self._known.add(session)
            self._attached[session], self._taken[session] = [], attached
        self._show()
        return _as_sent(attached)

    def move_to_session(self, session: int, other: int) -> None:
        """Move the attachments of a message that is being sent to the draft of the session `other`, to which it is
        sent.
        """
        self._taken[other] = self._taken.pop(session, [])
        self._on_attached(session)

    def restore_unsent(self, session: int) -> None:
        """Restore the attachments of a message that was not sent."""
        self._attached[session] = [*self._taken.pop(session, []), *self._of(session)]
        self._show()
        self._on_attached(session)

    def hand_over(self, session: int, to: int) -> None:
        """Move the draft of the open session, with its attachments, to the session that continues it.

        A draft that is not read yet stays where it is.
        """
        if session != self._composer.session or not (self._composer.has_draft(session) and self.has_draft(session)):
            return
        attached, self._attached[session] = self._of(session), []
        self._attached[to] = [*attached, *self._attached.get(to, [])]
        self._known.add(to)
        self._unsaved.pop(session, None)  # saved behind the other, whose bytes would be deleted with it otherwise
        if attached:
            self._on_attached(to)
        self._composer.hand_over(session, to)
        if attached:
            self._on_attached(session)
        self.flush()

    def _of(self, session: int) -> list[_Attached]:
        return self._attached.setdefault(session, [])

    def _add(
        self,
        name: str,
        read: Callable[[], ComposerAttachment],
        session: int | None = None,
        blocks: tuple[Block, ...] = (),
    ) -> None:
        session = self._opened.key if session is None else session
        if session is None:
            return
        if len(self._of(session)) >= MOST:
            self._tell(self.tr("A message can have at most %Ln attachments.", None, MOST))
            return
        self._count += 1
        item = _Attached(self._count, name, blocks)
        self._of(session).append(item)
        self._show()
        future: Future[ComposerAttachment] = self._background.submit(read)
        self._bridge.when_done(
            future,
            lambda attachment: self._on_ready(session, item, attachment),
            lambda error: self._on_failed(session, item, error),
        )

    def _on_ready(self, session: int, item: _Attached, attachment: ComposerAttachment) -> None:
        was_kept, item.ready, item.blocks = bool(item.blocks), attachment, attachment.blocks
        self.check(self._choice)
        if not was_kept and item in self._of(session):
            self._on_attached(session)

    def _on_failed(self, session: int, item: _Attached, error: Exception) -> None:
        if item in self._of(session):
            self._of(session).remove(item)
            self._on_attached(session)
        self._show()
        self._bridge.failed.emit(error)

    def _tell(self, text: str) -> None:

        self._bridge.failed.emit(KnownError(text))

    def _show(self) -> None:
        session = self._opened.key
        items = [] if session is None else self._attached.get(session, [])
        rows = [self._row(item) for item in items]
        if rows != self._rows:
            self._rows = rows
            self._composer.show_attachments(rows)

    def _row(self, item: _Attached) -> AttachedRow:
        ready = item.ready
        is_media = any(isinstance(block, Image) for block in item.blocks)
        if ready is None or (is_media and not self._is_checked):
            return AttachedRow(key=item.key, name=item.name, is_ready=False)
        before = ready.before
        note = self.tr("scaled down from {0} × {1}").format(*before) if before else ""
        problem = "" if self._traits is None else translate_phrase(refusal(ready.blocks, self._traits))
        return AttachedRow(
            key=item.key, name=ready.name, size=ready.size, note=note, picture=ready.thumbnail, problem=problem
        )

    # -- saving -----------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Save the changed drafts now."""
        self._pause.stop()
        unsaved, self._unsaved = self._unsaved, {}
        changed = {session for session in self._unsaved_attachments if self.has_draft(session)}
        self._unsaved_attachments -= changed  # the saved attachments of the other sessions are not read yet
        for session, text in unsaved.items():
            attached, files = _as_sent(self._of(session)) if session in changed else (None, {})
            kept = self._services.drafts.save(session, text, attached, files)
            self._bridge.when_done(kept, lambda _kept: None)

    def sent(self, session: int) -> None:
        """Stop saving the session's draft, because the archive removes it when it stores the message."""
        self._unsaved.pop(session, None)
        self._unsaved_attachments.discard(session)

    def _on_text_changed(self, session: int, text: str) -> None:
        self._unsaved[session] = text
        self._pause.start()

    def _on_attached(self, session: int) -> None:
        self._unsaved_attachments.add(session)
        self._unsaved.setdefault(session, None)
        self._pause.start()

    def _on_started(self) -> None:
        self._show()
        self.flush()
        key = self._opened.key
        if key is None:
            return
        if not self._composer.has_draft(key):
            self._bridge.when_done(self._services.drafts.get(key), lambda text: self._composer.adopt(key, text))
        if not self.has_draft(key):
            self._bridge.when_done(self._services.drafts.attached(key), lambda kept: self._restore(key, kept))

    def _restore(self, session: int, kept: Sequence[Kept]) -> None:
        if not self.has_draft(session):
            self.adopt(session, kept)
        if session in self._unsaved_attachments:
            self._on_attached(session)


def _as_sent(attached: Sequence[_Attached]) -> tuple[tuple[Block, ...], dict[str, bytes]]:
    """Return the attachments as blocks of a message, and the bytes of their files by SHA-256 digest.

    Bytes of attachments that are being restored are still stored, so they are not included.
    """
    ready = [item.ready for item in attached if item.ready is not None]
    files = {digest: data for attachment in ready for digest, data in attachment.files.items()}
    return tuple(block for item in attached for block in item.blocks), files
