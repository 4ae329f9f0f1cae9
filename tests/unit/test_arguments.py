from __future__ import annotations

import pytest

from stemmata.arguments import places, to_open, wants_window


@pytest.mark.parametrize(
    "line",
    ["", "open", "open x.jsonl", "--store a.db", "--store sessions", "--profile p open x", "-v"],
)
def test_no_command_or_open_means_the_window(line: str) -> None:
    assert wants_window(line.split())


@pytest.mark.parametrize(
    "line",
    ["sessions", "--help", "-h", "open --help", "--store a.db sessions", "--json status", "import open", "nonsense"],
)
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
        ("-v open x y", "x"),
        ("import x", ""),
        ("--store", ""),
    ],
)
def test_what_is_to_be_opened(line: str, name: str) -> None:
    assert to_open(line.split()) == name


def test_the_last_choice_of_a_place_counts() -> None:
    assert places("--store a open x --store=b --profile p".split()) == {"store": "b", "folder": "p"}
    assert places(["--store"]) == {"store": ""}
