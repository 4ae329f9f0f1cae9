"""Any pi file: what is read is details, what is details comes back, and nothing breaks the reader."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import KnownError
from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.markdown.writer import MarkdownWriter
from stemmata.formats.openclaw.reader import OpenClaw
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiWriter, inspect_file
from stemmata.formats.registry import standard_formats
from tests.fakes.export_source import MemorySource
from tests.unit.formats.pi_files import header, shape

IDS = st.sampled_from([*"abcdefgh", "a~2", "x1234567"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
WORDS = st.sampled_from(["", "hello", "é😀\u2028", '"quoted"\n', "x" * 50])
BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, WORDS),
    st.builds(lambda text: {"type": "thinking", "thinking": text}, WORDS),
    st.builds(lambda value: {"type": "toolCall", "id": "c", "name": "n", "arguments": value}, JSON),
    st.just({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}),
    JSON,
)
CONTENT = WORDS | st.lists(BLOCKS, max_size=3) | JSON
MESSAGES = st.one_of(
    st.builds(lambda role, content: {"role": role, "content": content}, WORDS | st.just("user"), CONTENT),
    st.fixed_dictionaries(
        {"role": st.just("assistant"), "content": CONTENT},
        optional={"usage": JSON | st.dictionaries(st.sampled_from(["input", "totalTokens", "cost"]), JSON),
                  "stopReason": st.sampled_from(["stop", "error", "aborted", "toolUse"]) | JSON, "model": JSON},
    ),
    st.fixed_dictionaries({"role": st.just("toolResult")}, optional={"content": CONTENT, "details": JSON}),
    st.fixed_dictionaries({"role": st.just("bashExecution")}, optional={"output": JSON, "exitCode": JSON}),
)  # fmt: skip
PAYLOADS = st.one_of(
    st.builds(lambda message: {"type": "message", "message": message}, MESSAGES | JSON),
    st.builds(lambda id: {"type": "label", "targetId": id, "label": "l"}, IDS),
    st.builds(lambda id: {"type": "compaction", "summary": "s", "firstKeptEntryId": id, "tokensBefore": 9}, IDS),
    st.builds(lambda index: {"type": "compaction", "summary": "s", "firstKeptEntryIndex": index}, st.integers(-2, 9)),
    st.builds(lambda id, text: {"type": "branch_summary", "summary": text, "fromId": id}, IDS, WORDS),
    st.builds(lambda name: {"type": "session_info", "name": name}, JSON),
    st.builds(lambda type, fields: {"type": type} | fields, JSON, st.dictionaries(WORDS, JSON, max_size=3)),
)  # fmt: skip
LINKS = st.fixed_dictionaries({}, optional={"id": IDS | JSON, "parentId": IDS | st.none() | JSON, "timestamp": JSON})
RECORDS = st.builds(lambda links, payload: {**payload, **links}, LINKS, PAYLOADS)
BAD = st.sampled_from([b"", b"  ", b"{", b"[1]", b"\xff\xfe", b'{"type":"session","id":"2"}', b'"\\ud800"'])
LINES = st.lists(RECORDS.map(lambda record: json.dumps(record).encode()) | BAD, max_size=12)
PIECES = st.sampled_from(
    [b"{", b"}", b'"', b"\n", b"session", b'{"type":"session","id":"s"}\n', b"[" * 300, b"\\u", b"\xff", b'"id"',
     b":", b",", b"null", b"1e999", b'{"type":"message","id":"a","parentId":"a"}\n']
)  # fmt: skip
VERSIONS = st.sampled_from([None, 1, 2, 3, 3, 3, 4])
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file with a header, at times after bad lines; any damage behind it."""
    before = draw(st.lists(st.sampled_from([b"", b"{", b"garbage"]), max_size=2))
    lines = [*before, json.dumps(header(draw(VERSIONS))).encode(), *draw(LINES)]
    end = draw(ENDS)
    return end.join(lines) + draw(st.sampled_from([end, b""]))


@st.composite
def sound_files(draw: st.DrawFn) -> list[bytes]:
    """Lines of a version 3 file as pi would write it: every entry new, its parent an earlier one or none."""
    lines = [json.dumps(header()).encode() + b"\n"]
    count = draw(st.integers(0, 12))
    for at in range(count):
        parent = draw(st.none() | st.integers(0, at - 1).map("{:08x}".format) if at else st.none())
        payload = draw(PAYLOADS.filter(lambda payload: payload.get("type") != "session"))
        record = {**payload, "id": f"{at:08x}", "parentId": parent, "timestamp": f"2026-01-01T00:00:{at:02d}.000Z"}
        lines.append(json.dumps(record, ensure_ascii=draw(st.booleans())).encode() + b"\n")
    return lines


