"""Sessions in several files of Claude Code that belong together are one lineage, and store what they share once."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.sessions.lineage import Relation, relation_of
from stemmata.domain.sessions.session import Session
from tests.fakes import open_webui
from tests.unit.services.conftest import Bench

Line = dict[str, Any]


def said(uuid: str, parent: str | None, at: int, **more: Any) -> Line:
    return {
        "type": "user", "uuid": uuid, "parentUuid": parent, "cwd": "/w",
        "timestamp": f"2026-01-01T00:00:{at:02}.000Z", "message": {"role": "user", "content": f"Say {uuid}"}, **more,
    }  # fmt: skip


def put(bench: Bench, session: str, lines: Sequence[Line], *, time: int) -> Path:
    path = bench.folder / "p" / f"{session}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps({"sessionId": session, **line}) + "\n" for line in lines), encoding="utf-8")
    os.utime(path, (time, time))
    return path


def imported(bench: Bench) -> dict[str, Session]:
    report = bench.services.importing.import_paths([bench.folder / "p"]).result()
    assert report.skipped_files == ()
    return {one.source_id: one for one in bench.services.sessions.all().result()}


def parents(bench: Bench, session: Session) -> dict[str, str | None]:
    tree = bench.services.sessions.open(session.key).result().tree
    rows = bench.services.entries.rows([tree.key(at) for at in range(len(tree))]).result()
    return {row.id: bench.id_of(row.parent) for row in rows.values()}


TALK = [said("a", None, 1), said("b", "a", 2), said("c", "b", 3)]


def test_a_fork_comes_from_the_older_file_whatever_their_names(bench: Bench) -> None:
    put(bench, "z-origin", [*TALK, said("d", "c", 4)], time=100)
    put(bench, "a-fork", [*TALK, said("e", "c", 9)], time=200)
    found = imported(bench)
    origin, fork = found["z-origin"], found["a-fork"]
    assert (origin.parent, fork.parent) == (None, origin.key)
    assert relation_of(fork, origin) is Relation.FORKED
    assert parents(bench, fork) == {"a": None, "b": "a", "c": "b", "e": "c"}
    assert bench.services.sessions.totals().result()["entries"] == 5


def test_a_session_that_goes_on_in_a_new_file_hangs_from_the_old_one(bench: Bench) -> None:
    put(bench, "z-first", TALK, time=100)
    put(bench, "a-second", [said("d", "c", 9), said("e", "d", 10)], time=200)
    found = imported(bench)
    assert found["a-second"].parent == found["z-first"].key
    assert parents(bench, found["a-second"]) == {"a": None, "b": "a", "c": "b", "d": "c", "e": "d"}
    assert bench.services.sessions.totals().result()["entries"] == 5
    assert bench.services.sessions.check().result() == []


def test_a_compaction_that_begins_a_new_file_hangs_from_the_old_one(bench: Bench) -> None:
    put(bench, "z-first", TALK, time=100)
    boundary = {
        "type": "system", "subtype": "compact_boundary", "uuid": "x", "parentUuid": None, "logicalParentUuid": "c",
        "cwd": "/w", "timestamp": "2026-01-01T00:01:00.000Z", "content": "Conversation compacted",
        "compactMetadata": {"trigger": "auto", "preTokens": 1000},
    }  # fmt: skip
    summary = said("s", "x", 61 % 60, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    put(bench, "a-second", [boundary, summary, said("e", "s", 30)], time=200)
    found = imported(bench)
    assert found["a-second"].parent == found["z-first"].key
    tree = parents(bench, found["a-second"])
    assert {"a", "b", "c", "s", "e"} <= tree.keys()
    assert bench.services.sessions.totals().result()["entries"] == len(tree)


def test_a_file_whose_first_line_names_what_nobody_has_is_a_session_of_its_own(bench: Bench) -> None:
    put(bench, "one", [said("d", "c", 9)], time=100)
    [found] = imported(bench).values()
    assert (found.parent, parents(bench, found)) == (None, {"d": None})


def test_a_cloned_chat_of_open_webui_comes_from_the_first_one(bench: Bench) -> None:
    def record(id: str, *ids: str, **more: Any) -> dict[str, Any]:
        listed = [open_webui.message(one, ids[n - 1] if n else None, "user", one) for n, one in enumerate(ids)]
        return open_webui.record(open_webui.chat(*listed, **more), id)

    path = bench.folder / "p" / "chat-export-1.json"
    path.parent.mkdir()
    clone = record("clone", "a", "b", "d", originalChatId="first", branchPointMessageId="b")
    path.write_bytes(open_webui.export(record("first", "a", "b", "c"), clone))
    found = imported(bench)
    assert found["clone"].parent == found["first"].key
    assert parents(bench, found["clone"]) == {"a": None, "b": "a", "d": "b"}
    assert bench.services.sessions.totals().result()["entries"] == 4


def test_a_branch_of_chatgpt_shares_what_it_takes_over(bench: Bench) -> None:
    """An export begins with the newest conversation, which is the branch."""

    def conversation(id: str, origin: str, own: str) -> dict[str, Any]:
        def message(text: str, time: int, **metadata: str) -> dict[str, Any]:
            content = {"content_type": "text", "parts": [text]}
            return {"author": {"role": "user"}, "content": content, "create_time": time, "metadata": metadata}

        nodes = {
            "r": {"id": "r", "parent": None, "message": None},
            "a": {"id": "a", "parent": "r", "message": message("Tea?", 1)},
            "b": {"id": "b", "parent": "a", "message": message("Green?", 2)},
            own: {"id": own, "parent": "b", "message": message(own, 3, branching_from_conversation_id=origin)},
        }
        return {"conversation_id": id, "title": id, "create_time": 1, "update_time": 3, "mapping": nodes}

    path = bench.folder / "p" / "conversations.json"
    path.parent.mkdir()
    path.write_text(json.dumps([conversation("branch", "origin", "c"), conversation("origin", "", "d")]))
    found = imported(bench)
    assert found["branch"].parent == found["origin"].key
    assert relation_of(found["branch"], found["origin"]) is Relation.FORKED
    assert parents(bench, found["branch"]) == {"a": None, "b": "a", "c": "b"}
    assert bench.services.sessions.totals().result()["entries"] == 4
    assert bench.services.sessions.check().result() == []
