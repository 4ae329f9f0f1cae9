"""A session whose tool deletes its file says so, and stays."""

from __future__ import annotations

import shutil
from pathlib import Path

from stemmata.gui.sessions.model import SessionRole
from tests.journeys.person import Person


def test_a_deleted_file_is_told_in_the_list(person: Person, session_file: Path, tmp_path: Path) -> None:
    kept = tmp_path / ".pi" / "agent" / session_file.name
    kept.parent.mkdir(parents=True)
    shutil.copy(session_file, kept)
    person.drop(kept)
    key, model = person.gui.opened.key, person.window.sessions_model

    def facts() -> str:
        row = model.row_of(key)
        return "" if row is None else str(model.index(row).data(SessionRole.FACTS))

    person.until(lambda: bool(facts()))
    assert "deleted" not in facts()
    kept.unlink()
    person.gui.controllers.sessions.look_for_files()
    person.until(lambda: facts().endswith(" · deleted by its tool"))
