"""Export to pi: byte for byte where nothing changed, and opening at the right leaf where something did."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sessions.session import SessionInfo
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.serialise import iso
from stemmata.formats.pi.writer import PiWriter, inspect_file
from tests.fakes.export_source import MemorySource, without_records
from tests.unit.formats.pi_files import header, lines, old, old_said, read, record, said, shape

NOW = 1_767_225_700_123_456_789


def export(source: MemorySource) -> bytes:
    return b"".join(PiWriter().export(source))


def records(source: MemorySource) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export(source).splitlines()]


def reread(tmp_path: Path, source: MemorySource) -> MemorySource:
    path = tmp_path / "exported.jsonl"
    path.write_bytes(export(source))
    return MemorySource.read(Pi(), path)


def own(id: str, parent: str | None, kind: Kind = Kind.MESSAGE, **facts: Any) -> Entry:
    if kind is Kind.MESSAGE:
        facts = {"role": Role.USER, "blocks": (Text("new"),)} | facts
    return Entry(id=id, parent=parent, kind=kind, time=NOW, flags=facts.pop("flags", Flag.OWN), **facts)


# -- nothing changed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        lines(header()),
        lines(header(), said("a", None), said("b", "a"), record("label", "c", "b", targetId="a", label="x")),
        lines(header(None), old_said("1"), old_said("2")),
        lines(header(2), said("a", None)),
        b"\xef\xbb\xbf" + lines(b"bad", header(), b"", said("a", None), b"[1]", said("a", "gone"), header(), b"{"),
        lines(header(), said("a", None)).replace(b"\n", b"\r\n"),
        lines(header(), said("a", None))[:-1],
        lines(header(), said("a", None)) + b'{"type":"message","id":"b","par',
    ],
)
def test_an_untouched_session_comes_back_byte_for_byte(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    assert export(MemorySource.read(Pi(), path)) == content
    assert path.read_bytes() == content


def test_every_sample_comes_back_byte_for_byte(samples: Path) -> None:
    paths = sorted([*(samples / "pi").glob("*.jsonl"), *(samples / "openclaw").glob("*.jsonl")])
    assert len(paths) >= 8
    for path in paths:
        assert export(MemorySource.read(Pi(), path)) == path.read_bytes(), path.name


def test_every_sample_survives_a_new_entry(tmp_path: Path, samples: Path) -> None:
    for path in sorted([*(samples / "pi").glob("*.jsonl"), *(samples / "openclaw").glob("*.jsonl")]):
        source = MemorySource.read(Pi(), path)
        source.add(own("new00001", source.leaf_id))
        back = reread(tmp_path, source)
        assert shape(back) == shape(source), path.name
        assert [replace(entry, record=None, flags=Flag.NONE) for entry in back.entries[:-1]] == [
            replace(entry, record=None, flags=Flag.NONE) for entry in source.entries[:-1]
        ]
        assert back.leaf_id == "new00001"
        assert not back.repaired


# -- another leaf, new entries ---------------------------------------------------------------------------------------


def test_the_leafs_line_comes_last(tmp_path: Path) -> None:
    """pi opens the file at this leaf, with the same tree and the same children."""
    chain = [said("a", None), said("b", "a"), said("c", "b"), said("d", "b")]
    source = read(tmp_path, header(), *chain)
    source.leaf_id = "b"
    assert export(source) == lines(header(), chain[0], chain[2], chain[3], chain[1])
    back = reread(tmp_path, source)
    assert back.leaf_id == "b"
    assert shape(back) == shape(source)
    assert not back.repaired


def test_a_leaf_at_nothing_is_a_root_that_says_nothing(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", None))
    source.leaf_id = None
    *before, last = records(source)
    assert lines(*before) == source.source_bytes
    assert last["type"] == "custom"
    assert last["parentId"] is None
    assert reread(tmp_path, source).leaf_id == last["id"]
    assert records(source)[-1] == last


def test_new_entries_follow_and_hang_where_they_hang(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", None), said("b", "a"))
    source.add(own("n1", "a"), own("n2", "n1"))
    source.leaf_id = "n1"
    assert export(source).startswith(source.source_bytes)
    back = reread(tmp_path, source)
    assert shape(back) == {"a": None, "b": "a", "n2": "n1", "n1": "a"}
    assert back.leaf_id == "n1"


def test_annotations_come_before_the_leafs_line(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", None), said("b", "a"))
    notes = [
        own("l1", "a", Kind.LABEL, target="a", name="known-good"),
        own("l2", "a", Kind.LABEL, target="a", name=""),
        own("p1", "b", Kind.PIN, target="b"),
        own("p2", "b", Kind.PIN, target="b", name="off"),
    ]
    source.add(*notes, stand=False)
    found = records(source)
    assert [one["id"] for one in found] == ["s1", "a", "l1", "l2", "p1", "p2", "b"]
    assert found[2] == record("label", "l1", "a", targetId="a", label="known-good") | {"timestamp": iso(NOW)}
    assert "label" not in found[3]
    back = reread(tmp_path, source)
    assert back.leaf_id == "b"
    kinds = {entry.id: (entry.kind, entry.target, entry.name) for entry in back.entries}
    assert kinds["p1"] == (Kind.PIN, "b", "")
    assert kinds["p2"] == (Kind.PIN, "b", "off")
    assert back.tree.leaves.tolist() == [back.index("b")]


def test_windows_line_ends_and_a_missing_last_one(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(header(), said("a", None)).replace(b"\n", b"\r\n") + lines(said("b", "a"))[:-1])
    source = MemorySource.read(Pi(), path)
    source.add(own("n", "b"))
    assert export(source).startswith(source.source_bytes + b"\n{")


def test_bad_lines_stay_where_they_are(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", None), b"bad", b"", said("b", "a"), b"cut")
    source.leaf_id = "a"
    assert export(source) == lines(header(), b"bad", b"", said("b", "a"), b"cut", said("a", None))


# -- sources that pi itself would mend or misread --------------------------------------------------------------------


def test_version_1_is_migrated_as_pi_does(tmp_path: Path) -> None:
    compaction = old("compaction", summary="S", firstKeptEntryIndex=1, tokensBefore=5)
    source = read(tmp_path, header(None, provider="p"), old_said("1"), compaction)
    source.add(own("new", source.leaf_id))
    found = records(source)
    assert found[0] == {**header(None, provider="p"), "version": 3}
    assert list(found[1]) == ["type", "timestamp", "message", "id", "parentId"]
    assert list(found[2]) == ["type", "timestamp", "summary", "tokensBefore", "firstKeptEntryId", "id", "parentId"]
    assert found[2]["firstKeptEntryId"] == found[1]["id"]
    back = reread(tmp_path, source)
    assert shape(back) == shape(source)
    assert back.entries[1].target == source.entries[1].target


def test_version_2_keeps_what_version_3_says_alike(tmp_path: Path) -> None:
    hook = record("message", "b", "a", message={"role": "hookMessage", "content": "x"})
    source = read(tmp_path, header(2), said("a", None), hook)
    source.add(own("new", "b"))
    first, second, third, _ = export(source).splitlines()
    assert json.loads(first)["version"] == 3
    assert second + b"\n" == lines(said("a", None))
    assert json.loads(third)["message"]["role"] == "custom"


def test_ids_that_were_made_unique_are_written(tmp_path: Path) -> None:
    source = read(
        tmp_path, header(), said("a", None), said("a", "a"), record("label", "l", "a", targetId="a", label="x")
    )
    source.add(own("new", "l"))
    found = records(source)
    assert [one["id"] for one in found] == ["s1", "a", "a~2", "l", "new"]
    assert found[3]["targetId"] == "a~2"
    back = reread(tmp_path, source)
    assert shape(back) == shape(source)
    assert not back.repaired


def test_a_cycle_is_written_cut(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", "b"), said("b", "a"), said("o", "gone"))
    source.add(own("new", "b"))
    found = {one["id"]: one for one in records(source)}
    assert found["a"]["parentId"] is None
    assert found["o"] == said("o", "gone")
    assert not [note for note in reread(tmp_path, source).repaired if note.entry != "o"]


def test_numbers_as_ids_are_written_as_text(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("1", None) | {"id": 1})
    source.add(own("new", "1"))
    assert [one["id"] for one in records(source)] == ["s1", "1", "new"]


# -- without source bytes --------------------------------------------------------------------------------------------


def test_records_of_another_file_go_out_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork made here has no bytes of its own; its entries have those of the session it was made from."""
    fork = read(tmp_path, header(), said("a", None), record("later", "b", "a", x=1.50))
    raw = fork.source_bytes
    monkeypatch.setattr(fork, "raw", lambda: iter(()))  # the records stay
    fork.add(own("n", "b"))
    fork.info = SessionInfo(source="stemmata", source_id="fork-1", cwd="/w", created_at=NOW)
    first, second, third, _ = export(fork).splitlines(keepends=True)
    assert json.loads(first) == {
        "type": "session",
        "version": 3,
        "id": "fork-1",
        "timestamp": "2026-01-01T00:01:40.123Z",
        "cwd": "/w",
    }
    assert raw.endswith(second + third)