@contextmanager
def stored(content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_bytes(content)
        yield path


def bare(source: MemorySource) -> list[tuple[Any, ...]]:
    """Return all facts of the entries in an order that does not depend on when they were yielded."""
    return sorted((entry.record.offset if entry.record else -1, repr(entry)) for entry in source.entries)


@given(files())
def test_what_was_read_comes_back_byte_for_byte(content: bytes) -> None:
    with stored(content) as path:
        source = MemorySource.read(Pi(), path)
        assert source.source_bytes == content
        found = inspect_file(lambda: [content])
        assert found is not None
        if found.sound:
            assert b"".join(PiWriter().export(source)) == content
        assert path.read_bytes() == content


@given(files())
def test_every_record_is_an_entry_or_is_reported(content: bytes) -> None:
    with stored(content) as path:
        source = MemorySource.read(Pi(), path)
    lines = [line for line in content.replace(b"\r\n", b"\n").split(b"\n") if line.strip()]
    assert len(source.entries) + len(source.skipped) == len(lines) - 1
    assert len({entry.id for entry in source.entries}) == len(source.entries)
    seen: set[str | None] = {None}
    for entry in source.entries:
        assert entry.parent in seen
        seen.add(entry.id)
    assert source.leaf_id in seen
    assert not source.tree.cut


@given(sound_files(), st.data())
def test_a_sound_file_needs_no_mending_however_it_grows(lines: list[bytes], data: st.DataObject) -> None:
    content = b"".join(lines)
    with stored(content) as path:
        whole = MemorySource.read(Pi(), path)
    assert not whole.repaired
    assert not whole.skipped
    cuts = sorted(data.draw(st.lists(st.integers(len(lines[0]), len(content)), max_size=4)))
    with stored(content[: cuts[0]] if cuts else content) as path:
        source = MemorySource.read(Pi(), path)
        for cut in [*cuts[1:], len(content)]:
            path.write_bytes(content[:cut])
            source.go_on(Pi(), path)
    assert source.entries == whole.entries
    assert (source.leaf_id, source.title, source.source_bytes) == (whole.leaf_id, whole.title, content)
    assert not source.repaired


@given(files(), st.data())
def test_a_damaged_file_that_grows_gives_the_same_ids(content: bytes, data: st.DataObject) -> None:
    """Children that were written before their parents are excepted."""
    ends = [at + 1 for at, byte in enumerate(content) if byte == 10]
    with stored(content) as path:
        whole = MemorySource.read(Pi(), path)
        if not ends or (not whole.entries and not whole.skipped):
            return
        cut = data.draw(st.sampled_from(ends))
        path.write_bytes(content[:cut])
        try:
            source = MemorySource.read(Pi(), path)
        except KnownError:
            return
        path.write_bytes(content)
        source.go_on(Pi(), path)
    assert {entry.id for entry in source.entries} == {entry.id for entry in whole.entries}
    assert (source.leaf_id, source.title) == (whole.leaf_id, whole.title)
    assert {(line.line, line.reason) for line in whole.skipped} <= {
        (line.line, line.reason) for line in source.skipped
    }


def test_an_id_that_comes_again_in_what_was_added_is_kept_apart() -> None:
    header = b'{"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"}\n'
    first, second = (b'{"type": "label", "targetId": "%s", "label": "l", "id": "a"}\n' % on for on in (b"a", b"b"))
    with stored(header + first) as path:
        source = MemorySource.read(Pi(), path)
        path.write_bytes(header + first + second)
        source.go_on(Pi(), path)
    assert [entry.id for entry in source.entries] == ["a", "a~2"]


@given(files(), st.data())
def test_what_is_added_survives_the_way_through_pi(content: bytes, data: st.DataObject) -> None:
    with stored(content) as path:
        source = MemorySource.read(Pi(), path)
        ids = [entry.id for entry in source.entries]
        for at in range(data.draw(st.integers(0, 3))):
            parent = data.draw(st.sampled_from([None, *ids]))
            note = data.draw(st.booleans()) and parent is not None
            said: dict[str, Any] = {"role": Role.USER, "blocks": (Text("new"),)}
            facts = {"kind": Kind.LABEL, "target": parent, "name": "l"} if note else said
            source.add(Entry(id=f"new{at}", parent=parent, flags=Flag.OWN, **facts), stand=False)
            ids.append(f"new{at}")
        source.leaf_id = data.draw(st.sampled_from(ids)) if ids else None
        path.write_bytes(b"".join(PiWriter().export(source)))
        back = MemorySource.read(Pi(), path)
    assert shape(back) == shape(source)
    assert back.leaf_id == source.leaf_id
    targets = {entry.id: entry.target for entry in source.entries if entry.target in shape(source)}
    assert {entry.id: entry.target for entry in back.entries if entry.id in targets} == targets


@given(files())
def test_any_session_can_be_told(content: bytes) -> None:
    with stored(content) as path:
        source = MemorySource.read(OpenClaw(), path)
    assert b"".join(MarkdownWriter().export(source)).decode()
    found = json.loads(b"".join(JsonWriter().export(source)))
    assert [entry["id"] for entry in found["entries"]] == [entry.id for entry in source.entries]


@given(st.binary(max_size=300) | st.lists(PIECES).map(b"".join))
def test_any_bytes_are_read_or_refused_in_words(content: bytes) -> None:
    with stored(content) as path:
        formats = standard_formats(path.parent, {})
        for name in ("", "pi", "openclaw"):
            try:
                for _ in formats.read(path, name, None):
                    pass
            except KnownError as error:
                assert str(error)  # noqa: PT017 - both outcomes are fine
        assert path.read_bytes() == content


@given(st.randoms(use_true_random=False))
def test_a_real_session_with_flipped_bytes_is_read_or_refused(chance: random.Random) -> None:
    content = bytearray((Path(__file__).parents[4] / "resources/demo/ledgerly-import.jsonl").read_bytes())
    for _ in range(chance.randrange(1, 40)):
        at = chance.randrange(len(content))
        content[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    with stored(bytes(content)) as path:
        try:
            source = MemorySource.read(Pi(), path)
        except KnownError as error:
            assert "contains no entries" in str(error)  # noqa: PT017 - both outcomes are fine
        else:
            found = inspect_file(lambda: [bytes(content)])
            assert found is not None
            if found.sound:
                assert b"".join(PiWriter().export(source)) == bytes(content)
