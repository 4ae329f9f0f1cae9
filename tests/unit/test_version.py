from __future__ import annotations

from pathlib import Path

import pytest

from stemmata import __version__
from stemmata.version import version_text

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SHORT = f"{__version__} (0123456789ab)"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a package inside an empty folder, where git knows nothing."""
    folder = tmp_path / "app" / "stemmata"
    folder.mkdir(parents=True)
    return folder


def git(package: Path, **files: str) -> None:
    """Write files of a git folder; "__" in a name is a slash."""
    for name, text in files.items():
        path = package.parent.parent / ".git" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_without_a_record_only_the_version_is_known(package: Path) -> None:
    assert version_text(package) == __version__


def test_the_recorded_commit_comes_first(package: Path) -> None:
    git(package, HEAD=COMMIT)
    (package / "commit.txt").write_text("fedcba987654+\n")
    assert version_text(package) == f"{__version__} (fedcba987654+)"


def test_a_checkout_without_a_branch(package: Path) -> None:
    git(package, HEAD=f"{COMMIT}\n")
    assert version_text(package) == SHORT


def test_a_checkout_of_a_branch(package: Path) -> None:
    git(package, HEAD="ref: refs/heads/main\n", refs__heads__main=f"{COMMIT}\n")
    assert version_text(package) == SHORT


def test_a_branch_in_packed_refs(package: Path) -> None:
    packed = f"# pack-refs with: peeled\n{'f' * 40} refs/heads/other\n{COMMIT} refs/heads/main\n^{'e' * 40}\n"
    git(package, HEAD="ref: refs/heads/main\n", **{"packed-refs": packed})
    assert version_text(package) == SHORT


def test_a_branch_without_commits(package: Path) -> None:
    git(package, HEAD="ref: refs/heads/main\n")
    assert version_text(package) == __version__


def test_a_worktree(package: Path, tmp_path: Path) -> None:
    main = tmp_path / "main.git"
    (main / "worktrees" / "mine").mkdir(parents=True)
    (main / "worktrees" / "mine" / "HEAD").write_text("ref: refs/heads/mine\n")
    (main / "worktrees" / "mine" / "commondir").write_text("../..\n")
    (main / "packed-refs").write_text(f"{COMMIT} refs/heads/mine\n")
    (tmp_path / ".git").write_text(f"gitdir: {main / 'worktrees' / 'mine'}\n")
    assert version_text(package) == SHORT
