"""Markdown while it is being written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemmata.gui.text.open_text import (
    LEAST_LINES,
    MOST_BARS,
    MOST_OPEN,
    ClosedText,
    CodeBegan,
    CodeEnded,
    CodeGrew,
    OpenText,
    Step,
)

PIECES = st.lists(
    st.sampled_from(
        ["word ", "\n", "\n\n", "```", "```py\n", "~~~\n", "- item\n", "    indented\n", "# head\n", "é𝄞", "|a|b|\n"]
    ),
    max_size=60,
)


def fed(pieces: list[str]) -> tuple[OpenText, list[Step]]:
    text = OpenText()
    return text, [step for piece in pieces for step in text.feed(piece)]


def source(steps: list[Step]) -> str:
    """Return the text of the steps, without the fences."""
    return "".join(step.text for step in steps if isinstance(step, ClosedText | CodeGrew))


def test_a_paragraph_is_closed_by_the_one_behind_it() -> None:
    text, steps = fed(["One ", "para", "graph.\n", "\nTwo"])
    assert steps == []
    assert text.feed(" and more.\n") == [ClosedText("One paragraph.\n\n")]
    assert text.tail == "Two and more.\n"
    assert text.end() == [ClosedText("Two and more.\n")]


def test_code_comes_line_by_line() -> None:
    text, steps = fed(["Look:\n``", "`python extra\ndef f():\n", "  pa"])
    assert steps == [ClosedText("Look:\n"), CodeBegan("python"), CodeGrew("def f():\n")]
    assert text.in_code
    assert text.tail == "  pa"
    assert text.feed("ss\n```\nafter") == [CodeGrew("  pass\n"), CodeEnded()]
    assert text.tail == "after"


def test_a_shorter_fence_closes_nothing() -> None:
    text, _ = fed(["````\n```\n"])
    assert text.in_code
    assert text.feed("````\n") == [CodeEnded()]


def test_code_that_is_never_closed_ends_with_the_text() -> None:
    text, _ = fed(["```\nx"])
    assert text.end() == [CodeGrew("x"), CodeEnded()]


def test_an_endless_line_is_closed_at_a_word() -> None:
    text, steps = fed(["word " * 1000])
    assert source(steps) + text.tail == "word " * 1000
    assert all(step.text.endswith(" ") for step in steps if isinstance(step, ClosedText))
    assert len(text.tail) <= MOST_OPEN


def test_an_endless_list_does_not_stay_open() -> None:
    text, steps = fed(["- one more item\n"] * 1000)
    assert len(text.tail) <= MOST_OPEN + len("- one more item\n")
    assert len(steps) > 3


@given(PIECES, st.integers(1, 7))
def test_it_does_not_matter_in_which_pieces_a_text_comes(pieces: list[str], size: int) -> None:
    whole = "".join(pieces)
    one, steps = fed([whole])
    other, more = fed([whole[at : at + size] for at in range(0, len(whole), size)])
    assert _joined(steps + one.end()) == _joined(more + other.end())


def _joined(steps: list[Step]) -> list[Step]:
    """Return the steps with neighbouring lines of code joined."""
    out: list[Step] = []
    for step in steps:
        if out and isinstance(step, CodeGrew) and isinstance(out[-1], CodeGrew):
            out[-1] = CodeGrew(out[-1].text + step.text)
        else:
            out.append(step)
    return out


def test_a_long_table_goes_on_below_with_its_head() -> None:
    head = "| a | b |\n|---|---|\n"
    rows = [f"| {at} | some words |\n" for at in range(100)]
    text, steps = fed([head, *rows])
    parts = [step.text for step in steps if isinstance(step, ClosedText)]
    assert len(parts) > 1
    assert all(part.startswith(head) and part.endswith("|\n\n") for part in parts)
    assert text.tail.startswith(head)
    assert [row for part in [*parts, text.tail] for row in part.splitlines()[2:] if row] == [row[:-1] for row in rows]
    assert max(part.count("|") for part in parts) <= MOST_BARS + head.count("|")


def test_a_table_of_many_columns_stays_readable() -> None:
    head = f"{'| a ' * 100}|\n{'|---' * 100}|\n"
    _, steps = fed([head, *[f"{'| 1 ' * 100}|\n"] * 20])
    parts = [step.text for step in steps if isinstance(step, ClosedText)]
    assert parts
    assert all(part.startswith(head) and part.count("\n") > LEAST_LINES for part in parts), "no head without rows"
