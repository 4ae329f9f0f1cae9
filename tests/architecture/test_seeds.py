"""The page on the rules of the seeds names only tests, settings and commands that exist, and leaves nothing empty."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import NamedTuple

import click
import pytest

from stemmata.cli.program import program
from stemmata.services.chat.command_table import COMMANDS
from stemmata.system.settings.schema import SETTINGS
from tests.architecture.sources import ROOT

HEAD = ["Rule", "Setting", "In the window", "Command", "Test", "Note"]
NONE = "–"
QUOTED = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    rule: str
    setting: str
    window: str
    command: str
    test: str
    note: str


def tables() -> list[list[list[str]]]:
    """Every table of the page: its rows of cells, with the head and the line below it."""
    text = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
    found = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [[[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()] for table in found]


ROWS = [Row(*cells) for table in tables() for cells in table[2:]]


@cache
def functions(path: str) -> frozenset[str]:
    """The functions of a file below `tests/`."""
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def is_command(text: str) -> bool:
    """Whether `stemmata NAME --option …` or `/name` exists."""
    if text.startswith("/"):
        return text[1:] in {command.name for command in COMMANDS}
    first, *rest = text.split()
    known: click.Command = program
    names = [word for word in rest if not word.startswith("-")]
    if names:
        known = program.commands.get(names[0], click.Command(None))
    options = {option for parameter in (*program.params, *known.params) for option in parameter.opts}
    return first == "stemmata" and len(names) <= 1 and known.name is not None and {*rest} - {*names} <= options


def test_every_table_has_the_same_columns() -> None:
    assert [table[0] for table in tables()] == [HEAD] * len(tables())
    assert len(ROWS) > 200


def test_every_rule_is_told_once_for_its_seed() -> None:
    text = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
    for seed in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        rules = [line.split("|")[1].strip() for line in seed.splitlines() if line.startswith("| ")]
        rules = [rule for rule in rules if rule != "Rule"]
        assert rules
        assert sorted(set(rules)) == sorted(rules)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.rule[:60])
def test_nothing_is_empty_and_everything_exists(row: Row) -> None:
    told = row[:5]
    assert all(told), "an empty cell"
    assert NONE not in told or row.note, "a dash has its reason in the note"
    assert row.setting in ("always", NONE) or QUOTED.fullmatch(row.setting)
    assert [key for key in QUOTED.findall(row.setting) if key not in SETTINGS] == []
    assert row.command == NONE or QUOTED.search(row.command)
    assert [command for command in QUOTED.findall(row.command) if not is_command(command)] == []
    assert row.test == NONE or QUOTED.fullmatch(row.test)
    for path, _, name in (test.partition("::") for test in QUOTED.findall(row.test)):
        assert (ROOT / "tests" / path).is_file(), path
        assert name in functions(path), name


@pytest.mark.parametrize(
    "text", ["stemmata nothing", "stemmata show --nothing", "/nothing", "other show", "stemmata show all"]
)
def test_a_command_that_does_not_exist_is_noticed(text: str) -> None:
    assert not is_command(text)
    assert is_command("stemmata compact --dry-run --focus")
