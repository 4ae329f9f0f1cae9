"""Sessions of Goose: what the model sees, compactions, tools, tokens, forks, subagents, older tables and files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.lineage import Relation, relation_of
from stemmata.domain.sources.reading import End, Skipped, Unchanged, UnusedPart
from stemmata.formats.goose.format import GOOSE
from stemmata.formats.goose.reader import Goose
from stemmata.formats.registry import standard_formats
from tests.fakes import goose as fake
from tests.fakes.goose import AT, GO_ON, GONE, HIDDEN, OLDER, UNSEEN, Store, call, line, lines, lost, response, text
from tests.unit.formats.archived import archived
from tests.unit.formats.database_sessions import Found, read_sessions

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SECOND = 1_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "sessions.db")
    yield made
    made.close()


def read(store: Store, session: str = "s") -> Found:
    return read_sessions(Goose(), store.path).sessions[session]


def test_a_session(store: Store) -> None:
    store.session(name="Tea", provider_name="p", model_config_json='{"model_name": "m"}')
    store.said("a", "user", "Which?", at=1)
    store.said("b", "assistant", "Sencha.", at=2)
    one = read(store)
    first, second = one.entries.values()
    assert (first.id, first.role, first.parent, first.time) == ("a", Role.USER, None, (AT + 1) * SECOND)
    assert (second.role, second.parent, second.flags) == (Role.ASSISTANT, "a", Flag.ENDS_TURN)
    assert (second.provider, second.model, one.end.leaf) == ("p", "m", "b")
    info = one.begin.info
    assert (info.source, info.source_id, info.title, info.cwd) == ("goose", "s", "Tea", "/w/tea")
    record = second.record
    assert record is not None
    assert json.loads(one.raw[record.offset : record.offset + record.size])["content"] == [text("Sencha.")]


@pytest.mark.parametrize("name", ["", "CLI Session", "New Chat", "New session 3"])
def test_a_session_that_nobody_named_has_no_title(store: Store, name: str) -> None:
    store.session(name=name, session_type="scheduled", schedule_id="daily")
    info = read(store).begin.info
    assert info.title == ""
    assert {"type": "scheduled", "schedule": "daily"}.items() <= json.loads(info.details).items()


@pytest.mark.parametrize(("mark", "is_named"), [(None, False), (0, False), (1, True)])
def test_a_name_that_a_person_gave_is_told_apart(store: Store, mark: int | None, is_named: bool) -> None:
    store.session(name="Tea", user_set_name=mark)
    info = read(store).begin.info
    assert (info.title, info.named) == ("Tea", is_named)


def test_content_of_every_kind(store: Store) -> None:
    store.session()
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    failed = {"type": "toolRequest", "id": "d", "toolCall": {"status": "error", "error": "no such tool"}}
    front = {**call("e"), "type": "frontendToolRequest"}
    store.said("a", "user", "Look", "", picture, {"type": "image", "data": 5}, {"type": "odd"}, {})
    store.said(
        "b", "assistant", {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "redactedThinking", "data": "r"}, {"type": "reasoning", "text": "So."}, call("c", x=1), failed,
        front,
    )  # fmt: skip
    prompt, asked = read(store).entries.values()
    assert [type(block) for block in prompt.blocks] == [Text, Image, UnknownBlock, UnknownBlock, UnknownBlock]
    assert asked.blocks == (
        Thinking("Hm.", "s"), Thinking("", "r", redacted=True), Thinking("So."),
        ToolCall("c", "developer__shell", '{"x":1}'), ToolCall("d", "", '{"error":"no such tool"}'),
        ToolCall("e", "developer__shell", "{}"),
    )  # fmt: skip
    assert asked.flags == Flag.NONE
    assert len(read(store).blobs) == 1


def test_results_have_what_the_model_was_told(store: Store) -> None:
    store.session()
    store.said("a", "assistant", call("c"))
    model = {**text("for the model"), "annotations": {"audience": ["assistant"]}}
    person = {**text("for the person"), "audience": ["user"]}
    older = {"type": "toolResponse", "id": "x", "toolResult": {"status": "success", "value": [text("older")]}}
    error = {"type": "toolResponse", "id": "y", "toolResult": {"status": "error", "error": "bad"}}
    empty = {"type": "toolResponse", "id": "z", "toolResult": {}}
    store.said(
        "b", "user", response("c", model, person), response("c", person, isError=True), older, error, empty,
        response("c", {"type": "resource", "resource": {"text": "R"}}, {"type": "audio"},
                 {"type": "image", "data": PIXEL, "mimeType": "image/png"}),
        "And?",
    )  # fmt: skip
    _, *results, said = read(store).entries.values()
    assert [one.id for one in results] == ["b", "b#2", "b#3", "b#4", "b#5", "b#6"]
    assert [one.blocks for one in results[:5]] == [
        (Text("for the model"),), (Text("for the person"),), (Text("older"),), (Text("bad"),), (),
    ]  # fmt: skip
    assert [bool(one.flags & Flag.FAILED) for one in results] == [False, True, False, True, False, False]
    assert (results[0].tool, results[0].call, results[2].tool) == ("developer__shell", "c", "")
    assert [type(block) for block in results[5].blocks] == [Text, UnknownBlock, Image]
    assert (said.role, said.blocks) == (Role.USER, (Text("And?"),))


def test_notices_are_not_part_of_the_conversation(store: Store) -> None:
    store.session()
    ask = {"type": "actionRequired", "data": {"actionType": "elicitation", "message": "How many?"}}
    store.said("a", "assistant", {"type": "systemNotification", "msg": "Compacting"})
    store.said("b", "user", ask)
    store.said("c", "assistant", {"type": "toolConfirmationRequest", "id": "c", "toolName": "shell"})
    store.said("d", "robot", "?")
    store.said("e", "user")
    found = list(read(store).entries.values())
    assert [(one.kind, one.name) for one in found] == [
        (Kind.CUSTOM, "goose:systemNotification"), (Kind.CUSTOM, "goose:actionRequired"),
        (Kind.CUSTOM, "goose:toolConfirmationRequest"), (Kind.UNKNOWN, "robot"), (Kind.MESSAGE, ""),
    ]  # fmt: skip
    assert [one.blocks for one in found[:3]] == [(Text("Compacting"),), (Text("How many?"),), ()]
    assert found[2].flags == Flag.HIDDEN


def test_the_type_of_content_may_be_anything(store: Store) -> None:
    store.session()
    store.said("a", "user", {"type": {"text": "x"}}, {"type": ["text"]}, {"type": None})
    [entry] = read(store).entries.values()
    assert [type(block) for block in entry.blocks] == [UnknownBlock] * 3


def test_content_that_is_no_list_is_text(store: Store) -> None:
    store.session()
    store.said("a", "user", content_json='"Hi"')
    store.said("b", "user", content_json="null")
    store.said("c", "user", content_json='["x", 5]')
    assert read(store).said() == ["Hi", "x\n5"]
    assert read(store).skipped == ["message b: its content is not valid JSON"]


def test_the_model_sees_the_summary_after_a_compaction(store: Store, tmp_path: Path) -> None:
    fake.fill(store)
    one = read(store)
    assert [entry.kind for entry in one.entries.values()] == [
        *[Kind.MESSAGE] * 4, Kind.CUSTOM, Kind.COMPACTION, *[Kind.MESSAGE] * 3,
    ]  # fmt: skip
    assert one.entries["h"].flags == Flag.ENDS_TURN
    assert not any(entry.flags & Flag.EXCLUDED for entry in one.entries.values())
    with archived(tmp_path) as archive:
        archive.take(store.path)
        assert archive.sent("s") == ["They like Sencha.", GO_ON.replace("\n", " "), "Why?", "It is green."]
        assert archive.sent("s", "Sencha.") == ["Which tea?", "I look.", "Sencha", "Sencha."]


def test_compactions_that_follow_each_other(store: Store, tmp_path: Path) -> None:
    """The first summary is hidden from the model again. What a later compaction leaves visible is still sent."""
    store.session()
    store.said("a", "user", "a", at=1, seen=GONE)
    store.said("b", "user", "S1", at=2, seen=GONE)
    store.said("c", "assistant", GO_ON, at=2, seen=GONE)
    store.said("d", "user", "d", at=3, seen=UNSEEN)
    store.said("e", "user", "e", at=4)
    store.said("f", "user", "f", at=5, seen=UNSEEN)
    store.said("g", "user", "S2", at=6, seen=HIDDEN)
    store.said("h", "assistant", GO_ON, at=6, seen=HIDDEN)
    store.said("i", "user", "i", at=7, seen=UNSEEN)
    found = read(store).entries
    assert [id for id, entry in found.items() if entry.kind is Kind.COMPACTION] == ["b", "g"]
    assert [id for id, entry in found.items() if entry.flags & Flag.EXCLUDED] == ["f", "i"]
    assert (found["b"].target, found["g"].target) == (None, "e")
    with archived(tmp_path) as archive:
        archive.take(store.path)
        assert archive.sent("s")[:2] == ["S2", "e"]


def test_a_summary_is_known_without_the_reply_behind_it(store: Store) -> None:
    store.session()
    store.said("a", "user", "a", seen=UNSEEN)
    store.said("b", "user", "S", at=1, seen=HIDDEN)
    store.said("c", "user", "Pairs of calls.", at=2, seen=HIDDEN)
    store.said("d", "user", response("x", text("old")), at=3, seen=GONE)
    store.said("e", "assistant", "ok", at=4)
    found = read(store).entries
    assert (found["b"].kind, found["c"].kind, found["c"].flags) == (Kind.COMPACTION, Kind.MESSAGE, Flag.INJECTED)
    assert found["d"].flags == Flag.EXCLUDED


def test_a_hidden_first_message_is_no_summary(store: Store) -> None:
    store.session()
    store.said("a", "user", "From a recipe.", seen=HIDDEN)
    store.said("b", "assistant", "Yes.", at=1, seen=HIDDEN)
    assert [entry.flags for entry in read(store).entries.values()] == [Flag.INJECTED, Flag.ENDS_TURN]


def test_tokens_of_each_request(store: Store) -> None:
    fake.fill(store)
    store.spent(6, 300, 20, is_compaction=1, cache_read_tokens=100, total_tokens=420, model="small")
    store.spent(9, 1, 1)
    found = read(store).entries
    assert {id: entry.usage for id, entry in found.items() if entry.usage} == {
        "b": Usage(30, 5, 60, cost=500_000), "j": Usage(40, 4, cost=500_000), "g": Usage(total=400, cost=500_000),
    }  # fmt: skip
    assert (found["b"].model, found["g"].model) == ("m", "small")


def test_older_databases_know_only_the_last_request(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "sessions.db", OLDER)) as store:
        for at, (id, tokens) in enumerate({"s": 90, "t": 90, "u": 0}.items()):
            store.add(
                "sessions", id=id, description="Tea", working_dir="/w", created_at=fake.stamp(at),
                updated_at=fake.stamp(at), input_tokens=tokens, output_tokens=tokens and 5,
                total_tokens=tokens and 95,
            )  # fmt: skip
        for session, role in (("s", "user"), ("s", "assistant"), ("t", "user"), ("u", "assistant")):
            row = {"session_id": session, "role": role, "content_json": json.dumps([text(session)])}
            store.add("messages", created_timestamp=AT, **row)
        found = read_sessions(Goose(), store.path).sessions
        assert found["s"].begin.info.title == "Tea"
        assert list(found["s"].entries) == ["msg_s_1", "msg_s_2"]  # as Goose itself names them later
        usages = {id: [entry.usage for entry in one.entries.values()] for id, one in found.items()}
        assert usages == {"s": [None, Usage(90, 5, total=95)], "t": [None], "u": [None]}
        assert standard_formats(tmp_path, {}).identify(store.path) == GOOSE.name


def test_messages_with_the_same_id(store: Store) -> None:
    store.session()
    store.said("a", "assistant", "One", call("c"))
    store.said("a", "assistant", call("d"))
    assert read(store).parents == {"a": None, "a/2": "a"}


def test_ids_of_messages_that_are_taken(store: Store) -> None:
    store.session()
    for at, id in enumerate(("a/2", "a", "a")):
        store.said(id, "user", "Said", at=at)
    store.said("b", "assistant", call("c"), response("c", text("found")), text("Done"), at=3)
    store.said("b#2", "user", "Thanks", at=4)
    assert read(store).parents == {
        "a/2": None, "a": "a/2", "a/2~2": "a", "b": "a/2~2", "b#2~2": "b", "b#3": "b#2~2", "b#2": "b#3",
    }  # fmt: skip


def test_forks_share_their_beginning_and_subagents_belong_to_their_session(store: Store, tmp_path: Path) -> None:
    fake.fill(store)
    with archived(tmp_path) as archive:
        archive.take(store.path)
        sessions = archive.sessions()
        assert set(sessions) == {"s", "t", "s/u"}
        assert [sessions[id].parent for id in ("t", "s/u")] == [sessions["s"].key] * 2
        assert relation_of(sessions["t"], sessions["s"]) is Relation.FORKED
        assert relation_of(sessions["s/u"], sessions["s"]) is Relation.SPAWNED
        assert archive.above("t") == {"Which tea?": None, "Another?": "Which tea?"}


def test_parents_of_subagents_may_be_damaged(store: Store) -> None:
    store.session("a", session_type="sub_agent", parent_session_id="b")
    store.session("b", session_type="sub_agent", parent_session_id="a")
    store.session("c", session_type="sub_agent", parent_session_id="gone")
    store.session("d", session_type="sub_agent")
    store.session("e", parent_session_id="e")
    found = [one.begin.info for one in read_sessions(Goose(), store.path).sessions.values()]
    assert {one.source_id: one.parent_source_id for one in found} == {
        "b/a": "a/b", "a/b": "b/a", "gone/c": "gone", "d": "", "e": "",
    }  # fmt: skip


def test_what_goose_deletes_stays_as_a_branch(store: Store, tmp_path: Path) -> None:
    store.session()
    for at, said in enumerate("abc"):
        store.said(said, "user", said, at=at)
    with archived(tmp_path) as archive:
        archive.take(store.path)
        store.connection.execute("DELETE FROM messages WHERE message_id IN ('b', 'c')")
        store.said("d", "user", "d", at=5)
        archive.take(store.path)
        assert archive.above("s") == {"a": None, "b": "a", "c": "b", "d": "a"}
        assert archive.sent("s") == ["a", "d"]


def test_a_database_in_use(store: Store) -> None:
    """Goose may be writing: what it has committed is read, and nothing beside the database changes."""
    store.connection.execute("PRAGMA journal_mode = WAL")
    store.session()
    store.said("a", "user", "a")
    store.connection.execute("BEGIN IMMEDIATE")
    store.said("b", "user", "b")
    before = sorted(path.name for path in store.path.parent.iterdir())
    reader = Goose()
    first = read_sessions(reader, store.path)
    assert list(first.sessions["s"].entries) == ["a"]
    assert not reader.companions_changed(store.path, first.checkpoint)
    store.connection.execute("COMMIT")
    assert reader.companions_changed(store.path, first.checkpoint)
    assert list(read_sessions(reader, store.path, first.checkpoint).sessions["s"].entries) == ["a", "b"]
    assert sorted(path.name for path in store.path.parent.iterdir()) == before


def test_messages_of_no_session_are_reported(store: Store) -> None:
    store.session()
    store.said("a", "user", "a", session="gone")
    store.session(None)  # in SQL, nothing is outside of a list with NULL
    [part] = read_sessions(Goose(), store.path).unused
    assert (part.where, part.damaged) == ("messages: 1", True)


def test_only_changed_sessions_are_read_again(store: Store) -> None:
    fake.fill(store)
    first = read_sessions(Goose(), store.path)
    again = read_sessions(Goose(), store.path, first.checkpoint)
    assert (again.sessions, again.last) == ({}, Unchanged(3, again.checkpoint, frozenset("stu")))
    store.said("m", "user", "m", at=10, session="t")
    store.spent(10, 5, 5)
    assert list(read_sessions(Goose(), store.path, first.checkpoint).sessions) == ["s", "t"]


# -- files of older versions -----------------------------------------------------------------------------------------


def events(path: Path) -> list[Any]:
    return list(Goose().read(path, None))


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "20250724_1.jsonl"
    path.write_bytes(fake.log())
    found = events(path)
    info, end = found[0].info, found[-1]
    assert (info.source_id, info.title, info.cwd, info.created_at > 0) == ("20250724_1", "Tea", "/w/tea", True)
    entries = [event for event in found if isinstance(event, Entry)]
    assert [entry.blocks for entry in entries] == [(Text("Which tea?"),), (Text("Sencha."),), (Text("x"),)]
    assert (entries[1].id, entries[1].parent, end.leaf) == ("b", entries[0].id, entries[2].id)
    assert standard_formats(tmp_path, {}).identify(path) == "goose"


def test_a_file_without_facts_and_with_damage(tmp_path: Path) -> None:
    path = tmp_path / "20250724_1.jsonl"
    said = line("user", "a")
    path.write_bytes(lines(said, said, {"role": "user"}) + b"{\n" + b'{"role":')
    found = events(path)
    assert found[0].info.created_at == AT * SECOND
    assert [event.reason for event in found if isinstance(event, Skipped)] == [
        "not a message of Goose", "not valid JSON", "not valid JSON: the file ends inside this line",
    ]  # fmt: skip
    first, second = (event for event in found if isinstance(event, Entry))
    assert second.id == f"{first.id}/2"
    assert standard_formats(tmp_path, {}).identify(path) == "goose"
    assert not Goose().sniff(lines({**said, "type": "message"}), path)


def test_messages_of_a_file_with_damaged_facts_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "20250724_1.jsonl"
    good = line("user", "a", id="x/2")
    damaged = [{**good, "id": "x", "created": when} for when in (None, 1.5, 10**30)]
    path.write_bytes(lines(good, *damaged, {**good, "id": "y", "role": 5}, {**good, "id": "z", "content": "b"}))
    found = events(path)
    assert not [event for event in found if isinstance(event, Skipped)]
    entries = [event for event in found if isinstance(event, Entry)]
    assert [entry.id for entry in entries] == ["x/2", "x", "x/2~2", "x/3", "y", "z"]
    assert (entries[4].kind, entries[5].blocks) == (Kind.UNKNOWN, (Text("b"),))


def test_a_file_that_the_database_has_taken_over_is_not_read_again(store: Store, tmp_path: Path) -> None:
    store.session("20250724_1")
    store.said("a", "user", "Which tea?", session="20250724_1")
    path, other = tmp_path / "20250724_1.jsonl", tmp_path / "20250724_2.jsonl"
    path.write_bytes(fake.log())
    other.write_bytes(fake.log())
    part, last = events(path)
    assert isinstance(part, UnusedPart)
    assert (part.where, part.damaged, last.sessions, last.ids) == ("session 20250724_1", False, 1, {"20250724_1"})
    assert isinstance(events(other)[-1], End)
    store.path.write_bytes(b"no database")
    assert isinstance(events(path)[-1], End)
    with archived(tmp_path) as archive:
        store.path.write_bytes(fake.packed())
        archive.take(path, other, store.path)
        archive.take(path, other, store.path)
        assert set(archive.sessions()) == {"20250724_1", "20250724_2", "s", "t", "s/u"}


@pytest.mark.parametrize(
    ("place", "environment"),
    [
        (".local/share/goose", {}), ("Library/Application Support/Block/goose", {}),
        ("AppData/Roaming/Block/goose/data", {}), ("x/goose", {"XDG_DATA_HOME": "{}/x"}),
        ("r/Block/goose/data", {"APPDATA": "{}/r"}), ("g/data", {"GOOSE_PATH_ROOT": "{}/g"}),
        (".local/share/goose", {"GOOSE_PATH_ROOT": "g"}),
    ],
)  # fmt: skip
def test_its_folders(tmp_path: Path, place: str, environment: dict[str, str]) -> None:
    moved = {name: value.format(tmp_path) for name, value in environment.items()}
    folder = tmp_path / place / "sessions"
    folder.mkdir(parents=True)
    (folder / "sessions.db").write_bytes(fake.packed())
    (folder / "20250724_1.jsonl").write_bytes(fake.log())
    formats = standard_formats(tmp_path, moved)
    [found] = formats.discover()
    assert (found.source, found.name, found.folder, len(found.files)) == ("goose", "Goose", str(folder), 2)
    assert formats.session_file(folder / "sessions.db-wal") == folder / "sessions.db"
    assert formats.resume_command("goose", "s", "")[-2:] == ("--session-id", "s")


def test_a_file_is_known_by_its_content_and_not_by_its_ending(tmp_path: Path) -> None:
    log, database = tmp_path / "mine.txt", tmp_path / "mine.jsonl"
    log.write_bytes(fake.log())
    database.write_bytes(fake.packed())
    assert any(isinstance(event, Entry) for event in events(log))
    assert list(read_sessions(Goose(), database).sessions) == ["s", "t", "s/u"]


def test_everything_at_once(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    path.write_bytes(fake.packed())
    found = read_sessions(Goose(), path)
    assert {id: len(one.entries) for id, one in found.sessions.items()} == {"s": 9, "t": 2, "s/u": 1}
    assert lost(Goose().read(path, None)) == []


def test_the_samples(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((samples / "goose" / "goose.sql").read_text())
    [one] = read_sessions(Goose(), path).sessions.values()
    assert one.said() == ["inspect the sqlite fixture", "the sqlite rows are readable"]
    assert lost(Goose().read(path, None)) == []
    found = events(samples / "goose" / "20250724_1.jsonl")
    assert [event.id for event in found if isinstance(event, Entry)] == ["msg1", "msg2"]
