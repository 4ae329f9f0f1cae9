"""Started where there is no display, or where the system lacks a library: a paragraph says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

APP = Path(__file__).parents[2] / "app"
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")


def start(profile: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    bare = {"PATH": os.environ["PATH"], "HOME": str(profile), "PYTHONPATH": str(APP)}
    return subprocess.run(
        [sys.executable, "-m", "stemmata", "--profile", str(profile), *arguments],
        env=bare | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def says_why(ran: subprocess.CompletedProcess[str], *words: str) -> None:
    assert ran.returncode == 1, ran.stderr
    assert ran.stderr.startswith(("The window cannot open: ", "This Python (")), ran.stderr
    assert "Traceback" not in ran.stderr
    assert "crash" not in ran.stderr
    assert "Nothing was changed." in ran.stderr
    for word in words:
        assert word in ran.stderr


def broken_qt(folder: Path, error: str) -> str:
    """A PYTHONPATH with a PySide6 that cannot be loaded."""
    (folder / "PySide6").mkdir(parents=True)
    (folder / "PySide6" / "__init__.py").write_text(f"raise {error}\n")
    return f"{folder}{os.pathsep}{APP}"


def test_without_a_display(tmp_path: Path) -> None:
    says_why(start(tmp_path), "no display", "--help")
    says_why(start(tmp_path, "open", "latest"), "no display")


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_with_a_display_that_does_not_answer(tmp_path: Path, name: str) -> None:
    """The libraries of a bare system may also be unable to use any display."""
    for _ in range(2):  # the second start hears of no crash
        says_why(start(tmp_path, **{name: "nowhere:77", "XDG_RUNTIME_DIR": str(tmp_path)}))
    assert (tmp_path / "state" / "crash.txt").read_text() == ""


def test_with_a_platform_that_qt_does_not_have(tmp_path: Path) -> None:
    says_why(start(tmp_path, QT_QPA_PLATFORM="nonsense"), "nonsense")


def test_without_fonts(tmp_path: Path) -> None:
    """fontconfig then still lists families such as Serif, whose letters are empty boxes."""
    (tmp_path / "fonts").mkdir()
    config = f"<fontconfig><dir>{tmp_path / 'fonts'}</dir><cachedir>{tmp_path / 'fonts'}</cachedir></fontconfig>"
    (tmp_path / "fonts.conf").write_text(f'<?xml version="1.0"?>\n{config}\n')
    ran = start(tmp_path / "p", QT_QPA_PLATFORM="offscreen", FONTCONFIG_FILE=str(tmp_path / "fonts.conf"))
    says_why(ran, "this system has no fonts", "dejavu")


def test_without_a_library(tmp_path: Path) -> None:
    error = "ImportError('libodd.so.1: cannot open shared object file: No such file or directory', name='PySide6')"
    ran = start(
        tmp_path / "p", QT_QPA_PLATFORM="offscreen", PYTHONPATH=broken_qt(tmp_path / "broken", error)
    )  # fmt: skip
    says_why(ran, "libodd.so.1")


def test_without_qt(tmp_path: Path) -> None:
    path = broken_qt(tmp_path / "broken", 'ModuleNotFoundError("No module named \'PySide6\'", name="PySide6")')
    says_why(start(tmp_path / "p", QT_QPA_PLATFORM="offscreen", PYTHONPATH=path), "PySide6", "pip install")
    listed = start(tmp_path / "p", "sessions", "--quiet", PYTHONPATH=path)
    assert (listed.returncode, listed.stderr) == (0, "")
