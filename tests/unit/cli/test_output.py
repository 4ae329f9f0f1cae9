"""What is printed: harmless to a terminal, and an error where it cannot be written, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stemmata.domain.text.untrusted import escape_controls, with_visible_controls
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="streams as POSIX has them")
EVIL = "a\x1b[31m b\x07 c\x9b2J d\u202ee\x7f \x1b]0;t\x07 \x00"
STEERING = "\x1b\x07\x9b\u202e\x7f\x00"
COMMANDS = ["sessions", "show latest", "tree latest", "context latest", "search a", "status latest", "check"]


@pytest.fixture
def evil(run: Run, session: Path) -> Path:
    """A session whose every text steers terminals, imported."""
    lines = []
    for line in session.read_text().splitlines():
        record = json.loads(line)
        if record["type"] == "session":
            record["cwd"] = f"/home/{EVIL}"
        if record["type"] == "label":
            record["label"] = EVIL
        for block in record.get("message", {}).get("content", []):
            if "text" in block:
                block["text"] = f"{EVIL} {block['text']}"
            if "name" in block:
                block["name"] = EVIL
                block["arguments"] = {"path": EVIL}
        lines.append(json.dumps(record) + "\n")
    session.write_text("".join(lines))
    assert run("import", session).code == 0
    return session


def test_nothing_that_others_wrote_steers_a_terminal(run: Run, evil: Path, tmp_path: Path) -> None:
    for command in [
        *COMMANDS,
        "compact latest --dry-run --keep-recent 9",
        f"show {evil} --all",
    ]:
        for way in ([], ["--json"]):
            ran = run(*command.split(), *way)
            assert ran.code == 0, ran.err
            assert not set(STEERING) & set(ran.out + ran.err), command
    assert "\\x1b[31m b" in run("show", "latest").out
    assert any(EVIL.rstrip("\0") in entry["text"] for entry in run("show", "latest", "--json").json["entries"])


def test_nor_does_what_is_wrong(run: Run, tmp_path: Path) -> None:
    for arguments in (
        ["show", EVIL.rstrip("\0")], [EVIL.rstrip("\0")], ["import", tmp_path / "a\x1b[31m"],
        ["sessions", "--limit", "\x1b[31m"],
        ["--\x1b[31m"], ["search", "a", "--scope", "\x9b"],
    ):  # fmt: skip
        ran = run(*arguments)
        assert ran.code in (1, 2)
        assert ran.err
        assert not set(STEERING) & set(ran.out + ran.err), arguments


def test_characters_are_written_out_and_lose_nothing_in_json() -> None:
    assert with_visible_controls("plain ü\n\ttext") == "plain ü\n\ttext"
    assert with_visible_controls("a\r\nb\x1b\x9b\u202e\ud800") == "a\nb\\x1b\\x9b\\u202e\\ud800"
    text = json.dumps(EVIL + "\ud800", ensure_ascii=False)
    assert json.loads(escape_controls(text)) == EVIL + "\ud800"
    assert not set(STEERING) & set(escape_controls(text))


def start(tmp_path: Path, *arguments: str, **streams: object) -> subprocess.CompletedProcess[str]:
    archive = str(tmp_path / "archive" / "a.db")
    command = [sys.executable, "-m", "stemmata", "--store", archive, *arguments]
    return subprocess.run(command, text=True, check=False, **({"stderr": subprocess.PIPE} | streams))  # type: ignore[call-overload, no-any-return]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("command", ["show latest", "show latest --json", "export latest --format pi", "--help"])
def test_a_full_disk_is_one_line(run: Run, session: Path, tmp_path: Path, command: str) -> None:
    assert run("import", session).code == 0
    with Path("/dev/full").open("w") as full:
        ran = start(tmp_path, *command.split(), stdout=full)
    assert ran.returncode == 1
    assert ran.stderr.startswith("stemmata: ")
    assert ran.stderr.count("\n") == 1
    assert "No space left" in ran.stderr


@pytest.mark.parametrize(
    "command", ["show latest --all", "show latest --json", "export latest --format pi", "--help"]
)
def test_a_reader_that_has_enough_is_no_error(run: Run, session: Path, tmp_path: Path, command: str) -> None:
    assert run("import", session).code == 0
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = start(tmp_path, *command.split(), stdout=writing)
    finally:
        os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_closed_streams(run: Run, session: Path, tmp_path: Path) -> None:
    assert run("import", session).code == 0
    ran = start(tmp_path, "sessions", preexec_fn=lambda: os.close(1))
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    ran = start(tmp_path, "sessions", stdout=subprocess.PIPE, stderr=None, preexec_fn=lambda: os.closerange(2, 3))
    assert ran.returncode == 0
    assert start(tmp_path, "check", stdout=subprocess.PIPE).returncode == 0
    ran = start(tmp_path, "chat", "new", stdout=subprocess.PIPE, preexec_fn=lambda: os.close(0))
    assert (ran.returncode, "message is empty" in ran.stderr) == (1, True), ran.stderr


def test_what_is_piped_in_must_be_text(tmp_path: Path) -> None:
    source = tmp_path / "bytes"
    source.write_bytes(b"\xff\xfe")
    with source.open("rb") as piped:
        ran = start(
            tmp_path, "chat", "new", stdin=piped, stdout=subprocess.PIPE, env=os.environ | {"PYTHONUTF8": "1"}
        )
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1), ran.stderr
    assert "not text" in ran.stderr


def test_a_terminal_that_holds_few_characters(run: Run, session: Path, tmp_path: Path) -> None:
    assert run("import", session).code == 0
    narrow = os.environ | {"PYTHONIOENCODING": "ascii"}
    ran = start(tmp_path, "show", "latest", stdout=subprocess.PIPE, env=narrow)
    assert (ran.returncode, ran.stderr) == (0, "")
    ran = start(tmp_path, "show", "latest", "--json", stdout=subprocess.PIPE, env=narrow)
    assert json.loads(ran.stdout)["entries"]
