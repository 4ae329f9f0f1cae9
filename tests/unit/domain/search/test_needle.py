"""What is looked for in texts: any text, whole words, the terms of a search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.search.needle import SLICE, Needle, TextNeedle, terms_needle, text_needle
from stemmata.domain.search.terms import SearchedText, TermsFinder, fold, patterns_of, terms_of


def found(needle: Needle, text: str) -> list[str]:
    spans = needle.spans(text)
    assert len(spans) == needle.count(text)
    assert needle.is_in(text) is bool(spans)
    return [text[start:stop] for start, stop in spans]


def test_a_text_is_found_in_any_case() -> None:
    assert found(text_needle("Ab"), "ab xAB") == ["ab", "AB"]
    assert found(text_needle("needle"), "İ Needle") == ["Needle"]
    assert found(text_needle("aa"), "nothing") == []
    assert not text_needle("")
    assert not TextNeedle("x").is_in("x", 1)
    assert not TextNeedle().spans("x")


def test_case_and_whole_words_matter_where_they_are_asked_for() -> None:
    assert found(text_needle("Ab", case=True), "ab Ab") == ["Ab"]
    assert found(text_needle("ab", word=True), "abc ab_ AB.") == ["AB"]
    assert found(text_needle("a.b", case=True, word=True), "a.b axb A.b") == ["a.b"]
    assert text_needle("ab", case=True)
    assert text_needle("ab", case=True) == text_needle("ab", case=True) != text_needle("ab", word=True)
    assert not text_needle("", case=True)


@pytest.mark.parametrize("query", ["c", "C++", "c#", "(c"])
def test_a_single_letter_is_a_whole_word(query: str) -> None:
    assert found(terms_needle(terms_of(query)), "Code in C++ or c#, not Ada") == ["C", "c"]


def test_the_terms_of_a_search_are_found_as_the_index_finds_them() -> None:
    needle = terms_needle(terms_of('caf "wide characters" na'))
    assert found(needle, "Wide-characters in a café named NAX, decaf") == ["Wide-characters", "named", "NAX"]
    assert found(terms_needle(terms_of("café")), "cafe CAFÉS") == ["cafe", "CAFÉS"]
    assert not terms_needle([])


def test_the_longest_term_comes_first() -> None:
    assert found(terms_needle(terms_of('wide "wide characters"')), "wide characters") == ["wide characters"]


def test_characters_without_spaces_are_found_inside_their_runs() -> None:
    assert found(terms_needle(terms_of("京都")), "東京都は") == ["京都"]
    assert found(terms_needle(terms_of("한국")), "대한국말") == ["한국"]
    assert found(terms_needle(terms_of("京都abc")), "東京都abcd 京都 abc 京都abc") == [
        "京都abcd",
        "京都 abc",
        "京都abc",
    ]
    assert fold("가がé") == "가がe"


@pytest.mark.parametrize("at", [0, SLICE - 3, SLICE - 1, SLICE, SLICE + 5])
def test_a_match_is_found_wherever_the_slices_end(at: int) -> None:
    text = " " * at + "word " + "." * SLICE
    assert text_needle("word", word=True).spans(text) == [(at, at + 4)]
    assert not text_needle("word", word=True).is_in(text, at + 1)


def test_a_match_over_the_border_of_slices_counts_once() -> None:
    needle = text_needle("aa", case=True)
    text = " " * (SLICE - 1) + "aaaa"
    assert needle.spans(text) == [(SLICE - 1, SLICE + 1), (SLICE + 1, SLICE + 3)]


PARTS = st.sampled_from(["word", "words", "i", "K", "ſ", "ı", "İ", "é", "ß", "ab", "中文", " ", "_", "-", ".", "B"])
WORDS = st.sampled_from(["word", "i", "k", "S", "é", "ss", "ab", "中", "a-b", "ab word"])


@given(st.lists(PARTS), st.lists(WORDS, min_size=1, max_size=2), st.tuples(st.integers(0, 12), st.integers(0, 40)))
def test_a_term_is_found_where_its_pattern_is(parts: list[str], words: list[str], place: tuple[int, int]) -> None:
    text, name = "".join(parts), " ".join(words)
    for term in patterns_of([(name, False), (name, True)]):
        found, expected = term.search(SearchedText(text), *place), term.pattern.search(text, *place)
        assert (found and found.span()) == (expected and expected.span())


def test_terms_without_letters_are_none() -> None:
    assert patterns_of([("—", False)]) == []
    assert terms_of("\0 — a\ue000b") == [("a", False), ("b", False)]


@given(
    st.lists(PARTS),
    st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=3),
    st.integers(0, 9),
)
def test_terms_are_found_where_one_pattern_of_all_of_them_is(
    parts: list[str], terms: list[tuple[str, bool]], at: int
) -> None:
    text, finder = "".join(parts), TermsFinder(terms)
    expected = [(at + match.start(), at + match.end()) for match in finder.pattern.finditer(fold(text))]
    assert list(finder.spans(text, at)) == expected


def test_a_word_beside_a_run_without_spaces_is_a_word() -> None:
    assert found(terms_needle(terms_of("api")), "API를 apis rapi 使用api编写") == ["API", "apis", "api"]
    assert found(terms_needle(terms_of('"编写 api"')), "编写api 编写 api") == ["编写api", "编写 api"]


def test_accents_that_are_characters_of_their_own_belong_to_their_letters() -> None:
    assert found(terms_needle(terms_of("e\u0301clair")), "a e\u0301clair, éclairs") == ["e\u0301clair", "éclairs"]
    assert found(terms_needle(terms_of('"éc"')), "e\u0301c\u0301 ec") == ["e\u0301c\u0301", "ec"]
