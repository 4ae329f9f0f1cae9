from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.files import effects
from stemmata.domain.files.effects import Effect, effect
from stemmata.domain.files.patches import PatchChunk, PatchedFile, PatchKind
from stemmata.domain.files.requests import FileAct, FileRequest, Replacement
from stemmata.domain.files.state import ABSENT, UNKNOWN, FileState, Gap, Hunk, KnownLines, written

ABC = written("a\nb\nc\n")
PART = FileState((KnownLines("a\nb"), Gap()))


def done(
    state: FileState, act: FileAct, text: str = "", details: dict[str, Any] | None = None, **asked: Any
) -> Effect:
    result = Entry(id="r", blocks=(Text(text),), details=json.dumps(details) if details else "")
    return effect(state, FileRequest(act=act, path="a", tool="read", **asked), result)


def edit(state: FileState, *edits: Replacement, **details: Any) -> Effect:
    return done(state, FileAct.EDIT, details=details, edits=edits)


def patch(state: FileState, *chunks: PatchChunk) -> Effect:
    return done(state, FileAct.EDIT, patch=PatchedFile(PatchKind.UPDATE, "a", chunks=[*chunks]))


def told(found: Effect) -> tuple[int, int | None, bool]:
    return found.added, found.removed, found.fits


def test_a_whole_read_is_the_text() -> None:
    found = done(UNKNOWN, FileAct.READ, "a\nb\n", is_plain=True)
    assert (found.state, found.fits) == (written("a\nb\n"), True)
    assert not done(ABC, FileAct.READ, "x\n", is_plain=True).fits
    assert not done(ABSENT, FileAct.READ, "x\n", is_plain=True).fits
    assert done(PART, FileAct.READ, "a\nb\nc\n", is_plain=True).fits


def test_a_read_of_a_part_adds_its_lines() -> None:
    found = done(PART, FileAct.READ, "c\n", is_plain=True, is_part=True, first=3)
    assert found.state == written("a\nb\nc\n")
    assert found.read is not None


def test_a_read_that_shows_nothing_certain_changes_nothing() -> None:
    assert done(PART, FileAct.READ, "noise") == Effect(PART)


def test_a_written_file_is_compared_with_the_text_before() -> None:
    assert told(done(ABSENT, FileAct.WRITE, text="", details={"type": "create"})) == (0, 0, True)
    request = FileRequest(act=FileAct.WRITE, path="a", text="a\nx\nc\n")
    result = Entry(id="r")
    assert told(effect(ABC, request, result)) == (1, 1, True)
    assert told(effect(UNKNOWN, request, result)) == (3, None, True)
    assert told(effect(PART, request, Entry(id="r", details='{"type":"create"}'))) == (3, 0, True)
    assert told(effect(UNKNOWN, request, Entry(id="r", details='{"originalFile":"a\\r\\nb"}'))) == (2, 1, True)


def test_a_deleted_file_has_no_lines() -> None:
    assert done(ABC, FileAct.DELETE) == Effect(ABSENT, 0, 3)
    assert done(UNKNOWN, FileAct.DELETE) == Effect(ABSENT, 0, None)


def test_a_change_that_is_not_shown_leaves_a_doubt() -> None:
    found = done(ABC, FileAct.OTHER)
    assert found.state.doubtful
    assert told(found) == (0, None, True)
    assert edit(ABC, Replacement("a", "b"), userModified=True).state.doubtful


def test_an_edit_counts_the_lines_that_it_changes() -> None:
    assert told(edit(ABC, Replacement("b", "x\ny"))) == (2, 1, True)
    assert told(edit(written("xay"), Replacement("a", "1\n2"))) == (2, 1, True)
    assert told(edit(written("a a\nb\na"), Replacement("a", "x", everywhere=True))) == (2, 2, True)
    assert told(edit(PART, Replacement("q\nr", "q\ns"))) == (1, 1, True)
    assert told(edit(UNKNOWN, Replacement("", "a\nb\n"))) == (2, 0, True)
    assert told(edit(ABC, Replacement("a", "x"), Replacement("x", "y"))) == (2, 2, True)