def test_records_of_version_1_get_ids_there_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = read(tmp_path, header(None), old_said("1"), old_said("2"))
    monkeypatch.setattr(source, "raw", lambda: iter(()))  # the records stay
    back = reread(tmp_path, source)
    assert shape(back) == shape(source)


GEMINI = b'{"id":"a","timestamp":"x","type":"user","content":"hi"}'
COPILOT = b'{"id":"a","parentId":null,"timestamp":"x","type":"user.message","data":{}}'


@pytest.mark.parametrize(
    ("tool", "foreign"),
    [
        ("stemmata", b'{"uuid":"a","type":"user","timestamp":"x"}'),
        ("stemmata", b"not json"),
        ("stemmata", b'{"type":"user"}'),
        ("gemini", GEMINI),
        ("stemmata", GEMINI),  # of a fork
        ("copilot-cli", COPILOT),
        ("stemmata", COPILOT),
    ],
)
def test_records_of_another_tool_are_not_pis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str, foreign: bytes
) -> None:
    source = MemorySource(info=SessionInfo(source=tool, source_id="made-here"), source_bytes=foreign)
    entry = own("a", None)
    source.add(replace(entry, record=read(tmp_path, header(), said("a", None)).entries[0].record))
    monkeypatch.setattr(source, "records", lambda entries: [foreign] * len(entries))  # what the archive kept
    assert [one["type"] for one in records(source)] == ["session", "message"]


