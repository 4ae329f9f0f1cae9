"""Sessions of one repository are one group, whichever of its folders they ran in."""

from __future__ import annotations

import json
from pathlib import Path

from stemmata.gui.sessions.model import SessionRole
from tests.journeys.person import Person


def written(session_file: Path, cwd: Path) -> Path:
    """A copy of the session that ran in a folder."""
    header, *rest = session_file.read_text().splitlines()
    fields = json.loads(header) | {"cwd": str(cwd), "id": cwd.name}
    out = session_file.with_name(f"2025-01-02T03-04-05_{cwd.name}.jsonl")
    out.write_text("\n".join((json.dumps(fields), *rest)))
    return out


def test_the_folders_of_a_repository_are_one_project(person: Person, session_file: Path, tmp_path: Path) -> None:
    model, app = person.window.sessions_model, tmp_path / "app"
    (app / ".git").mkdir(parents=True)
    for at, folder in enumerate((app / "web", app / "server"), 1):
        person.drop(written(session_file, folder))
        person.until(lambda at=at: model.total == at)  # type: ignore[misc] # mypy does not infer the default
    assert [model.index(row).data(SessionRole.COUNT) for row in range(model.rowCount())] == [1, None, 1, None]
    person.gui.controllers.sessions.look_for_files()
    person.until(lambda: model.index(0).data(SessionRole.COUNT) == 2)
    assert model.index(0).data() == "app"
