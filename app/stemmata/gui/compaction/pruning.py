"""The controller of pruning: old tool output, and tool results that later ones replace."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from stemmata.domain.compaction.pruning import PruneOccasion, PrunePlan
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.entries.figures import Figure
from stemmata.domain.errors import NothingToDoError
from stemmata.gui.cards.tool_line import within
from stemmata.gui.context.duplicates import SHOWN, DuplicateItem, file_first
from stemmata.gui.context.item_button import LargeItem
from stemmata.gui.context.view import ContextColumn
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.widgets.context_words import figure_with_noun
from stemmata.gui.widgets.figures import tokens_text
from stemmata.services.chat.compaction_notices import pruned

FIND_MS = 300  # duplicates are looked for when the session has not changed for this long


class PruningController(QObject):
    """Prunes tool results of the open session, and lists its duplicates in the context column."""

    def __init__(self, shared: WindowContext, column: ContextColumn) -> None:
        super().__init__(column)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._toast, self._history, self._attention = shared.toast, shared.history, shared.attention
        self._duplicates = column.duplicates
        self._search_run = LatestOnly()
        self._search: object | None = None  # the running search for duplicates; an older one ends
        self._search_timer = QTimer(self, singleShot=True, interval=FIND_MS)
        self._search_timer.timeout.connect(self._find_duplicates)
        column.preview.prune_requested.connect(self.prune)
        self._duplicates.prune_requested.connect(self.prune_duplicates)
        self._opened.started.connect(self._on_started)
        self._opened.tree_read.connect(self._search_timer.start)

    # -- pruning --------------------------------------------------------------------------------------------------

    def prune(self) -> None:
        """Prune old tool output from the context, without compacting."""
        opened = self._opened
        if opened.session is not None and opened.session.leaf is not None:
            opened.follow_leaf()
            key, scale = opened.session.key, opened.context(opened.leaf).breakdown
            notice = pruned if self._services.contexts.settings.notify else None
            future = self._services.pruning.run(key, opened.session.leaf, notice=notice)
            self._bridge.when_done(future, lambda done: self._on_pruned(key, done[0], scale), self._on_not_pruned)

    def prune_duplicates(self) -> None:
        """Prune the tool results that later ones replace."""
        opened = self._opened
        if opened.session is None or opened.session.leaf is None:
            return
        opened.follow_leaf()
        key, scale = opened.session.key, opened.context(opened.leaf).breakdown
        future = self._services.pruning.run(key, opened.session.leaf, occasion=PruneOccasion.DUPLICATES)
        self._bridge.when_done(
            future, lambda done: self._on_duplicates_pruned(key, done[0], scale), self._on_not_pruned
        )

    def _on_pruned(self, session: int, plan: PrunePlan, scale: Breakdown) -> None:
        """Report a pruning. `scale` is the breakdown of the context that was pruned."""
        count, sizes = len(plan.pruned), (tokens_text(scale.scaled(tokens)) for tokens in (plan.before, plan.after))
        text = self.tr("Pruned %Ln tool results: ≈ {0} → {1}. The archive keeps the outputs.", None, count)
        self._history.tell(text.format(*sizes), session)

    def _on_duplicates_pruned(self, session: int, plan: PrunePlan, scale: Breakdown) -> None:
        text = self.tr("Pruned %Ln duplicates, {0}. The archive keeps the outputs.", None, len(plan.pruned))
        freed = figure_with_noun(Figure.estimated(scale.scaled(plan.freed)))
        self._history.tell(text.format(freed), session)

    def _on_not_pruned(self, error: Exception) -> None:
        """Show "nothing to prune" as a message; show any other failure as an error."""
        if isinstance(error, NothingToDoError):
            self._toast.tell(str(error))
        else:
            self._bridge.failed.emit(error)

    # -- the list of duplicates -----------------------------------------------------------------------------------

    def _on_started(self) -> None:
        self._search_run.cancel()
        self._search = None
        self._search_timer.stop()
        self._duplicates.clear()

    def _find_duplicates(self) -> None:
        """Look for tool results that later ones replace."""
        session = self._opened.session
        if session is None or session.leaf is None:
            self._duplicates.clear()
            return
        wanted = self._search = object()
        is_wanted = self._attention.when_free(lambda: self._search is wanted)
        future = self._services.pruning.duplicates(session.key, session.leaf, is_wanted)
        self._bridge.when_done(future, self._on_found, self._on_none_found, run=self._search_run)

    def _on_found(self, plan: PrunePlan) -> None:
        session_tree = self._opened.session_tree
        if session_tree is None or session_tree.tree.get(session_tree.session.leaf) != plan.parent:
            return  # the session has changed, and the next search is waiting
        tree, scale = session_tree.tree, self._opened.context(plan.parent).breakdown
        folder, largest = session_tree.session.cwd, sorted(plan.duplicates, key=lambda each: -each.tokens)
        items = []
        for each in largest[:SHOWN]:
            subject, size = file_first(within(folder, each.subject)), scale.scaled(each.tokens)
            items.append(DuplicateItem(LargeItem(tree.key(each.entry), each.tool, subject, size), each.reason))
        self._duplicates.show_duplicates(items, len(largest), scale.scaled(plan.freed))

    def _on_none_found(self, error: Exception) -> None:
        """Hide the section; report an error that is not “nothing to prune”."""
        self._duplicates.clear()
        if not isinstance(error, NothingToDoError):
            self._bridge.failed.emit(error)
