from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text.word_diff import MOST_PAIRS, MOST_WORDS, Span, WordDiff, word_diff
from tests.strategies import texts


def cut_out(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[start:stop] for start, stop in spans]


def rest(text: str, spans: tuple[Span, ...]) -> str:
    """Return the text without the spans and without white space."""
    kept = "".join(character for at, character in enumerate(text) if not any(a <= at < b for a, b in spans))
    return "".join(kept.split())


def both(left: str, right: str) -> tuple[list[str], list[str]]:
    found = word_diff(left, right)
    return cut_out(left, found.left), cut_out(right, found.right)


def test_changes_one_word_apart_are_joined() -> None:
    left, right = "Port the selector, theming before wrapping.", "Port the selector, wrapping before theming."
    assert both(left, right) == (["theming before wrapping"], ["wrapping before theming"])
    assert word_diff(left, right).is_related


def test_additions_are_marked_on_one_side_only() -> None:
    assert both("Fix the bug", "Fix the nasty old bug now") == ([], ["nasty old", "now"])


def test_white_space_is_ignored() -> None:
    assert word_diff("one  two\n", "one two") == WordDiff()
    assert word_diff("", "  ") == WordDiff()


def test_words_without_spaces_are_separated() -> None:
    assert both("修正する前に確認", "修正した前に確認") == (["する"], ["した"])


def test_other_texts_are_not_related() -> None:
    assert not word_diff("Write the parser", "Now run all tests again, please").is_related
    assert word_diff("", "something").shared == 0


def test_a_long_middle_part_is_marked_completely() -> None:
    inner = [f"w{number}" for number in range(MOST_WORDS + 1)]
    left, right = f"start {' '.join(inner)} end", f"start {' '.join(reversed(inner))} end"
    assert both(left, right) == ([" ".join(inner)], [" ".join(reversed(inner))])


def test_a_stretch_of_repetitions_is_not_compared_for_long() -> None:
    count = int(MOST_PAIRS**0.5) + 2
    left, right = f"x {'a ' * count}y", f"z {'a ' * count}w"
    assert len(word_diff(left, right).left) == 1


WORDS = st.lists(st.sampled_from("a b c the port , . é 修".split()), max_size=30).map(" ".join)
ANY = st.one_of(texts(), WORDS)


@given(ANY, ANY)
def test_swapping_the_texts_swaps_the_result(left: str, right: str) -> None:
    found, swapped = word_diff(left, right), word_diff(right, left)
    assert (found.left, found.right, found.shared) == (swapped.right, swapped.left, swapped.shared)


@given(ANY, ANY)
def test_unmarked_words_are_equal_in_both_texts(left: str, right: str) -> None:
    found = word_diff(left, right)
    assert rest(left, found.left) == rest(right, found.right)
    assert 0 <= found.shared <= 1


@given(ANY, ANY)
def test_marks_are_in_order_and_inside(left: str, right: str) -> None:
    found = word_diff(left, right)
    for text, spans in ((left, found.left), (right, found.right)):
        ends = [0, *(end for span in spans for end in span), len(text)]
        assert ends == sorted(ends)
        assert all(start < stop for start, stop in spans)


@given(ANY)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert word_diff(text, text) == WordDiff()
