"""An export tells the sizes around a compaction as the window does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role, Usage
from stemmata.domain.sessions.session import SessionInfo
from stemmata.formats.shared.compaction_words import compaction_words
from tests.fakes.export_source import MemorySource


def told(details: dict[str, Any] | None = None, usage: Usage | None = None, text: str = "long words " * 4000) -> str:
    source = MemorySource(SessionInfo(source="pi", source_id="s"))
    source.add(
        Entry(id="a", role=Role.USER, blocks=(Text(text),) if text else ()),
        Entry(id="b", parent="a", kind=Kind.COMPACTION, blocks=(Text("## Goal"),) if text else (), usage=usage),
    )
    source.leaf_id = "b"
    return compaction_words(source, 1, json.dumps(details) if details is not None else "")


def total(value: object, kind: str) -> dict[str, Any]:
    return {"total": {"value": value, "kind": kind}}


@pytest.mark.parametrize(
    ("details", "usage", "words"),
    [
        (None, None, "≈ 11k → ≈ 2 tokens, −100%"),
        (None, Usage(total=2_000_000), "2M → ≈ 2 tokens, −100%"),
        ({"tokensAfter": 22_200}, Usage(total=175_000), "175k → 22.2k tokens, −87%"),
        ({"before": total(900, "counted"), "after": total(1_800, "estimated")}, None, "= 900 → ≈ 1.8k tokens, +100%"),
        ({"before": total("x", "counted"), "after": 7, "tokensAfter": True}, None, "≈ 11k → ≈ 2 tokens, −100%"),
        ({"before": {"total": 7}, "after": total(5, "strange")}, None, "≈ 11k → ≈ 2 tokens, −100%"),
    ],
)
def test_the_sizes_of_a_compaction(details: dict[str, Any] | None, usage: Usage | None, words: str) -> None:
    assert told(details, usage) == words


def test_a_size_that_is_not_known_is_left_out() -> None:
    assert told(None, Usage(total=51_200), text="") == "51.2k tokens before"
    assert told({"tokensAfter": 700}, text="") == "700 tokens after"
    assert told(text="") == ""
