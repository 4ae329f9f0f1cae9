from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.files import state as states
from stemmata.domain.files.state import (
    ABSENT,
    UNKNOWN,
    FileState,
    Gap,
    Hunk,
    KnownLines,
    edited,
    is_same_file,
    with_hunks,
    with_lines,
    written,
)

ABC = written("a\nb\nc")


def state(*parts: str | int | None) -> FileState:
    """A state of known texts (str) and gaps (a number of lines, or None)."""
    return FileState(tuple(KnownLines(part) if isinstance(part, str) else Gap(part) for part in parts))


# -- what is known follows exactly from what was read, written and edited -------------------------------------------


@dataclass
class Truth:
    """A file whose lines all differ, with a mark for each line that the session has shown."""

    lines: list[str] = field(default_factory=list)
    shown: list[bool] = field(default_factory=list)
    state: FileState = UNKNOWN
    made: int = 0
    is_exact: bool = True  # whether every edit so far was of shown lines

    def new_lines(self, count: int) -> list[str]:
        self.made += count
        return [f"line {self.made - at} tok" for at in range(count)]

    def write(self, count: int) -> None:
        self.lines = self.new_lines(count)
        self.shown = [True] * count
        self.state = written("\n".join(self.lines))
        self.is_exact = True

    def read(self, first: int, last: int, *, tells: bool) -> None:
        self.shown[first:last] = [True] * (last - first)
        text, total = "\n".join(self.lines[first:last]), len(self.lines) if tells else None
        self.state, fits = with_lines(self.state, first + 1, text, total)
        assert fits

    def edit(self, first: int, last: int, cut: tuple[int, int], count: int) -> None:
        """Replace lines, the first one from a character on, the last one up to a character."""
        old = "\n".join(self.lines[first:last])
        head, tail = cut[0], len(old) - cut[1]
        if tail <= head:
            head, tail = 0, len(old)
        new = "\n".join(self.new_lines(count))
        text = "\n".join(self.lines)
        if text.count(old[head:tail]) != 1:
            head, tail = 0, len(old)
        changed = (old[:head] + new + old[tail:]).split("\n")
        all_shown = all(self.shown[first:last])
        self.is_exact = self.is_exact and all_shown
        self.lines[first:last], self.shown[first:last] = changed, [all_shown] * len(changed)
        self.state = edited(self.state, old[head:tail], new)

    def check(self) -> None:
        """What is known is true, at its place; and nothing that was shown is lost while every place was known."""
        assert not self.state.doubtful
        text = "\n" + "\n".join(self.lines) + "\n"
        known: set[int] = set()
        for at, part in self.state.numbered():
            if isinstance(part, KnownLines):
                assert f"\n{part.text}\n" in text
                if at is not None:
                    assert self.lines[at - 1 : at - 1 + part.lines] == part.text.split("\n")
                    known.update(range(at - 1, at - 1 + part.lines))
        if self.state.is_complete:
            assert self.state.text == "\n".join(self.lines)
        if self.is_exact:
            assert known == {at for at, shown in enumerate(self.shown) if shown}


@given(st.data())
def test_a_state_holds_exactly_what_reads_writes_and_edits_tell(data: st.DataObject) -> None:
    truth = Truth()
    truth.write(data.draw(st.integers(4, 12)))
    if data.draw(st.booleans()):
        truth.state, truth.shown = UNKNOWN, [False] * len(truth.lines)
    for act in data.draw(st.lists(st.sampled_from(["read", "edit", "edit", "write"]), max_size=10)):
        first = data.draw(st.integers(0, len(truth.lines) - 1))
        last = data.draw(st.integers(first + 1, min(first + 4, len(truth.lines))))
        if act == "read" and not truth.is_exact and truth.state.gaps:
            continue  # a read would drop runs without a place: sound, and tested by example
        if act == "read":
            truth.read(first, last, tells=data.draw(st.booleans()))
        elif act == "edit":
            cut = data.draw(st.tuples(st.integers(0, 6), st.integers(0, 6)))
            truth.edit(first, last, cut, data.draw(st.integers(1, 3)))
        else:
            truth.write(data.draw(st.integers(4, 12)))
        truth.check()


