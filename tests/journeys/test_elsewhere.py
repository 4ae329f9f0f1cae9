"""What another process writes shows in the open window by itself."""

from __future__ import annotations

from pathlib import Path

from stemmata.bootstrap.core import open_core
from stemmata.domain.entries.changes import ChangeSet
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


def test_own_changes_are_told_once_and_a_hidden_window_asks_nothing(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.gui.watch()
    watch = person.gui._external_changes
    assert watch is not None
    told: list[ChangeSet] = []
    services = person.application.services
    stop = services.notices.subscribe(told.append)
    key = person.gui.opened.key
    assert key is not None
    services.sessions.rename(key, "Mine").result(PATIENCE)
    assert len(told) == 1
    watch.look()
    person.until(lambda: not watch._asking)
    assert len(told) == 1
    person.window.showMinimized()
    watch.look()
    assert not watch._asking
    stop()
