"""The texts of the page of files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stemmata.domain.files.log import CheckResult, FileStep, FileUse
from stemmata.domain.files.requests import FileAct
from stemmata.domain.files.rows import FileRow, RowKind
from stemmata.domain.files.state import ABSENT, UNKNOWN, FileState, Gap, KnownLines, written
from stemmata.gui.files import words


def step(act: FileAct = FileAct.EDIT, **facts: Any) -> FileStep:
    known: dict[str, Any] = {"entry": 1, "result": 2, "path": "/w/a.py", "act": act, "title": "Port it", "time": 0}
    return FileStep(**(known | facts))


@pytest.mark.parametrize(
    ("told", "title", "note"),
    [
        (step(added=6, removed=5), "Port it", "edit +6 −5"),
        (step(FileAct.WRITE, added=6, removed=None, title=""), "Untitled change", "write +6 −?"),
        (step(FileAct.DELETE), "Port it", "deleted"),
        (step(FileAct.OTHER), "Port it", "changed, lines unknown"),
        (step(FileAct.READ, read=(1, 3), is_whole=True, lines=1), "Read whole, 1 line", "read"),
        (step(FileAct.READ, read=(1001, 1003)), "Read lines 1,001–1,003", "read"),
        (step(FileAct.READ), "Read, lines unknown", "read"),
        (step(FileAct.READ, fits=False, check=CheckResult(True)), "Read, lines unknown",
         "read · earlier changes unknown"),
        (step(check=CheckResult(False, 1, 1)), "Port it", "edit +0 −0 · 1 test failed"),
        (step(check=CheckResult(True)), "Port it", "edit +0 −0 · check passed"),
        (step(check=CheckResult(False)), "Port it", "edit +0 −0 · check failed"),
        (step(check=CheckResult(True, 38)), "Port it", "edit +0 −0 · 38 passed"),
    ],
)  # fmt: skip
def test_a_step_has_a_title_and_a_note(told: FileStep, title: str, note: str) -> None:
    assert (words.title_text(told), words.note_text(told, "")) == (title, note)


def test_a_narrow_column_keeps_how_the_check_ended() -> None:
    told = step(added=6, removed=5, check=CheckResult(False))
    expected = ("branch 2 · +6 −5 · check failed", "branch 2 · check failed", "check failed")
    assert words.brief_notes(told, "branch 2") == expected
    assert words.brief_notes(step(), "branch 2") == ()
    assert words.brief_notes(step(FileAct.READ, check=CheckResult(True)), "") == ()


def test_another_branch_is_named() -> None:
    assert words.note_text(step(), "branch 2") == "branch 2 · edit +0 −0"
    assert words.caption_text(step(), "branch 2", 0, 4) == "branch 2 · edit +0 −0"
    assert words.caption_text(step(), "", 3, 4) == "change 3 of 4"


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (written("a"), "From 1 read and 1 change of the session"),
        (FileState((KnownLines("a"), Gap())), "From 1 read and 1 change of the session; 1 range never read is grey"),
        (ABSENT, "The session deleted this file here."),
        (replace(UNKNOWN, too_large=True), "This file is too large to be shown."),
        (replace(written("a"), doubtful=True),
         "From 1 read and 1 change of the session; uncertain, since it was also changed in a way that the session "
         "does not show"),
    ],
)  # fmt: skip
def test_the_foot_says_what_is_certain(state: FileState, told: str) -> None:
    assert words.origin_text([step(), step(FileAct.READ, read=(1, 1)), step(FileAct.READ)], state) == told


def test_lines_are_told_to_screen_readers() -> None:
    assert words.row_text(FileRow(RowKind.ADDED, 3, "x = 1")) == "3 added x = 1"
    assert words.row_text(FileRow(RowKind.OPEN, None, "x")) == "unknown on the other side x"
    assert words.row_text(FileRow(RowKind.GAP, 3, lines=1)) == "1 line that was never read"
    assert words.row_text(FileRow(RowKind.GAP, 3)) == "lines that were never read"


def test_a_path_is_short_and_on_one_line() -> None:
    assert words.folder_of("/w/src/a.py", "/w") == "src"
    assert words.folder_of("/w/a.py", "/w") == words.folder_of("a.py", "") == "Session folder"
    assert words.folder_of("/v/a.py", "/w") == "/v"
    assert words.relative("/w/a\nb.py", "/w/") == "a b.py"
    assert words.name_of("/") == "/"


def test_a_file_is_told_to_screen_readers() -> None:
    assert words.use_text(FileUse(path="/w/a.py", reads=2)) == "a.py, read 2 times"
    use = FileUse(path="/w/a.py", edits=2, added=3, removed=1, removed_more=True, is_here=False)
    assert words.use_text(use) == "a.py, 2 edits, +3 −1?, other branch only"