@given(st.data())
def test_replacing_everywhere_never_leaves_a_line_that_is_not_there(data: st.DataObject) -> None:
    truth = Truth()
    truth.write(8)
    truth.state, truth.shown = UNKNOWN, [False] * 8
    first = data.draw(st.integers(0, 7))
    truth.read(first, data.draw(st.integers(first + 1, 8)), tells=data.draw(st.booleans()))
    old = data.draw(st.sampled_from(["tok", "tok\nline"]))
    new = data.draw(st.sampled_from(["tik", "to\nk", "tok\nrow", "tok\n"]))
    lines = "\n".join(truth.lines).replace(old, new).split("\n")
    after = edited(truth.state, old, new, everywhere=True)
    for at, part in after.numbered():
        if isinstance(part, KnownLines):
            assert f"\n{part.text}\n" in "\n" + "\n".join(lines) + "\n"
            assert at is None or lines[at - 1 : at - 1 + part.lines] == part.text.split("\n")


# -- reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "first", "text", "total", "after"),
    [
        (UNKNOWN, 1, "a\nb", None, state("a\nb", None)),
        (UNKNOWN, 3, "a\nb", 9, state(2, "a\nb", 5)),
        (UNKNOWN, 3, "a\nb", 4, state(2, "a\nb")),
        (state("a\nb", None), 3, "c", None, state("a\nb\nc", None)),
        (state("a\nb", None), 2, "b\nc", None, state("a\nb\nc", None)),
        (state("a\nb", None), 5, "e", None, state("a\nb", 2, "e", None)),
        (state("a", 2, "d", None), 2, "b", None, state("a\nb", 1, "d", None)),
        (state("a", 2, "d", None), 1, "a", None, state("a", 2, "d", None)),
        (state(4, "x"), 2, "b", None, state(1, "b", 2, "x")),
        (ABC, 4, "", None, written("a\nb\nc\n")),  # a last empty line may be counted
        (state("a", None), 1, "a", 5, state("a", 4)),
        (state("a", None, "f"), 1, "a", 5, state("a", None, "f")),
        (state(None, "f", None), 1, "a", 5, state("a", 4)),  # where f is is not known
        (state("a", None), 1, "a", 1, state("a")),
    ],
)
def test_lines_that_are_read_take_their_place(
    before: FileState, first: int, text: str, total: int | None, after: FileState
) -> None:
    assert with_lines(before, first, text, total) == (after, True)


@pytest.mark.parametrize(
    ("before", "first", "text", "total", "after"),
    [
        (ABC, 2, "x", None, state(1, "x", None)),
        (ABC, 2, "x", 7, state(1, "x", 5)),
        (ABC, 3, "c\nd\ne", None, state(2, "c\nd\ne", None)),  # it has grown
        (ABC, 1, "a", 9, state("a", 8)),  # it has another length
        (ABSENT, 1, "a", None, state("a", None)),
    ],
)
def test_lines_that_contradict_what_was_known_replace_all_of_it(
    before: FileState, first: int, text: str, total: int | None, after: FileState
) -> None:
    assert with_lines(before, first, text, total) == (after, False)


def test_a_doubt_ends_when_the_whole_file_was_read() -> None:
    doubtful = edited(ABC, "x", "y")
    assert doubtful.doubtful
    assert doubtful.text == "a\nb\nc"
    assert with_lines(doubtful, 2, "b")[0].doubtful
    assert not with_lines(doubtful, 1, "a\nb\nc")[0].doubtful
    assert not with_lines(doubtful, 2, "y")[0].doubtful  # only what was just read is kept


def test_a_whole_text_fits_whatever_is_known_of_it() -> None:
    assert is_same_file(ABC, "a\nb\nc\n")
    assert not is_same_file(ABC, "a\nb")
    assert is_same_file(state(1, "b", None, "z"), "a\nb\nc")
    assert not is_same_file(state(1, "b", None), "a\nx\nc")
    assert is_same_file(ABSENT, "a")


def test_a_state_tells_what_it_knows() -> None:
    assert (ABC.is_complete, ABC.is_unknown, ABC.gaps) == (True, False, 0)
    assert (UNKNOWN.is_complete, UNKNOWN.is_unknown, UNKNOWN.gaps) == (False, True, 1)
    assert (ABSENT.is_complete, ABSENT.is_unknown, ABSENT.text) == (False, False, "")


