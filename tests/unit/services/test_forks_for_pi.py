"""What is forked here, as pi sees it: sessions of older versions keep their meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.context.projection import context_at
from stemmata.domain.sessions.session import SessionTree
from tests.unit.formats.pi_files import header, lines, old, old_said
from tests.unit.services.conftest import Bench


def seen_by_pi(content: bytes) -> list[str]:
    """The roles of the messages that pi 0.58 builds from a file at its last entry. It knows no words of old in v3."""
    first, *entries = [json.loads(line) for line in content.splitlines()]
    assert first["version"] == 3
    by_id = {entry["id"]: entry for entry in entries}
    path: list[dict[str, Any]] = []
    at = entries[-1] if entries else None
    while at is not None:
        path.insert(0, at)
        at = by_id.get(at["parentId"])
    last = next((n for n in range(len(path) - 1, -1, -1) if path[n]["type"] == "compaction"), None)
    if last is None:
        return list(map(_role, filter(_is_said, path)))
    kept = [n for n in range(last) if path[n]["id"] == path[last].get("firstKeptEntryId")]
    told = (path[kept[0] : last] if kept else []) + path[last + 1 :]
    return ["compactionSummary", *map(_role, filter(_is_said, told))]


def _is_said(entry: dict[str, Any]) -> bool:
    return entry["type"] in ("message", "custom_message")


def _role(entry: dict[str, Any]) -> str:
    return entry["message"]["role"] if entry["type"] == "message" else "custom"


def forked(bench: Bench, path: Path) -> tuple[bytes, bytes, SessionTree]:
    """A session and its fork at the leaf as files of pi, and the session."""
    [session] = bench.services.importing.import_paths([path]).result().sessions
    session_tree = bench.services.sessions.open(session.key).result()
    assert session_tree.session.leaf is not None
    fork = bench.services.branching.fork(session.key, session_tree.session.leaf).result()
    written = [bench.services.exporting.to_bytes(key, "pi").result() for key in (session.key, fork.key)]
    return written[0], written[1], session_tree


@pytest.mark.parametrize("version", [None, 2])
def test_a_fork_of_an_older_version_is_written_in_the_words_of_the_newest(bench: Bench, version: int | None) -> None:
    hook = {"role": "hookMessage", "customType": "h", "content": "x", "display": True}
    records = [header(version), old_said("1"), old_said("2", "assistant"), old_said("3"), old(message=hook)]
    compaction = old("compaction", summary="so far", firstKeptEntryIndex=3, tokensBefore=10)
    records += [compaction, old_said("after")]
    if version is not None:
        for at, each in enumerate(records[1:]):
            each |= {"id": f"e{at}", "parentId": f"e{at - 1}" if at else None}
        compaction["firstKeptEntryId"] = "e2"
        del compaction["firstKeptEntryIndex"]
    path = bench.folder / "old.jsonl"
    path.write_bytes(lines(*records))
    _, fork, _ = forked(bench, path)
    assert seen_by_pi(fork) == ["compactionSummary", "user", "custom", "user"]
    assert b"firstKeptEntryIndex" not in fork


def test_a_fork_of_a_fork_names_what_is_in_it(bench: Bench) -> None:
    """Ids that were made unique on import are those of the archive."""
    twice = [old_said("1") | {"id": "a", "parentId": None}, old_said("2") | {"id": "a", "parentId": "a"}]
    label = {"type": "label", "id": "l", "parentId": "a", "targetId": "a", "label": "here", "timestamp": "x"}
    path = bench.folder / "old.jsonl"
    path.write_bytes(lines(header(3), *twice, label, old_said("3") | {"id": "b", "parentId": "l"}))
    _, fork, _ = forked(bench, path)
    found = [json.loads(line) for line in fork.splitlines()]
    assert [entry.get("id") for entry in found[1:]] == ["a", "a~2", "l", "b"]
    assert found[3]["targetId"] == "a~2"


def test_a_fork_of_a_real_session_shows_pi_all_of_its_messages(bench: Bench, samples: Path) -> None:
    _, fork, session_tree = forked(bench, samples / "pi" / "before-compaction.jsonl")
    context = context_at(session_tree.tree, session_tree.tree.get(session_tree.session.leaf))
    assert len(seen_by_pi(fork)) == len(context.messages) == 446