def test_an_edit_that_does_not_fit_is_told_once() -> None:
    found = edit(ABC, Replacement("q", "r"))
    assert (found.state.doubtful, found.fits) == (True, False)
    assert edit(found.state, Replacement("q", "r")).fits  # the doubt is known already


def test_the_text_before_an_edit_is_used_where_it_is_told() -> None:
    found = edit(UNKNOWN, Replacement("b", "x"), originalFile="a\r\nb")
    assert (found.state, found.fits) == (written("a\nx"), True)
    assert not edit(ABC, Replacement("b", "x"), originalFile="b").fits
    assert not edit(ABSENT, Replacement("b", "x"), originalFile="b").fits


def test_the_changed_lines_are_used_where_they_are_told() -> None:
    found = edit(UNKNOWN, Replacement("b", "x"), diff="  6 a\n- 7 b\n+ 7 x")
    assert found.state == FileState((Gap(5), KnownLines("a\nx"), Gap()))
    assert told(found) == (1, 1, True)
    hunk = {"oldStart": 7, "lines": ["-b", "+x"]}
    assert edit(UNKNOWN, Replacement("b", "x"), structuredPatch=[hunk]).state.parts[0] == Gap(6)
    tabs = {"oldStart": 7, "lines": ["-  b", "+  x"]}  # were tabs in the file
    assert edit(UNKNOWN, Replacement("b", "x"), structuredPatch=[tabs]).state == UNKNOWN
    assert edit(UNKNOWN, Replacement("q", "x"), structuredPatch=[hunk]).state == UNKNOWN
    assert edit(ABC, Replacement("q", "x"), diff="- 2 q\n+ 2 x").state.text == "q\nx".split("\n")[1]


def test_lines_are_inserted() -> None:
    found = done(ABC, FileAct.EDIT, hunks=(Hunk(2, (), ("x", "y")),))
    assert (found.state.text, told(found)) == ("a\nx\ny\nb\nc\n", (2, 0, True))


def test_a_patch_changes_a_known_file() -> None:
    found = patch(ABC, PatchChunk("", ("b",), ("x", "y")))
    assert (found.state.text, told(found)) == ("a\nx\ny\nc\n", (2, 1, True))
    assert patch(written(""), PatchChunk("", (), ("x",))).state == written("x\n")
    found = patch(ABC, PatchChunk("", ("q",), ("x",)))
    assert (found.state.doubtful, found.fits) == (True, False)


@pytest.mark.parametrize(
    ("before", "chunk", "after"),
    [
        (PART, PatchChunk("", ("b",), ("x",)), FileState((KnownLines("a\nx"), Gap()))),
        (ABSENT, PatchChunk("", ("q", "r"), ("x",)), FileState((Gap(), KnownLines("x"), Gap()))),
        (PART, PatchChunk("", (), ("x",)), FileState((KnownLines("a\nb"), Gap(), KnownLines("x\n")))),
        (
            FileState((Gap(2), KnownLines("c\n"))),
            PatchChunk("", (), ("x",)),
            FileState((Gap(2), KnownLines("c\nx\n"))),
        ),
        (FileState((Gap(2), KnownLines("c"))), PatchChunk("", (), ("x",)), FileState((Gap(2), KnownLines("c\nx\n")))),
        (PART, PatchChunk("", ("b",), ()), FileState(PART.parts, doubtful=True)),
    ],
)
def test_a_patch_changes_what_is_known_of_a_file(before: FileState, chunk: PatchChunk, after: FileState) -> None:
    assert patch(before, chunk).state == after


def test_counting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effects, "MOST_COUNTED", 2)
    assert told(edit(written("a\na\na\na"), Replacement("a", "b", everywhere=True))) == (2, 2, True)