def sample_entries(blob: str) -> list[Entry]:
    usage = Usage(input=1, output=2, cache_read=3, cache_write=4, total=10, cost=1500)
    call = ToolCall("c1", "edit", '{"path":"a.py","n":1}', "thought")
    blocks = (Thinking("hm", "sig"), Thinking("", "op", redacted=True), Text("done", "m"), call)
    facts: dict[str, Any] = {"role": Role.ASSISTANT, "provider": "anthropic", "model": "m"}
    ran = '{"exitCode":2,"truncated":false}'
    return [
        own("01", None, Kind.MODEL_CHANGE, provider="anthropic", model="m"),
        own("02", "01", Kind.THINKING_LEVEL_CHANGE, name="high"),
        own("03", "02", blocks=(Text("look"), Image("image/png", blob, 4))),
        own("04", "03", blocks=blocks, usage=usage, flags=Flag.NONE, **facts),
        own("05", "04", role=Role.TOOL_RESULT, tool="edit", call="c1", blocks=(Text("ok"),), details='{"diff":"+a"}'),
        own("06", "05", blocks=(Text("!"),), flags=Flag.FAILED, details='{"errorMessage":"529"}', **facts),
        own("07", "06", blocks=(), flags=Flag.ABORTED, **facts),
        own("08", "07", blocks=(Text("end"),), flags=Flag.ENDS_TURN, **facts),
        own("09", "08", role=Role.BASH_EXECUTION, name="ls", blocks=(Text("a"),), details=ran, flags=Flag.FAILED),
        own("10", "09", role=Role.BASH_EXECUTION, name="x", blocks=(), flags=Flag.EXCLUDED | Flag.ABORTED),
        own("11", "10", role=Role.CUSTOM, name="note", blocks=(Text("n"),), flags=Flag.HIDDEN, details='{"a":1}'),
        own("12", "11", Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="memory", blocks=(Text("m"),)),
        own("13", "12", Kind.CUSTOM, name="x", details='{"b":[2]}'),
        own("14", "13", Kind.BRANCH_SUMMARY, blocks=(Text("left"),), target="05", details='{"readFiles":[]}'),
        own("15", "14", Kind.COMPACTION, blocks=(Text("S"),), target="03", usage=Usage(total=999), details='{"a":1}'),
        own("16", "15", Kind.TOOL_PRUNE, target="05"),
        own("17", "16", Kind.SESSION_INFO, name="Name"),
        own("18", "17", Kind.LABEL, target="03", name="here"),
        own("19", "18", Kind.SKILL, name="brief", blocks=(Text("Be brief."),), details='{"path":"p"}'),
        own("20", "19", Kind.SKILL, name="brief", blocks=()),
    ]  # fmt: skip


