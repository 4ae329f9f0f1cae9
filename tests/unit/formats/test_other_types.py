"""A value of another type than a reader expects costs no text: it is in an entry, or the report says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text, Thinking
from stemmata.domain.entries.entry import Entry
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import ReadEvent, Repaired, Skipped, UnusedPart
from stemmata.formats.registry import standard_formats
from tests.fuzz.seeds import Seed, seeds

Way = tuple[str | int, ...]
WRAPS: dict[str, Callable[[Any], Any]] = {
    "object": lambda value: {"x": value},
    "list": lambda value: [value],
    "text": lambda value: value if isinstance(value, str) else json.dumps(value),
}
FREE = "metadata"  # of a response of VS Code: every extension stores its own facts in it


def ways(value: Any) -> Iterator[Way]:
    """Yield the keys and places that lead to each value inside a value."""
    waiting: list[tuple[Way, Any]] = [((), value)]
    for way, found in waiting:  # the loop appends to this list
        if way:
            yield way
        named = found.items() if isinstance(found, dict) else enumerate(found if isinstance(found, list) else ())
        waiting += [((*way, name), inside) for name, inside in named]


def wrapped(value: Any, way: Way, wrap: Callable[[Any], Any]) -> Any:
    """Return a copy of a value in which the value at the end of the way is wrapped."""
    if not way:
        return wrap(value)
    copy = value.copy()
    copy[way[0]] = wrapped(value[way[0]], way[1:], wrap)
    return copy


def is_json(data: bytes) -> bool:
    """Return whether this is one JSON value."""
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def variants(data: bytes, wrap: Callable[[Any], Any], chosen: int) -> Iterator[tuple[Way, bytes]]:
    """Yield a file with one value wrapped, for every sixth value of it."""
    lines = [data] if is_json(data) else data.split(b"\n")
    for at, line in enumerate(lines):
        if is_json(line):
            value = json.loads(line)
            for way in list(ways(value))[chosen::6]:
                changed = json.dumps(wrapped(value, way, wrap)).encode()
                yield way, b"\n".join([*lines[:at], changed, *lines[at + 1 :]])


def said(events: list[ReadEvent]) -> set[str]:
    """Return the lines of the entries' texts. A text may be put together from several values."""
    blocks = [block for one in events if isinstance(one, Entry) for block in one.blocks]
    texts = (block.text for block in blocks if isinstance(block, Text | Thinking))
    return {line for text in texts for line in text.splitlines() if " " in line}


def shown(events: list[ReadEvent]) -> str:
    """Return all that the entries have, with the texts that are inside JSON texts."""
    waiting: list[Any] = []
    for one in events:
        if isinstance(one, Entry):
            waiting += [one.name, one.details]
            waiting += [getattr(block, name) for block in one.blocks for name in block.__slots__]
    found = []
    for value in waiting:  # the loop appends to this list
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        elif isinstance(value, str):
            found.append(value)
            if value[:1] in ("{", "[", '"'):
                try:
                    waiting.append(json.loads(value))
                except ValueError:
                    continue
    return "\n".join(found)


def told(events: list[ReadEvent]) -> int:
    """Return the number of lines of the report."""
    return sum(isinstance(one, Skipped | Repaired | UnusedPart) for one in events)


@pytest.mark.parametrize("number", range(3), ids=list(WRAPS))
@pytest.mark.parametrize("seed", [one for one in seeds() if one.is_text], ids=lambda one: one.name)
def test_no_text_is_lost_without_a_word(tmp_path: Path, seed: Seed, number: int) -> None:
    formats = standard_formats(tmp_path, {})
    for name, data in seed.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    path = tmp_path / seed.main
    format = formats.identify(path)
    sound = list(formats.read(path, format, None))
    lost = []
    for way, data in variants(seed.files[seed.main], list(WRAPS.values())[number], number):
        path.write_bytes(data)
        try:
            events = list(formats.read(path, formats.identify(path), None))
        except UnreadableSourceError:
            continue
        there = shown(events)
        gone = [text for text in said(sound) if text not in there]
        if gone and told(events) == told(sound) and way[-1] != FREE:
            lost.append((way, gone))
    assert lost == []
