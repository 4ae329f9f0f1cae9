"""Any text on one short line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text.one_line import LENGTH, one_line


def test_long_lines_end_in_an_ellipsis() -> None:
    assert one_line("x" * 300) == "x" * (LENGTH - 1) + "…"
    assert one_line("word " * 3, 8) == "word wo…"
    assert one_line("a" + " " * 5000 + "b") == "a…"
    assert one_line("a\x1b[31m\ud800b 👩\u200d💻") == "a [31m b 👩\u200d💻"


@given(st.text(max_size=400))
def test_any_text_makes_one_line(text: str) -> None:
    assert len(one_line(text)) <= LENGTH
    assert len(one_line(text).splitlines()) <= 1
