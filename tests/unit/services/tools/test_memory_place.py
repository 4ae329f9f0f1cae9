"""Whether notes may be stored in the folder of a session."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stemmata.services.tools.memory_place import workspace_notes
from stemmata.services.tools.tool import ToolError


def missing(folder: Path) -> None:
    folder.rmdir()


def file_in_place(folder: Path) -> None:
    (folder / "memory").write_text("")


def link_out(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir()
    (folder / "memory").symlink_to(folder.parent / "elsewhere")


def link_round(folder: Path) -> None:
    (folder / "memory").symlink_to(folder / "memory")


def dangling(folder: Path) -> None:
    (folder / "memory").symlink_to(folder / "nothing")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (missing, "does not exist"), (file_in_place, "not a folder"), (link_out, "leads out"),
        (link_round, "not a folder"), (dangling, "not a folder"),
    ],
)  # fmt: skip
def test_where_no_notes_may_be_stored(tmp_path: Path, spoil: Callable[[Path], None], why: str) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    spoil(folder)
    with pytest.raises(ToolError, match=why):
        workspace_notes(str(folder))


@pytest.mark.parametrize("cwd", ["", "relative", "/no/such\0folder"])
def test_a_folder_that_is_no_folder(cwd: str) -> None:
    with pytest.raises(ToolError, match="does not exist"):
        workspace_notes(cwd)


def test_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # root may write everywhere
    with pytest.raises(ToolError, match="read-only"):
        workspace_notes(str(tmp_path))


def test_nothing_is_made_before_a_note_is_written(tmp_path: Path) -> None:
    assert workspace_notes(str(tmp_path)) == tmp_path / "memory"
    assert not (tmp_path / "memory").exists()
    (tmp_path / "notes").mkdir()
    (tmp_path / "memory").symlink_to(tmp_path / "notes")  # it stays inside
    assert workspace_notes(str(tmp_path)) == tmp_path / "memory"
