"""Searches remember the active paths of sessions, and read a path again when its session has changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from stemmata.domain.search.branches import Branch
from stemmata.domain.search.query import parse
from stemmata.services.search import searching as searching_module
from stemmata.store.search import search as search_module
from stemmata.store.search.search import SearchRepository
from tests.unit.services.conftest import Bench

NOW = datetime(2026, 11, 25)


def line(id: str, parent: str | None, text: str) -> dict[str, object]:
    message = {"role": "user", "content": text}
    return {"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00Z", "message": message}


def records(name: str) -> list[dict[str, object]]:
    head = {"type": "session", "version": 3, "id": name, "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x"}
    said = [(f"{name}a", None), (f"{name}b", f"{name}a"), (f"{name}c", f"{name}a"), (f"{name}d", f"{name}c")]
    return [head, *(line(id, parent, f"zebra {id}") for id, parent in said)]


def abandoned(bench: Bench) -> set[str]:
    query = parse("zebra in:abandoned", NOW)
    found = bench.services.searching.find(query).result()
    return {found.read[hit.entry].id for hit in found.hits}


def test_the_path_is_read_again_after_the_leaf_moved(bench: Bench) -> None:
    session_tree = bench.imported(records("s"))
    assert abandoned(bench) == {"sb"}
    assert abandoned(bench) == {"sb"}
    other = bench.services.entries.key(session_tree.session.key, "sb").result()
    bench.services.branching.move_leaf(session_tree.session.key, other).result()
    assert abandoned(bench) == {"sc", "sd"}


def test_sessions_without_abandoned_branches_are_left_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session is left out only if nothing of it can be abandoned, whatever was done to it."""
    head, *said = records("p")
    bench.imported([head, said[0], said[1]], "p.jsonl")  # it has one branch
    back = bench.imported([{**head, "id": "q"}, *said[:2]], "q.jsonl").session.key
    bench.services.branching.move_leaf(back, bench.services.entries.key(back, "pa").result()).result()
    thrown = bench.imported(records("t"), "t.jsonl").session.key
    bench.services.branching.trash(thrown, bench.services.entries.key(thrown, "tb").result(), on=True).result()
    left: list[list[int] | None] = []
    sessions = SearchRepository._sessions

    def noted(self: SearchRepository, *given: Any, **more: Any) -> list[int] | None:
        left.append(sessions(self, *given, **more))
        return left[-1]

    with monkeypatch.context() as patched:
        patched.setattr(SearchRepository, "_sessions", noted)
        found = abandoned(bench)
    assert left == [[back, thrown]]
    monkeypatch.setattr(search_module, "_MAY_BE_LEFT", "1")
    assert abandoned(bench) == found == {"pb", "tb"}


def test_branches_of_hits_are_numbered_session_by_session(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "st":
        bench.imported(records(name), f"{name}.jsonl")
    searching = bench.services.searching
    hits = searching.find(parse("zebra in:abandoned", NOW)).result().hits
    assert len(hits) == 2
    found = searching.branches(hits, lambda: False).result()
    assert found == {hits[0].entry: Branch(1)}
    monkeypatch.setattr(searching_module, "NUMBERED", 3)
    assert searching.branches(hits, lambda: False).result() == {}


def test_only_so_many_paths_are_remembered(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching_module, "KEPT_PATHS", 2)
    for name in "stu":
        bench.imported(records(name), f"{name}.jsonl")
    assert abandoned(bench) == {"sb", "tb", "ub"}
    assert len(bench.services.searching._paths) == 2
