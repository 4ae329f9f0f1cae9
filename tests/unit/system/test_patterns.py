"""Regular expressions in find: what they find, what is refused, and that all of them end."""

from __future__ import annotations

import time

import pytest
import regex

from stemmata.domain.errors import KnownError
from stemmata.system.patterns import HEAVIEST, pattern_needle, weight
from tests.fakes.waiting import PATIENCE

ENDLESS = r"(a|aa)+$"
TEXT = "a" * 200 + "!"


def found(pattern: str, text: str, **asked: bool) -> list[str]:
    needle = pattern_needle(pattern, **asked)
    return [text[start:stop] for start, stop in needle.spans(text)]


def test_patterns_find_as_in_other_editors() -> None:
    assert found(r"\bw\w+", "Wide words") == ["Wide", "words"]
    assert found("w", "Ww", case=True) == ["w"]
    assert found("ab|cd", "ab abc xcd cd", word=True) == ["ab", "cd"]
    assert found(r"^b.$", "b1\nb2\nab3") == ["b1", "b2"]
    assert found("x*", "aab") == []  # a match without a character is none
    assert pattern_needle("a") == pattern_needle("a", patient=True) != pattern_needle("a", case=True)


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2", "*a", r"\p{Nothing}", "(?P<x>a)(?P<x", "x" * 501])
def test_wrong_patterns_are_told(pattern: str) -> None:
    if pattern == "a{2":
        assert found(pattern, "a{2") == ["a{2"]
        return
    with pytest.raises(KnownError, match="pattern"):
        pattern_needle(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "((x{99}){99}){99}", "(?:[ab]{100}){100}", "(((((((((x{99}){99}){99}){99}){99}){99}){99}){99}){99})",
        r"(\d{3000})", "(?:a{9}){99999999999999999999}",
    ],
)  # fmt: skip
def test_patterns_that_would_fill_the_memory_are_refused(pattern: str) -> None:
    with pytest.raises(KnownError, match="repeats too much"):
        pattern_needle(pattern)


def test_the_weight_counts_what_is_repeated() -> None:
    assert weight("abc") == 3
    assert weight("[abc]{3}") == 3
    assert weight(r"\p{Lu}{4}x") == 5
    assert weight("(ab){5}") == 15
    assert weight("a{,5}b{2,}{") == 4
    assert weight(")(") == 2
    assert weight("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}") < 50
    assert weight("(" * 10 + "a" + "{99})" * 10) > HEAVIEST


def test_an_endless_search_ends_and_the_window_does_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    needle = pattern_needle(ENDLESS)
    begun = time.monotonic()
    assert needle.spans(TEXT) == []
    assert needle.spans("aaa") == []  # slow once, it is not tried again
    assert time.monotonic() - begun < PATIENCE / 2  # without its limit it would not end today
    with pytest.raises(KnownError, match="too long"):
        pattern_needle(ENDLESS, patient=True).count(TEXT)
    assert pattern_needle(ENDLESS, patient=True).count("aaa") == 1


def test_many_quick_searches_may_not_take_long_together(monkeypatch: pytest.MonkeyPatch) -> None:
    now, busy = [10.0], [0.0]

    def thread_time() -> float:
        busy[0] += 0.0021
        return busy[0]

    monkeypatch.setattr("stemmata.system.patterns.time.monotonic", lambda: now[0])
    monkeypatch.setattr("stemmata.system.patterns.time.thread_time", thread_time)
    needle = pattern_needle("a")
    assert [len(needle.spans("a")) for _ in range(4)] == [1, 1, 1, 0]
    calm = pattern_needle("a")
    for _ in range(9):
        assert len(calm.spans("a")) == 1
        now[0] += 1


def test_a_search_is_repeated_when_the_limit_was_used_up_by_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine counts the processor time of all threads."""
    real, failures = regex.compile("a"), [TimeoutError(), TimeoutError()]

    class Compiled:
        def finditer(self, text: str, start: int, end: int, timeout: float) -> object:
            if failures:
                raise failures.pop()
            return real.finditer(text, start, end, timeout=timeout)

    monkeypatch.setattr("regex.compile", lambda *_args: Compiled())
    needle = pattern_needle("a")
    assert [len(needle.spans("a")) for _ in range(3)] == [1, 1, 1]
    assert not failures
