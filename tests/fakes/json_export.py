"""A JSON export with an entry of most kinds, and an account of its lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import ReadEvent, Skipped
from stemmata.formats.json.writer import JsonWriter
from tests.fakes.export_source import MemorySource

PIXEL = b"\x89PNG\r\n\x1a\n"
_FACTS = re.compile(rb'\{"stemmata":|"(session|leaf|entries|blobs)":|\],?|\}\}|"[0-9a-f]{64}":"[\w+/=]*"[,}]*')


def export() -> bytes:
    digest = sha256(PIXEL).hexdigest()
    blocks = (Thinking("Which file?", "sig"), ToolCall("c", "read", '{"path":"a.py"}'), UnknownBlock("web", "[1]"))
    source = MemorySource(info=SessionInfo(source="codex", source_id="s", cwd="/w"), blobs={digest: PIXEL})
    source.add(
        Entry(id="a", role=Role.USER, blocks=(Text("Fix the kettle."), Image("image/png", digest, len(PIXEL)))),
        Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=blocks, usage=Usage(9, 3), model="m", provider="p"),
        Entry(id="c", parent="b", role=Role.TOOL_RESULT, tool="read", call="c", blocks=(Text("on = True"),)),
        Entry(id="d", parent="a", role=Role.USER, blocks=(Text("Or the lamp?"),), flags=Flag.EXCLUDED, time=5),
        Entry(id="e", parent="c", kind=Kind.COMPACTION, target="b", blocks=(Text("The kettle was fixed."),)),
        Entry(id="f", parent="e", kind=Kind.LABEL, target="a", name="here", details='{"x": 1.0}'),
    )
    source.leaf_id = "e"
    return b"".join(JsonWriter().export(source))


def kinds(data: bytes, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many lines are entries and facts, and were skipped; and the lines that are nothing."""
    read = list(events)
    skipped = {event.line for event in read if isinstance(event, Skipped)}
    made = {event.id for event in read if isinstance(event, Entry)}
    counts, lost = Counter[str](skipped=len(skipped)), list[str]()
    if 0 in skipped or not re.search(rb'^"(session|leaf)":', data, re.MULTILINE):
        return counts + Counter(entry=len(made)), []  # printed anew: it has no lines
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        bare = line.removesuffix(b"\r")
        if number in skipped or not bare.strip() or _FACTS.match(bare):
            continue
        try:
            found = json.loads(bare.removesuffix(b",").decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and found.get("id") in made:
            counts["entry"] += 1
        else:
            lost.append(f"line {number} is nothing")
    return counts, lost
