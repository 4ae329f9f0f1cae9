"""Somebody in front of the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import Application
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.tree import Tree
from stemmata.gui.branches.leave_popup import LeavePopup
from tests.fakes.waiting import PATIENCE


class Person:
    """A user of the window: the actions and what the window shows."""

    def __init__(self, application: Application, qtbot: QtBot) -> None:
        self.application = application
        self.gui, self.window, self.qtbot = application.gui, application.window, qtbot
        self._compaction: tuple[Tree, int | None, int | None] | None = None  # of a tree and its leaf

    @property
    def tree(self) -> Tree:
        assert self.gui.opened.session_tree is not None
        return self.gui.opened.session_tree.tree

    @property
    def leaf(self) -> int | None:
        assert self.gui.opened.session is not None
        return self.gui.opened.session.leaf

    @property
    def compaction(self) -> int | None:
        """The key of the last compaction of the active branch; a note may be below it.

        It is looked for once in a tree: 14,000 entries take 6 ms, and tests ask while the window works.
        """
        tree, leaf = self.tree, self.leaf
        if self._compaction is None or self._compaction[:2] != (tree, leaf):
            found = (entry for entry in reversed(tree.path(tree.get(leaf))) if tree.kind(entry) is Kind.COMPACTION)
            self._compaction = tree, leaf, next(map(tree.key, found), None)
        return self._compaction[2]

    def key(self, id: str) -> int:
        session = self.gui.opened.key
        assert session is not None
        return self.application.services.entries.key(session, id).result(PATIENCE)

    def drop(self, *paths: Path) -> None:
        """Drop files on the window, and wait until the session is open with its tree."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        event = QDropEvent(
            QPointF(100, 100), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        self.window.dropEvent(event)
        self.until(lambda: self.gui.opened.session_tree is not None)

    def until(self, condition: Callable[[], bool | None]) -> None:
        self.qtbot.waitUntil(condition)

    def see(self) -> None:
        """Wait until the window shows its new page or size in place of its old picture."""
        self.until(lambda: not self.window.new_picture.is_painting and not self.gui.theme.is_changing)

    def first_kept(self) -> int | None:
        """Return the key of the first entry that the offered compaction keeps."""
        offer = self.gui.compaction.offer
        return None if offer is None else self.tree.key(offer.preview.plan.kept[0])

    def is_planned(self) -> bool:
        """Whether the compaction of the open session is planned; the tree is there, too."""
        return self.gui.compaction.offer is not None

    @property
    def leave_popup(self) -> LeavePopup:
        """Wait for the question about the abandoned branch, and return its popup."""
        popup = self.gui.controllers.branches.leave_popup
        self.until(popup.isVisible)
        return popup

    def just_go(self) -> None:
        """Answer the question with Enter, without changing it."""
        QTest.keyClick(self.leave_popup.go, Qt.Key.Key_Return)

    def in_workbench(self) -> bool:
        return self.window.columns.in_workbench

    def total(self) -> str:
        self.until(lambda: not self.gui.controllers.context.is_behind)
        return self.window.context.breakdown.note.text()
