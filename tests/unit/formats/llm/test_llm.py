"""Threads and conversations of llm: messages that are shared, branches, and the tables of older versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, Repaired, Unchanged, UnusedPart
from stemmata.formats.llm.reader import Llm
from stemmata.formats.shared import database
from tests.fakes import llm as fake
from tests.fakes.llm import Logs


@dataclass
class Read:
    begin: Begin
    entries: dict[str, Entry] = field(default_factory=dict)
    repaired: list[str] = field(default_factory=list)
    blobs: list[bytes] = field(default_factory=list)
    raw: bytes = b""
    end: End = End()  # noqa: RUF009 - a frozen value

    @property
    def parents(self) -> dict[str, str | None]:
        return {id: entry.parent for id, entry in self.entries.items()}

    def said(self) -> list[str]:
        return [plain_text(entry.blocks) for entry in self.entries.values()]


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Logs]:
    made = Logs(tmp_path / "logs.db")
    yield made
    made.close()


def read(path: Path, since: Checkpoint | None = None) -> tuple[dict[str, Read], Unchanged]:
    out: dict[str, Read] = {}
    one = Read(Begin(None))  # type: ignore[arg-type]
    last: Unchanged | None = None
    for event in Llm().read(path, since):
        match event:
            case Begin(info):
                one = out[info.source_id] = Read(event)
            case Entry(id=id):
                assert id not in one.entries
                one.entries[id] = event
                assert event.record is not None
                json.loads(one.raw[event.record.offset : event.record.offset + event.record.size])
            case Raw(offset, data):
                assert offset == len(one.raw)
                one.raw += data
            case Blob(_, data):
                one.blobs.append(data)
            case Repaired(what):
                one.repaired.append(what)
            case End():
                one.end = event
            case Unchanged():
                last = event
    assert last is not None
    return out, last


# -- what the reader recognises, and where -------------------------------------------------------------------------


def test_it_recognises_its_tables(logs: Logs, tmp_path: Path) -> None:
    head = logs.path.read_bytes()
    assert Llm().sniff(head, logs.path)
    logs.connection.execute("DROP TABLE parts")
    assert Llm().sniff(head, logs.path)  # older tables
    logs.connection.execute("DROP TABLE responses")
    assert not Llm().sniff(head, logs.path)
    (tmp_path / "torn.db").write_bytes(head[:100])
    assert not Llm().sniff(head[:100], tmp_path / "torn.db")
    assert not Llm().sniff(b"{}", logs.path)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ["home/.config", "home/Library/Application Support", "home/AppData/Roaming"]),
        ({"XDG_CONFIG_HOME": "c", "APPDATA": "a"}, ["c", "home/Library/Application Support", "a"]),
    ],
)
def test_its_folders(environment: dict[str, str], expected: list[str]) -> None:
    found = Llm().folders(Path("home"), environment)
    assert [folder.path for folder in found] == [Path(one) / "io.datasette.llm" for one in expected]
    [named] = Llm().folders(Path("home"), {"LLM_USER_PATH": "/u"})
    assert (named.path, named.deep) == (Path("/u"), False)


def test_the_log_belongs_to_its_database(logs: Logs) -> None:
    reader, log = Llm(), logs.path.with_name("logs.db-wal")
    assert (reader.main_file(log), reader.main_file(logs.path)) == (logs.path, None)
    logs.connection.execute("PRAGMA journal_mode = WAL")
    logs.thread("t")
    _, last = read(logs.path)
    assert not reader.companions_changed(logs.path, last.checkpoint)
    logs.thread("u")
    assert reader.companions_changed(logs.path, last.checkpoint)


# -- threads -------------------------------------------------------------------------------------------------------


def test_a_thread_with_what_forked_from_it(logs: Logs) -> None:
    logs.thread("t", name="Tea", at=1)
    logs.turn("t", logs.say("s", "system", None, "Be brief."), logs.say("u", "user", "s", "Which?"), tip="a", at=2)
    logs.say("a", "assistant", "u", "Sencha.")
    logs.turn("t", logs.say("v", "user", "a", "Why?"), tip="b", at=3, model="m2")
    logs.say("b", "assistant", "v", "It is green.")
    logs.thread("w", forked_from="t", tip="a", at=4)
    found, _ = read(logs.path)
    tea, fork = found["t"], found["w"]
    assert tea.parents == {"s": None, "u": "s", "a": "u", "v": "a", "b": "v"}
    assert (tea.begin.info.title, tea.begin.info.created_at, tea.end.leaf) == ("Tea", fake.stamp_ns(1), "b")
    assert (tea.entries["s"].flags, tea.entries["a"].flags) == (Flag.HIDDEN, Flag.ENDS_TURN)
    assert (tea.entries["a"].model, tea.entries["b"].model) == ("m", "m2")
    usage = tea.entries["a"].usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cache_read) == (7, 18, 7)
    assert (tea.entries["u"].time, tea.entries["s"].time) == (fake.stamp_ns(2), 0)
    assert fork.begin.info.parent_source_id == "t"
    assert list(fork.entries) == ["s", "u", "a"]
    assert all(fork.entries[id].time == tea.entries[id].time for id in fork.entries)


def test_another_answer_to_the_same_prompt_is_a_branch(logs: Logs) -> None:
    logs.thread("t")
    logs.turn("t", logs.say("u", "user", None, "Which?"), tip="a", at=2)
    logs.say("a", "assistant", "u", "Sencha.")
    logs.turn("t", "u", tip="b", at=3)
    logs.say("b", "assistant", "u", "Oolong.")
    found, _ = read(logs.path)
    assert found["t"].parents == {"u": None, "a": "u", "b": "u"}
    assert found["t"].end.leaf == "b"


def test_tools_and_attachments(logs: Logs) -> None:
    logs.connection.execute(
        "INSERT INTO attachments VALUES ('p', 'image/png', NULL, NULL, x'89'), ('f', 't', '/a', '', '')"
    )
    logs.connection.execute("INSERT INTO fragments VALUES (1, 'h', 'Long text. ', NULL, NULL)")
    logs.thread("t")
    pieces = [{"fragment": 1}, {"literal": "Sum it up."}, {"fragment": 9}, {"fragment": 1 << 70}, "x"]
    logs.say(
        "u", "user", None, fake.part("text", None, text_ref=pieces), fake.part("attachment", attachment={"id": "p"}),
        fake.part("attachment", attachment={"id": "f"}), fake.part("attachment"), fake.part("text", ""),
    )  # fmt: skip
    calls = [
        fake.part("tool_call", tool="up", name="up", arguments={"x": 1}, tool_call_id="c"),
        fake.part("tool_call", tool="down", arguments="?"),
    ]
    logs.say("a", "assistant", "u", fake.part("reasoning", "Hm."), fake.part("reasoning", "", redacted=True), *calls)
    logs.turn("t", "u", tip="a", at=2)
    done = fake.part("tool_result", name="up", output="X", tool_call_id="c", attachments=[{"id": "p"}])
    logs.say("r", "tool", "a", done, fake.part("tool_result", name="down", output="", exception="No"))
    logs.say("b", "assistant", "r", "Done.", fake.part("strange", "?", y=1))
    logs.turn("t", "r", tip="b", at=3)
    found, _ = read(logs.path)
    one = found["t"]
    assert one.parents == {"u": None, "a": "u", "r": "a", "r#2": "r", "b": "r#2"}
    said = one.entries["u"].blocks
    assert said[0] == Text("Long text. Sum it up.")
    assert isinstance(said[1], Image)
    assert said[2:] == (
        UnknownBlock("attachment", '{"id":"f","type":"t","path":"/a"}'), UnknownBlock("attachment", '{"id":""}'),
    )  # fmt: skip
    assert one.entries["a"].blocks == (
        Thinking("Hm."), ToolCall("c", "up", '{"x":1}'), ToolCall("a/3", "down", "{}"),
    )  # fmt: skip
    assert one.entries["a"].flags == Flag.NONE
    results = [one.entries["r"], one.entries["r#2"]]
    assert [(entry.role, entry.call, entry.flags) for entry in results] == [
        (Role.TOOL_RESULT, "c", Flag.NONE), (Role.TOOL_RESULT, "r/1", Flag.FAILED),
    ]  # fmt: skip
    assert plain_text(results[1].blocks) == "No"
    assert isinstance(results[0].blocks[1], Image)
    assert one.entries["b"].blocks == (Text("Done."), UnknownBlock("strange", '{"text":"?","y":1}'))
    assert one.blobs == [b"\x89"] * 2
    assert b"Long text. Sum it up." in one.raw


def test_only_changed_threads_are_read_again(logs: Logs) -> None:
    for id in "tu":
        logs.thread(id)
        logs.turn(id, logs.say(f"{id}1", "user", None, "Hi"), tip=logs.say(f"{id}2", "assistant", f"{id}1", "Yes"))
    _, first = read(logs.path)
    found, again = read(logs.path, first.checkpoint)
    assert (found, again.sessions) == ({}, 2)
    logs.turn("u", logs.say("u3", "user", "u2", "And?"), tip=logs.say("u4", "assistant", "u3", "No"))
    found, _ = read(logs.path, first.checkpoint)
    assert list(found) == ["u"]


def test_damage(logs: Logs) -> None:
    logs.thread("t", tip="gone", forked_from="t")
    logs.turn("t", logs.say("u", "user", "lost", "Hi"), tip=logs.say("a", "assistant", "u", "Yes"))
    logs.connection.execute("UPDATE threads SET tip_message_hash = 'gone'")
    logs.say("x", "robot", "y", fake.part("text", "?"))
    logs.say("y", "user", "x", "a circle")
    logs.turn("t", "y", tip="x")
    logs.connection.execute("UPDATE parts SET payload = 'no JSON', text = x'ff' WHERE message_hash = 'u'")
    logs.connection.execute("UPDATE threads SET tip_message_hash = 'gone'")
    found, _ = read(logs.path)
    one = found["t"]
    assert one.parents == {"u": None, "a": "u", "y": None, "x": "y"}
    assert [what[:16] for what in one.repaired] == ["The message lost", "The message x be"]
    assert one.entries["u"].flags == Flag.REPAIRED
    assert one.entries["x"].kind is Kind.UNKNOWN
    assert one.said()[0] == "\ufffd"
    assert (one.end.leaf_known, one.begin.info.parent_source_id) == (False, "")


def test_messages_of_no_thread_are_counted(logs: Logs) -> None:
    logs.connection.execute("DROP TABLE responses")
    logs.say("x", "user", None, "Hi")
    [unused] = [event for event in Llm().read(logs.path, None) if isinstance(event, UnusedPart)]  # no thread at all
    assert unused.where == "messages: 1"
    logs.thread("t", tip=logs.say("u", "user", None, "Hi"))
    logs.say("y", "user", "x", "Hi")
    [unused] = [event for event in Llm().read(logs.path, None) if isinstance(event, UnusedPart)]
    assert (unused.where, unused.damaged) == ("messages: 2", False)


# -- conversations -------------------------------------------------------------------------------------------------


def test_a_conversation_of_an_older_version(logs: Logs) -> None:
    logs.conversation("c", "Tea")
    logs.connection.execute("INSERT INTO fragments VALUES (1, 'h', 'A text.', NULL, NULL)")
    logs.connection.execute("INSERT INTO attachments VALUES ('p', '', NULL, NULL, x'89')")
    logs.response("r1", "c", "Which?", "Sencha.", at=2, system="Be brief.", reasoning="Hm.", input_tokens=14)
    logs.beside("prompt_fragments", response_id="r1", fragment_id=1, order=0)
    logs.beside("prompt_attachments", response_id="r1", attachment_id="p", order=0)
    logs.beside("tool_calls", response_id="r1", tool_call_id="k", name="up", arguments='{"x":1}')
    logs.response("r2", "c", "", "Done.", at=3, system="Be brief.", resolved_model="m-2026")
    logs.beside("tool_results", response_id="r2", tool_call_id="k", name="up", output="X")
    logs.beside("tool_results", response_id="r2", tool_call_id="l", name="up", output="", exception="No")
    logs.beside("tool_results", response_id="r2", tool_call_id="m", name="up", output="")
    logs.conversation("empty", "Nothing")
    found, first = read(logs.path)
    one = found["c"]
    assert list(found) == ["c"]
    assert list(one.entries) == ["r1#system", "r1#prompt", "r1", "r2#result1", "r2#result2", "r2#result3", "r2"]
    assert list(one.parents.values()) == [None, *list(one.entries)[:-1]]
    assert one.entries["r1#prompt"].blocks[1] == Text("A text.\nWhich?")
    assert one.entries["r1"].blocks == (Thinking("Hm."), Text("Sencha."), ToolCall("k", "up", '{"x":1}'))
    assert (one.entries["r1"].model, one.entries["r2"].model) == ("m", "m-2026")
    assert (one.entries["r1"].flags, one.entries["r2"].flags) == (Flag.NONE, Flag.ENDS_TURN)
    assert one.entries["r1"].usage is not None
    assert one.entries["r2"].usage is None
    assert [entry.flags for id, entry in one.entries.items() if "result" in id] == [
        Flag.NONE, Flag.FAILED, Flag.NONE,
    ]  # fmt: skip
    assert (one.begin.info.title, one.begin.info.created_at, one.end.leaf) == ("Tea", fake.stamp_ns(2), "r2")
    assert read(logs.path, first.checkpoint)[0] == {}
    logs.thread("c", tip=logs.say("u", "user", None, "Which?"))
    found, _ = read(logs.path, first.checkpoint)
    assert list(found["c"].entries) == ["u"]  # a thread holds its conversation


def test_responses_whose_conversation_is_missing_are_a_session(logs: Logs) -> None:
    logs.conversation("c", "Tea")
    logs.response("r1", "c", "Which?", "Sencha.", at=1)
    logs.connection.execute("INSERT INTO responses (id, conversation_id, response) VALUES ('r2', x'63', 'Bytes')")
    logs.response("r3", "gone", "Why?", "It is green.", at=3)
    logs.response("r4", "gone", "How?", "Hot.", at=4)
    for id, conversation in (("r5", ""), ("r6", None), (None, None)):
        logs.beside("responses", id=id, conversation_id=conversation, response="Alone")
    found, first = read(logs.path)
    row = next(id for id in found if id not in ("c", "gone", "response r5", "response r6"))
    assert {id: list(one.entries) for id, one in found.items()} == {
        "c": ["r2", "r1#prompt", "r1"], "gone": ["r3#prompt", "r3", "r4#prompt", "r4"],
        "response r5": ["r5"], "response r6": ["r6"], row: [row.replace("response", "row")],
    }  # fmt: skip
    assert found["c"].repaired == []
    assert found["gone"].repaired == ["The conversation of these responses is missing in the database."]
    assert found["response r6"].repaired == found[row].repaired == ["The response names no conversation."]
    assert read(logs.path, first.checkpoint)[0] == {}


def test_ids_that_are_taken(logs: Logs) -> None:
    logs.thread("t")
    results = [fake.part("tool_result", name="up", output="X", tool_call_id=id) for id in ("c", "d")]
    logs.say("u", "tool", None, *results)
    logs.say("u#2", "user", "u", "Go on.")
    logs.turn("t", "u", tip="u#2")
    logs.conversation("response r", "Tea")
    logs.response("r#prompt", "response r", "", "Sencha.", at=1)
    logs.response("r", "response r", "Which?", "Assam.", at=2)
    logs.beside("responses", id=b"r", conversation_id="", response="Alone")
    found, _ = read(logs.path)
    assert found["t"].parents == {"u": None, "u#2": "u", "u#2~2": "u#2"}
    assert found["response r"].parents == {"r#prompt": None, "r#prompt~2": "r#prompt", "r": "r#prompt~2"}
    assert list(found["response r~2"].entries) == ["r"]


def test_tables_that_lack_columns_are_told(logs: Logs) -> None:
    logs.conversation("c", "Tea")
    logs.connection.execute("ALTER TABLE responses RENAME COLUMN model TO other")
    assert [event for event in Llm().read(logs.path, None) if isinstance(event, UnusedPart)] == []
    logs.beside("responses", id="r", conversation_id="c")
    [unused] = [event for event in Llm().read(logs.path, None) if isinstance(event, UnusedPart)]
    assert (unused.where, unused.damaged) == ("responses: 1", True)


def test_the_oldest_tables(tmp_path: Path) -> None:
    path = tmp_path / "logs.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(
            "CREATE TABLE conversations (id TEXT, name TEXT);"
            "CREATE TABLE responses (id TEXT, model TEXT, prompt TEXT, response TEXT, conversation_id TEXT,"
            " datetime_utc TEXT);"
            "CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER);"
            "CREATE TABLE tool_results (response_id TEXT, tool_call_id TEXT);"
            "CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT);"
            "INSERT INTO conversations VALUES ('c', x'ff');"
            "INSERT INTO responses VALUES ('r', 'm', 'Hi', '', 'c', '2026-01-01T00:00:00');"
            "INSERT INTO prompt_fragments VALUES ('r', 1);"
            "INSERT INTO tool_results VALUES ('r', 'k');"
            "INSERT INTO prompt_attachments VALUES ('r', 'p');"
        )
    found, _ = read(path)
    assert found["c"].said() == ["", "Hi", ""]
    assert found["c"].begin.info.title == "\ufffd"


def test_a_row_that_is_too_large_costs_the_file(logs: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LARGEST", 1 << 16)
    logs.thread("t", name="x" * (1 << 17))
    with pytest.raises(UnreadableSourceError, match="too large"):
        read(logs.path)


def test_the_sample(samples: Path) -> None:
    found, last = read(samples / "llm" / "logs_0.36.db")
    assert last.sessions == 0
    names = {one.begin.info.title: one for one in found.values()}
    assert list(names) == ["first question about forks", "another thread, with a system p…"]
    first, other = names.values()
    assert (len(first.entries), len(other.entries)) == (8, 3)
    used: list[Any] = [entry.usage for entry in first.entries.values() if entry.usage]
    assert [usage.sent for usage in used] == [14, 56, 94, 133]
    assert sum(usage.cache_read for usage in used) == 148
    assert first.end.leaf == list(first.entries)[-1]
    assert other.entries[next(iter(other.entries))].role is Role.SYSTEM
