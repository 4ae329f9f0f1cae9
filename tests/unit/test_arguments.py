from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.arguments import name_to_open, profile_options, wants_window


@pytest.mark.parametrize(
    "line",
    ["", "open", "open x.jsonl", "--store a.db", "--store sessions", "--profile p open x", "-v", "-vv --quiet",
     "--store=a.db open", "open -- --odd", "stemmata://session/1a", "-",
     "open -", "--profile p -"],
)  # fmt: skip
def test_no_command_or_open_means_the_window(line: str) -> None:
    assert wants_window(line.split())


@pytest.mark.parametrize(
    "line",
    ["sessions", "--help", "-h", "open --help", "--store a.db sessions", "--json status", "import open", "nonsense",
     "--nonsense", "open x y", "--store", "open --profile", "open -x", "none.jsonl", "./none", "stemmata://a b",
     "- x", "sessions -"],
)  # fmt: skip
def test_all_else_is_for_the_command_line(line: str) -> None:
    assert not wants_window(line.split())


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("", ""),
        ("open", ""),
        ("open x", "x"),
        ("--store a open x", "x"),
        ("open --profile p x", "x"),
        ("-v open -- -x", "-x"),
        ("stemmata://session/1a", "stemmata://session/1a"),
        ("-", "-"),
        ("open -", "-"),
        ("import x", ""),
        ("--store", ""),
    ],
)
def test_what_is_to_be_opened(line: str, name: str) -> None:
    assert name_to_open(line.split()) == name


def test_the_last_choice_of_a_place_counts() -> None:
    assert profile_options("--store a open x --store=b --profile p".split()) == {"store": "b", "folder": "p"}
    assert profile_options(["--store"]) == {"store": ""}


def test_a_file_stands_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("tale.jsonl", "sessions"):
        (tmp_path / name).touch()
    for name in ("tale.jsonl", str(tmp_path / "tale.jsonl"), "./sessions"):
        assert wants_window(["--store", "a.db", name])
        assert name_to_open([name]) == name
    assert not wants_window(["sessions"])  # the command, whatever lies in this folder
    assert name_to_open(["sessions"]) == ""
    assert not wants_window(["tale.jsonl", "tale.jsonl"])
    assert not wants_window([str(tmp_path)])
