"""One rollout: its entries, what belongs to them, and what only keeps Codex's books."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import RereadError, UnreadableSourceError
from stemmata.domain.sources.reading import Begin, End, Raw
from stemmata.formats.codex import rollout as module
from stemmata.formats.codex.items import ENCRYPTED
from stemmata.formats.codex.reader import Codex
from stemmata.formats.codex.rollout import Rollout, RolloutState
from tests.fakes import codex as fake
from tests.fakes.claude_code import Found
from tests.fakes.export_source import MemorySource


def read(folder: Path, *records: fake.Record) -> Found:
    return fake.only(fake.write(folder / fake.name(fake.THREAD), *records))


def shown(found: Found) -> list[str]:
    """The texts on the way to the leaf."""
    path, at = [], found.end.leaf
    while at is not None:
        path.append(found.by_id[at])
        at = path[-1].parent
    return [plain_text(entry.blocks) for entry in reversed(path) if plain_text(entry.blocks)]


def named(found: Found, said: str) -> Entry:
    return next(entry for entry in found.entries if plain_text(entry.blocks) == said)


def test_a_whole_session(tmp_path: Path) -> None:
    found = read(tmp_path, *fake.plain())
    assert (found.info.source, found.info.source_id, found.info.cwd) == ("codex", fake.THREAD, "/w")
    assert json.loads(found.info.details) == {
        "originator": "codex_cli",
        "version": "0.1",
        "client": "cli",
        "git": {"branch": "main", "commit_hash": "abc"},
    }
    assert found.info.created_at == 1767261600 * 10**9
    assert found.end.title == "A name"
    assert not found.skipped
    assert not found.repaired
    assert shown(found) == [
        "<permissions instructions>All.", "<environment_context><cwd>/w</cwd></environment_context>", "Look around.",
        "no such file", "Done!", "completed", "Nothing here.", "Right way.", "Done.", "So far: nothing.",
        "Look around.\nRight way.", "And now?", "Tea.", "interrupted",
    ]  # fmt: skip


def test_each_message_is_an_entry_once(tmp_path: Path) -> None:
    found = read(tmp_path, fake.meta(), *fake.turn(1, "Look around.", "Nothing here."))
    said = [(entry.role, plain_text(entry.blocks)) for entry in found.entries if entry.kind is Kind.MESSAGE]
    assert said == [(Role.USER, "Look around."), (Role.ASSISTANT, "Nothing here.")]


def test_what_codex_writes_is_not_a_prompt(tmp_path: Path) -> None:
    typed = {"content_item_kinds": ["user.text"]}
    written = {"content_item_kinds": ["environment_context"]}
    found = read(
        tmp_path,
        fake.meta(),
        fake.said("developer", "Rules."),
        fake.said("user", "# AGENTS.md instructions for /w"),
        fake.said("user", "Context.", internal_chat_message_metadata_passthrough=written),
        fake.said("user", "<skill> is a tag", internal_chat_message_metadata_passthrough=typed),
        fake.item("message", role="user", content=[{"type": "input_text", "text": "<skill>x"}, {"text": "Typed."}]),
    )
    flags = [(entry.role, entry.flags) for entry in found.entries]
    assert flags == [
        (Role.SYSTEM, Flag.HIDDEN), (Role.USER, Flag.INJECTED), (Role.USER, Flag.INJECTED), (Role.USER, Flag.NONE),
        (Role.USER, Flag.NONE),
    ]  # fmt: skip
    assert found.entries[0].name == "developer"


def test_tools_and_their_results(tmp_path: Path) -> None:
    found = read(tmp_path, fake.meta(), *fake.turn(1, "Go.", "Gone.", *fake.tool_turn()))
    calls = [block for entry in found.entries for block in entry.blocks if isinstance(block, ToolCall)]
    assert calls == [
        ToolCall("c1", "exec_command", '{"cmd":"ls"}'),
        ToolCall("c2", "apply_patch", '{"input":"*** Begin Patch\\n*** Add File: a\\n+x"}'),
        ToolCall("w1", "web_search", '{"type":"search","query":"tea"}'),
    ]
    listing, patch, search = [entry for entry in found.entries if entry.role is Role.TOOL_RESULT]
    assert (listing.call, listing.tool, listing.flags) == ("c1", "exec_command", Flag.FAILED)
    assert json.loads(listing.details) == {"exit_code": 1, "duration_ms": 1005}
    assert (patch.call, patch.tool, patch.flags, patch.details) == ("c2", "apply_patch", Flag.NONE, "")
    assert (search.call, search.tool, search.blocks) == ("w1", "web_search", (Text("completed"),))


def test_the_end_of_a_call_that_is_told_late(tmp_path: Path) -> None:
    call = fake.item("function_call", name="ls", arguments="{}", call_id="c")
    result = fake.item("function_call_output", call_id="c", output="x")
    found = read(tmp_path, fake.meta(), call, result, fake.event("exec_command_end", call_id="c", exit_code=2))
    assert found.entries[-1].flags == Flag.FAILED
    found = read(tmp_path, fake.meta(), call, result, fake.event("exec_command_end", call_id="c", exit_code=0))
    assert found.entries[-1].flags == Flag.NONE


def test_reasoning_is_shown_and_can_be_sent_back(tmp_path: Path) -> None:
    found = read(tmp_path, fake.meta(), *fake.turn(1, "Go.", "Gone.", *fake.tool_turn()))
    (thinking,) = [block for entry in found.entries for block in entry.blocks if isinstance(block, Thinking)]
    assert (thinking.text, thinking.redacted) == ("Look first.", False)
    assert json.loads(thinking.signature)["encrypted_content"] == "AAAA"
    sealed = read(tmp_path, fake.meta(), fake.item("reasoning", summary=[], content=None, encrypted_content="B"))
    (block,) = sealed.entries[0].blocks
    assert isinstance(block, Thinking)
    assert block.redacted


def test_tokens_are_counted_once(tmp_path: Path) -> None:
    again = fake.tokens(110, input_tokens=100, cached_input_tokens=60, output_tokens=10, total_tokens=110)
    records = [fake.meta(), *fake.turn(1, "Go.", "Gone."), again, *fake.turn(2, "On.", "Off."), again]
    found = read(tmp_path, *records)
    used = [(plain_text(entry.blocks), entry.usage) for entry in found.entries if entry.usage]
    usage = Usage(input=40, output=10, cache_read=60, total=110)
    assert used == [("Gone.", usage), ("Off.", usage)]


def test_records_of_each_call_come_before_repeated_counts(tmp_path: Path) -> None:
    usage = {
        "input_tokens": 50, "cached_input_tokens": 20, "cache_write_input_tokens": 10, "output_tokens": 5,
        "total_tokens": 55,
    }  # fmt: skip
    found = read(
        tmp_path,
        fake.meta(),
        fake.said("user", "Go."),
        fake.said("assistant", "One."),
        {"type": "token_usage_record", "payload": {"usage": usage}},
        fake.tokens(55, **usage),
        fake.said("assistant", "Two."),
        fake.tokens(110, **usage),
        {"type": "token_usage_record", "payload": {"usage": {}}},
        {"type": "token_usage_record", "payload": {"usage": usage}},
    )
    assert [entry.usage for entry in found.entries if entry.usage] == [
        Usage(input=20, output=5, cache_read=20, cache_write=10, total=55)
    ] * 2


def test_tokens_without_a_reply_belong_to_nothing(tmp_path: Path) -> None:
    found = read(
        tmp_path, fake.meta(), fake.tokens(9, input_tokens=9), fake.said("user", "Go."), fake.event("token_count")
    )
    assert [entry.usage for entry in found.entries] == [None]


def test_the_model_and_its_effort(tmp_path: Path) -> None:
    mode = {"collaboration_mode": {"settings": {"reasoning_effort": "low"}}}
    found = read(
        tmp_path,
        fake.meta(),
        *fake.turn(1, "Go.", "Gone."),
        fake.settings("turn-2"),
        {"type": "turn_context", "payload": {"turn_id": "turn-2", "model": "small", **mode}},
        fake.event("thread_settings_applied", thread_settings={"model_provider_id": "azure"}),
        fake.said("assistant", "Hm."),
    )
    changes = [(entry.kind, entry.provider, entry.model, entry.name) for entry in found.entries if not entry.blocks]
    assert changes == [
        (Kind.MODEL_CHANGE, "openai", "gpt", ""),
        (Kind.THINKING_LEVEL_CHANGE, "", "", "high"),
        (Kind.MODEL_CHANGE, "openai", "small", ""),
        (Kind.THINKING_LEVEL_CHANGE, "", "", "low"),
    ]
    assert (found.entries[-1].provider, found.entries[-1].model) == ("azure", "small")
    assert named(found, "Gone.").flags == Flag.ENDS_TURN


def test_a_turn_that_ends_in_a_call_has_no_last_reply(tmp_path: Path) -> None:
    call = fake.item("function_call", name="ls", arguments="{}", call_id="c")
    found = read(tmp_path, fake.meta(), fake.said("user", "Go."), call, fake.ended("t"), fake.ended("t"))
    assert [entry.flags for entry in found.entries] == [Flag.NONE, Flag.NONE]


def test_turns_that_were_taken_back_stay_as_a_branch(tmp_path: Path) -> None:
    back = fake.event("thread_rolled_back", num_turns=2)
    found = read(
        tmp_path,
        fake.meta(),
        *fake.turn(1, "One.", "1"),
        *fake.turn(2, "Two.", "2"),
        *fake.turn(3, "Three.", "3"),
        back,
        *fake.turn(4, "Four.", "4"),
    )
    assert shown(found) == ["One.", "1", "Four.", "4"]
    assert named(found, "Two.").parent == named(found, "Four.").parent == named(found, "1").id
    assert [plain_text(found.by_id[leaf].blocks) for leaf in found.leaves] == ["3", "4"]
    all_back = read(tmp_path, fake.meta(), *fake.turn(1, "One.", "1"), fake.event("thread_rolled_back", num_turns=7))
    assert shown(all_back) == []
    none = read(tmp_path, fake.meta(), *fake.turn(1, "One.", "1"), fake.event("thread_rolled_back", num_turns=0))
    assert shown(none) == ["One.", "1"]


def test_a_compaction_keeps_what_codex_keeps(tmp_path: Path) -> None:
    found = read(tmp_path, fake.meta(), *fake.turn(1, "One.", "1"), fake.compacted("Short.", "One."))
    compaction, kept = found.entries[-2:]
    assert (compaction.kind, compaction.blocks, compaction.target) == (Kind.COMPACTION, (Text("Short."),), None)
    assert compaction.usage == Usage(total=110)
    assert (kept.kind, kept.role, kept.name) == (Kind.CUSTOM_MESSAGE, Role.CUSTOM, "kept-messages")
    assert (kept.blocks, kept.flags) == ((Text("One."),), Flag.HIDDEN | Flag.INJECTED)
    assert kept.parent == compaction.id


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        ({"message": "", "replacement_history": [{"type": "compaction", "encrypted_content": "x"}]}, ENCRYPTED),
        ({"message": "", "replacement_history": []}, ""),
        ({"message": "Short.", "window_number": 2}, "Short."),
    ],
)
def test_other_compactions(tmp_path: Path, payload: dict[str, Any], shown: str) -> None:
    found = read(tmp_path, fake.meta(), fake.said("user", "Hi."), {"type": "compacted", "payload": payload})
    (compaction,) = found.entries[1:]
    assert plain_text(compaction.blocks) == shown
    assert compaction.usage is None
    assert ("encrypted" in json.loads(compaction.details)) == (shown == ENCRYPTED)


def test_events_count_where_there_are_no_items(tmp_path: Path) -> None:
    texts = [{"type": "Text", "text": "b"}, "c"]
    found = read(
        tmp_path,
        fake.meta(),
        fake.event("user_message", message="Hi."),
        fake.event("item_completed", item={"type": "Reasoning", "summary_text": ["Hm.", "So."]}),
        fake.event("item_completed", item={"type": "AgentMessage", "content": texts}),
        fake.event("agent_message", message=" "),
        fake.event("agent_message", other=1),
    )
    assert [entry.blocks for entry in found.entries] == [(Text("Hi."),), (Thinking("Hm.\nSo."),), (Text("b\nc"),)]


def test_an_event_waits_for_its_item(tmp_path: Path) -> None:
    begin = [fake.meta(), fake.said("user", "Hi.")]
    found = read(tmp_path, *begin, fake.event("agent_message", message="Yes."))
    assert shown(found) == ["Hi."]
    found = read(tmp_path, *begin, fake.event("agent_message", message="Yes."), fake.ended("t"))
    assert shown(found) == ["Hi.", "Yes."]
    found = read(tmp_path, *begin, fake.event("agent_message", message="Yes."), fake.said("assistant", "Yes."))
    assert shown(found) == ["Hi.", "Yes."]


def test_notes_and_unknown_records_are_kept(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        fake.meta(),
        fake.said("user", "Hi."),
        fake.event("error", message="No network."),
        fake.event("item_completed", item={"type": "Plan", "text": "First."}),
        fake.event("entered_review_mode", target={"a": 1}),
        fake.event("unheard_of", a=1),
        {"type": "inter_agent_communication", "payload": {"content": "Psst."}},
        {"type": "unheard_of", "payload": {"a": 1}},
        {"odd": True},
        fake.item("ghost_snapshot", commit="abc"),
    )
    assert [(entry.kind, entry.name, plain_text(entry.blocks), entry.flags) for entry in found.entries[1:]] == [
        (Kind.CUSTOM, "error", "No network.", Flag.NONE),
        (Kind.CUSTOM, "Plan", "First.", Flag.NONE),
        (Kind.CUSTOM, "entered_review_mode", "", Flag.HIDDEN),
        (Kind.UNKNOWN, "event_msg/unheard_of", "", Flag.HIDDEN),
        (Kind.CUSTOM, "inter_agent_communication", "Psst.", Flag.NONE),
        (Kind.UNKNOWN, "unheard_of", "", Flag.HIDDEN),
        (Kind.UNKNOWN, "", "", Flag.HIDDEN),
        (Kind.CUSTOM, "ghost_snapshot", "", Flag.HIDDEN),
    ]


def test_every_record_has_its_place(tmp_path: Path) -> None:
    path = fake.write(tmp_path / fake.name(fake.THREAD), *fake.plain())
    counts, lost = fake.kinds(path, Codex().read(path, None))
    assert not lost
    assert counts.total() == len(fake.plain())
    assert counts["event_msg/token_count"] == 4


def test_files_of_the_first_versions(tmp_path: Path) -> None:
    old = [
        {"id": fake.THREAD, "timestamp": fake.stamp(0), "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi."}]},
        {"role": "assistant", "type": "message", "content": "Yes."},
    ]
    path = tmp_path / "rollout-old.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in old))
    assert Codex().sniff(path.read_bytes(), path)
    assert not Codex().sniff(path.read_bytes(), tmp_path / "other.jsonl")
    found = fake.only(path)
    assert (found.info.source_id, shown(found)) == (fake.THREAD, ["Hi.", "Yes."])


def test_items_without_a_type(tmp_path: Path) -> None:
    bare = {"type": "response_item", "payload": {"role": "user", "content": "Hi."}}
    assert shown(read(tmp_path, fake.meta(), bare)) == ["Hi."]


def test_a_file_without_messages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSourceError, match="contains no messages"):
        read(tmp_path, fake.meta())


def test_a_bad_line_costs_itself(tmp_path: Path) -> None:
    path = tmp_path / fake.name(fake.THREAD)
    lines = fake.rollout([fake.meta(), *fake.turn(1, "One.", "1")]).splitlines(keepends=True)
    path.write_bytes(lines[0] + b"[1]\n" + b"".join(lines[1:]) + b'{"cut')
    found = fake.only(path)
    assert [(one.line, one.reason) for one in found.skipped] == [
        (2, "not a JSON object"), (len(lines) + 2, "not valid JSON: the file ends inside this line"),
    ]  # fmt: skip
    assert shown(found) == ["One.", "1"]


def test_the_same_words_twice_are_two_entries(tmp_path: Path) -> None:
    found = read(tmp_path, fake.meta(), *[fake.said("user", "Hi.")] * 3)
    first, second, third = (entry.id for entry in found.entries)
    assert (second, third) == (f"{first}~2", f"{first}~3")


# -- a file that grows --------------------------------------------------------------------------------------------


def _end(path: Path, since: Any = None) -> tuple[Begin, End, list[Entry], list[Raw]]:
    events = list(Codex().read(path, since))
    begin, end = events[0], events[-1]
    assert isinstance(begin, Begin)
    assert isinstance(end, End)
    entries = [event for event in events if isinstance(event, Entry)]
    return begin, end, entries, [event for event in events if isinstance(event, Raw)]


def test_a_grown_file_is_read_from_the_turn_that_was_open(tmp_path: Path) -> None:
    path = tmp_path / fake.name(fake.THREAD)
    records = [fake.meta(), *fake.turn(1, "One.", "1"), *fake.turn(2, "Two.", "2")]
    whole = fake.rollout(records)
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-2]))  # the tokens of the last reply are missing
    _, end, _, _ = _end(path)
    size = path.stat().st_size
    path.write_bytes(whole)
    begin, _, entries, raw = _end(path, end.checkpoint)
    assert begin.offset == size == raw[0].offset
    assert [plain_text(entry.blocks) for entry in entries] == ["Two.", "2"]
    assert entries[-1].usage is not None
    assert b"".join(part.data for part in raw) == whole[size:]
    assert MemorySource.read(Codex(), path).source_bytes == whole


def test_an_unchanged_file_gives_no_bytes_again(tmp_path: Path) -> None:
    path = fake.write(tmp_path / fake.name(fake.THREAD), fake.meta(), fake.said("user", "One."))
    _, end, _, _ = _end(path)
    begin, again, entries, raw = _end(path, end.checkpoint)
    assert begin.offset == path.stat().st_size
    assert (len(entries), raw, again.leaf) == (1, [], end.leaf)


def test_lines_that_were_reported_are_not_reported_again(tmp_path: Path) -> None:
    path = tmp_path / fake.name(fake.THREAD)
    path.write_bytes(fake.rollout([fake.meta(), fake.said("user", "One.")]) + b"bad\n")
    _, end, _, _ = _end(path)
    with path.open("ab") as file:
        file.write(b"worse\n")
    found = fake.only(path, end.checkpoint)
    assert [one.line for one in found.skipped] == [4]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: state.pop("at"),
        lambda state: state.update(at=[-1, 0]),
        lambda state: state["state"].update(turns=[1]),
        lambda state: state["state"]["facts"].update(turn=1),
        lambda state: state["state"].pop("parent"),
    ],
)
def test_a_spoilt_checkpoint_is_not_used(tmp_path: Path, spoil: Any) -> None:
    path = fake.write(tmp_path / fake.name(fake.THREAD), fake.meta(), *fake.turn(1, "One.", "1"))
    _, end, _, _ = _end(path)
    assert end.checkpoint is not None
    assert _end(path, end.checkpoint)[0].offset
    state = json.loads(end.checkpoint.state)
    spoil(state)
    assert not _end(path, replace(end.checkpoint, state=json.dumps(state)))[0].offset


def test_a_file_whose_ids_repeat_is_read_whole(tmp_path: Path) -> None:
    path = fake.write(tmp_path / fake.name(fake.THREAD), fake.meta(), *[fake.said("user", "Hi.")] * 2)
    _, end, _, _ = _end(path)
    assert not _end(path, end.checkpoint)[0].offset


def test_more_turns_than_a_checkpoint_remembers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_TURNS", 1)
    path = tmp_path / fake.name(fake.THREAD)
    records = [fake.meta(), *fake.turn(1, "One.", "1"), *fake.turn(2, "Two.", "2")]
    path.write_bytes(fake.rollout(records))
    _, end, _, _ = _end(path)
    path.write_bytes(fake.rollout([*records, fake.event("thread_rolled_back", num_turns=1)]))
    assert _end(path, end.checkpoint)[0].offset
    path.write_bytes(fake.rollout([*records, fake.event("thread_rolled_back", num_turns=2)]))
    with pytest.raises(RereadError):
        _end(path, end.checkpoint)


def test_a_file_that_returns_to_an_earlier_turn_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / fake.name(fake.THREAD)
    records = [fake.meta(), *fake.turn(1, "One.", "1"), *fake.turn(2, "Two.", "2")]
    path.write_bytes(fake.rollout(records))
    _, end, _, _ = _end(path)
    path.write_bytes(fake.rollout([*records, fake.started("turn-2"), fake.said("user", "More.")]))
    assert _end(path, end.checkpoint)[0].offset
    path.write_bytes(fake.rollout([*records, fake.settings("turn-1"), fake.said("user", "More.")]))
    with pytest.raises(RereadError):
        _end(path, end.checkpoint)


def test_a_long_turn_is_held_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_HELD", 2)
    found = read(tmp_path, fake.meta(), *[fake.said("assistant", str(at)) for at in range(5)])
    assert shown(found) == ["0", "1", "2", "3", "4"]


def test_a_rollout_without_lines_has_no_leaf() -> None:
    rollout = Rollout("seed", RolloutState())
    assert rollout.leaf is None
    assert rollout.restart(5, 1).offset == 5


def test_of_many_open_calls_the_oldest_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_OPEN", 1)
    calls = [fake.item("function_call", name=f"tool {id}", arguments="{}", call_id=id) for id in "abc"]
    results = [fake.item("function_call_output", call_id=id, output=id) for id in "abcb"]
    found = read(tmp_path, fake.meta(), fake.said("user", "Hi."), *calls, *results)
    tools = [entry.tool for entry in found.entries if entry.role is Role.TOOL_RESULT]
    assert tools == ["", "tool b", "tool c", ""]  # a was forgotten, and b is open no longer


def test_a_reading_that_goes_on_knows_the_calls_that_were_open_where_it_starts(tmp_path: Path) -> None:
    path = tmp_path / fake.name(fake.THREAD)
    call = fake.item("function_call", name="ls", arguments="{}", call_id="c")
    done = fake.event("exec_command_end", call_id="c", exit_code=1)
    result = fake.item("function_call_output", call_id="c", output="x")
    begun = [fake.meta(), fake.said("user", "One."), call, done, fake.started("turn-2")]
    path.write_bytes(fake.rollout([*begun, fake.said("user", "Two."), result]))
    _, end, _, _ = _end(path)
    path.write_bytes(fake.rollout([*begun, fake.said("user", "Two."), result, fake.said("assistant", "Done.")]))
    begin, _, entries, _ = _end(path, end.checkpoint)
    assert begin.offset
    again = [entry for entry in entries if entry.role is Role.TOOL_RESULT]
    assert [(entry.tool, bool(entry.flags & Flag.FAILED)) for entry in again] == [("ls", True)]


def test_a_file_whose_beginning_is_missing_says_so(tmp_path: Path) -> None:
    one = fake.only(fake.write(tmp_path / fake.name(fake.THREAD), *fake.turn(1, "Tea?", "Yes.")))
    assert [repaired.what for repaired in one.repaired] == [
        "The record at the beginning of the file is missing; more may be missing after it."
    ]
    assert (
        fake.only(fake.write(tmp_path / fake.name(fake.THREAD), fake.meta(), *fake.turn(1, "Tea?", "Yes."))).repaired
        == []
    )
