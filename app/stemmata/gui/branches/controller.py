"""Shows the tree of the open session and acts on its branches: continue, fork, trash, omit, label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.compaction.branch_summary import abandoned_message_count, destination
from stemmata.domain.context.projection import CUT, OUT
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.session import Session
from stemmata.domain.sessions.steps import LIST
from stemmata.gui.branches.finder import Stopped
from stemmata.gui.branches.leave_popup import LeavePopup
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.actions import State
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.turns import TurnSteps, paint_in_turns
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.words import source_name
from stemmata.gui.widgets.popup import TextPopup
from stemmata.services.compaction.request import Compaction, CompactionRequest
from stemmata.services.futures import chain, run_in_thread
from stemmata.services.sessions.branching import Position
from stemmata.services.sessions.histories import Undone

MOST_MATCHES = 1000
SLOW_MS = 300  # until placeholders replace the rows of the session before, which stay for trees that are read faster
COMPACTIONS = frozenset({"compact", "auto-compact", "edit-summary"})  # steps that end at a compaction
PRUNINGS = (Kind.TOOL_PRUNE, Kind.OMISSION)
_ASK = object()


def _is_followed_by_notes(tree: Tree, entry: int, leaf: int | None) -> bool:
    """Return whether only notes lie between an entry and the leaf."""
    at = -1 if leaf is None else leaf
    while at >= 0 and at != entry and tree.kind(at) is Kind.CUSTOM_MESSAGE:
        at = tree.parents[at]
    return at == entry


class BranchesController(QObject):
    """Shows the tree of the open session, searches in it, moves the leaf and annotates entries."""

    session_wanted = Signal(int)  # key of the fork to open
    prompt_taken = Signal(int)  # key of the entry whose text was put into the composer
    prompt_dropped = Signal()  # the move that filled the composer was undone: the composer has to be emptied

    def __init__(self, shared: WindowContext, view: BranchesView, composer: Composer, popup: TextPopup) -> None:
        opened, actions = shared.opened, shared.actions
        super().__init__(view)
        self._services, self._bridge, self._actions, self._toast = (
            shared.services,
            shared.bridge,
            actions,
            shared.toast,
        )
        self._opened, self._composer, self._popup = opened, composer, popup
        self._background, self._view = shared.background, view
        self._always: object = _ASK  # _ASK, or the answer to reuse: the focus of a summary, or None for no summary
        self._leave_run = LatestOnly()
        self._answer: Callable[[str | None], None] = lambda _focus: None
        self._history = shared.history
        self._history.stepped.connect(self._on_stepped)
        self._labelling: Sequence[int] = ()
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self.show_waiting)
        view.list.refreshed.connect(self._on_rows)
        opened.started.connect(self._on_started)
        opened.tree_read.connect(self._on_tree_read)
        opened.selected.connect(self._on_selected)
        shared.background.delivered.connect(self._on_delivered)  # select the session's entry again in a new outline
        popup.accepted.connect(self._on_labelled)
        self._marking = TurnSteps(self)  # after the transcript: painting both in one turn takes longer than a frame
        opened.view_changed.connect(self._show_viewed_later)
        view.view_requested.connect(opened.view_entry)
        view.leaf_requested.connect(self.go_to_leaf)
        view.list.row_selected.connect(opened.keep_place)
        view.set_find(self._find)

    # -- showing ------------------------------------------------------------------------------------------------

    def go_to_leaf(self) -> None:
        """Show the active path and select the leaf."""
        self._opened.view_leaf()
        self._view.go_to_leaf()
        # the rows may be those of an earlier tree, whose leaf must not be shown instead
        self._view.cancel_view_request()
        self._on_selected()

    def show_waiting(self) -> None:
        """Show the placeholder rows, unless the tree is shown by now."""
        if self._view.outline is None:
            self._view.list.show_waiting()

    def _on_started(self) -> None:
        self._forget()
        self._marking.finish()
        if self._labelling:
            self._labelling = ()  # the entries belong to the session that was open before
            self._popup.hide()
        self._view.clear(keeps_picture=self._opened.key is not None)
        if self._opened.key is None:
            self._slow.stop()
        elif not self._slow.isActive():  # else quick steps through the sessions would keep the old picture
            self._slow.start()

    def _on_rows(self) -> None:
        if self._view.outline is not None:  # the rows of a large session come long after its tree
            self._slow.stop()

    def _on_tree_read(self) -> None:
        session_tree = self._opened.session_tree
        assert session_tree is not None
        self._view.model.tool = source_name(session_tree.session.source)
        self._view.show_tree(session_tree.tree, session_tree.session.leaf, self._opened.compacted)
        if self._opened.is_at_new_leaf:  # before its row is there: a key must not act on the leaf that was left
            self._view.select(session_tree.session.leaf)
        self._marking.finish()
        self._show_viewed()

    def _show_viewed_later(self) -> None:
        self._marking.finish()
        paint_in_turns((self._view.list,), self._marking)
        self._marking.start(self._show_viewed)

    def _show_viewed(self) -> None:
        """Mark the path that the transcript shows."""
        session_tree, end = self._opened.session_tree, self._opened.end
        self._view.list.show_viewed(None if session_tree is None or end is None else session_tree.tree.key(end))

    def _on_selected(self) -> None:
        self._view.select(self._opened.selection)

    def _on_delivered(self) -> None:
        if not self._view.is_choosing:  # a pending choice of the navigator reaches the open session in a moment
            self._on_selected()

    def _find(self, query: str, stopped: Stopped) -> Any:
        """Return a future of the keys of matching entries; `Background.compute` resolves it without blocking."""
        return self._services.searching.entries(query, session=self._opened.key, limit=MOST_MATCHES, stopped=stopped)

    # -- moving the leaf, annotating entries --------------------------------------------------------------------

    def continue_from(self, entry: int | None, focus: str | None = None) -> None:
        """Move the leaf to an entry (key). For a prompt, move it to the parent and put the text into the composer.

        With a `focus` (which may be ""), first summarise the abandoned branch, and move the leaf to the summary.
        """
        session = self._opened.key
        if session is not None and entry is not None:
            self._opened.follow_leaf()
            future = self._services.branching.continue_from(session, entry, focus=focus)
            self._bridge.when_done(future, lambda position: self._on_continued(position, entry))

    def _on_stepped(self, undone: Undone, forward: bool, is_here: bool) -> None:  # noqa: FBT001 - a slot
        """Show the effect of an undone or redone step on the open session.

        A user who has chosen another entry or session meanwhile (not `is_here`) stays there.
        """
        if not forward and self._opened.key in undone.made and undone.origin is not None:
            self.session_wanted.emit(undone.origin)
        elif is_here and forward and undone.origin is not None and undone.origin == self._opened.key:
            self.session_wanted.emit(undone.made[0])
        if undone.session != self._opened.key:
            return
        if undone.moved and is_here:
            self._opened.follow_leaf()
            self._opened.selection = undone.leaf
        if undone.text and forward and not self._composer.text:
            self._composer.put(undone.text)
        elif undone.text and not forward and self._composer.text == undone.text:
            self.prompt_dropped.emit()

    def undo_compaction(self, compaction: int) -> None:
        """Undo a compaction (key): undo the last move if that made it, else move the leaf to the entry before it."""
        session_tree = self._opened.session_tree
        index = None if session_tree is None else session_tree.tree.get(compaction)
        if session_tree is None or index is None:
            return
        tree, last = session_tree.tree, self._history.of_session.next_undo
        is_last = last is not None and last.what in COMPACTIONS and last.leaf == session_tree.session.leaf
        if last is not None and is_last and _is_followed_by_notes(tree, index, self._opened.leaf):
            self._history.undo_session(last.key)
            return
        above = tree.parents[index]
        while above >= 0 and tree.kind(above) in PRUNINGS:  # it pruned first: both are one step
            above = tree.parents[above]
        parent = tree.key(above) if above >= 0 else None
        self._opened.follow_leaf()
        future = self._services.branching.move_leaf(session_tree.session.key, parent)
        self._bridge.when_done(future, self._on_compaction_undone)

    def _on_compaction_undone(self, position: Position) -> None:
        self._arrive(position)
        text = self.tr("Compaction undone. It stays in the tree, with the entries after it.")
        self._history.tell(text, position.session, size_at=position.leaf)

    def fork(self, entry: int | None) -> None:
        """Create a session that ends at the entry (key) and open it.

        While a compaction is previewed, ask first, and leave the preview with its cut open. An entry of a session
        that was open before, asked for in a menu that stayed open, is ignored.
        """
        session, session_tree = self._opened.key, self._opened.session_tree
        if session is None or entry is None or (session_tree is not None and session_tree.tree.get(entry) is None):
            return
        if State.PREVIEW not in self._actions.state:
            forked = self._opened.unless_selection_changed(self._on_forked, self._on_forked_beside)
            self._bridge.when_done(self._services.branching.fork(session, entry), forked)
            return

        def fork() -> None:
            self._bridge.when_done(self._services.branching.fork(session, entry), self._on_forked_beside)

        told = self.tr("Fork to a new session? The preview stays open.")
        self._toast.tell(told, self.tr("Fork"), fork, of_open=True)

    def trash(self, entry: int | None) -> None:
        """Move an entry (key) and everything below it to the trash, or restore it."""
        session_tree = self._opened.session_tree
        index = None if session_tree is None else session_tree.tree.get(entry)
        if session_tree is None or entry is None or index is None:
            return
        session, before, on = (
            session_tree.session.key,
            session_tree.session.leaf,
            index not in session_tree.tree.trash,
        )
        future = self._services.branching.trash(session, entry, on=on)

        def select(position: Position) -> None:
            if position.leaf != before:
                self._opened.selection = position.leaf

        arrive = self._opened.unless_selection_changed(select)

        def done(position: Position) -> None:
            arrive(position)
            told = self.tr("Branch moved to trash.") if on else self.tr("Branch restored from trash.")
            self._history.tell(told, session)

        self._bridge.when_done(future, done)

    def omit(self, entry: int, how: str, then: Callable[[], object] = lambda: None) -> None:
        """Exclude an entry (key) from the context, cut it, or send it in full again; then call `then`."""
        session = self._opened.key
        if session is None:
            return
        self._opened.follow_leaf()
        told = {
            OUT: self.tr("Excluded from the context."),
            CUT: self.tr("Entry cut: only its beginning and end are sent."),
        }

        def done(_key: int) -> None:
            self._history.tell(told.get(how, self.tr("Sent in full again.")), session)
            then()

        self._bridge.when_done(self._services.pruning.omit(session, entry, how), done)

    def summarise_all(self, then: Callable[[], object]) -> None:
        """Replace all entries of the active path by a summary, keeping none; then call `then`."""
        session_tree = self._opened.session_tree
        if session_tree is None or session_tree.session.leaf is None:
            return
        self._opened.follow_leaf()
        request = CompactionRequest(session=session_tree.session.key, leaf=session_tree.session.leaf, whole=True)
        written = run_in_thread(lambda: self._services.summary_writing.written(request))

        def done(_made: Compaction) -> None:
            self._history.tell(self.tr("Summarised."), request.session)
            then()

        self._bridge.when_done(chain(written, self._services.compaction.run), done)

    def omit_selected(self, how: str) -> None:
        """Leave the selected entry out of the context, or send it again: `how` is one of the values of `omit`."""
        if self._opened.selection is not None:
            self.omit(self._opened.selection, how)

    def pin(self, entries: Sequence[int]) -> None:
        """Pin these entries (keys), or unpin them when all of them are pinned."""
        session_tree = self._opened.session_tree
        if session_tree is None:
            return
        tree = session_tree.tree
        pinned = {key: index in tree.pins for key in entries if (index := tree.get(key)) is not None}
        on = not all(pinned.values())
        changed = [key for key, was in pinned.items() if was != on]
        if changed:
            text = self._pinned_text(len(changed), many=len(entries) > 1, on=on)
            session = session_tree.session.key
            future = self._services.branching.pin(session, changed, on=on)
            self._bridge.when_done(future, lambda _done: self._history.tell(text, session))

    def _pinned_text(self, count: int, *, many: bool, on: bool) -> str:
        if many and on:
            return self.tr("Pinned %Ln turns: compactions keep them.", None, count)
        if many:
            return self.tr("Unpinned %Ln turns.", None, count)
        return self.tr("Pinned: compactions keep this entry.") if on else self.tr("Unpinned.")

    def label(self, entries: Sequence[int]) -> None:
        """Ask for a label for these entries (keys), in a popup under the last one."""
        session_tree = self._opened.session_tree
        known = [] if session_tree is None else [key for key in entries if session_tree.tree.get(key) is not None]
        if session_tree is not None and known:
            self._labelling = tuple(known)
            index = session_tree.tree.get(known[0]) if len(entries) == 1 else None
            text = "" if index is None else session_tree.tree.labels.get(index, "")
            at = self._view.point_of(entries[-1])
            self._popup.ask(at, text, hint=self.tr("Label (empty removes it)"), take=self.tr("Label"))

    # -- leaving a branch: the abandoned messages are counted in the background, which is slow in a long session --

    @cached_property
    def leave_popup(self) -> LeavePopup:
        """The popup that asks whether to summarise an abandoned branch, created on first use."""
        made = LeavePopup(self._view.theme, self._view.window())
        made.answered.connect(lambda focus, always: self._on_answered(focus, always=always))
        return made

    def leave_for(self, key: int) -> None:
        """Continue from an entry (key); ask about a summary first if messages of the active branch are abandoned."""

        def answer(focus: str | None) -> None:
            self.continue_from(key, focus)

        def decide(count: int) -> None:
            if not count:
                answer(None)
            elif self._always is _ASK:
                text = self.tr(
                    "You leave %Ln messages of the active branch. They stay in the tree as a branch of their own.",
                    None,
                    count,
                )
                self._ask(key, text, answer)
            else:
                answer(self._always if isinstance(self._always, str) else None)

        self._count(key, lambda tree, entry: destination(tree, entry, ()).leaf, decide)

    def _count(self, key: int, target: Callable[[Tree, int], int | None], decide: Callable[[int], None]) -> None:
        session_tree, leaf = self._opened.session_tree, self._opened.leaf
        entry = None if session_tree is None else session_tree.tree.get(key)
        if session_tree is not None and entry is not None:
            tree = session_tree.tree
            counted = self._background.submit(lambda: abandoned_message_count(tree, leaf, target(tree, entry)))
            self._bridge.when_done(counted, decide, run=self._leave_run)

    def _ask(self, key: int, text: str, answer: Callable[[str | None], None]) -> None:
        self._answer = answer
        self.leave_popup.ask(self._view.point_of(key), text)

    def _forget(self) -> None:
        """Drop the open question about an abandoned branch, because another session is opened."""
        self._leave_run.cancel()
        self._answer = lambda _focus: None
        if "leave_popup" in vars(self):
            self.leave_popup.hide()

    def _on_answered(self, focus: str | None, *, always: bool) -> None:
        if always:
            self._always = focus
        self._answer(focus)

    # -- answers ----------------------------------------------------------------------------------------------

    def _on_labelled(self, text: str) -> None:
        entries, self._labelling = self._labelling, ()
        if self._opened.key is not None and entries:
            future = self._services.branching.label(self._opened.key, entries, text)
            self._bridge.when_done(future, lambda _done: None)

    def _on_continued(self, position: Position, entry: int) -> None:
        if position.session == self._opened.key:
            if position.text:
                self._composer.put(position.text)
            if position.leaf != entry:
                self.prompt_taken.emit(entry)
        self._arrive(position)

    def _arrive(self, position: Position) -> None:
        if position.session == self._opened.key:
            self._opened.arrive_at(position.leaf)

    def _on_forked_beside(self, session: Session) -> None:
        text, show = self.tr("Forked to a new session, which shares the earlier entries."), self.tr("Show")
        self._toast.tell(text, show, lambda: self.session_wanted.emit(session.key))

    def _on_forked(self, session: Session) -> None:
        self._history.tell(self.tr("Forked to a new session, which shares the earlier entries."), LIST)
        self.session_wanted.emit(session.key)
