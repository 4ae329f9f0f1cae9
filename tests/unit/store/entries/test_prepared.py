"""What is computed of entries before they are written is what the plain definitions give."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock, encode
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.store.core.search_text import facets_of
from stemmata.store.core.stored_json import to_json
from stemmata.store.entries import entry_rows
from stemmata.store.entries.digests import digest
from stemmata.store.entries.entry_rows import EntryBatch, Links
from stemmata.store.entries.prepared import columns_of

HALF = "a\ud800"
BLOCKS: tuple[tuple[Block, ...], ...] = (
    (),
    (Text("plain"), Text('with "quotes", \\ and a\nline')),
    (Text("signed", "signature"),),
    (Text("ä 東京 🙂"),),
    (Text(HALF),),
    (Text("with\0NUL"),),
    (Thinking("thought", "signature"), Text("said")),
    (Thinking("", "sealed", redacted=True),),
    (ToolCall("call", "read", '{"b":1,"a":2}'), ToolCall("c", "x", "no JSON")),
    (Image("image/png", "0" * 64, 3, "a.png"), UnknownBlock("odd", '{"y":1,"x":[]}')),
)


@pytest.mark.parametrize("details", ["", '{"a":1}', HALF])
@pytest.mark.parametrize("name", ["", "name ä", HALF])
@pytest.mark.parametrize("blocks", BLOCKS)
def test_columns_are_those_of_the_definitions(blocks: tuple[Block, ...], name: str, details: str) -> None:
    entry = Entry(id="1", role=Role.USER, kind=Kind.CUSTOM, name=name, blocks=blocks, details=details)
    columns = columns_of(entry)
    assert columns.digest == digest(entry.kind, entry.role, name, "", blocks)
    assert columns.body == (len(columns.body[2]), None, to_json({"b": encode(blocks), "d": details}))
    said = [block.text for block in blocks if isinstance(block, Text)]
    assert columns.search.startswith("\n".join(said).replace("\0", "\ufffd").replace("\ud800", "\ufffd"))


def test_facets_are_made_once_and_few_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(session: int, role: Role, kind: Kind, tool: str) -> str:
        made.append(tool)
        return facets_of(session, role, kind, tool)

    monkeypatch.setattr(entry_rows, "facets_of", counted)
    monkeypatch.setattr(entry_rows, "MOST_FACETS", 2)
    with closing(sqlite3.connect(":memory:")) as connection:
        batch = EntryBatch(connection)
        for key, tool in enumerate(("a", "a", "b", "a", "c", "a")):
            entry = Entry(id=str(key), role=Role.TOOL_RESULT, tool=tool)
            batch.add(1, key, entry, columns_of(entry), Links(None, None, None, None))
    assert made == ["a", "b", "c", "a"]  # forgotten when there were two
