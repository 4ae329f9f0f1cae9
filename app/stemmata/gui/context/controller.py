"""The controller of the context column: chooses the context to show and describes its largest entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from stemmata.domain.context.breakdown import Breakdown, Count, Item, largest_of
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import ToolCall, arguments_of
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.entry_rows import EntryRow
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.details import is_compacted_by_hand
from stemmata.domain.tool_calls.notes import note_name
from stemmata.gui.cards.tool_line import argument_line, within
from stemmata.gui.composer.view import Composer
from stemmata.gui.context.item_button import LargeItem
from stemmata.gui.context.view import CacheFacts, ContextColumn
from stemmata.gui.core.actions import State
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.widgets.context_words import category_name, figure_with_noun, percent_text, tr
from stemmata.gui.widgets.figures import figure_text, tokens_text
from stemmata.gui.widgets.ring import NextRequest
from stemmata.gui.widgets.status import StatusLine
from stemmata.services.context.contexts import ContextView, Timeline
from stemmata.services.ports.archive import Pages

LONGEST_NAME = 22  # characters of the name of a tool or note
LOOK_BACK = 64  # entries between a result and its call; models make a handful of calls at once
MOST_CALLERS = 8  # messages above a result that are searched for its call


class LargeItems:
    """Describes the largest entries of a context. A tool result is described by the argument of its call.

    The calls of one session are cached, because each step of the time machine needs them again.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._tree: Tree | None = None
        self._asked: dict[int, str] = {}

    def of(self, tree: Tree, items: Sequence[Item], scale: Breakdown, folder: str) -> list[LargeItem]:
        """Return the lines for `items`, without items of size 0. `folder` is the working folder of the session."""
        if tree is not self._tree:
            self._tree, self._asked = tree, {}
        items = [item for item in items if item.tokens > 0]
        keys = [tree.key(item.entry) for item in items]
        rows = self._pages.rows(keys)
        self._look_up(tree, [(item.entry, rows[key]) for item, key in zip(items, keys, strict=True) if key in rows])
        return [
            LargeItem(
                key, _short(_speaker_name(rows[key])), self._description(rows[key], folder), scale.scaled(item.tokens)
            )
            for item, key in zip(items, keys, strict=True)
            if key in rows
        ]

    def _description(self, row: EntryRow, folder: str) -> str:
        return within(folder, self._asked.get(row.key, "")) or row.preview

    def _look_up(self, tree: Tree, shown: Sequence[tuple[int, EntryRow]]) -> None:
        """Read the calls of the results that are not in the cache."""
        open = {row.key: row.call for _, row in shown if row.role is Role.TOOL_RESULT and row.key not in self._asked}
        callers = {row.key: _callers(tree, at) for at, row in shown if row.key in open}
        self._asked.update(dict.fromkeys(open, ""))
        for nearest in (True, False):  # all calls may be in one message, or each call in a separate message
            looked = {key: callers[key][:1] if nearest else callers[key][1:] for key in open}
            keys = sorted({caller for found in looked.values() for caller in found})
            bodies = self._pages.bodies(keys) if keys else {}
            for key, found in looked.items():
                blocks = (block for caller in found if caller in bodies for block in bodies[caller].blocks)
                calls = {block.id: block for block in blocks if isinstance(block, ToolCall)}
                if open[key] in calls:
                    self._asked[key] = argument_line(arguments_of(calls[open[key]]))
            open = {key: call for key, call in open.items() if not self._asked[key]}


def _callers(tree: Tree, result: int) -> list[int]:
    """Return the messages (store keys) whose calls a result may answer, the nearest first."""
    out: list[int] = []
    entry = tree.parents[result]
    for _ in range(LOOK_BACK):
        if entry < 0 or len(out) == MOST_CALLERS or tree.role(entry) is Role.USER:
            break
        if tree.role(entry) is Role.ASSISTANT:
            out.append(tree.key(entry))
        entry = tree.parents[entry]
    return out


def _speaker_name(row: EntryRow) -> str:
    if row.kind is Kind.COMPACTION:
        return tr("Summary")
    match row.role:
        case Role.USER:
            return tr("You")
        case Role.ASSISTANT:
            return tr("Assistant")
        case Role.TOOL_RESULT:
            return row.tool or tr("Tool")
        case Role.BASH_EXECUTION:
            return "bash"
    return translate_phrase(note_name(row)) or tr("Note")


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


LATEST = 64  # entries whose usage the cache figures include


