from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.compaction.summary.summary import (
    LONGEST_RESULT,
    bash_text,
    longest_result_within,
    model_text,
    serialise,
)
from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.tokens import units
from stemmata.formats.pi.reader import Pi
from tests.strategies import chains
from tests.unit.domain.talk import branch_summary, call, result, says, shell, user

SAMPLES = Path(__file__).parents[5] / "../shared/samples"


def test_ca6_a_long_result_is_cut() -> None:
    text = serialise([result("1", "x" * 5000)])
    assert "x" * 2000 in text
    assert text.endswith("\n\n[... 3000 more characters truncated]")
    assert "x" * 3000 not in text


def test_a_result_is_whole_on_request() -> None:
    assert serialise([result("1", "x" * 5000)], None) == "[Tool result]: " + "x" * 5000
    assert serialise([result("1", "x" * 5000)], 4000).endswith("x\n\n[... 1000 more characters truncated]")


@pytest.mark.parametrize(
    ("room", "texts", "results", "longest"),
    [
        (10_000, 4_000, (3_000, 3_000), None),
        (10_000, 4_000, (3_000, 3_001), 3_000),
        (10_000, 1_000, (500, 9_000, 9_000), 4_250),  # the short result leaves its part to the others
        (10_000, 9_000, (5_000, 5_000), LONGEST_RESULT),
        (10_000, 11_000, (), LONGEST_RESULT),
        (10_000, 11_000, (50,), LONGEST_RESULT),
    ],
)
def test_results_are_cut_as_little_as_there_is_room(
    room: int, texts: int, results: tuple[int, ...], longest: int | None
) -> None:
    assert longest_result_within(room, texts, results) == longest


@given(st.integers(0, 100_000), st.integers(0, 100_000), st.lists(st.integers(0, 30_000)))
def test_what_is_cut_fits_unless_results_are_cut_to_the_least(room: int, texts: int, results: list[int]) -> None:
    longest = longest_result_within(room, texts, results)
    if longest is None or longest > LONGEST_RESULT:
        assert texts + sum(size if longest is None else min(size, longest) for size in results) <= room


def test_ca7_a_result_that_fits_is_whole() -> None:
    assert serialise([result("1", "x" * 1500)]) == "[Tool result]: " + "x" * 1500


def test_ca8_messages_are_never_cut() -> None:
    assert serialise([user("y" * 5000), says("y" * 5000)]) == f"[User]: {'y' * 5000}\n\n[Assistant]: {'y' * 5000}"


def test_vector_serialise() -> None:
    """pi: assistant text t1, read(path a, n 1), thinking th, text t2, bash(ls); result r1 + image + r2."""
    reply = says("t1", call("1", "read", path="a", n=1), Thinking("th"), "t2", call("2", "bash", command="ls"))
    answer = Entry(id="r", role=Role.TOOL_RESULT, blocks=(Text("r1"), Image("image/png", "d"), Text("r2")))
    assert serialise([user("q"), reply, answer]).split("\n\n") == [
        "[User]: q",
        "[Assistant thinking]: th",
        "[Assistant]: t1\nt2",
        '[Assistant tool calls]: read(path="a", n=1); bash(command="ls")',
        "[Tool result]: r1r2",
    ]


def test_a_cut_never_splits_a_character() -> None:
    text = serialise([result("1", "x" + "😀" * 1500)])
    assert text.startswith("[Tool result]: x" + "😀" * 999 + "\n\n")
    assert text.endswith("[... 1001 more characters truncated]")


def test_entries_that_are_left_out() -> None:
    entries = [
        user(""),
        result("1", ""),
        says(),
        shell("secret", "x", flags=Flag.EXCLUDED),
        Entry(id="s", role=Role.SYSTEM, blocks=(Text("system"),)),
        Entry(id="n", blocks=(Text("nobody's"),)),
        Entry(id="l", kind=Kind.LABEL, name="label"),
    ]
    assert serialise(entries) == ""


def test_what_becomes_the_user_s() -> None:
    note = Entry(id="c", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, blocks=(Text("remember"),))
    text = serialise([note, shell("ls", "a", exitCode=0), branch_summary("tried")])
    assert text.startswith("[User]: remember\n\n[User]: Ran `ls`\n```\na\n```\n\n[User]: Another branch")


def test_arguments_that_nest_too_deep_stay_json_text() -> None:
    nested = '{"a":' * 300 + "1" + "}" * 300
    assert serialise([says(ToolCall("1", "x", nested))]) == f"[Assistant tool calls]: x({nested})"


@given(chains())
def test_any_session_is_serialised(entries: list[Entry]) -> None:
    parts = serialise(entries)
    assert not parts or parts.startswith(("[User]: ", "[Assistant", "[Tool result]: "))


@pytest.mark.skipif(not SAMPLES.exists(), reason="the sample sessions are not here")
def test_pi_s_own_figures() -> None:
    """pi's pinned preparation of its own session: 296,614 units, and 5,574 of the turn's prefix."""
    path = SAMPLES / "pi" / "before-compaction.jsonl"
    entries = [event for event in Pi().read(path, None) if isinstance(event, Entry)]
    assert units(serialise(entries[628:939])) == 296_614
    assert units(serialise(entries[939:946])) == 5_574


# -- what entries say that no provider knows ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (shell("ls", "a\nb", exitCode=0), "Ran `ls`\n```\na\nb\n```"),
        (shell("true"), "Ran `true`\n(no output)"),
        (shell("make", "x", exitCode=2), "Ran `make`\n```\nx\n```\n\nCommand exited with code 2"),
        (shell("sleep", cancelled=True, exitCode=2), "Ran `sleep`\n(no output)\n\n(command cancelled)"),
        (
            shell("cat", "x", truncated=True, fullOutputPath="/tmp/out"),
            "Ran `cat`\n```\nx\n```\n\n[Output truncated. Full output: /tmp/out]",
        ),
        (shell("cat", "x", truncated=True), "Ran `cat`\n```\nx\n```"),
    ],
)
def test_bash_text(entry: Entry, text: str) -> None:
    assert bash_text(entry) == text


def test_summaries_are_wrapped() -> None:
    compaction = Entry(id="c", kind=Kind.COMPACTION, blocks=(Text("short </summary> story"),))
    intro, _, rest = model_text(compaction).partition("\n\n")
    assert intro.endswith(":")
    assert rest == "<summary>\nshort </ summary> story\n</summary>"
    assert model_text(branch_summary("tried")).endswith("\n\n<summary>\ntried</summary>")
