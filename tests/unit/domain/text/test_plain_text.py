"""Markdown marks are removed, words are kept."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text.plain_text import plain_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", "plain words"),
        ("## [1.8.0] - 2026\n### Changed\n- It is faster", "[1.8.0] - 2026\nChanged\n· It is faster"),
        ("In `CHANGELOG.md`, under *Changed*:", "In CHANGELOG.md, under Changed:"),
        ("Committed.\n- [x] one pass\n- [ ] two", "Committed.\n· one pass\n· two"),
        ("**No pool**: slow", "No pool: slow"),
        ("**Changed**/**Fixed** in **src/app.py**", "Changed/Fixed in src/app.py"),
        ("- first\n- second", "first\n· second"),
        ("分かりました。**バッチ**で書き込みます。", "分かりました。バッチで書き込みます。"),
        ("これは**重要**です、~~古い~~新しい", "これは重要です、古い新しい"),
        ("先用**batch**写入，再*检查*一次", "先用batch写入，再检查一次"),
        ("*첫째*는 **둘째**와", "첫째는 둘째와"),
        ("> quoted\n~~gone~~ here", "quoted\ngone here"),
        ("see [the docs](https://example.org/x) now", "see the docs now"),
        ("| a | b |\n|---|--:|\n| 1 | 2 |", " a | b\n \n 1 | 2"),
        ("```python\nx = 1\n```", "\nx = 1\n"),
        ("…Blocked - (none) ## Key Decisions - **No pool**", "…Blocked - (none) Key Decisions - No pool"),
        ("…In Progress - [ ] What happens", "…In Progress · What happens"),
    ],
)  # fmt: skip
def test_markdown_marks_are_removed(text: str, expected: str) -> None:
    assert plain_text(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3",
        "x**2 + y**2",
        'in src/**/*.ts, "**/*.{ts,tsx}" and docs/**',
        "在 src/**/*.ts 中, 用 **/*.ts",
        "snake_case and __init__",
        "ls *.py *.md",
        "a | b",
        "C# and F#",
        "--flag -x",
        "a[0](b c)",
    ],
)
def test_characters_that_only_look_like_marks_are_kept(text: str) -> None:
    assert plain_text(text) == text


@given(st.text(alphabet="*`#>|[]()-+~ \nax", max_size=300))
def test_only_marks_are_removed(text: str) -> None:
    assert plain_text(text).count("a") <= text.count("a")


@pytest.mark.parametrize(
    "piece", ["*", "`", "#", "|-", "[", "- [", "> ", "| ", "~~", "*a", "![a](", "字*", "*字", "字**"]
)
def test_many_marks_take_linear_time(piece: str) -> None:
    begun = time.thread_time()
    plain_text(piece * 5_000)
    assert time.thread_time() - begun < 1
