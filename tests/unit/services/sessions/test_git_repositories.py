"""The repositories of folders: roots, worktrees, submodules, folders that are gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.services.sessions.git_repositories import GitRepositories
from tests.fakes.waiting import PATIENCE


def made(path: Path, pointer: str | None = None) -> Path:
    """A folder with a repository, or with the file that a worktree has."""
    path.mkdir(parents=True, exist_ok=True)
    if pointer is None:
        (path / ".git").mkdir()
    else:
        (path / ".git").write_text(pointer)
    return path


def test_a_mark_that_cannot_be_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path / "app", "gitdir: x")

    def refuse(*_arguments: object, **_names: object) -> None:
        raise PermissionError

    monkeypatch.setattr("builtins.open", refuse)
    found = GitRepositories("/home").roots([str(tmp_path / "app")])
    assert found.result(PATIENCE) == {}


def test_folders_belong_to_the_repository_around_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    made(home)  # as of somebody who keeps the settings of programs in a repository
    app = made(home / "app")
    (app / "web").mkdir()
    bare = tmp_path / "bare.git"
    folders = {
        app: app,
        app / "web" / "src": app,
        app / "web": app,
        made(tmp_path / "fix", f"gitdir: {app}/.git/worktrees/fix\n") / "gone": app,
        made(tmp_path / "near", "gitdir: ../home/app/.git/worktrees/near"): app,
        made(tmp_path / "tree", f"gitdir: {bare}/worktrees/tree"): bare,
        made(app / "part", "gitdir: ../.git/modules/part"): app / "part",
        made(tmp_path / "odd", "no pointer"): tmp_path / "odd",
        home / "notes": None,
        home: None,
        Path("/"): None,
    }
    found = GitRepositories(str(home)).roots([*map(str, folders), "", "relative", "C:\\code"]).result(PATIENCE)
    assert found == {str(folder): str(root) for folder, root in folders.items() if root}
