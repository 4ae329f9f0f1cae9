"""The repositories on this machine to which the folders of sessions belong."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import Future

from stemmata.services.futures import run_in_thread

MOST_READ = 4096  # bytes of the file `.git` of a worktree
_POINTER = "gitdir:"


class GitRepositories:
    """Finds the roots of repositories. `home` is the user's folder, which is never a project itself."""

    def __init__(self, home: str) -> None:
        self._home = home

    def roots(self, folders: Iterable[str]) -> Future[dict[str, str]]:
        """Return the root of the repository of each folder; folders outside of repositories are left out.

        Folders that no longer exist are permitted. A separate thread looks for the folders, since a network folder
        may take long to answer.
        """
        wanted = [*folders]
        return run_in_thread(lambda: self._roots(wanted))

    def _roots(self, folders: Iterable[str]) -> dict[str, str]:
        known: dict[str, str] = {}
        found = {folder: self._root(folder, known) for folder in folders if os.path.isabs(folder)}
        return {folder: root for folder, root in found.items() if root}

    def _root(self, folder: str, known: dict[str, str]) -> str:
        """Return the root for one folder. `known` holds the answers for all folders that were looked at before."""
        passed: list[str] = []
        at, root = os.path.normpath(folder), ""
        while at not in known and at != self._home and os.path.dirname(at) != at:
            passed.append(at)
            root = _root_at(at)
            if root:
                break
            at = os.path.dirname(at)
        root = root or known.get(at, "")
        known.update(dict.fromkeys(passed, root))
        return root


def _root_at(folder: str) -> str:
    """Return the folder when it has a repository, the repository's folder for a worktree, and "" otherwise."""
    mark = os.path.join(folder, ".git")
    if os.path.isdir(mark):
        return folder
    if not os.path.isfile(mark):
        return ""
    try:
        with open(mark, encoding="utf-8", errors="replace") as file:
            line = file.read(MOST_READ).strip()
    except OSError:  # the file cannot be read
        return ""
    place = os.path.normpath(os.path.join(folder, line.removeprefix(_POINTER).strip()))
    main, inside, _name = place.rpartition(f"{os.sep}worktrees{os.sep}")
    if not line.startswith(_POINTER) or not inside:
        return folder  # a submodule
    return os.path.dirname(main) if os.path.basename(main) == ".git" else main
