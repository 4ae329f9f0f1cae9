from __future__ import annotations

import pytest

from stemmata.domain.entries.entry import Flag
from stemmata.domain.tool_calls.outcomes import LONGEST_MESSAGE, Outcome, details_of, ending, exit_code, message
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
    ("text", "failed", "details", "expected"),
    [
        ("fine", False, None, (Outcome.OK, None)),
        ("fine", False, {"exitCode": 0}, (Outcome.OK, 0)),
        ("no", True, None, (Outcome.FAILED, None)),
        ("no", False, {"exitCode": 1}, (Outcome.FAILED, 1)),
        ("Command aborted", True, None, (Outcome.CANCELLED, None)),
        ("x" * 2000 + "\n[Request interrupted by user]", True, None, (Outcome.CANCELLED, None)),
        ("the log says: command aborted", False, None, (Outcome.OK, None)),
        ("", False, {"interrupted": True}, (Outcome.CANCELLED, None)),
        ("", False, {"interrupted": False}, (Outcome.OK, None)),
        ("", False, {"cancelled": True, "exitCode": 130}, (Outcome.CANCELLED, 130)),
    ],
)
def test_ending(text: str, failed: bool, details: object, expected: tuple[Outcome, int | None]) -> None:
    assert ending(result("1", text, failed=failed, details=details)) == expected


MUCH = "out\n" * 2000


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"Exit code 127\n{MUCH}", 127),
        (f"{MUCH}\nCommand exited with code 1", 1),
        (f"{MUCH}Command exited with code 1\nlast", 1),
        (f"{MUCH}Exit code 1\nlast\nbut one", None),
        (f"{MUCH}Exit code 2\n{'x' * 990}", 2),  # the end of the text that is looked at begins inside a line
        (f"{MUCH}said exit code 2\n{'x' * 988}", None),
        (f"Exit code 3{' ' * 3000}", 3),
        (f"Exit code 3{' ' * 3000}x", None),
        ("x" * 5000 + "\nExit code 4", 4),
        ("x" * 5000 + " Exit code 4", None),
        (f"{'x' * 3000}exit code 4\n{MUCH}", None),
    ],
)
def test_the_exit_code_of_a_long_text(text: str, code: int | None) -> None:
    assert exit_code(result("1", text)) == code


def test_a_command_that_was_stopped() -> None:
    assert ending(shell("sleep 9", flags=Flag.ABORTED)) == (Outcome.CANCELLED, None)
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
