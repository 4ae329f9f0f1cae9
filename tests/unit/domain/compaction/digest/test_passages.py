from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.compaction.digest import passages
from stemmata.domain.compaction.digest.passages import (
    choices,
    clip,
    code,
    constraints,
    findings,
    one_line,
    quote,
    sentences,
    unique,
    without_code,
)
from tests.strategies import texts


@pytest.mark.parametrize(
    "text",
    [
        "Never use tabs.",
        "you must not touch main.py",
        "please don't rename anything",
        "Don’t touch it, and do not commit.",
        "I prefer small functions",
        "only e2e tests",
        "keep the old code around",
        "make sure it builds on Windows",
        "no more than one class per file, always",
        "avoid globals",
        "do it without new dependencies",
    ],
)
def test_constraints(text: str) -> None:
    assert constraints(sentences(f"Please fix the bug. {text}")) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Fix the bug please",
        "i don't know why",
        "we don't have that",
        "why must it be so?",
        "the only thing left is this",
        "short",
        "",
    ],
)
def test_no_constraints(text: str) -> None:
    assert constraints(sentences(text)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("no, that's horrible. put it in core", ["no, that's horrible."]),
        ("let us go with SQLite", ["let us go with SQLite"]),
        ("Use a set instead of a list", ["Use a set instead of a list"]),
        ("shall we go with SQLite?", []),
        ("nothing to see here", []),
    ],
)
def test_choices(text: str, found: list[str]) -> None:
    assert choices(sentences(text)) == found


def test_findings() -> None:
    text = "I looked around. The root cause is a missing lock. It turns out that:\n\nThe actual problem is the cache."
    assert findings(text) == ["The root cause is a missing lock.", "The actual problem is the cache."]


def test_sentences_pass_over_what_was_pasted() -> None:
    text = (
        "First thing to do.\n- [ ] a bullet that counts\n```\ncode must not count\n```\n"
        "> quoted words never count\n  at foo (bar.js:1:2)\nif (x) { never(); }\n"
        + "y" * 1600
        + '\n\n{"log": "must not count"} and its whole paragraph\nnever counts\n\nLast words here'
    )
    assert list(sentences(text)) == ["First thing to do.", "a bullet that counts", "Last words here"]


def test_an_open_code_block_ends_with_the_text() -> None:
    assert list(sentences("Before the block.\n```\nnever ends")) == ["Before the block."]


def test_clip() -> None:
    assert clip("short", 10) == "short"
    assert clip("a long line of text", 10) == "a long li…"
    assert clip("x", 0) == ""
    clipped = clip("begin " + "x" * 200 + " end", 100)
    assert clipped.startswith("begin")
    assert clipped.endswith("end")
    assert " […] " in clipped


@given(texts(), st.integers(1, 300))
def test_clip_keeps_its_length(text: str, longest: int) -> None:
    assert len(clip(text * 20, longest)) <= longest


def test_code_spans() -> None:
    assert code("ls\n -la") == "`ls -la`"
    assert code("echo `date`") == "`` echo `date` ``"


def test_quote() -> None:
    assert quote("a\n\nb\n") == "> a\n>\n> b"


def test_unique() -> None:
    assert unique(["A b", "a  B", "c"]) == ["A b", "c"]


def test_a_paragraph_goes_on_over_the_piece_in_which_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'Never use tabs.\nAlways use spaces.\n\n```sh\nnever run this\n```\nMust do.\nBut {"a": 1} is data.'
    whole = list(sentences(text))
    monkeypatch.setattr(passages, "LONGEST_TEXT", 10)
    assert list(sentences(text)) == whole == ["Never use tabs.", "Always use spaces."]


def test_code_ends_at_the_fence_that_began_it() -> None:
    text = "Before it.\n  ~~~\nIn the code.\n```\nStill in it.\n~~~\nAfter it.\n```\nIt never ends.\n"
    assert list(without_code(text)) == ["Before it.", "", "After it."]


def test_a_very_long_text_on_one_line_is_made_of_its_ends() -> None:
    middle = "middle " * (passages.LONGEST_TEXT // 4)
    assert one_line(f"the\n beginning {middle} the end ").startswith("the beginning middle")
    assert one_line(f"the beginning {middle} the end ").endswith("middle the end")
    assert len(one_line(f"a {middle} b")) <= passages.LONGEST_TEXT


@given(texts() | st.from_regex(passages._FINDING))
def test_each_finding_has_one_of_the_words_that_are_looked_for_first(text: str) -> None:
    if passages._FINDING.search(text):
        assert any(word in text.casefold() for word in passages._FINDING_WORDS)
