"""Exporting the open session, and copying single entries."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.session_facts import Body, EntryRow
from stemmata.gui.core.window_context import Desk
from stemmata.gui.sessions.words import title_of
from stemmata.services.futures import chain, then

UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
LONGEST_NAME = 80


class ExportController(QObject):
    def __init__(self, desk: Desk, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._bridge, self._opened = desk.services, desk.bridge, desk.opened
        self._toast, self._window = desk.toast, window

    def choose(self) -> None:
        """Ask where to and in which format."""
        session = self._opened.session
        if session is None:
            return
        dialog = QFileDialog(self._window, self.tr("Export session"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        exporting = self._services.exporting
        filters = {f"{name} (*.{exporting.ending(name)})": name for name in exporting.names}
        dialog.setNameFilters(list(filters))
        dialog.selectFile(safe_name(title_of(session)))

        def end() -> None:
            dialog.setDefaultSuffix(exporting.ending(filters[dialog.selectedNameFilter()]))

        end()
        dialog.filterSelected.connect(end)
        dialog.fileSelected.connect(self._exporter(session.key, dialog, filters))
        dialog.open()

    def export(self, session: int, format: str, path: Path) -> None:
        """Write the session to a file; the window says when it is done."""
        future = self._services.exporting.to_file(session, format, path)
        done = self.tr("Exported to {0}.").format(path)
        self._bridge.when_done(future, lambda _size: self._toast.tell(done))

    def copy(self, keys: Sequence[int]) -> None:
        """Copy the text of an entry as Markdown; those of several entries are put under the names of the speakers."""
        entries = self._services.entries
        if len(keys) == 1:
            body = self._services.pages.bodies(keys, limit=1 << 30).get(keys[0])
            if body is not None:
                QGuiApplication.clipboard().setText(plain_text(body.blocks, "\n\n"))
            return
        self._bridge.when_done(
            chain(entries.rows(keys), lambda rows: then(entries.bodies(keys), lambda bodies: (rows, bodies))),
            lambda found: self._put(found[0], found[1], keys),
        )

    def _put(self, rows: Mapping[int, EntryRow], bodies: Mapping[int, Body], keys: Sequence[int]) -> None:
        there = [key for key in keys if key in rows and key in bodies]
        parts = [f"## {heading_of(rows[key])}\n\n{text_of(bodies[key])}" for key in there]
        QGuiApplication.clipboard().setText("\n\n".join(parts) + "\n")
        self._toast.tell(self.tr("Copied %Ln turns as Markdown.", None, len(there)))

    def _exporter(self, session: int, dialog: QFileDialog, filters: dict[str, str]) -> Callable[[str], None]:
        return lambda file: self.export(session, filters[dialog.selectedNameFilter()], Path(file))


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("ExportController", text, comment, count)


def heading_of(row: EntryRow) -> str:
    if row.role is Role.USER:
        return tr("You")
    if row.role is Role.ASSISTANT:
        return row.model or tr("Assistant")
    if row.kind is Kind.COMPACTION:
        return tr("Compaction")
    if row.kind is Kind.BRANCH_SUMMARY:
        return tr("Branch summary")
    return row.tool or row.name or tr("Note")


def text_of(body: Body) -> str:
    return plain_text(body.blocks, "\n\n").strip()


def safe_name(title: str) -> str:
    """A file name that every system takes, without an ending."""
    return UNSAFE.sub(" ", title)[:LONGEST_NAME].strip(" .") or "session"
