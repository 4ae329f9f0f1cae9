"""The output of a command as a terminal would show it in the end."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text.terminal_text import terminal_text, with_one_line_end


@pytest.mark.parametrize(
    ("printed", "seen"),
    [
        ("plain", "plain"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("10 %\r50 %\r100 %\ndone", "100 %\ndone"),
        ("downloading\rdone", "doneloading"),
        ("N\bNA\bAM\bM", "NAM"),
        ("\b\bx", "x"),
    ],
)
def test_what_is_seen(printed: str, seen: str) -> None:
    assert terminal_text(printed) == seen


def test_hostile_output_takes_no_time() -> None:
    begun = time.process_time()
    for text in ("\r" * 100_000, "a" * 100_000 + "\b" * 100_000, "\x1b[" * 50_000, "x\r" * 50_000):
        terminal_text(text)
    assert time.process_time() - begun < 1


@given(st.text(alphabet="ab\r\n\b\x1b[m\u2029"))
def test_no_line_is_lost(text: str) -> None:
    shown = terminal_text(text)
    assert shown.count("\n") == text.count("\n")
    assert not {"\r", "\b"} & set(shown)


def test_every_line_end_of_a_document_is_one() -> None:
    assert with_one_line_end("a\r\nb\rc\nd\u2029e\ufdd0f") == "a\nb\nc\nd\ne\nf"
    assert with_one_line_end("ü") == "ü"
    assert with_one_line_end("a\r\nb\rc", overwrites=True) == "a\nb\rc"
