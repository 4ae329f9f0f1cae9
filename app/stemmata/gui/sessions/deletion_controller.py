"""Deleting sessions for good: the one act that loses something, so the one that is asked about."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox

from stemmata.domain.entries.session_facts import Session
from stemmata.gui.core.window_context import Desk
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.sessions.words import title_of
from stemmata.gui.widgets.labels import set_property


class DeletionController(QObject):
    """Only what is in the trash can be deleted."""

    def __init__(self, desk: Desk, view: SessionsView) -> None:
        super().__init__(view)
        self._services, self._bridge, self._toast, self._view = desk.services, desk.bridge, desk.toast, view
        self.question: QMessageBox | None = None

    def ask(self) -> None:
        chosen = [session for session in self._view.selected if session.trashed]
        if not chosen:
            return
        box = self.question = QMessageBox(self._view.window())
        box.setObjectName("deletionQuestion")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(self.tr("Delete for good"))
        box.setTextFormat(Qt.TextFormat.PlainText)  # it names a title
        box.setText(self._question(chosen))
        box.setInformativeText(
            self.tr(
                "What is deleted here leaves the archive with its source records; this cannot be undone. The files "
                "of the tools it came from are not touched, and forks keep what they share."
            )
        )
        delete = box.addButton(self.tr("Delete for good"), QMessageBox.ButtonRole.DestructiveRole)
        set_property(delete, "danger", value=True)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        delete.clicked.connect(lambda: self._delete(chosen))
        box.finished.connect(box.deleteLater)
        box.destroyed.connect(self._on_closed)
        box.open()

    def _question(self, chosen: list[Session]) -> str:
        entries = sum(session.entries for session in chosen)
        if len(chosen) == 1:
            return self.tr("Delete “{0}” with its %Ln entries?", None, entries).format(title_of(chosen[0])[:80])
        sessions = self.tr("%Ln sessions", None, len(chosen))
        return self.tr("Delete for good: {0}, {1}?").format(sessions, self.tr("%Ln entries", None, entries))

    def _delete(self, chosen: list[Session]) -> None:
        deleted = self._services.sessions.delete([session.key for session in chosen])
        told = self.tr("Deleted %Ln sessions for good.", None, len(chosen))
        self._bridge.when_done(deleted, lambda _done: self._toast.tell(told))

    def _on_closed(self) -> None:
        self.question = None
