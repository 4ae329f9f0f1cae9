"""Sessions of opencode's database: messages, forks, subagents, reverts, and what is still being written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.errors import KnownError, UnreadableSourceError
from stemmata.domain.sources.reading import Checkpoint
from stemmata.formats.opencode.history import ABANDONED
from stemmata.formats.opencode.reader import Opencode
from stemmata.formats.shared import database
from tests.fakes.opencode import ms, store, text, tokens, tool
from tests.unit.formats.opencode.reading import read

PIXEL = "data:image/png;base64,iVBORw0KGgo="


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "opencode.db"


@pytest.mark.parametrize("ids", [("b", "b#2"), ("b#2", "b")])
def test_the_id_of_a_message_is_that_of_no_part_of_another(path: Path, ids: tuple[str, str]) -> None:
    with store(path) as made:
        made.session("s")
        for at, id in enumerate(ids):
            made.prompt("s", id, id, text(f"{id} two", synthetic=True), at=at)
        made.reply("s", "z", "Done.", at=3)
    found = {entry.id: entry.blocks for entry in read(path).sessions["s"].entries.values() if entry.id != "z"}
    assert found == {
        "b": (Text("b"),), "b#2~2": (Text("b two"),), "b#2": (Text("b#2"),), "b#2#2": (Text("b#2 two"),),
    }  # fmt: skip


# -- what the reader recognises, and where -------------------------------------------------------------------------


def test_it_recognises_a_database_by_its_tables(path: Path, tmp_path: Path) -> None:
    with store(path) as made:
        head = path.read_bytes()
        assert Opencode().sniff(head, path)
        made.connection.execute("DROP TABLE part")
        assert not Opencode().sniff(head, path)
        made.connection.execute("CREATE VIEW part AS SELECT 1 AS id, 2 AS message_id, 3 AS data")
        assert not Opencode().sniff(head, path)
    (tmp_path / "torn.db").write_bytes(head[:100])
    assert not Opencode().sniff(head[:100], tmp_path / "torn.db")
    assert not Opencode().sniff(b'{"type":"session"}', path)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ["home/.local/share/opencode"]),
        ({"XDG_DATA_HOME": "data"}, ["data/opencode"]),
        ({"OPENCODE_DB": "other.db"}, ["home/.local/share/opencode"]),
        ({"OPENCODE_DB": "/d/other.db"}, ["home/.local/share/opencode", "/d"]),
        ({"OPENCODE_DB": ":memory:"}, ["home/.local/share/opencode"]),
    ],
)
def test_its_folders(environment: dict[str, str], expected: list[str]) -> None:
    folders = Opencode().folders(Path("home"), environment)
    files = Path(expected[0]) / "storage" / "session"
    assert [folder.path for folder in folders] == [*map(Path, expected), files]
    assert [folder.deep for folder in folders] == [False] * len(expected) + [True]


def test_the_log_belongs_to_its_database(path: Path) -> None:
    reader = Opencode()
    log = path.with_name("opencode.db-wal")
    assert (reader.main_file(log), reader.is_companion(log)) == (path, True)
    assert (reader.main_file(path), reader.is_companion(path)) == (None, False)


# -- what a message becomes ----------------------------------------------------------------------------------------


def test_a_session_with_its_facts(path: Path) -> None:
    with store(path) as made:
        made.session("s", 1, agent="build", share_url="https://x", time_archived=5, time_updated=ms(9))
        made.turn("s", 1, at=2)
        made.session("t", 2, title="New session - 2026-11-23T10:00:00.000Z")
    reading = read(path)
    one = reading.sessions["s"]
    info = one.begin.info
    assert (info.source, info.title, info.cwd, info.created_at) == ("opencode", "Tea", "/w/tea", ms(1) * 1_000_000)
    assert json.loads(info.details) == {
        "project": "p", "version": "1.18.33", "slug": "quick-tea", "agent": "build", "share": "https://x",
        "archived": True, "changedInSource": ms(9) * 1_000_000,
    }  # fmt: skip
    assert one.parents == {"s_u1": None, "s_a1": "s_u1"}
    assert one.end.leaf == "s_a1"
    assert json.loads(one.record("s_a1"))["parts"][1]["data"]["text"] == "Answer 1."
    assert reading.sessions["t"].begin.info.title == ""
    assert reading.sessions["t"].entries == {}
    assert reading.unused == []


def test_a_reply_with_tools(path: Path) -> None:
    failed = tool("c2", None, at=4, status="error", error="No.", time={"start": ms(4), "end": ms(5)})
    picture = [{"type": "file", "mime": "image/png", "url": PIXEL, "filename": "a\nb.png"}]
    with store(path) as made:
        made.session("s")
        made.prompt("s", "u", "List.", at=2)
        made.reply(
            "s", "a", {"type": "reasoning", "text": "Hm.", "metadata": {"anthropic": {"signature": "sig"}}},
            {"type": "reasoning", "text": "", "metadata": {"anthropic": {"redactedData": "xx"}}},
            {"type": "reasoning", "text": ""}, "I look.",
            tool("c1", "a.py", at=3, attachments=picture), failed, tool("", None),
            {"type": "patch", "hash": "h", "files": []}, {"type": "strange", "x": 1}, "",
            at=3, finish="tool-calls", counted=tokens(10, 5, thought=3, read=2), cost=0.5, variant="high",
        )  # fmt: skip
    one = read(path).sessions["s"]
    assert one.parents == {"u": None, "a": "u", "a#2": "a", "a#3": "a#2"}
    reply, done, no = one.entries["a"], one.entries["a#2"], one.entries["a#3"]
    assert reply.blocks == (
        Thinking("Hm.", "sig"), Thinking("", "xx", redacted=True), Text("I look."),
        ToolCall("c1", "bash", '{"command":"ls"}'), ToolCall("c2", "bash", '{"command":"ls"}'),
        ToolCall("a_7", "bash", '{"command":"ls"}'), UnknownBlock("strange", '{"type":"strange","x":1}'),
    )  # fmt: skip
    assert (reply.provider, reply.model, reply.flags) == ("anthropic", "m", Flag.NONE)
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.cache_read, reply.usage.total) == (10, 8, 2, 20)
    assert reply.usage.cost == 500_000
    assert json.loads(reply.details) == {"agent": "build", "mode": "build", "variant": "high"}
    assert (done.role, done.tool, done.call, done.time) == (Role.TOOL_RESULT, "bash", "c1", (ms(3) + 500) * 1_000_000)
    assert done.blocks[0] == Text("a.py")
    assert isinstance(done.blocks[1], Image)
    assert done.blocks[1].name == "a b.png"
    assert json.loads(done.details) == {"title": "ls", "exitCode": 0}
    assert (no.blocks, no.flags, no.details) == ((Text("No."),), Flag.FAILED, "")
    assert one.blobs == [b"\x89PNG\r\n\x1a\n"]


def test_a_message_of_several_steps_is_a_reply_for_each(path: Path) -> None:
    step, finish = {"type": "step-start"}, {"type": "step-finish", "tokens": tokens(1, 2), "cost": 0}
    with store(path) as made:
        made.session("s")
        made.reply("s", "a", "One.", tool("c", "x"), finish, step, "Two.", at=2, counted=tokens(5, 6))
    one = read(path).sessions["s"]
    assert [entry.role for entry in one.entries.values()] == [Role.ASSISTANT, Role.TOOL_RESULT, Role.ASSISTANT]
    assert [entry.usage and entry.usage.input for entry in one.entries.values()] == [1, None, 5]
    assert [entry.flags for entry in one.entries.values()] == [Flag.NONE, Flag.NONE, Flag.ENDS_TURN]


def test_the_parts_of_a_prompt(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.prompt(
            "s", "u", "Read it.", {"type": "agent", "name": "plan"}, text("Called Read", synthetic=True),
            {"type": "file", "mime": "text/plain", "url": "file:///a.py", "filename": "a.py"},
            {"type": "file", "mime": "", "url": PIXEL}, {"type": "file", "url": "data:x;base64,??"},
            text("For you", ignored=True), {"type": "subtask", "prompt": "Go"},
            at=2, summary={"title": "Reads"}, system="Be brief.",
        )  # fmt: skip
        made.prompt("s", "v", text("Go on", synthetic=True), at=3)
        made.prompt("s", "w", at=4)
    one = read(path).sessions["s"]
    assert one.parents == {"u": None, "u#2": "u", "u#3": "u#2", "v": "u#3", "w": "v"}
    first = one.entries["u"]
    assert [type(block).__name__ for block in first.blocks] == [
        "Text",
        "UnknownBlock",
        "Image",
        *["UnknownBlock"] * 2,
    ]
    assert [getattr(block, "type", "") for block in first.blocks] == ["", "file a.py", "", "file", "subtask"]
    assert json.loads(first.details) == {"agent": "build", "system": "Be brief."}
    assert [entry.flags for entry in one.entries.values()] == [
        Flag.NONE, Flag.INJECTED, Flag.INJECTED | Flag.EXCLUDED, Flag.INJECTED, Flag.NONE,
    ]  # fmt: skip
    assert one.entries["w"].blocks == ()
    assert b"Reads" not in one.raw  # the program fills it in later


@pytest.mark.parametrize(
    ("more", "flags", "said"),
    [
        ({"error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}}}, Flag.ABORTED, "Aborted"),
        ({"error": {"name": "MessageOutputLengthError", "data": {}}}, Flag.CUT, "MessageOutputLengthError"),
        ({"error": {"name": "APIError", "data": {"message": "Busy"}}}, Flag.FAILED, "Busy"),
        ({"finish": "length"}, Flag.CUT, ""),
        ({"finish": "stop"}, Flag.ENDS_TURN, ""),
        ({"done": False}, Flag.ABORTED, ""),
        ({"summary": True, "error": {"name": "APIError"}}, Flag.FAILED, "APIError"),
    ],
)
def test_how_a_reply_ends(path: Path, more: dict[str, object], flags: Flag, said: str) -> None:
    with store(path) as made:
        made.session("s")
        made.reply("s", "a", at=2, **more)  # type: ignore[arg-type]
    one = read(path).sessions["s"]
    assert (one.entries["a"].flags, one.said("a")) == (flags, said)


@pytest.mark.parametrize(
    ("counted", "output"),
    [
        (tokens(10, 5, thought=3), 8),
        (tokens(10, 5, thought=3, total=15), 5),
        (tokens(10, 5, thought=3, total=0), 8),
        (tokens(0, 0), None),
    ],
)
def test_thinking_is_counted_once(path: Path, counted: dict[str, object], output: int | None) -> None:
    with store(path) as made:
        made.session("s")
        made.reply("s", "a", "x", at=2, counted=counted)
    usage = read(path).sessions["s"].entries["a"].usage
    assert (usage and usage.output) == output


def test_a_compaction_keeps_what_its_request_names(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.turn("s", 2, at=4)
        made.compaction("s", "k", "They like tea.", at=6, tail="s_u2")
        made.prompt("s", "v", text("Go on", synthetic=True), at=8)
        made.compaction("s", "l", "Tea.", at=9)
    one = read(path).sessions["s"]
    asked, made_of, again = one.entries["ku"], one.entries["ka"], one.entries["la"]
    assert (asked.kind, asked.name, asked.flags) == (Kind.CUSTOM, "opencode:compaction", Flag.HIDDEN)
    assert (made_of.kind, made_of.target, one.said("ka")) == (Kind.COMPACTION, "s_u2", "They like tea.")
    assert made_of.usage is not None
    assert (made_of.usage.total, made_of.parent) == (120, "ku")
    assert (again.kind, again.target) == (Kind.COMPACTION, None)


# -- the tree ------------------------------------------------------------------------------------------------------


def test_a_fork_shares_what_it_copied(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.turn("s", 2, at=4)
        made.turn("s", 3, at=6)
        made.compaction("s", "k", "Tea.", at=8, tail="s_u2")
        made.session("other", 1)
        made.prompt("other", "other_u1", "Something else", at=2)
        made.fork("s", "f", "s_u3", at=20)
        made.turn("f", 3, at=21)
        made.fork("f", "g", "f_a3", at=30)
        made.fork("s", "h", "", at=40)
    reading = read(path)
    fork, again, whole = reading.sessions["f"], reading.sessions["g"], reading.sessions["h"]
    assert fork.begin.info.parent_source_id == "s"
    assert fork.parents == {
        "s_u1": None, "s_a1": "s_u1", "s_u2": "s_a1", "s_a2": "s_u2", "f_u3": "s_a2", "f_a3": "f_u3",
    }  # fmt: skip
    assert fork.entries["s_a2"].time == reading.sessions["s"].entries["s_a2"].time
    assert again.begin.info.parent_source_id == "f"
    assert list(again.entries) == ["s_u1", "s_a1", "s_u2", "s_a2", "f_u3"]
    assert whole.entries["ka"].target == "s_u2"
    assert reading.sessions["other"].begin.info.parent_source_id == ""


def test_a_fork_whose_origin_is_gone_has_its_own_ids(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.fork("s", "f", "", at=20)
        made.fork("s", "g", "", at=30)
        made.connection.execute("UPDATE message SET data = '{}' WHERE session_id = 's'")
        made.connection.execute("DELETE FROM session WHERE id = 'f'")
    fork = read(path).sessions["g"]
    assert (list(fork.entries), fork.begin.info.parent_source_id) == (["g_c0", "g_c1"], "")


def test_a_later_version_names_the_origin(path: Path) -> None:
    with store(path) as made:
        made.connection.execute("ALTER TABLE session ADD COLUMN fork_session_id text")
        for id in ("s", "t"):
            made.session(id)
            made.message(id, f"{id}_u", {"role": "user", "time": {"created": ms(1)}}, text("Same"), at=1)
        made.fork("t", "f", "", at=20, fork_session_id="t")
        made.session("g", 30, fork_session_id="t")
        made.prompt("g", "g_u", "New", at=31)
        made.session("h", 30, fork_session_id="gone")
    reading = read(path)
    origins = {id: one.begin.info.parent_source_id for id, one in reading.sessions.items()}
    assert origins == {"s": "", "t": "", "f": "t", "g": "t", "h": ""}
    assert list(reading.sessions["f"].entries) == ["t_u"]


def test_subagents_hang_from_their_calls(path: Path) -> None:
    spawning = tool("c9", "done", name="task", metadata={"sessionId": "b"})
    with store(path) as made:
        made.session("a")
        made.reply("a", "a1", text("about b"), spawning, at=2)
        made.session("b", 3, parent_id="a")
        made.turn("b", 1, at=4)
        made.session("c", 5, parent_id="b")
        made.session("d", 6, parent_id="gone")
        made.session("e", 7, parent_id="e")
        made.session("x", 8, parent_id="y")
        made.session("y", 9, parent_id="x")
        made.part("b", "b_a1", "odd", text("c"), at=5)
        made.change("part", "odd", data="c, no JSON")
    infos = [one.begin.info for one in read(path).sessions.values()]
    assert [(info.source_id, info.parent_source_id) for info in infos] == [
        ("a", ""), ("a/b", "a"), ("a/c", "a/b"), ("gone/d", "gone"), ("e", ""), ("y/x", "y"), ("x/y", "x"),
    ]  # fmt: skip
    assert [json.loads(info.details).get("toolCall") for info in infos[:3]] == [None, "c9", None]
    assert json.loads(read(path).sessions["a"].entries["a1#2"].details)["session"] == "b"


@pytest.mark.parametrize(
    ("hidden", "leaf"),
    [("s_u2", "s_a1"), ("s_u1", None), ("s_a2", "s_u2"), ("unknown", "s_a2"), ("", "s_a2")],
)
def test_a_revert_leaves_a_branch(path: Path, hidden: str, leaf: str | None) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.turn("s", 2, at=4)
        made.revert("s", hidden)
    one = read(path).sessions["s"]
    assert list(one.entries) == ["s_u1", "s_a1", "s_u2", "s_a2"]
    assert (one.end.leaf, one.end.leaf_known) == (leaf, True)


# -- growth --------------------------------------------------------------------------------------------------------


def test_what_is_being_written_is_held_back(path: Path) -> None:
    now = ms(10) * 1_000_000
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.prompt("s", "u", "Next?", at=4)
        first = read(path, now=now)
        assert list(first.sessions["s"].entries) == ["s_u1", "s_a1"]
        assert [one.line for one in first.sessions["s"].skipped] == [4]
        assert "1 message is still being written" in first.sessions["s"].skipped[0].reason
        made.reply("s", "a", "I th", at=5, done=False)
        second = read(path, first.checkpoint, now=now)
        assert list(second.sessions["s"].entries) == ["s_u1", "s_a1", "u"]
        made.prompt("s", "queued", "And then?", at=6)
        assert list(read(path, now=now).sessions["s"].entries) == ["s_u1", "s_a1", "u"]
        made.reply("s", "b", "Then.", at=7)
        third = read(path, second.checkpoint, now=now)
        assert list(third.sessions["s"].entries) == ["s_u1", "s_a1", "u", "a", "queued", "b"]
        assert third.sessions["s"].entries["a"].flags == Flag.ABORTED
        for earlier in (first, second):
            assert third.sessions["s"].raw.startswith(earlier.sessions["s"].raw)
        assert read(path, third.checkpoint, now=now).sessions == {}


def test_what_nobody_writes_any_more_is_read_as_it_stands(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.reply("s", "a", "I th", at=5, done=False)
    due = ms(5) * 1_000_000 + ABANDONED
    first = read(path, now=due - 1)
    assert first.sessions["s"].entries == {}
    assert not Opencode(lambda: due - 1).companions_changed(path, first.checkpoint)
    assert Opencode(lambda: due).companions_changed(path, first.checkpoint)
    second = read(path, first.checkpoint, now=due)
    assert second.sessions["s"].said("a") == "I th"
    assert not Opencode(lambda: due).companions_changed(path, second.checkpoint)


def test_only_changed_sessions_are_read_again(path: Path) -> None:
    with store(path) as made:
        for id in "st":
            made.session(id)
            made.turn(id, 1, at=2)
        first = read(path)
        assert first.unchanged is not None
        assert first.unchanged.sessions == 0
        made.change("part", "t_a1_1", data=json.dumps(text("Better.")), time_updated=ms(50))
        second = read(path, first.checkpoint)
        assert list(second.sessions) == ["t"]
        assert second.unchanged is not None
        assert second.unchanged.sessions == 1
        assert second.sessions["t"].said("t_a1") == "Better."
        for table, columns in (
            ("session", {"title": "T"}),
            ("message", {"time_updated": 9}),
            ("part", {"data": "{}"}),
        ):
            made.change(table, {"session": "t", "message": "t_u1", "part": "t_u1_0"}[table], **columns)
        made.connection.execute("DELETE FROM part WHERE id = 't_u1_0'")
        assert list(read(path, second.checkpoint).sessions) == ["t"]
    damaged = Checkpoint(str(path), 0, 0, 0, 0, "", "[]")
    assert list(read(path, damaged).sessions) == ["s", "t"]
    assert Opencode().companions_changed(path, Checkpoint(str(path), 0, 0, 0, 0, "", "")) is False


def test_marks_that_the_program_adds_to_old_messages_change_nothing(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.prompt("s", "u", "List.", at=2)
        made.reply("s", "a", tool("c", "a.py", at=3), at=3)
        before = read(path).sessions["s"].raw
        data = tool("c", "a.py", at=3)
        data["state"]["time"]["compacted"] = ms(9)
        made.change("part", "a_1", data=json.dumps(data))
        assert read(path).sessions["s"].raw == before


def test_the_log_belongs_to_the_state(path: Path) -> None:
    with store(path, log=True) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        first = read(path)
        assert list(first.sessions["s"].entries) == ["s_u1", "s_a1"]
        assert not Opencode().companions_changed(path, first.checkpoint)
        made.turn("s", 2, at=4)
        assert Opencode().companions_changed(path, first.checkpoint)


# -- damage --------------------------------------------------------------------------------------------------------


def test_ids_of_any_type(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.connection.execute("INSERT INTO session SELECT x'0102', 'p', NULL, '', '', '', '', NULL, NULL, 0, NULL,"
                                " NULL, 0, 0, NULL")  # fmt: skip
        made.turn("s", 1, at=2)
        for table in ("message", "part"):
            made.connection.execute(f"CREATE TABLE new AS SELECT * FROM {table}")
            made.connection.execute(f"DROP TABLE {table}")
            made.connection.execute(f"ALTER TABLE new RENAME TO {table}")
        made.connection.execute("UPDATE message SET id = NULL WHERE id = 's_u1'")
        made.connection.execute("UPDATE message SET id = x'ff' WHERE id = 's_a1'")
        made.connection.execute("UPDATE part SET message_id = x'ff' WHERE message_id = 's_a1'")
        made.connection.execute("UPDATE part SET id = 7 WHERE message_id = x'ff'")
        made.connection.execute("INSERT INTO message (session_id, data) VALUES (NULL, '{}'), ('gone', '{}')")
        made.connection.execute("INSERT INTO session_message VALUES ('m', 's', 'user', 1, '{}')")
    reading = read(path)
    one = reading.sessions["s"]
    assert list(one.entries) == ["row 1", "bytes ff"]
    assert one.said("bytes ff") == "Answer 1."
    assert "bytes 0102" in reading.sessions
    assert [(part.where, part.reason[:20]) for part in reading.unused] == [
        ("2 rows", "messages whose sessi"), ("1 row", "parts whose message "), ("1 row", "messages in the tabl"),
    ]  # fmt: skip


def test_columns_of_any_type(path: Path) -> None:
    with store(path) as made:
        for id in ("s", "t", "u"):
            made.session(id)
        made.change("session", "s", title=b"Tea \xff", directory=7, revert=b"x", agent=b"", time_created="x")
        made.connection.execute("UPDATE session SET id = x'01', time_updated = 1.5 WHERE id = 't'")
        made.change("session", "u", parent_id=b"\1", time_archived=b"")
    infos = {one.begin.info.source_id: one.begin.info for one in read(path).sessions.values()}
    assert list(infos) == ["s", "bytes 01", "bytes 01/u"]
    assert (infos["s"].title, infos["s"].cwd, infos["s"].created_at) == ("Tea \ufffd", "7", 0)
    assert infos["bytes 01/u"].parent_source_id == "bytes 01"


def test_damaged_values_cost_themselves(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LARGEST", 1 << 20)
    with store(path) as made:
        made.session("s", revert="no JSON")
        made.prompt("s", "u", "One", at=2)
        made.prompt("s", "v", "Two", at=3)
        made.prompt("s", "w", "Three", at=4)
        made.message("s", "x", {"role": "robot", "n": 1 << 70}, text("beep"), at=5)
        made.prompt("s", "y", "?", at=6)
        made.change("message", "v", data=b"\xff{")
        made.change("part", "u_0", data=7)
        made.change("part", "w_0", data=json.dumps(text("x" * (1 << 21))))
        made.change("part", "y_0", data=f'{{"type":"text","text":"\\ud800","n":{1 << 70}}}')
    one = read(path).sessions["s"]
    assert one.parents == {"u": None, "w": "u", "x": "w", "y": "x"}
    assert one.said("y") == "\ufffd"
    assert [(skip.line, skip.reason) for skip in one.skipped] == [
        (2, "part u_0: not a JSON object"), (3, "the message: not valid JSON"), (4, "part w_0: lost or too large"),
    ]  # fmt: skip
    assert (one.entries["x"].kind, one.entries["x"].flags) == (Kind.UNKNOWN, Flag.HIDDEN)
    assert (one.said("x"), one.end.leaf) == ("beep", "y")


def test_a_row_that_is_too_large_costs_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LARGEST", 1 << 20)
    with store(path) as made:
        made.session("s", title="x" * (1 << 21))
    with pytest.raises(UnreadableSourceError, match="too large"):
        read(path)


def test_an_older_database_lacks_columns(path: Path) -> None:
    with store(path, events=False) as made:
        for table in ("session", "message", "part"):
            made.connection.execute(f"DROP TABLE {table}")
        made.connection.executescript(
            "CREATE TABLE session (id text PRIMARY KEY, directory text, time_created any);"
            "CREATE TABLE message (id text PRIMARY KEY, session_id text, data text);"
            "CREATE TABLE part (id text PRIMARY KEY, message_id text, data text);"
            "INSERT INTO session VALUES ('s', '/w', '2026-07-17T09:00:00Z');"
            """INSERT INTO message VALUES ('a', 's', '{"role":"user","time":{"created":"2026-07-17T09:00:01Z"}}');"""
            """INSERT INTO part VALUES ('p', 'a', '{"type":"text","text":"Hi"}');"""
        )
    one = read(path).sessions["s"]
    assert (one.said("a"), one.entries["a"].time) == ("Hi", 1_784_278_801_000_000_000)


def test_a_subagent_of_an_older_database(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.session("t", 1, parent_id="s")
        made.connection.execute("DROP INDEX part_session_idx")
        made.connection.execute("ALTER TABLE part DROP COLUMN session_id")
    assert list(read(path).sessions) == ["s", "s/t"]


def test_a_spoilt_database_is_named(path: Path, tmp_path: Path) -> None:
    with store(path) as made:
        made.session("s")
        for number in range(50):
            made.turn("s", number, at=2 + number * 2)
    spoilt = tmp_path / "spoilt.db"
    data = bytearray(path.read_bytes())
    data[8192:] = bytes(len(data) - 8192)
    spoilt.write_bytes(data)
    with pytest.raises(UnreadableSourceError, match=r"spoilt\.db is damaged"):
        read(spoilt)


def test_a_locked_database_can_be_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_WAIT", 0)
    with store(path) as made:
        made.session("s")
        made.connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(KnownError, match="locked") as found:
            read(path)
        made.connection.execute("COMMIT")
    assert not isinstance(found.value, UnreadableSourceError)
    assert list(read(path).sessions) == ["s"]


def test_copies_are_the_same_session(path: Path, tmp_path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
    shutil.copy(path, tmp_path / "copy.db")
    assert read(path).sessions["s"].raw == read(tmp_path / "copy.db").sessions["s"].raw
