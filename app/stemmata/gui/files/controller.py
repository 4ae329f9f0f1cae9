"""Opens the page of files, and handles the person's choices there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from stemmata.domain.errors import KnownError
from stemmata.domain.files.log import FileHistory, FileStep
from stemmata.domain.files.requests import FileAct
from stemmata.domain.files.state import FileState
from stemmata.domain.sessions.session import SessionTree
from stemmata.domain.text.one_line import one_line
from stemmata.gui.branches.graph import COLOURS
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.cards.tool_output import language_of
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.files import words
from stemmata.gui.files.coloring import ColoredLines, colored_lines
from stemmata.gui.files.model import StepRow
from stemmata.gui.files.timeline import Dot
from stemmata.gui.files.view import FileMode, FilesView, OtherSession
from stemmata.gui.sessions.words import title_of
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.clipboard import put_on_clipboard
from stemmata.services.futures import run_in_thread
from stemmata.services.sessions.files import FileListing, FileView, OtherUse

CHIP, SHORT = 36, 24  # characters of a step's title in the header, and of a branch's name


class PageHost(Protocol):
    """The window, as far as this page uses it."""

    theme: Theme

    @property
    def branches(self) -> BranchesView:
        """The branches column, whose lanes give the colours."""

    def add_page(self, page: QWidget) -> None:
        """Add a page to the window, so that `show_page` can show it."""

    def show_page(self, page: QWidget | None) -> None:
        """Show a page instead of the columns; None returns to the columns."""


class FilesController(QObject):
    """Shows the page of files; reads again while the session grows, and closes the page with the session."""

    def __init__(
        self, shared: WindowContext, window: PageHost, parent: QObject, open_session: Callable[..., None]
    ) -> None:
        super().__init__(parent)
        self._services, self._bridge = shared.services, shared.bridge
        self._opened, self._window, self._open_session = shared.opened, window, open_session
        self._listing_run, self._history_run = LatestOnly(), LatestOnly()
        self._view_run, self._color_run, self._others_run = LatestOnly(), LatestOnly(), LatestOnly()
        self._page: FilesView | None = None
        self._session_tree: SessionTree | None = None
        self._listing: FileListing | None = None
        self._history: FileHistory | None = None
        self._known: tuple[FileListing, int | None] | None = None  # the last list, and the end of its branch
        self._end: int | None = None
        self._path, self._step, self._entry = "", -1, -1  # the shown file, step, and the entry that was selected
        self._mode, self._other = FileMode.CHANGE, -1
        self._on_disk = False  # whether the text is compared with the file on disk
        self._rest: Callable[[], None] | None = None  # reads the whole list after a part of it is shown
        self._state: FileState | None = None
        self.is_open = False
        shared.opened.started.connect(self.leave)
        shared.opened.tree_read.connect(self._on_tree_read)

    @property
    def view(self) -> FilesView:
        """The page, created on first use."""
        if self._page is None:
            self._page = page = FilesView(self._window.theme)
            page.leave_requested.connect(self.leave)
            page.file_chosen.connect(self.show_file)
            page.step_chosen.connect(self.show_step)
            page.mode_chosen.connect(self.set_mode)
            page.other_chosen.connect(self._on_other)
            page.scope_changed.connect(self._show_steps)
            page.copy_requested.connect(self.copy)
            page.disk_requested.connect(self.compare_with_disk)
            page.transcript_requested.connect(self.show_in_transcript)
            page.session_chosen.connect(self._on_session_chosen)
        return self._page

    def open(self) -> None:
        """Show the files of the branch that the transcript shows."""
        if self._opened.session_tree is None:
            return
        if not self.is_open:
            self._path, self._step, self._listing, self._history = "", -1, None, None
            self.view.files.set_uses((), "")
            self.view.show_files("")
            self.view.show_others(())
            self.view.show_steps((), ())
            self.view.show_message(self.tr("Reading the files of this session…"))
        self.is_open = True
        self._window.show_page(self.view)
        self._read()

    def leave(self) -> None:
        """Close the page and return to the columns."""
        for run in (self._listing_run, self._history_run, self._view_run, self._color_run, self._others_run):
            run.cancel()
        self._rest = None
        if self.is_open:
            self.is_open = False
            self._window.show_page(None)
            self._listing = self._history = self._session_tree = self._state = None
            self.view.text.show_rows((), 0, keep=False)

    # -- the list -------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read the list of files. When the page opens, a part of the list is read and shown first."""
        session_tree = self._opened.session_tree
        assert session_tree is not None
        end, run = self._opened.end, self._listing_run
        known, self._known = self._known, None  # a list of another tree is not kept
        selected, self._rest = self._opened.selected_index, None

        def show(listing: FileListing) -> None:
            self._session_tree, self._listing, self._end = session_tree, listing, end
            self._entry = len(session_tree.tree) if selected is None else selected
            if listing.read is None:
                self._known = listing, end
            self._show_listing(listing)

        def read_whole() -> None:
            told = self._bridge.latest(self._on_read)
            future = self._services.files.listing(session_tree, end, run.next_is_wanted(), told)
            self._bridge.when_done(future, show, self._on_failed, run=run)

        def show_part(part: FileListing | None) -> None:
            if part is None:
                read_whole()
                return
            self._rest = read_whole  # when the text of the file is shown, so that nothing delays it
            show(part)

        if known is not None and known[0].tree is session_tree.tree and known[1] == end:
            run.cancel()
            show(known[0])
        elif self._listing is None:
            part = self._services.files.near(session_tree, end, selected, run.next_is_wanted())
            self._bridge.when_done(part, show_part, self._on_failed, run=run)
        else:
            read_whole()

    def _read_rest(self) -> None:
        """Read the whole list, if only a part of it was read."""
        rest, self._rest = self._rest, None
        if rest is not None:
            rest()

    def _on_read(self, percent: int) -> None:
        """Show how much of the session was read."""
        if self.is_open and (self._listing is None or self._listing.read is not None):
            self.view.show_progress(percent)

    def _on_failed(self, error: Exception) -> None:
        self.view.show_message(str(error))
        self._read_rest()

    def _show_listing(self, listing: FileListing) -> None:
        place = self.view.list.place()
        self.view.files.set_uses(listing.uses, listing.session.cwd)
        known = {use.path for use in listing.uses}
        is_same = self._path in known
        path = self._path if is_same else self._first_path(listing)
        self._path = ""
        self.view.show_files(path, waits=not path and listing.read is not None)
        if place is not None and is_same:
            self.view.list.keep(place)
        if not path and listing.read is not None:
            self._read_rest()  # no file was used near the selected entry
        elif not path:
            self.view.show_message(self.tr("No tool of this branch read or changed a file."))
        elif self._path != path:  # the filter may hide the file
            self.show_file(path)

    def _first_path(self, listing: FileListing) -> str:
        """Return the file that was changed last before the selected entry, else the last one, else any.

        Only a file that was changed before the selected entry is known from a part of the list.
        """
        own = [step for step in listing.steps if listing.here[step.entry]]
        changed = [step for step in own if step.act.is_change]
        before = [step for step in changed if step.entry <= self._entry]
        found = (before or ([] if listing.read is not None else changed or own))[-1:]
        return found[0].path if found else ""

    # -- a file ---------------------------------------------------------------------------------------------------

    def show_file(self, path: str) -> None:
        """Show a file of the list, at the step that the selected entry belongs to."""
        listing, session_tree = self._listing, self._session_tree
        if listing is None or session_tree is None or path == self._path:
            return
        again = self._history is not None and self._history.path == path
        self._path, self._on_disk = path, False
        self.view.show_file(words.name_of(path), path)
        is_wanted = self._history_run.next_is_wanted()
        future = self._services.files.history(session_tree, listing, path, self._end, is_wanted)

        def show(history: FileHistory) -> None:
            step = self._same_step(history) if again else None
            step = self._first_step(history) if step is None else step
            self._history = history
            self._show_steps()
            self._step = -1
            self.show_step(step)

        self._bridge.when_done(future, show, self._on_failed, run=self._history_run)
        if not again:
            self.view.show_others(())
            found = self._services.files.other_uses(listing.session.key, path)
            self._bridge.when_done(found, self._on_others, lambda _error: None, run=self._others_run)

    def _same_step(self, history: FileHistory) -> int | None:
        """Return the number of the shown step in a newer history of the file, None when it is not there."""
        before = self._history
        if before is None or not 0 <= self._step < len(before.steps):
            return None
        shown = before.steps[self._step]
        place = (shown.entry, shown.result, shown.path)
        found = (at for at, step in enumerate(history.steps) if (step.entry, step.result, step.path) == place)
        return next(found, None)

    def _first_step(self, history: FileHistory) -> int:
        """Return the last step of the shown branch at or above the selected entry, else the last one of any."""
        assert self._listing is not None
        here = self._listing.here
        own = [at for at, step in enumerate(history.steps) if here[step.entry]]
        before = [at for at in own if history.steps[at].entry <= self._entry]
        changed = [at for at in before if history.steps[at].act.is_change]
        return (changed or before or own or [len(history.steps) - 1])[-1]

    def _show_steps(self) -> None:
        history, listing = self._history, self._listing
        if history is None or listing is None:
            return
        numbers = [at for at, step in enumerate(history.steps) if self.view.all_steps or listing.here[step.entry]]
        numbers.sort(key=lambda at: (history.steps[at].entry, at))  # in the order of writing
        own = [at for at in numbers if history.leaves[at] < 0 and history.steps[at].act.is_change]
        places = {at: place for place, at in enumerate(own, 1)}
        names = {leaf: self._branch_name(leaf) for leaf in {*history.leaves} if leaf >= 0}
        lanes = {leaf: self._lane(leaf) for leaf in names}
        rows, dots = [], []
        for at in numbers:
            step, leaf = history.steps[at], history.leaves[at]
            branch = names.get(leaf, "")
            color = lanes.get(leaf) or _color(step)
            rows.append(StepRow(at, step, branch, color))
            dot = lanes.get(leaf) or ("faint" if step.act is FileAct.READ else "accent")
            dots.append(Dot(step, branch, dot, places.get(at, 0), len(own)))
        self.view.show_steps(rows, dots)
        self.view.show_step(self._step, *self._chip())

    def _lane(self, leaf: int) -> str:
        """Return the colour token of another branch's lane."""
        outline, session_tree = self._window.branches.outline, self._session_tree
        assert session_tree is not None
        place = None
        if outline is not None:
            place = outline.place_of(outline.tree.get(session_tree.tree.key(leaf)))
        number = outline.lanes.colour[place] if outline is not None and place is not None else 1
        return f"lane_{2 + (max(number, 1) - 1) % (COLOURS - 1)}"

    # -- branches -------------------------------------------------------------------------------------------------

    def _branch_name(self, leaf: int) -> str:
        """Return the label of a branch, else its number in the order of writing; the shown branch is the first."""
        assert self._session_tree is not None
        tree = self._session_tree.tree
        if leaf in tree.labels:
            return one_line(tree.labels[leaf], SHORT)
        others = [one for one in tree.leaves if one != self._end]
        return self.tr("branch {0}").format(others.index(leaf) + 2 if leaf in others else len(others) + 2)

    def _others(self) -> dict[int, int]:
        """Return the other branches with a text of the file: the last step on each, by its leaf.

        The branch of the shown step is among them only if the shown branch has a text to compare it with.
        """
        history = self._history
        assert history is not None
        own = -1 if self._own_last() >= 0 else history.leaves[self._step]
        out: dict[int, int] = {}
        for at, leaf in enumerate(history.leaves):
            is_other = leaf >= 0 and leaf != own
            if is_other and (leaf not in out or history.steps[out[leaf]].entry < history.steps[at].entry):
                out[leaf] = at
        return out

    def _own_last(self) -> int:
        """Return the last step of the shown branch, -1 without one."""
        assert self._history is not None
        return max((at for at, leaf in enumerate(self._history.leaves) if leaf < 0), default=-1)

    # -- a step ---------------------------------------------------------------------------------------------------

    def show_step(self, step: int) -> None:
        """Show the file as it was after a step."""
        if self._history is None or step == self._step or not 0 <= step < len(self._history.steps):
            return
        self._step, self._on_disk = step, False
        self._show()

    def set_mode(self, mode: FileMode) -> None:
        """Show the whole file, the change of the step, or the difference from another branch."""
        self._mode, self._on_disk = mode, False
        self._show(keep=True)

    def _on_other(self, leaf: int) -> None:
        self._other = leaf
        self.set_mode(FileMode.AGAINST)

    def _show(self, *, keep: bool = False) -> None:
        """Ask for the text of the shown step in the chosen mode."""
        history = self._history
        if history is None or self._step < 0:
            return
        others = self._others()
        if self._other not in others:
            self._other = next(iter(others), -1)
        mode = self._mode if others or self._mode is not FileMode.AGAINST else FileMode.CHANGE
        names = [(leaf, self._branch_name(leaf)) for leaf in others]
        self.view.show_modes(mode, names, self._other)
        self.view.show_step(self._step, *self._chip())
        self._bridge.when_done(
            self._view_future(history, mode, others), lambda found: self._on_view(found, keep=keep), self._on_failed,
            run=self._view_run,
        )  # fmt: skip

    def _view_future(self, history: FileHistory, mode: FileMode, others: dict[int, int]) -> Future[FileView]:
        files = self._services.files
        if mode is FileMode.WHOLE:
            return files.whole(history, self._step)
        if mode is FileMode.CHANGE:
            return files.change(history, self._step)
        other = others[self._other]
        return files.compared(history, self._step, other if other != self._step else self._own_last())

    def _on_view(self, found: FileView, *, keep: bool) -> None:
        history, view = self._history, self.view
        if history is None:
            return
        self._state = found.state
        self._read_rest()
        view.show_file(words.name_of(self._path), self._path)
        keep = keep or found.rows == view.text.rows  # the same text of a longer history
        view.text.show_rows(found.rows, found.longest, found.first, keep=keep, doubtful=found.state.doubtful)
        told = words.origin_text(self._steps_to(history), found.state)
        if self._on_disk:
            told = self.tr("Compared with the disk: lines that only the disk has are red. {0}").format(told)
        view.show_origin(told, can_copy=found.state.exists and not found.state.is_unknown)
        language = language_of(self._path)
        rows = found.rows
        colored: Future[ColoredLines] = run_in_thread(lambda: colored_lines(rows, language))
        self._bridge.when_done(colored, view.text.show_colors, lambda _error: None, run=self._color_run)

    def _steps_to(self, history: FileHistory) -> list[FileStep]:
        """Return the steps that lead to the shown one, itself included."""
        out, at = [], self._step
        while at >= 0:
            out.append(history.steps[at])
            at = history.steps[at].before
        return out

    def _chip(self) -> tuple[str, str]:
        """Return the words that name the shown step, and the short form of them; "" without a step."""
        history = self._history
        if history is None or not 0 <= self._step < len(history.steps):
            return "", ""
        step = history.steps[self._step]
        title = one_line(words.title_text(step), CHIP)
        return self.tr("as of “{0}”").format(title), words.time_text(step.time)

    # -- actions --------------------------------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy the known lines of the shown file."""
        if self._state is None:
            return
        put_on_clipboard(self._state.text)
        told = self.tr("Copied the text of the file.")
        if self._state.gaps:
            told = self.tr("Copied the known lines of the file; %Ln ranges are missing.", None, self._state.gaps)
        self.view.tell(told)

    def compare_with_disk(self) -> None:
        """Read the file on the disk, once, and show how it differs from the shown step."""
        if self._history is None or self._step < 0:
            return
        found = self._services.files.compared_with_disk(self._history, self._step, self._path)

        def show(view: FileView) -> None:
            self._on_disk = True
            self._on_view(view, keep=True)

        self._bridge.when_done(found, show, self._on_disk_failed, run=self._view_run)

    def _on_disk_failed(self, error: Exception) -> None:
        if isinstance(error, KnownError):
            self.view.tell(str(error))
        else:
            self._bridge.failed.emit(error)

    def show_in_transcript(self) -> None:
        """Return to the columns, at the call of the shown step."""
        history, session_tree = self._history, self._session_tree
        if history is None or session_tree is None or self._step < 0:
            return
        session, entry = session_tree.session.key, session_tree.tree.key(history.steps[self._step].entry)
        self.leave()
        self._open_session(session, entry)

    def _on_session_chosen(self, session: int, entry: int) -> None:
        self.leave()
        self._open_session(session, entry)

    def _on_others(self, found: tuple[OtherUse, ...]) -> None:
        others = [
            OtherSession(title_of(use.session), words.day_text(use.session.updated_at), use.session.key, use.entry)
            for use in found
        ]
        self.view.show_others(others)

    def _on_tree_read(self) -> None:
        """Read the list again after the session has grown."""
        if self.is_open:
            self._read()


def _color(step: FileStep) -> str:
    """Return the colour token of a step of the shown branch."""
    if step.act is FileAct.READ:
        return "dim"
    return "bad" if step.check is not None and not step.check.is_ok else "good"
