"""Whatever stands in a Claude Code file: a report or a KnownError, every line accounted for, and always a tree."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.errors import KnownError
from stemmata.formats.claude_code.reader import ClaudeCode
from stemmata.formats.claude_code.reading import ClaudeCodeReading
from stemmata.formats.shared.values import BOM, first_records
from tests.fakes.claude_code import (
    Found,
    Line,
    boundary,
    call,
    found_in,
    note,
    reply,
    result,
    summary,
    user,
    written,
)

DATA = Path(__file__).parents[3] / "data" / "claude_code"
FILES = [path.read_bytes() for path in sorted(DATA.glob("*.jsonl"))]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def transcripts(draw: st.DrawFn, *, sound: bool) -> list[Line]:
    """Draw lines with random parents; if `sound`, every named parent comes before its child."""
    lines: list[Line] = []
    for at in range(draw(st.integers(1, 14))):
        id = f"n{at}"
        choices = [f"n{other}" for other in range(at if sound else 14)]
        parent = draw(st.sampled_from([*choices, *choices[-3:], "gone"]) | st.none()) if at else None
        minute = draw(st.integers(0, 3)) if draw(st.booleans()) else at
        tool, message = draw(st.sampled_from(["t1", "t2"])), draw(st.sampled_from(["m1", "m2"]))
        said = draw(st.sampled_from(["", "x"]))
        kept = draw(st.sampled_from([{}, {"preservedSegment": {"headUuid": "n0", "tailUuid": f"n{max(0, at - 2)}"}}]))
        record = draw(
            st.sampled_from(
                [
                    user(id, parent, minute, said), user(id, parent, minute, said, isMeta=True),
                    reply(id, parent, minute, message), call(id, parent, minute, message, tool),
                    result(id, parent, minute, tool), note(id, parent, minute), boundary(id, parent, minute, **kept),
                    summary(id, parent, minute),
                ]
            )
        )  # fmt: skip
        if not sound and draw(st.booleans()):
            record |= {"isSidechain": True, **draw(st.sampled_from([{}, {"agentId": "x"}]))}
        if not sound and draw(st.integers(0, 9)) == 0:
            record["uuid"] = f"n{draw(st.integers(0, 13))}"
        lines.append(record)
    return lines


def check(path: Path) -> list[Found]:
    """Read a file and check the rules that hold for every file."""
    reading = ClaudeCodeReading(path)
    index = reading.index
    lines = [line for line in path.read_bytes().removeprefix(BOM).split(b"\n") if line.strip()]
    accounted = len(index.ids) + len(index.skipped) + index.facts.others.total() + index.repeated
    assert accounted == len(lines)
    found = found_in(path)
    assert found[0].raw == path.read_bytes()
    nodes = 0
    for session in found:
        seen: set[str] = set()
        first = min((entry.record.offset for entry in session.entries if entry.record), default=0)
        for entry in session.entries:
            assert entry.id not in seen
            # the first line of the file may continue another file; lines that it precedes may come before it
            continues = entry.record is not None and entry.record.offset == first
            assert entry.parent is None or entry.parent in seen or continues
            seen.add(entry.id)
        assert session.end.leaf is None if not seen else session.end.leaf in seen
        assert not session.tree.cut
        nodes += len({entry.record for entry in session.entries})
    assert nodes == len(index.ids) - len(reading.graph.repeats)
    return found


@given(transcripts(sound=False))
def test_any_graph_gives_trees(lines: list[Line]) -> None:
    with TemporaryDirectory() as folder:
        check(written(Path(folder, "s.jsonl"), lines))


@given(transcripts(sound=True), st.integers(1, 13))
def test_a_line_keeps_its_parent_when_the_file_grows(lines: list[Line], count: int) -> None:
    with TemporaryDirectory() as folder:
        before = check(written(Path(folder, "s.jsonl"), lines[:count]))[0]
        after = check(written(Path(folder, "s.jsonl"), lines))[0]
        assert {id: after.parents.get(id) for id in before.parents} == before.parents


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A real-looking file with bytes changed, lines cut, doubled, mixed up, or values replaced by others."""
    lines: list[bytes] = draw(st.sampled_from(FILES)).splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 4)):
            case 0:
                cut = draw(st.integers(0, len(lines[at])))
                lines[at] = lines[at][:cut] + draw(st.binary(max_size=4)).replace(b"\n", b"") + lines[at][cut + 1 :]
            case 1:
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case 2:
                lines.insert(draw(st.integers(0, len(lines))), lines[at])
            case 3:
                lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
            case _:
                lines[at] = json.dumps(replaced(draw, (first_records(lines[at]) or [None])[0])).encode()
    return b"\n".join(lines) + draw(st.sampled_from([b"", b"\n", b"\r\n"]))


def replaced(draw: st.DrawFn, value: Any) -> Any:
    """The value with something somewhere in it replaced by any JSON."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: replaced(draw, value[key])}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], replaced(draw, value[at]), *value[at + 1 :]]
    return draw(json_values)


@given(damaged())
def test_damaged_files(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "s.jsonl")
        path.write_bytes(data)
        ClaudeCode().sniff(data, path)
        check(path)


@given(
    st.binary(max_size=200)
    | st.just(BOM)
    | st.lists(json_values, max_size=4).map(lambda all: "\n".join(map(json.dumps, all)).encode())
)
def test_files_of_something_else(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "s.jsonl")
        path.write_bytes(data)
        assert not ClaudeCode().sniff(data, path)
        with suppress(KnownError):
            check(path)


@given(st.binary(max_size=200))
def test_any_notes_beside_a_subagent(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = written(Path(folder, "s.jsonl"), [user("u", None, 0)])
        written(Path(folder, "s", "subagents", "agent-1.jsonl"), [user("g", None, 1)])
        Path(folder, "s", "subagents", "agent-1.meta.json").write_bytes(data)
        assert len(found_in(path)) == 2
