"""Whether the source file of a session is followed, deleted by its tool, or unknown."""

from __future__ import annotations

from pathlib import Path

from stemmata.domain.sessions.details import with_gone_from_source
from stemmata.domain.sessions.origin import SourceState
from stemmata.services.sessions.source_files import SourceFiles
from tests.fakes.waiting import PATIENCE
from tests.unit.domain.sessions.test_origin import session


def test_files_are_followed_deleted_or_of_no_interest(tmp_path: Path) -> None:
    followed, tool, gone = tmp_path / "followed", tmp_path / ".tool", tmp_path / ".gone"
    for folder in (followed, tool):
        (folder / "x").mkdir(parents=True)
        (folder / "x" / "here.jsonl").touch()
    paths = {
        1: followed / "x" / "here.jsonl",
        2: followed / "x" / "deleted.jsonl",
        3: tool / "x" / "here.jsonl",
        4: tool / "x" / "deleted.jsonl",
        5: tool / "y" / "deleted.jsonl",
        6: gone / "deleted.jsonl",  # the folder of the tool is not there either
        7: tmp_path / "followed-not" / "deleted.jsonl",
    }
    files = SourceFiles(lambda: (str(followed), str(tmp_path / "nowhere")))
    sessions = [session(key, path=str(path)) for key, path in paths.items()] + [session(8)]
    lost = session(9, path=str(paths[1]), details=with_gone_from_source("", 5))  # from a database that is there
    states = files.states([*sessions, lost]).result(PATIENCE)
    deleted = SourceState.DELETED
    assert states == {1: SourceState.FOLLOWED, 2: deleted, 4: deleted, 5: deleted, 9: deleted}
