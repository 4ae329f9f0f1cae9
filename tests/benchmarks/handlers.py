"""Every action of the window, its pages, dialogs, sizes and settings, with a long session: the longest turn of each.

A turn is one turn of the event loop, or one thing that a person does. It is measured as the time that passed and as
the processor time of the window's thread.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.places import Places
from tests.benchmarks.report import Figure
from tests.benchmarks.torture import BAR, ProfiledStretches, Stretch, Stretches
from tests.benchmarks.window import in_process

# They end the program, start another one, or change the desktop.
KEPT_AWAY = {"quit", "close-window", "resume-in-terminal", "install-for-user", "reveal-source"}
PARTS = ("actions 0", "actions 1", "actions 2", "actions 3", "pages", "sizes", "settings", "files of the disk")
ACTION_PARTS = 4
DRAGGED = ((1440, 900), (2560, 1440))
SIZES = ((1024, 700), (800, 560), (1920, 1080), (2560, 1440), (1440, 900))
SUMMARY = "## Goal\n\nPort the **importer** to the new format.\n\n- `parse.py` is done\n- tests are next\n\n"


def figures(work: Path, archive: Path) -> Iterator[Figure]:
    """Return the turns above the bar, and the longest of each part."""
    for part in PARTS:
        took: list[tuple[str, float, float]] = in_process("measure", part, str(archive), str(work), module="handlers")
        for what, passed, busy in took:
            if busy > BAR:
                yield Figure("handlers", f"{part}: {what}", passed, "ms", BAR, note=f" busy {busy:.1f}")
        longest = max(took, key=lambda turn: turn[2])
        note = f" busy {longest[2]:.1f}, {longest[0]}; {len(took)} turns above 1 ms"
        yield Figure("handlers", f"{part}: the longest", longest[1], "ms", BAR, note=note)


# -- inside the child process --------------------------------------------------------------------------------------


def measure(part: str, archive: str, work: str) -> list[tuple[str, float, float]]:
    """Return what was done, the ms that passed and the busy ms, for each turn above 1 ms of a part."""
    out: list[tuple[str, float, float]] = []

    def tell(took: Stretch, what: str) -> None:
        if took.busy > 1:
            out.append((what, took.passed, took.busy))

    _play(part, archive, work, tell)
    return out


def explain(part: str, archive: str, work: str, slow: float = BAR, *, profile: bool = False, lines: int = 14) -> None:
    """Print the slow turns of a part as they happen, with their profile if it is wanted.

    `python -c "from tests.benchmarks.handlers import explain; explain('pages', 'archive.db', '/tmp/h')"`.
    """
    handlers: list[Handlers] = []

    def tell(took: Stretch, what: str) -> None:
        if took.busy > slow:
            sys.stdout.write(f"{what}: {took.passed:.1f} ms, busy {took.busy:.1f}\n")
            if profile and isinstance(handlers[0].stretches, ProfiledStretches):
                handlers[0].stretches.show_profile(lines)
            sys.stdout.flush()

    _play(part, archive, work, tell, profile=profile, made=handlers.append)


def _play(
    part: str,
    archive: str,
    work: str,
    tell: Callable[[Stretch, str], None],
    *,
    profile: bool = False,
    made: Callable[[Handlers], object] = lambda _handlers: None,
) -> None:
    folder = Path(work) / "handlers"
    shutil.rmtree(folder, ignore_errors=True)
    (home := folder / "home").mkdir(parents=True)
    os.environ["HOME"] = str(home)
    copy = folder / "archive.db"
    shutil.copyfile(archive, copy)
    from PySide6.QtGui import QDesktopServices

    from stemmata.bootstrap.window import build

    QDesktopServices.openUrl = lambda _url: True  # type: ignore[method-assign]  # no browser
    application = build(["--store", str(copy), "--profile", str(folder / "profile")])
    stretches = ProfiledStretches(application) if profile else Stretches(application)
    stretches.show_window()
    handlers = Handlers(stretches, folder)
    made(handlers)
    stretches.told = tell
    handlers.play_part(part)
    stretches.told = lambda _took, _what: None
    application.close()


class Handlers(Places):
    """Does all that the window can do."""

    def __init__(self, stretches: Stretches, folder: Path) -> None:
        super().__init__(stretches)
        self.stretches, self._folder = stretches, folder
        sessions = stretches.application.services.sessions.all().result()
        self._longest = max(sessions, key=lambda session: session.entries).key

    def play_part(self, part: str) -> None:
        name, _, at = part.partition(" ")
        self._open()
        if name == "actions":
            self.act(int(at))
        elif name == "pages":
            self.show_pages()
        elif name == "sizes":
            self.resize_all()
        elif name == "settings":
            self.show_settings()
        else:
            self.exchange()

    # -- parts ------------------------------------------------------------------------------------------------

    def act(self, part: int) -> None:
        """Trigger a quarter of the actions, and take back what they did."""
        from stemmata.gui.window.action_table import TABLE

        specs = [spec for spec in TABLE.specs if spec.id not in KEPT_AWAY]
        for spec in specs[part::ACTION_PARTS]:
            self._ready(spec.id)
            action = self._window.actions_table[spec.id]
            if not action.isEnabled():
                self.step(lambda: None, f"{spec.id} is not enabled")
                continue
            self.step(action.trigger, spec.id)
            if action.isCheckable() and spec.toggles is not None:
                self.step(action.trigger, f"{spec.id} again")
            self._leave(spec.id)

    def show_pages(self) -> None:
        """Show the workbench, the comparison, the files and the results, and do what they are for."""
        from PySide6.QtWidgets import QMenu

        self._play_workbench()
        self._play_results()
        self._play_files()
        self._play_comparison()
        self.hover()
        self.find()
        self.copy()
        self.show_raw()
        self.search()
        for bar in self._window.menuBar().actions():
            menu = bar.menu()
            assert isinstance(menu, QMenu)
            self.step(partial(menu.popup, self._window.pos()), f"menu {bar.text()}")
            self.step(menu.close, f"menu {bar.text()} closed")

    def resize_all(self) -> None:
        """Drag the window's corner, and take the window through several sizes, plain and with each page."""
        for width, height in DRAGGED:
            self.step(partial(self._window.resize, width, height), f"plain, {width}×{height}")
            for by in (*range(10), *range(10, 0, -1)):
                size = width + 13 * by, height + 11 * by
                self.step(partial(self._window.resize, *size), f"corner of {width}×{height} dragged")
        self._sizes("plain")
        self._compact()
        self._sizes("workbench with a typed summary")
        self._leave("workbench")
        for id in ("search-sessions", "show-files", "split-view", "settings", "find-in-session"):
            self.step(self._window.actions_table[id].trigger, id)
            self._sizes(id)
            self._leave(id)

    def show_settings(self) -> None:
        """Show each page of the settings, and change what the window looks like."""
        preferences, theme = self._it.preferences, self._window.theme
        self.step(preferences.show_settings, "settings")
        dialog = preferences.settings
        assert dialog is not None
        for row in range(dialog.sections.count()):
            self.step(partial(dialog.sections.setCurrentRow, row), f"settings page {row}")
            self.step(partial(dialog.resize, 900, 700 + row), f"settings page {row} resized")
        for key, value in (
            ("window.theme", "light"), ("window.theme", "high-contrast"), ("window.theme", "dark"),
            ("window.font_scale", 130), ("window.font_scale", 100), ("window.font", "DejaVu Serif"),
            ("window.font", ""), ("window.code_font", "DejaVu Sans Mono"), ("window.tab_width", 8),
            ("window.wrap_code", False), ("window.language", "de"),
        ):  # fmt: skip
            self.step(partial(preferences.change, key, value), f"{key} = {value}")
        self.step(dialog.close, "settings closed")
        for scheme in ("light", "dark"):
            self.step(partial(theme.set_scheme, scheme), f"theme {scheme}")
        for scale in (120, 100):
            self.step(partial(theme.set_scale, scale), f"text size {scale}")

    def exchange(self) -> None:
        """Export the session in each form, import what was exported, and show the report."""
        entries, importing = self._it.entries, self._it.importing
        for form, name in (("html", "a.html"), ("markdown", "a.md"), ("json", "a.json"), ("pi", "a.jsonl")):
            self.step(partial(entries.export, self._longest, form, self._folder / name), f"export {form}", 2.0)
        self.step(importing.show_dialog, "import dialog", 1.0)
        self.step(partial(importing.import_paths, [str(self._folder / "a.jsonl")]), "import", 4.0)
        self._close_dialogs("import")

    # -- pages ------------------------------------------------------------------------------------------------

    def _play_workbench(self) -> None:
        compaction = self._it.compaction
        self._compact()
        view, panel = self._window.transcript.view, self._window.workbench
        for _ in range(6):
            self.step(partial(view.scroll_by, -600), "workbench scrolled")
        self.step(compaction.compare_cuts, "two cuts")
        self.step(compaction.use_other_cut, "the other cut")
        self.step(compaction.compare_cuts, "one cut")
        self.step(lambda: panel.focus.setText("what matters"), "focus")
        self.step(compaction.accept, "accept", 2.0)
        self.step(self._it.history.undo, "accept undone", 1.0)

    def _compact(self) -> None:
        compaction, panel = self._it.compaction, self._window.workbench
        self.step(compaction.open, "compact", 1.0)
        self.step(compaction.toggle_editor, "summary edited")
        for piece in SUMMARY.splitlines(keepends=True):
            self.step(partial(panel.summary.insertPlainText, piece), "summary typed")

    def _play_results(self) -> None:
        self.step(self._it.search_sessions, "results")
        field = self._window.results.field
        for text in ("m", "mo", "module", "module role:tool", "the", "in:abandoned a", "nothing-at-all"):
            self.step(partial(field.setText, text), f"results of {text}", 0.5)
        self.step(partial(field.setText, "error"), "results of error", 0.5)
        for _ in range(5):
            self.step(partial(self._it.results.step, 1), "next hit", 0.3)
        self.step(self._it.results.close, "results closed")

    def _play_files(self) -> None:
        files = self._it.files
        self.step(files.open, "files", 1.0)
        listing = files._listing
        for use in (listing.uses if listing is not None else ())[:4]:
            self.step(partial(files.show_file, use.path), "a file", 0.5)
            for at in range(3):
                self.step(partial(files.show_step, at), "a step of a file")
        self.step(files.leave, "files left")

    def _play_comparison(self) -> None:
        tree = self._it.opened.session_tree
        assert tree is not None
        self.step(partial(self._it.compare.open, tree.tree.key(len(tree.tree) // 2)), "compare", 1.0)
        rows = self._it.compare.view.list
        for _ in range(6):
            self.step(lambda: rows._scroll_by(700), "compare, page")
        self.step(self._it.compare.leave, "comparison left")

    # -- steps ------------------------------------------------------------------------------------------------

    def step(self, act: Callable[[], object], what: str, wait: float = 0.0) -> None:
        """Do something and wait until all that follows has ended, for at least `wait` seconds."""
        self._do(act, what)
        end = time.monotonic() + wait
        while time.monotonic() < end:
            self._stretches.turn()
            time.sleep(0.003)
        self._rest()

    def _open(self) -> None:
        opened = self._stretches.application.gui.opened
        self._do(lambda: self._stretches.application.gui.open_session(self._longest), "a session opened")
        self._until(lambda: opened.session_tree is not None and opened.key == self._longest)
        self._rest()

    def _ready(self, id: str) -> None:
        """Bring the window into a state in which the action is enabled."""
        if self._it.opened.key != self._longest:
            self._open()
        actions = self._window.actions_table
        if not actions[id].isEnabled():
            tree = self._it.opened.session_tree
            if tree is not None:
                self.step(partial(self._it.opened.select, tree.tree.key(len(tree.tree) - 40)), "an entry selected")
        for page in ("compact", "search-sessions", "find-in-session"):
            if actions[id].isEnabled():
                break
            self.step(actions[page].trigger, f"{page} for {id}", 0.6)
            if page == "search-sessions":
                self.step(partial(self._window.results.field.setText, "error"), "results of error", 0.6)

    def _leave(self, what: str) -> None:
        """Close what is open, and take back what was done; not what was done before, such as an import."""
        self._close_dialogs(what)
        if self._it.compaction.is_open:
            self.step(self._it.compaction.cancel, f"{what}: workbench left", 0.2)
        if self._it.compare.is_open:
            self.step(self._it.compare.leave, f"{what}: comparison left")
        self.step(self._it.files.leave, f"{what}: files left")
        actions = self._window.actions_table
        if what != "close-search" and actions["close-search"].isEnabled():
            self.step(actions["close-search"].trigger, f"{what}: close-search")
        if what != "undo" and actions["undo"].isEnabled() and not self._would_undo_import():
            self.step(actions["undo"].trigger, f"{what}: undo")
        if self._window.actions_table["split-view"].isChecked():
            self.step(self._window.actions_table["split-view"].trigger, f"{what}: split ended")
        self.step(self._it.finding.close, f"{what}: find closed")

    def _would_undo_import(self) -> bool:
        """Return whether *Undo* would delete all sessions, as after an action that did nothing itself."""
        return "import" in self._window.actions_table["undo"].text()

    def _close_dialogs(self, what: str) -> None:
        from PySide6.QtWidgets import QApplication, QDialog
        from shiboken6 import isValid

        from stemmata.gui.palette.dialog import CommandPalette
        from stemmata.gui.widgets.popup import Popup

        while (popup := QApplication.activePopupWidget()) is not None:
            self.step(popup.close, f"{what}: menu closed")
        inside = [child for kind in (QDialog, Popup, CommandPalette) for child in self._window.findChildren(kind)]
        for shown in (*inside, *QApplication.topLevelWidgets()):
            if isValid(shown) and shown.isVisible() and shown is not self._window:
                self.step(shown.close, f"{what}: {type(shown).__name__} closed")

    def _sizes(self, where: str) -> None:
        for width, height in SIZES:
            self.step(partial(self._window.resize, width, height), f"{where}, {width}×{height}")
