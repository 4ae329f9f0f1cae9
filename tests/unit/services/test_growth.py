"""The law of growth: a file that is read in pieces gives what it gives when it is read at once.

`python -m tests.growth` tries it for as long as one likes.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from stemmata.formats.amp.format import AMP
from stemmata.formats.cline.format import CLINE
from stemmata.formats.copilot_cli.format import COPILOT_CLI
from stemmata.formats.crush.format import CRUSH
from stemmata.formats.cursor.format import CURSOR
from stemmata.formats.goose.format import GOOSE
from stemmata.formats.librecode.format import LIBRECODE
from stemmata.formats.registry import FormatRegistry
from stemmata.formats.zed.format import ZED
from stemmata.services.importing.importing import Importing
from stemmata.services.notices import Notices
from stemmata.store.archive import SqliteArchive
from stemmata.store.entries import appending, tree_loader, tree_pieces
from stemmata.system.processes import SystemClock
from tests.fakes import amp, cline, copilot_cli, crush, cursor, cursor_cli, goose, librecode, qwen, zed
from tests.fakes.claude_code import Line, call, reply, result, user
from tests.growth.growth import (
    Files,
    cuts_at,
    cuts_by_line,
    differences,
    dump,
    grow,
    grow_by_row,
    grow_by_version,
    jsonl,
    play_and_compare,
    read_in_pieces,
    renamed,
)
from tests.growth.made import OpencodeStep, copilot_logs, gemini_logs, opencode_steps, pi_files, talks, vscode_logs
from tests.unit.formats.pi_files import header, lines, record, said

DATA = Path(__file__).parents[2] / "data" / "claude_code"


def by_line(files: Files) -> list[str]:
    return grow(files, list(cuts_by_line(files)))


# -- pi and OpenClaw -------------------------------------------------------------------------------------------------


@settings(max_examples=8, derandomize=True, phases=[Phase.generate])
@given(pi_files(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_pi(data: bytes, random: Random, count: int) -> None:
    files = {"s.jsonl": data}
    assert grow(files, cuts_at(files, random, count)) == []


@settings(max_examples=3, derandomize=True, phases=[Phase.generate])
@given(pi_files())
def test_pi_line_by_line(data: bytes) -> None:
    assert by_line({"s.jsonl": data}) == []


def test_a_parent_that_comes_a_reading_later() -> None:
    assert (
        by_line({"s.jsonl": lines(header(), said("a", None), said("c", "b"), said("b", "a"), said("d", "c"))}) == []
    )


def test_a_mark_whose_entry_comes_a_reading_later() -> None:
    label = record("label", "l", "a", targetId="b", label="here")
    assert by_line({"s.jsonl": lines(header(), said("a", None), label, said("b", "l"))}) == []


def test_an_openclaw_title_whose_prompt_comes_a_reading_later() -> None:
    stamp = said("a", None, "[Mon 2026-01-05 10:00 UTC] What is the weather?")
    data = lines(header(), record("model_change", "m", None, provider="p", modelId="x"), stamp, said("b", "a"))
    assert by_line({".openclaw/agents/main/sessions/s.jsonl": data}) == []


# -- Gemini CLI ------------------------------------------------------------------------------------------------------


@settings(max_examples=8, derandomize=True, phases=[Phase.generate])
@given(gemini_logs(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_gemini(data: bytes, random: Random, count: int) -> None:
    files = {"session-1.jsonl": data}
    assert grow(files, cuts_at(files, random, count)) == []


@settings(max_examples=3, derandomize=True, phases=[Phase.generate])
@given(gemini_logs())
def test_gemini_line_by_line(data: bytes) -> None:
    assert by_line({"session-1.jsonl": data}) == []


# -- Copilot CLI -----------------------------------------------------------------------------------------------------


@settings(max_examples=8, derandomize=True, phases=[Phase.generate])
@given(copilot_logs(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_copilot_cli(data: bytes, random: Random, count: int) -> None:
    files = {"5e55/events.jsonl": data}
    assert grow(files, cuts_at(files, random, count)) == []


@settings(max_examples=3, derandomize=True, phases=[Phase.generate])
@given(copilot_logs())
def test_copilot_cli_line_by_line(data: bytes) -> None:
    assert by_line({"5e55/events.jsonl": data}) == []


def test_a_rewind_of_copilot_cli_leaves_a_branch(tmp_path: Path) -> None:
    """The rewind rewrites the log without the dropped turn; the archive keeps it."""
    path = tmp_path / "events.jsonl"
    archive = SqliteArchive(tmp_path / "archive.db")
    importing = Importing(archive, FormatRegistry((COPILOT_CLI,), tmp_path, {}), Notices(), SystemClock())
    start, kept = copilot_cli.start(), copilot_cli.reply("b", "One.", 2)
    dropped = [copilot_cli.said("c", "Two?", 3), copilot_cli.reply("d", "Two.", 4)]
    rewound = [copilot_cli.event("session.info", "e", 5, infoType="rewind", message="Rewound.")]
    again = [copilot_cli.said("f", "Three?", 6), copilot_cli.reply("g", "Three.", 7)]
    try:
        for records in ([start, kept, *dropped], [start, kept, *rewound, *again]):
            path.write_bytes(copilot_cli.lines(*records))
            importing.import_paths([path]).result()
        [session] = dump(archive, tmp_path / "archive.db").values()
    finally:
        archive.close()
    parents = {id: entry["parent"] for id, entry in session["tree"].items()}
    assert parents == {"b": None, "c": "b", "d": "c", "e": "b", "f": "e", "g": "f"}
    assert (session["leaf"], session["branches"]) == ("g", 2)


# -- VS Code chat ----------------------------------------------------------------------------------------------------


@settings(max_examples=8, derandomize=True, phases=[Phase.generate])
@given(vscode_logs(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_vscode_chat(data: bytes, random: Random, count: int) -> None:
    files = {"chatSessions/5e55.jsonl": data}
    assert grow(files, cuts_at(files, random, count)) == []


@settings(max_examples=3, derandomize=True, phases=[Phase.generate])
@given(vscode_logs())
def test_vscode_chat_line_by_line(data: bytes) -> None:
    assert by_line({"chatSessions/5e55.jsonl": data}) == []


# -- opencode --------------------------------------------------------------------------------------------------------


@settings(max_examples=8, derandomize=True, phases=[Phase.generate])
@given(opencode_steps(), st.sets(st.integers(0, 13), max_size=4))
def test_opencode(steps: list[OpencodeStep], readings: set[int]) -> None:
    assert play_and_compare(steps, readings) == []


@settings(max_examples=3, derandomize=True, phases=[Phase.generate])
@given(opencode_steps())
def test_opencode_step_by_step(steps: list[OpencodeStep]) -> None:
    assert play_and_compare(steps, range(20)) == []


# -- databases in which the rows of one table grow -------------------------------------------------------------------


def test_librecode_row_by_row() -> None:
    assert grow_by_row(LIBRECODE, "librecode.db", librecode.packed(), "session_entries") == []


def test_cursor_message_by_message() -> None:
    assert grow_by_row(CURSOR, "state.vscdb", cursor.packed(), "cursorDiskKV") == []


def test_cursor_keeps_what_a_session_no_longer_lists(tmp_path: Path) -> None:
    """Whether the messages were read before they vanished from the list or after, the tree is the same."""
    versions = []
    with closing(cursor.Store(tmp_path / "state.vscdb")) as store:
        for at, listed in enumerate(("ab", "abcd", "abe")):
            store.composer("s", *listed, at=at)
            for id in listed:
                store.user("s", id, id, ord(id))
            versions.append(store.path.read_bytes())
    assert grow_by_version(CURSOR, "state.vscdb", versions) == []


def test_a_transcript_of_cursor_line_by_line() -> None:
    assert by_line({"agent-transcripts/s.jsonl": cursor_cli.lines(*cursor_cli.talk())}) == []


def test_cline_message_by_message() -> None:
    talk = cline.talk()
    sessions = [cline.session(*talk[:at]) for at in range(1, len(talk) + 1)]
    assert grow_by_version(CLINE, "s.messages.json", sessions) == []
    said = [cline.said(("user", "assistant")[at % 2], str(at), at=at) for at in range(6)]
    tasks = [json.dumps(said[:at]).encode() for at in range(1, len(said) + 1)]
    assert grow_by_version(CLINE, "api_conversation_history.json", tasks) == []


def test_qwen_line_by_line() -> None:
    assert by_line({"chats/5e55.jsonl": qwen.lines(*qwen.talk())}) == []


def test_goose_message_by_message() -> None:
    """A compaction hides what was visible when it was read before."""
    assert grow_by_version(GOOSE, "sessions.db", goose.versions()) == []
    assert by_line({"20250724_1.jsonl": goose.log()}) == []


def test_crush_part_by_part() -> None:
    """A reply is read when it is over."""
    assert grow_by_version(CRUSH, "crush.db", crush.versions()) == []


def test_amp_message_by_message() -> None:
    """Replies and results are read when they are over."""
    assert grow_by_version(AMP, f"{amp.ID}.json", amp.versions()) == []


def test_zed_message_by_message(tmp_path: Path) -> None:
    """The tokens of a turn are those of its last request so far."""
    asked = zed.agent("I look.", zed.call("c"), results=zed.result("c", "tea"))
    messages = [zed.user("a"), asked, zed.agent("A"), zed.user("b"), zed.agent("B"), "Resume", zed.user("c")]
    versions = []
    with closing(zed.Store(tmp_path / "threads.db")) as store:
        for at in range(1, len(messages) + 1):
            usages = {"a": {"input_tokens": min(at, 3)}, "b": {"input_tokens": 9}}
            store.thread(
                "t", *messages[:at], at=at, request_token_usage=usages, model={"provider": "p", "model": "m"}
            )
            versions.append(store.path.read_bytes())
    assert grow_by_version(ZED, "threads.db", versions) == []


# -- Claude Code -----------------------------------------------------------------------------------------------------


@settings(max_examples=10, derandomize=True, phases=[Phase.generate])
@given(talks(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_claude_code(talk: list[Line], random: Random, count: int) -> None:
    files = {"s.jsonl": jsonl(talk)}
    assert grow(files, cuts_at(files, random, count)) == []


@settings(max_examples=4, derandomize=True, phases=[Phase.generate])
@given(talks())
def test_claude_code_line_by_line(talk: list[Line]) -> None:
    assert by_line({"s.jsonl": jsonl(talk)}) == []


@settings(max_examples=5, derandomize=True, phases=[Phase.generate])
@given(talks(), talks(), st.randoms(use_true_random=False))
def test_claude_code_with_a_subagent(talk: list[Line], task: list[Line], random: Random) -> None:
    spawning = {"type": "tool_use", "id": "spawn", "name": "Task", "input": {"prompt": "g0"}}
    talk[0]["message"]["content"] = [spawning]
    files = {"s.jsonl": jsonl(talk), "s/subagents/agent-7.jsonl": renamed(jsonl(task))}
    assert grow(files, cuts_at(files, random, 3)) == []


def test_a_long_talk_line_by_line() -> None:
    made: list[Line] = [user("u0", None, 0)]
    for turn in range(1, 30):
        message = f"m{turn}"
        made += [
            call(f"c{turn}", made[-1]["uuid"], turn, message, f"t{turn}", output=turn),
            call(f"d{turn}", f"c{turn}", turn + 0.1, message, f"s{turn}", output=turn + 1),
            result(f"r{turn}", f"c{turn}", turn + 0.2, f"t{turn}"),
            reply(f"a{turn}", f"r{turn}", turn + 0.4, f"n{turn}"),
            user(f"u{turn}", f"a{turn}", turn + 0.6),
        ]
    files = {"s.jsonl": jsonl(made)}
    assert grow(files, list(cuts_by_line(files))[::3]) == []


# -- long files ------------------------------------------------------------------------------------------------------


@settings(max_examples=8, derandomize=True, phases=[Phase.generate])
@given(talks(), st.randoms(use_true_random=False))
def test_an_archive_that_holds_few_ids_is_the_same(talk: list[Line], random: Random) -> None:
    """Of a long file only the latest ids are held; its tree is read and stored in pieces, here of a few entries."""
    files = {"s.jsonl": jsonl(talk)}
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        expected = read_in_pieces(Path(folder, "whole"), files, [])
        patch.setattr(appending, "BATCH", 1)
        patch.setattr(appending, "HELD", 1)
        patch.setattr(tree_loader, "FETCHED", 3)
        patch.setattr(tree_pieces, "PIECE", 3)
        patch.setattr(tree_pieces, "LEAST", 3)
        for name, cuts in (("few", []), ("pieces", cuts_at(files, random, 2))):
            assert differences(read_in_pieces(Path(folder, name), files, cuts), expected) == []


# -- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(DATA.glob("*.jsonl")), ids=lambda path: path.stem[:8])
def test_the_demo(path: Path) -> None:
    parts = [file for file in path.with_suffix("").rglob("*") if file.is_file()]
    files = {str(file.relative_to(DATA)): file.read_bytes() for file in (path, *parts)}
    assert grow(files, cuts_at(files, Random(4), 3)) == []


def test_real_sessions(samples: Path) -> None:
    random = Random(5)
    for name in ("pi/rewind_2026-05.jsonl", "claude-code/sidechain.jsonl", "claude-code/background_subagent.jsonl"):
        files = {Path(name).name: (samples / name).read_bytes()}
        assert grow(files, cuts_at(files, random, 3)) == [], name
