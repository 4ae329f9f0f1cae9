"""Whether the sources of sessions still exist, and whether they are followed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import PurePath

from stemmata.domain.sessions.details import gone_from_source
from stemmata.domain.sessions.origin import SourceState
from stemmata.domain.sessions.session import Session
from stemmata.services.futures import run_in_thread


class SourceFiles:
    """Looks for the source files of sessions. `followed` returns the followed folders, possibly with `~`.

    A missing file counts as deleted by its tool when the folder in which the tool keeps its sessions is there, so
    that a disk that is not connected deletes nothing. That is the followed folder, or a hidden one such as
    `~/.claude`. A session in a database is deleted when an import has missed it there.
    """

    def __init__(
        self, followed: Callable[[], Sequence[str]], exists: Callable[[str], bool] = os.path.lexists
    ) -> None:
        self._followed, self._exists = followed, exists

    def states(self, sessions: Iterable[Session]) -> Future[dict[int, SourceState]]:
        """Return the states of these sessions' sources, by session; sessions without a state are left out.

        A separate thread looks for the files, since a network folder may take long to answer.
        """
        folders = [os.path.abspath(os.path.expanduser(folder)) for folder in self._followed()]
        listed = list(sessions)
        return run_in_thread(lambda: self._of(listed, folders))

    def _of(self, sessions: Iterable[Session], folders: Sequence[str]) -> dict[int, SourceState]:
        gone = {session.key for session in sessions if gone_from_source(session.details)}
        there = {session.key: session.path for session in sessions if session.path and session.key not in gone}
        return self._states(there, folders) | dict.fromkeys(gone, SourceState.DELETED)

    def _states(self, paths: Mapping[int, str], folders: Sequence[str]) -> dict[int, SourceState]:
        known: dict[str, bool] = {}
        out: dict[int, SourceState] = {}
        for key, path in paths.items():
            keeper = _session_folder(path, folders)
            if not keeper:
                continue
            if self._exists(path):
                if keeper in folders:
                    out[key] = SourceState.FOLLOWED
                continue
            if keeper not in known:
                known[keeper] = self._exists(keeper)
            if known[keeper]:
                out[key] = SourceState.DELETED
        return out


def _session_folder(path: str, folders: Sequence[str]) -> str:
    """Return the followed folder that contains the file, else the outermost hidden folder above it; "" for none."""
    for folder in folders:
        if path.startswith(folder.rstrip(os.sep) + os.sep):
            return folder
    parts = PurePath(path).parts
    hidden = next((at for at, part in enumerate(parts[:-1]) if part.startswith(".")), None)
    return "" if hidden is None else str(PurePath(*parts[: hidden + 1]))
