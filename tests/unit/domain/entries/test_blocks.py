"""Blocks in the form in which the archive stores them."""

from __future__ import annotations

import json
from typing import Any

from stemmata.domain.entries.blocks import Text, ToolCall, UnknownBlock, arguments_of, decode, encode


def test_a_block_of_a_later_version_is_kept() -> None:
    rows: list[list[Any]] = [["t", "before"], ["later", "é", None, [1]], ["t", "behind"]]
    before, unknown, behind = decode(rows)
    assert (before, behind) == (Text("before"), Text("behind"))
    assert isinstance(unknown, UnknownBlock)
    assert (unknown.type, json.loads(unknown.json)) == ("later", ["é", None, [1]])
    assert decode(encode([unknown])) == (unknown,)


def test_arguments_that_are_no_object_are_empty() -> None:
    assert arguments_of(ToolCall("c", "read", '{"path": "a"}')) == {"path": "a"}
    assert arguments_of(ToolCall("c", "read", '["a"]')) == {}
    assert arguments_of(ToolCall("c", "read", '{"path": ')) == {}
    assert arguments_of(ToolCall("c", "read", "[" * 100_000)) == {}


def test_long_arguments_are_read_like_short_ones() -> None:
    given = {"edits": [{"old": "a" * 1000, "new": {"at": at}} for at in range(300)]}
    assert arguments_of(ToolCall("c", "edit", json.dumps(given))) == given
