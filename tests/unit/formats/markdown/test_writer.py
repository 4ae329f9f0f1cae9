"""Markdown from strangers shows what it says and does nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from stemmata.formats.markdown.writer import InertMarkdown, code_span, fenced

ACTIVE = re.compile(
    r"<(?!/?(?:p|h\d|pre|code|em|strong|s|ul|ol|li|blockquote|hr|br|a|table|t\w+)\b)[A-Za-z/!?]", re.I
)
LINK = re.compile(r'href="(?!https?:|mailto:|#|[^":]*")', re.IGNORECASE)
PIECES = st.sampled_from(
    ["a", " ", "\n", "\n\n", "`", "```", "````\n", "~~~", "<b>", "<script>x</script>", "<!--", "-->", "<?", "![",
     "](", "http://e/x.png", ")", "javascript:x", "[", "]", ": ", "> ", "- ", "    ", "\t", "|", "--|--", "\\",
     "&lt;", "<", "data:text/html,x", "<javascript:x>", "<img src=x>", "</details>", "\r", "*", "_", "#", "\0",
     "[a]: vbscript:x"]
)  # fmt: skip


class Careless(MarkdownIt):
    def validateLink(self, _url: str) -> bool:
        return True


def rendered(text: str) -> str:
    parser = Careless("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return str(parser.render(text))


@given(st.lists(PIECES, max_size=30).map("".join))
def test_whatever_it_says_nothing_is_active(text: str) -> None:
    safe = InertMarkdown().of(text)
    page = rendered(f"{safe}\n\n# The end")
    assert not ACTIVE.search(page), page
    assert not LINK.search(page), page
    assert page.rstrip().endswith("<h1>The end</h1>")


@pytest.mark.parametrize(
    "text",
    [
        "plain *text* with `code`",
        "```html\n<script>\n```",
        "`List<String>` and a < b and [link](https://example.org) and [mail](mailto:a@b)",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "- [x] done\n\npara\n\n    indented <b>code</b>",
        "<https://example.org>",
        "[file](src/main.py#L3)",
        "",
    ],
)
def test_harmless_text_goes_out_as_it_is(text: str) -> None:
    assert InertMarkdown().of(text) == text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a <b>x</b>", "a &lt;b>x&lt;/b>"),
        ("![x](http://e/p.png)", "\\![x]\\(http://e/p.png)"),
        ("[x](javascript:alert(1))", "[x]\\(javascript:alert(1))"),
        ("```\n<b>\n```\n<b>", "```\n<b>\n```\n&lt;b>"),
        ("```\nopen", "```\nopen\n```"),
        ("~~~~\nopen", "~~~~\nopen\n~~~~"),
        ("[a]\n\n[a]: javascript:x", "```\n[a]\n\n[a]: javascript:x\n```"),
    ],
)
def test_what_is_active_is_escaped(text: str, safe: str) -> None:
    assert InertMarkdown().of(text) == safe


@given(st.text(alphabet="`~ab\n "))
def test_nothing_ends_a_code_block_early(text: str) -> None:
    page = rendered(fenced(text, "py") + "\n\nafter")
    assert page.count("<pre>") == 1
    assert page.endswith("<p>after</p>\n")


@given(st.text(alphabet="`ab \n*<"))
def test_nothing_ends_a_code_span_early(text: str) -> None:
    page = rendered(f"x {code_span(text)} y")
    assert page.count("<code>") == (1 if text.split() else 0)
    assert not ACTIVE.search(page)


class Counted(InertMarkdown):
    """Notes the texts that are parsed."""

    def __init__(self) -> None:
        self.parsed = list[str]()

    def _parse(self, text: str) -> list[Token]:
        self.parsed.append(text)
        return super()._parse(text)


def test_a_text_without_marks_is_not_parsed_and_a_code_block_at_the_end_is_parsed_alone() -> None:
    markdown = Counted()
    assert markdown.of("plain *text*\n" * 100) == "plain *text*\n" * 100
    assert markdown.parsed == []
    text = "plain\n\n" * 100 + "```\nclosed\n```"
    assert markdown.of(text) == text
    assert [len(each) for each in markdown.parsed] == [len(text), len("```\nclosed\n```\n\nstemmata-end-of-text")]


@given(st.lists(PIECES, max_size=30).map("".join))
def test_what_is_parsed_in_part_is_as_if_it_was_parsed_whole(text: str) -> None:
    safe = InertMarkdown().of(text)
    tokens = Careless("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(f"{safe}\n\nlast")
    assert tokens[-1].type == "paragraph_close" or not tokens[-1].type.startswith("fence")
