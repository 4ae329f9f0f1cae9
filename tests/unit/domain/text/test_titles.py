"""The title that a first prompt gives its session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text.titles import LONGEST, title_in
from stemmata.domain.text.warm_up import is_warm_up

LOG = "2026-11-22 10:15 ERROR x\n[10:15:42] again\nWARNING: old\n"
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1\n    at main (a.js:1)\n'


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Fix the login bug.", "Fix the login bug"),
        ("Why does it fail? I tried twice.", "Why does it fail?"),
        ("Fix it. Then run all tests again", "Fix it. Then run all tests again"),
        ("e.g. this is fine. And more", "e.g. this is fine"),
        ("v1.2 broke the build", "v1.2 broke the build"),
        ("Hi", "Hi"),
        ("Hi. Fix the thing", "Fix the thing"),
        ("Hello Claude, OK: can you look at it", "can you look at it"),
        ("# Refactor the parser\n\nPlease.", "Refactor the parser"),
        ("1. [ ] write the docs\n2. ship", "write the docs"),
        ("Fix `foo_bar` in **src** and __init__", "Fix foo_bar in src and __init__"),
        ("read @packages/agent/src/main.ts in full", "read main.ts in full"),
        (r"Where is C:\Users\me\file.txt used?", "Where is file.txt used?"),
        ("and/or is fine; input/output too", "and/or is fine; input/output too"),
        ("See [the plan](https://x.y/z) first", "See the plan first"),
        ("Fix https://www.example.org/a/b/issues/12 now", "Fix example.org/…/12 now"),
        ("Fix https://example.org/ now", "Fix example.org now"),
        ("データの読み込みを速くする。それから", "データの読み込みを速くする"),
        (LOG + TRACE + "Why this?", "Why this?"),
        ("> you said so\ndiff --git a b\n@@ -1 +1 @@\n+++ b\nWhat changed?", "What changed?"),
        ("```py\nx = 1\n~~~\n```\nExplain this", "Explain this"),
        ('{"a": 1}\n---\n<div>\nWhat is wrong?', "What is wrong?"),
        ('{"a": 1}', '{"a": 1}'),
        (". . .\nWhat now?", "What now?"),
        ("-\n…", "-"),
        ("please make it " * 9, "please make it please make it please make it please make it…"),
        ("w" * 99, "w" * (LONGEST - 1) + "…"),
        ("\n \n", ""),
    ],
)
def test_a_title(prompt: str, title: str) -> None:
    assert title_in(prompt) == title


@given(st.text(st.sampled_from("ab .:!`*#@/\\\n[](){}<>-。\u200dé\x1b"), max_size=300))
def test_a_title_is_one_short_line(prompt: str) -> None:
    title = title_in(prompt)
    assert len(title) <= LONGEST
    assert title == " ".join(title.split())
    assert bool(title) or not "".join(filter(str.isalnum, prompt))


@pytest.mark.parametrize(("prompt", "is_one"), [("Warmup", True), (" warm up. ", True), ("Warm up the oven", False)])
def test_what_a_tool_sends_to_itself(prompt: str, is_one: bool) -> None:
    assert is_warm_up(prompt) is is_one
