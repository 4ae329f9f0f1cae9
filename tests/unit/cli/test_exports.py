"""Exports on the command line: one line for the file, a line for what is not as it should be."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import Run

DATA = Path(__file__).parents[2] / "data"
CHATGPT = DATA / "chatgpt" / "conversations.json"


def test_an_export_is_one_line_and_its_losses(run: Run) -> None:
    ran = run("import", CHATGPT)
    assert ran.code == 3
    assert ran.out.splitlines() == [
        f"{CHATGPT}: 2 sessions, 16 new of 16 entries, 4 branches",
        "  conversations.json, conversation 3: no session: is empty",
        "  conversations.json, conversation 4: not imported: has no messages",
    ]


def test_an_export_as_json(run: Run) -> None:
    report = run("import", "--json", CHATGPT).json
    assert [one["title"] for one in report["sessions"]] == ["A kettle that clicks", "Bread"]
    assert report["unused_parts"][1] == {
        "path": str(CHATGPT), "part": "conversations.json, conversation 4", "reason": "has no messages",
        "damaged": True,
    }  # fmt: skip


def test_an_export_is_no_session_argument(run: Run) -> None:
    ran = run("tree", CHATGPT)
    assert ran.code == 1
    assert "holds 2 sessions. Import it first" in ran.err


def test_a_file_that_is_not_imported_is_named_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "letters.jsonl"
    path.write_text('{"a": 1}\n')
    ran = run("import", tmp_path)
    [line] = [line for line in ran.out.splitlines() if "letters" in line]
    assert line.startswith("Not imported: ")
    assert line.count(str(path)) == 1
