"""What is done with a single entry of the transcript: its raw form, its images, the session an agent made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from PySide6.QtCore import QByteArray, QObject, QSize, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QImage
from PySide6.QtWidgets import QMenu, QWidget

from stemmata.domain.entries.blocks import ToolCall, arguments_of, plain_text
from stemmata.domain.entries.outcomes import details_of
from stemmata.domain.entries.session_facts import Body, EntryRow, Session
from stemmata.gui.cards.picture_piece import decoded, scaled
from stemmata.gui.cards.tool_line import main_argument
from stemmata.gui.core.window_context import Desk
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.transcript.export_controller import heading_of, text_of
from stemmata.gui.transcript.image_dialog import ImageDialog
from stemmata.gui.transcript.raw_dialog import RawDialog, RawText, raw_text
from stemmata.gui.transcript.view import TranscriptView
from stemmata.services.futures import chain, then


def copied(
    parts: Sequence[tuple[int, str | None]],
    rows: Mapping[int, EntryRow],
    bodies: Mapping[int, Body],
    *,
    markdown: bool,
) -> str:
    """`parts`: key of each entry, with the text of it that is selected, None for all of it."""
    out: list[str] = []
    speaker = ""
    for key, text in parts:
        if key not in rows or key not in bodies:
            continue
        words = _whole(bodies[key], markdown=markdown) if text is None else text.strip()
        name = heading_of(rows[key])
        if words and markdown and name != speaker:
            out.append(f"## {name}")
            speaker = name
        out += [words] if words else []
    return "\n\n".join(out)


def _whole(body: Body, *, markdown: bool) -> str:
    """The text, and a line for each call."""
    calls = "\n".join(_calls(body, markdown=markdown))
    return "\n\n".join(filter(None, (text_of(body), calls)))


def _calls(body: Body, *, markdown: bool) -> Iterator[str]:
    for block in body.blocks:
        if isinstance(block, ToolCall):
            argument = main_argument(arguments_of(block))
            quoted = f" `{argument}`" if markdown and argument and "`" not in argument else f" {argument}".rstrip()
            yield f"- {block.name}{quoted}" if markdown else f"{block.name}{quoted}"


class EntryController(QObject):
    session_wanted = Signal(int)

    def __init__(self, desk: Desk, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._bridge, self._actions = desk.services, desk.bridge, desk.actions
        self._opened, self._toast, self._background = desk.opened, desk.toast, desk.background
        self._theme, self._window = theme, window
        self._view: TranscriptView | None = None  # the one that was used last

    def connect_column(self, column: TranscriptColumn) -> None:
        self._view = self._view or column.view
        column.view.load_pictures_with(self._load_picture)

    def use(self, view: TranscriptView) -> None:
        """Act in this transcript from now on: a card of it has asked for something."""
        self._view = view

    def show_raw(self) -> None:
        """The selected entry as it is kept."""

        key, entries = self._opened.selection, self._services.entries
        if key is None:
            return
        read = chain(
            entries.record(key),
            lambda record: chain(
                entries.rows([key]),
                lambda rows: then(entries.bodies([key]), lambda bodies: raw_text(record, rows[key], bodies[key])),
            ),
        )
        self._bridge.when_done(read, self._show_raw)

    def open_subagent(self, call: str) -> None:
        """Open the session of the agent that this call of the open session has begun."""
        parent = self._opened.key
        found = then(self._services.sessions.all(), lambda all: spawned(all, parent, call))
        self._bridge.when_done(found, self._open_session)

    def show_image(self, digest: str) -> None:
        def decode(content: bytes | None) -> None:
            if content is not None:
                image = self._background.submit(lambda: _decoded(content))
                self._bridge.when_done(image, self._show_image)

        self._bridge.when_done(self._services.entries.blob(digest), decode)

    def select_all(self) -> None:
        if self._view is not None:
            self._view.selection.select_all()

    def copy(self, *, markdown: bool) -> None:
        """Copy what is selected. Whole entries are as they were written; of the others it is what was seen."""

        if self._view is None:
            return
        parts = self._view.selection.parts()
        if not parts:
            QGuiApplication.clipboard().setText(self._view.selected_text())
            return
        keys, entries = [key for key, _ in parts], self._services.entries
        text = chain(
            entries.rows(keys),
            lambda rows: then(entries.bodies(keys), lambda bodies: copied(parts, rows, bodies, markdown=markdown)),
        )
        self._bridge.when_done(text, lambda found: self._put(found, len(parts)))

    def _load_picture(self, digest: str, size: QSize, take: Callable[[QImage], None]) -> None:
        """On the db thread: a large one takes longer than a frame."""

        image = then(self._services.entries.blob(digest), lambda content: scaled(content, size))
        self._bridge.when_done(image, take)

    def _put(self, text: str, count: int) -> None:
        QGuiApplication.clipboard().setText(text)
        self._toast.tell(self.tr("Copied %Ln entries.", None, count))

    def show_all(self, view: TranscriptView, key: int) -> None:
        """Show the long texts of an entry at full length."""
        whole = self._services.entries.bodies(view.unread(key))
        self._bridge.when_done(whole, lambda bodies: view.show_whole(key, bodies))

    def copy_text(self, key: int) -> None:
        """Copy an entry's text as Markdown."""
        read = self._services.entries.bodies([key])
        text = then(read, lambda bodies: plain_text(bodies[key].blocks, "\n\n") if key in bodies else "")
        self._bridge.when_done(text, QGuiApplication.clipboard().setText)

    def show_menu(self, view: TranscriptView, key: int) -> None:
        menu: QMenu = self._actions.menu("entry", view)
        first = menu.actions()[0]
        for name, act in view.offers(key):
            made = menu.addAction(name)
            made.triggered.connect(act)
            menu.insertAction(first, made)
        menu.popup(QCursor.pos())

    def _show_raw(self, raw: object) -> None:

        assert isinstance(raw, RawText)
        RawDialog(self._theme, self._window, raw).show()

    def _show_image(self, image: QImage) -> None:

        if image.isNull():
            self._toast.tell(self.tr("This image cannot be shown."))
        else:
            ImageDialog(self._theme, self._window, image).show()

    def _open_session(self, session: Session | None) -> None:
        if session is None:
            self._toast.tell(self.tr("The transcript of this agent is not in the archive."))
        else:
            self.session_wanted.emit(session.key)


def spawned(sessions: list[Session], parent: int | None, call: str) -> Session | None:
    """The session that the call in `parent` has begun, as importers note it in its details."""
    children = (session for session in sessions if session.parent == parent is not None and call)
    return next((session for session in children if details_of(session.details).get("toolCall") == call), None)


def _decoded(content: bytes) -> QImage:

    return decoded(QByteArray(content))
