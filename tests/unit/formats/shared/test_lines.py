"""Lines and bytes of a source file, however it is cut into chunks; going on where the last reading ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.sources.reading import Checkpoint, Raw
from stemmata.formats.shared.lines import Line, LineSplitter, SourceLines, resume


def split(data: bytes, cuts: list[int], limit: int = 1000) -> list[Line]:
    splitter = LineSplitter(limit=limit)

    def parts() -> Iterator[bytes]:
        start = 0
        for cut in sorted(cuts):
            yield data[start:cut]
            start = max(start, cut)
        yield data[start:]

    lines = [line for part in parts() for line in splitter.feed(part)]
    return lines + list(splitter.finish())


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"\r", b"\xe2\x80\xa8", b"\x0b\x0c", b" "])), st.data())
def test_lines_do_not_depend_on_the_chunks(pieces: list[bytes], data: st.DataObject) -> None:
    text = b"".join(pieces)
    cuts = data.draw(st.lists(st.integers(0, len(text))))
    lines = split(text, cuts)
    assert lines == split(text, [])
    assert b"".join((line.data or b"") + line.end for line in lines) == text
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert all(text[line.offset : line.offset + line.size] == line.data for line in lines)
    assert all(line.complete for line in lines[:-1])


def test_only_lf_ends_a_line() -> None:
    text = "one\u2028\u2029\x85\x0b\x0ctwo".encode()
    assert [line.data for line in split(text + b"\nthree", [])] == [text, b"three"]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    [first, second] = split(b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n", [])
    assert (first.data, first.offset, first.size) == (b"one", 3, 3)
    assert second.data == b"\xef\xbb\xbftwo"


def test_a_line_beyond_the_limit_has_no_data() -> None:
    lines = split(b"short\n" + b"x" * 11 + b"\nnext\n" + b"y" * 12, [7, 9, 14], limit=10)
    assert [line.data for line in lines] == [b"short", None, b"next", None]
    assert [line.size for line in lines] == [5, 11, 4, 12]
    assert not lines[1].blank


def test_a_file_gives_its_bytes_and_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\r\n\n  \n{"b":2}\nrest')
    source = SourceLines(path, chunk=4)
    items = list(source)
    assert b"".join(item.data for item in items if isinstance(item, Raw)) == path.read_bytes()
    lines = [item for item in items if isinstance(item, Line)]
    assert [(line.number, line.data, line.complete) for line in lines] == [
        (1, b'{"a":1}', True),
        (4, b'{"b":2}', True),
        (5, b"rest", False),
    ]
    assert [(line.record.offset, line.record.size) for line in lines] == [(0, 7), (13, 7), (21, 4)]
    assert (source.offset, source.lines, source.size) == (21, 4, 25)


def test_bytes_come_before_the_lines_they_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\n")
    seen = 0
    for item in SourceLines(path, chunk=3):
        if isinstance(item, Raw):
            seen = item.offset + len(item.data)
        else:
            assert item.offset + item.size < seen


@pytest.mark.no_cover
def test_memory_stays_flat_on_one_endless_line(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.truncate(40_000_000)
    tracemalloc.start()
    [line] = [item for item in SourceLines(path, limit=1_000_000) if isinstance(item, Line)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (line.size, line.data) == (40_000_000, None)
    assert peak < 4_000_000


# -- going on --------------------------------------------------------------------------------------------------------


def read(path: Path, since: Checkpoint | None = None) -> tuple[list[bytes | None], Checkpoint]:
    source = SourceLines(path, offset=since.offset, lines=since.lines) if since else SourceLines(path)
    data = [item.data for item in source if isinstance(item, Line)]
    return data, source.checkpoint({"mine": 1})


def test_the_next_reading_goes_on_behind_the_last_complete_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\nthr")
    data, checkpoint = read(path)
    assert data == [b"one", b"two", b"thr"]
    assert (checkpoint.offset, checkpoint.lines, checkpoint.size) == (8, 2, 11)
    path.write_bytes(b"one\ntwo\nthree\n")
    assert resume(path, checkpoint) == {"mine": 1}
    assert read(path, checkpoint)[0] == [b"three"]


def test_appending_leaves_the_head_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\n")
    before = read(path)[1]
    path.write_bytes(b"one\n" + b"two\n" * 5000)
    assert read(path)[1].head == before.head


@pytest.mark.parametrize(
    "rewritten",
    [b"one\n", b"other\ntwo\nthree\n", b"one\nTWO\nthree\n"],
    ids=["shorter", "another head", "another middle"],
)
def test_a_file_that_was_rewritten_is_read_anew(tmp_path: Path, rewritten: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\n")
    checkpoint = read(path)[1]
    path.write_bytes(rewritten)
    assert resume(path, checkpoint) is None


def test_a_change_in_the_middle_that_keeps_the_size_is_seen(tmp_path: Path) -> None:
    path, lines = tmp_path / "a.jsonl", [b"line %d\n" % at for at in range(5000)]
    path.write_bytes(b"".join(lines))
    checkpoint = read(path)[1]
    assert resume(path, checkpoint) == {"mine": 1}
    lines[2000] = b"LINE 2000\n"
    path.write_bytes(b"".join(lines))
    os.utime(path, ns=(0, checkpoint.mtime + 1))
    assert resume(path, checkpoint) is None


def test_another_head_is_another_file_whatever_follows(tmp_path: Path) -> None:
    path, rest = tmp_path / "a.jsonl", b"line\n" * 1000
    path.write_bytes(b"one\n" + rest)
    checkpoint = read(path)[1]
    path.write_bytes(b"ONE\n" + rest)
    assert resume(path, checkpoint) is None


@pytest.mark.parametrize("state", ["", "[]", "{", '{"mine":1}', '{"tail":"x"}'])
def test_a_state_nobody_wrote_is_no_state(tmp_path: Path, state: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\n")
    checkpoint = read(path)[1]
    broken = Checkpoint(
        checkpoint.path,
        checkpoint.size,
        checkpoint.mtime,
        checkpoint.offset,
        checkpoint.lines,
        checkpoint.head,
        state,
    )
    assert resume(path, broken) is None


def test_nothing_read_before_is_nothing_to_go_on_from(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"no line end")
    assert resume(path, None) is None
    assert resume(path, read(path)[1]) is None


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 100])
def test_a_reading_of_the_beginning_ends_with_a_line(tmp_path: Path, chunk: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data := b"a\nbcd\n\nefghij\nk")
    for end in range(len(data) + 3):
        source = SourceLines(path, chunk=chunk, end=end)
        items = list(source)
        raw = b"".join(item.data for item in items if isinstance(item, Raw))
        assert data.startswith(raw)
        assert raw == data or (raw.endswith(b"\n") and source.offset == source.size == len(raw))
        assert len(raw) >= min(end, len(data)) - chunk
        lines = [item.data for item in items if isinstance(item, Line)]
        assert lines == [line for line in raw.split(b"\n") if line]