# -- editing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (ABC, "b\nc", "x", written("a\nx")),
        (UNKNOWN, "", "new\n", written("new\n")),
        (ABSENT, "", "new\n", written("new\n")),
        (written(""), "", "new", written("new")),
        (UNKNOWN, "a", "b", UNKNOWN),
        (UNKNOWN, "a\nb\nc", "a\nx\ny\nc", state(None, "x\ny", None)),
        (state("a", 3, "e"), "x\ny", "z", state("a", 2, "e")),
        (state("ax", 3, "e"), "x\ny", "z", state(3, "e")),  # it may have begun in the first line
        (state("a", 3), "x\ny", "x\nz\ny", state("a", 4)),
        (state("a", 3, "e", 2), "x\n1\ny", "z", state("a", None, "e", None)),
        (state("a", 3, "e", 2), "x", "z", state("a", 3, "e", 2)),
        (state("a\nb", None), "b\nc", "z", state("a", None)),
        (state("a", None, "c\nd"), "b\nc", "z", state("a", None, "d")),
        (state("a", None, "c", None, "e"), "b\nc\nd", "z", state("a", None, "e")),
        (state("a", 1, "c"), "b\n", "x\n", state("a", 1, "c")),
        (state("a", 1, "c"), "\nb", "\nx", state("a", 1, "c")),
    ],
)
def test_an_edit_changes_what_is_known_and_nothing_else(
    before: FileState, old: str, new: str, after: FileState
) -> None:
    assert edited(before, old, new) == after


def test_an_edit_that_cannot_have_happened_leaves_a_doubt() -> None:
    assert edited(ABC, "x", "y").doubtful
    assert edited(written("a\na"), "a", "y").doubtful  # the tool replaces a text that occurs once
    assert edited(ABC, "", "y").doubtful
    assert edited(ABSENT, "x", "y") == FileState((Gap(),), doubtful=True)


def test_a_text_is_replaced_everywhere() -> None:
    assert edited(written("a b a"), "a", "x", everywhere=True) == written("x b x")
    assert edited(state("a", 2), "a", "x", everywhere=True) == state("x", 2)
    assert edited(state("a", 2), "a", "x\ny", everywhere=True) == state("x\ny", None)
    assert edited(state("b", 2), "a", "x\ny", everywhere=True) == state("b", None)
    assert edited(state("b", 2), "a", "x", everywhere=True) == state("b", 2)
    assert edited(state("a\nb", 2), "a\nb", "x\ny", everywhere=True) == state(None)
    assert edited(state("a\nb", 2, "c"), "b\nc", "x\ny", everywhere=True) == state("a", 4)
    assert edited(state("a", 2, "d"), "b\nc", "x\ny", everywhere=True) == state("a", 2, "d")


def test_whole_lines_are_replaced_as_whole_lines() -> None:
    assert edited(written("aa\na"), "a", "x", whole=True) == written("aa\nx")
    assert edited(UNKNOWN, "a\nb", "x\ny", whole=True) == state(None, "x\ny", None)
    assert edited(state("a", None), "x\ny", "z", whole=True) == state("a", None, "z", None)


def test_reported_lines_are_known_before_and_after() -> None:
    hunks = [Hunk(5, ("e", "f"), ("e", "x", "f")), Hunk(2, ("b",), ())]
    assert with_hunks(UNKNOWN, hunks) == (state(3, "e\nx\nf", None), True)
    assert with_hunks(ABC, [Hunk(2, ("x",), ("y",))]) == (state(1, "y", None), False)
    assert with_hunks(ABC, [Hunk(3, (), ("y",))]) == (written("a\nb\ny\nc"), True)
    assert with_hunks(UNKNOWN, [Hunk(3, (), ("y",))]) == (state(2, "y", None), True)


def test_of_a_huge_file_only_the_number_of_lines_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MOST_TEXT", 10)
    assert written("a\n" * 6) == FileState((Gap(7),), too_large=True)
    assert edited(ABC, "b", "b" * 20).too_large
    assert edited(ABC, "b", "b" * 20, everywhere=True).too_large
    assert with_hunks(ABC, [Hunk(1, ("a",), ("a" * 20,))])[0].too_large
    assert with_lines(UNKNOWN, 3, "a" * 20, 5) == (FileState((Gap(5),), too_large=True), True)
    assert edited(state("a", None), "x\ny\nz", "x\n" + "y" * 20 + "\nz").too_large
