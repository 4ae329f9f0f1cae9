"""Streaming replies in the transcripts: shown where they will stand, until they stand there."""

from __future__ import annotations

from PySide6.QtCore import QObject

from stemmata.domain.chat.run import RunState
from stemmata.domain.entries.session_facts import Skeleton
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.open_session import OpenSession
from stemmata.gui.core.streams import Streams
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.window.split_controller import SplitController


class StreamMarks(QObject):
    def __init__(self, streams: Streams, opened: OpenSession, view: BranchesView, sessions: SessionsModel) -> None:
        super().__init__(view)
        self._streams, self._opened, self._view, self._sessions = streams, opened, view, sessions
        self._running: frozenset[int] = frozenset()
        streams.state_changed.connect(self._on_state_changed)
        opened.tree_read.connect(self._mark)

    def _on_state_changed(self, state: RunState) -> None:
        self._running = self._running | {state.session} if state.is_busy else self._running - {state.session}
        self._sessions.set_running(self._running)
        if state.session == self._opened.key:
            self._mark()

    def _mark(self) -> None:
        state = self._streams.state(self._opened.key)
        self._view.set_streaming(state.tip if state.is_busy else None)


class StreamController(QObject):
    """On both sides of the window."""

    def __init__(self, streams: Streams, opened: OpenSession, split: SplitController) -> None:
        super().__init__(split)
        self._streams, self._opened, self._split = streams, opened, split
        streams.grew.connect(self._on_grew)
        opened.started.connect(self._show)
        opened.tree_read.connect(self._on_path_shown)
        opened.looked.connect(self._on_path_shown)
        split.shown.connect(self._on_other_shown)

    def _on_grew(self, session: int) -> None:
        if session == self._opened.key:
            self._show()
        other = self._split.other
        if other is not None and other[1].session.key == session:
            self._show_other()

    def _on_path_shown(self) -> None:
        """Entries that are in the tree now need no card of their own."""
        if self._opened.skeleton is not None:
            self._forget(self._opened.skeleton)
        self._show()

    def _on_other_shown(self) -> None:
        other = self._split.other
        if other is not None and other[1].session.key != self._opened.key:
            self._forget(other[1])  # else the side that is active says when
        self._show_other()

    def _forget(self, skeleton: Skeleton) -> None:
        self._streams.forget(skeleton.session.key, lambda entry: skeleton.tree.get(entry) is not None)

    def _show(self) -> None:
        opened = self._opened
        is_here = opened.skeleton is not None and self._is_here(opened.skeleton, opened.end)
        self._split.view.show_replies(self._streams.replies(opened.key) if is_here else ())

    def _show_other(self) -> None:
        other = self._split.other
        if other is not None:
            view, skeleton, end = other
            replies = self._streams.replies(skeleton.session.key)
            view.show_replies(replies if self._is_here(skeleton, end) else ())

    def _is_here(self, skeleton: Skeleton, end: int | None) -> bool:
        """Whether the path that is shown ends where the run goes on; a tip not in the tree yet is about to be."""
        tip, tree = self._streams.state(skeleton.session.key).tip, skeleton.tree
        if tip is None:
            return False
        index = tree.get(tip)
        return end == (tree.get(skeleton.session.leaf) if index is None else index)
