"""Names are found by some of their letters, the best fit first."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.search.fuzzy import Fuzzy, fold


def score(query: str, text: str) -> float:
    match = Fuzzy(query).match(text)
    return -1 if match is None else match.score


@pytest.mark.parametrize(
    ("query", "text", "letters"),
    [
        ("export", "Export session…", "Export"),
        ("exse", "Export session…", "Exse"),
        ("session exp", "Export session…", "Expsession"),
        ("port", "Export session…", "port"),
        ("", "anything", ""),
        ("größe", "Normale GRÖSSE, Größe", "Größe"),
        ("[.*", "a [.* b", "[.*"),
    ],
)
def test_matching_queries(query: str, text: str, letters: str) -> None:
    match = Fuzzy(query).match(text)
    assert match is not None
    assert "".join(text[place] for place in match.places) == letters


@pytest.mark.parametrize(("query", "text"), [("xyz", "Export"), ("export foo", "Export"), ("tropxe", "Export")])
def test_queries_that_do_not_match(query: str, text: str) -> None:
    assert Fuzzy(query).match(text) is None


def test_scattered_letters_begin_at_the_start_of_a_word() -> None:
    assert Fuzzy("xs").match("Export session") is None


def test_the_better_fit_scores_higher() -> None:
    whole, inside, scattered = score("port", "Port"), score("port", "Export"), score("port", "Part of root")
    assert whole > inside > scattered > 0
    assert score("tag", "Tags…") > score("tag", "Tags and other marks")
    assert score("in", "xin in") == pytest.approx(score("in", "in xin"))


def test_hostile_queries_take_no_time() -> None:
    started = time.thread_time()  # of this thread alone, so that a busy machine makes no difference
    assert Fuzzy("a" * 100 + "b").match("a" * 2000) is not None  # the word is cut
    assert Fuzzy("a b" * 30).match("a " * 1000) is None
    assert Fuzzy("ab" * 19 + "c").match("ab" * 1000) is None
    assert time.thread_time() - started < 5  # it takes some milliseconds; trying twice would take for ever


@given(st.text(max_size=30), st.text(max_size=60))
def test_places_are_the_positions_of_the_letters(query: str, text: str) -> None:
    assert len(fold(text)) == len(text)
    match = Fuzzy(query).match(text)
    if match is not None:
        wanted = {letter for word in fold(query).split() for letter in word}
        assert {fold(text)[place] for place in match.places} == wanted
        assert list(match.places) == sorted(set(match.places))


def test_letters_far_apart_do_not_match() -> None:
    assert Fuzzy("demo").match("debug a failing test in the log project, " + "which may be long, " * 2 + "no") is None
    assert Fuzzy("demo").match("de-may-so") is not None
