"""The title that a first prompt gives its session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text.one_line import TITLE
from stemmata.domain.text.titles import descriptive_title, title_in
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
        ("Explain the *variance* of src/*.py and 2 * 3 * 4", "Explain the variance of src/*.py and 2 * 3 * 4"),
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
        ("w" * 99, "w" * (TITLE - 1) + "…"),
        ("\n \n", ""),
    ],
)
def test_a_title(prompt: str, title: str) -> None:
    assert title_in(prompt) == title


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("<user_query>\nWhy is it blue?\n</user_query>", "Why is it blue?"),
        ("<uploaded_files>\n/repo\n</uploaded_files>\nI uploaded it. Fix it", "I uploaded it"),
        ("<task><goal>Add a button</goal></task><environment_details>x</environment_details>", "Add a button"),
        ('<pasted_content file="a.txt" />\nSummarise this', "Summarise this"),
        ("<a1><b1><c1><d1>too deep</d1></c1></b1></a1>", "<d1>too deep</d1>"),
        ("<unclosed> tag", "<unclosed> tag"),
        ("<b>bold</b> words", "bold words"),
        ("<b1>not a wrapper</b1> at all", "<b1>not a wrapper</b1> at all"),
        ("<environment_context>\n<cwd>/home</cwd></environment_context>", ""),
        ("\x1b[31mStop\x1b[0m the server", "Stop the server"),
        ("[Image #1] [Pasted text #2 +9 lines] what is this", "what is this"),
        ("[Tue 2026-02-24 10:00 UTC] how are you?", "how are you?"),
        ("0b8e6f0a-1b2c-4d3e-8f90-a1b2c3d4e5f6", ""),
        ("What is 0b8e6f0a-1b2c-4d3e-8f90-a1b2c3d4e5f6 for?", "What is for?"),
        ("[Request interrupted by user]", ""),
        ("Sender (untrusted metadata):\n```json\n{}\n```\nhow are you?", "how are you?"),
        ("/fix the login bug of the shop", "the login bug of the shop"),
        ("/review 123", "/review 123"),
        ("Implement the following plan:\n\n# Plan: Survive a restart\n\n## Context", "Survive a restart"),
        ("Implement the plan:\n# 0b8e6f0a-1b2c-4d3e-8f90-a1b2c3d4e5f6", "Implement the plan"),
        ("Here is the log:\n```\nx\n```\nWhy?", "Here is the log: Why?"),
        ("Look at everything that is listed here:\n- a", "Look at everything that is listed here"),
        ("Please help me. Fix the parser", "Fix the parser"),
        ("Nov 22 10:15:42 host sshd: no\n$ npm test\nFAIL a.ts\nWhy is that?", "Why is that?"),
        ("2026-01-01 10:00:00 ERROR boom\n2026-01-01 10:00:01 ERROR bam", "ERROR boom"),
        ("```python\nprint(1)\n```", "print(1)"),
    ],
)
def test_a_title_of_what_a_tool_wrapped(prompt: str, title: str) -> None:
    assert title_in(prompt) == title


@given(st.text(st.sampled_from("ab .:!`*#@/\\\n[](){}<>-。\u200dé\x1b"), max_size=300))
def test_a_title_is_one_short_line(prompt: str) -> None:
    title = title_in(prompt)
    assert len(title) <= TITLE
    assert title == " ".join(title.split())
    assert bool(title) or "<" in prompt or not "".join(filter(str.isalnum, prompt))


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Fix the login bug.", "Fix the login bug"),
        ("/fix the login bug of the shop", "the login bug of the shop"),
        ("/clear", ""),
        ("!ls -la", ""),
        ("Hello!", ""),
        ("ls", ""),
        ("修复", "修复"),
        ('{"a": 1}', ""),
    ],
)
def test_a_title_that_says_what_the_session_is_about(prompt: str, title: str) -> None:
    assert descriptive_title(prompt) == title


@pytest.mark.parametrize(("prompt", "is_one"), [("Warmup", True), (" warm up. ", True), ("Warm up the oven", False)])
def test_what_a_tool_sends_to_itself(prompt: str, is_one: bool) -> None:
    assert is_warm_up(prompt) is is_one
