"""A tool is about to delete sessions that are not in the archive: the window says so once and imports them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from stemmata.gui.importing.clean_up_notice import CleanUpNotice
from tests.journeys.person import Person

DAY = 86_400


@pytest.fixture
def old_session() -> Path:
    """A session of Claude Code that was not used for 28 days."""
    path = Path.home() / ".claude" / "projects" / "p" / "5e55.jsonl"
    path.parent.mkdir(parents=True)
    record = {
        "type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "5e55", "cwd": "/w",
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": "Which tea?"},
    }  # fmt: skip
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    before = time.time() - 28 * DAY
    os.utime(path, (before, before))
    return path


def notice(person: Person) -> CleanUpNotice:
    person.gui.controllers.clean_up.look()
    person.until(lambda: not person.window.clean_up_notice.isHidden())
    return person.window.clean_up_notice


def test_the_notice_imports_what_would_be_deleted(person: Person, old_session: Path) -> None:
    shown = notice(person)
    assert shown.text.startswith("Claude Code deletes sessions 30 days after their last use. 1 session is not in the")
    assert shown.files == [str(old_session)]
    shown.take.click()
    person.until(lambda: person.window.sessions_model.rowCount() > 0)
    assert shown.isHidden()
    assert person.gui.opened.key is None


def test_the_notice_goes_when_the_sessions_were_imported_in_another_way(person: Person, old_session: Path) -> None:
    shown = notice(person)
    person.gui.importing.import_paths([str(old_session.parent)], opens=False)
    person.until(shown.isHidden)
    person.until(lambda: person.window.sessions_model.total == 1)


def test_a_closed_notice_comes_back_only_for_other_sessions(person: Person, old_session: Path) -> None:
    shown = notice(person)
    shown.close_button.click()
    assert shown.isHidden()
    person.gui.controllers.clean_up.look()
    person.until(lambda: not shown.files)  # looked again
    assert shown.isHidden()
    other = old_session.with_name("6e66.jsonl")
    other.write_text(old_session.read_text(encoding="utf-8").replace("5e55", "6e66"), encoding="utf-8")
    os.utime(other, (1, 1))
    assert notice(person).files == [str(other), str(old_session)]
    assert "may be deleted now" in shown.text
