"""What Factory Droid, Mistral Vibe and Kiro CLI have in common: lines that follow each other, and rewinds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Flag
from stemmata.formats.droid.reader import Droid
from stemmata.formats.kiro.reader import Kiro
from stemmata.formats.registry import standard_formats
from stemmata.formats.vibe.reader import Vibe
from tests.fakes.export_source import MemorySource
from tests.fakes.message_logs import droid, droid_start, kinds, kiro, lines, vibe
from tests.growth.growth import grow

Said = Callable[[str, str], dict[str, Any]]
Reader = type[Kiro | Vibe | Droid]


def by_kiro(id: str, text: str) -> dict[str, Any]:
    return kiro(id, "Prompt", text)


def by_vibe(id: str, text: str) -> dict[str, Any]:
    return vibe(id, "user", text)


def by_droid(id: str, text: str) -> dict[str, Any]:
    return droid(id, "user", text)


TOOLS = pytest.mark.parametrize(
    ("reader", "name", "said"),
    [(Kiro, "cli/5e55.jsonl", by_kiro), (Vibe, "s/messages.jsonl", by_vibe), (Droid, "p/5e55.jsonl", by_droid)],
)


def read(reader: Reader, path: Path, *records: Any) -> MemorySource:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*records))
    return MemorySource.read(reader(), path)


def shape(source: MemorySource) -> list[tuple[str, str | None, str]]:
    return [(entry.id, entry.parent, plain_text(entry.blocks)) for entry in source.entries]


@TOOLS
def test_a_line_that_repeats_an_earlier_one_goes_back_to_it(
    tmp_path: Path, reader: Reader, name: str, said: Said
) -> None:
    one, two = said("a", "one"), said("b", "two")
    source = read(reader, tmp_path / name, one, two, one, said("c", "three"))
    assert shape(source) == [("a", None, "one"), ("b", "a", "two"), ("c", "a", "three")]
    assert (source.leaf_id, source.skipped, source.repaired) == ("c", [], [])


@TOOLS
def test_a_file_that_ends_after_a_repeated_line_goes_on_there(
    tmp_path: Path, reader: Reader, name: str, said: Said
) -> None:
    one = said("a", "one")
    assert read(reader, tmp_path / name, one, said("b", "two"), one).leaf_id == "a"


@TOOLS
def test_other_messages_with_the_same_id_are_kept(tmp_path: Path, reader: Reader, name: str, said: Said) -> None:
    again = said("a", "two")
    source = read(reader, tmp_path / name, said("a", "one"), again, again, said("b", "three"))
    assert shape(source) == [("a", None, "one"), ("a~2", "a", "two"), ("b", "a~2", "three")]
    assert [one.what for one in source.repaired] == [
        "The id a is that of several messages. All are kept, this one as a~2."
    ]


@TOOLS
def test_damage_is_told_by_line(tmp_path: Path, reader: Reader, name: str, said: Said) -> None:
    source = read(reader, tmp_path / name, b"{", said("a", "one"), [1], {"no": "message"}, said("b", "two"))
    assert shape(source) == [("a", None, "one"), ("b", "a", "two")]
    assert [one.line for one in source.skipped] == [1, 3, 4]
    path = tmp_path / name
    path.write_bytes(lines(said("a", "one")) + b'{"version"')
    assert MemorySource.read(reader(), path).skipped[0].reason == "not valid JSON: the file ends inside this line"


@TOOLS
def test_a_growing_file_gives_the_same_as_a_whole_one(tmp_path: Path, reader: Reader, name: str, said: Said) -> None:
    one = said("a", "one")
    start: list[Any] = [droid_start()] if reader is Droid else []
    data = lines(*start, one, said("b", "two"), one, said("c", "three"), said("c", "four"), said("d", "five"))
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    assert grow({name: data}, [{name: end} for end in ends]) == []
    assert grow({name: data}, [{name: Random(3).randrange(len(data))} for _ in range(3)]) == []


def test_a_named_message_before_it_counts(tmp_path: Path) -> None:
    source = read(
        Droid, tmp_path / "s.jsonl", droid_start(), droid("a", "user", "one"), droid("b", "user", "two"),
        droid("c", "user", "three", parentId="a"), droid("d", "user", "four", parentId="gone"),
    )  # fmt: skip
    assert shape(source)[2:] == [("c", "a", "three"), ("d", "c", "four")]
    assert source.entries[3].flags & Flag.REPAIRED
    assert [(one.what, one.entry) for one in source.repaired] == [
        ("The message before it, gone, is not in the file: it follows the previous line.", "d")
    ]


@pytest.mark.parametrize(
    ("name", "tool", "entries", "branches"),
    [
        ("droid-session.jsonl", "droid", 13, 1),
        ("mistral_vibe_rewind.jsonl", "vibe", 6, 2),
        ("kiro_rewind.jsonl", "kiro", 6, 2),
    ],
)
def test_every_line_of_a_real_session_is_accounted_for(
    samples: Path, tmp_path: Path, name: str, tool: str, entries: int, branches: int
) -> None:
    path = samples / "other" / name
    formats = standard_formats(tmp_path, {})
    assert formats.identify(path) == tool
    events = list(formats.read(path, tool, None))
    assert kinds(path.read_bytes(), events)[1] == []
    readers: dict[str, Reader] = {"droid": Droid, "vibe": Vibe, "kiro": Kiro}
    source = MemorySource.read(readers[tool](), path)
    parents = {entry.parent for entry in source.entries}
    assert (len(source.entries), sum(entry.id not in parents for entry in source.entries)) == (entries, branches)
