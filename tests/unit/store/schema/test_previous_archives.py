"""Archives that earlier versions of the program wrote: one of 22 November 2026, and the last before it was packaged.

Each has one session of pi with two branches and a label. They are files of those versions, not made by this code.
"""

from __future__ import annotations

import contextlib
import gzip
import sqlite3
from pathlib import Path

import pytest

from stemmata.bootstrap.commands import command_line

ARCHIVES = sorted((Path(__file__).parents[3] / "data" / "archives").glob("*.db.gz"))


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.partition(".")[0])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "archive.db"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return path


def test_there_are_some() -> None:
    assert len(ARCHIVES) == 2


def test_it_opens_with_all_that_it_has(archive: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def told(*arguments: str) -> str:
        assert command_line(["--store", str(archive), *arguments]) == 0
        return capfd.readouterr().out

    before = version(archive)
    assert told("check") == "The archive has no problems.\n"
    assert "Which beds get sun in the morning?" in told("sessions")
    tree = told("tree", "latest")
    assert tree.count("\n") == 6
    assert "[tomatoes] Then the tomatoes go there." in tree
    assert "They climb the fence." in told("search", "fence")
    assert told("export", "latest", "--format", "pi").count('"type": "message"') == 6
    told("leaf", "latest", "a2")
    assert told("leaf", "latest").startswith("a2")
    copies = archive.parent.glob("archive.db.format-*.bak")
    assert before in [version(copy) for copy in copies], "the archive as it was is kept"


def version(path: Path) -> int:
    """Return the format of an archive."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return found
