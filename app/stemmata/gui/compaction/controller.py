"""The controller of a compaction from preview to undo.

The compact preview, the workbench and the cut in the transcript all show the same offer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.chat.run import Noticed
from stemmata.domain.compaction.pruning import PruneOccasion, PrunePlan
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.entries.figures import Figure
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.session_facts import SessionTree, is_compacted_by_hand
from stemmata.domain.entries.steps import LIST
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.gui.branches.controller import BranchesController
from stemmata.gui.cards.tool_line import within
from stemmata.gui.compaction.panel import ComparedCut, WorkbenchPanel
from stemmata.gui.compaction.summary import CompactionSummary
from stemmata.gui.context.compact_block import Offer, offer_of, with_summary
from stemmata.gui.context.duplicates import SHOWN, DuplicateItem, file_first
from stemmata.gui.context.item_button import LargeItem
from stemmata.gui.context.view import ContextColumn
from stemmata.gui.core.actions import State
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.widgets.context_words import figure_with_noun
from stemmata.gui.widgets.figures import figure_text, tokens_text
from stemmata.services.chat.compaction_notices import noted, pruned
from stemmata.services.compaction.compaction import Compaction, CompactionRequest, Preview
from stemmata.services.services import Services


@dataclass(frozen=True, slots=True)
class KeptPart:
    """The part to keep: from the entry `cut` on, or `keep` tokens, or the settings' amount when both are None.

    With `from_entry` everything above that entry is kept, and a branch summary replaces the rest.
    """

    cut: int | None = None
    keep: int | None = None
    prune_first: bool = False
    from_entry: int | None = None

    @property
    def is_manual(self) -> bool:
        """Whether the user chose the part to keep."""
        return (self.cut, self.keep, self.from_entry) != (None, None, None)


@dataclass(frozen=True, slots=True)
class PlannedOffer:
    """The result of planning: an offer, or the reason why there is none. `held` is the offer of the held cut."""

    kept_part: KeptPart
    offer: Offer | None
    reason: str = ""
    can_prune: bool = False
    held: Offer | None = None


def plan(
    services: Services,
    session_tree: SessionTree,
    leaf: int,
    path_totals: PathTotals,
    kept_part: KeptPart,
    held: int | None = None,
) -> PlannedOffer:
    """Plan a compaction at `leaf`. `path_totals` is a path that contains the leaf.

    A session that cannot be compacted gives a reason, not an exception. `held` is the first kept entry (store key) of
    the cut to compare with.
    """
    prune = None if kept_part.from_entry is not None else _prune(services, session_tree, leaf, path_totals)

    def offer(part: KeptPart) -> Offer:
        preview = _preview(services, session_tree, leaf, path_totals, part)
        return offer_of(preview, prune, path_totals, prune_first=part.prune_first)

    try:
        other = None if held is None else offer(replace(kept_part, cut=held, keep=None))
    except NothingToDoError:
        other = None  # the held cut lies above a compaction that was made since
    try:
        return PlannedOffer(kept_part, offer(kept_part), can_prune=prune is not None, held=other)
    except NothingToDoError as error:
        return PlannedOffer(kept_part, None, translate_phrase(str(error)), prune is not None)


def _preview(
    services: Services, session_tree: SessionTree, leaf: int, path_totals: PathTotals, kept_part: KeptPart
) -> Preview:
    """Preview a compaction that keeps the settings' amount, or half of a session that is shorter than that."""
    tree = session_tree.tree
    cut = tree.get(kept_part.cut)
    # None when the displayed path changed since the cut was chosen
    shown_cut = cut if cut is not None and cut in path_totals else None
    preview = partial(services.compaction.preview, session_tree, leaf, path_totals=path_totals)
    if kept_part.from_entry is not None:
        return preview(from_entry=tree.get(kept_part.from_entry))
    try:
        return preview(first_kept=shown_cut, keep_recent_tokens=kept_part.keep)
    except NothingToDoError:
        if kept_part.cut is not None or kept_part.keep is not None:
            raise
    messages = services.contexts.at(session_tree, leaf, path_totals).projection.messages
    return preview(keep_recent_tokens=sum(tree.tokens(message.entry) for message in messages) // 2)


def _prune(services: Services, session_tree: SessionTree, leaf: int, path_totals: PathTotals) -> PrunePlan | None:
    try:
        return services.pruning.preview(session_tree, leaf, path_totals)
    except NothingToDoError:
        return None


MINIMUM_KEEP = 100
MEASURE_MS = 600  # the digest is measured when the session and the offer have not changed for this long
MOST_MEASURED = 100_000  # entries: of a million, the digest takes minutes and reading them more than a gigabyte
FIND_MS = 300  # duplicates are looked for when the session has not changed for this long


@dataclass(frozen=True, slots=True)
class HeldCut:
    """A cut beside the displayed one: its first kept entry (store key), the size of its written summary in estimated
    tokens, and its offer once it is planned. `is_first` says whether it is cut A."""

    cut: int
    written: int | None
    offer: Offer | None
    is_first: bool = True


class CompactionController(QObject):
    """Connects the compaction workbench with the services."""

    mode_changed = Signal(bool)  # True when the workbench opens
    continued = Signal(int, int)  # keys of a session and of the new one in which it goes on

    def __init__(
        self,
        shared: WindowContext,
        branches: BranchesController,
        column: ContextColumn,
        panel: WorkbenchPanel,
        transcript: TranscriptView,
    ) -> None:
        super().__init__(panel)
        self._services, self._bridge, self._background = shared.services, shared.bridge, shared.background
        self._actions, self._toast, self._history = shared.actions, shared.toast, shared.history
        self._attention = shared.attention
        self._opened, self._branches, self._block, self._panel = shared.opened, branches, column.preview, panel
        self._transcript = transcript
        self._keep: int | None = None  # estimated tokens chosen with the slider; None for the settings' amount
        self._cut: int | None = None  # store key of the first kept entry when the user moved the cut
        self._from: int | None = None  # store key of the entry from which on a branch summary replaces everything
        self._prune_first = False
        self._open = self._entering = False
        self._opening = TurnSteps(self)
        self._offer: Offer | None = None
        self._shown: tuple[SessionTree, KeptPart] | None = None  # tree and kept part of the displayed offer
        self._written: int | None = None  # estimated tokens of the written summary
        self._digest: int | None = None  # tokens of the last measured digest of the open session
        self._measured_for: object = None
        self._measure_timer = QTimer(self, singleShot=True, interval=MEASURE_MS)
        self._measure_timer.timeout.connect(self._measure)
        self._measure_run = LatestOnly()
        self._held: HeldCut | None = None  # the cut that is compared with the displayed one
        self._plan_run, self._duplicates_run = LatestOnly(), LatestOnly()
        self._duplicates = column.duplicates
        self._duplicates_search: object | None = None  # the running search for duplicates; an older one ends
        self._duplicates_timer = QTimer(self, singleShot=True, interval=FIND_MS)
        self._duplicates_timer.timeout.connect(self._find_duplicates)
        self._focus = ""  # the focus text to fill in when the workbench opens
        self._is_typed = False  # whether the command /compact opened the workbench
        # scroll position of the transcript when the workbench opened; None for its end
        self._place: tuple[int, int] | None = None
        self.summary = CompactionSummary(shared, panel, self._request)
        self._connect()

    @property
    def offer(self) -> Offer | None:
        """The displayed offer; None when nothing can be compacted."""
        return self._offer

    # -- the preview --------------------------------------------------------------------------------------------

    def open(
        self, cut: int | None = None, focus: str = "", *, from_entry: int | None = None, is_typed: bool = False
    ) -> None:
        """Open the workbench, with the cut at entry `cut` when given.

        `focus` tells the summariser which subjects matter. With `from_entry` it previews a branch summary that
        replaces everything from this entry on. The note about a compaction by a command (`is_typed`) is the command's
        answer. While the session is being read, the workbench opens after that.
        """
        if self._opened.key is None:
            return
        if self._open:
            if cut is not None or from_entry is not None:
                self._cut, self._from = cut, from_entry
                self._end_comparison()
                self._plan()
                self.summary.rest()
            return
        self._cut, self._from, self._focus, self._is_typed = cut, from_entry, focus, is_typed
        self._entering = True
        if self._opened.session_tree is None:
            self._opened.resume(None, None)  # at the leaf
            return
        if not self._opened.is_at_leaf:
            self._opened.view_leaf()
        self._plan()

    def _enter(self) -> None:
        """Open the workbench in several turns of the event loop: fill it while it is hidden, then show it."""
        if self._block.reason:
            self._show_offer()  # the block has shown none yet
        self._measure_timer.stop()
        self._measured_for = None  # an unfinished measurement would delay the draft
        self._measure_run.cancel()
        starts_anew = self._services.contexts.settings.strategy == "new-session"
        self._panel.reset(self._focus, starts_anew=starts_anew)
        self._show_in_panel()
        self._opening.stop()
        self._opening.start(self._switch_columns, self._show_offer)

    def _switch_columns(self) -> None:
        self._open, self._place = True, self._transcript.place
        self.mode_changed.emit(True)
        self._actions.set_state(State.PREVIEW)
        self.summary.start()
        self._panel.editor.focus_page()

    def leave(self) -> None:
        """Close the workbench without compacting."""
        self._opening.stop()
        if self._open:
            self._open = False
            self._cut, self._from, self._written, self._is_typed = None, None, None, False
            self._end_comparison()
            self.summary.stop()
            self._transcript.set_preview(None)
            self._actions.set_state(State.PREVIEW, on=False)
            self.mode_changed.emit(False)
            if self._offer is not None:
                self._plan()

    def open_behind(self, key: int) -> None:
        """Preview a compaction that summarises everything up to an entry of the active branch."""
        found = self._on_active_branch(key)
        if found is None:
            self._toast.tell(self.tr("Only the active branch can be compacted. Continue from there first."))
            return
        tree, entry, leaf = found
        if entry == leaf:
            self._toast.tell(
                self.tr("A compaction must keep at least one entry. Choose an entry above the last one.")
            )
        else:
            self.open(tree.key(tree.path(leaf)[len(tree.path(entry))]))

    def open_from(self, key: int) -> None:
        """Preview a branch summary that replaces everything from an entry of the active branch on."""
        if self._on_active_branch(key) is None:
            self._toast.tell(self.tr("Only the active branch can be summarised. Continue from there first."))
        else:
            self.open(from_entry=key)

    def _on_active_branch(self, key: int) -> tuple[Tree, int, int] | None:
        """Return the tree, an entry by its store key, and the leaf; None when the entry is not above the leaf."""
        session_tree, leaf = self._opened.session_tree, self._opened.leaf
        entry = None if session_tree is None else session_tree.tree.get(key)
        if session_tree is None or leaf is None or entry is None or not session_tree.tree.is_ancestor(entry, leaf):
            return None
        return session_tree.tree, entry, leaf

    def compare_cuts(self) -> None:
        """Hold the displayed cut to compare another one with it; while two cuts are compared, end the comparison."""
        cut = self._key_below_cut()
        if not self._open or cut is None:
            return
        if self._from is not None:
            self._toast.tell(self.tr("Only cuts with the summary above them can be compared."))
            return
        self._held = HeldCut(cut, self._written, self._offer) if self._held is None else None
        self._actions.set_state(State.TWO_CUTS, on=self._held is not None)
        self._show_offer()
        if self._held is not None:
            self._toast.tell(self.tr("Cut A is kept. Move the cut line to set cut B."))

    def use_other_cut(self) -> None:
        """Use the held cut, and hold the cut that was used."""
        held, cut = self._held, self._key_below_cut()
        if held is None or cut is None:
            return
        self._held = HeldCut(cut, self._written, self._offer, is_first=not held.is_first)
        self._cut, self._written, self._offer = held.cut, held.written, held.offer or self._offer
        self._plan()
        self.summary.rest()

    def _end_comparison(self) -> None:
        self._held = None
        self._actions.set_state(State.TWO_CUTS, on=False)

    def _key_below_cut(self) -> int | None:
        """Return the store key of the entry below the displayed cut: the first kept one.

        Of a branch summary, it is the first replaced entry. None when nothing is offered, or when nothing is kept.
        """
        session_tree, offer = self._opened.session_tree, self._offer
        if session_tree is None or offer is None:
            return None
        plan = offer.preview.plan
        below = plan.kept[:1] if plan.first_summarised is None else (plan.first_summarised,)
        return session_tree.tree.key(below[0]) if below else None

    def toggle_editor(self) -> None:
        """Edit the summary of the preview, or show it as it will look."""
        self._panel.editor.edit(on=not self._panel.editor.is_editing)

    def cancel(self) -> None:
        """Close the workbench and restore the transcript's scroll position."""
        if not self._open:
            return
        with self._transcript.arranged_once():
            self.leave()
            if self._place is None:
                self._transcript.scroll_to_end()
            else:
                self._transcript.show_place(*self._place)

    def _plan(self) -> None:
        """Plan the compaction again; the displayed offer stays until the result arrives."""
        opened = self._opened
        session_tree, leaf = opened.session_tree, opened.leaf
        if session_tree is None:
            return  # planned when the session is read
        if leaf is None:
            self._plan_run.cancel()
            reason = self.tr("Nothing to compact: the context is empty.")
            self._on_planned(PlannedOffer(KeptPart(), None, reason))
            return
        path_totals = opened.path_totals_to(leaf)
        kept_part = KeptPart(self._cut, self._keep, self._prune_first, self._from)
        held = None if self._held is None else self._held.cut
        planned = self._background.submit(
            lambda: plan(self._services, session_tree, leaf, path_totals, kept_part, held)
        )
        self._bridge.when_done(planned, self._on_planned, run=self._plan_run)

    def _on_planned(self, planned: PlannedOffer) -> None:
        entering, self._entering = self._entering, False
        if planned.offer is None and planned.kept_part.is_manual:
            if entering:
                self._toast.tell(planned.reason)
            self._restore_last_choice()
            return
        before, self._offer = self._key_below_cut(), self._measured(planned.offer)
        if self._open and before != self._key_below_cut():
            self.summary.rest()  # the plan may come later than the draft that was asked for with it
        if self._held is not None and planned.held is not None:
            offer, written = planned.held, self._held.written
            self._held = replace(self._held, offer=offer if written is None else with_summary(offer, written))
        self._shown = None if self._opened.session_tree is None else (self._opened.session_tree, planned.kept_part)
        if planned.offer is None:
            self._block.show_reason(planned.reason, can_prune=planned.can_prune)
            self._opening.stop()
            if self._open:
                self.leave()
            if entering:
                self._toast.tell(planned.reason)
            return
        if entering and not self._open:
            self._enter()
        else:
            self._show_offer()
            self._measure_timer.start()

    def _measured(self, offer: Offer | None) -> Offer | None:
        """Return the offer with the size of the written summary, or of the measured digest, for the assumed size."""
        size = self._digest if self._written is None else self._written
        return offer if offer is None or size is None else with_summary(offer, size)

    def _measure(self) -> None:
        """Write the digest of the offered compaction, so that the block and the later card show the same figures."""
        request = None if self._open else self._request()
        if request is None or request.from_entry is not None or self._offer is None:
            return
        plan = self._offer.preview.plan
        if len(plan.summarised) + len(plan.turn_prefix) > MOST_MEASURED:
            return  # the block keeps the assumed size
        wanted = self._measured_for = object()
        is_wanted = self._attention.when_free(lambda: self._measured_for is wanted)
        future = self._services.compaction.draft(request, is_wanted)

        def measured(made: Compaction) -> None:
            if not self._open:
                self._digest = to_tokens(units(made.summary.text))
                self._offer = self._measured(self._offer)
                self._show_offer()

        def failed(error: Exception) -> None:
            if not isinstance(error, KnownError):
                self._bridge.failed.emit(error)

        self._bridge.when_done(future, measured, failed, run=self._measure_run)

    def _restore_last_choice(self) -> None:
        """Replace a choice that cannot be planned by the last possible one, else by the amount of the settings."""
        if self._offer is not None and self._shown is not None and self._shown[0] is self._opened.session_tree:
            shown = self._shown[1]
            self._cut, self._keep, self._from = shown.cut, shown.keep, shown.from_entry
            self._show_offer()
        else:
            self._cut, self._keep, self._from = None, None, None
            self._plan()

    def _show_offer(self) -> None:
        if self._offer is None:
            return
        # while the workbench is open, the block is hidden; updating it would lay it out at each move of the cut
        if not self._open:
            self._block.show_offer(self._offer, self._slider(self._offer), prune_first=self._prune_first)
        else:
            self._show_in_panel()
            self.summary.show_effect(self._offer.before.total.value, self._offer.after.total.value)
            self._transcript.set_preview(self._offer.preview.plan, self._offer.replaced.value or 0)
            self._transcript.hold_cut(*self._held_mark())

    def _show_in_panel(self) -> None:
        offer, held = self._offer, self._held
        if offer is not None:
            compared = None if held is None or held.offer is None else ComparedCut(held.offer, held.is_first)
            self._panel.show_offer(offer, self._slider(offer), prune_first=self._prune_first, held=compared)
            self.summary.scaled = offer.forecast.scaled

    def _slider(self, offer: Offer) -> int:
        """Return the position of the slider for an offer, in tokens."""
        forecast = offer.forecast
        return forecast.scaled(forecast.kept if self._keep is None or self._cut is not None else self._keep)

    def _held_mark(self) -> tuple[int | None, str]:
        """Return the first kept entry (store key) of the held cut and its name; (None, "") without one."""
        held = self._held
        if held is None:
            return None, ""
        return held.cut, "A" if held.is_first else "B"

    def _on_drafted(self, tokens: int) -> None:
        self._written = tokens
        self._offer = self._measured(self._offer)
        self._show_offer()

    @property
    def is_open(self) -> bool:
        """Whether the workbench is open, with its preview."""
        return self._open and not self._opening.is_active

    # -- requests -------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Compact as previewed, after the pruning when its box is ticked."""
        request = self.summary.ready()
        if request is None or self._offer is None:
            self._panel.writer.write.setFocus()  # the button that writes the missing summary
            return
        self._panel.accept.setEnabled(False)
        self._opened.follow_leaf()
        request = replace(request, command="/compact") if self._is_typed else request
        is_branch = request.from_entry is not None
        if not is_branch and (self._is_typed or self._services.contexts.settings.notify):
            request = replace(request, notice=noted)
        compactions, starts_anew = self._services.compaction, self._panel.new_session.isChecked()
        run = compactions.run_in_new_session if starts_anew and not is_branch else compactions.run

        def done(made: Compaction) -> None:
            if self._opened.key == request.session:  # else the workbench, if it is open, previews another session
                self.leave()
            self._report(made, request.session, is_branch=is_branch)

        self._bridge.when_done(run(request), done, self._on_failed)

    def prune(self) -> None:
        """Prune old tool output from the context, without compacting."""
        opened = self._opened
        if opened.session is not None and opened.session.leaf is not None:
            opened.follow_leaf()
            scale = opened.context(opened.leaf).breakdown
            notice = pruned if self._services.contexts.settings.notify else None
            future = self._services.pruning.run(opened.session.key, opened.session.leaf, notice=notice)
            self._bridge.when_done(future, lambda done: self._on_pruned(done[0], scale), self._on_not_pruned)

    def prune_duplicates(self) -> None:
        """Prune the tool results that later ones replace."""
        opened = self._opened
        if opened.session is None or opened.session.leaf is None:
            return
        opened.follow_leaf()
        scale = opened.context(opened.leaf).breakdown
        future = self._services.pruning.run(
            opened.session.key, opened.session.leaf, occasion=PruneOccasion.DUPLICATES
        )
        self._bridge.when_done(future, lambda done: self._on_duplicates_pruned(done[0], scale), self._on_not_pruned)

    def edit(self, compaction: int, text: str, session: int | None = None) -> None:
        """Store an edited summary beside the old one, in the open session or in `session`."""
        session = self._opened.key if session is None else session
        if session is not None:
            if session == self._opened.key:
                self._opened.follow_leaf()
            future = self._services.compaction.edit(session, compaction, text)
            done = self.tr("Saved as a new summary beside the old one.")
            self._bridge.when_done(future, lambda _key: self._tell(done))

    def _request(self) -> CompactionRequest | None:
        session, offer, session_tree = self._opened.session, self._offer, self._opened.session_tree
        if session is None or session.leaf is None or offer is None or session_tree is None:
            return None
        is_branch = offer.is_branch_summary
        return CompactionRequest(
            session=session.key,
            leaf=session.leaf,
            first_kept=None if is_branch else self._key_below_cut(),
            from_entry=self._key_below_cut() if is_branch else None,
            focus=self._panel.focus.text().strip() if self._open else "",
            text=self._panel.text if self._open else None,
            operation=uuid4().hex,
            prune=PruneOccasion.BY_HAND if self._prune_first and not is_branch else None,
        )

    # -- automatic compaction -----------------------------------------------------------------------------------

    def switch_automatic(self) -> None:
        """Switch automatic compaction of the open session on or off."""
        session = self._opened.session
        if session is None:
            return
        if not self._services.contexts.settings.enabled:
            self._show_automatic()
            self._toast.tell(self.tr("Automatic compaction is off in the settings, for all sessions."))
            return
        by_hand = not is_compacted_by_hand(session.details)
        off = self.tr("Automatic compaction is off for this session.")
        text = off if by_hand else self.tr("Automatic compaction is on for this session.")
        future = self._services.sessions.set_compacted_by_hand(session.key, on=by_hand)
        self._bridge.when_done(future, lambda _done: self._toast.tell(text))

    def tell_notice(self, notice: Noticed) -> None:
        """Show a notice about an automatic compaction of the open session; the transcript has it as a note."""
        if notice.session != self._opened.key:
            return
        if notice.offers_digest:
            self._toast.tell(notice.title, self.tr("Use the digest"), self.use_digest)
        elif notice.has_changed:
            self._toast.tell(notice.title, self.tr("Undo"), lambda: self._undo_notice(notice))
        else:
            self._toast.tell(notice.title)

    def use_digest(self, then: Callable[[], object] = lambda: None) -> None:
        """Compact the open session with the digest, after a model wrote no summary; then call `then`."""
        session = self._opened.session
        if session is None or session.leaf is None:
            return
        self._opened.follow_leaf()

        def done(made: Compaction) -> None:
            self._report(made, request.session)
            then()

        most = self._opened.context(self._opened.leaf).part_left  # as small as an automatic compaction makes it
        notice = noted if self._services.contexts.settings.notify else None
        request = CompactionRequest(
            session=session.key,
            leaf=session.leaf,
            operation=uuid4().hex,
            most_kept=most,
            longest_summary=most,
            notice=notice,
        )
        self._bridge.when_done(self._services.compaction.run(request), done, self._on_failed)

    def _undo_notice(self, notice: Noticed) -> None:
        session = self._opened.session
        if session is not None and (session.key, session.leaf) == (notice.session, notice.tip):
            self._history.undo_session()
        else:
            self._toast.tell(self.tr("The session has new entries since then. Undo the compaction on its card."))

    def _show_automatic(self) -> None:
        session = self._opened.session
        is_on = self._services.contexts.settings.enabled
        is_on = is_on and session is not None and not is_compacted_by_hand(session.details)
        self._actions["auto-compact"].setChecked(is_on)

    # -- answers --------------------------------------------------------------------------------------------------

    def _report(self, done: Compaction, session: int, *, is_branch: bool = False) -> None:
        """Report a compaction of a session with its figures, which can be undone."""
        sizes = figure_text(done.before.total), figure_text(done.after.total)
        if done.session is not None:
            if session == self._opened.key:
                self.continued.emit(session, done.session)
            text = self.tr("Continued in a new session ({0} → {1}). The old session is unchanged.")
            self._history.tell(text.format(*sizes), LIST)
            return
        if is_branch:
            if session == self._opened.key:
                self._opened.arrive_at(done.entry)
            self._tell(self.tr("Summarised {0} → {1}. The branch is kept beside its summary.").format(*sizes))
            return
        self._tell(self.tr("Compacted {0} → {1}. The whole branch is kept.").format(*sizes))

    def _on_pruned(self, plan: PrunePlan, scale: Breakdown) -> None:
        """Report a pruning. `scale` is the breakdown of the context that was pruned."""
        count, sizes = len(plan.pruned), (tokens_text(scale.scaled(tokens)) for tokens in (plan.before, plan.after))
        text = self.tr("Pruned %Ln tool results: ≈ {0} → {1}. The archive keeps the outputs.", None, count)
        self._tell(text.format(*sizes))

    def _on_duplicates_pruned(self, plan: PrunePlan, scale: Breakdown) -> None:
        text = self.tr("Pruned %Ln duplicates, {0}. The archive keeps the outputs.", None, len(plan.pruned))
        self._tell(text.format(figure_with_noun(Figure.estimated(scale.scaled(plan.freed)))))

    # -- duplicates -----------------------------------------------------------------------------------------------

    def _find_duplicates(self) -> None:
        """Look for tool results that later ones replace."""
        session = self._opened.session
        if session is None or session.leaf is None:
            self._duplicates.clear()
            return
        wanted = self._duplicates_search = object()
        is_wanted = self._attention.when_free(lambda: self._duplicates_search is wanted)
        future = self._services.pruning.duplicates(session.key, session.leaf, is_wanted)
        self._bridge.when_done(future, self._on_found, self._on_none_found, run=self._duplicates_run)

    def _on_found(self, plan: PrunePlan) -> None:
        session_tree = self._opened.session_tree
        if session_tree is None or session_tree.tree.get(session_tree.session.leaf) != plan.parent:
            return  # the session has changed, and the next search is waiting
        tree, scale = session_tree.tree, self._opened.context(plan.parent).breakdown
        folder, largest = session_tree.session.cwd, sorted(plan.duplicates, key=lambda each: -each.tokens)
        items = []
        for each in largest[:SHOWN]:
            what, size = file_first(within(folder, each.subject)), scale.scaled(each.tokens)
            items.append(DuplicateItem(LargeItem(tree.key(each.entry), each.tool, what, size), each.reason))
        self._duplicates.show_duplicates(items, len(largest), scale.scaled(plan.freed))

    def _on_none_found(self, error: Exception) -> None:
        """Hide the section; report an error that is not “nothing to prune”."""
        self._duplicates.clear()
        if not isinstance(error, NothingToDoError):
            self._bridge.failed.emit(error)

    def _on_not_pruned(self, error: Exception) -> None:
        """Show "nothing to prune" as a message; show any other failure as an error."""
        if isinstance(error, NothingToDoError):
            self._toast.tell(str(error))
        else:
            self._bridge.failed.emit(error)

    def _tell(self, text: str) -> None:
        self._history.tell(text)

    def _on_failed(self, error: Exception) -> None:
        self._panel.accept.setEnabled(True)
        self._bridge.failed.emit(error)

    # -- handlers -------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        block, panel = self._block, self._panel
        for part in (block, panel):
            part.keep_changed.connect(self._on_keep_changed)
            part.prune_first_changed.connect(lambda on: self._set_prune_first(on=on))
        block.compact_requested.connect(self.open)
        block.prune_requested.connect(self.prune)
        self._duplicates.prune_requested.connect(self.prune_duplicates)
        panel.accepted.connect(self.accept)
        panel.cuts_compared.connect(self.compare_cuts)
        panel.other_cut_wanted.connect(self.use_other_cut)
        panel.cancelled.connect(self.cancel)
        panel.focus_changed.connect(lambda _text: self.summary.draft())
        self.summary.drafted.connect(self._on_drafted)
        self._transcript.cut_moved.connect(self._on_cut_moved)
        self._transcript.held_cut_chosen.connect(self.use_other_cut)
        self._transcript.pin_requested.connect(lambda key: self._branches.pin([key]))
        self._opened.started.connect(self._on_started)
        self._opened.failed.connect(self._on_not_read)
        self._opened.tree_read.connect(self._on_tree_read)
        self._opened.tree_read.connect(self._duplicates_timer.start)
        self._opened.tree_read.connect(self._show_automatic)

    def _on_started(self) -> None:
        self.leave()
        self._cut, self._from, self._keep, self._offer, self._entering = None, None, None, None, False
        self._plan_run.cancel()
        self._duplicates_run.cancel()
        self._measure_run.cancel()
        self._measure_timer.stop()
        self._duplicates_search = self._measured_for = self._digest = None
        self._duplicates_timer.stop()
        self._duplicates.clear()
        if self._opened.key is None:
            self._block.show_reason(self.tr("Open a session to see what a compaction would do."))
        else:
            self._block.show_waiting()

    def _on_not_read(self) -> None:
        self._entering = False  # otherwise a later change would open the workbench

    def _on_tree_read(self) -> None:
        """Plan again: an entry was added, pinned or excluded."""
        self._plan()
        if self._open:
            self.summary.rest()

    def _on_keep_changed(self, tokens: int) -> None:
        wanted = tokens if self._offer is None else self._offer.forecast.estimate(tokens)
        self._keep, self._cut = max(wanted, MINIMUM_KEEP), None
        self._plan()
        self.summary.rest()

    def _set_prune_first(self, *, on: bool) -> None:
        self._prune_first = on
        self._plan()

    def _on_cut_moved(self, key: int) -> None:
        if self._from is None:
            self._cut = key
        else:
            self._from = key
        self._plan()
        self.summary.rest()
