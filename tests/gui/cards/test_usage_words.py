"""What a reply took, in words."""

from __future__ import annotations

import pytest

from stemmata.domain.entries.entry import Usage
from stemmata.gui.cards.usage_words import usage_words

USAGE = Usage(input=412, output=1300, cache_read=40_000, cache_write=500, cache_write_1h=100, cost=31_000)


def test_the_head_says_what_was_fresh_and_the_tip_says_all() -> None:
    details = {"ttft_ms": 800, "duration_ms": 26_800, "thinking_tokens": 300, "cache_miss": "tools"}
    (word,) = usage_words(USAGE, details)
    assert word.text == "912 in · 1.3k out · 98% cached"
    assert word.tip.split("\n") == [
        "Reported by the provider", "Input 412", "Cache read 40,000", "Cache written 500",
        "of which kept for an hour 100", "Output 1,300", "Cost $0.0310",
        "of which thinking 300", "First token after 0.8 s", "50 tokens a second",
        "Cache missed: the tools changed",
    ]  # fmt: skip


@pytest.mark.parametrize("details", [{}, {"ttft_ms": "soon", "duration_ms": -1, "thinking_tokens": True}])
def test_what_is_not_known_is_not_said(details: dict[str, object]) -> None:
    (word,) = usage_words(USAGE, details)
    assert "second" not in word.tip
    assert "First" not in word.tip
    assert usage_words(None, details) == []


def test_of_a_reply_that_was_stopped_nobody_says_how_much_it_was() -> None:
    (word,) = usage_words(Usage(input=2000), {})
    assert word.text == "2k in"
    assert "Output —" in word.tip


def test_a_tool_that_tells_no_input_has_none() -> None:
    (word,) = usage_words(Usage(output=553), {})
    assert word.text == "553 out"
    assert "Input —" in word.tip
    assert usage_words(Usage(total=900), {}) == []