def test_what_was_made_here_comes_back_from_pi(tmp_path: Path) -> None:
    digest = sha256(b"\x89PNG").hexdigest()
    source = MemorySource(blobs={digest: b"\x89PNG"})
    source.add(*sample_entries(digest))
    back = reread(tmp_path, source)
    assert not back.repaired
    assert not back.skipped
    assert back.title == "Name"
    image = back.entries[2].blocks[1]
    assert isinstance(image, Image)
    assert back.blobs == {image.blob: b"\x89PNG"}
    details = [replace(entry, record=None) for entry in back.entries]
    time = NOW // 1_000_000 * 1_000_000
    made = [replace(entry, flags=entry.flags & ~Flag.OWN, time=time) for entry in sample_entries(image.blob)]
    assert details == made


def test_numbers_and_keys_are_written_as_pi_writes_them() -> None:
    source = MemorySource()
    source.add(own("c", None, Kind.COMPACTION, blocks=(Text("S"),), target=None))
    assert export(source).splitlines()[1] == (
        b'{"type":"compaction","id":"c","parentId":null,"timestamp":"2026-01-01T00:01:40.123Z","summary":"S",'
        b'"tokensBefore":0}'
    )


@pytest.mark.parametrize(
    ("entry", "data"),
    [
        (own("n", None, role=Role.SYSTEM, name="developer"), {"role": "system", "name": "developer", "text": "new"}),
        (own("n", None, flags=Flag.EXCLUDED), {"role": "user", "text": "new"}),
        (own("n", None, Kind.CUSTOM_MESSAGE, blocks=(Text("x"),), flags=Flag.EXCLUDED), {"text": "x"}),
        (own("n", None, Kind.UNKNOWN, name="t", details='{"a":1}'), {"name": "t", "details": {"a": 1}}),
        (own("n", None, Kind.LABEL, name="lost"), {"name": "lost"}),
    ],
)
def test_what_pi_has_no_word_for_becomes_a_note_outside_the_context(entry: Entry, data: dict[str, Any]) -> None:
    source = MemorySource()
    source.add(entry)
    note = records(source)[1]
    assert note["type"] == "custom"
    assert note["customType"].startswith("stemmata.")
    assert note["data"] == data


def block_of(block: Any, **facts: Any) -> dict[str, Any]:
    source = MemorySource()
    source.add(own("n", None, blocks=(block,), **facts))
    found: dict[str, Any] = records(source)[1]["message"]["content"][0]
    return found


