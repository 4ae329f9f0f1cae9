"""The version with its commit, as `--version` and *About* show it."""

from __future__ import annotations

from pathlib import Path

from stemmata import __version__

PACKAGE = Path(__file__).parent
LONGEST = 12  # hexadecimal digits of a commit


def version_text(package: Path = PACKAGE) -> str:
    """Return the version, followed by the commit in parentheses where it is known: "0.1.0 (1a2b3c4d5e6f)"."""
    commit = _recorded(package) or _checked_out(package.parent.parent / ".git")
    return f"{__version__} ({commit})" if commit else __version__


def _recorded(package: Path) -> str:
    """Return the commit that the build of this package recorded; "" in a checkout."""
    return _read(package / "commit.txt")


def _checked_out(git: Path) -> str:
    """Return the commit of a checkout from git's own files; "" when they do not tell."""
    if git.is_file():  # a worktree: "gitdir: …"
        git = Path(_read(git).removeprefix("gitdir: "))
    head = _read(git / "HEAD")
    if not head.startswith("ref: "):
        return head[:LONGEST]
    reference = head.removeprefix("ref: ")
    shared = git / (_read(git / "commondir") or ".")
    commit = _read(git / reference) or _read(shared / reference)
    if not commit:
        lines = (line.split(" ") for line in _read(shared / "packed-refs").splitlines())
        commit = next((words[0] for words in lines if words[-1] == reference), "")
    return commit[:LONGEST]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
