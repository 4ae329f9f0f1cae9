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
    [line] = [line for line in ran.err.splitlines() if "letters" in line]
    assert line.startswith("stemmata: Not imported: ")
    assert line.count(str(path)) == 1


def test_what_an_export_lacks_is_said_before_it_is_written(run: Run, tmp_path: Path) -> None:
    run("import", CHATGPT)
    session = next(one["id"] for one in run("sessions", "--json").json["sessions"] if one["title"] != "Bread")
    story = tmp_path / "s.md"
    ran = run("export", session, "--format", "markdown", "-o", story)
    assert ran.code == 0
    assert "messages of other branches. --whole adds them." in ran.err
    assert run("export", session, "--format", "markdown", "--whole", "-o", story).err == ""
    assert run("export", session, "--format", "json", "-o", tmp_path / "s.json").err == ""
    pi = run("export", session, "--format", "pi", "-o", tmp_path / "s.jsonl")
    assert pi.err.startswith("In the file, but neither shown nor sent by pi: 2 entries, such as")


def test_an_export_as_json_is_imported_again(run: Run, tmp_path: Path) -> None:
    run("import", CHATGPT)
    session = run("sessions", "--json").json["sessions"][0]
    copy = tmp_path / "copy.json"
    assert run("export", session["id"], "--format", "json", "-o", copy).code == 0
    (back,) = run("import", "--json", copy).json["sessions"]
    assert (back["entries"], back["branches"], back["title"]) == (
        session["entries"], session["branches"], session["title"],
    )  # fmt: skip
    assert (back["source"], back["skipped"], back["repaired"]) == ("json", [], [])
    assert run("import", "--json", copy).json["unchanged"] == 1
    assert run("export", back["id"], "--format", "json", "-o", tmp_path / "again.json").code == 0


def test_a_wrong_target_is_told_in_plain_words(run: Run, tmp_path: Path) -> None:
    run("import", CHATGPT)
    session = run("sessions", "--json").json["sessions"][0]["id"]
    (tmp_path / "link").symlink_to(tmp_path / "there.jsonl")
    told = {
        tmp_path / "none" / "a.json": f"The folder {tmp_path / 'none'} does not exist. Nothing was written",
        tmp_path: f"{tmp_path} is a folder. Nothing was written: name a file in it.",
        tmp_path / "link": f"{tmp_path / 'link'} is a symbolic link. Nothing was written",
        Path("/dev/full"): "/dev/full is a pipe or a device. Nothing was written",
        tmp_path / ("n" * 300): "File name too long. Nothing was changed.",
    }
    for path, words in told.items():
        ran = run("export", session, "--format", "json", "-o", path)
        assert (ran.code, ran.out) == (1, "")
        assert words in ran.err
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".part") == []
    wrong = run("export", session, "--format", "docx", "-o", tmp_path / "a.docx")
    assert wrong.code == 2
    assert "Unknown export format: docx. Supported: pi, html, markdown, json." in wrong.err
    assert run("export", session).code == 2
    assert run("export", session, "--format", "pi", "--at", "x", "--whole").code == 2
    assert run("export", "no-such", "--format", "pi").code == 1