def test_blocks_pi_has_no_word_for() -> None:
    assert block_of(Image("image/png", "gone")) == {"type": "text", "text": "[image image/png: data missing]"}
    assert block_of(UnknownBlock("document", '{"a":1}')) == {"type": "text", "text": '{"a":1}'}
    assert block_of(ToolCall("c", "n", "[1]"))["arguments"] == {}


@pytest.mark.parametrize(
    ("provider", "api"),
    [("anthropic", "anthropic-messages"), ("openai", "openai-responses"), ("local", "openai-completions")],
)
def test_replies_name_an_api(provider: str, api: str) -> None:
    source = MemorySource()
    source.add(own("n", None, role=Role.ASSISTANT, provider=provider, model="m", details="not json"))
    assert records(source)[1]["message"]["api"] == api


def test_a_call_that_ends_the_turn_is_a_stop() -> None:
    source = MemorySource()
    call = (ToolCall("c", "n"),)
    facts: dict[str, Any] = {"role": Role.ASSISTANT, "blocks": call}
    source.add(own("1", None, **facts), own("2", "1", flags=Flag.ENDS_TURN, **facts))
    assert [one["message"]["stopReason"] for one in records(source)[1:]] == ["toolUse", "stop"]


def test_a_root_that_says_nothing_has_an_id_of_its_own(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", None))
    source.leaf_id = None
    taken = records(source)[-1]["id"]
    again = read(tmp_path, header(), said(taken, None))
    again.leaf_id = None
    assert records(again)[-1]["id"].startswith(taken)
    assert records(again)[-1]["id"] != taken


@pytest.mark.parametrize("kind", ["message", [], {}, "function_call"])
def test_records_of_codex_are_not_written_as_they_are(kind: Any) -> None:
    bare = lines({"type": kind, "role": "user", "content": "Hi."})
    source = MemorySource(source_bytes=bare)
    source.add(Entry(id="a", role=Role.USER, blocks=(Text("Hi."),), record=Record(0, len(bare) - 1)))
    _, written = b"".join(PiWriter().export(source)).splitlines()
    assert json.loads(written)["message"]["content"] == [{"type": "text", "text": "Hi."}]


def test_an_empty_session_is_a_header_alone() -> None:
    assert [one["type"] for one in records(MemorySource())] == ["session"]


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (NOW, "2026-01-01T00:01:40.123Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-(1 << 63), "1677-09-21T00:12:43.145Z"),
    ],
)
def test_times_are_written_as_javascript_does(time: int, text: str) -> None:
    assert iso(time) == text


def test_the_same_session_made_here_reads_the_same(tmp_path: Path, samples: Path) -> None:
    source = MemorySource.read(Pi(), samples / "pi" / "before-compaction.jsonl")
    back = reread(tmp_path, without_records(source))
    for one, other in zip(back.entries, source.entries, strict=True):
        assert replace(one, record=None, usage=None, time=0) == replace(other, record=None, usage=None, time=0)


@pytest.mark.no_cover
def test_the_search_for_a_header_holds_no_record() -> None:
    """A long source of another tool has no header: its records are read one by one, and none is held."""
    read_at: list[int] = []
    line = b'{"type":"user","uuid":"x","text":"' + b"x" * 5000 + b'"}\n'

    def raw() -> Iterator[bytes]:
        for _ in range(2000):
            read_at.append(tracemalloc.get_traced_memory()[0])
            yield line

    tracemalloc.start()
    assert inspect_file(raw) is None
    tracemalloc.stop()
    assert len(read_at) == 2000
    assert max(read_at) < 100 * len(line)  # besides the records: what other modules allocate meanwhile


def test_few_records_are_in_memory_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    source, asked, whole = MemorySource(), list[int](), MemorySource.records
    for at in range(20):
        source.add(own(f"e{at}", f"e{at - 1}" if at else None))

    def noted(memory: MemorySource, entries: Sequence[int]) -> list[bytes | None]:
        asked.append(len(entries))
        return whole(memory, entries)

    monkeypatch.setattr(MemorySource, "records", noted)
    assert len(records(source)) == 21
    assert asked == [8, 8, 4]
