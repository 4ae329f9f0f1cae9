"""Exporting the open session, and copying single entries."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from stemmata.domain.blocks import plain_text
from stemmata.gui.models.sessions_words import title_of
from stemmata.gui.windows.desk import Desk

ENDINGS = {"pi": "jsonl", "claude-code": "jsonl", "markdown": "md", "html": "html", "json": "json", "bundle": "jsonl"}
UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
LONGEST_NAME = 80


class ExportController(QObject):
    def __init__(self, desk: Desk, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._bridge, self._opened = desk.services, desk.bridge, desk.opened
        self._toast, self._window = desk.toast, window
        desk.actions.on("export", self.choose)

    def choose(self) -> None:
        """Ask where to and in which format."""
        session = self._opened.session
        if session is None:
            return
        dialog = QFileDialog(self._window, self.tr("Export session"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        filters = {f"{name} (*.{ENDINGS.get(name, 'txt')})": name for name in self._services.exporting.names}
        dialog.setNameFilters(list(filters))
        dialog.selectFile(safe_name(title_of(session)))
        dialog.fileSelected.connect(self._exporter(session.key, dialog, filters))
        dialog.open()

    def export(self, session: int, format: str, path: Path) -> None:
        """Write the session to a file; the window says when it is done."""
        future = self._services.exporting.to_file(session, format, path)
        done = self.tr("Exported to {0}.").format(path)
        self._bridge.when_done(future, lambda _size: self._toast.tell(done))

    def copy(self, key: int) -> None:
        """An entry's text, as Markdown."""
        body = self._services.pages.bodies([key], limit=1 << 30).get(key)
        if body is not None:
            QGuiApplication.clipboard().setText(plain_text(body.blocks, "\n\n"))

    def _exporter(self, session: int, dialog: QFileDialog, filters: dict[str, str]) -> Callable[[str], None]:
        def take(file: str) -> None:
            format = filters[dialog.selectedNameFilter()]
            path = Path(file)
            self.export(session, format, path if path.suffix else path.with_suffix(f".{ENDINGS.get(format, 'txt')}"))

        return take


def safe_name(title: str) -> str:
    """A file name that every system takes, without an ending."""
    return UNSAFE.sub(" ", title)[:LONGEST_NAME].strip(" .") or "session"
