"""`import --follow`: what comes in followed folders is imported and printed, until it is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from stemmata.cli import output
from stemmata.cli.desk import Desk
from stemmata.domain.entries.session_facts import ImportedSession, ImportReport
from stemmata.domain.errors import KnownError
from stemmata.domain.settings.following import FollowingNews

Came = FollowingNews | ImportReport


def follow(desk: Desk, paths: Sequence[Path], document: Callable[[ImportedSession], dict[str, Any]]) -> int:
    """Follow these folders, without any those of the settings, else all that are found on this machine.

    `document` is what is printed of a session with --json, one to a line.
    """
    folders = _folders(desk, paths)
    came: SimpleQueue[Came] = SimpleQueue()
    following = desk.services.following
    following.subscribe(came.put, came.put)
    following.follow(folders)
    for folder in folders:
        desk.note(f"Following {folder}. Ctrl+C ends it.")
    try:
        while True:
            _show(desk, came.get(), document)
    except KeyboardInterrupt:
        return 0


def _folders(desk: Desk, paths: Sequence[Path]) -> list[str]:
    for path in paths:
        if path.is_file():
            raise KnownError(f"{path} is a file. Only folders are followed: give the one it lies in.")
    if paths:
        return list(dict.fromkeys(str(path.absolute()) for path in paths))
    followed = list(desk.services.followed)
    if not followed:
        found = desk.wait(desk.services.importing.discover())
        followed = list(dict.fromkeys(one.folder for one in found))
    if not followed:
        raise KnownError("No sessions of a known tool were found. Give folders to follow.")
    return followed


def _show(desk: Desk, came: Came, document: Callable[[ImportedSession], dict[str, Any]]) -> None:
    if isinstance(came, FollowingNews):
        desk.note(came.text)
        return
    for session in came.sessions:
        if session.new_entries and desk.as_json:
            output.document(document(session), one_line=True)
        elif session.new_entries:
            title = session.title or "untitled"
            output.out(f"{session.id}  {title}: {session.new_entries} new of {session.entries} entries")
