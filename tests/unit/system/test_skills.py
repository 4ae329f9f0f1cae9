"""Folders of skills are untrusted: whatever lies there becomes a named problem, never an error or a wait."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from stemmata.domain.chat.skills import SkillLibrary
from stemmata.system import skills
from stemmata.system.skills import SkillFiles

TEXT = "---\ndescription: Use when it fits.\n---\nDo it so.\n"


def write(folder: Path, name: str, text: str | bytes = TEXT) -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(*folders: Path | str, cwd: Path | str = "") -> SkillLibrary:
    return SkillFiles().read([str(folder) for folder in folders], str(cwd))


def names(library: SkillLibrary) -> list[str]:
    return [skill.name for skill in library.skills]


def told(library: SkillLibrary, below: Path) -> Iterable[tuple[str, str]]:
    return [(os.path.relpath(problem.path, below), problem.text) for problem in library.problems]


def test_skills_are_found_below_the_folder_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a", "group/c", ".hidden/d", "node_modules/e"):
        write(tmp_path, name)
    write(tmp_path, "a/inner")  # a folder of a skill is not searched further
    (tmp_path / "readme.md").write_text("not a skill")
    library = read(tmp_path)
    assert (names(library), library.problems) == (["a", "b", "c"], ())
    assert library.skills[0].path == str(tmp_path / "a" / "SKILL.md")
    assert library.skills[0].text == TEXT


def test_a_chosen_folder_may_be_a_skill_itself(tmp_path: Path) -> None:
    write(tmp_path, "one")
    assert names(read(tmp_path / "one")) == ["one"]


def test_earlier_folders_win(tmp_path: Path) -> None:
    first, second = write(tmp_path / "x", "one"), write(tmp_path / "y", "one")
    library = read(tmp_path / "x", tmp_path / "y")
    assert [skill.path for skill in library.skills] == [str(first)]
    assert [problem.path for problem in library.problems] == [str(second)]


def test_relative_folders_belong_to_the_session_and_may_be_missing(tmp_path: Path) -> None:
    write(tmp_path / ".agents" / "skills", "one")
    folder = ".agents/skills"
    assert names(read(folder, cwd=tmp_path)) == ["one"]
    assert read(folder) == SkillLibrary()
    assert read(folder, cwd=tmp_path / "elsewhere") == SkillLibrary()


def test_the_home_folder_can_be_written_as_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    write(tmp_path / "skills", "one")
    assert names(read("~/skills")) == ["one"]


def test_a_missing_folder_is_a_problem(tmp_path: Path) -> None:
    assert told(read(tmp_path / "none"), tmp_path) == [("none", "The folder does not exist or cannot be read.")]
    [problem] = read(f"{tmp_path}/\0").problems
    assert problem.text == "The folder does not exist or cannot be read."


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\x89PNG\r\n\x1a\n\xff", "The file is not text in UTF-8."),
        (b"---\ndescription: x\n---\n\0", "The file is not text in UTF-8."),
        (b"x" * (skills.LARGEST + 1), f"The file is larger than {skills.LARGEST // 1024} kB."),
        (b"", "The front matter between two lines “---” is missing."),
    ],
)
def test_a_file_that_is_no_skill_is_a_problem(tmp_path: Path, content: bytes, text: str) -> None:
    write(tmp_path, "bad", content)
    write(tmp_path, "good")
    library = read(tmp_path)
    assert names(library) == ["good"]
    assert told(library, tmp_path) == [(os.path.join("bad", "SKILL.md"), text)]


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    write(tmp_path, "one", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert [skill.text for skill in read(tmp_path).skills] == [TEXT]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    write(tmp_path / "outside", "secret")
    inside = tmp_path / "inside"
    write(inside, "good")
    (inside / "folder").symlink_to(tmp_path / "outside")
    (inside / "file").mkdir()
    (inside / "file" / "SKILL.md").symlink_to(tmp_path / "outside" / "secret" / "SKILL.md")
    (inside / "again").symlink_to(inside / "good")  # stays inside: the same folder, found once
    (inside / "loop").symlink_to(inside / "loop")
    (inside / "gone").mkdir()
    (inside / "gone" / "SKILL.md").symlink_to(tmp_path / "nowhere")
    library = read(inside)
    assert names(library) == ["again"]
    out = "The link leads out of the chosen folder."
    assert [problem[0] for problem in told(library, inside) if problem[1] == out] == ["file/SKILL.md", "folder"]
    assert "gone/SKILL.md" in [problem[0] for problem in told(library, inside)]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders there")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    (tmp_path / "folder" / "SKILL.md").mkdir(parents=True)
    found = dict(told(read(tmp_path), tmp_path))
    assert found["pipe/SKILL.md"] == "The path is not a regular file."
    assert found["folder/SKILL.md"].startswith("The file or folder cannot be read:")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything can be read there")
def test_what_may_not_be_read_is_a_problem(tmp_path: Path) -> None:  # pragma: no cover - not as root
    write(tmp_path, "closed").chmod(0)
    [problem] = read(tmp_path).problems
    assert problem.text.startswith("The file or folder cannot be read:")


def test_a_folder_that_cannot_be_listed_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_folder: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(skills, "_folders_in", refused)
    assert told(read(tmp_path), tmp_path) == [(".", "The file or folder cannot be read: Permission denied.")]


def test_a_reason_without_a_number_is_told_in_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def looped(_folder: Path) -> list[Path]:
        raise RuntimeError("Symlink loop")

    monkeypatch.setattr(skills, "_folders_in", looped)
    assert told(read(tmp_path), tmp_path) == [(".", "The file or folder cannot be read: Symlink loop.")]


def test_the_search_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skills, "MOST_FOLDERS", 3)
    for name in "abcd":
        (tmp_path / name).mkdir()
    assert told(read(tmp_path), tmp_path) == [(".", "Only the first 3 folders were searched.")]
    write(tmp_path, "/".join("deeper") + "/too/deep")
    monkeypatch.setattr(skills, "MOST_FOLDERS", 100)
    assert read(tmp_path) == SkillLibrary()


def test_the_number_of_skills_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skills, "MOST_SKILLS", 2)
    for name in "abc":
        write(tmp_path, name)
    library = read(tmp_path)
    assert names(library) == ["a", "b"]
    assert [problem.text for problem in library.problems] == ["Only the first 2 skills are used."]
