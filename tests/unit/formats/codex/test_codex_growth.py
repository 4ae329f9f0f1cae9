"""Codex files that grow, are damaged or shuffled: the same archive as one reading, and every line accounted for."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from stemmata.domain.errors import KnownError
from stemmata.formats.codex.reader import Codex
from tests.fakes import codex as fake
from tests.fakes.claude_code import collect
from tests.growth.growth import Files, cuts_at, cuts_by_line, grow

HOMES: dict[str, Files] = {
    "plain": {f"sessions/{fake.name(fake.THREAD)}": fake.rollout(fake.plain())},
    "threads": fake.threads(),
    "replayed": fake.replayed(),
    "subagent": fake.subagent(),
}


@pytest.mark.parametrize("home", HOMES)
def test_a_file_that_grows_by_lines_gives_the_same_archive(home: str) -> None:
    files = HOMES[home]
    at_once = list(files)[:1]
    for name, data in files.items():  # one file after the other, as Codex writes them
        cuts = [{**{other: len(files[other]) for other in at_once}, **cut} for cut in cuts_by_line({name: data})]
        assert not grow(files, cuts[:: max(len(cuts) // 6, 1)])
        at_once.append(name)


@pytest.mark.parametrize("seed", range(2))
def test_a_file_that_grows_by_bytes_gives_the_same_archive(seed: int) -> None:
    assert not grow(HOMES["plain"], cuts_at(HOMES["plain"], Random(seed), 4))


records = st.lists(
    st.sampled_from(
        [
            *fake.turn(1, "One.", "1", *fake.tool_turn()), *fake.turn(2, "Two.", "2"),
            fake.compacted("Short.", "One."),
            fake.event("thread_rolled_back", num_turns=1), fake.event("turn_aborted", reason="interrupted"),
            fake.event("user_message", message="Events only."), fake.event("agent_message", message="1"),
            fake.event("thread_rolled_back", num_turns=9), fake.event("unheard_of"), fake.meta(),
        ]
    ),
    max_size=25,
)  # fmt: skip


@settings(max_examples=12, derandomize=True, phases=[Phase.generate])
@given(records, st.integers(0, 1 << 20))
def test_shuffled_records_grow_alike(chosen: list[fake.Record], seed: int) -> None:
    files = {f"sessions/{fake.name(fake.THREAD)}": fake.rollout([fake.meta(), fake.said("user", "Hi."), *chosen])}
    assert not grow(files, cuts_at(files, Random(seed), 2))


json_values: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just([]) | st.just({"a": [1]})
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A file with lines cut, doubled, mixed up, or with values replaced by others."""
    lines = fake.rollout(fake.plain()).splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 3)):
            case 0:
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case 1:
                lines.insert(draw(st.integers(0, len(lines))), lines[at])
            case 2:
                lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
            case _:
                lines[at] = json.dumps(_replaced(draw, _parsed(lines[at]))).encode()
    return b"\n".join(lines) + draw(st.sampled_from([b"", b"\n"]))


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _replaced(draw: st.DrawFn, value: Any) -> Any:
    """The value with something somewhere in it replaced by any JSON."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: _replaced(draw, value[key])}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], _replaced(draw, value[at]), *value[at + 1 :]]
    return draw(json_values)


@given(damaged())
def test_a_damaged_record_costs_one_record(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, fake.name(fake.THREAD))
        path.write_bytes(data)
        Codex().sniff(data, path)
        try:
            events = list(Codex().read(path, None))
        except KnownError:
            return
        _, lost = fake.kinds(path, events)
        assert not lost
        (found,) = collect(events)
        seen: set[str] = set()
        for entry in found.entries:
            assert entry.id not in seen
            assert entry.parent is None or entry.parent in seen
            seen.add(entry.id)
        assert found.raw == data
        assert found.end.leaf is None or found.end.leaf in seen
