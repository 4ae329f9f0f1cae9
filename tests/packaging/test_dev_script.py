"""The script behind the two commands of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "dev"
COMMANDS = ("run", "test", "check", "bench", "shots", "accessible", "translate", "lock")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script for bash")


def dev(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    bare = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    return subprocess.run(
        [str(SCRIPT), *arguments], env=bare | environment, capture_output=True, text=True, check=False, cwd="/"
    )


def test_the_script_is_sound() -> None:
    subprocess.run(["bash", "-n", str(SCRIPT)], check=True)
    assert os.access(SCRIPT, os.X_OK)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_explained(command: str) -> None:
    said = dev("--help")
    assert said.returncode == 0
    assert re.search(rf"^  {command} ", said.stdout, re.MULTILINE)


@pytest.mark.parametrize("arguments", [(), ("nonsense",)])
def test_wrong_use_is_refused(arguments: tuple[str, ...]) -> None:
    said = dev(*arguments)
    assert said.returncode == 2
    assert "Usage" in said.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
@pytest.mark.parametrize(
    "arguments",
    [
        (), ("open", "x.jsonl"), ("--profile", "/p"), ("--store=/a.db",), ("-v", "--store", "sessions", "open"),
        ("stemmata://session/1a",), (str(SCRIPT),),
    ],
)  # fmt: skip
def test_without_a_display_run_says_so(arguments: tuple[str, ...], tmp_path: Path) -> None:
    said = dev("run", *arguments, STEMMATA_VENV=str(tmp_path / "none"))
    assert said.returncode == 1
    assert "no display" in said.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
@pytest.mark.parametrize(
    "line", ["sessions", "--profile /p sessions", "--store open status", "open --help", "none.x"]
)
def test_a_command_needs_no_display(line: str, tmp_path: Path) -> None:
    (tmp_path / "in the way").touch()  # where the script stops before it makes anything
    said = dev("run", *line.split(), STEMMATA_VENV=str(tmp_path))
    assert "no display" not in said.stderr
    assert "in the way" in said.stderr


def test_a_folder_that_is_no_environment_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    said = dev("lock", STEMMATA_VENV=str(tmp_path))
    assert said.returncode == 1
    assert "in the way" in said.stderr
    assert precious.read_text() == "mine"


def test_no_address_is_written_down() -> None:
    assert "://" not in SCRIPT.read_text(encoding="utf-8")


def test_ci_runs_the_command_of_the_readme() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert 'packaging/dev" test' in ci
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\./packaging/dev (\w+)", readme, re.MULTILINE) == ["run", "test"]
