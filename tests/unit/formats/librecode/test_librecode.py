"""librecode's sessions: every one, as the tree that it is, in the spellings of all versions; damage; older tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Unchanged
from stemmata.formats.librecode.reader import Librecode
from stemmata.formats.librecode.tool_text import ToolText, tool_text
from stemmata.formats.registry import standard_formats
from stemmata.formats.shared import database
from tests.fakes import librecode as fake
from tests.fakes.librecode import OLDEST, TOOL, Store, stamp
from tests.unit.formats.database_sessions import Found, read_sessions


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "librecode.db")
    made.session("s", name="Tea")
    yield made
    made.close()


def read(store: Store, session: str = "s") -> Found:
    return read_sessions(Librecode(), store.path).sessions[session]


def only(store: Store) -> Entry:
    [entry] = read(store).entries.values()
    return entry


@pytest.mark.parametrize("ids", [("b", "b#call"), ("b#call", "b")])
def test_the_id_of_an_entry_is_that_of_no_call(store: Store, ids: tuple[str, str]) -> None:
    for id, above in zip(ids, (None, ids[0]), strict=True):
        said = ("toolResult", TOOL) if id == "b" else ("user", "Which?")
        store.said(id, above, *said, at=ids.index(id), tool_name="read")
    assert read(store).entries.keys() == {"b#call~2", "b", "b#call"}


def test_a_session(store: Store) -> None:
    store.said("a", None, "user", "Which?", at=1)
    usage = {"context_window": 9, "context_tokens": 40, "input_tokens": 70, "output_tokens": 8}
    store.said("b", "a", "thinking", "Hm.", at=2, provider="openai", model="m")
    store.said("c", "b", "assistant", "Sencha.", at=3, provider="openai", model="m", data={"usage": usage})
    store.said("d", "c", "user", "/model", at=4, model_facing=0)
    store.said("e", "d", "user", "Go on.", at=5, display=0)
    store.said("f", "e", "custom", "canceled", at=6)
    store.said("g", "f", "bashExecution", "ls", at=7)
    store.said("h", "g", "strange", "?", at=8)
    store.said("i", "h", "", "", at=9)
    one = read(store)
    assert one.parents == dict(zip("abcdefghi", [None, *"abcdefgh"], strict=True))
    info = one.begin.info
    assert (info.source, info.title, info.cwd, info.details, info.parent_source_id) == (
        "librecode", "Tea", "/w/tea", "", "",
    )  # fmt: skip
    entry = one.entries
    assert entry["b"].blocks == (Thinking("Hm."),)
    assert (entry["b"].flags, entry["b"].model) == (Flag.EXCLUDED, "m")
    assert (entry["c"].usage, entry["c"].flags) == (Usage(input=70, output=8, total=40), Flag.ENDS_TURN)
    assert [entry[id].flags for id in "ade"] == [Flag.NONE, Flag.EXCLUDED, Flag.INJECTED]
    assert (entry["f"].kind, entry["f"].name, entry["g"].role) == (Kind.CUSTOM, "librecode:note", Role.BASH_EXECUTION)
    assert [(entry[id].kind, entry[id].name) for id in "hi"] == [(Kind.UNKNOWN, "strange"), (Kind.UNKNOWN, "message")]
    assert (one.end.leaf, one.end.leaf_known) == ("i", True)
    line = json.loads(one.raw.splitlines()[1])
    assert (line["id"], line["content"], line["parts"]) == ("a", "Which?", [{"text": "Which?"}])


def test_results_of_tools_are_read_from_their_text(store: Store) -> None:
    store.said("a", None, "toolResult", TOOL, at=1, tool_name="read\ncall_id: c1", tool_status="error")
    store.said("b", "a", "toolResult", 'tool: bash\narguments: {"command":"ls"}\nerror:\nexit 1', at=2, model="m")
    store.said("c", "b", "toolResult", "no form", at=3, tool_name="read", tool_status="error", tool_args_json="[1]")
    store.said("d", "c", "toolResult", "", at=4, data={"toolName": "find", "toolArgsJson": '{"x":1}'})
    one = read(store)
    assert one.parents == {
        "a#call": None, "a": "a#call", "b#call": "a", "b": "b#call", "c#call": "b", "c": "c#call", "d#call": "c",
        "d": "d#call",
    }  # fmt: skip
    calls = [one.entries[f"{id}#call"].blocks[0] for id in "abcd"]
    assert calls == [
        ToolCall("c1", "read", '{"path":"a.py"}'), ToolCall("b", "bash", '{"command":"ls"}'),
        ToolCall("c", "read", '{"arguments":"[1]"}'), ToolCall("d", "find", '{"x":1}'),
    ]  # fmt: skip
    results = [one.entries[id] for id in "abcd"]
    assert [result.blocks for result in results] == [
        (Text("error:\ntea"),),
        (Text("exit 1"),),
        (Text("no form"),),
        (),
    ]
    assert [bool(result.flags & Flag.FAILED) for result in results] == [False, True, True, False]
    assert all(entry.flags & Flag.EXCLUDED for entry in one.entries.values())
    assert json.loads(results[0].details) == {"parentCall": "p", "sequence": "2"}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("text", None), ("tool: read", ToolText("read")), ("tool: x\noutput:\n", ToolText("x")),
        ("tool: x\nis_error: true\ndetails:\n{}\noutput:\na\ntool: y", ToolText(
            "x", is_error=True, details="{}", output="a\ntool: y")),
        ('tool: x\narguments:\n{\n "a": 1\n}\nerror:\nbad\narguments:\noutput:\nerror:\n', ToolText(
            "x", arguments='{\n "a": 1\n}', error="bad\narguments:", output="error:\n")),
    ],
)  # fmt: skip
def test_the_text_of_a_result(content: str, found: ToolText | None) -> None:
    assert tool_text(content) == found


@pytest.mark.parametrize("old", [False, True])
def test_both_spellings_of_the_data(store: Store, old: bool) -> None:
    def named(**data: Any) -> dict[str, Any]:
        def key(name: str) -> str:
            first, *rest = name.split("_")
            return first + "".join(map(str.title, rest)) if old else name

        return {key(name): value for name, value in data.items()}

    store.said("a", None, "user", "Hi", at=1)
    store.entry("b", "a", "label", at=2, data=named(target_id="a", label="here"))
    store.entry("c", "b", "thinking_level_change", at=3, data=named(thinking_level="high"))
    store.entry("d", "c", "compaction", at=4, summary="S", data=named(first_kept_entry_id="a", tokens_before=90))
    store.entry("e", "d", "branch_summary", at=5, summary="B", data=named(from_id="a"))
    store.said("f", "e", "assistant", "Yes", at=6, data={"usage": named(input_tokens=7, context_tokens=9)})
    entry = read(store).entries
    assert (entry["b"].kind, entry["b"].target, entry["b"].name) == (Kind.LABEL, "a", "here")
    assert (entry["c"].kind, entry["c"].name) == (Kind.THINKING_LEVEL_CHANGE, "high")
    assert (entry["d"].kind, entry["d"].target, entry["d"].usage) == (Kind.COMPACTION, "a", Usage(total=90))
    assert (entry["e"].kind, entry["e"].target) == (Kind.BRANCH_SUMMARY, "a")
    assert entry["f"].usage == Usage(input=7, total=9)


def test_other_kinds_of_rows(store: Store) -> None:
    store.entry("a", None, "model_change", at=1, provider="p", model="m")
    store.entry("b", "a", "session_info", at=2, data={"name": "N"})
    store.entry("c", "b", "custom", at=3, custom_type="x", data={"y": 1})
    store.entry("d", "c", "custom", at=4, custom_type="x", content="Text")
    store.entry("e", "d", "custom_message", at=5, custom_type="x", content="Told", model_facing=1)
    store.entry("f", "e", "custom_message", at=6, custom_type="x", content="Kept", display=0)
    store.entry("g", "f", "compaction", at=7)
    store.entry("h", "g", "branch_summary", at=8)
    store.entry("i", "h", "label", at=9)
    store.entry("j", "i", "strange", at=10, data={"z": 1})
    entry = read(store).entries
    assert (entry["a"].kind, entry["a"].provider, entry["a"].model) == (Kind.MODEL_CHANGE, "p", "m")
    assert (entry["b"].kind, entry["b"].name) == (Kind.SESSION_INFO, "N")
    assert [entry[id].flags for id in "cdef"] == [Flag.HIDDEN, Flag.NONE, Flag.NONE, Flag.EXCLUDED | Flag.HIDDEN]
    assert (entry["e"].role, entry["e"].name) == (Role.CUSTOM, "x")
    assert [(entry[id].target, entry[id].usage) for id in "ghi"] == [(None, None)] * 3
    assert (entry["j"].kind, entry["j"].name, entry["j"].details) == (Kind.UNKNOWN, "strange", '{"z":1}')


def test_pictures(store: Store) -> None:
    store.said("a", None, "user", "Look", at=1)
    store.add("session_message_parts", id="2", entry_id="a", sequence=1, type="text", text="")
    store.add(
        "session_message_parts", id="1", entry_id="a", sequence=0, type="image", mime_type="image/png", data=b"x"
    )
    one = read(store)
    [block] = one.entries["a"].blocks
    assert isinstance(block, Image)
    assert (block.media_type, block.size, one.blobs) == ("image/png", 1, [b"x"])
    assert block.blob.encode() in one.raw


def test_branches_and_detached_roots_stand_where_they_stand(store: Store) -> None:
    store.said("a", None, "user", "One", at=1)
    store.said("b", "a", "assistant", "Two", at=1.5)
    store.said("c", "a", "assistant", "Other", at=1.12)
    store.said("d", None, "toolResult", "tool: agent_result\noutput:\nDone", at=3)
    store.said("e", "d", "user", "Next", at=2)
    one = read(store)
    assert one.parents == {"a": None, "c": "a", "b": "a", "d#call": None, "d": "d#call", "e": "d"}
    assert one.end.leaf == "d"  # as librecode would go on: from the newest entry


def test_damaged_links_are_repaired(store: Store) -> None:
    store.said("a", "lost", "user", "One", at=1)
    store.said("x", "y", "user", "X", at=2)
    store.said("y", "x", "user", "Y", at=3)
    store.session("t", parent_session="s")
    store.said("z", "a", "user", "Z", session_id="t")
    store.said("q", None, "user", "Q", session_id="gone")
    store.said("r", "q", "user", "R", at=2, session_id="gone")
    store.said("n", None, "user", "N", session_id=None)
    found = read_sessions(Librecode(), store.path)
    assert found.sessions["s"].parents == {"a": None, "x": None, "y": "x"}
    assert [what[:12] for what in found.sessions["s"].repaired] == ["Its parent l", "Its chain of"]
    assert found.sessions["s"].entries["a"].flags == Flag.REPAIRED
    assert found.sessions["t"].repaired == ["Its parent a is not in the conversation."]
    assert found.sessions["gone"].parents == {"q": None, "r": "q"}
    assert found.sessions["gone"].repaired == ["The session of these entries is missing in the database."]
    assert [(one.where, one.damaged) for one in found.unused] == [("entries: 1", True)]


def test_every_session_is_read(store: Store) -> None:
    """librecode lists only those without a parent."""
    store.session("t", 1, parent_session="s", name="Fork")
    store.session("u", 2, parent_session="t")
    store.session("v", 3, parent_session="u")
    store.session("self", 4, parent_session="self")
    store.session("lost", 5, parent_session="gone")
    for id, agent in (("u", "scout"), ("v", "scout"), ("self", "scout"), ("gone", "scout")):
        store.add("agent_tasks", task_id=id, child_session_id=id, agent_name=agent)
    settings = {"provider": "p", "model": "m", "theme": "dark", "thinking_level": ""}
    store.add(
        "runtime_documents", namespace="terminal_session_settings", document_key="t", value_json=json.dumps(settings)
    )
    found = {id: one.begin.info for id, one in read_sessions(Librecode(), store.path).sessions.items()}
    assert {id: info.parent_source_id for id, info in found.items()} == {
        "s": "", "t": "s", "t/u": "t", "t/v": "t/u", "self": "", "lost": "gone",
    }  # fmt: skip
    assert json.loads(found["t"].details) == {"provider": "p", "model": "m"}
    assert json.loads(found["t/u"].details) == {"agent": "scout"}


def test_only_changed_sessions_are_read_again(store: Store) -> None:
    store.session("t", 1)
    store.said("a", None, "user", "One")
    first = read_sessions(Librecode(), store.path)
    again = read_sessions(Librecode(), store.path, first.checkpoint)
    assert (again.sessions, again.last) == ({}, Unchanged(2, again.checkpoint, frozenset("st")))
    store.said("b", "a", "assistant", "Two")
    store.connection.execute("UPDATE sessions SET name = 'N' WHERE id = 't'")
    assert list(read_sessions(Librecode(), store.path, first.checkpoint).sessions) == ["s", "t"]


def test_entries_are_read_when_only_the_index_knows_their_session(store: Store) -> None:
    store.session("session-one", 1)
    store.said("a1", None, "user", "One", session_id="session-one")
    store.connection.close()
    path = store.path
    path.write_bytes(path.read_bytes().replace(b"session-one", b"session-two", 1))  # the row, and not its index
    found = read_sessions(Librecode(), path).sessions
    assert list(found["session-one"].entries) == ["a1"]


def test_the_oldest_tables(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "librecode.db", OLDEST)) as store:
        for name in (b"\xff", "again"):
            store.add("sessions", id="s", name=name, cwd="/w", created_at=stamp(0), updated_at=stamp(0))
        old = {"modelFacing": False, "display": False}
        for number, (id, role) in enumerate((("a", "user"), ("b", "assistant"), ("a", "user"))):
            store.entry(id, None, at=number, role=role, content=id, data=old if id == "a" else {})
        store.connection.execute("UPDATE session_entries SET data_json = 'no JSON' WHERE id = 'b'")
        one = read(store)
        assert one.begin.info.title == "\ufffd"
        assert [entry.flags for entry in one.entries.values()] == [Flag.EXCLUDED | Flag.INJECTED, Flag.ENDS_TURN]
        assert one.skipped == ["row 3: has the id of an earlier entry"]


def test_sniffing(tmp_path: Path, store: Store) -> None:
    assert standard_formats(tmp_path, {}).identify(store.path) == "librecode"
    assert not Librecode().sniff(b"text", store.path)
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(store.path.read_bytes()[:100])
    assert not Librecode().sniff(damaged.read_bytes(), damaged)
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE sessions (id, cwd, name, created_at, updated_at)")
    assert not Librecode().sniff((tmp_path / "other.db").read_bytes(), tmp_path / "other.db")


def test_a_row_that_is_too_large_costs_the_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LARGEST", 1 << 16)
    store.said("a", None, "user", "x" * (1 << 17))
    with pytest.raises(UnreadableSourceError, match="too large"):
        read(store)


def test_its_files(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path, {})
    database, log = tmp_path / "librecode.db", tmp_path / "librecode.db-wal"
    assert formats.session_file(log) == database
    assert Librecode().main_file(tmp_path / "other.db-wal") is None
    assert Librecode().main_file(database) is None
    for environment, folders in (
        ({}, [tmp_path / ".librecode"]),
        ({"LIBRECODE_HOME": "/l", "LIBRECODE_DATABASE_PATH": "~/d/librecode.db"}, [Path("/l"), tmp_path / "d"]),
    ):  # fmt: skip
        assert [folder.path for folder in Librecode().folders(tmp_path, environment)] == folders


def test_the_log_belongs_to_the_database(store: Store) -> None:
    checkpoint = read_sessions(Librecode(), store.path).checkpoint
    assert not Librecode().companions_changed(store.path, checkpoint)
    store.connection.execute("PRAGMA journal_mode = WAL")
    store.said("a", None, "user", "One")
    assert Librecode().companions_changed(store.path, checkpoint)


def test_everything_at_once(tmp_path: Path) -> None:
    path = tmp_path / "librecode.db"
    path.write_bytes(fake.packed())
    found = read_sessions(Librecode(), path)
    assert {id: len(one.entries) for id, one in found.sessions.items()} == {"s": 12, "s/t": 1}
    assert found.unused == []
