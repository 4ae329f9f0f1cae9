from __future__ import annotations

import pytest

from stemmata.domain.entries.entry import Flag
from stemmata.domain.tool_calls.outcomes import LONGEST_MESSAGE, Outcome, details_of, exit_code, message, outcome
from tests.unit.domain.talk import result, shell


@pytest.mark.parametrize(
    ("text", "details", "code"),
    [
        ("out", {"exitCode": 3}, 3),
        ("out", {"exit_code": 0}, 0),
        ("out", {"metadata": {"exit_code": 2}}, 2),
        ("out", {"exitCode": True}, None),
        ("out", {"exitCode": None, "metadata": 3}, None),
        ("out\n\nCommand exited with code 1", None, 1),
        ("Exit code 127\ncommand not found", None, 127),
        ("Exit code: 0\nWall time: 1 s\nOutput:", None, 0),
        ("Process exited with code 4", None, 4),
        ("the program said exit code 9 in passing", None, None),
        ("a\nexit code 1\nb\nc\nd", None, None),
        ("", None, None),
    ],
)
def test_exit_code(text: str, details: object, code: int | None) -> None:
    assert exit_code(result("1", text, details=details)) == code


@pytest.mark.parametrize(
    ("text", "failed", "details", "code", "expected"),
    [
        ("fine", False, None, None, Outcome.OK),
        ("fine", False, None, 0, Outcome.OK),
        ("no", True, None, None, Outcome.FAILED),
        ("no", False, None, 1, Outcome.FAILED),
        ("Command aborted", True, None, None, Outcome.CANCELLED),
        ("x" * 2000 + "\n[Request interrupted by user]", True, None, None, Outcome.CANCELLED),
        ("the log says: command aborted", False, None, None, Outcome.OK),
        ("", False, {"interrupted": True}, None, Outcome.CANCELLED),
        ("", False, {"interrupted": False}, None, Outcome.OK),
    ],
)
def test_outcome(text: str, failed: bool, details: object, code: int | None, expected: Outcome) -> None:
    assert outcome(result("1", text, failed=failed, details=details), code) is expected


def test_a_command_that_was_stopped() -> None:
    assert outcome(shell("sleep 9", flags=Flag.ABORTED)) is Outcome.CANCELLED
    assert Outcome.CANCELLED.text == "cancelled"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("> npm test\n> tsc\n\na.ts(3): error TS1005: ';' expected.\nmore", "a.ts(3): error TS1005: ';' expected."),
        ("const fail=1;" + "x" * 500 + "\nError: Cannot find module './a'", "Error: Cannot find module './a'"),
        ("Could not find the exact text in a.ts.", "Could not find the exact text in a.ts."),
        ("nothing telling\nhere", "nothing telling"),
        ("\n \n", ""),
    ],
)  # fmt: skip
def test_the_error_line(text: str, line: str) -> None:
    assert message(result("1", text, failed=True)) == line


def test_a_long_message_is_clipped() -> None:
    line = message(result("1", "y" * 900))
    assert len(line) == LONGEST_MESSAGE
    assert line.endswith("…")


@pytest.mark.parametrize("text", ["", "[1]", "{", "null", '{"a":' * 100_000])
def test_details_that_are_no_mapping(text: str) -> None:
    assert details_of(text) == {}
