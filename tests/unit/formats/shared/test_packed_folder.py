"""An archive of a tool's folder is unpacked into a temporary place, whatever stands in it, and nowhere else."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.shared import packed_folder
from stemmata.formats.shared.packed_folder import PackedFolder, unpack


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("temporary", "a.zip")] == []


def packed(folder: Path, *files: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return path


def names(folder: PackedFolder) -> list[str]:
    return sorted(str(path.relative_to(folder.path)) for path in folder.path.rglob("*") if path.is_file())


def test_files_keep_their_places_and_times(tmp_path: Path, temporary: Path) -> None:
    dated = zipfile.ZipInfo(".codex/sessions/a.jsonl", (2026, 1, 2, 3, 4, 6))
    old = zipfile.ZipInfo("b", (1980, 0, 0, 0, 0, 0))
    found = unpack(packed(tmp_path, ("empty/", b""), (dated, b"{}\n"), (old, b"x")))
    assert names(found) == [".codex/sessions/a.jsonl", "b"]
    assert (found.path / ".codex/sessions/a.jsonl").read_bytes() == b"{}\n"
    assert (found.path / ".codex/sessions/a.jsonl").stat().st_mtime % 60 == 6
    assert found.left_out == ()
    found.close()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    ["../a", "a/../../b", "/etc/a", "C:/a", "..\\a", "a//b", "./a", "x" * 300, "/".join("x" * 50)],
)
def test_a_name_that_leads_elsewhere_is_left_out(tmp_path: Path, name: str) -> None:
    found = unpack(packed(tmp_path, (name, b"x"), ("good", b"x")))
    assert names(found) == ["good"]
    assert [reason for _, reason in found.left_out] == ["Its name is not valid, or leads out of the archive."]


def test_a_file_without_a_name_is_left_out(tmp_path: Path) -> None:
    path = packed(tmp_path, ("good", b"x"), ("?", b"x"))
    path.write_bytes(path.read_bytes().replace(b"?", b"\0"))
    found = unpack(path)
    assert names(found) == ["good"]
    assert found.left_out == (("", "Its name is not valid, or leads out of the archive."),)


def test_links_and_files_that_cannot_be_unpacked_are_left_out(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    strange = zipfile.ZipInfo("strange")
    strange.compress_type = zipfile.ZIP_LZMA
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = packed(
            tmp_path, (link, b"/etc/passwd"), (strange, b"x"), ("a", b"1"), ("a", b"2"), ("a/b", b"3"),
            ("damaged", b"unlikely" * 100),
        )  # fmt: skip
    data = bytearray(path.read_bytes())
    at = data.index(b"damaged") + 7
    data[at : at + 8] = bytes(8)
    path.write_bytes(data)
    found = unpack(path)
    assert names(found) == ["a"]
    assert (found.path / "a").read_bytes() == b"1"
    assert [(name, reason.partition(":")[0]) for name, reason in found.left_out] == [
        ("link", "It is a link."),
        ("strange", "It is encrypted or packed in an unknown way."),
        ("a", "Another file has its name."),
        ("a/b", "Another file has its name."),
        ("damaged", "It is damaged"),
    ]


def test_a_cut_archive_is_refused(tmp_path: Path, temporary: Path) -> None:
    path = packed(tmp_path, ("a", b"1"), ("b", os.urandom(1000)), ("c", b"3"))
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(UnreadableSourceError, match=r"The end of .*a\.zip is missing"):
        unpack(path)
    assert list(temporary.iterdir()) == []


def test_a_bomb_leaves_nothing(tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_folder, "_LARGEST", 1_000_000)
    with pytest.raises(UnreadableSourceError, match="is too large when it is unpacked"):
        unpack(packed(tmp_path, ("a", b"x"), ("bomb", bytes(2_000_000))))
    monkeypatch.setattr(packed_folder, "MOST_FILES", 1)
    with pytest.raises(UnreadableSourceError, match="more than 1 files"):
        unpack(packed(tmp_path, ("a", b"x"), ("b", b"x")))
    (tmp_path / "a.zip").write_bytes(b"PK\3\4 no archive")
    with pytest.raises(UnreadableSourceError, match="cannot be unpacked"):
        unpack(tmp_path / "a.zip")
    assert list(temporary.iterdir()) == []


def test_a_full_disk_is_not_filled(tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=5))
    with pytest.raises(UnreadableSourceError, match="or for the free space"):
        unpack(packed(tmp_path, ("a", b"x")))
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_is_removed_after_a_day(tmp_path: Path, temporary: Path) -> None:
    for name, time in (("stemmata-unpacked-old", 1), ("stemmata-unpacked-new", None), ("other", 1)):
        (temporary / name).mkdir()
        if time is not None:
            os.utime(temporary / name, (time, time))
    unpack(packed(tmp_path, ("a", b"x"))).close()
    assert sorted(path.name for path in temporary.iterdir()) == ["other", "stemmata-unpacked-new"]
