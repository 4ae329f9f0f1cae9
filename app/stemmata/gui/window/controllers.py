"""Creates the controllers of the window and connects their signals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from stemmata.domain.chat.run import SessionContinued
from stemmata.domain.context.projection import CUT, OUT
from stemmata.gui.branches.controller import BranchesController
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.compaction.automatic import AutoCompactionController
from stemmata.gui.compaction.controller import CompactionController
from stemmata.gui.compaction.pruning import PruningController
from stemmata.gui.compaction.reports import CompactionReports
from stemmata.gui.compaction.summary_dialog import StoredSummaryController
from stemmata.gui.composer.picker_controller import PickerController
from stemmata.gui.composer.skill_controller import SkillController
from stemmata.gui.context.controller import ContextController
from stemmata.gui.core.actions import State
from stemmata.gui.core.attention import Attention
from stemmata.gui.core.background import Background
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.core.history import WindowHistory
from stemmata.gui.core.open_session import OpenSession
from stemmata.gui.core.streams import Streams
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.files.controller import FilesController
from stemmata.gui.hand_off.controller import HandOffController
from stemmata.gui.importing.clean_up_notice import CleanUpController
from stemmata.gui.importing.controller import ImportController
from stemmata.gui.palette.controller import SearchController
from stemmata.gui.search.controller import ResultsController
from stemmata.gui.search.meaning_updates import MeaningUpdates
from stemmata.gui.sessions.controller import SessionListController
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.sessions.title_controller import TitleController
from stemmata.gui.settings.connection_controller import ConnectionController
from stemmata.gui.settings.preferences_controller import PreferencesController
from stemmata.gui.settings.servers_controller import ServersController
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.transcript.controller import TranscriptController
from stemmata.gui.transcript.find_controller import FindController
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.window.chat_controller import ChatController
from stemmata.gui.window.compare_controller import CompareController
from stemmata.gui.window.lineage_controller import LineageController
from stemmata.gui.window.main_window import MainWindow
from stemmata.gui.window.marked_entries import MarkedEntries
from stemmata.gui.window.run_controller import RunController
from stemmata.gui.window.saved_views import SavedViews
from stemmata.gui.window.session_controller import SessionController
from stemmata.gui.window.split_controller import SplitController
from stemmata.gui.window.streaming_replies import StreamingReplies
from stemmata.gui.window.window_controller import WindowController
from stemmata.services.services import Services

COUNTDOWN = 10  # seconds in which the user can refuse the first automatic compaction of a session


class Controllers(QObject):
    """Creates the remaining parts of the window and their controllers, after the first paint."""

    _offer_leaf: int | None = None  # the leaf (index) when the status line took over the action of a toast

    def __init__(
        self,
        services: Services,
        bridge: Bridge,
        window: MainWindow,
        sessions: SessionList,
        background: Background,
        open_session: Callable[..., None],
        demo: Path,
    ) -> None:
        super().__init__(window)
        theme, actions = window.theme, window.actions_table
        self._services, self._bridge, self.window = services, bridge, window
        self._open_session = open_session  # takes the key of a session, and the key of an entry or None
        self.opened = OpenSession(services, bridge, window)
        self.history = WindowHistory(services, bridge, self.opened, actions, window.toast)
        self._attention = Attention()
        shared = self._shared(background)
        column = window.transcript
        self.views = SavedViews(self.opened, window, sessions)
        self.session = SessionController(shared, window, self.views)
        self.lineage = LineageController(shared, column, sessions)
        self.sessions = SessionListController(
            shared, theme, sessions, window.sessions, window.sessions_model, window.rename_popup
        )
        # the session may have been deleted when a stale list offered it: then the next list closes it
        self.opened.failed.connect(sessions.read)
        self.split = SplitController(shared, window, self.session, self.lineage, open_session, self._connect_column)
        self.split.activated.connect(self.lineage.show_in)
        self.marked = MarkedEntries(window.branches, self.opened, lambda: self.split.view)
        self.branches = BranchesController(shared, window.branches, column.composer, window.label_popup)
        self.entries = TranscriptController(shared, theme, lambda: self.split.view, window)
        self._add_pages(shared)
        self.context = ContextController(
            shared, window.context, column.composer, window.status, lambda: self.split.view
        )
        self._add_compaction(shared)
        self.clean_up = CleanUpController(shared, lambda: window.clean_up_notice, window.kept, window.keep, self)
        self.importing = ImportController(shared, window.import_dialog, window.welcome, window.status, demo)
        self._add_searching(shared, sessions)
        self.windows = WindowController(shared, window, self.split)
        self.hand_off = HandOffController(shared, theme, window)
        self.preferences = PreferencesController(shared, theme, window)
        self.meaning = MeaningUpdates(shared, window.banner.tell_error, self)
        self.preferences.shown.connect(self.meaning.wake)
        self.meaning.wake()
        self._add_chatting(shared)
        self._connect()
        actions.connect_to(self)
        actions.show_icons()

    def _add_searching(self, shared: WindowContext, sessions: SessionList) -> None:
        window = self.window
        self.search = SearchController(shared, window.palette_box, lambda: sessions.sessions, window.settings)
        self.results = ResultsController(
            shared, lambda: window.results, lambda: sessions.sessions, window.settings, window
        )
        self.finding = FindController(shared, window.theme, window.transcript)
        self.split.activated.connect(self.finding.show_in)

    def _add_compaction(self, shared: WindowContext) -> None:
        window, reports = self.window, CompactionReports(shared, self)
        reports.continued.connect(self._follow)
        self.compaction = CompactionController(
            shared, self.branches, window.context, window.workbench, window.transcript.view, reports
        )
        self.auto_compaction = AutoCompactionController(shared, reports, window)
        self.pruning = PruningController(shared, window.context)
        self.summaries = StoredSummaryController(shared, window.theme, window)

    def _add_pages(self, shared: WindowContext) -> None:
        """Create the controllers of the pages that replace the columns."""
        window = self.window
        self.compare = CompareController(shared, window, self.branches, self.entries.follow_link)
        self.files = FilesController(shared, window, window, self._open_session)

    def _add_chatting(self, shared: WindowContext) -> None:
        window, theme, column = self.window, self.window.theme, self.window.transcript
        self.streams = Streams(self._bridge, window)
        self.replies = StreamingReplies(shared, self.streams, self.split, window.branches, window.sessions_model)
        self.connections = ConnectionController(shared, theme, window)
        self.servers = ServersController(shared, theme, self.preferences, window)
        self.runs = RunController(shared, theme, self.streams, column, window.status)
        self.split.activated.connect(self.runs.show_in)
        self.chat = ChatController(shared, theme, column.composer, self.runs)
        self.pickers = PickerController(shared, theme, column.composer, self.connections, window.settings)
        self.titles = TitleController(
            shared, window.sessions, window.sessions_model, lambda: self.pickers.choice, self.connections.show
        )
        self.skills = SkillController(shared, theme, column.composer)
        self.skills.setting_requested.connect(self.preferences.show_setting)
        self.skills.change_requested.connect(self.preferences.change)
        self.preferences.shown.connect(self.skills.use)
        self.pickers.connection_changed.connect(self.runs.show_connection)
        self.pickers.connection_changed.connect(lambda _name: self.chat.drafts.check(self.pickers.choice))
        summary = self.compaction.summary
        self.pickers.connection_changed.connect(lambda _name: summary.adopt(self.pickers.choice))
        summary.model_requested.connect(lambda at: self.pickers.ask_model(at, summary.pick))
        self.chat.commands.compact_requested.connect(lambda focus: self.compaction.open(focus=focus, is_typed=True))
        self.runs.setting_requested.connect(self.preferences.show_setting)
        self.chat.session_wanted.connect(self._open_session)
        self.chat.resume.continued.connect(self._follow)
        self.runs.way_out_chosen.connect(self._on_way_out)
        self.branches.prompt_taken.connect(self.chat.drafts.attach_prompt)
        self.branches.prompt_dropped.connect(self.chat.drafts.drop)
        self.chat.commands.fork_requested.connect(self.branches.fork)
        self.chat.commands.branches_requested.connect(lambda: window.branches.list.setFocus())
        self.chat.commands.session_wanted.connect(self._open_session)
        self.runs.session_wanted.connect(self._open_session)
        self.connections.connected.connect(column.composer.editor.setFocus)
        column.composer.foot.connect_requested.connect(self.connections.show)
        column.composer.foot.compact_requested.connect(self.window.actions_table["compact"].trigger)
        self._offer_prune()
        window.welcome.connect_button.clicked.connect(lambda: self.connections.show())
        window.welcome.chat_button.clicked.connect(window.actions_table["new-chat"].trigger)
        self.connections.changed.connect(self.context.refresh)
        self.connections.changed.connect(self._offer_connections)
        self.preferences.opened.connect(lambda _dialog: self._offer_connections())
        self.connections.changed.connect(lambda: window.welcome.show_connection(self.connections.default))
        self._connect_toast()
        window.toast.offered.connect(lambda on: shared.actions.set_state(State.OFFERED, on=on))
        self.streams.noticed.connect(self.auto_compaction.tell_notice)
        self.streams.continued.connect(self._on_continued)
        self.streams.watch(self._services.runs.watch)
        self._services.runs.count_down(COUNTDOWN)

    def _offer_prune(self) -> None:
        """Offer to prune in the status line while the context column, which offers it, is hidden."""
        actions, preview, link = self.window.actions_table, self.window.context.preview, self.window.status.prune
        prune, column, workbench = (actions[id] for id in ("prune", "show-context", "leave-preview"))

        def show() -> None:
            is_hidden = not column.isChecked() and not workbench.isEnabled()
            link.setVisible(is_hidden and prune.isEnabled() and preview.prune.isEnabled())

        link.clicked.connect(prune.trigger)
        for changed in (prune.enabledChanged, column.toggled, preview.prune_changed, workbench.enabledChanged):
            changed.connect(show)
        show()

    def close(self) -> None:
        """Close the dialogs, stop imports and streams, save the drafts and close the session."""
        for dialog in self.window.findChildren(QDialog):
            dialog.close()  # while their objects exist: a field tells its text when it loses the focus
        self.clean_up.close()
        self.importing.close()
        self.streams.close()
        self.chat.drafts.flush()
        self.opened.close()

    def _connect(self) -> None:
        window = self.window
        self.preferences.shown.connect(self.chat.use)
        self.history.follow_focus(window.sessions, (window.branches, window.transcript, window.context))
        self.importing.failed.connect(window.banner.tell_error)
        self.clean_up.import_requested.connect(lambda paths: self.importing.import_paths(paths, opens=False))
        self.finding.hidden_found.connect(self._on_hidden_found)
        self.finding.unmarked_found.connect(self._on_unmarked_found)
        self.importing.finished.connect(self.clean_up.look_again)
        self.importing.session_wanted.connect(self._open_session)
        self.branches.session_wanted.connect(self._open_session)
        self.entries.session_wanted.connect(self._open_session)
        self.lineage.session_wanted.connect(self._open_session)
        self.windows.session_wanted.connect(self._open_session)
        self.hand_off.session_wanted.connect(self._open_session)
        self.search.session_chosen.connect(self._open_session)
        self.search.entry_chosen.connect(self._on_entry_chosen)
        self.results.entry_chosen.connect(self._on_hit_chosen)
        self.results.closed.connect(lambda: window.show_results(on=False))
        self.results.closed.connect(self.finding.leave_results)
        window.columns.results_left.connect(self.results.close)
        self.opened.tree_read.connect(window.columns.paint_in_turns)  # each column shows something of the tree
        self.compaction.mode_changed.connect(lambda on: self._set_workbench(on=on))
        window.branches.list.verticalScrollBar().valueChanged.connect(self._attention.scrolled)
        self._connect_column(window.transcript)

    def _connect_column(self, column: TranscriptColumn) -> None:
        view = column.view
        self.entries.connect_column(column)
        column.find_requested.connect(self.finding.open)
        column.files_requested.connect(self.files.open)
        column.rename_requested.connect(self.sessions.rename_open)
        column.lineage.session_wanted.connect(self._open_session)
        column.restore_requested.connect(self.branches.trash)
        view.wanted.connect(partial(self._on_wanted, view))
        view.verticalScrollBar().valueChanged.connect(self._attention.scrolled)
        view.use_keys(self.window.actions_table.column_keys("transcript"))
        view.action_given.connect(lambda id: self.window.actions_table[id].trigger())
        view.card_cursor.moved.connect(self.opened.select)
        view.visible_entry_changed.connect(partial(self._on_read, view))
        self.marked.watch(view)

    def _shared(self, background: Background) -> WindowContext:
        actions, toast = self.window.actions_table, self.window.toast
        return WindowContext(
            self._services, self._bridge, actions, self.opened, toast, background, self.history, self._attention
        )

    def _offer_connections(self) -> None:
        """Offer the known connections where a setting names one."""
        if self.preferences.settings is not None:
            self.preferences.settings.show_connections([known.name for known in self.connections.connections])

    def _connect_toast(self) -> None:
        window = self.window
        window.toast.rested.connect(self._on_toast_rested)
        window.status.offer.clicked.connect(window.toast.click)
        self._toast_session = self.opened.key
        self.opened.started.connect(self._on_session_left)
        self.opened.started.connect(self._drop_outdated_offer)
        self.opened.tree_read.connect(self._drop_outdated_offer)

    def _on_toast_rested(self, text: str, action: str) -> None:
        self._offer_leaf = self.opened.leaf
        self.window.status.show_offer(text, action)

    def _drop_outdated_offer(self) -> None:
        """Remove an action from the status line, because its *Undo* would undo another move of the leaf."""
        if self.window.status.has_offer and self.opened.leaf != self._offer_leaf:
            self.window.toast.withdraw()

    def _on_session_left(self) -> None:
        """Hide a toast about the session that was open before."""
        if self.opened.key != self._toast_session:
            self._toast_session = self.opened.key
            self.window.toast.leave_session()

    def _on_read(self, view: TranscriptView, key: int) -> None:
        """Mark the entry that is read in the active transcript in the branches, without selecting it."""
        if view is self.split.view:
            self.window.branches.list.show_reading(key)

    def _on_way_out(self, way: str, entry: int | None) -> None:
        """Cut, exclude, summarise or take back an entry that is too large for the context window, then retry the
        request.
        """
        if way == "digest":
            self.auto_compaction.use_digest(self.runs.retry)
        elif way == "summarise":
            self.branches.summarise_all(self.runs.retry)
        elif entry is not None and way == "take-back":
            self.branches.continue_from(entry)
        elif entry is not None:
            # after the last message is excluded, there is nothing to answer: the user continues
            self.branches.omit(*((entry, CUT, self.runs.retry) if way == "cut" else (entry, OUT, self.runs.stop)))

    def _follow(self, session: int, to: int) -> None:
        """Open the session in which another one continues, and move the draft there."""
        if session == self.opened.key:
            self.chat.drafts.hand_over(session, to)
        self._open_session(to)

    def _on_continued(self, event: SessionContinued) -> None:
        """Open the session in which an automatic compaction continues, unless the user is busy elsewhere."""
        if event.session != self.opened.key:
            return
        toast = self.window.toast
        if self.compaction.is_open or self.runs.state.is_busy or not self.opened.is_at_leaf:
            told = self.tr("This session was continued in a new one.")
            toast.tell(told, self.tr("Show the new session"), lambda: self._follow(event.session, event.to))
            return
        self._follow(event.session, event.to)
        told = self.tr(
            "Continued in a new session, because the context was above the trigger. The old session is unchanged."
        )
        toast.tell(told, self.tr("Show the old session"), lambda: self._open_session(event.session))

    def _on_entry_chosen(self, session: int, entry: int, words: str) -> None:
        """Open the session at a hit of the palette, mark its words, and focus the branches to go on by their keys."""
        self._open_session(session, entry)
        self.windows.go("branches" if self.window.columns.is_shown("branches") else "transcript")
        self.finding.find_at(entry, words)

    def search_sessions(self) -> None:
        """Show the search in all sessions, unless there are none."""
        if self.window.shows_welcome:
            return
        self.window.show_results(on=True)
        self.results.open()

    def _on_hit_chosen(self, session: int, entry: int, words: str) -> None:
        """Open the session of a search hit, show the hit and mark the words; the focus stays in the results."""
        self._open_session(session, entry)
        self.finding.find_at(entry, words, of_results=True)

    def _on_hidden_found(self) -> None:
        """Say that the chosen hit is in an entry that the transcript hides, and offer to show the entry."""
        told = self.tr("This hit is in a record that the transcript does not show.")
        show = partial(self.entries.show_raw, self.opened.selection)
        self.window.toast.tell(told, self.tr("Show raw entry"), show, of_open=True)

    def _on_unmarked_found(self) -> None:
        """Say that the words of the chosen hit are not displayed, and offer to show the entry."""
        told = self.tr("The words of this hit are in a part of the entry that the transcript does not show.")
        show = partial(self.entries.show_raw, self.opened.selection)
        self.window.toast.tell(told, self.tr("Show raw entry"), show, of_open=True)

    def _on_wanted(self, view: TranscriptView, key: int, action: Action) -> None:
        self.entries.use(view)
        self.card_answers(view, key, action)[action.request]()

    def card_answers(self, view: TranscriptView, key: int, action: Action) -> dict[Request, Callable[[], object]]:
        """Map each request of a card (entry `key`) to its effect, except for requests that the transcript handles."""
        return {
            Request.ACTIVATE: lambda: self.opened.select(key),
            Request.CONTINUE: lambda: self.runs.continue_reply_of(key),
            Request.COPY: lambda: self.entries.copy_text(key),
            Request.COPY_SELECTION: lambda: self.entries.copy(markdown=False),
            Request.EDIT: lambda: self.branches.continue_from(key),
            Request.EDIT_COMPACTION: lambda: self.summaries.edit(key),
            Request.FORK: lambda: self.branches.fork(key),
            Request.COPY_IMAGE: lambda: self.entries.copy_image(action.text),
            Request.IMAGE: lambda: self.entries.show_image(action.text),
            Request.SAVE_IMAGE: lambda: self.entries.save_image(action.text),
            Request.LINK: lambda: self.entries.follow_link(action.text),
            Request.MENU: lambda: self.entries.show_menu(view, key),
            Request.PIN: lambda: self.branches.pin([key]),
            Request.REGENERATE: lambda: self.runs.regenerate(key),
            Request.SETTING: lambda: self.preferences.show_setting(action.text),
            Request.SHOW_ALL: lambda: self.entries.show_all(view, key),
            Request.SHOW_SUMMARISED: lambda: self.session.show_summarised(key),
            Request.SIBLING: lambda: self.session.step_sibling(key, action.step),
            Request.STOP: lambda: self.runs.stop(),
            Request.SUBAGENT: lambda: self.entries.open_subagent(action.text),
            Request.UNDO_COMPACTION: lambda: self.branches.undo_compaction(key),
            Request.WRAP: lambda: self.window.actions_table["wrap-code"].toggle(),
        }

    def _set_workbench(self, *, on: bool) -> None:
        if on:
            self.split.join()  # the preview needs the room
        view = self.window.transcript.view
        view.setFocus()  # it stays: for a focus that is hidden, Qt and the window search all widgets
        with view.arranged_once():
            self.window.columns.set_workbench(on=on)
            self.window.transcript.set_workbench(on=on)
        if not on:
            self.window.branches.list.setFocus()

    def summarise_up_to_entry(self) -> None:
        """Preview a summary of everything up to the selected entry; the open preview moves its cut there."""
        if self.opened.selection is not None:
            self.compaction.open_up_to(self.opened.selection)

    def summarise_from_entry(self) -> None:
        """Preview a summary of everything from the selected entry on; the open preview changes to it."""
        if self.opened.selection is not None:
            self.compaction.open_from(self.opened.selection)

    def export_listed(self) -> None:
        """Ask for the file of an export of the first selected session of the list, which need not be open."""
        chosen = self.window.sessions.selected
        if chosen:
            self.entries.choose_export(of=chosen[0])

    def show_context_at(self, key: int) -> None:
        """Show the context at an entry, and the path through it."""
        self.opened.view_entry(key)
        self.context.show(here=True)
