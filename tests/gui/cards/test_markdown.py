"""Messages as prose and code: what is rendered, and what never is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.gui.text.markdown import (
    MOST_BRACKETS,
    MOST_LINES,
    MOST_MARKS,
    Code,
    Markdown,
    Prose,
    chunks,
    few_marks,
    lines_apart,
)


def html_of(text: str) -> str:
    return "".join(segment.html for segment in Markdown().segments(text) if isinstance(segment, Prose))


def test_code_blocks_stand_between_prose() -> None:
    segments = Markdown().segments("Before\n\n```Python title=x\nprint(1)\n```\nAfter\n\n    indented\n")
    assert segments == [
        Prose("<p>Before</p>\n"),
        Code("python", "print(1)"),
        Prose("<p>After</p>\n"),
        Code("", "indented"),
    ]


def test_a_code_block_in_a_list_stays_in_it() -> None:
    assert "<li>" in (html := html_of("- one\n\n  ```\n  a < b\n  ```\n"))
    assert "<pre>a &lt; b</pre>" in html


def test_tables_strikethrough_and_tasks() -> None:
    assert '<table border="1"' in html_of("|a|b|\n|-|-|\n|1|2|\n")
    assert "<s>old</s>" in html_of("~~old~~")
    html = html_of("- [ ] open\n- [x] done\n- [not] a task\n- plain")
    assert "☐ open" in html
    assert "☑ done" in html
    assert html.count('<li class="task" style="list-style-type: none">') == 2
    assert "[not]" in html


def test_a_task_is_marked_wherever_its_list_is() -> None:
    html = html_of("1. [X] *first*\n   - [ ] below\n\n> - [x] quoted\n\n[x] no list")
    assert "☑ <em>first</em>" in html
    assert "☐ below" in html
    assert "☑ quoted" in html
    assert "[x] no list" in html


@pytest.mark.parametrize(
    "text",
    [
        '- [x] <input type="checkbox" checked> <b>bold</b>',
        "- [ ] ![x](http://evil.example/x.png)",
        "- [x]: <img src=x>",
        "[x]: javascript:alert(1)\n\n- [x] done",
        "- [x]\t<u>tab</u>",
    ],
)
def test_a_task_lets_no_markup_through(text: str) -> None:
    assert not re.search(r"<(?!/?(?:p|ul|ol|li|i|a|em|br)\b)", html_of(text))
    assert 'href="javascript' not in html_of(text)


def test_a_part_has_few_enough_tasks() -> None:
    """The plugin looks for the list of each task from the task backwards; a part has few enough lines for that."""
    parts = chunks("- [ ] x\n" * 20_000, 4_000)
    assert max(part.text.count("\n") for part in parts) <= MOST_LINES
    assert html_of(parts[0].text).count("☐") == parts[0].text.count("[ ]")


def test_headings_are_paragraphs_of_a_class() -> None:
    assert html_of("## Title") == '<p class="h2">Title</p>\n'


def test_line_breaks_are_kept() -> None:
    assert "one<br />" in html_of("one\ntwo")
    assert "one<br />" in html_of("_x_ one\ntwo")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=http://evil.example/x.png>",
        "text <b onclick=x>bold</b>",
        "<iframe src='file:///etc/passwd'></iframe>",
        "<style>p{background:url(http://evil.example)}</style>",
    ],
)
def test_html_is_shown_as_text(text: str) -> None:
    html = html_of(text)
    assert "<script" not in html
    assert "<img" not in html
    assert "<b" not in html
    assert "<iframe" not in html
    assert "<style" not in html
    assert "&lt;" in html


def test_images_become_words() -> None:
    html = html_of("![a cat](http://evil.example/cat.png) ![](http://evil.example/dog.png)")
    assert "<img" not in html
    assert "[a cat]" in html
    assert "[http://evil.example/dog.png]" in html


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://x/y", "//x", "#a"]
)
def test_other_links_lead_nowhere(url: str) -> None:
    assert "href" not in html_of(f"[x]({url})")


@pytest.mark.parametrize(
    "url", ["http://x.example/a?b=c", "https://x.example", "mailto:a@x.example", "HTTPS://x.example"]
)
def test_safe_links_keep_their_target(url: str) -> None:
    assert f'href="{url.split("?")[0]}' in html_of(f'[x]({url} "title")')
    assert "title" not in html_of(f'[x]({url} "title")')


@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\x00\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
)
def test_text_without_markup_is_rendered_as_the_parser_would(text: str) -> None:
    quick, slow = Markdown(), Markdown()
    assert [*quick.segments(text)] == slow.parse_in_full(text)


def test_rendering_is_remembered_within_a_bound() -> None:
    markdown = Markdown()
    first = markdown.segments("one *two*")
    assert markdown.segments("one *two*") is first
    for number in range(300):
        markdown.segments(f"text {number}")
    assert markdown.segments("one *two*") == first
    assert markdown.segments("one *two*") is not first


@given(
    st.lists(
        st.sampled_from(["text\n", "\n", "```\n", "````py\n", "~~~\n", "  indented\n", "- item\n", "x" * 30]),
        max_size=60,
    )
)
def test_chunks_are_the_text_and_split_no_code(lines: list[str]) -> None:
    text = "".join(lines)
    parts = chunks(text, 20)
    assert "".join(part.source for part in parts) == text
    whole = [segment.text for segment in Markdown().segments(text) if isinstance(segment, Code)]
    split = [s.text for part in parts for s in Markdown().segments(part.source) if isinstance(s, Code)]
    assert split == whole


def test_dense_markup_in_the_smallest_chunks_comes_to_an_end() -> None:
    assert [part.source for part in chunks("`*_[ a", 1, 2)] == ["`", "*", "_", "[", " a"]


@given(
    st.lists(
        st.sampled_from(
            ["text\n", "\n", "```\n", "~~~py\n", "|a|b|\n", "|-|-|\n", "word ", "x" * 30, "e\u0301", "👩🏽"]
        ),
        max_size=80,
    ),
    st.integers(1, 60),
    st.integers(1, 90),
)
def test_chunks_are_small_whatever_the_text_is(lines: list[str], size: int, more: int) -> None:
    text = "".join(lines)
    parts = chunks(text, size, size + more)
    assert "".join(part.source for part in parts) == text
    assert all(len(part.source) <= size + more for part in parts if not re.search("```|~~~", text))


@given(st.text(alphabet="ab \n\u0301😀", max_size=200), st.integers(1, 30), st.integers(1, 5))
def test_lines_apart_are_the_text(text: str, size: int, lines: int) -> None:
    parts = list(lines_apart(text, size, lines))
    assert "".join(joint + part for part, joint in parts) == text
    assert all(len(part) <= size and part.count("\n") < lines for part, _ in parts)


def test_a_table_goes_on_under_its_head() -> None:
    rows = "".join(f"| {at} | b |\n" for at in range(400))
    first, second, *_ = chunks(f"| x | y |\n|---|---|\n{rows}", 1000)
    assert first.joint is None
    assert second.joint is None
    assert second.text.startswith("| x | y |\n|---|---|\n| ")
    assert not second.source.startswith("| x |")


def test_long_code_is_a_part_of_its_own() -> None:
    code = "x = 1\n" * 2000
    before, inside, after = chunks(f"Look:\n```python title\n{code}```\nThat was it.\n", 1000)
    assert (before.text, before.language) == ("Look:\n", None)
    assert (inside.text, inside.language) == (code, "python")
    assert after.text == "That was it.\n"


def test_a_word_without_an_end_goes_on() -> None:
    parts = chunks("é" * 10_000, 1000, 2000)
    assert {part.joint for part in parts[1:]} == {""}
    assert {part.joint for part in chunks("word " * 10_000, 1000, 2000)[1:]} == {" "}


def test_a_chunk_after_a_blank_line_begins_a_block() -> None:
    parts = chunks("paragraph of words\n\n" * 100, 200)
    assert {part.joint for part in parts} == {None}
    lines = chunks("- an item of a list\n" * 100, 200, 400)
    assert {part.joint for part in lines[1:]} == {"\n"}


def test_chunks_have_their_size() -> None:
    text = "paragraph of words\n\n" * 100
    parts = chunks(text, 200)
    assert len(parts) > 5
    assert all(len(part.source) >= 200 for part in parts[:-1])


@pytest.mark.parametrize(("columns", "is_dense"), [(5, False), (6, True)])
def test_a_table_of_many_columns_is_set_smaller(columns: int, is_dense: bool) -> None:
    row = "|" + "a|" * columns
    html = html_of(f"{row}\n|{'-|' * columns}\n{row}\n")
    assert ('<table class="dense"' in html) is is_dense


@pytest.mark.parametrize("bracket", ["[", "](", "]"])
def test_a_paragraph_of_very_many_brackets_is_shown_as_it_was_written(
    monkeypatch: pytest.MonkeyPatch, bracket: str
) -> None:
    parsed: list[str] = []
    markdown = Markdown()
    inline = markdown._parser.inline
    original = inline.parse

    def parse(text: str, *others: Any) -> object:
        parsed.append(text)
        return original(text, *others)

    monkeypatch.setattr(inline, "parse", parse)
    dense = bracket * (MOST_BRACKETS + 1)
    assert markdown.segments(f"**a** <b>\n{dense}\n\n[b](https://example.org)") == [
        Prose(f'<p>**a** &lt;b&gt;<br />\n{dense}</p>\n<p><a href="https://example.org">b</a></p>\n')
    ]
    assert parsed == ["[b](https://example.org)"]


def test_links_of_a_whole_part_are_links() -> None:
    text = "[a](https://example.org) " * MOST_BRACKETS
    assert html_of(text).count("<a href") == MOST_BRACKETS


def test_a_letter_keeps_the_first_of_its_marks() -> None:
    marks = "".join(chr(0x300 + at) for at in range(100))
    assert few_marks(f"a{marks}b{marks}") == f"a{marks[:MOST_MARKS]}b{marks[:MOST_MARKS]}"
    assert few_marks(f"a{marks[:MOST_MARKS]}") == f"a{marks[:MOST_MARKS]}"
    assert few_marks("plain") == "plain"
    assert html_of(f"*a*{marks}") == f"<p><em>a</em>{marks[:MOST_MARKS]}</p>\n"


def test_a_cell_without_markup_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of a table has hundreds of cells."""
    from markdown_it.parser_inline import ParserInline

    parsed: list[str] = []
    parse = ParserInline.parse

    def noted(self: ParserInline, source: str, *others: Any) -> Any:
        parsed.append(source)
        return parse(self, source, *others)

    monkeypatch.setattr(ParserInline, "parse", noted)
    (table,) = Markdown().parse_in_full("| a | 1 < 2 |\n|---|---|\n| plain words: 3.5 % | **bold** |\n")
    assert isinstance(table, Prose)
    assert parsed == ["1 < 2", "**bold**"]
    assert "plain words: 3.5 %</td>" in table.html
    assert "<strong>bold</strong>" in table.html
