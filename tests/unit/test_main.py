from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stemmata import __version__
from stemmata.__main__ import main, open_window


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"stemmata {__version__}\n"


def test_the_arguments_of_the_process_are_the_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["stemmata", "--version"])
    assert main() == 0
    assert __version__ in capsys.readouterr().out


def test_a_profile_that_cannot_be_made_is_said_plainly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert open_window(["--profile", str(tmp_path / "file")]) == 1
    assert "cannot be made" in capsys.readouterr().err
