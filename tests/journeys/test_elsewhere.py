"""What another process writes shows in the open window by itself."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from stemmata.bootstrap.core import open_core
from stemmata.domain.sessions.changes import ChangeSet
from stemmata.gui.window.application import ExternalChanges
from stemmata.system.paths import Profile
from stemmata.system.settings.settings import load
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


def test_an_import_by_another_process_is_listed(person: Person, session_file: Path, tmp_path: Path) -> None:
    person.gui.watch()
    profile = Profile.choose({}, folder=str(tmp_path / "profile"))
    other = open_core(profile.store, load(profile.settings))
    try:
        other.services.importing.import_paths([session_file]).result(PATIENCE)
        person.until(lambda: person.window.sessions_model.total == 1)
        key = next(iter(person.gui.sessions.sessions))
        person.gui.open_session(key)
        person.until(lambda: person.gui.opened.session_tree is not None)
        other.services.sessions.rename(key, "Named elsewhere").result(PATIENCE)
        person.until(lambda: person.window.transcript.header.title == "Named elsewhere")
    finally:
        other.close()


def test_own_changes_are_told_once_and_a_hidden_window_asks_nothing(
    person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.drop(session_file)
    person.gui.watch()
    watch = person.gui.findChild(ExternalChanges)
    assert watch is not None
    told: list[ChangeSet] = []
    services = person.application.services
    looks: list[Future[bool]] = []
    look = services.watching.look

    def counted() -> Future[bool]:
        looks.append(look())
        return looks[-1]

    monkeypatch.setattr(services.watching, "look", counted)
    stop = services.notices.subscribe(told.append)
    key = person.gui.opened.key
    assert key is not None
    services.sessions.rename(key, "Mine").result(PATIENCE)
    assert len(told) == 1
    watch.look()
    person.until(lambda: bool(looks) and looks[-1].done())
    assert len(told) == 1
    person.window.showMinimized()
    before = len(looks)
    watch.look()
    assert len(looks) == before
    stop()
