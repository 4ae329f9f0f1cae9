from __future__ import annotations

from stemmata.domain.files.rows import FileRow, RowKind, difference_rows, totals, whole_rows
from stemmata.domain.files.state import ABSENT, FileState, Gap, KnownLines, written

S, A, R, O, G = RowKind.SAME, RowKind.ADDED, RowKind.REMOVED, RowKind.OPEN, RowKind.GAP  # noqa: E741 - short, as below


def short(rows: list[FileRow]) -> list[tuple[RowKind, int | None, str]]:
    return [(row.kind, row.number, row.text) for row in rows]


def test_a_file_has_a_row_for_each_line_and_each_gap() -> None:
    state = FileState((KnownLines("a\nb"), Gap(3), KnownLines("c"), Gap(), KnownLines("z\n")))
    assert short(whole_rows(state)) == [
        (S, 1, "a"), (S, 2, "b"), (G, 3, ""), (S, 6, "c"), (G, 7, ""), (S, None, "z"),
    ]  # fmt: skip
    assert [row.lines for row in whole_rows(state)] == [None, None, 3, None, None, None]
    assert whole_rows(ABSENT) == []


def test_a_change_has_the_old_and_the_new_lines() -> None:
    rows = difference_rows(written("a\nb\nc\n"), written("a\nx\ny\nc\n"))
    assert short(rows) == [(S, 1, "a"), (R, 2, "b"), (A, 2, "x"), (A, 3, "y"), (S, 4, "c")]
    assert totals(rows) == (2, 1)


def test_a_line_that_faces_a_gap_is_neither_added_nor_removed() -> None:
    part = FileState((KnownLines("a"), Gap()))
    assert short(difference_rows(part, written("a\nb"))) == [(S, 1, "a"), (O, 2, "b")]
    assert short(difference_rows(written("a\nb"), part)) == [(S, 1, "a"), (O, 2, "b")]
    assert short(difference_rows(FileState((Gap(1),)), FileState((Gap(2),)))) == [(G, 1, "")]
    assert short(difference_rows(written("a"), FileState((KnownLines("a"), Gap())))) == [(S, 1, "a"), (G, 2, "")]
