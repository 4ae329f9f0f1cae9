"""The actions that continue a session in another tool."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.hand_off import BRIEF, Extent
from stemmata.domain.sessions.session import Session
from stemmata.domain.text.phrases import Phrase
from stemmata.gui.core.bridge import Bridge, LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.hand_off.dialog import HandOffDialog
from stemmata.gui.hand_off.showing_files import show_file
from stemmata.gui.hand_off.terminal import run_in_terminal
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.clipboard import put_on_clipboard
from stemmata.services.chat.handing_off import HandedOff, HandOff, command_line
from stemmata.services.futures import chain, then
from stemmata.services.services import Services

HERE = "stemmata"  # the name of a chat in Stemmata among the tools


class HandOffController(QObject):
    """Opens the hand-off dialog, and copies and runs the commands that continue sessions in their tools."""

    session_wanted = Signal(int)  # key of a new session here

    def __init__(self, shared: WindowContext, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._toast, self._theme, self._window = shared.toast, theme, window

    # -- hand-off -----------------------------------------------------------------------------------------------

    def open(self, entry: int | None) -> None:
        """Open the dialog for the path to an entry (store key)."""
        session = self._opened.session
        if session is not None and entry is not None:
            tools = self._services.handing_off.tools() | {
                HERE: (self.tr("Stemmata chat"), (Extent.WHOLE, Extent.BRIEF))
            }
            dialog = HandOffDialog(self._theme, self._window, tools, session.cwd, session.title)
            _Dialogue(self._services, self._bridge, dialog, session, entry).session_made.connect(self.session_wanted)

    # -- the tool of the session ----------------------------------------------------------------------------------

    def copy_command(self) -> None:
        """Copy the command that continues the open session in the tool that it came from."""
        session, command = self._command()
        if session is not None:
            put_on_clipboard(command_line(command, session.cwd))
            self._toast.tell(self.tr("Copied: {0}").format(shlex.join(command)))

    def resume(self) -> None:
        """Continue the open session in the tool that it came from, in a terminal."""
        session, command = self._command()
        if session is not None:
            self._run(command, session.cwd)

    def reveal(self) -> None:
        """Show the open session's source file, or the ZIP archive with it, in the file manager."""
        session = self._opened.session
        named = Path(session.path) if session is not None and session.path else Path()
        path = next((each for each in (named, *named.parents) if each.is_file()), None)
        if path is None:
            self._bridge.failed.emit(
                NothingToDoError(Phrase("The session has no source file on this machine any more. It is safe here."))
            )
            return
        error = KnownError(Phrase("No file manager could be started. The source file is {0}.", str(path)))
        show_file(path, self, lambda: self._bridge.failed.emit(error))

    def _command(self) -> tuple[Session | None, tuple[str, ...]]:
        session = self._opened.session
        if session is None:
            return None, ()
        command = self._services.handing_off.resume_command(session)
        if not command:
            words = Phrase("No command continues this session in its tool. Hand it off to continue it elsewhere.")
            self._bridge.failed.emit(NothingToDoError(words))
            return None, ()
        return session, command

    def _run(self, command: Sequence[str], cwd: str) -> None:
        try:
            run_in_terminal(command, cwd)
        except KnownError as error:
            self._bridge.failed.emit(error)


class _Dialogue(QObject):
    """Connects an open dialog with the services for one hand-off: the path to an entry (store key) of a session."""

    session_made = Signal(int)  # key of a new session here

    def __init__(
        self, services: Services, bridge: Bridge, dialog: HandOffDialog, session: Session, entry: int
    ) -> None:
        super().__init__(dialog)
        self.dialog, self._bridge = dialog, bridge
        self._service, self._branching, self._drafts = services.handing_off, services.branching, services.drafts
        self._session, self._entry = session, entry
        self._previewing, self._writing = LatestOnly(), LatestOnly()
        self.dialog.finished.connect(self._stop)
        self._done: HandedOff | None = None
        self.dialog.changed.connect(self._preview)
        self.dialog.brief_requested.connect(self._ask_model)
        self.dialog.write_requested.connect(self._write)
        self.dialog.copy_requested.connect(self._copy)
        self.dialog.terminal_requested.connect(self._resume)
        self._preview()
        self.dialog.open()

    @property
    def _requested(self) -> HandOff:
        dialog = self.dialog
        tool = next(iter(self._service.tools())) if dialog.tool == HERE else dialog.tool
        cwd = dialog.folder.text().strip() or (str(Path.home()) if dialog.tool == HERE else "")
        return HandOff(
            session=self._session.key,
            entry=self._entry,
            tool=tool,
            extent=dialog.extent,
            brief=dialog.brief_text,
            cwd=cwd,
        )

    def _preview(self) -> None:
        self._bridge.when_done(
            self._service.preview(self._requested),
            self.dialog.show_preview,
            lambda error: self.dialog.show_problem(translate_phrase(str(error))),
            run=self._previewing,
        )

    def _ask_model(self) -> None:
        brief = self._service.brief(self._session.key, self._entry, by_model=True)
        self._bridge.when_done(brief, self.dialog.show_brief, self._on_no_brief, run=self._writing)

    def _on_no_brief(self, error: Exception) -> None:
        self.dialog.by_model.setEnabled(True)
        self.dialog.show_problem(translate_phrase(str(error)))
        self.dialog.write.setEnabled(True)

    def _write(self) -> None:
        if self.dialog.tool == HERE:
            self._chat_here()
            return
        self._bridge.when_done(
            self._service.write(self._requested),
            self._on_written,
            lambda error: self.dialog.show_problem(translate_phrase(str(error))),
            run=self._writing,
        )

    def _on_written(self, done: HandedOff) -> None:
        self._done = done
        self.dialog.show_result(str(done.path), command_line(done.command, done.cwd))

    def _chat_here(self) -> None:
        """Fork the session at the entry, or start a chat with the brief as its draft; then open the new session."""
        if self.dialog.extent is Extent.WHOLE:
            made = self._branching.fork(self._session.key, self._entry)
        else:
            text = BRIEF.format(self.dialog.brief.toPlainText())
            made = chain(
                self._branching.start(),
                lambda session: then(self._drafts.save(session.key, text), lambda _saved: session),
            )
        self._bridge.when_done(made, self._on_here, run=self._writing)

    def _on_here(self, session: Session) -> None:
        self.dialog.close()
        self.session_made.emit(session.key)

    def _stop(self) -> None:
        """Drop the answers that arrive after the dialog was closed; a session that is being written is completed."""
        self._previewing.cancel()
        self._writing.cancel()

    def _copy(self) -> None:
        put_on_clipboard(self.dialog.command.text())

    def _resume(self) -> None:
        if self._done is not None:
            try:
                run_in_terminal(self._done.command, self._done.cwd)
            except KnownError as error:
                self.dialog.show_problem(translate_phrase(str(error)))
                return
            self.dialog.close()
