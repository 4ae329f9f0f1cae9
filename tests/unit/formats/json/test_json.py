"""The JSON export: a session comes back as it was, and damage to the file costs what it hits."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.formats.json import reader
from stemmata.formats.json.reader import Json
from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.registry import standard_formats
from stemmata.formats.shared.lines import SourceLines
from tests.fakes.export_source import MemorySource

PNG = b"\x89PNG\r\n"
DIGEST = sha256(PNG).hexdigest()
DEEP = "[" * 5000 + "]" * 5000


def entries() -> list[Entry]:
    blocks = (
        Text("hi\0 \ud800", "sig"), Thinking("t", "s", redacted=True), ToolCall("c", "n", '{"a": 1.0}', "ts"),
        ToolCall("d", "n", '{"a":1}'), ToolCall("e", "n", "no JSON"), ToolCall("e", "n", DEEP), ToolCall("e", ""),
        Image("image/png", DIGEST, len(PNG), "a.png"), Image("image/png", "0" * 64, 3), ToolCall("f", "n", ""),
        UnknownBlock("web", '{"b":2}'), UnknownBlock("text", "x"), UnknownBlock("", "null"),
    )  # fmt: skip
    usage = Usage(1, 2, 3, 4, 5, 6, 7)
    return [
        Entry(id="a", role=Role.USER, time=1_700_000_000_123_456_789, blocks=(Text("x"),), flags=Flag.EXCLUDED),
        Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=blocks, usage=usage, provider="p", model="m", time=5),
        Entry(id="c", parent="b", role=Role.TOOL_RESULT, tool="n", call="c", details='{"z": [1e999]}'),
        Entry(id="d", parent="a", kind=Kind.COMPACTION, target="a", blocks=(Text("S"),), details="[1,2]"),
        Entry(id="e", parent="d", kind=Kind.LABEL, target="b", name="here"),
        Entry(id="f", parent="c", kind=Kind.OMISSION, target="b", name="out"),
    ]


def made(*others: Entry) -> MemorySource:
    info = SessionInfo(source="codex", source_id="s-1", title="Tea", cwd="/w", created_at=7, details='{"k":1}')
    source = MemorySource(info=info, title="Tea", blobs={DIGEST: PNG})
    source.add(*(others or entries()))
    source.leaf_id = "d" if not others else others[-1].id
    return source


def written(source: MemorySource) -> bytes:
    return b"".join(JsonWriter().export(source))


def read(folder: Path, data: bytes) -> MemorySource:
    path = folder / "s.json"
    path.write_bytes(data)
    assert standard_formats(folder, {}).identify(path) == "json"
    back = MemorySource.read(Json(), path)
    assert back.source_bytes == data
    return back


def told(back: MemorySource) -> list[Entry]:
    return [replace(entry, record=None) for entry in back.entries]


def test_a_session_comes_back_as_it_was(tmp_path: Path) -> None:
    source = made()
    source.parent = replace(source.session, source_id="s-0", source="pi")
    back = read(tmp_path, written(source))
    assert told(back) == entries()
    assert (back.leaf_id, back.title, back.blobs) == ("d", "Tea", {DIGEST: PNG})
    assert (back.skipped, back.repaired) == ([], [])
    assert back.info == SessionInfo(
        source="json",
        source_id="codex:s-1",
        title="Tea",
        cwd="/w",
        created_at=7,
        parent_source_id="pi:s-0",
        details='{"k":1,"exported":{"source":"codex","id":"s-1"}}',
    )
    place = back.entries[1].record
    assert place is not None
    assert json.loads(back.source_bytes[place.offset : place.offset + place.size])["id"] == "b"


def test_a_title_that_was_not_given_is_made_anew(tmp_path: Path) -> None:
    source = made()
    document = json.loads(written(source)) | {"leaf": None}
    document["session"] |= {"named": False, "source_id": "", "id": ""}
    back = read(tmp_path, json.dumps(document).encode())
    assert (back.title, back.info.title, back.info.source_id, back.leaf_id) == ("", "", "s", None)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_that_was_printed_anew_is_read(tmp_path: Path, indent: int | None) -> None:
    data = b"\xef\xbb\xbf" + json.dumps(json.loads(written(made())), indent=indent).encode()
    back = read(tmp_path, data)
    assert told(back) == entries()
    assert (back.leaf_id, back.blobs, back.repaired) == ("d", {DIGEST: PNG}, [])


@pytest.mark.parametrize("size", [b"{", b'"'])
def test_a_document_without_its_parts_is_refused_or_empty(tmp_path: Path, size: bytes) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(b'{"stemmata":1,' + size)
    with pytest.raises(UnreadableSourceError, match="lost its beginning"):
        list(Json().read(path, None))
    empty = read(tmp_path, b'{"stemmata":1,"entries":3,"blobs":[]}')
    assert (empty.entries, empty.leaf_id) == ([], None)


def test_a_large_document_that_was_printed_anew_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LARGEST_DOCUMENT", 20)
    with pytest.raises(UnreadableSourceError, match="at most"):
        read(tmp_path, b'{"stemmata":1,"entries":[]        }')


def test_the_end_may_be_lost_at_any_byte(tmp_path: Path) -> None:
    source = made(*(replace(entry, blocks=entry.blocks[:1]) for entry in entries()))
    data = written(source)
    start = data.index(b'"leaf"') + 20
    for end in range(start, len(data), 7):
        back = read(tmp_path, data[:end])
        known = {entry.id: entry for entry in source.entries}
        whole = [entry for entry in told(back) if known[entry.id] == entry]
        assert len(whole) == len(back.entries)
        assert back.repaired or data[:end].rstrip().endswith(b"}}")
        assert len(back.skipped) <= 1


def test_a_file_is_gone_through_once_for_its_facts_and_once_for_all_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    class Noted(SourceLines):
        def __init__(self, path: Path, **how: Any) -> None:
            opened.append(path)
            super().__init__(path, **how)

    monkeypatch.setattr(reader, "SourceLines", Noted)
    assert read(tmp_path, written(made())).blobs == {DIGEST: PNG}
    assert len(opened) == 2


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n\n"])
def test_line_ends_and_repeats_lose_nothing(tmp_path: Path, line_end: bytes) -> None:
    data = written(made())
    for spoilt in (data.replace(b"\n", line_end), data + data):
        back = read(tmp_path, spoilt)
        assert told(back) == entries()
        assert (back.leaf_id, back.blobs, back.skipped) == ("d", {DIGEST: PNG}, [])


def test_shuffled_lines_lose_nothing(tmp_path: Path) -> None:
    first, *rest = written(made()).splitlines(keepends=True)
    back = read(tmp_path, first + b"".join(reversed(rest)))
    assert sorted(told(back), key=lambda one: one.id) == entries()
    assert (back.leaf_id, back.skipped) == ("d", [])


def test_damage_is_reported_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = written(made()).splitlines(keepends=True)
    lines[4] = b'{"kind":"message"},\n'  # a
    lines[6:6] = [b"rubbish\n", b"[1]\n", lines[5].replace(b'"redacted":true', b'"redacted":false')]
    at = next(number for number, line in enumerate(lines) if line.startswith(f'"{DIGEST}'.encode()))
    lines[at] = f'"{"1" * 64}":"AAAA"\n'.encode()
    lines[1] = b'"session":{]},\n'
    back = read(tmp_path, b"".join(lines))
    assert [(one.line, one.reason) for one in back.skipped] == [
        (2, "not valid JSON"),
        (5, "not an entry"),
        (7, "not valid JSON"),
        (8, "not an entry"),
        (9, "the entry b is also in an earlier line, with other content"),
        (at + 1, "an attachment whose bytes do not match its hash"),
    ]
    assert [entry.parent for entry in back.entries if entry.id == "b"] == [None]
    assert back.info.source_id == "s"
    monkeypatch.setattr(reader, "_LINE", 100)
    assert {one.reason for one in MemorySource.read(Json(), tmp_path / "s.json").skipped} >= {
        "exceeds the line length limit"
    }


def test_a_leaf_that_is_not_there_gives_way_to_the_last_entry(tmp_path: Path) -> None:
    assert read(tmp_path, written(made()).replace(b'"leaf":"d"', b'"leaf":"gone"')).leaf_id == "f"


@pytest.mark.parametrize(
    "entry",
    [
        {"id": "x", "kind": 3, "role": [], "time": {}, "blocks": 4, "usage": "x", "flags": {"own": 1}},
        {"id": "x", "kind": "message", "time_ns": 1 << 70, "blocks": [1, None, {}, {"type": 3}, {"type": "image"}]},
        {"id": "x", "kind": "skill", "flags": ["own", "removed"], "details_text": 3, "details": {"a": 1}},
    ],
)
def test_an_entry_may_hold_anything(tmp_path: Path, entry: dict[str, Any]) -> None:
    document = {"stemmata": 1, "session": 3, "leaf": [], "entries": [entry, 7], "blobs": 1}
    back = read(tmp_path, json.dumps(document).encode())
    (found,) = back.entries
    assert not found.flags & (Flag.OWN | Flag.REMOVED)
    assert [one.reason for one in back.skipped] == ["not an entry"]


def test_deep_nesting_costs_one_line(tmp_path: Path) -> None:
    data = written(made()).replace(b'"entries":[\n', b'"entries":[\n' + DEEP.encode() + b",\n")
    assert [one.reason for one in read(tmp_path, data).skipped] == ["nested too deep"]


def test_it_is_found_nowhere_by_itself(tmp_path: Path) -> None:
    assert Json().folders(tmp_path, {}) == ()
    assert Json().sniff(b'{ "stemmata": 1', tmp_path)
    assert not Json().sniff(b'{"type":"session"}', tmp_path)


def test_the_beginning_may_be_lost(tmp_path: Path) -> None:
    first, *rest = written(made()).splitlines(keepends=True)
    for start in (b"", b"rubbish\n", first[5:]):
        back = read(tmp_path, start + b"".join(rest))
        assert (told(back), back.leaf_id, back.title) == (entries(), "d", "Tea")
    back = read(tmp_path, b"".join(rest[3:]))
    assert (told(back), back.leaf_id, back.info.source_id) == (entries(), "f", "s")


def test_session_facts_of_a_parent_are_named() -> None:
    source = made()
    facts: Session = replace(source.session, source_id="", id="deadbeef", tags=("a",))
    source.parent = facts
    assert json.loads(written(source))["session"]["parent"] == {"source": "codex", "source_id": "deadbeef"}
