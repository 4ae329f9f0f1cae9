"""The controller of the time machine: keeps the chart and the selected entry in step."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from stemmata.domain.context.breakdown import largest_of
from stemmata.domain.entries.path_totals import Category, PathTotals
from stemmata.gui.context.chart import OverTimeSection
from stemmata.gui.context.controller import ContextController
from stemmata.gui.core.bridge import Run
from stemmata.gui.core.window_context import Desk
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.widgets.context_words import category_name
from stemmata.services.context.contexts import Timeline


class TimeController(QObject):
    """Computes the chart's series once per path, off the GUI thread, and only while the chart is unfolded."""

    def __init__(
        self, desk: Desk, section: OverTimeSection, context: ContextController, active: Callable[[], TranscriptView]
    ) -> None:  # fmt: skip
        """Connect the chart; `active` returns the transcript that shows the open session."""
        super().__init__(section)
        self._opened, self._contexts = desk.opened, desk.services.contexts
        self._background, self._bridge = desk.background, desk.bridge
        self._section, self._context, self._active = section, context, active
        self._run = Run()
        self._line: PathTotals | None = None  # the path that is displayed or being computed
        desk.opened.started.connect(self._on_started)
        desk.opened.tree_read.connect(self._follow)
        desk.opened.looked.connect(self._follow)
        desk.opened.selected.connect(self._show_position)
        section.unfolded.connect(self._follow)
        section.chart.position_requested.connect(self._on_position_requested)
        section.chart.band_requested.connect(self._on_band_requested)

    def _on_started(self) -> None:
        self._run.cancel()
        self._line = None
        self._section.show_timeline(None)

    def _follow(self) -> None:
        """Compute the series of the displayed path; the old chart stays until the result arrives."""
        skeleton, end = self._opened.skeleton, self._opened.end
        if skeleton is None or end is None or (self._section.is_folded and self._line is not None):
            return
        line = self._opened.line_to(end)
        if line.path[-1] != end:
            line = PathTotals(skeleton.tree, skeleton.tree.path(end))
        if self._line is not None and self._line.tree is skeleton.tree and self._line.path == line.path:
            self._show_position()
            return
        self._line = line
        timeline = self._background.submit(lambda: self._contexts.along(skeleton, line))
        self._bridge.when_done(timeline, self._on_timeline, run=self._run)

    def _on_timeline(self, timeline: Timeline) -> None:
        self._section.show_timeline(timeline, self._position(timeline))

    def _show_position(self) -> None:
        timeline = self._section.chart.timeline
        if timeline is not None:
            self._section.set_position(self._position(timeline))

    def _position(self, timeline: Timeline) -> int:
        """Return the position of the selected entry; the last position when it is not on the path."""
        line, entry = timeline.series.line, self._opened.selected_index
        return line.position(entry) if entry is not None and entry in line else len(line) - 1

    def _on_position_requested(self, key: int) -> None:
        self._opened.select(key)
        if not self._context.is_here:
            self._context.show(here=True)
        self._active().scroll_to(key)

    def _on_band_requested(self, key: int, category: Category) -> None:
        """List the entries of a band's category at the marker."""
        skeleton = self._opened.skeleton
        entry = None if skeleton is None else skeleton.tree.get(key)
        if entry is not None:
            view = self._opened.context(entry)
            items, title = largest_of(view.projection, category), self.tr("Largest: {0}")
            self._context.show_largest(items, title.format(category_name(category)), view.breakdown)
