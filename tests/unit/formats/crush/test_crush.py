"""Sessions of Crush: parts of every kind, summaries, replies that are being written, subagents, older tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.lineage import Relation, relation_of
from stemmata.domain.sources.reading import Unchanged
from stemmata.formats.crush.format import CRUSH
from stemmata.formats.crush.reader import Crush
from stemmata.formats.crush.sessions import ABANDONED
from stemmata.formats.registry import standard_formats
from tests.fakes import crush as fake
from tests.fakes.crush import AT, OLDER, PIXEL, Store, attached, call, finish, lost, part, result, text
from tests.unit.formats.archived import archived
from tests.unit.formats.database_sessions import Found, read_sessions

SECOND = 1_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "tea" / ".crush" / "crush.db")
    yield made
    made.close()


def read(store: Store, session: str = "s") -> Found:
    return read_sessions(Crush(), store.path).sessions[session]


def entries(store: Store) -> list[Entry]:
    return list(read(store).entries.values())


@pytest.mark.parametrize("ids", [("b", "b#2"), ("b#2", "b")])
def test_the_id_of_a_message_is_that_of_no_part_of_another(store: Store, ids: tuple[str, str]) -> None:
    store.session()
    for at, id in enumerate(ids):
        store.said(id, "tool", result("t", f"{id} one"), result("u", f"{id} two"), at=at)
    found = {entry.id: entry.blocks for entry in entries(store)}
    assert found == {
        "b": (Text("b one"),), "b#2~2": (Text("b two"),), "b#2": (Text("b#2 one"),), "b#2#2": (Text("b#2 two"),),
    }  # fmt: skip


def test_a_session(store: Store, tmp_path: Path) -> None:
    store.session(prompt_tokens=90, completion_tokens=5, cost=0.25)
    store.said("a", "user", "Which?", at=1)
    store.said("b", "assistant", "Sencha.", at=2, provider="p")
    one = read(store)
    first, second = one.entries.values()
    assert (first.id, first.role, first.parent, first.time) == ("a", Role.USER, None, (AT + 1) * SECOND)
    assert (second.role, second.parent, second.flags) == (Role.ASSISTANT, "a", Flag.ENDS_TURN)
    assert (second.provider, second.model, second.usage, one.end.leaf) == ("p", "m", Usage(90, 5), "b")
    info = one.begin.info
    assert (info.source, info.source_id, info.title, info.cwd) == ("crush", "s", "Tea", str(tmp_path / "tea"))
    assert (json.loads(info.details)["cost"], info.created_at) == (0.25, AT * SECOND)
    record = second.record
    assert record is not None
    assert json.loads(one.raw[record.offset : record.offset + record.size])["parts"][0] == text("Sencha.")


def test_parts_of_every_kind(store: Store) -> None:
    store.session()
    store.said(
        "a", "user", "Look", text(""), attached("a.png", "image/png", b"x"), attached("b.txt", "text/plain", b"tea"),
        part("binary", Path="c", MIMEType="image/png", Data="?"), part("odd"), 5,
    )  # fmt: skip
    store.said(
        "b", "assistant", part("reasoning", thinking="Hm.", signature="s"),
        part("reasoning", thinking="", responses_data={"encrypted_content": "r"}), part("reasoning"),
        call("c", '{"x": 1}'), call("d", ""), call("e", "no JSON"), finish("tool_use"), at=1,
    )  # fmt: skip
    store.said(
        "c", "tool", result("c", "tea"), part("tool_result", tool_call_id="d", is_error=True),
        part("tool_result", tool_call_id="e", content="", data=PIXEL, mime_type="image/png"),
        part("tool_result", tool_call_id="e", data="?"), at=2,
    )  # fmt: skip
    store.said("d", "system", "Help.", at=3)
    store.said("e", "robot", "?", at=4)
    prompt, asked, *results, system, unknown = entries(store)
    kinds = [type(block) for block in prompt.blocks]
    assert kinds == [Image, Text, UnknownBlock, UnknownBlock, UnknownBlock, Text]
    assert [block.name for block in prompt.blocks if isinstance(block, Image)] == ["a.png"]
    assert prompt.blocks[1] == Text("b.txt:\n\ntea")
    assert asked.blocks == (
        Thinking("Hm.", "s"), Thinking("", "r", redacted=True), ToolCall("c", "view", '{"x":1}'),
        ToolCall("d", "view", "{}"), ToolCall("e", "view", '{"input":"no JSON"}'),
    )  # fmt: skip
    assert asked.flags == Flag.NONE
    assert [one.id for one in results] == ["c", "c#2", "c#3", "c#4"]
    assert [(one.role, one.call, one.tool) for one in results[:2]] == [
        (Role.TOOL_RESULT, "c", "view"), (Role.TOOL_RESULT, "d", ""),
    ]  # fmt: skip
    assert [bool(one.flags & Flag.FAILED) for one in results] == [False, True, False, False]
    assert [[type(block) for block in one.blocks] for one in results] == [[Text], [], [Image], [UnknownBlock]]
    assert (system.role, system.flags, unknown.kind, unknown.name) == (
        Role.SYSTEM,
        Flag.HIDDEN,
        Kind.UNKNOWN,
        "robot",
    )
    assert len(read(store).blobs) == 2


def test_prompts_that_crush_wrote_and_commands_of_the_person(store: Store) -> None:
    store.session()
    store.said("a", "user", text("Go on.", hidden=True))
    ran = part("shell_command", command="ls", output="tea", exit_code=0)
    store.said("b", "user", ran, at=1)
    store.said("c", "user", "See:", ran, part("shell_command", command="false", output="", exit_code=1), at=2)
    hidden, first, prompt, second, third = entries(store)
    assert hidden.flags == Flag.INJECTED
    assert [(one.id, one.role, one.name) for one in (first, prompt, second, third)] == [
        ("b", Role.BASH_EXECUTION, "ls"), ("c", Role.USER, ""), ("c#2", Role.BASH_EXECUTION, "ls"),
        ("c#3", Role.BASH_EXECUTION, "false"),
    ]  # fmt: skip
    assert (first.blocks, third.blocks, third.flags) == ((Text("tea"),), (), Flag.FAILED)


@pytest.mark.parametrize(
    ("reason", "flags"),
    [
        ("end_turn", Flag.ENDS_TURN), ("tool_use", Flag.NONE), ("canceled", Flag.ABORTED), ("error", Flag.FAILED),
        ("content_filter", Flag.FAILED), ("max_tokens", Flag.CUT), ("other", Flag.ENDS_TURN),
    ],
)  # fmt: skip
def test_how_a_reply_ended(store: Store, reason: str, flags: Flag) -> None:
    store.session()
    store.said("a", "assistant", text("x"), finish(reason, message="Provider error", details="400"))
    [entry] = entries(store)
    assert entry.flags == flags
    assert json.loads(entry.details) == {"message": "Provider error", "details": "400"}


def test_the_model_sees_the_last_summary_and_what_follows(store: Store, tmp_path: Path) -> None:
    fake.fill(store)
    found = read(store).entries
    assert (found["e"].kind, found["e"].blocks) == (Kind.COMPACTION, (Text("They like Sencha."),))
    assert found["g"].usage == Usage(90, 5)
    with archived(tmp_path) as archive:
        archive.take(store.path)
        assert archive.sent("s")[0] == "They like Sencha."
        assert len(archive.sent("s")) == 4
        assert archive.sent("s", "Sencha.") == ["Which tea?", "I look.", "Sencha", "Sencha."]


def test_a_summary_that_failed_is_a_reply(store: Store) -> None:
    store.session(prompt_tokens=1)
    store.said("a", "user", "x")
    store.said("b", "assistant", text("S"), finish("error"), at=1, is_summary_message=1)
    store.said("c", "assistant", text("S"), at=2, is_summary_message=1)
    assert [(entry.kind, entry.flags) for entry in entries(store)[1:]] == [
        (Kind.MESSAGE, Flag.FAILED), (Kind.MESSAGE, Flag.ABORTED),
    ]  # fmt: skip
    store.said("c", "assistant", "S", at=2, is_summary_message=1)
    assert entries(store)[-1].usage is None


def test_a_reply_that_is_being_written_is_held_back(store: Store) -> None:
    store.session()
    store.said("a", "user", "x")
    store.said("b", "assistant", text("I lo"), at=1)
    store.said("c", "tool", result("c", "tea"), at=2)
    at = (AT + 2) * SECOND + ABANDONED
    reader = Crush(lambda: at - 1)
    first = read_sessions(reader, store.path)
    assert list(first.sessions["s"].entries) == ["a"]
    assert not reader.companions_changed(store.path, first.checkpoint)
    assert list(read_sessions(reader, store.path, first.checkpoint).sessions) == ["s"]
    later = Crush(lambda: at)
    assert later.companions_changed(store.path, first.checkpoint)
    found = read_sessions(later, store.path, first.checkpoint)
    assert found.sessions["s"].parents == {"a": None, "b": "a", "c": "b"}
    assert found.sessions["s"].entries["b"].flags == Flag.ABORTED
    again = read_sessions(later, store.path, found.checkpoint)
    assert again.last == Unchanged(1, again.checkpoint, frozenset("s"))


def test_subagents_belong_to_the_session_that_began_them(store: Store, tmp_path: Path) -> None:
    fake.fill(store)
    store.session("x", 3, parent_session_id="b$$c", title="New Session")
    store.session("y", 4, parent_session_id="gone")
    store.session("z", 5, parent_session_id="z")
    found = {id: one.begin.info for id, one in read_sessions(Crush(), store.path).sessions.items()}
    assert {id: info.parent_source_id for id, info in found.items()} == {
        "s": "", "s/b$$c": "s", "s/x": "s/b$$c", "gone/y": "gone", "z": "",
    }  # fmt: skip
    assert (json.loads(found["s/b$$c"].details)["toolCall"], found["s/x"].title) == ("c", "")
    with archived(tmp_path) as archive:
        archive.take(store.path)
        sessions = archive.sessions()
        assert relation_of(sessions["s/b$$c"], sessions["s"]) is Relation.SPAWNED
        assert sessions["s/b$$c"].parent == sessions["s"].key


def test_a_database_in_use(store: Store) -> None:
    """Crush may be writing: what it has committed is read, and nothing beside the database changes."""
    store.connection.execute("PRAGMA journal_mode = WAL")
    store.session()
    store.said("a", "user", "a")
    store.connection.execute("BEGIN IMMEDIATE")
    store.said("b", "user", "b", at=1)
    before = sorted(path.name for path in store.path.parent.iterdir())
    first = read_sessions(Crush(), store.path)
    assert list(first.sessions["s"].entries) == ["a"]
    store.connection.execute("COMMIT")
    assert Crush().companions_changed(store.path, first.checkpoint)
    assert list(read_sessions(Crush(), store.path, first.checkpoint).sessions["s"].entries) == ["a", "b"]
    assert sorted(path.name for path in store.path.parent.iterdir()) == before


def test_damage_costs_one_message(store: Store) -> None:
    store.session()
    store.said("a", "user", "a")
    store.said("b", "user", "b", at=1, parts="{")
    store.said("c", "user", "c", at=2, parts=b"[]")
    store.said("d", "user", "d", session="gone")
    store.session(None)  # in SQL, nothing is outside of a list with NULL
    found = read_sessions(Crush(), store.path)
    assert list(found.sessions["s"].entries) == ["a", "c"]
    assert found.sessions["s"].skipped == ["message b: its parts are not valid JSON"]
    assert [(one.where, one.damaged) for one in found.unused] == [("messages: 1", True)]


def test_only_changed_sessions_are_read_again(store: Store) -> None:
    fake.fill(store)
    first = read_sessions(Crush(), store.path)
    again = read_sessions(Crush(), store.path, first.checkpoint)
    assert (again.sessions, again.last) == ({}, Unchanged(2, again.checkpoint, frozenset(("s", "b$$c"))))
    store.said("i", "assistant", "Sencha!", at=9, session="b$$c")
    assert list(read_sessions(Crush(), store.path, first.checkpoint).sessions) == ["s/b$$c"]


def test_what_crush_deletes_stays_as_a_branch(store: Store, tmp_path: Path) -> None:
    store.session()
    for at, said in enumerate("abc"):
        store.said(said, "user", said, at=at)
    with archived(tmp_path) as archive:
        archive.take(store.path)
        store.connection.execute("DELETE FROM messages WHERE id IN ('b', 'c')")
        store.said("d", "user", "d", at=5)
        archive.take(store.path)
        assert archive.above("s") == {"a": None, "b": "a", "c": "b", "d": "a"}


def test_an_older_table(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "crush.db", OLDER)) as store:
        store.session(summary_message_id="b")
        store.said("a", "user", "a")
        store.said("b", "assistant", "S", at=1)
        one = read(store)
        assert [entry.kind for entry in one.entries.values()] == [Kind.MESSAGE, Kind.COMPACTION]
        assert one.begin.info.cwd == ""
        assert standard_formats(tmp_path, {}).identify(store.path) == CRUSH.name


@pytest.mark.parametrize(
    ("place", "environment"),
    [
        (".local/share/crush", {}), ("AppData/Local/crush", {}), ("x/crush", {"XDG_DATA_HOME": "{}/x"}),
        ("l/crush", {"LOCALAPPDATA": "{}/l"}), ("g", {"CRUSH_GLOBAL_DATA": "{}/g"}),
    ],
)  # fmt: skip
def test_its_folders(tmp_path: Path, place: str, environment: dict[str, str]) -> None:
    moved = {name: value.format(tmp_path) for name, value in environment.items()}
    listed = tmp_path / place / "projects.json"
    listed.parent.mkdir(parents=True)
    project, other = tmp_path / "tea", tmp_path / "other"
    for folder in (project / ".crush", other):
        folder.mkdir(parents=True)
        (folder / "crush.db").write_bytes(fake.packed())
    formats = standard_formats(tmp_path, moved)
    projects: list[Any] = [{"path": str(project)}, {"path": str(project), "data_dir": str(other)}, {"path": "a"}, 5]
    forms: list[Any] = [{"projects": projects}, projects, {str(at): one for at, one in enumerate(projects)}]
    for form in forms:
        listed.write_text(json.dumps(form))
        found = formats.discover()
        assert [(one.name, one.folder) for one in found] == [
            ("Crush", str(project / ".crush")),
            ("Crush", str(other)),
        ]
    for damaged in ("{", '{"projects": 5}'):
        listed.write_text(damaged)
        assert formats.discover() == []
    assert formats.session_file(other / "crush.db-wal") == other / "crush.db"
    assert formats.resume_command("crush", "s", "") == ("crush", "--session", "s")


def test_everything_at_once(tmp_path: Path) -> None:
    path = tmp_path / "crush.db"
    path.write_bytes(fake.packed())
    found = read_sessions(Crush(), path)
    assert {id: len(one.entries) for id, one in found.sessions.items()} == {"s": 8, "s/b$$c": 2}
    assert lost(Crush().read(path, None)) == []
