from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.chat.silence import SilenceFilter, is_silent, may_become_silent


@pytest.mark.parametrize(
    "text",
    [
        "NO_REPLY",
        "  NO_REPLY",
        "\ufeffNO_REPLY",
        "\u00a0\u2003NO_REPLY",
        "NO_REPLY.",
        "NO_REPLY\n",
        "NO_REPLY — nothing to store",
        "NO_REPLY\n\nsome text",
        '"NO_REPLY"',
        "`NO_REPLY`",
        "**NO_REPLY**",
        "NO_REPLY的",
    ],
)
def test_silent(text: str) -> None:
    assert is_silent(text)


@pytest.mark.parametrize(
    "text",
    [
        "NO_REPLYX",
        "NO_REPLY_NOW",
        "say NO_REPLY please",
        "no_reply",
        "NO",
        "NO_",
        "NO_REPL",
        "xNO_REPLY",
        "x_NO_REPLY",
        "_NO_REPLY",
        "",
        # OpenClaw takes these for silent and hides what was said
        "Done. NO_REPLY",
        "的NO_REPLY",
    ],
)
def test_not_silent(text: str) -> None:
    assert not is_silent(text)


@pytest.mark.parametrize("text", ["", " ", "N", "NO", "  NO_REPL", "NO_REPLY", "`", "**NO"])
def test_may_become_silent(text: str) -> None:
    assert may_become_silent(text)


@pytest.mark.parametrize("text", ["No", "NOT", "NO_REPLYX", "x", "NO_REPLY.", "- NO"])
def test_text_that_decides_whether_a_reply_is_silent(text: str) -> None:
    assert not may_become_silent(text)


def test_a_stream_that_only_begins_like_the_token() -> None:
    stream = SilenceFilter()
    assert [stream.feed(text) for text in ("N", "O_", "W it works", " well")] == ["", "", "NO_W it works", " well"]
    assert stream.finish() == ""
    assert not stream.silent


def test_a_silent_stream() -> None:
    stream = SilenceFilter()
    assert [stream.feed(text) for text in (" NO_RE", "PLY", ".", " More text")] == [""] * 4
    assert stream.silent
    assert stream.finish() == ""


def test_a_stream_that_ends_while_it_is_open() -> None:
    stream = SilenceFilter()
    assert stream.feed("NO") == ""
    assert stream.finish() == "NO"
    stream = SilenceFilter()
    assert stream.feed("NO_REPLY") == ""
    assert stream.finish() == ""
    assert stream.silent


@given(st.lists(st.sampled_from(["N", "NO", "_REPLY", "NO_REPLY", " ", ".", "x", "`"]), max_size=8))
def test_a_stream_shows_the_whole_reply_or_nothing(parts: list[str]) -> None:
    stream, text = SilenceFilter(), "".join(parts)
    shown = "".join(map(stream.feed, parts)) + stream.finish()
    assert shown == ("" if is_silent(text) else text)
    assert stream.silent == is_silent(text)
