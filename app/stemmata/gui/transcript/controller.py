"""The actions on entries of the transcript: show raw, copy, export, go from prompt to prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QCoreApplication, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QCursor, QDesktopServices, QGuiApplication, QIcon, QImage
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from stemmata.domain.entries.blocks import ToolCall, plain_text, text_to_copy
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.prompts import prompts_of
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.export import LeftOut
from stemmata.domain.text.links import is_safe_link
from stemmata.domain.tool_calls.kinds import arguments_of
from stemmata.domain.tool_calls.notes import note_name
from stemmata.domain.tool_calls.outcomes import details_of
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.picture_piece import decoded, format_of, scaled
from stemmata.gui.cards.tool_line import argument_line
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.words import title_of
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.transcript.image_dialog import ImageDialog
from stemmata.gui.transcript.raw_dialog import RawDialog, RawText, raw_text
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.widgets.clipboard import put_on_clipboard
from stemmata.gui.widgets.figures import percent
from stemmata.services.futures import chain, then
from stemmata.services.sessions.exporting import USUAL_PART, ExportPart

UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')  # characters that a file name cannot have on some system
LONGEST_NAME = 80  # characters of a file name without its ending


SAME = {
    Request.COPY: "copy-entry",
    Request.PIN: "pin",
    Request.FORK: "fork",
    Request.EDIT: "card-edit",
    Request.REGENERATE: "regenerate",
}  # what a card offers → the action of the window that does the same
MANY = 1000  # copied entries; to read more takes long enough to show how far it is
STEP = 10  # percent


class CopiedEntries:
    """The text for the clipboard. `parts` are entry keys and their selected text, None for the whole entry.

    The text stays in pieces, because joining 20 MB keeps Python's lock for longer than half a frame.
    """

    def __init__(self, parts: Sequence[tuple[int, str | None]], *, markdown: bool) -> None:
        self._selected, self._markdown = dict(parts), markdown
        self._speaker = ""
        self._words: list[str] = []

    @property
    def pieces(self) -> list[str]:
        """The pieces of the text."""
        return [piece for words in self._words for piece in ("\n\n", words)][1:]

    def add(self, keys: Sequence[int], rows: Mapping[int, EntryRow], bodies: Mapping[int, Body]) -> None:
        """Add the next entries; entries that the archive no longer has are left out."""
        for key in keys:
            if key not in rows or key not in bodies:
                continue
            text = self._selected[key]
            words = _whole_text(bodies[key], markdown=self._markdown) if text is None else text.strip()
            name = heading_of(rows[key])
            if words and self._markdown and name != self._speaker:
                self._words.append(f"## {name}")
                self._speaker = name
            self._words += [words] if words else []


def _whole_text(body: Body, *, markdown: bool) -> str:
    """Return the text of an entry, and a line for each call."""
    calls = "\n".join(_calls(body, markdown=markdown))
    return "\n\n".join(filter(None, (text_of(body), calls)))


def _calls(body: Body, *, markdown: bool) -> Iterator[str]:
    for block in body.blocks:
        if isinstance(block, ToolCall):
            argument = argument_line(arguments_of(block))
            quoted = f" `{argument}`" if markdown and argument and "`" not in argument else f" {argument}".rstrip()
            yield f"- {block.name}{quoted}" if markdown else f"{block.name}{quoted}"


class TranscriptController(QObject):
    """Carries out the actions of entries: copy, export, images, raw view."""

    session_wanted = Signal(int)

    def __init__(
        self, shared: WindowContext, theme: Theme, active: Callable[[], TranscriptView], window: QWidget
    ) -> None:
        """Connect the controller. `active` returns the transcript that shows the open session."""
        super().__init__(window)
        self._active = active
        self._services, self._bridge, self._actions = shared.services, shared.bridge, shared.actions
        self._opened, self._toast, self._background = shared.opened, shared.toast, shared.background
        self._theme, self._window = theme, window
        self._view: TranscriptView | None = None  # the transcript that was used last
        self._copying = LatestOnly()
        self._copies_many, self._shown_percent = False, 0  # of the entries that are being copied

    def connect_column(self, column: TranscriptColumn) -> None:
        """Connect a column's signals."""
        self._view = self._view or column.view
        entries, bridge = self._services.entries, self._bridge

        def load(digest: str, size: QSize, take: Callable[[QImage], None]) -> None:
            """Read a picture and scale it on the db thread, because a large one takes longer than a frame.

            The view keeps this function, so it must not hold the controller.
            """
            bridge.when_done(then(entries.blob(digest), lambda content: scaled(content, size)), take)

        column.view.load_pictures_with(load)
        column.view.card_cursor.code_copied.connect(self._tell_code)

    def _tell_code(self, number: int, count: int) -> None:
        if count:
            self._toast.tell(self.tr("Copied code block {0} of {1}.").format(number, count))
        else:
            self._toast.tell(self.tr("This entry has no code to copy, or it is folded."))

    def use(self, view: TranscriptView) -> None:
        """Apply further actions to the transcript whose card requested an action."""
        self._view = view

    def show_raw(self, entry: int | None = None) -> None:
        """Show an entry as the archive stores it; the selected one by default."""
        key, entries = self._opened.selection if entry is None else entry, self._services.entries
        if key is None:
            return
        read = chain(
            entries.record(key),
            lambda record: chain(
                entries.rows([key]),
                lambda rows: then(entries.bodies([key]), lambda bodies: raw_text(record, rows[key], bodies[key])),
            ),
        )
        self._bridge.when_done(read, self._opened.unless_selection_changed(self._show_raw))

    def open_subagent(self, call: str) -> None:
        """Open the session of the agent that this call of the open session has begun."""
        parent = self._opened.key
        found = then(self._services.sessions.all(), lambda all: spawned(all, parent, call))
        self._bridge.when_done(found, self._opened.unless_selection_changed(self._open_session))

    def show_image(self, digest: str) -> None:
        """Open the picture in a dialog."""

        def decode(content: bytes | None) -> None:
            if content is not None:
                image = self._background.submit(lambda: _decoded(content))
                self._bridge.when_done(image, partial(self._show_image, digest, len(content)))

        self._bridge.when_done(self._services.entries.blob(digest), decode)

    def copy_image(self, digest: str) -> None:
        """Copy an image."""
        read = then(self._services.entries.blob(digest), lambda content: _decoded(content or b""))
        self._bridge.when_done(read, self._copy_read_image)

    def save_image(self, digest: str) -> None:
        """Ask for a file, then save an image in it, byte for byte."""
        ending = then(self._services.entries.blob(digest), ending_of)
        self._bridge.when_done(ending, partial(self._choose_file, digest))

    def _choose_file(self, digest: str, ending: str) -> None:
        dialog = QFileDialog(self._window, self.tr("Save image"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setDefaultSuffix(ending)
        dialog.selectFile(f"image-{digest[:8]}.{ending}")
        dialog.fileSelected.connect(lambda file: self.save_image_to(digest, Path(file)))
        dialog.open()

    def save_image_to(self, digest: str, path: Path) -> None:
        """Save an image in a file, and report the end in a toast."""
        done = self.tr("Saved in {0}.").format(path)
        self._bridge.when_done(
            self._services.exporting.blob_to_file(digest, path), lambda _size: self._toast.tell(done)
        )

    def _copy_read_image(self, image: QImage) -> None:
        if image.isNull():
            self._toast.tell(self.tr("This image cannot be shown."))
            return
        QGuiApplication.clipboard().setImage(image)
        self._toast.tell(self.tr("Image copied."))

    def select_all(self) -> None:
        """Select the text of the whole transcript."""
        if self._view is not None:
            self._view.selection.select_all()

    def copy(self, *, markdown: bool) -> None:
        """Copy the selection. Wholly selected entries are copied as written, partly selected ones as displayed."""
        if self._view is None:
            return
        parts = self._view.selection.parts()
        if not parts:
            text = self._view.selected_text()
            if text:
                put_on_clipboard(text)
            else:
                self._toast.tell(self.tr("No text is selected. Nothing was copied."))
            return
        copied, run = CopiedEntries(parts, markdown=markdown), self._copying
        is_wanted, keys = run.next_is_wanted(), [key for key, _ in parts]
        told = self._bridge.latest(partial(self._show_copying, is_wanted))
        read = self._services.entries.visit(keys, copied.add, is_wanted, told)
        self._bridge.when_done(read, lambda _done: self._copy_parts(copied.pieces, len(parts)), run=run)
        self._copies_many = len(parts) > MANY
        if self._copies_many:
            self._tell_copying(0)

    def _show_copying(self, is_wanted: Callable[[], bool], hundredths: int) -> None:
        """Show the copied share in large steps, because screen readers read each message."""
        if is_wanted() and self._copies_many and hundredths >= self._shown_percent + STEP:
            self._tell_copying(hundredths)

    def _tell_copying(self, hundredths: int) -> None:
        self._shown_percent = hundredths
        self._toast.tell(self.tr("Copying… {0}").format(percent(hundredths)), self.tr("Stop"), self._stop_copying)

    def _stop_copying(self) -> None:
        self._copying.cancel()
        self._toast.tell(self.tr("Stopped. The clipboard is unchanged."))

    def _copy_parts(self, parts: Sequence[str], count: int) -> None:
        self._copying.cancel()
        put_on_clipboard(*parts)
        self._toast.tell(self.tr("Copied %Ln entries.", None, count))

    def show_all(self, view: TranscriptView, key: int) -> None:
        """Show the long texts of an entry at full length."""
        whole = self._services.entries.bodies(view.unread(key))
        self._bridge.when_done(whole, lambda bodies: view.show_whole(key, bodies))

    def copy_text(self, key: int) -> None:
        """Copy an entry's text as Markdown; of a reply without text, its thoughts and calls."""
        read = self._services.entries.bodies([key])
        text = then(read, lambda bodies: text_to_copy(bodies[key].blocks) if key in bodies else "")
        self._bridge.when_done(text, self._on_text_read)

    def _on_text_read(self, text: str) -> None:
        if text:
            put_on_clipboard(text)
        else:
            self._toast.tell(self.tr("This entry has no text to copy."))

    def follow_link(self, target: str) -> None:
        """Show the target of a link in a toast, which opens it in the browser on request; refuse unsafe links."""
        if not is_safe_link(target):
            self._toast.tell(self.tr("Only http, https and mailto links can be opened: {0}").format(target[:200]))
            return
        self._toast.tell(target[:300], self.tr("Open in browser"), lambda: QDesktopServices.openUrl(QUrl(target)))

    def show_menu(self, view: TranscriptView, key: int) -> None:
        """Show the menu of an entry at the pointer, or below its card while the cursor is shown."""
        at = view.card_cursor.point() if view.card_cursor.is_shown else None
        menu: QMenu = self._actions.menu("entry", view)
        first = menu.actions()[0]
        for name, action in view.offers(key):
            made = menu.addAction(*self._menu_look(name, action))
            made.triggered.connect(partial(view.act, key, action))
            menu.insertAction(first, made)
        menu.popup(QCursor.pos() if at is None else at)

    def _menu_look(self, name: str, action: Action) -> tuple[QIcon, str]:
        """Return the icon and the text of an item in the menu of an entry."""
        if action.request is Request.SIBLING:
            return self._theme.icon("chevron-left" if action.step < 0 else "chevron-right"), name
        return self._actions.icon_and_text("transcript", SAME[action.request], name)

    def _show_raw(self, raw: object) -> None:
        assert isinstance(raw, RawText)
        RawDialog(self._theme, self._window, raw).show()

    def _show_image(self, digest: str, size: int, image: QImage) -> None:
        if image.isNull():
            self._toast.tell(self.tr("This image cannot be shown."))
        else:
            dialog = ImageDialog(self._theme, self._window, image, size)
            dialog.copy_requested.connect(partial(self.copy_image, digest))
            dialog.save_requested.connect(partial(self.save_image, digest))
            dialog.show()

    def _open_session(self, session: Session | None) -> None:
        if session is None:
            self._toast.tell(self.tr("This agent's session is not in the archive."))
        else:
            self.session_wanted.emit(session.key)

    # -- from prompt to prompt ----------------------------------------------------------------------------------

    def step_prompt(self, by: int) -> None:
        """Go to the next (`by` 1) or previous (-1) prompt; after the last prompt, to the end.

        The prompt is scrolled to the upper edge. It is the next prompt after the cursor while the cursor is shown,
        else after the card at the upper edge.
        """
        view, keys = self._active(), self._active().visible_keys
        by_cursor = view.card_cursor.is_shown
        found = self._prompt_beside(view.card_cursor.visible_key if by_cursor else keys[0], by) if keys else None
        if found is not None:
            view.scroll_to(found)
        if found is not None and by_cursor:
            self._opened.select(found)
        elif by > 0 and view.visible_keys[:1] == keys[:1]:  # the last prompts share the last page
            view.scroll_to_end()

    def _prompt_beside(self, key: int, by: int) -> int | None:
        """Return the key of the prompt after (`by` 1) or before (-1) an entry (key) of the path; None without one."""
        session_tree, at = self._opened.shown_tree, self._active().finding.position(key)
        if session_tree is None or at is None:
            return None
        path, tree = self._opened.path, session_tree.tree
        places = range(at + 1, len(path)) if by > 0 else range(at - 1, -1, -1)
        found = next(prompts_of(tree, map(path.__getitem__, places)), None)
        return None if found is None else tree.key(found)

    # -- exporting and copying entries --------------------------------------------------------------------------

    def choose_export(self, part: ExportPart = USUAL_PART, of: Session | None = None) -> None:
        """Ask for the file and the format of an export, then export the session `of`, or the open one."""
        session = of or self._opened.session
        if session is not None:
            future = self._services.exporting.left_out(session.key, part)
            self._bridge.when_done(future, lambda lost: self._ask_for_file(session, part, lost))

    def _ask_for_file(self, session: Session, part: ExportPart, lost: Mapping[str, LeftOut]) -> None:
        """Ask for the file and the format. Each format says how many entries it leaves out."""
        title = self.tr("Export session") if part.end is None else self.tr("Export path")
        dialog = QFileDialog(self._window, title, str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        exporting = self._services.exporting
        filters = {
            f"{_with_losses(name, lost.get(name, LeftOut()))} (*.{exporting.ending(name)})": name
            for name in exporting.names
        }
        dialog.setNameFilters(list(filters))
        dialog.selectFile(safe_name(title_of(session)))

        def set_suffix() -> None:
            dialog.setDefaultSuffix(exporting.ending(filters[dialog.selectedNameFilter()]))

        set_suffix()
        dialog.filterSelected.connect(set_suffix)
        dialog.fileSelected.connect(self._exporter(session.key, dialog, filters, part))
        dialog.open()

    def choose_whole_export(self) -> None:
        """Ask for the file and the format, then export all branches, also in a format that usually has one."""
        self.choose_export(ExportPart(is_whole=True))

    def choose_path_export(self, end: int) -> None:
        """Ask for the file and the format, then export the path that ends at this entry (store key)."""
        self.choose_export(ExportPart(end))

    def export(self, session: int, format: str, path: Path, part: ExportPart = USUAL_PART) -> None:
        """Write a session, or a part of it, to a file, and report the end of the export in a toast."""
        future = self._services.exporting.to_file(session, format, path, part)
        done = self.tr("Exported to {0}.").format(path)
        self._bridge.when_done(future, lambda _size: self._toast.tell(done))

    def copy_entries(self, keys: Sequence[int]) -> None:
        """Copy the text of entries as Markdown; several texts get the names of their speakers as headings."""
        entries = self._services.entries
        if len(keys) == 1:
            body = self._services.pages.bodies(keys).get(keys[0])
            if body is not None and body.cut:
                self.copy_text(keys[0])  # too long to be read on the GUI thread
            elif body is not None:
                self._on_text_read(text_to_copy(body.blocks))
            return
        turns = chain(
            entries.rows(keys),
            lambda rows: then(entries.bodies(keys), lambda bodies: turns_as_markdown(rows, bodies, keys)),
        )
        self._bridge.when_done(turns, self._copy_turns)

    def _copy_turns(self, turns: tuple[list[str], int]) -> None:
        parts, count = turns
        put_on_clipboard(*parts)
        self._toast.tell(self.tr("Copied %Ln turns as Markdown.", None, count))

    def _exporter(
        self, session: int, dialog: QFileDialog, filters: dict[str, str], part: ExportPart
    ) -> Callable[[str], None]:
        return lambda file: self.export(session, filters[dialog.selectedNameFilter()], Path(file), part)


def _with_losses(name: str, lost: LeftOut) -> str:
    """Return the name of a format with what an export in it leaves out, for the list of formats in a dialog."""
    told = [name]
    if lost.others:
        told.append(tr("without %Ln messages of other branches", None, lost.others))
    if lost.trashed:
        told.append(tr("without %Ln entries in the trash", None, lost.trashed))
    if lost.unsent:
        told.append(tr("with %Ln entries that only Stemmata uses", None, lost.unsent))
    return ", ".join(told)


def spawned(sessions: list[Session], parent: int | None, call: str) -> Session | None:
    """Return the session that a call of session `parent` began; None when the archive does not have it."""
    children = (session for session in sessions if session.parent == parent is not None and call)
    return next((session for session in children if details_of(session.details).get("toolCall") == call), None)


def _decoded(content: bytes) -> QImage:
    return decoded(QByteArray(content))


def ending_of(content: bytes | None) -> str:
    """Return the ending for the name of an image file by its content; "png" for an unknown one."""
    format = format_of(QByteArray(content or b""))
    return {"": "png", "jpeg": "jpg"}.get(format, format)


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("TranscriptController", text, comment, count)


def heading_of(row: EntryRow) -> str:
    """Return the heading under which an entry is copied."""
    if row.role is Role.USER:
        return translate_phrase(note_name(row)) or tr("You")
    if row.role is Role.ASSISTANT:
        return row.model or tr("Assistant")
    if row.kind is Kind.COMPACTION:
        return tr("Compaction")
    if row.kind is Kind.BRANCH_SUMMARY:
        return tr("Branch summary")
    return row.tool or translate_phrase(note_name(row)) or tr("Note")


def text_of(body: Body) -> str:
    """Return the text that is copied for an entry."""
    return plain_text(body.blocks, "\n\n").strip()


def safe_name(title: str) -> str:
    """Return the title as a file name that every system accepts, without an ending."""
    return UNSAFE.sub(" ", title)[:LONGEST_NAME].strip(" .") or "session"


def turns_as_markdown(
    rows: Mapping[int, EntryRow], bodies: Mapping[int, Body], keys: Sequence[int]
) -> tuple[list[str], int]:
    """Return the parts of a Markdown text with the entries that the archive still has, and their number.

    It runs on the db thread, since the texts may be long.
    """
    there = [key for key in keys if key in rows and key in bodies]
    parts: list[str] = []
    for at, key in enumerate(there):
        parts += ["\n\n" if at else "", f"## {heading_of(rows[key])}\n\n", text_of(bodies[key])]
    return [*parts, "\n"], len(there)
