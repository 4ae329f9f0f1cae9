"""A ZIP archive of a tool's folder is read like the folder, and named by its own path."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

import pytest

from tests.fakes.waiting import PATIENCE
from tests.fuzz.run import seeds_of
from tests.fuzz.seeds import Files
from tests.unit.services.conftest import Bench


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def packed(path: Path, files: Files, *more: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(f".tool/{name}", (2026, 1, 2, 3, 4, 6)), data)
        for name in more:
            archive.writestr(name, b"x")
    return path


@pytest.mark.parametrize("format", ["claude-code", "codex", "cline", "cursor", "opencode", "pi"])
def test_it_is_read_like_the_folder(bench: Bench, temporary: Path, format: str) -> None:
    seed = seeds_of(format)[-1]
    for name, data in seed.files.items():
        path = bench.folder / "folder" / ".tool" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    path = packed(bench.folder / "home.ZIP", seed.files)
    importing = bench.services.importing
    report = importing.import_paths([path]).result(PATIENCE)
    assert report.skipped_files == ()
    assert all(name.startswith(f"{path}/.tool/") for name in report.paths)
    assert all(one.path.startswith(f"{path}/.tool/") for one in report.sessions)
    assert list(temporary.iterdir()) == []
    again = importing.import_paths([path]).result(PATIENCE)
    assert (again.sessions, again.unchanged) == ((), len(report.paths))
    unpacked = importing.import_paths([bench.folder / "folder"]).result(PATIENCE)
    assert {one.key for one in unpacked.sessions} == {one.key for one in report.sessions}
    assert [one.new_entries for one in unpacked.sessions] == [0] * len(unpacked.sessions)
    assert bench.services.sessions.check().result() == []


def test_what_is_left_out_is_named(bench: Bench, temporary: Path) -> None:
    [seed, *_] = seeds_of("pi")
    report = bench.services.importing.import_paths(
        [packed(bench.folder / "a.zip", seed.files, "../a"), packed(bench.folder / "b.zip", {}, "notes.txt")]
    ).result(PATIENCE)
    assert len(report.sessions) == 1
    left_out, other = report.skipped_files
    assert left_out.path == f"{bench.folder / 'a.zip'}/../a"
    assert left_out.reason == "Its name is not valid, or leads out of the archive."
    assert other.reason == f"{bench.folder / 'b.zip'} contains neither a chat export nor session files."
    assert list(temporary.iterdir()) == []


def test_nothing_is_read_of_a_cut_archive(bench: Bench, temporary: Path) -> None:
    """The messages whose files are behind the cut would be taken for messages that their tool removed."""
    [seed, *_] = seeds_of("pi")
    path = packed(bench.folder / "a.zip", seed.files, "more.txt")
    path.write_bytes(path.read_bytes()[:-100])
    report = bench.services.importing.import_paths([path]).result(PATIENCE)
    assert report.sessions == ()
    [cut] = report.skipped_files
    assert cut.path == str(path)
    assert cut.reason.startswith(f"The end of {path} is missing")


def test_the_report_says_how_many_files_were_not_looked_at(
    bench: Bench, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemmata.formats.registry._OTHERS", 1)
    [seed, *_] = seeds_of("pi")
    path = packed(bench.folder / "a.zip", seed.files, "1.json", "2.json", "3.json")
    report = bench.services.importing.import_paths([path]).result(PATIENCE)
    assert len(report.sessions) == 1
    [note] = report.notes
    assert note.startswith(f"{path} contains many files")
    assert "Stemmata did not look at 2 of them." in note
    assert report.complete


def test_a_cancel_acts_while_an_archive_is_unpacked(bench: Bench, temporary: Path) -> None:
    [seed, *_] = seeds_of("pi")
    paths = [packed(bench.folder / name, seed.files) for name in ("a.zip", "b.zip")]
    asked: list[bool] = []

    def cancelled() -> bool:
        asked.append(any(temporary.iterdir()))
        return asked[-1]  # from when the first one is being unpacked

    report = bench.services.importing.import_paths(paths, cancelled=cancelled).result(PATIENCE)
    assert True in asked
    assert (report.cancelled, report.sessions, report.skipped_files) == (True, (), ())
    assert list(temporary.iterdir()) == []
    assert len(bench.services.importing.import_paths(paths).result(PATIENCE).sessions) == 2


def test_exports_and_damaged_archives_are_as_before(bench: Bench) -> None:
    [seed, *_] = [one for one in seeds_of("chatgpt") if one.main.endswith(".zip")]
    (bench.folder / "export.zip").write_bytes(seed.files[seed.main])
    (bench.folder / "bad.zip").write_bytes(b"PK\3\4 no archive")
    (bench.folder / "no.zip").mkdir()
    paths = [bench.folder / name for name in ("export.zip", "bad.zip", "no.zip", "gone.zip")]
    report = bench.services.importing.import_paths(paths).result(PATIENCE)
    assert {one.path for one in report.sessions} == {str(paths[0])}
    assert [Path(one.path).name for one in report.skipped_files] == ["bad.zip", "no.zip", "gone.zip"]
