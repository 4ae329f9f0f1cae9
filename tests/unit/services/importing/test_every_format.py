"""Sources of every format in any course: read twice, in halves, in any order, cut, replaced, removed, locked."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from stemmata.formats.registry import FORMATS
from tests.fuzz.run import seeds_of
from tests.fuzz.seeds import Seed
from tests.growth.courses import differences_of_course, random_course, steps

READ = [format.name for format in FORMATS if format.reader is not None]
# What a fork repeats stays with it when its file is read before that of its origin. A prompt of the older opencode is
# an entry without text until the files of its parts are there. Cline's summaries stand in a file of their own.
IN_ORDER = ("codex replay", "opencode files", "cline session")
SEVERAL = [seed for seed in seeds_of() if len(seed.files) > 1 and seed.name not in IN_ORDER]


@pytest.mark.parametrize("format", READ)
def test_the_archive_is_the_same_in_the_end(format: str) -> None:
    """Every step once, in an order that the format's name chooses; `tests.growth --courses` tries other orders."""
    seed = seeds_of(format)[0]
    random = Random(format)
    names = list(steps())
    random.shuffle(names)
    assert differences_of_course(seed.files, random, names) == [], names


@pytest.mark.parametrize("seed", SEVERAL, ids=lambda seed: seed.name)
def test_files_may_come_in_any_order(seed: Seed) -> None:
    for number in range(3):
        assert differences_of_course(seed.files, Random(number), ["file by file"]) == [], number


@pytest.mark.parametrize(
    "name",
    [
        "aider",
        "amp",
        "chatgpt",
        "claude-ai",
        "claude-code",
        "cline",
        "codex",
        "continue",
        "copilot-cli",
        "cursor",
        "gemini",
        "goose",
        "llm",
        "open-webui",
        "openclaw",
        "opencode",
        "pi",
        "vscode-chat",
    ],
)
def test_real_files(samples: Path, name: str) -> None:
    """Real files below 300 kB, in a course of three steps."""
    random = Random(name)
    endings = (".jsonl", ".json", ".db", ".vscdb", ".md")
    found = (one for one in (samples / name).rglob("*") if one.suffix in endings and one.name != "README.md")
    for path in sorted(found):
        if path.stat().st_size < 300_000 and "storage" not in str(path):
            course = [one for one in random_course(random, 3) if one != "file by file"]
            told = differences_of_course({_named(path): path.read_bytes()}, random, course)
            assert told == [], (path.name, course)


def _named(path: Path) -> str:
    return {"logs_0.36.db": "logs.db", "composer-global-state.vscdb": "state.vscdb"}.get(path.name, path.name)
