"""Huge contents in the places outside single cards: the longest time that the window's thread is busy at a stretch.

As in `torture`, a stretch is one turn of the event loop or one thing a person does; it is measured as the time that
passed and as the processor time of the thread.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.core import core_at
from tests.benchmarks.report import Figure
from tests.benchmarks.torture import BAR, NONE, PATIENCE, Stretch, Stretches, store_names
from tests.benchmarks.window import in_process
from tests.fakes.torture import MB, Torture, tortures

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData
    from PySide6.QtWidgets import QWidget

    from stemmata.gui.cards.content import Action
    from stemmata.gui.window.controllers import Controllers
    from stemmata.gui.window.main_window import MainWindow

SHOWN = (
    "a word of 300 kB", "table of 100,000 rows", "combining marks", "brackets 50,000 deep", "headings",
    "prose of 1 MB", "code of 30,000 lines", "right-to-left and overrides", "Chinese without spaces", "5,000 links",
    "NUL", "spaces", "tool input of 2 MB", "output with colours, 1 MB", "a difference of one long line",
    "a million newlines",
)  # fmt: skip
Told = Callable[[Stretch, str], None]  # a stretch, and what was done
REST = 0.15  # seconds without work after which nothing more is expected


def figures(work: Path, headline: Path) -> Iterator[Figure]:
    """A figure for each place. `headline` is the archive of the session of 14,179 entries."""
    folder = work / "torture"
    measured: dict[str, list[float]] = in_process("measure", str(folder), module="places")
    measured |= in_process("measure_headline", str(headline), str(folder / "profile"), module="places")
    for name, (passed, busy) in measured.items():
        yield Figure("places", name, passed, "ms", BAR, note=f" busy {busy:.1f}")


# -- inside the child process --------------------------------------------------------------------------------------


def measure(folder: str, scale: float = 1.0, told: Told | None = None) -> dict[str, Stretch]:
    """The longest stretch of each place with huge contents and names, in ms."""
    from stemmata.bootstrap.window import build

    archive = Path(folder) / "places.db"
    archive.parent.mkdir(parents=True, exist_ok=True)
    for old in archive.parent.glob("places.db*"):
        old.unlink()
    sessions = store_places(archive, scale)
    application = build(["--store", str(archive), "--profile", str(Path(folder) / "profile")])
    stretches = Stretches(application)
    stretches.show_window()
    stretches.told = told or stretches.told
    places = Places(stretches)
    places.play(sessions, round(MB * scale))
    application.close()
    return places.longest


def measure_headline(archive: str, profile: str) -> dict[str, Stretch]:
    """The longest stretch of the compaction workbench with the longest session of an archive, in ms."""
    from stemmata.bootstrap.window import build

    application = build(["--store", archive, "--profile", profile])
    stretches = Stretches(application)
    stretches.show_window()
    places = Places(stretches)
    longest = max(application.services.sessions.all().result(), key=lambda session: session.entries).key
    places.open(longest)
    stretches.take()
    places.compact("a compaction previewed, 14,179 entries")
    application.close()
    return places.longest


def store_places(archive: Path, scale: float) -> list[tuple[int, int]]:
    """An archive with a session of huge contents and two of huge names; each session with its other branch's end."""
    from stemmata.domain.entries.blocks import Text
    from stemmata.domain.entries.entry import Entry, Role
    from stemmata.domain.sessions.session import SessionInfo
    from stemmata.store.writer import Writer

    def said(branch: str, content: Torture, at: int, parent: str) -> list[Entry]:
        name = f"{branch}{at}"
        user = Entry(id=f"{name}u", parent=parent, role=Role.USER, time=10**18,
                     blocks=(Text(f"{branch} {content.text or content.call}"),))  # fmt: skip
        reply = Entry(id=f"{name}a", parent=user.id, role=Role.ASSISTANT, time=10**18,
                      blocks=(Text(branch), *content.blocks))  # fmt: skip
        answer = Entry(id=f"{name}r", parent=reply.id, role=Role.TOOL_RESULT, call="t1", tool=content.tool,
                       blocks=(Text(content.text),), time=10**18)  # fmt: skip
        return [user, reply, answer] if content.call else [user, reply]

    def job(writer: Writer) -> tuple[int, int]:
        key = writer.create_session(SessionInfo(source="stemmata", source_id="places", title="Huge contents"))
        entries = [Entry(id="root", role=Role.USER, blocks=(Text("Show them, please."),), time=10**18)]
        ends = []
        for branch in ("here", "there"):
            parent = "root"
            for at, content in enumerate(tortures(scale, SHOWN)):
                entries += said(branch, content, at, parent)
                parent = entries[-1].id
            ends.append(len(entries) - 1)
        made = writer.append(key, entries)
        writer.move_leaf(key, made[ends[0]], "import", time=1)
        writer.refresh(key)
        return key, made[ends[1]]

    core = core_at(archive)
    try:
        contents = core.store.write(job).result()
    finally:
        core.close()
    return [contents, *store_names(archive, round(MB * scale))]


