"""Exports in ZIP archives: several documents, other files, damage, and archives that are no export."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.errors import NotFoundError, UnreadableSourceError
from stemmata.domain.sources.reading import UnusedPart
from stemmata.formats.chatgpt.reader import ChatGPT
from stemmata.formats.registry import standard_formats
from stemmata.formats.shared import export_file
from stemmata.formats.shared.export_file import open_export
from stemmata.formats.shared.zip_archive import ZIP
from tests.unit.formats.exports import sessions_of, zipped


def conversation(id: str, text: str = "hello") -> dict[str, Any]:
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}}
    node: dict[str, Any] = {"id": f"{id}-1", "parent": None, "children": [], "message": message}
    return {"conversation_id": id, "title": id, "mapping": {f"{id}-1": node}}


def document(*ids: str) -> bytes:
    return json.dumps([conversation(id) for id in ids]).encode()


def ids(path: Path) -> list[str]:
    return [one.begin.info.source_id for one in sessions_of(ChatGPT(), path)[0]]


def test_the_documents_of_an_archive_are_read_in_place(tmp_path: Path) -> None:
    files = {"e/conversations-000.json": document("a", "b"), "conversations-001.json": document("c"), "e/": b""}
    path = zipped(tmp_path / "export.zip", files)
    assert standard_formats(tmp_path, {}).identify(path) == "chatgpt"
    assert ids(path) == ["a", "b", "c"]
    assert list(tmp_path.iterdir()) == [path]


def test_the_ending_of_the_archive_does_not_matter(tmp_path: Path) -> None:
    path = zipped(tmp_path / "data-2026-batch-0000.dms", {"conversations.json": document("a")})
    assert standard_formats(tmp_path, {}).identify(path) == "chatgpt"


def test_other_files_of_the_archive_are_named(tmp_path: Path) -> None:
    files = {
        "conversations.json": document("a"),
        "user.json": b"{}",
        "chat.html": b"",
        "file-1.png": b"",
        "x.dat": b"",
    }
    _, unused = sessions_of(ChatGPT(), zipped(tmp_path / "export.zip", files))
    assert [(part.where, part.damaged) for part in unused] == [
        ("user.json", False), ("chat.html", False), ("2 other files", False),
    ]  # fmt: skip


def test_files_beside_an_unpacked_document_are_named(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_bytes(document("a"))
    (tmp_path / "user.json").write_bytes(b"{}")
    (tmp_path / "letter.txt").write_bytes(b"")
    _, unused = sessions_of(ChatGPT(), tmp_path / "conversations.json")
    assert [part.where for part in unused] == ["user.json"]


@pytest.mark.parametrize("files", [{}, {"a.jsonl": b"{}"}, {"conversations.json": b'[{"title": 1}]'}])
def test_an_archive_without_conversations_says_what_to_do(tmp_path: Path, files: dict[str, bytes]) -> None:
    path = zipped(tmp_path / "a.zip", {**files, "notes.txt": b"x"})
    with pytest.raises(UnreadableSourceError, match=r"no chat export .* Unpack it"):
        standard_formats(tmp_path, {}).identify(path)


def test_all_documents_under_other_names_are_read(tmp_path: Path) -> None:
    files = {f"talk {at}.json": document(str(at)) for at in range(60)}
    assert ids(zipped(tmp_path / "a.zip", files)) == [str(at) for at in range(60)]


def test_a_damaged_archive_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(ZIP + b"no archive")
    with pytest.raises(UnreadableSourceError, match="is a damaged ZIP archive"):
        list(ChatGPT().read(path, None))
    assert not ChatGPT().sniff(path.read_bytes(), path)


def test_an_archive_without_its_list_of_files_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"conversations-0.json": document("a"), "conversations-1.json": document("b")})
    path.write_bytes(path.read_bytes()[:-30])
    assert ChatGPT().sniff(path.read_bytes(), path)
    found, unused = sessions_of(ChatGPT(), path)
    assert [one.begin.info.source_id for one in found] == ["a", "b"]
    reason = "the list of files at the end of the archive is cut or damaged; the files are read without it"
    assert unused == [UnusedPart("a.zip, its end", reason)]


def test_what_is_before_the_end_of_a_cut_archive_is_read(tmp_path: Path) -> None:
    texts = [f"{at:x} {hash((at, 'x'))}" * 40 for at in range(2000)]
    long = json.dumps([conversation(f"n{at}", text) for at, text in enumerate(texts)]).encode()
    path = zipped(tmp_path / "a.zip", {"conversations-0.json": document("a"), "conversations-1.json": long})
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    found, unused = sessions_of(ChatGPT(), path)
    assert found[0].begin.info.source_id == "a"
    assert 900 < len(found) - 1 < 1100
    assert all("is damaged" not in part.reason for part in unused)
    assert unused[-1] == UnusedPart("a.zip, its end", "the archive ends early, inside conversations-1.json")


def test_damage_inside_an_archive_costs_the_rest_of_its_document(tmp_path: Path) -> None:
    texts = [f"{at:x} {hash((at, 'x'))}" * 40 for at in range(2000)]
    long = json.dumps([conversation(f"n{at}", text) for at, text in enumerate(texts)]).encode()
    path = zipped(tmp_path / "a.zip", {"conversations-000.json": long, "conversations-001.json": document("z")})
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 64] = bytes(64)
    path.write_bytes(bytes(data))
    found, unused = sessions_of(ChatGPT(), path)
    assert 0 < len(found) - 1 < 2000
    assert found[-1].begin.info.source_id == "z"
    [part] = [part for part in unused if part.where.startswith("conversations-000.json, after conversation ")]
    assert part.damaged
    assert part.reason == "conversations-000.json is damaged, encrypted or packed in an unknown way."


def test_an_encrypted_document_says_so(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"conversations.json": document("a")})
    data = bytearray(path.read_bytes())
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<H", data, data.index(signature) + at, 1)
    path.write_bytes(bytes(data))
    assert not ChatGPT().sniff(ZIP, path)
    found, [part] = sessions_of(ChatGPT(), path)
    assert not found
    assert part.reason == "conversations.json is damaged, encrypted or packed in an unknown way."


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_the_usual_ways_of_packing_are_read(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("conversations.json", document("a"))
    found, [part] = sessions_of(ChatGPT(), path)
    assert not found
    assert part.reason.endswith("packed in an unknown way.")


def test_a_member_without_a_name_is_no_file(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"conversations.json": document("a"), "x": b""})
    data = path.read_bytes()
    at = data.rindex(b"PK\x01\x02")
    path.write_bytes(data[: at + 46] + b"\0" + data[at + 47 :])
    assert ids(path) == ["a"]


def test_an_archive_that_unpacks_without_end_is_not_read_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_file, "FREE", 0)
    bomb = b'[{"conversation_id": "a", "x": "' + b"0" * 4_000_000 + b'"}]'
    path = zipped(tmp_path / "a.zip", {"conversations-0.json": document("a"), "conversations-1.json": bomb})
    found, [part] = sessions_of(ChatGPT(), path)
    assert [one.begin.info.source_id for one in found] == ["a"]
    assert "far larger than a chat export" in part.reason


def test_brackets_without_end_are_not_read_further(tmp_path: Path) -> None:
    """Each costs time, and an archive of a few kilobytes may hold many millions of them."""
    path = zipped(tmp_path / "a.zip", {"conversations-0.json": document("a"), "conversations-1.json": b"[" * 300_000})
    found, [part] = sessions_of(ChatGPT(), path)
    assert [one.begin.info.source_id for one in found] == ["a"]
    assert "nested too deep" in part.reason


def test_a_file_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError), open_export(tmp_path / "none.zip"):
        pass


def test_only_the_beginning_of_a_large_document_is_looked_at_for_its_keys(tmp_path: Path) -> None:
    late = b'[{"a": "' + b"x" * (2 << 20) + b'", "mapping": {}}]'
    assert not ChatGPT().sniff(ZIP, zipped(tmp_path / "a.zip", {"conversations.json": late}))
    assert not ChatGPT().sniff(ZIP, tmp_path / "none.zip")


@pytest.mark.parametrize("name", ["conversations (1).json", "CONVERSATIONS-001.json", "a/b/conversations_2.json"])
def test_documents_that_a_download_numbered(tmp_path: Path, name: str) -> None:
    assert ids(zipped(tmp_path / "a.zip", {name: document("a"), "my chats.json": document("b")})) == ["a"]


def test_an_archive_whose_documents_were_renamed(tmp_path: Path) -> None:
    files = {"notes.txt": b"x", "2026/mine.json": document("a"), "old/mine.JSON": document("b"), "user.json": b"{}"}
    path = zipped(tmp_path / "a.zip", files)
    assert ChatGPT().sniff(ZIP, path)
    found, unused = sessions_of(ChatGPT(), path)
    assert [one.begin.info.source_id for one in found] == ["a", "b"]
    assert [(part.where, part.damaged) for part in unused] == [("user.json", False), ("1 other files", False)]
    assert not ChatGPT().sniff(ZIP, zipped(tmp_path / "b.zip", {"user.json": b"{}"}))
