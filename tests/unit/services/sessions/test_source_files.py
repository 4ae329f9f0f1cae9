"""Whether the source file of a session is followed, deleted by its tool, or unknown."""

from __future__ import annotations

from pathlib import Path

from stemmata.domain.entries.origin import SourceState
from stemmata.services.sessions.source_files import SourceFiles
from tests.fakes.waiting import PATIENCE


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
    states = files.states({key: str(path) for key, path in paths.items()} | {8: ""}).result(PATIENCE)
    deleted = SourceState.DELETED
    assert states == {1: SourceState.FOLLOWED, 2: deleted, 4: deleted, 5: deleted}