class ContextController(QObject):
    """Fills the context column for the selected entry or for the next request."""

    def __init__(
        self,
        shared: WindowContext,
        column: ContextColumn,
        composer: Composer,
        status: StatusLine,
        active: Callable[[], TranscriptView],
    ) -> None:
        """Connect the controller. `active` returns the transcript that shows the open session."""
        super().__init__(column)
        self._contexts, self._background, self._bridge = shared.services.contexts, shared.background, shared.bridge
        self._section, self._active = column.over_time, active
        self._timeline_run, self._count_run = LatestOnly(), LatestOnly()
        self._services, self._toast = shared.services, shared.toast
        self._line: PathTotals | None = None  # the path that the chart displays or that is being computed
        opened, actions = shared.opened, shared.actions
        self._opened, self._pages, self._actions = opened, shared.services.pages, actions
        self._column, self._composer, self._status = column, composer, status
        self._large = LargeItems(shared.services.pages)
        self._here = False
        self._waits = False  # whether the context at the selected entry is shown with its branch, which is awaited
        for id in ("context-now", "context-here"):
            actions[id].setCheckable(True)
        opened.started.connect(self._on_started)
        # in separate turns: the turn in which a tree arrives shows the transcript and the branches
        self._refreshing = TurnSteps(self)
        opened.tree_read.connect(self._refresh_later)
        opened.selected.connect(self._on_selected)
        column.entry_chosen.connect(opened.view_entry)
        opened.tree_read.connect(self._follow)
        opened.view_changed.connect(self._on_view_changed)
        opened.selected.connect(self._show_position)
        self._section.unfolded.connect(self._follow)
        self._section.chart.position_requested.connect(self._on_position_requested)
        self._section.chart.band_requested.connect(self._on_band_requested)

    @property
    def is_here(self) -> bool:
        """Whether the column shows the context at the selected entry, which changes with the selection."""
        return self._here

    @property
    def is_behind(self) -> bool:
        """Whether the column does not yet show the newest tree."""
        return self._refreshing.is_active

    def show(self, *, here: bool) -> None:
        """Show the context at the selected entry (`here`) or the context of the next request."""
        self._here = here
        self._refresh()

    def count(self) -> None:
        """Let the provider count the displayed context, and show its figures."""
        opened, shown = self._opened, self._column.breakdown
        if opened.session_tree is None or opened.key is None or not shown.count.isEnabled():
            return
        entry = opened.selected_index if self._here else opened.leaf
        key = None if entry is None else opened.session_tree.tree.key(entry)
        shown.show_counting(on=True)
        future = self._services.context_counts.count(opened.key, key)
        self._bridge.when_done(future, self._on_counted, self._on_not_counted, run=self._count_run)

    def _on_counted(self, count: Count) -> None:
        self._column.breakdown.show_counting(on=False)
        self._refresh()
        self._toast.tell(self.tr("The provider counted %Ln tokens.", None, count.total))

    def _on_not_counted(self, error: Exception) -> None:
        self._column.breakdown.show_counting(on=False)
        self._bridge.failed.emit(error)

    def refresh(self) -> None:
        """Recompute after the catalogue or the session's model changes."""
        self._refresh()

    def _on_started(self) -> None:
        self._refreshing.stop()
        self._column.clear()
        self._composer.show_request(NextRequest())
        self._status.show_session(None)
        self._status.show_trigger(None)
        self._actions.set_state(State.ENTRY | State.LEFT_OUT, on=False)
        self._timeline_run.cancel()
        self._count_run.cancel()
        self._column.breakdown.show_counting(on=False)
        self._line = None
        self._section.show_timeline(None)

    def _enable_actions(self) -> None:
        """Enable the actions on the selected entry, or disable them when no entry is selected."""
        self._actions.set_state(State.ENTRY, on=self._opened.selected_index is not None)
        self._actions.set_state(State.LEFT_OUT, on=self._is_left_out())

    def _is_left_out(self) -> bool:
        """Return whether the next request cuts, replaces or leaves out the selected entry."""
        opened = self._opened
        session_tree, entry, leaf = opened.shown_tree, opened.selected_index, opened.leaf
        if session_tree is None or entry is None or leaf is None:
            return False
        path_totals = opened.path_totals_to(leaf)
        if entry not in path_totals:
            return False
        return path_totals.position(entry) in context_at(session_tree.tree, leaf, path_totals).omissions

    def _on_selected(self) -> None:
        self._enable_actions()
        if self._here:
            self._refresh()

    def _on_view_changed(self) -> None:
        self._follow()
        self._enable_actions()
        if self._waits:
            self._refresh()

    def _refresh_later(self) -> None:
        """Show the figures of a new tree in three turns, because showing all of them takes longer than a frame.

        Actions on the entry are enabled at once: its row is in the branches now and may be clicked in the next turn.
        """
        self._enable_actions()
        self._refreshing.stop()
        self._refreshing.start(self._read_largest, self._show_context, self._show_request)

    def _refresh(self) -> None:
        self._refreshing.stop()
        self._show_context()
        self._show_request()

    def _read_largest(self) -> None:
        """Read the largest entries of the context into the cache, so that it is shown without waiting for them."""
        if self._opened.session_tree is not None:
            shown = self._opened.context(self._opened.leaf).breakdown
            self._items(shown.largest, shown)

    def _show_context(self) -> None:
        """Show the context in the column."""
        opened = self._opened
        self._actions["context-now"].setChecked(not self._here)
        self._actions["context-here"].setChecked(self._here)
        self._waits = self._here and opened.shown_tree is None
        if opened.session_tree is None or self._waits:
            return
        self._enable_actions()
        now = opened.context(opened.leaf)
        entry = opened.selected_index
        shown = opened.context(entry) if self._here and entry is not None else now
        self._section.setVisible(opened.end is not None)
        self._column.show_context(
            shown,
            self._items(shown.breakdown.largest, shown.breakdown),
            now=shown is now,
            automatic=self._automatic(now),
        )

    def _show_request(self) -> None:
        """Show the figures of the next request beside the composer, in the status line and below the context."""
        opened = self._opened
        if opened.session_tree is None:
            return
        now = opened.context(opened.leaf)
        self._composer.show_request(_next_request(now))
        self._column.cache.show_cache(self._cache())
        self._status.show_session(opened.session)
        self._status.show_trigger(now.budget.trigger)

    def _automatic(self, view: ContextView) -> str:
        """Return when the open session is compacted automatically. `view` is the context of the next request."""
        session = self._opened.session
        if not self._contexts.settings.enabled:
            return self.tr("Off in the settings")
        if session is not None and is_compacted_by_hand(session.details):
            return self.tr("Off for this session")
        if view.budget.trigger is None:
            return self.tr("Only on overflow")
        return self.tr("Above {0}").format(tokens_text(view.budget.trigger))

    def _cache(self) -> CacheFacts:
        """Return the cache figures of the latest replies of the active branch, at most `LATEST` entries back."""
        session_tree = self._opened.session_tree
        assert session_tree is not None
        tree = session_tree.tree
        replies = [entry for entry in tree.path(self._opened.leaf)[-LATEST:] if tree.role(entry) is Role.ASSISTANT]
        keys = [tree.key(entry) for entry in replies]
        rows = self._pages.rows(keys)
        last = self._pages.bodies(keys[-1:], limit=0)
        details = last[keys[-1]].details if keys and keys[-1] in last else ""
        return CacheFacts.of([rows[key].usage for key in keys if key in rows], details)

    def show_largest(self, items: Sequence[Item], title: str, scale: Breakdown) -> None:
        """Show `items` in the list of the largest entries until another context is shown."""
        self._column.largest.show_items(self._items(items, scale), title)

    def _items(self, items: Sequence[Item], scale: Breakdown) -> list[LargeItem]:
        session_tree, session = self._opened.session_tree, self._opened.session
        assert session_tree is not None
        return self._large.of(session_tree.tree, items, scale, session.cwd if session is not None else "")

    # -- the chart: worked out away from the GUI thread, once for a path, and not while it is folded ------------

    def _follow(self) -> None:
        """Compute the contexts along the displayed path; the old chart stays until the result arrives."""
        session_tree, end = self._opened.session_tree, self._opened.end
        if session_tree is None or end is None or (self._section.is_folded and self._line is not None):
            return
        path_totals = self._opened.path_totals_to(end)
        if path_totals.path[-1] != end:
            path_totals = PathTotals(session_tree.tree, session_tree.tree.path(end))
        if self._line is not None and self._line.tree is session_tree.tree and self._line.path == path_totals.path:
            self._show_position()
            return
        self._line = path_totals
        timeline = self._background.submit(lambda: self._contexts.along(session_tree, path_totals))
        self._bridge.when_done(timeline, self._on_timeline, run=self._timeline_run)

    def _on_timeline(self, timeline: Timeline) -> None:
        self._section.show_timeline(timeline, self._place_in(timeline))

    def _show_position(self) -> None:
        timeline = self._section.chart.timeline
        if timeline is not None:
            self._section.set_position(self._place_in(timeline))

    def _place_in(self, timeline: Timeline) -> int:
        """Return the position of the selected entry; the last position when it is not on the path."""
        path_totals, entry = timeline.history.path_totals, self._opened.selected_index
        return path_totals.position(entry) if entry is not None and entry in path_totals else len(path_totals) - 1

    def _on_position_requested(self, key: int) -> None:
        self._opened.select(key)
        if not self._here:
            self.show(here=True)
        self._active().scroll_to(key)

    def _on_band_requested(self, key: int, category: Category) -> None:
        """List the entries of a band's category at the marker."""
        session_tree = self._opened.session_tree
        entry = None if session_tree is None else session_tree.tree.get(key)
        if entry is not None:
            view = self._opened.context(entry)
            items, title = largest_of(view.projection, category), self.tr("Largest: {0}")
            self.show_largest(items, title.format(category_name(category)), view.breakdown)


def _next_request(view: ContextView) -> NextRequest:
    """Return the figures of the composer's ring, with its text such as `124.6k · 62%`."""
    total, window = view.breakdown.total, view.budget.window
    parts = [figure_text(total)]
    if window and total.value is not None:
        parts.append(percent_text(total.value, window))
    return NextRequest(" · ".join(parts), total.value, window, view.budget.trigger, _tip(view))


def _tip(view: ContextView) -> str:
    """Return the tooltip of the ring: one figure per line."""
    trigger = view.budget.trigger
    lines = [
        tr("Next request: {0}").format(figure_with_noun(view.breakdown.total)),
        tr("Window: {0}").format("—" if view.budget.window is None else tokens_text(view.budget.window)),
    ]
    if trigger is not None:
        lines.append(tr("Compacts at {0}").format(tokens_text(trigger)))
    return "\n".join(lines)
