"""The page of files in the whole window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import build
from stemmata.domain.files.log import FileUse
from stemmata.domain.files.rows import RowKind
from stemmata.domain.sessions.session import SessionTree
from stemmata.gui.files.controller import FilesController
from stemmata.gui.files.delegates import FileRowPainter
from stemmata.gui.files.model import FilesRole, HeadRow, StepRow, UseRow
from stemmata.gui.files.title_button import TitleButton
from stemmata.gui.files.view import FileMode, FilesView
from stemmata.gui.theme import metrics
from stemmata.services.sessions import files
from stemmata.services.sessions.files import FileListing
from tests.fakes.waiting import PATIENCE
from tests.fakes.worked_files import FOLDER, SELECTOR, reading_session, worked_session
from tests.journeys.person import Person

PATH = f"{FOLDER}/{SELECTOR}"


class Reader(Person):
    """A user who looks at files."""

    @property
    def files(self) -> FilesController:
        return self.gui.controllers.files

    @property
    def view(self) -> FilesView:
        return self.files.view

    def open(self) -> None:
        self.window.actions_table["show-files"].trigger()
        self.until(lambda: bool(self.view.text.rows))

    def take_in(self, path: Path) -> None:
        """Import a session, which opens it."""
        before = self.gui.opened.key
        self.gui.controllers.importing.import_paths([str(path)])
        self.until(lambda: self.gui.opened.key != before and self.gui.opened.session_tree is not None)
        self.until(lambda: self.window.branches.outline is not None)

    def shown(self) -> list[tuple[str, str]]:
        """The changed rows, and whether they were added or removed."""
        return [
            (row.kind.name, row.text.strip())
            for row in self.view.text.rows
            if row.kind in (RowKind.ADDED, RowKind.REMOVED)
        ]

    def titles(self) -> list[str]:
        return [row.text for row in self.view.steps.rows]

    def until_shown(self, *rows: tuple[str, str]) -> None:
        self.until(lambda: self.shown() == [*rows])


@pytest.fixture
def reader(qtbot: QtBot, tmp_path: Path) -> Iterator[Reader]:
    application = build(["--profile", str(tmp_path / "profile")])
    reader = Reader(application, qtbot)
    reader.window.resize(1440, 900)
    reader.window.show()
    reader.window.activateWindow()
    application.services.importing.import_paths([reading_session().write(tmp_path)]).result(PATIENCE)
    reader.take_in(worked_session().write(tmp_path))
    yield reader
    application.close()
    qtbot.wait(1)


STRIPPED = ("REMOVED", "return wrap(this.text, width);"), ("ADDED", "return wrap(strip(), width);")
COLOURED = ("REMOVED", 'colour = "cyan";'), ("ADDED", "colour = theme.accent;")


def test_the_action_shows_the_file_that_was_changed_last(reader: Reader) -> None:
    reader.open()
    assert reader.view.isVisible()
    assert reader.view.list.hasFocus()
    assert [row.text for row in reader.view.files.rows] == [
        "src/components",
        "selector.ts",
        "Read, not changed · 1",
        "docs/theme.md",
    ]
    assert reader.view.chosen == PATH
    reader.until_shown(*STRIPPED)
    assert reader.titles() == ["Read whole, 7 lines", "Port the colour", "Wrap first", "Strip colours first"]
    notes = [row.note for row in reader.view.steps.rows if isinstance(row, StepRow)]
    assert "edit +1 −1 · 38 passed" in notes[3]
    assert "branch 2 · edit +1 −1 · 3 tests failed" in notes[2]
    colors = [row.color for row in reader.view.steps.rows if isinstance(row, StepRow)]
    assert colors == ["dim", "good", "lane_2", "good"]
    assert reader.view.header.title == "selector.ts"
    assert "Strip colours first" in reader.view.header.chip_label.text()
    assert reader.view.origin.text() == "From 1 read and 2 changes of the session"


def test_the_files_near_the_selected_entry_are_shown_before_the_others_are_read(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "NEAR", 4)
    monkeypatch.setattr(files, "BELOW", 0)
    service = reader.application.services.files
    begin, asked = service.listing, list[Callable[[], None]]()

    def later(session_tree: SessionTree, end: int | None, wanted: Any, tell: Any) -> Future[FileListing]:
        found: Future[FileListing] = Future()
        tell(34)

        def answer() -> None:
            found.set_result(begin(session_tree, end, wanted).result(PATIENCE))

        asked.append(answer)
        return found

    monkeypatch.setattr(service, "listing", later)
    reader.open()
    reader.until_shown(*STRIPPED)
    reader.until(lambda: reader.view.figures.text() == "Reading older entries… 34%")
    assert len([row for row in reader.view.files.rows if isinstance(row, UseRow)]) == 1
    assert reader.titles() == ["Read whole, 7 lines", "Port the colour", "Strip colours first"]
    [answer] = asked
    answer()
    reader.until(lambda: reader.view.figures.text() == "2 files · 1 not changed")
    reader.until(lambda: len(reader.titles()) == 4)  # one is on the other branch
    assert reader.view.chosen == PATH
    assert "Strip colours first" in reader.view.header.chip_label.text()
    reader.until_shown(*STRIPPED)


def test_the_row_that_is_looked_at_stays_in_place_when_the_other_files_come(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "NEAR", 4)
    monkeypatch.setattr(files, "BELOW", 0)
    service = reader.application.services.files
    begin, asked = service.listing, list[Callable[[], None]]()

    def later(session_tree: SessionTree, end: int | None, wanted: Any, _tell: Any) -> Future[FileListing]:
        found: Future[FileListing] = Future()

        def answer() -> None:
            whole = begin(session_tree, end, wanted).result(PATIENCE)
            others = (FileUse(path=f"{FOLDER}/{name}/{at}.ts", edits=1) for at in range(60) for name in ("a", "z"))
            found.set_result(replace(whole, uses=(*others, *whole.uses)))

        asked.append(answer)
        return found

    def top() -> int:
        row = reader.view.files.row_of(PATH)
        assert row is not None
        return reader.view.list.visualRect(reader.view.files.index(row, 0)).top()

    monkeypatch.setattr(service, "listing", later)
    reader.open()
    reader.until(lambda: len(asked) == 1)
    before = top()
    asked[0]()
    reader.until(lambda: len(reader.view.files.uses) > 100)
    assert top() == before
    assert reader.view.chosen == PATH


def test_the_row_below_the_pointer_is_the_one_that_stays(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.open()
    listed = reader.view.list
    last = reader.view.files.index(len(reader.view.files.rows) - 1, 0)
    assert listed.place() == (PATH, listed.visualRect(listed.currentIndex()).top())
    at = listed.viewport().mapToGlobal(listed.visualRect(last).center())
    monkeypatch.setattr(listed.viewport(), "underMouse", lambda: True)
    monkeypatch.setattr("stemmata.gui.files.view.QCursor.pos", lambda: at)
    assert listed.place() == (last.data(FilesRole.ROW).use.path, listed.visualRect(last).top())


def test_files_that_were_only_read_nearby_are_listed_before_the_one_that_was_changed_is_known(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "NEAR", 2)
    monkeypatch.setattr(files, "BELOW", 0)
    service, tree = reader.application.services.files, reader.tree
    begin, asked = service.listing, list[Callable[[], None]]()

    def later(session_tree: SessionTree, end: int | None, wanted: Any, _tell: Any) -> Future[FileListing]:
        found: Future[FileListing] = Future()
        asked.append(lambda: found.set_result(begin(session_tree, end, wanted).result(PATIENCE)))
        return found

    monkeypatch.setattr(service, "listing", later)
    path = tree.path(tree.get(reader.leaf))
    reader.gui.opened.select(tree.key(path[2]))  # the result of reading the file
    reader.window.actions_table["show-files"].trigger()
    reader.until(lambda: len(asked) == 1)
    assert [row.name for row in reader.view.files.rows if isinstance(row, UseRow)] == [SELECTOR]
    assert reader.view.message == "Reading the files of this session…"
    assert reader.view.chosen == ""
    asked[0]()
    reader.until(lambda: reader.view.chosen == PATH)
    reader.until(lambda: bool(reader.view.text.rows))
    assert reader.view.list.hasFocus()


def test_the_page_that_is_left_reads_no_further(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "NEAR", 4)
    monkeypatch.setattr(files, "BELOW", 0)
    asked: list[Callable[[], bool]] = []

    def never(_tree: SessionTree, _end: int | None, wanted: Any, _tell: Any) -> Future[FileListing]:
        asked.append(wanted)
        return Future()

    monkeypatch.setattr(reader.application.services.files, "listing", never)
    reader.open()
    reader.until(lambda: len(asked) == 1)
    assert asked[0]()
    QTest.keyClick(reader.view.list, Qt.Key.Key_Escape)
    assert not reader.view.isVisible()
    assert not asked[0]()


def test_the_files_of_all_branches_are_listed_on_demand(reader: Reader) -> None:
    reader.open()
    assert reader.view.figures.text() == "2 files · 1 not changed"
    everywhere = reader.view.scope.menu().actions()[1]
    everywhere.trigger()
    rows = [row for row in reader.view.files.rows if isinstance(row, UseRow)]
    assert [(row.name, row.use.is_here) for row in rows] == [
        ("wrap.ts", False), ("selector.ts", True), ("docs/theme.md", True),
    ]  # fmt: skip
    assert rows[0].spoken == "wrap.ts, 1 edit, +1 −?, other branch only"
    assert reader.view.chosen == PATH
    assert reader.view.scope.text() == "All branches"


def test_keys_step_along_the_time_line(reader: Reader) -> None:
    reader.open()
    reader.until_shown(*STRIPPED)
    line = reader.view.timeline
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Left)
    reader.until_shown(("REMOVED", "return wrap(this.text, width);"), ("ADDED", "return pad(this.text, width);"))
    assert line.at == 2
    assert "branch 2" in line.spoken
    QTest.keyClick(line, Qt.Key.Key_Home)
    reader.until(lambda: line.at == 0)
    QTest.keyClick(line, Qt.Key.Key_Left)
    QTest.keyClick(line, Qt.Key.Key_X)
    assert line.at == 0
    QTest.keyClick(line, Qt.Key.Key_End)
    reader.until_shown(*STRIPPED)
    QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=QPoint(round(line.x_of(1)), line.height() // 2))
    reader.until_shown(*COLOURED)
    assert reader.view.history.currentIndex().row() == 1


def test_keys_choose_a_file_and_a_step(reader: Reader) -> None:
    reader.open()
    QTest.keyClick(reader.view.list, Qt.Key.Key_Down)
    reader.until(lambda: reader.view.header.title == "theme.md" and len(reader.view.text.rows) == 4)
    assert [row.kind for row in reader.view.text.rows] == [RowKind.GAP, RowKind.OPEN, RowKind.OPEN, RowKind.GAP]
    assert "2 ranges never read are grey" in reader.view.origin.text()
    QTest.keyClick(reader.view.list, Qt.Key.Key_Up)
    reader.until_shown(*STRIPPED)
    reader.view.history.setFocus()
    QTest.keyClick(reader.view.history, Qt.Key.Key_Up)
    QTest.keyClick(reader.view.history, Qt.Key.Key_Up)
    reader.until_shown(*COLOURED)


def test_a_file_is_compared_with_another_branch(reader: Reader) -> None:
    reader.open()
    reader.view.modes[FileMode.AGAINST].click()
    reader.until_shown(("REMOVED", "return pad(this.text, width);"), ("ADDED", "return wrap(strip(), width);"))
    assert reader.view.modes[FileMode.AGAINST].text() == "Compared with branch 2"
    reader.view.modes[FileMode.WHOLE].click()
    reader.until(lambda: not reader.shown())
    assert reader.view.modes[FileMode.WHOLE].isChecked()
    reader.files.show_step(3)  # of the other branch, which is compared with the shown one
    reader.view.modes[FileMode.AGAINST].click()
    reader.until_shown(("REMOVED", "return wrap(strip(), width);"), ("ADDED", "return pad(this.text, width);"))


def test_a_file_of_another_branch_alone_is_compared_with_none(reader: Reader) -> None:
    reader.open()
    reader.view.scope.menu().actions()[1].trigger()
    reader.view.list.mark(reader.view.files.row_of(f"{FOLDER}/src/wrap.ts"))
    reader.until(lambda: reader.view.header.title == "wrap.ts" and bool(reader.view.timeline.spoken))
    reader.until(lambda: not reader.view.modes[FileMode.AGAINST].isEnabled())
    reader.until(lambda: reader.view.origin.text() == "From 1 change of the session")


def test_no_lines_and_no_files_are_not_coloured_and_not_counted(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.open()
    painted: dict[str, str] = {}
    paint = FileRowPainter._text

    def recorded(self: FileRowPainter, painter: Any, rect: Any, text: str, font: str, color: str) -> None:
        painted[text] = color
        paint(self, painter, rect, text, font, color)

    monkeypatch.setattr(FileRowPainter, "_text", recorded)
    reader.view.files.set_uses(
        [
            FileUse(path="/a.py", edits=1, added=3),
            FileUse(path="/b.py", edits=1, removed=2),
            FileUse(path="/c.py", edits=1, removed_more=True),
        ],
        "",
    )
    reader.view.show_files("")
    reader.view.list.grab()
    assert reader.view.figures.text() == "3 files"
    assert {text: painted[text] for text in ("+3", "−0", "+0", "−2", "−?")} == {
        "+3": "good", "−0": "faint", "+0": "faint", "−2": "bad", "−?": "bad",
    }  # fmt: skip


def test_only_the_steps_of_the_branch_are_shown_on_demand(reader: Reader) -> None:
    reader.open()
    reader.view.history_scope.menu().actions()[0].trigger()
    assert reader.titles() == ["Read whole, 7 lines", "Port the colour", "Strip colours first"]


def test_the_filter_finds_a_file(reader: Reader) -> None:
    reader.open()
    field = reader.view.filter
    field.setFocus()
    QTest.keyClicks(field, "theme")
    assert [row.text for row in reader.view.files.rows] == ["Read, not changed · 1", "docs/theme.md"]
    QTest.keyClick(field, Qt.Key.Key_Return)
    reader.until(lambda: reader.view.header.title == "theme.md")
    assert reader.view.list.hasFocus()
    field.setText("nothing")
    assert not reader.view.files.rows
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert any(isinstance(row, HeadRow) for row in reader.view.files.rows)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    reader.until(reader.window.columns.isVisible)


def test_the_file_is_copied_as_far_as_it_is_known(reader: Reader) -> None:
    reader.open()
    reader.until_shown(*STRIPPED)
    reader.view.copy_button.click()
    assert "wrap(strip(), width)" in QGuiApplication.clipboard().text()
    assert reader.view.origin.text() == "Copied the text of the file."
    QTest.keyClick(reader.view.list, Qt.Key.Key_Down)
    reader.until(lambda: len(reader.view.text.rows) == 4)
    reader.view.copy_button.click()
    assert QGuiApplication.clipboard().text() == "a\nb"
    assert "2 ranges are missing" in reader.view.origin.text()


def test_the_file_is_compared_with_the_disk_only_on_demand(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from stemmata.services.sessions import files

    reader.open()
    reader.until_shown(*STRIPPED)
    reader.view.disk_button.click()
    reader.until(lambda: "does not exist" in reader.view.origin.text())
    there = tmp_path / "selector.ts"
    there.write_text("only on the disk\n", encoding="utf-8")
    read = files.text_on_disk
    monkeypatch.setattr(files, "text_on_disk", lambda _path: read(str(there)))
    reader.view.disk_button.click()
    reader.until(lambda: ("REMOVED", "only on the disk") in reader.shown())
    assert reader.view.origin.text().startswith("Compared with the disk")


def test_a_step_is_shown_in_the_transcript(reader: Reader) -> None:
    reader.open()
    reader.until_shown(*STRIPPED)
    reader.files.show_step(1)
    reader.until_shown(*COLOURED)
    reader.view.show_button.click()
    assert not reader.files.is_open
    history = [line for line in worked_session().lines if "Port the colour" in str(line)]
    assert reader.gui.opened.selection == reader.key(str(history[0]["id"]))


def test_another_session_of_the_file_is_opened(reader: Reader) -> None:
    reader.open()
    reader.until(reader.view.others.isVisible)
    before = reader.gui.opened.key
    [link] = reader.view.others.findChildren(TitleButton)
    assert link.text() == "Selectors: first draft"
    link.resize(link.width() // 2, link.height())
    assert link.text().startswith("Sel")
    assert link.text().endswith("…")
    link.click()
    reader.until(lambda: reader.gui.opened.key != before and reader.gui.opened.session_tree is not None)
    assert not reader.files.is_open


def test_a_session_without_files_says_so(reader: Reader, tmp_path: Path) -> None:
    made = worked_session()
    made.id, made.lines = "n", [made.lines[0] | {"id": "n"}, made.lines[1] | {"id": "n1"}]
    reader.take_in(made.write(tmp_path))
    reader.files.open()
    reader.until(lambda: "No tool" in reader.view.message)
    assert reader.window.focusWidget() is reader.view.filter
    reader.files.copy()
    reader.files.compare_with_disk()
    reader.files.show_in_transcript()
    assert reader.files.is_open


def test_keys_move_through_the_text(reader: Reader) -> None:
    reader.open()
    reader.until_shown(*STRIPPED)
    text = reader.view.text
    text.setFocus()
    assert text.rows[text.current].kind is RowKind.REMOVED
    QTest.keyClick(text, Qt.Key.Key_Home)
    assert text.current == 0
    QTest.keyClick(text, Qt.Key.Key_N)
    assert text.rows[text.current].kind is RowKind.REMOVED
    QTest.keyClick(text, Qt.Key.Key_N)
    QTest.keyClick(text, Qt.Key.Key_End)
    QTest.keyClick(text, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert text.rows[text.current].kind is RowKind.REMOVED
    QTest.keyClick(text, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines() == [
        "    return wrap(this.text, width);", "    return wrap(strip(), width);",
    ]  # fmt: skip
    told = QAccessible.queryAccessibleInterface(text)
    assert told.childCount() == len(text.rows)
    assert told.child(0).text(QAccessible.Text.Name) == "1 export class Selector {"
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 5))
    assert text.current == 0
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_X):
        QTest.keyClick(text, key)
    assert text.current == 0


def test_the_page_follows_the_session(reader: Reader, tmp_path: Path) -> None:
    reader.open()
    reader.until_shown(*STRIPPED)
    grown = worked_session()
    grown.use(grown.lines[-1]["id"], "Rename it", "edit", path=SELECTOR, oldText="Selector", newText="Picker")
    reader.application.services.importing.import_paths([grown.write(tmp_path)]).result()
    reader.until(lambda: reader.titles()[-1] == "Rename it")
    assert reader.files.is_open
    reader.until_shown(*STRIPPED)  # the page stays at its step


def test_the_list_is_read_once(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.open()
    reader.until_shown(*STRIPPED)
    reader.files.leave()
    monkeypatch.setattr(reader.application.services.files, "listing", None)
    reader.open()
    reader.until_shown(*STRIPPED)


def test_a_file_that_was_changed_unseen_is_marked(reader: Reader, tmp_path: Path) -> None:
    reader.open()
    made = worked_session()
    made.use(made.lines[-1]["id"], "Again", "edit", path=SELECTOR, oldText="not there", newText="x\u2028y")
    reader.application.services.importing.import_paths([made.write(tmp_path)]).result(PATIENCE)
    reader.until(lambda: reader.titles()[-1] == "Again")
    QTest.keyClick(reader.view.timeline, Qt.Key.Key_End)
    reader.until(lambda: "uncertain" in reader.view.origin.text())
    reader.view.grab()


def test_another_session_closes_the_page(reader: Reader) -> None:
    reader.open()
    other = next(key for key in reader.gui.sessions.sessions if key != reader.gui.opened.key)
    reader.gui.open_session(other)
    assert not reader.files.is_open


def test_the_caption_of_the_last_step_keeps_away_from_the_edge(reader: Reader) -> None:
    reader.open()
    line = reader.view.timeline
    reader.until(lambda: line.at >= 0)
    QTest.keyClick(line, Qt.Key.Key_End)
    width = line.fontMetrics().horizontalAdvance(line.spoken)
    margin = metrics.SPACE[6]
    left = line.caption_left(width)
    assert margin <= left
    assert left + width + margin <= line.width()
    assert line.caption_left(10 * line.width()) <= 0, "a caption without room begins at the edge"


def test_in_narrow_columns_titles_and_names_of_files_stay_readable(reader: Reader) -> None:
    reader.open()
    view = reader.view
    painter = view.list.itemDelegate()
    assert isinstance(painter, FileRowPainter)
    path = "src/some/folders/that/are/long/theme.ts"
    assert painter.ending(path, 2000) == path
    for width in range(70, 220, 3):
        shown = painter.ending(path, width)
        assert shown == "theme.ts" or (shown.startswith("…/") and path.endswith(shown.removeprefix("…"))), (
            "folders are left out as a whole"
        )
    assert painter.ending(path, 200) != "theme.ts"
    assert painter.ending(r"C:\code\theme.ts", 90).endswith("theme.ts")
    assert "…" in painter.ending("a-name-that-nobody-can-read-whole.py", 90)
    assert painter.ending("a-name-that-nobody-can-read-whole.py", 90).endswith(".py")
    assert painter.readable("a.py") < painter.readable("a-name-that-nobody-can-read-whole.py")
    view.list_header.resize(400, view.list_header.height())
    assert view.scope.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextOnly
    view.list_header.resize(140, view.list_header.height())
    assert view.scope.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly
