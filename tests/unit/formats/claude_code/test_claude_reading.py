"""Whole Claude Code files: what is one, its sessions, subagents and sidechains, and reading on where it has grown."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from shutil import copytree
from typing import Any
from uuid import UUID

import pytest

from stemmata.domain.entries.entry import Entry
from stemmata.domain.errors import NotFoundError, UnreadableSourceError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Checkpoint, Raw
from stemmata.formats.claude_code import reading
from stemmata.formats.claude_code.format import CLAUDE_CODE
from stemmata.formats.claude_code.reader import ClaudeCode
from stemmata.formats.claude_code.reading import ClaudeCodeReading
from stemmata.formats.shared.format import SessionFolder, SessionReader
from tests.fakes.claude_code import (
    Line,
    call,
    collect,
    found_in,
    line,
    note,
    only,
    part,
    reply,
    result,
    user,
    written,
)

DATA = Path(__file__).parents[3] / "data" / "claude_code"
GARDEN = "0b9a1c52-6d3e-4f41-9a57-2f1d8c3e7a10"
SEEDS = "7d1f0a34-0c2b-4b8e-8f5c-5a2e9b6d4c01"


def garden() -> Path:
    return DATA / f"{GARDEN}.jsonl"


def details(entry: Any) -> Any:
    return json.loads(entry.details)


# -- long files ----------------------------------------------------------------------------------------------------


def test_an_entry_comes_when_its_bytes_have_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes are compressed while the entries are stored, and are there when an entry is compared."""
    monkeypatch.setattr(reading, "CHUNK", 100)
    lines = [user(f"u{at}", f"u{at - 1}" if at else None, at, "word") for at in range(9)]
    path = written(tmp_path / "a.jsonl", lines)
    read, entries = bytearray(), 0
    for event in ClaudeCode().read(path, None):
        if isinstance(event, Raw):
            assert event.offset == len(read)
            read += event.data
        elif isinstance(event, Entry) and event.record is not None:
            assert 0 <= len(read) - event.record.offset - event.record.size < 100
            entries += 1
    assert (bytes(read), entries) == (path.read_bytes(), 9)


@pytest.mark.no_cover
def test_little_is_held_of_each_line(tmp_path: Path) -> None:
    """The memory per additional line is bounded, whatever the line contains."""
    held, peaks, counts = [], [], (4000, 12_000)
    for count in counts:
        ids = [str(UUID(int=at << 64 | at)) for at in range(count)]
        lines = (user(id, ids[at - 1] if at else None, at / 60, "word " * 100) for at, id in enumerate(ids))
        path = written(tmp_path / f"{count}.jsonl", lines)
        del ids
        tracemalloc.start()
        reading = ClaudeCodeReading(path)
        now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(reading.index.ids) == count
        held.append(now)
        peaks.append(peak)
    more = counts[1] - counts[0]
    assert (held[1] - held[0]) / more < 150
    assert (peaks[1] - peaks[0]) / more < 400


# -- whole files ---------------------------------------------------------------------------------------------------


def test_a_session_with_all_that_happens_in_one() -> None:
    found, agent = found_in(garden())
    assert found.parents == {
        "u1": None, "n1": "u1", "t1": "n1", "c1": "t1", "c2": "c1", "r2": "c2", "n2": "r2", "r1": "n2", "a1": "r1",
        "s1": "a1", "u2": "s1", "a2": "u2", "u3": "s1", "n4": "u3", "c4": "n4", "r4": "c4", "a4": "r4", "b1": "a4",
        "k1": "b1", "m1": "k1", "u5": "m1", "a5": "u5",
    }  # fmt: skip
    assert found.leaves == ["a2", "a5"]
    assert found.end.leaf == "a5"
    assert found.end.leaf_known
    assert found.end.title == found.info.title == "Tomatoes"
    assert (found.info.source, found.info.source_id, found.info.parent_source_id) == ("claude-code", GARDEN, "")
    assert (found.info.cwd, found.info.created_at) == ("/home/ada/garden", found.entries[0].time)
    assert [(skipped.line, skipped.reason) for skipped in found.skipped] == [(25, "not valid JSON")]
    assert found.by_id["k1"].target == "r4"
    assert [entry.id for entry in found.entries if entry.usage] == ["c2", "a1", "a2", "c4", "a4", "k1", "a5"]
    assert agent.info.source_id == f"{GARDEN}/agent-a1f"


def test_records_give_back_the_source() -> None:
    for found in found_in(garden()):
        for entry in found.entries:
            assert found.record(entry.id)["uuid"] == entry.id
    assert found_in(garden())[0].raw == garden().read_bytes()


def test_a_subagent_is_a_session_of_its_own() -> None:
    agent = found_in(garden())[1]
    assert agent.parents == {"g1": None, "g2": "g1", "g3": "g2", "g4": "g3"}
    assert (agent.info.parent_source_id, agent.info.title) == (GARDEN, "Find the tests")
    assert details(agent.info) == {
        "version": "2.1.0", "gitBranch": "main", "agentId": "a1f", "sessionId": GARDEN, "agentType": "Explore",
        "description": "Find the tests", "toolCall": "toolu_4",
    }  # fmt: skip
    assert agent.end.checkpoint is None


def test_a_subagent_read_alone() -> None:
    path = DATA / GARDEN / "subagents" / "agent-a1f.jsonl"
    agent = only(path)
    assert (agent.info.source_id, agent.info.parent_source_id) == (f"{GARDEN}/agent-a1f", GARDEN)
    assert "toolCall" not in details(agent.info)
    assert agent.end.checkpoint is not None
    assert agent.end.checkpoint.path == str(path)


def test_sidechains_in_the_file_are_sessions_of_their_own() -> None:
    path = DATA / f"{SEEDS}.jsonl"
    main, first, second = found_in(path)
    assert main.parents == {"i1": None, "i2": "i1", "i5": "i2", "i9": "i5"}
    assert main.raw == path.read_bytes()
    assert main.info.title == "Counting seeds"
    assert first.parents == {"i3": None, "i4": "i3"}
    assert (first.info.source_id, first.info.parent_source_id) == (f"{SEEDS}/agent-i3", SEEDS)
    assert details(first.info) == {"agentId": "i3", "toolCall": "toolu_t"}
    assert second.parents == {"i6": None, "i7": None}
    assert details(second.info) == {"agentId": "i6"}
    lines = path.read_bytes().splitlines(keepends=True)
    assert first.raw == lines[4] + lines[5]
    assert (first.record("i4")["uuid"], second.record("i7")["uuid"]) == ("i4", "i7")
    assert (first.end.leaf, second.end.leaf, first.end.checkpoint) == ("i4", "i7", None)


def test_a_sidechain_without_a_beginning(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [user("u", None, 0), note("n", "lost", 1, isSidechain=True)])
    main, side = found_in(path)
    assert (list(main.parents), side.parents, side.end.leaf) == (["u"], {"n": None}, "n")


def test_lines_of_an_agent_by_its_id(tmp_path: Path) -> None:
    agent: dict[str, Any] = {"isSidechain": True, "agentId": "x"}
    path = written(
        tmp_path / "s.jsonl",
        [user("u", None, 0), user("g", None, 1, **agent), reply("h", "lost", 2, **agent), reply("a", "g", 3)],
    )
    main, side = found_in(path)
    assert main.parents == {"u": None, "a": None}  # its parent is no part of this conversation
    assert side.parents == {"g": None, "h": None}
    assert side.info.source_id == "s/agent-x"


def test_a_file_with_nothing_but_a_sidechain_is_its_conversation(tmp_path: Path) -> None:
    lines = [note("n", None, 0), user("g", "n", 1, isSidechain=True), reply("h", "g", 2, isSidechain=True)]
    assert only(written(tmp_path / "s.jsonl", lines)).parents == {"n": None, "g": "n", "h": "g"}


def test_an_agents_file_beside_its_session(tmp_path: Path) -> None:
    path = written(tmp_path / "agent-7.jsonl", [user("g", None, 0, isSidechain=True)])
    found = only(path)
    assert (found.info.source_id, found.info.parent_source_id) == ("s/agent-7", "s")
    assert details(found.info)["agentId"] == "7"


def test_the_call_of_a_subagent_by_its_task(tmp_path: Path) -> None:
    block = {"type": "tool_use", "id": "t", "name": "Agent", "input": {"prompt": "Do it"}}
    spawn = line("assistant", "a", None, 0, message={"id": "m", "content": [block, {"type": "tool_use", "id": "x"}]})
    path = written(tmp_path / "s.jsonl", [spawn])
    told = [{"type": "text", "text": "Do it"}]
    for name, content in {"1": told, "2": "other", "3": [{"type": "image"}], "4": "Do it"}.items():
        written(tmp_path / "s" / "subagents" / f"agent-{name}.jsonl", [user(f"g{name}", None, 1, content)])
    (tmp_path / "s" / "subagents" / "agent-2.meta.json").write_text('{"toolUseId": "from meta"}')
    (tmp_path / "s" / "subagents" / "agent-3.meta.json").write_text("{broken")
    calls = [details(found.info).get("toolCall") for found in found_in(path)[1:]]
    assert calls == ["t", "from meta", None, "t"]


def test_the_call_of_a_subagent_by_its_result(tmp_path: Path) -> None:
    lines = [
        call("c", None, 0, "m", "t"),
        result("r", "c", 1, "t", toolUseResult={"agentId": "9"}),
        result("x", "r", 2, "", toolUseResult={"agentId": "8"}),
    ]
    for name in "89":
        written(tmp_path / "s" / "subagents" / f"agent-{name}.jsonl", [user("g", None, 1, agentId=name)])
    _, eighth, ninth = found_in(written(tmp_path / "s.jsonl", lines))
    assert "toolCall" not in details(eighth.info)
    assert details(ninth.info)["toolCall"] == "t"


def test_a_subagent_comes_again_when_its_call_has_come(tmp_path: Path) -> None:
    def spawn(id: str, parent: str, task: str) -> Line:
        block = {"type": "tool_use", "id": f"t{id}", "name": "Task", "input": {"prompt": task}}
        return part(id, parent, 1, f"m{id}", block)

    lines = [user("u", None, 0), spawn("a", "u", "Another task"), spawn("b", "a", "The task")]
    path = written(tmp_path / "s.jsonl", lines[:1])
    written(tmp_path / "s" / "subagents" / "agent-1.jsonl", [user("g", None, 1, "The task")])
    told, known = [], None
    for count in (1, 2, 3):
        found = found_in(written(path, lines[:count]), known)
        known = found[0].end.checkpoint
        told.append([details(agent.info).get("toolCall") for agent in found[1:]])
    assert told == [[None], [], ["tb"]]


def test_what_lies_among_the_subagents_and_is_none(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [user("u", None, 0)])
    folder = tmp_path / "s" / "subagents"
    written(folder / "workflows" / "w" / "agent-deep.jsonl", [user("g", None, 1)])
    written(folder / "workflows" / "w" / "journal.jsonl", [user("j", None, 1)])
    written(folder / "agent-empty.jsonl", [])
    written(folder / "agent-facts.jsonl", [{"type": "mode"}])
    written(folder / "named.jsonl", [user("n", None, 1)])
    (tmp_path / "outside.jsonl").write_text(json.dumps(user("o", None, 1)))
    (folder / "agent-link.jsonl").symlink_to(tmp_path / "outside.jsonl")
    found = found_in(path)
    assert [session.info.source_id for session in found] == ["s", "s/agent-facts", "s/named", "s/agent-deep"]
    assert (found[1].entries, found[1].end.leaf, found[1].raw) == ([], None, b'{"type": "mode"}\n')


def test_a_subagent_of_another_name_is_one_too(tmp_path: Path) -> None:
    written(tmp_path / "s.jsonl", [user("u", None, 0)])
    path = written(tmp_path / "s" / "subagents" / "named.jsonl", [user("n", None, 1), user("o", "n", 2)])
    found = only(path)
    assert (found.info.source_id, found.info.parent_source_id, len(found.entries)) == ("s/named", "s", 2)
    assert details(found.info)["agentId"] == "named"
    assert ClaudeCode().is_companion(path)


def test_a_subagent_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "s.jsonl", [user("u", None, 0)])
    secret = written(tmp_path / "s" / "subagents" / "agent-x.jsonl", [user("g", None, 1)])
    opened = os.open

    def refuse(name: Any, *more: Any) -> int:
        if name == secret:
            raise PermissionError
        return opened(name, *more)

    monkeypatch.setattr(os, "open", refuse)
    found = only(path)
    (skipped,) = found.skipped
    assert skipped.line == 0
    assert skipped.reason.startswith(os.path.join("s", "subagents", "agent-x.jsonl"))
    assert "No permission to read" in skipped.reason


@pytest.mark.parametrize("text", ["", "\n \n", '{"type":"summary","summary":"x","leafUuid":"y"}\n', "{broken\n"])
@pytest.mark.parametrize("name", ["s.jsonl", "agent-s.jsonl"])
def test_files_without_messages(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UnreadableSourceError, match="contains no messages"):
        found_in(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        found_in(tmp_path / "gone.jsonl")
    with pytest.raises(UnreadableSourceError, match="folder"):
        found_in(tmp_path)


def test_a_file_that_changes_between_the_passes(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [user("u", None, 0), user("v", "u", 1, "1"), user("w", "v", 2)])
    reading = ClaudeCodeReading(path)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    path.write_bytes(whole[:first] + whole[first:].replace(b'"user"', b'"mode"', 1)[:-20])
    info = SessionInfo(source="claude-code", source_id="s")
    (found,) = collect([*reading.conversation(info), reading.end(info)])
    assert list(found.parents) == ["u"]
    assert [(skipped.line, skipped.reason) for skipped in found.skipped] == [
        (2, "the file changed while it was being read"),
        (3, "the file changed while it was being read"),
    ]
    assert found.raw == path.read_bytes()


# -- facts ---------------------------------------------------------------------------------------------------------


TITLES: list[Line] = [
    {"type": "summary", "summary": "First", "leafUuid": "u"},
    {"type": "summary", "summary": "Summary", "leafUuid": "u"},
    {"type": "summary", "summary": "Another's", "leafUuid": "elsewhere"},
    {"type": "agent-name", "agentName": "Agent", "sessionId": "s"},
    {"type": "ai-title", "aiTitle": "By the\n tool", "sessionId": "s"},
    {"type": "custom-title", "customTitle": "Mine", "sessionId": "s"},
]


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([], ""),
        (TITLES[:3], "Summary"),
        ([{"type": "summary", "summary": "No leaf"}], "No leaf"),
        (TITLES[:4], "Agent"),
        (TITLES[:5], "By the tool"),
        (TITLES, "Mine"),
        ([*TITLES, {"type": "custom-title", "customTitle": "New"}], "New"),
        ([*TITLES, {"type": "custom-title", "customTitle": None}, {"type": "ai-title"}], "By the tool"),
    ],
)
def test_titles(tmp_path: Path, lines: list[Line], title: str) -> None:
    found = only(written(tmp_path / "s.jsonl", [*lines, user("u", None, 0)]))
    assert found.end.title == title
    assert found.end.named == found.info.named == (title in ("Mine", "New"))


def test_a_title_that_is_not_a_text_is_reported(tmp_path: Path) -> None:
    odd = {"type": "summary", "summary": {"x": "Counting seeds"}, "leafUuid": "u"}
    found = only(written(tmp_path / "s.jsonl", [user("u", None, 0), odd]))
    assert [(one.line, one.reason) for one in found.skipped] == [(2, "a title that is not a text")]


def test_a_fork_names_where_it_comes_from(tmp_path: Path) -> None:
    origin = {"sessionId": "old", "messageUuid": "u"}
    lines = [user("u", None, 0, sessionId="new", forkedFrom=origin), user("v", "before", 1, sessionId="new")]
    found = only(written(tmp_path / "new.jsonl", lines))
    assert found.info.parent_source_id == "old"
    assert found.parents == {"u": None, "v": "before"}  # may be in the other file: the store looks there


def test_a_replayed_prefix_names_its_session(tmp_path: Path) -> None:
    lines = [
        user("u", None, 0, sessionId="old"),
        reply("a", "u", 1, sessionId="old"),
        user("v", "a", 2, sessionId="new"),
    ]
    assert only(written(tmp_path / "new.jsonl", lines)).info.parent_source_id == "old"
    assert only(written(tmp_path / "old.jsonl", lines)).info.parent_source_id == ""
    assert only(written(tmp_path / "copy.jsonl", lines)).info.parent_source_id == ""


def test_a_missing_link_of_a_fork_without_a_parent(tmp_path: Path) -> None:
    lines = [user("u", None, 0, forkedFrom={"sessionId": "old"}), boundary_to_nowhere()]
    assert only(written(tmp_path / "s.jsonl", lines)).parents == {"u": None, "cb": None}


def boundary_to_nowhere() -> Line:
    return line("system", "cb", None, 1, subtype="compact_boundary", logicalParentUuid="elsewhere")


# -- reading on ----------------------------------------------------------------------------------------------------


def test_a_grown_file_counts_a_message_at_its_last_line(tmp_path: Path) -> None:
    lines = [user("u", None, 0), reply("a1", "u", 1, "m", output=3), reply("a2", "a1", 2, "m"), user("v", "a2", 3)]
    path = written(tmp_path / "s.jsonl", lines[:2])
    before = only(path)
    assert before.end.checkpoint is not None
    path.write_text("".join(json.dumps(record) + "\n" for record in lines))
    after = only(path, before.end.checkpoint)
    assert (before.resumed, after.resumed) == (False, False)
    assert after.raw == path.read_bytes()
    assert after.parents == only(path).parents
    assert after.end.checkpoint is not None
    assert (after.end.checkpoint.offset, after.end.checkpoint.lines) == (path.stat().st_size, 4)
    assert [entry.id for entry in before.entries if entry.usage] == ["a1"]
    paid = {entry.id: entry.usage.output for entry in after.entries if entry.usage}
    assert paid == {"a2": 5}


def test_a_subagent_that_has_grown_is_read_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "agent-7.jsonl", [user("g", None, 0)])
    before = only(path)
    with path.open("a") as file:
        file.write(json.dumps(user("h", "g", 1)))
    after = only(path, before.end.checkpoint)
    assert (before.resumed, after.resumed) == (False, False)
    assert after.raw == path.read_bytes()


def test_a_rewritten_file_is_read_anew(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [user("u", None, 0), user("v", "u", 1)])
    checkpoint = only(path).end.checkpoint
    written(path, [user("u", None, 0), user("w", "u", 1), user("x", "w", 1)])
    found = only(path, checkpoint)
    assert (found.resumed, found.raw) == (False, path.read_bytes())


def test_subagents_that_have_not_changed_are_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [user("u", None, 0)])
    grown = written(tmp_path / "s" / "subagents" / "agent-1.jsonl", [user("g", None, 1)])
    written(tmp_path / "s" / "subagents" / "agent-2.jsonl", [user("h", None, 1)])
    checkpoint = found_in(path)[0].end.checkpoint
    with grown.open("a") as file:
        file.write(json.dumps(user("g2", "g", 2)) + "\n")
    with path.open("a") as file:
        file.write(json.dumps(user("v", "u", 2)) + "\n")
    found = found_in(path, checkpoint)
    assert [session.info.source_id for session in found] == ["s", "s/agent-1"]
    assert found[1].parents == {"g": None, "g2": "g"}
    assert (found[1].resumed, found[1].raw) == (False, grown.read_bytes())


