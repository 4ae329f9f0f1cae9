"""Older copies of sessions whose source does not say when they changed: they move no leaf and change no title."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from stemmata.domain.sessions.session import Session
from tests.fakes import ai_studio, grok
from tests.fakes.message_logs import droid, droid_start, lines
from tests.unit.services.conftest import Bench


def _ai_studio(*texts: str) -> bytes:
    return ai_studio.chat(*(ai_studio.said(text, "user") for text in texts))


def _grok(*texts: str) -> bytes:
    said = [grok.said(text, texts[at - 1] if at else None, text) for at, text in enumerate(texts)]
    facts = {"id": "c", "title": f"Tea {len(texts)}"}
    conversation = {"conversation": facts, "responses": [{"response": one} for one in said]}
    return json.dumps({"conversations": [conversation]}).encode()


def _droid(*texts: str) -> bytes:
    return lines(droid_start(title=f"Tea {len(texts)}"), *(droid(text, "user", text) for text in texts))


COPIES: dict[str, tuple[str, Callable[..., bytes]]] = {
    "ai-studio": ("Tea", _ai_studio),
    "grok": ("prod-grok-backend.json", _grok),
    "droid": ("5e55.jsonl", _droid),
}


def taken(bench: Bench, folder: str, name: str, data: bytes) -> tuple[Session, bool]:
    """Import a file; return its session, and whether the report calls the file an older copy."""
    path = bench.folder / folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    [report] = bench.services.importing.import_paths([path]).result().sessions
    [session] = bench.services.sessions.all().result()
    return session, report.older


def facts(session: Session) -> tuple[Any, ...]:
    return session.title, session.leaf, session.entries, session.branches


@pytest.mark.parametrize("folder", ["now", "copy"])
@pytest.mark.parametrize("source", COPIES)
def test_an_older_copy_moves_no_leaf_and_changes_no_title(bench: Bench, source: str, folder: str) -> None:
    name, made = COPIES[source]
    now, _ = taken(bench, "now", name, made("a", "b", "c"))
    copy, older = taken(bench, folder, name, made("a", "b"))
    assert (facts(copy), older) == (facts(now), True)
    grown, older = taken(bench, "now", name, made("a", "b", "c", "d"))
    assert (grown.entries, grown.leaf != now.leaf, older) == (now.entries + 1, True, False)


def test_a_copy_without_entries_is_an_older_one(bench: Bench) -> None:
    now, _ = taken(bench, "now", "5e55.jsonl", _droid("a", "b"))
    copy, older = taken(bench, "copy", "5e55.jsonl", _droid())
    assert (facts(copy), older) == (facts(now), True)


def test_a_log_that_has_no_entries_yet_is_no_older_copy(bench: Bench) -> None:
    empty, older = taken(bench, "now", "5e55.jsonl", _droid())
    assert (facts(empty), older) == (("Tea 0", None, 0, 0), False)


def test_an_older_copy_is_known_after_the_leaf_was_moved_here(bench: Bench) -> None:
    now, _ = taken(bench, "now", "5e55.jsonl", _droid("a", "b", "c"))
    first = bench.key(bench.services.sessions.open(now.key).result(), "a")
    bench.services.branching.move_leaf(now.key, first).result()
    copy, older = taken(bench, "copy", "5e55.jsonl", _droid("a", "b"))
    assert (copy.title, copy.leaf, older) == ("Tea 3", first, True)


def test_a_new_title_is_taken_though_the_log_lacks_entries_of_another_branch(bench: Bench) -> None:
    taken(bench, "now", "5e55.jsonl", _droid("a", "b"))
    other, _ = taken(bench, "now", "5e55.jsonl", _droid("a", "c"))
    renamed = lines(droid_start(title="Renamed"), droid("a", "user", "a"), droid("c", "user", "c"))
    after, older = taken(bench, "now", "5e55.jsonl", renamed)
    assert (after.title, after.leaf, after.entries, older) == ("Renamed", other.leaf, 3, False)
