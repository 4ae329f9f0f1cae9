"""Unfinished files of exports that were killed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from stemmata.services.sessions.exporting import write_whole

LATELY, LONG_AGO = 60, 7200  # seconds before now
NAME = ".stemmata-0123456789abcdef.part"


def written(path: Path, age: int) -> Path:
    path.write_bytes(b"half")
    at = time.time() - age
    os.utime(path, (at, at))
    return path


def test_an_export_removes_the_unfinished_file_of_one_that_was_killed(tmp_path: Path) -> None:
    written(tmp_path / NAME, LONG_AGO)
    write_whole(tmp_path / "session.md", [b"whole"])
    assert [file.name for file in tmp_path.iterdir()] == ["session.md"]


@pytest.mark.parametrize(
    ("name", "age"), [(NAME, LATELY), (".stemmata-notes.part", LONG_AGO), ("film.part", LONG_AGO)]
)
def test_files_that_may_be_wanted_stay(tmp_path: Path, name: str, age: int) -> None:
    kept = written(tmp_path / name, age)
    write_whole(tmp_path / "session.md", [b"whole"])
    assert kept.read_bytes() == b"half"


def test_a_folder_and_a_link_of_that_name_stay(tmp_path: Path) -> None:
    aim = written(tmp_path / "aim", LONG_AGO)
    (tmp_path / NAME).mkdir()
    link = tmp_path / NAME.replace("0", "f")
    link.symlink_to(aim)
    write_whole(tmp_path / "session.md", [b"whole"])
    assert link.is_symlink()
    assert (tmp_path / NAME).is_dir()


def test_an_export_is_written_where_an_unfinished_file_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_path: object) -> None:
        raise PermissionError(13, "Permission denied")

    left = written(tmp_path / NAME, LONG_AGO)
    monkeypatch.setattr("stemmata.services.sessions.exporting.os.unlink", refuse)
    with caplog.at_level("INFO"):
        assert write_whole(tmp_path / "session.md", [b"whole"]) == 5
    assert left.exists()
    assert "were not removed" in caplog.text
