"""The locked requirements: complete, each with its hashes, and bound to no address."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINE = re.compile(
    r"(?P<name>[a-z0-9.-]+)==(?P<version>[\w.!+-]+)(?: ; [^\\]+)?(?P<hashes>(?: \\\s+--hash=sha256:[0-9a-f]{64})+)"
)


@dataclass(frozen=True)
class Lock:
    text: str
    versions: frozenset[tuple[str, str]]  # a distribution may have one for each of several Pythons

    @property
    def names(self) -> set[str]:
        return {name for name, _ in self.versions}


@cache
def lock(name: str) -> Lock:
    text = (ROOT / "packaging" / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return Lock(text, frozenset((match["name"], match["version"]) for match in LINE.finditer(text)))


@cache
def project() -> dict[str, list[str]]:
    """Return the names of the wanted distributions by group; "run" are those of the program."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = {"run": document["project"]["dependencies"], **document["dependency-groups"]}
    return {group: [named(wish) for wish in wishes if isinstance(wish, str)] for group, wishes in groups.items()}


def named(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found[0]).lower()


@pytest.mark.parametrize("name", ["run", "dev", "package"])
def test_every_line_is_a_version_with_hashes(name: str) -> None:
    assert LINE.sub("", lock(name).text).strip() == ""


@pytest.mark.parametrize("name", ["run", "dev", "package"])
def test_no_address_is_named(name: str) -> None:
    assert "/" not in lock(name).text


def test_the_locks_hold_what_the_project_asks_for() -> None:
    wanted = project()
    assert set(wanted["run"]) | set(wanted["build"]) <= lock("run").names
    assert set(wanted["dev"]) <= lock("dev").names
    assert set(wanted["run"]) | set(wanted["package"]) <= lock("package").names


def test_development_adds_to_what_runs_and_changes_nothing() -> None:
    assert lock("run").versions <= lock("dev").versions
    assert lock("run").versions <= lock("package").versions
