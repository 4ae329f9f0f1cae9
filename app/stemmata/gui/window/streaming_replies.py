"""Shows streaming replies in the transcripts, and marks running sessions and branches in their lists."""

from __future__ import annotations

from PySide6.QtCore import QObject

from stemmata.domain.chat.run import RunState
from stemmata.domain.sessions.session import SessionTree
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.streams import Streams
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.window.split_controller import SplitController
from stemmata.services.chat.run_states import branched_notice


class StreamingReplies(QObject):
    """Shows streaming replies on both sides, and tells when another process or window moves the leaf during a run."""

    def __init__(
        self,
        shared: WindowContext,
        streams: Streams,
        split: SplitController,
        view: BranchesView,
        sessions: SessionsModel,
    ) -> None:
        super().__init__(split)
        self._services, self._bridge, self._toast = shared.services, shared.bridge, shared.toast
        self._streams, self._opened, self._split = streams, shared.opened, split
        self._branches, self._sessions = view, sessions
        self._running: frozenset[int] = frozenset()
        self._told: set[int] = set()  # runs whose toast about a moved leaf was shown
        self._look_run = LatestOnly()
        streams.grew.connect(self._on_grew)
        streams.state_changed.connect(self._on_state_changed)
        self._opened.started.connect(self._show)
        self._opened.tree_read.connect(self._on_path_shown)
        self._opened.tree_read.connect(self._mark)
        self._opened.tree_read.connect(self._check_leaf)
        self._opened.view_changed.connect(self._on_path_shown)
        split.shown.connect(self._on_other_shown)

    # -- marks --------------------------------------------------------------------------------------------------

    def _on_state_changed(self, state: RunState) -> None:
        self._running = self._running | {state.session} if state.is_busy else self._running - {state.session}
        self._sessions.set_running(self._running)
        if state.session == self._opened.key:
            self._mark()
            if state.beside is not None:
                self._tell(state, state.beside)

    def _mark(self) -> None:
        state = self._streams.state(self._opened.key)
        self._branches.set_streaming(state.tip if state.is_busy else None)

    # -- replies ------------------------------------------------------------------------------------------------

    def _on_grew(self, session: int) -> None:
        if session == self._opened.key:
            self._show()
        other = self._split.other
        if other is not None and other[1].session.key == session:
            self._show_other()

    def _on_path_shown(self) -> None:
        """Drop the streaming replies that are entries of the tree by now, and show the rest."""
        if self._opened.session_tree is not None:
            self._forget(self._opened.session_tree)
        self._show()

    def _on_other_shown(self) -> None:
        other = self._split.other
        if other is not None and other[1].session.key != self._opened.key:
            self._forget(other[1])  # otherwise `_on_path_shown` drops the replies
        self._show_other()

    def _forget(self, session_tree: SessionTree) -> None:
        self._streams.forget(session_tree.session.key, lambda entry: session_tree.tree.get(entry) is not None)

    def _show(self) -> None:
        opened = self._opened
        session_tree = opened.shown_tree
        is_here = session_tree is not None and self._is_here(session_tree, opened.end)
        self._split.view.show_replies(self._streams.replies(opened.key) if is_here else ())

    def _show_other(self) -> None:
        other = self._split.other
        if other is not None:
            view, session_tree, end = other
            replies = self._streams.replies(session_tree.session.key)
            view.show_replies(replies if self._is_here(session_tree, end) else ())

    def _is_here(self, session_tree: SessionTree, end: int | None) -> bool:
        """Return whether the path ends at the run's tip; a tip that is not in the tree yet counts as at the leaf."""
        tip, tree = self._streams.state(session_tree.session.key).tip, session_tree.tree
        if tip is None:
            return False
        index = tree.get(tip)
        return end == (tree.get(session_tree.session.leaf) if index is None else index)

    # -- leaves moved during a run --------------------------------------------------------------------------

    def _check_leaf(self) -> None:
        """Check whether another process moved the leaf during the run, which then continues on its own branch."""
        opened = self._opened
        state = self._streams.state(opened.key)
        if opened.session is None or not state.is_busy or state.tip in (None, opened.session.leaf):
            return
        beside = self._services.runs.beside(state.session, state.tip)
        self._bridge.when_done(beside, lambda found: self._on_looked(state, found), run=self._look_run)

    def _on_looked(self, state: RunState, beside: int | None) -> None:
        if beside is not None and state.session == self._opened.key:
            self._tell(state, beside)

    def _tell(self, state: RunState, beside: int) -> None:
        opened = self._opened
        if state.run in self._told:
            return
        self._told.add(state.run)
        if opened.viewed_key is None and state.tip is not None:
            opened.view_entry(state.tip)
        self._toast.tell(
            translate_phrase(branched_notice()),
            self.tr("Show branch"),
            lambda: opened.view_entry(beside),
            of_open=True,
        )
