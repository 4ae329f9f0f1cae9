"""Calls of tools that are shown in a way of their own: tasks, pages, searches, agents, files that are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Entry, Flag
from stemmata.domain.tool_calls.tasks import tasks_of
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.diff_piece import DiffPiece
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.cards.tool_line import verdict_words
from stemmata.gui.cards.tool_output import language_of
from stemmata.gui.cards.tool_tasks import headline, progress
from tests.fakes.cards import wanted, words
from tests.fakes.conversation import assistant, result

MakeCard = Callable[..., Card]
OPEN = frozenset({"call0"})


def called(tool: str, arguments: Any) -> Entry:
    return assistant(ToolCall("c", tool, json.dumps(arguments)))


TODOS = [
    {"content": "Look", "status": "completed"},
    {"content": "Mend <b>it</b>", "status": "in_progress"},
    {"content": "Test", "status": "pending"},
    "odd",
    7,
]


def test_tasks_are_lines_with_boxes(make_card: MakeCard) -> None:
    card = make_card(called("TodoWrite", {"todos": TODOS}), result("c", "ok", "TodoWrite"), unfolded=OPEN)
    assert words(card).splitlines()[1:] == [
        "TodoWrite Mend <b>it</b> 1 of 4 done", "☑ Look", "◐ Mend <b>it</b>", "☐ Test", "☐ odd",
    ]  # fmt: skip


def test_a_plan_is_a_list_of_tasks(make_card: MakeCard) -> None:
    plan = {"plan": [{"step": "One", "status": "completed"}, {"step": "Two", "status": "cancelled"}]}
    card = make_card(called("update_plan", plan), result("c", "ok", "update_plan"), unfolded=OPEN)
    assert "☑ One\n☒ Two" in words(card)
    assert headline(plan) == "Two"


def test_tasks_are_read_from_texts_and_single_calls(make_card: MakeCard) -> None:
    text = "1. [completed] Look\n2. [in_progress] Mend\n- [ ] Test\nodd"
    card = make_card(called("TodoWrite", {"todos": text}), result("c", "ok", "TodoWrite"), unfolded=OPEN)
    assert words(card).splitlines()[1:] == ["TodoWrite Mend 1 of 3 done", "☑ Look", "◐ Mend", "☐ Test"]
    made = {"subject": "Merge", "description": "Once all return."}
    card = make_card(called("TaskCreate", made), result("c", "Task #4 created", "TaskCreate"), unfolded=OPEN)
    assert words(card).splitlines()[1:] == ["TaskCreate Merge ≈ 4 tokens", "☐ Merge"]
    changed = {"taskId": "4", "status": "in_progress"}
    card = make_card(called("TaskUpdate", changed), result("c", "Updated", "TaskUpdate"), unfolded=OPEN)
    assert words(card).splitlines()[2:] == ["◐ #4"]
    listed = result("c", "#1 [completed] Plan (ada)\n#5 [pending] Merge", "TaskList")
    card = make_card(called("TaskList", {}), listed, unfolded=OPEN)
    assert words(card).splitlines()[2:] == ["☑ #1 Plan (ada)", "☐ #5 Merge"]


def test_very_many_tasks_are_counted(make_card: MakeCard) -> None:
    card = make_card(called("TodoWrite", {"todos": ["x"] * 150}), unfolded=OPEN)
    assert words(card).count("☐") == 100
    assert "50 more tasks" in words(card)


@given(st.recursive(st.none() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)))
def test_any_list_of_tasks_is_survived(value: Any) -> None:
    for arguments in ({"todos": value}, {"todos": [value]}, {"todos": [{"content": value, "status": value}]}):
        tasks_of(arguments)
        progress(arguments)


def test_a_page_that_was_read(make_card: MakeCard) -> None:
    fetch = called("WebFetch", {"url": "https://a.example/x?y=1&z=<2>", "prompt": "What is it?"})
    card = make_card(fetch, result("c", "It is **good**.", "WebFetch"), unfolded=OPEN)
    assert "What is it?" in words(card)
    assert "It is good." in words(card)
    assert Action(Request.LINK, "https://a.example/x?y=1&z=<2>") in wanted(card)


def test_an_address_that_may_not_be_opened_is_only_words(make_card: MakeCard) -> None:
    card = make_card(called("WebFetch", {"url": "file:///etc/passwd"}), unfolded=OPEN)
    assert "file:///etc/passwd" in words(card)
    assert Request.LINK not in {action.request for action in wanted(card)}


def test_pages_that_were_found(make_card: MakeCard) -> None:
    pages = [{"content": [{"title": "A & B", "url": "https://a.example"}, {"url": 3}, 4]}, "text", {"content": 5}]
    answer = result("c", "Links", "WebSearch", details=json.dumps({"results": pages}))
    card = make_card(called("WebSearch", {"query": "beads"}), answer, unfolded=OPEN)
    assert "beads" in words(card)
    assert "A & B\nhttps://a.example" in words(card)
    assert Action(Request.LINK, "https://a.example") in wanted(card)


def test_pages_that_are_written_into_the_answer(make_card: MakeCard) -> None:
    links = '[{"title":"A","url":"https://a.example"}]'
    answer = result("c", f"Web search results:\n\nLinks: {links}\n\nUse **A**.", "WebSearch")
    card = make_card(called("WebSearch", {"query": "beads"}), answer, unfolded=OPEN)
    assert words(card).splitlines()[2:] == [
        "Query", "beads", "Pages", "A", "https://a.example", "Web search results:", "Use A.",
    ]  # fmt: skip
    damaged = result("c", "Links: [{]\nrest", "WebSearch")
    assert "Links: [{]" in words(make_card(called("WebSearch", {"query": "x"}), damaged, unfolded=OPEN))
    alone = result("c", f"Links: {links}", "WebSearch")
    assert words(make_card(called("WebSearch", {"query": "x"}), alone, unfolded=OPEN)).endswith("a.example")


def test_a_patch_is_shown_for_each_file(make_card: MakeCard) -> None:
    files = "".join(f"*** Add File: f{at}.py\n+x = {at}\n" for at in range(45))
    patch = (
        f"*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n-x\n+y\n*** Delete File: o\n{files}*** End Patch"
    )
    card = make_card(called("apply_patch", {"input": patch}), result("c", "Done!", "apply_patch"), unfolded=OPEN)
    said = words(card)
    assert "apply_patch a.py +46" in said
    assert "a.py → b.py\n-x\n+y\no Deleted\nf0.py New file\n+x = 0" in said
    assert "7 more files" in said


def test_lines_of_a_change_have_numbers_and_colours(make_card: MakeCard) -> None:
    edit = called("edit", {"path": "a.py", "oldText": "x", "newText": "y"})
    answer = result("c", "ok", "edit", details=json.dumps({"diff": "  7 def f():\n- 8     x\n+ 8     y"}))
    card = make_card(edit, answer, unfolded=OPEN)
    piece = next(part for part in card.parts if isinstance(part, DiffPiece))
    assert piece.lines is not None
    assert piece.text() == " def f():\n-    x\n+    y"
    for _ in range(1000):
        if piece.highlighting.is_done:
            break
        piece.highlighting.work(0.01)
    assert piece.highlighting.has_lexer
    assert [len(piece.document.findBlockByNumber(at).layout().formats()) > 0 for at in range(3)] == [
        True,
        False,
        False,
    ]


def test_an_agent_says_what_it_was_told_and_leads_to_its_transcript(make_card: MakeCard) -> None:
    task = called("Task", {"description": "Look around", "prompt": "Do *look*.", "subagent_type": "explorer"})
    card = make_card(task, result("c", "# Found", "Task"), unfolded=OPEN)
    said = words(card)
    assert "Task Look around" in said
    assert "Do look." in said
    assert "Found" in said
    assert "explorer" in said
    assert Action(Request.SUBAGENT, "c") in wanted(card)


def test_an_agents_call_without_a_prompt_is_shown_like_any_other(make_card: MakeCard) -> None:
    card = make_card(called("Task", {"taskId": "1", "status": "done"}), unfolded=OPEN)
    assert '"taskId": "1"' in words(card)


def test_a_file_that_was_written(make_card: MakeCard) -> None:
    write = called("Write", {"file_path": "/a/b.py", "content": "print(1)\n"})
    card = make_card(write, result("c", "File created", "Write"), unfolded=OPEN)
    code = next(part for part in card.parts if isinstance(part, CodePiece))
    assert "print(1)" in words(card)
    assert "File created" not in words(card)
    assert not code.highlighting.is_done
    failed = result("c", "Read-only file system", "Write", flags=Flag.FAILED)
    assert "Read-only" in words(make_card(write, failed, unfolded=OPEN))


@pytest.mark.parametrize(
    ("path", "language"), [("a/b.py", "py"), ("C:\\x\\y.YML", "yaml"), ("Makefile", "make"), ("", ""), ("x.h", "c")]
)
def test_languages_of_files(path: str, language: str) -> None:
    assert language_of(path) == language


def test_an_edit_that_failed_says_why(make_card: MakeCard) -> None:
    edit = called("Edit", {"old_string": "a", "new_string": "b"})
    card = make_card(edit, result("c", "String not found", "Edit", flags=Flag.FAILED), unfolded=OPEN)
    assert "String not found" in words(card)


@pytest.mark.parametrize(
    ("tool", "text", "details", "expected"),
    [
        ("Grep", "Found 2 files\na.py\nb.py", {"mode": "files_with_matches", "numFiles": 2}, "2 files"),
        ("Grep", "x", {"mode": "content", "numFiles": 0, "numLines": 12}, "12 matches"),
        ("Glob", "", {"numFiles": 0}, "0 files"),
        ("grep", "a:1: x\nb:2: y\n\n[2 more]", None, "2 matches"),
        ("find", "a\nb\nc", None, "3 files"),
        ("grep", "No matches found", None, "nothing found"),
    ],
)
def test_searches_say_how_much_they_found(
    make_card: MakeCard, tool: str, text: str, details: Any, expected: str
) -> None:
    answer = result("c", text, tool, details=json.dumps(details) if details else "")
    assert words(make_card(called(tool, {"pattern": "x"}), answer)).endswith(f"{tool} x {expected}")


def test_the_folder_of_a_list_is_named_once(make_card: MakeCard) -> None:
    asked = called("list_directory", {"dir_path": "src", "depth": 2})
    card = make_card(asked, result("c", "Directory listing for /p/src:\na.py", "list_directory"), unfolded=OPEN)
    assert words(card).splitlines()[1:] == [
        "list_directory src 1 file", "depth: 2", "Directory listing for /p/src:", "a.py",
    ]  # fmt: skip


def test_a_command_in_words_is_shown_as_one_line(make_card: MakeCard) -> None:
    """Codex wrote commands so in 2025."""
    line = "rg --files | grep -v test | head -40 && git status --short && git log --oneline"
    asked = called("shell", {"command": ["bash", "-lc", line], "workdir": "/home/me/project"})
    card = make_card(asked, result("c", "a.py", "shell"), unfolded=OPEN)
    assert words(card).count(line) == 2  # in the line of the call, and whole below it
    assert "-lc" not in words(card)


def test_a_command_says_how_its_tests_came_out(make_card: MakeCard) -> None:
    answer = result("c", "1 failed, 38 passed in 2.0s\nExit code 1", "Bash", flags=Flag.FAILED)
    assert "38 passed · 1 failed exit 1" in words(make_card(called("Bash", {"command": "pytest"}), answer))
    assert verdict_words(0, 0) == "0 passed"


def test_pages_that_a_search_writes_as_json_are_links(make_card: MakeCard) -> None:
    pages = {"organic": [{"title": "Qt", "link": "https://doc.qt.io", "snippet": "All  about\nQt."}]}
    card = make_card(
        called("web_search", {"query": "qt"}), result("c", json.dumps(pages), "web_search"), unfolded=OPEN
    )
    assert words(card).splitlines()[-4:] == ["Pages", "Qt", "https://doc.qt.io", "All about Qt."]


@pytest.mark.parametrize("text", ['{"organic": [{"title": "Qt"}]}', '{"organic": []}', "{broken", "[1]"])
def test_json_without_pages_stays_as_it_is(make_card: MakeCard, text: str) -> None:
    card = make_card(called("web_search", {"query": "qt"}), result("c", text, "web_search"), unfolded=OPEN)
    assert "Pages" not in words(card)


def test_long_texts_of_a_call_stand_below_their_names(make_card: MakeCard) -> None:
    arguments = {"project": "X", "body": "one\ntwo", "message": "**Bold**\n\nwords"}
    card = make_card(called("mcp__tracker__add", arguments), result("c", "ok", "x"), unfolded=OPEN)
    shown = words(card).splitlines()
    assert shown[shown.index("body") :] == ["body", "one", "two", "message", "Bold", "words", "Result", "ok"]
    assert '  "project": "X"' in shown
    assert not any("\\n" in line for line in shown)


def test_an_edit_for_another_model_is_code(make_card: MakeCard) -> None:
    arguments = {"target_file": "a.ts", "instructions": "Add x", "code_edit": "// ...\nconst x = 1;"}
    card = make_card(called("edit_file", arguments), result("c", "Applied", "edit_file"), unfolded=OPEN)
    assert words(card).splitlines()[2:] == ["Add x", "// ...", "const x = 1;"]
    failed = result("c", "No such file", "edit_file", flags=Flag.FAILED)
    assert "No such file" in words(make_card(called("edit_file", arguments), failed, unfolded=OPEN))


def test_several_files_are_counted_without_their_names(make_card: MakeCard) -> None:
    text = '{"query":"a.py","result":"1 | x"}\n{"query":"b.py","result":"1 | y\\n2 | z"}'
    card = make_card(
        called("read_files", {"files": [{"path": "a.py"}, {"path": "b.py"}]}), result("c", text, "read_files")
    )
    assert words(card).splitlines()[1:] == ["read_files a.py, b.py 3 lines"]


@pytest.mark.parametrize(
    ("tool", "arguments", "text", "line"),
    [
        ("run_terminal_cmd", {"command": "make"}, '{"output":"x","exitCode":2}', "run_terminal_cmd make exit 2"),
        ("text_editor", {"command": "view", "path": "a"}, "### a\n```\n1: x\n2: y\n```", "text_editor a 2 lines"),
        ("list_dir", {"path": "."}, "[dir]  src/\n[file] a.py", "list_dir . 2 items"),
        ("list_directory", {"dir_path": "."}, "Directory listing for /p:\na.py (6 bytes)", "list_directory . 1 file"),
        ("grep", {"regex": "f"}, "## Matches in a.rs\n\n### L3\n```\nf();\n```", "grep f 1 match"),
    ],
)  # fmt: skip
def test_the_line_of_a_call_tells_its_outcome(
    make_card: MakeCard, tool: str, arguments: dict[str, Any], text: str, line: str
) -> None:
    card = make_card(called(tool, arguments), result("c", text, tool))
    assert words(card).splitlines()[1] == line
