"""What another process writes becomes one notice."""

from __future__ import annotations

from concurrent.futures import Future
from typing import cast

from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive
from stemmata.services.sessions.sessions import Watching


class Watched:
    """The part of an archive that these tests use."""

    def __init__(self) -> None:
        self.changed = False

    def changed_elsewhere(self) -> Future[bool]:
        out: Future[bool] = Future()
        out.set_result(self.changed)
        return out


def test_a_change_is_told_and_nothing_is_not() -> None:
    archive, notices, told = Watched(), Notices(), list[ChangeSet]()
    notices.subscribe(told.append)
    watching = Watching(cast("Archive", archive), notices)
    assert not watching.look().result()
    assert told == []
    archive.changed = True
    assert watching.look().result()
    (change,) = told
    assert change.session is None
    assert change.what & (Change.SESSIONS | Change.ENTRIES) == Change.SESSIONS | Change.ENTRIES
