"""Session files that a tool will soon delete are told of while the archive does not have them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from stemmata.domain.sources.session_files import EndangeredFiles
from stemmata.services.importing.clean_ups import DAY
from tests.unit.services.conftest import Bench

NOW = 1_700_000_000 * 10**9  # of the clock of the tests


@pytest.fixture
def projects(bench: Bench) -> Path:
    folder = bench.folder / "home" / ".claude" / "projects" / "p"
    folder.mkdir(parents=True)
    return folder


def put(folder: Path, name: str, age: float, text: str = "Hello") -> Path:
    """A session that was changed so many days ago."""
    record = {
        "type": "user", "uuid": f"u-{name}-{text}", "parentUuid": None, "sessionId": name, "cwd": "/w",
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": text},
    }  # fmt: skip
    path = folder / f"{name}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    changed = NOW - int(age * DAY)
    os.utime(path, ns=(changed, changed))
    return path


def endangered(bench: Bench, *besides: str) -> list[EndangeredFiles]:
    return bench.services.clean_ups.endangered(besides).result()


def test_files_that_are_not_archived_are_told_a_week_before(bench: Bench, projects: Path) -> None:
    assert endangered(bench) == []
    put(projects, "young", 1)
    put(projects, "almost", 22.9)
    soon, over = put(projects, "soon", 25), put(projects, "over", 40)
    (projects / "empty.jsonl").touch()
    os.utime(projects / "empty.jsonl", ns=(1, 1))
    [found] = endangered(bench)
    assert found.files == (str(over), str(soon))
    assert (found.name, found.days, found.first) == ("Claude Code", 30, NOW - 10 * DAY)
    bench.services.importing.import_paths([soon, over]).result()
    assert endangered(bench) == []
    put(projects, "soon", 24, "more")
    [found] = endangered(bench)
    assert found.files == (str(soon),)


def test_followed_and_deleted_ones_are_not_told(bench: Bench, projects: Path) -> None:
    one, other = put(projects, "one", 30), put(projects, "other", 30)
    assert endangered(bench, str(projects.parent)) == []
    assert len(endangered(bench, "/elsewhere")) == 1
    report = bench.services.importing.import_paths([one]).result()
    bench.services.sessions.delete([report.sessions[0].key]).result()
    put(projects, "one", 29, "more")
    [found] = endangered(bench)
    assert found.files == (str(other),)


def test_a_file_that_vanishes_meanwhile_is_passed_over(
    bench: Bench, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(projects, "one", 30)
    found = bench.services.formats.clean_ups()
    path.unlink()
    monkeypatch.setattr(bench.services.formats, "clean_ups", lambda: found)
    assert endangered(bench) == []
