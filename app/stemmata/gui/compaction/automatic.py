"""The controller of automatic compaction: its switch, its notices, and the digest that they offer."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from PySide6.QtCore import QObject

from stemmata.domain.chat.run import Noticed
from stemmata.domain.sessions.details import is_compacted_by_hand
from stemmata.domain.sessions.steps import History
from stemmata.gui.compaction.reports import CompactionReports
from stemmata.gui.core.window_context import WindowContext
from stemmata.services.chat.compaction_notices import noted
from stemmata.services.compaction.request import Compaction, CompactionRequest

MADE = frozenset({"auto-compact", "auto-prune"})  # the steps that notices are about


class AutoCompactionController(QObject):
    """Switches automatic compaction of the open session, and shows notices about it."""

    def __init__(self, shared: WindowContext, reports: CompactionReports, parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._actions, self._toast, self._history = shared.actions, shared.toast, shared.history
        self._reports = reports
        self._opened.tree_read.connect(self._show_switch)

    def switch(self) -> None:
        """Switch automatic compaction of the open session on or off."""
        session = self._opened.session
        if session is None:
            return
        if not self._services.contexts.settings.enabled:
            self._show_switch()
            self._toast.tell(self.tr("Automatic compaction is off in the settings, for all sessions."))
            return
        by_hand = not is_compacted_by_hand(session.details)
        off = self.tr("Automatic compaction is off for this session.")
        text = off if by_hand else self.tr("Automatic compaction is on for this session.")
        future = self._services.sessions.set_manual_compaction(session.key, on=by_hand)
        self._bridge.when_done(future, lambda _done: self._toast.tell(text))

    def _show_switch(self) -> None:
        """Check the menu item when the open session is compacted automatically."""
        session = self._opened.session
        is_on = self._services.contexts.settings.enabled
        is_on = is_on and session is not None and not is_compacted_by_hand(session.details)
        self._actions["auto-compact"].setChecked(is_on)

    def tell_notice(self, notice: Noticed) -> None:
        """Show a notice about an automatic compaction of the open session; the transcript has it as a note."""
        if notice.session != self._opened.key:
            return
        if notice.offers_digest:
            self._toast.tell(notice.title, self.tr("Use the digest"), self.use_digest, of_open=True)
        elif notice.has_changed:
            self._toast.tell(notice.title, self.tr("Undo"), lambda: self._undo_notice(notice), of_open=True)
        else:
            self._toast.tell(notice.title)

    def _undo_notice(self, notice: Noticed) -> None:
        """Undo the compaction of a notice, and no later step, such as a pin."""

        def undo(history: History) -> None:
            session, last = self._opened.session, history.next_undo
            is_last = session is not None and (session.key, session.leaf) == (notice.session, notice.tip)
            if is_last and last is not None and last.what in MADE:
                self._history.undo_session(last.key)
            elif self._opened.key == notice.session:
                self._toast.tell(self.tr("The session has new entries since then. Undo the compaction on its card."))

        # the history that the window has may be that from before the notice
        self._bridge.when_done(self._services.histories.of(notice.session), undo)

    def use_digest(self, then: Callable[[], object] = lambda: None) -> None:
        """Compact the open session with the digest, after a model wrote no summary; then call `then`."""
        session = self._opened.session
        if session is None or session.leaf is None:
            return
        self._opened.follow_leaf()
        most = self._opened.context(self._opened.leaf).part_left  # as small as an automatic compaction makes it
        request = CompactionRequest(
            session=session.key,
            leaf=session.leaf,
            operation=uuid4().hex,
            most_kept=most,
            longest_summary=most,
            notice=noted if self._services.contexts.settings.notify else None,
        )

        def done(made: Compaction) -> None:
            self._reports.report(made, request)
            then()

        self._bridge.when_done(self._services.compaction.run(request), done)
