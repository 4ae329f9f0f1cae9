from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stemmata import __version__
from stemmata.__main__ import chosen, main, open_window, wants_window


@pytest.mark.parametrize(
    "line",
    [
        "",
        "open",
        "open x.jsonl",
        "--store a.db",
        "--store sessions",
        "--profile p open x",
        "--profile=p",
        "-v --store=a",
    ],
)
def test_no_command_or_open_means_the_window(line: str) -> None:
    assert wants_window(line.split())


@pytest.mark.parametrize(
    "line", ["sessions", "--help", "open --help", "--store a.db sessions", "--json status", "import open", "nonsense"]
)
def test_all_else_is_for_the_command_line(line: str) -> None:
    assert not wants_window(line.split())


def test_the_last_choice_of_a_place_counts() -> None:
    assert chosen(["--store", "a", "open", "x", "--store=b", "--profile", "p"]) == {"store": "b", "folder": "p"}
    assert chosen(["--store"]) == {"store": ""}


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