def test_a_subagent_whose_call_is_not_here_is_looked_at_and_told_of_once(tmp_path: Path) -> None:
    spawning = {"type": "tool_use", "id": "t", "name": "Task", "input": {"prompt": "another task"}}
    path = written(tmp_path / "s.jsonl", [user("u", None, 0), part("a", "u", 1, "m", spawning)])
    written(tmp_path / "s" / "subagents" / "agent-1.jsonl", [user("g", None, 1, "a task")])
    checkpoint = found_in(path)[0].end.checkpoint
    with path.open("a") as file:
        file.write(json.dumps(user("v", "a", 2)) + "\n")
    found = found_in(path, checkpoint)
    assert [session.info.source_id for session in found] == ["s"]
    with path.open("a") as file:
        spawning = {**spawning, "id": "t2", "input": {"prompt": "a task"}}
        file.write(json.dumps(part("b", "v", 3, "m2", spawning)) + "\n")
    [_, agent] = found_in(path, found[0].end.checkpoint)
    assert json.loads(agent.info.details)["toolCall"] == "t2"


@pytest.mark.parametrize("state", ['{"agents":7}', '{"agents":{}}', "{}"])
def test_a_checkpoint_that_somebody_else_wrote(tmp_path: Path, state: str) -> None:
    path = written(tmp_path / "s.jsonl", [user("u", None, 0)])
    written(tmp_path / "s" / "subagents" / "agent-1.jsonl", [user("g", None, 1)])
    checkpoint = found_in(path)[0].end.checkpoint
    assert checkpoint is not None
    kept = json.loads(checkpoint.state)["tail"]
    forged = {**json.loads(state), "tail": kept}
    other = Checkpoint(str(path), 1, 1, checkpoint.offset, 1, checkpoint.head, json.dumps(forged))
    assert len(found_in(path, other)) == 2


# -- recognising ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b'{"type":"user","message":{"content":"x"},"timestamp":"2024-01-01T00:00:00Z"}\n', True),
        (b'{"type":"summary","summary":"x","leafUuid":"y"}\n', True),
        (b'{"type":"file-history-snapshot","messageId":"x"}\n', True),
        (b'{"type":"last-prompt","sessionId":"s"}\n{"type":"user"', True),
        (b'{broken\n{"type":"attachment","attachment":{}}\n', True),
        (b'{"uuid":"u","parentUuid":null,"sessionId":"s","message":{"content":"longer than what was rea', True),
        (b'{"type":"user","id":"1","content":"gemini"}\n', False),
        (b'{"type":"session","version":3,"id":"x"}\n', False),
        (b'{"type":"summary"}\n{"type":["user"]}\n[1]\n"user"\n', False),
        (b"not at all", False),
        (b"", False),
    ],
)
def test_recognising(head: bytes, known: bool) -> None:
    assert ClaudeCode().sniff(head, Path("x.jsonl")) is known


def test_recognising_a_real_file() -> None:
    assert ClaudeCode().sniff(garden().read_bytes(), garden())


def test_standard_folders(tmp_path: Path) -> None:
    format: SessionReader = ClaudeCode()
    assert (format.name, CLAUDE_CODE.title) == ("claude-code", "Claude Code")
    usual = SessionFolder(tmp_path / ".claude" / "projects")
    assert format.folders(tmp_path, {}) == (usual, SessionFolder(tmp_path / ".config" / "claude" / "projects"))
    moved = format.folders(tmp_path, {"XDG_CONFIG_HOME": "~/x"})
    assert moved == (usual, SessionFolder(tmp_path / "x" / "claude" / "projects"))
    assert format.folders(tmp_path, {"CLAUDE_CONFIG_DIR": "~/c"}) == (SessionFolder(tmp_path / "c" / "projects"),)


def test_files_that_come_with_their_session(tmp_path: Path) -> None:
    copytree(DATA, tmp_path / "p")
    format = ClaudeCode()
    agent = tmp_path / "p" / GARDEN / "subagents" / "agent-a1f.jsonl"
    assert format.is_companion(agent)
    assert format.is_companion(agent.parent / "workflows" / "w" / "journal.jsonl")
    assert not format.is_companion(tmp_path / "p" / f"{GARDEN}.jsonl")
    (tmp_path / "p" / f"{GARDEN}.jsonl").unlink()
    assert not format.is_companion(agent)
    assert not format.is_companion(Path("/subagents/agent-x.jsonl"))