class Places:
    """Visits the places of the window. `longest` are the longest stretches by place, in ms."""

    def __init__(self, stretches: Stretches) -> None:
        self.longest: dict[str, Stretch] = {}
        self._stretches = stretches

    @property
    def _it(self) -> Controllers:
        return self._stretches.application.gui.controllers

    @property
    def _window(self) -> MainWindow:
        return self._stretches.application.window

    def play(self, sessions: list[tuple[int, int]], size: int) -> None:
        """Every place, with each of the sessions where it shows them; `size` is that of a pasted text."""
        self.drop_and_paste(10 * size)
        for session, other in sessions:
            self.open(session)
            self.hover()
            self.show_context()
            self.find()
            self.select()
            self.copy()
            self.show_raw()
            self.compare(other)
            self.compact("a compaction previewed")
            self.restyle()
            self.search()

    # -- places -----------------------------------------------------------------------------------------------

    def open(self, session: int) -> None:
        opened = self._stretches.application.gui.opened
        self._do(lambda: self._stretches.application.gui.open_session(session), "open")
        self._until(lambda: opened.session_tree is not None and opened.key == session)
        self._rest()
        self._take("a session opened")
        view = self._window.transcript.view
        for at in range(6):
            self._do(partial(view.verticalScrollBar().setValue, view.verticalScrollBar().maximum() * at // 6), "jump")
        self._take("jumps through it")

    def hover(self) -> None:
        """Show the tooltips of every widget, and of items at some points of each list."""
        from PySide6.QtCore import QEvent, QPoint
        from PySide6.QtGui import QHelpEvent
        from PySide6.QtWidgets import QApplication, QToolTip, QWidget

        for widget in self._window.findChildren(QWidget):
            if widget.isVisible():
                for part in (2, 4, 8):
                    point = QPoint(widget.width() // 2, widget.height() // part)
                    event = QHelpEvent(QEvent.Type.ToolTip, point, widget.mapToGlobal(point))
                    self._stretches._measured(partial(QApplication.sendEvent, widget, event), "tooltip")
        QToolTip.showText(QPoint(), "")
        self._rest()
        self._take("tooltips")

    def show_context(self) -> None:
        opened = self._stretches.application.gui.opened
        assert opened.session_tree is not None
        tree = opened.session_tree.tree
        for at in (0, len(tree) // 4, len(tree) // 2 - 1):
            self._do(partial(self._it.opened.select, tree.key(at)), "select")
            self._do(lambda: self._it.context.show(here=True), "context here")
        self._do(lambda: self._it.context.show(here=False), "context now")
        self._take("the context column")

    def find(self) -> None:
        find = self._it.finding
        for text in ("the", "a", "x"):
            self._do(find.open, "find open")
            self._do(partial(find.bar.field.setText, text), f"find {text}")
            for _ in range(12):
                self._do(partial(find.step, 1), f"find next {text}")
            for _ in range(3):
                self._do(partial(find.step, -1), f"find previous {text}")
            self._do(find.close, "find close")
        self._take("found in the session")

    def select(self) -> None:
        """Select with the mouse from one card into others, beyond the edge so that the view scrolls."""
        from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
        from PySide6.QtGui import QMouseEvent
        from PySide6.QtWidgets import QApplication

        view, button, none = self._window.transcript.view, Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        self._do(lambda: view.verticalScrollBar().setValue(0), "to the start")
        card = next(card for card in view._cards.live() if card.isVisible())

        def send(kind: QEvent.Type, y: int, held: Qt.MouseButton) -> None:
            point = view.viewport().mapToGlobal(QPoint(300, y))
            pressed = button if kind is not QEvent.Type.MouseMove else none
            event = QMouseEvent(kind, QPointF(card.mapFromGlobal(point)), QPointF(point), pressed, held,
                                Qt.KeyboardModifier.NoModifier)  # fmt: skip
            QApplication.sendEvent(card, event)

        self._do(partial(send, QEvent.Type.MouseButtonPress, card.y() + 30, button), "press")
        for y in (*range(60, view.viewport().height(), 40), view.viewport().height() + 60):
            self._do(partial(send, QEvent.Type.MouseMove, y, button), "drag")
        end = time.monotonic() + 1
        while time.monotonic() < end:  # the view scrolls by itself
            self._stretches.turn()
        self._do(partial(send, QEvent.Type.MouseButtonRelease, view.viewport().height() - 5, none), "release")
        self._do(lambda: self._it.entries.copy(markdown=False), "copy dragged")
        self._take("selected with the mouse")

    def copy(self) -> None:
        from PySide6.QtGui import QGuiApplication

        view, opened = self._window.transcript.view, self._stretches.application.gui.opened
        self._do(view.selection.select_all, "select all")
        for markdown in (False, True):
            self._do(partial(self._it.entries.copy, markdown=markdown), "copy all")
        assert opened.session_tree is not None
        keys = [opened.session_tree.tree.key(at) for at in range(min(len(opened.session_tree.tree), 20))]
        for key in keys:
            self._do(partial(self._it.entries.copy_entries, [key]), "copy entry")
        self._do(partial(self._it.entries.copy_entries, keys), "copy entries")
        self._do(view.selection.clear, "select nothing")
        self._do(QGuiApplication.clipboard().clear, "clear")
        self._take("copied")

    def show_raw(self) -> None:
        from PySide6.QtWidgets import QDialog

        from stemmata.gui.transcript.raw_dialog import RawDialog

        opened = self._stretches.application.gui.opened
        assert opened.session_tree is not None
        for at in range(1, min(len(opened.session_tree.tree), 12)):
            self._do(partial(opened.select, opened.session_tree.tree.key(at)), "select")
            self._take("an entry selected")
            self._do(self._it.entries.show_raw, "raw")
            for dialog in self._window.findChildren(QDialog, "rawDialog"):
                assert isinstance(dialog, RawDialog)
                bar = dialog.text.verticalScrollBar()
                if not dialog.all.isHidden():
                    self._do(dialog.show_all, "raw, all")
                self._do(dialog._on_copied, "raw, copy")
                self._do(partial(bar.setValue, bar.maximum() // 2), "raw, scroll")
                self._do(partial(bar.setValue, bar.maximum()), "raw, end")
                self._do(partial(dialog.resize, 700, 500), "raw, resize")
                self._do(dialog.close, "raw, close")
            self._take("the raw view of an entry")

    def compare(self, other: int) -> None:
        compare, window = self._it.compare, self._window
        self._do(lambda: compare.open(other), "compare")
        self._until(lambda: compare.is_open)
        self._rest()
        self._take("compared")
        rows = compare.view.list
        for _ in range(30):
            self._do(lambda: rows._scroll_by(700), "compare, page")
        for at in range(1, 6):
            value = rows.verticalScrollBar().maximum() * at // 6
            self._do(partial(rows.verticalScrollBar().setValue, value), "compare, jump")
        for _ in range(6):
            self._do(lambda: rows._scroll_by(-700), "compare, page up")
        self._take("compared, scrolled")
        for row in range(rows.row_count):
            self._do(partial(rows.select, row, rows.side.other), "compare, select")
            self._do(rows._copy, "compare, copy")
        self._take("compared, turns selected")
        for row in range(min(rows.row_count, 4)):
            self._do(partial(rows.select, row, rows.side), "compare, select")
            self._do(partial(rows._act, row, -1, _show_all()), "compare, show all")
            self._do(lambda: rows._scroll_by(900), "compare, whole, scroll")
        self._take("compared, turns shown whole")
        for width in (1100, 1440):
            self._do(partial(window.resize, width, 900), "compare, resize")
        for part in compare.view.filters.values():
            self._do(part.toggle, "compare, filter")
            self._do(part.toggle, "compare, filter")
        self._take("compared, resized and filtered")
        self._do(compare.leave, "compare, leave")
        self._take("a comparison left")

    def compact(self, place: str) -> None:
        """The workbench: opened, the cut moved, the draft of the summary edited, text typed, left."""
        compaction, panel = self._it.compaction, self._window.workbench
        self._rest()
        self._stretches.take()
        self._do(compaction.open, "compact")
        if not compaction._open:
            self._take(place)
            return
        self._rest()
        for part in (8, 4, 2):
            self._do(partial(compaction._on_keep_changed, panel.keep.slider.maximum() // part), "compact, keep")
            self._rest()
        self._do(lambda: compaction.offered.prune_first(on=True), "compact, prune")
        self._do(lambda: compaction.offered.prune_first(on=False), "compact, prune")
        view = self._window.transcript.view
        for _ in range(6):
            self._do(partial(view.scroll_by, -600), "compact, scroll")
        session_tree = self._stretches.application.gui.opened.session_tree
        assert session_tree is not None
        path = self._stretches.application.gui.opened.path
        for part in (4, 2):
            key = session_tree.tree.key(path[len(path) // part])
            self._do(partial(compaction._on_cut_moved, key), "compact, cut")
            self._rest()
        self._do(compaction.toggle_editor, "compact, editor")
        self._do(lambda: panel.summary.insertPlainText("a" * 10), "compact, edit")
        self._do(compaction.toggle_editor, "compact, preview")
        for size in ((1100, 800), (1440, 900)):
            self._do(partial(self._window.resize, *size), "compact, resize")
        self._do(lambda: panel.focus.setText("what matters"), "compact, focus")
        time.sleep(0.4)
        self._rest()
        self._do(compaction.cancel, "compact, leave")
        self._rest()
        self._take(place)

    def restyle(self) -> None:
        """Change theme and text size at several places of the transcript."""
        theme, view = self._window.theme, self._window.transcript.view
        theme.takes_turns = True  # as in a window that a person has opened
        for part in (0, 3):
            bar = view.verticalScrollBar()
            self._do(partial(bar.setValue, bar.maximum() * part // 6), "jump")
            self._stretches.take()
            for scheme in ("light", "dark"):
                self._do(partial(theme.set_scheme, scheme), f"theme {scheme}")
                self._rest()
            self._take("another theme")
            for scale in (120, 100):
                self._do(partial(theme.set_scale, scale), f"size {scale}")
                self._rest()
            self._take("another size of text")

    def search(self) -> None:
        """The palette, with the titles, the found text and their rows."""
        palette = self._window.palette_box
        self._do(palette.open, "palette")
        for text in ("v", "very", "very long", "ww", "fox", "xxx", ""):
            self._do(partial(palette.field.setText, text), f"palette {text}")
            self._rest()
        self._do(palette.close, "palette, close")
        self._take("the palette")
        sessions = self._window.sessions
        for text in ("very", "nothing", ""):
            self._do(partial(sessions.filter.setText, text), f"filter {text}")
        self._do(lambda: sessions.list.viewport().update(), "paint")
        self._take("the list of sessions")

    def drop_and_paste(self, size: int) -> None:
        """Drop and paste texts of `size` characters: short lines, one line, words."""
        from PySide6.QtCore import QMimeData

        editor = self._window.transcript.composer.editor
        for text in ("a short line\n" * (size // 13), "w" * size, "some words " * (size // 11), "w" * 90_000):
            mime = QMimeData()
            mime.setText(text)
            self._do(partial(editor.insertFromMimeData, mime), "paste")
            self._rest()
            self._do(editor.clear, "clear")
            self._take("pasted into the composer")
            self._do(partial(_drag, editor, mime), "drag and drop")
            self._rest()
            self._do(editor.clear, "clear")
            self._take("dropped on the composer")
            self._do(partial(self._window.palette_box.field.setText, text[:MB]), "palette, paste")
            self._do(self._window.palette_box.field.clear, "palette, clear")
            self._take("pasted into the palette")

    # -- measuring --------------------------------------------------------------------------------------------

    def _take(self, place: str) -> None:
        self.longest[place] = self._stretches.take().longest(self.longest.get(place, NONE))

    def _do(self, act: Callable[[], object], what: str) -> None:
        self._stretches.do(act, what)

    def _until(self, holds: Callable[[], bool]) -> None:
        self._stretches.until(holds)

    def _rest(self) -> None:
        """Wait until no other thread has sent anything for a while."""
        end = time.monotonic() + PATIENCE
        quiet = time.monotonic()
        while time.monotonic() - quiet < REST and time.monotonic() < end:
            if self._stretches.turn().busy > 0.3:
                quiet = time.monotonic()
            time.sleep(0.003)


def _show_all() -> Action:
    from stemmata.gui.cards.content import Action, Request

    return Action(Request.SHOW_ALL)


def _drag(target: QWidget, mime: QMimeData) -> None:
    from PySide6.QtCore import QPoint, QPointF, Qt
    from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
    from PySide6.QtWidgets import QApplication

    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    under = target.viewport()  # type: ignore[attr-defined]
    QApplication.sendEvent(under, QDragEnterEvent(QPoint(20, 10), copy, mime, left, none))
    QApplication.sendEvent(under, QDragMoveEvent(QPoint(25, 10), copy, mime, left, none))
    QApplication.sendEvent(under, QDropEvent(QPointF(25, 10), copy, mime, left, none))


def explain(folder: str, slow: float = BAR) -> None:
    """`python -c "from tests.benchmarks.places import explain; explain('/tmp/t')"`: each slow stretch."""

    def tell(took: Stretch, what: str) -> None:
        if took.busy > slow:
            sys.stdout.write(f"{what} {took.busy:.1f} ms\n")

    for name, took in measure(folder, told=tell).items():
        sys.stdout.write(f"{name}: {took}\n")
