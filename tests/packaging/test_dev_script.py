"""The script behind the two commands of the README."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "dev"
COMMANDS = ("run", "test", "check", "bench", "shots", "accessible", "package", "translate", "lock")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script for bash")


def call(script: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    own = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    return subprocess.run(
        [str(script), *arguments], env=own | {**environment}, capture_output=True, text=True, check=False, cwd="/"
    )


def dev(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return call(SCRIPT, arguments, environment)


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


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a user without root on a Debian without Qt's libraries; apt-get leaves a file."""
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    printed = {
        "ldconfig": "",
        "id": "echo 1000",
        "sudo": "exit 1",
        "apt-cache": "",
        "apt-get": 'touch "$0.ran"; exit 100',
    }
    for name, line in printed.items():
        (stubs / name).write_text(f"#!/bin/sh\n{line}\n")
        (stubs / name).chmod(0o755)
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "in the way").touch()
    return {"PATH": f"{stubs}{os.pathsep}{os.environ['PATH']}", "STEMMATA_VENV": str(tmp_path / "venv")}


linux = pytest.mark.skipif(sys.platform != "linux", reason="the script installs libraries on Linux only")


@linux
@pytest.mark.parametrize("line", ["--help", "sessions", "open --help", "--version"])
def test_a_command_asks_for_no_library_of_the_window(line: str, bare: dict[str, str]) -> None:
    said = dev("run", *line.split(), DISPLAY=":0", WAYLAND_DISPLAY="w", **bare)
    assert "lacks" not in said.stderr
    assert "in the way" in said.stderr


@linux
@pytest.mark.parametrize(
    ("display", "asked", "not_asked"),
    [("DISPLAY", "libxcb-cursor0", "libwayland-egl1"), ("WAYLAND_DISPLAY", "libwayland-egl1", "libxcb-cursor0")],
)
def test_the_window_asks_for_all_its_libraries_and_is_refused_without_root(
    display: str, asked: str, not_asked: str, bare: dict[str, str], tmp_path: Path
) -> None:
    said = dev("run", "--profile", str(tmp_path / "p"), **{display: "0"}, **bare)
    assert said.returncode == 1
    (command,) = [line for line in said.stderr.splitlines() if "apt-get install" in line]
    assert {"libegl1", "libgl1", "libdbus-1-3", asked} <= {*command.split()}
    assert not_asked not in command.split()
    assert len({*command.split()}) == len(command.split())
    assert "hanged" not in said.stderr
    assert not (tmp_path / "stubs" / "apt-get.ran").exists()
    assert not (tmp_path / "p").exists()


@linux
@pytest.mark.parametrize(
    ("sudo", "user", "line"),
    [
        ("exit 1", "1000", "  sudo apt-get install "),
        ("", "1000", "  su - -c 'apt-get install "),
        ("", "0", "  apt-get install "),
        ("exit 1", "0", "  apt-get install "),
    ],
)
def test_the_line_works_for_the_user_who_reads_it(
    sudo: str, user: str, line: str, bare: dict[str, str], tmp_path: Path
) -> None:
    stubs = tmp_path / "stubs"
    (stubs / "id").write_text(f"#!/bin/sh\necho {user}\n")
    if not sudo:
        (stubs / "sudo").unlink()
    for program in ("bash", "env", "dirname", "uname", "cat", "ls", "cksum", "tr"):
        (stubs / program).symlink_to(shutil.which(program) or "")
    python = shutil.which("python3") or sys.executable
    (stubs / "python3").write_text(f'#!/bin/sh\nexec {python} "$@"\n')
    (stubs / "python3").chmod(0o755)
    said = dev("run", DISPLAY=":0", **{**bare, "PATH": str(stubs)})
    (told,) = [one for one in said.stderr.splitlines() if " apt-get install" in one or "'apt-get install" in one]
    assert told.startswith(line)


@linux
def test_a_failed_installation_does_not_say_that_nothing_changed(bare: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "stubs" / "id").write_text("#!/bin/sh\necho 0\n")
    said = dev("run", DISPLAY=":0", **bare)
    assert said.returncode == 1
    assert (tmp_path / "stubs" / "apt-get.ran").exists()
    assert "may have installed some of the packages" in said.stderr
    assert "othing" not in said.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> dict[str, str]:
    """The environment of a checkout with a Python that only fails, in the steps that $FAILING names."""
    (tmp_path / "packaging" / "requirements").mkdir(parents=True)
    shutil.copy2(SCRIPT, tmp_path / "packaging" / "dev")
    (tmp_path / "packaging" / "requirements" / "dev.txt").touch()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "temporary").mkdir()
    for name, lines in {
        "stubs/uname": "echo Elsewhere",
        "venv/bin/python": 'case "$*" in *${FAILING:-nothing}*) exit 3 ;; esac',
    }.items():
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{lines}\n")
        program.chmod(0o755)
    installed = 'cat "$1/packaging/requirements/dev.txt" "$1/pyproject.toml" | cksum | tr "\\n" " "; printf %s "$1"'
    stamp = subprocess.run(["sh", "-c", installed, "sh", str(tmp_path)], capture_output=True, check=True)
    (tmp_path / "venv" / ".installed-dev").write_bytes(stamp.stdout)
    return {
        "PATH": f"{tmp_path / 'stubs'}{os.pathsep}{os.environ['PATH']}",
        "STEMMATA_VENV": str(tmp_path / "venv"),
        "TMPDIR": str(tmp_path / "temporary"),
    }


@pytest.mark.parametrize("command", ["test", "test tests/unit", "check"])
def test_a_check_in_which_all_is_well_exits_with_0(command: str, checkout: dict[str, str], tmp_path: Path) -> None:
    said = call(tmp_path / "packaging" / "dev", command.split(), checkout)
    assert (said.returncode, said.stderr.splitlines()[-1]) == (0, "All is well.")
    assert not [*(tmp_path / "temporary").iterdir()]


@pytest.mark.parametrize(
    ("failing", "step"),
    [
        ("mypy", "types"),
        ("check", "lint"),
        ("--cov", "unit tests and what they cover"),
        ("0 tests/journeys/test_garbage.py", "searches for garbage"),
        ("0 tests/architecture", "house rules"),
        ("--ignore", "other tests"),
    ],
)
def test_a_step_that_fails_fails_the_check(failing: str, step: str, checkout: dict[str, str], tmp_path: Path) -> None:
    said = call(tmp_path / "packaging" / "dev", ["test"], checkout | {"FAILING": failing})
    assert said.returncode == 1
    assert said.stderr.splitlines()[-1].startswith("packaging/dev: failed: ")
    assert step in said.stderr.splitlines()[-1]
    assert not [*(tmp_path / "temporary").iterdir()]


@pytest.mark.parametrize(("command", "size"), [("run sessions", "100 MB"), ("check", "160 MB")])
def test_the_first_run_says_how_much_it_downloads(
    command: str, size: str, checkout: dict[str, str], tmp_path: Path
) -> None:
    assert "MB" not in call(tmp_path / "packaging" / "dev", command.split(), checkout).stderr
    (tmp_path / "venv" / ".installed-dev").unlink()
    (tmp_path / "packaging" / "requirements" / "run.txt").touch()
    said = call(tmp_path / "packaging" / "dev", command.split(), checkout)
    assert said.returncode == 0
    (line,) = [line for line in said.stderr.splitlines() if "MB" in line]
    assert f"about {size} to download" in line
    assert "some minutes" in line


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
