"""Markdown as HTML: a text of paragraphs alone is not parsed."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from stemmata.formats.html.markup import Markup, cleaned

WORDS = """word "quoted" it's (a) {b} a-b - + # 1 2. 9) = --- : | / ! ? @ $ ~ * _ ` [ ] < > & \\ http://x.y ^ é"""
SPACES = (" ", "  ", "\n", "\n\n", "\n\n\n", "\t", "\r", "\u00a0", "\u2028", "\x00", "\x0b", "\x85")
PIECES = st.sampled_from((*WORDS.split(), *SPACES))


class Counted(Markup):
    """Notes what is parsed."""

    def __init__(self) -> None:
        self.parsed: list[str] = []

    def _parsed(self, text: str) -> str:
        self.parsed.append(text)
        return super()._parsed(text)


class Whole(Markup):
    """Parses every text."""

    def of(self, text: str) -> str:
        return self._parsed(cleaned(text))


def test_a_text_without_marks_is_not_parsed() -> None:
    markup = Counted()
    text = 'It is "done", isn\'t it?\nYes: 1 of 2.\n\n\nWell-known.\n'
    shown = "<p>It is &quot;done&quot;, isn't it?\nYes: 1 of 2.</p>\n<p>Well-known.</p>\n"
    assert markup.of(text) == shown
    assert markup.of("") == ""
    assert markup.parsed == []
    for marked in ("- item", "1. item", " code", "a  \nb", "a\n===", "*a*", "a|b"):
        markup.of(marked)
    assert len(markup.parsed) == 7


@given(st.lists(PIECES, max_size=8).map("".join))
@example("\n\na\n")
def test_every_text_is_as_the_parser_makes_it(text: str) -> None:
    assert Markup().of(text) == Whole().of(text)
