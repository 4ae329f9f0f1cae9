"""Chats of Google AI Studio: chunks of every kind, ids that are made from content, titles, damage, other copies."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.details import changed_in_source
from stemmata.domain.sources.reading import Blob, Skipped
from stemmata.formats.ai_studio.reader import AiStudio
from stemmata.formats.registry import standard_formats
from tests.fakes.ai_studio import PIXEL, chat, said, tea
from tests.unit.formats.archived import archived
from tests.unit.formats.exports import Read, sessions_of, zipped

AT = 1_767_254_400_000_000_000


def read_all(tmp_path: Path, data: bytes, name: str = "Tea") -> tuple[list[Read], list[tuple[str, str, bool]]]:
    path = tmp_path / name
    path.write_bytes(data)
    assert standard_formats(tmp_path, {}).identify(path) == "ai-studio"
    found, unused = sessions_of(AiStudio(), path)
    return found, [(part.where, part.reason, part.damaged) for part in unused]


def read_one(tmp_path: Path, *chunks: Any, name: str = "Tea", **more: Any) -> Read:
    [found], unused = read_all(tmp_path, chat(*chunks, **{"systemInstruction": {}, **more}), name)
    assert unused == []
    return found


def entries(tmp_path: Path, *chunks: Any, **more: Any) -> list[Entry]:
    return list(read_one(tmp_path, *chunks, **more).entries.values())


def blocks(tmp_path: Path, chunk: Any) -> list[Block]:
    return [block for entry in entries(tmp_path, chunk) for block in entry.blocks]


# -- a chat ------------------------------------------------------------------------------------------------------


def test_a_chat_is_one_path_below_the_system_prompt(tmp_path: Path) -> None:
    [found], _ = read_all(tmp_path, chat(*tea()))
    listed = list(found.entries.values())
    assert [one.role for one in listed] == [
        Role.SYSTEM, Role.USER, Role.USER, Role.ASSISTANT, Role.ASSISTANT, Role.TOOL_RESULT, Role.ASSISTANT,
    ]  # fmt: skip
    assert [one.parent for one in listed] == [None, *(one.id for one in listed[:-1])]
    assert (found.end.leaf, found.end.leaf_known) == (listed[-1].id, True)
    assert listed[0].blocks == (Text("You know tea."),)


def test_thoughts_calls_and_replies(tmp_path: Path) -> None:
    _, picture, thought, call, result, reply = entries(tmp_path, *tea())
    assert isinstance(picture.blocks[0], Image)
    assert (thought.blocks, thought.usage, thought.flags) == ((Thinking("It is morning."),), Usage(output=4), 0)
    assert call.blocks == (
        ToolCall(f"{call.id}#code", "code_execution", '{"language":"PYTHON","code":"print(\'Sencha\')"}'),
    )
    assert (result.call, result.tool, result.blocks) == (f"{call.id}#code", "code_execution", (Text("Sencha\n"),))
    assert (reply.model, reply.provider, reply.flags) == ("gemini-3-pro-preview", "google", Flag.ENDS_TURN)
    assert reply.time == AT + 9_000_000_000


def test_the_facts_of_a_chat(tmp_path: Path) -> None:
    info = read_one(tmp_path, *tea(), pendingInputs=[{"role": "user", "text": "And?"}]).begin.info
    assert (info.source, info.title, info.created_at) == ("ai-studio", "Tea", AT)
    assert changed_in_source(info.details) == AT + 9_000_000_000
    details = json.loads(info.details)
    assert (details["runSettings"]["temperature"], details["pendingInputs"][0]["text"]) == (1, "And?")


@pytest.mark.parametrize("pending", [None, [], [{"text": "", "role": "user"}], [{"role": "user"}], 0])
def test_an_empty_message_that_waits_is_no_fact(tmp_path: Path, pending: object) -> None:
    assert "pendingInputs" not in read_one(tmp_path, said("a"), pendingInputs=pending).begin.info.details


def test_a_message_that_waits_in_another_form_is_a_fact(tmp_path: Path) -> None:
    info = read_one(tmp_path, said("a"), pendingInputs=["And?"]).begin.info
    assert json.loads(info.details)["pendingInputs"] == ["And?"]


def test_the_bytes_of_a_session_are_the_file_and_records_lie_in_it(tmp_path: Path) -> None:
    [found], _ = read_all(tmp_path, chat(*tea()))
    assert found.raw == (tmp_path / "Tea").read_bytes()
    system, *chunks = found.entries
    assert json.loads(found.record(system)) == {"text": "You know tea."}
    assert [json.loads(found.record(id)) for id in chunks] == tea()


@pytest.mark.parametrize(
    ("name", "title"),
    [("Tea", "Tea"), ("Tea.json", "Tea"), ("Tea (1)", "Tea"), ("Tea (1).json", "Tea"), ("Tea.json(2)", "Tea"),
     ("Tea 3.5 (old)", "Tea 3.5 (old)"), ("Copy of Tea", "Copy of Tea"), (".json", ".json")],
)  # fmt: skip
def test_the_title_is_the_name_of_the_file(tmp_path: Path, name: str, title: str) -> None:
    assert read_one(tmp_path, said("a"), name=name).begin.info.title == title


def test_sessions_differ_by_title_and_by_first_chunk(tmp_path: Path) -> None:
    def id(text: str, name: str) -> str:
        return read_one(tmp_path, said(text), name=name).begin.info.source_id

    assert id("a", "Tea") == id("a", "Tea (1).json")
    assert len({id("a", "Tea"), id("b", "Tea"), id("a", "Cake")}) == 3


# -- copies of a chat --------------------------------------------------------------------------------------------


def test_a_chat_that_grew_only_adds_and_an_edited_one_makes_a_branch(tmp_path: Path) -> None:
    path = tmp_path / "Tea"
    one, two, three, four = said("1", "user"), said("2"), said("3", "user"), said("4")
    edited = said("3b", "user")
    with archived(tmp_path / "archive") as archive:
        for chunks in ((one, two), (one, two, three, four), (one, two), (one, two, edited)):
            path.write_bytes(chat(*chunks, systemInstruction={}))
            archive.take(path)
        [session] = archive.sessions()
        assert archive.above(session) == {"1": None, "2": "1", "3": "2", "4": "3", "3b": "2"}


def test_a_count_of_tokens_that_comes_later_and_another_system_prompt_change_no_ids(tmp_path: Path) -> None:
    [first] = entries(tmp_path, said("a"))
    _, second = entries(tmp_path, said("a", tokenCount=5), systemInstruction="Be brief.")
    assert first.id == second.id


def test_chunks_that_say_the_same_have_different_ids(tmp_path: Path) -> None:
    assert len({entry.id for entry in entries(tmp_path, said("a"), said("a"), said("a"))}) == 3


# -- kinds of content --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chunk", "found"),
    [
        (said(parts=[{"text": "a"}, {"text": "b", "thought": True}, "c", 5]),
         [Text("a"), Thinking("b"), Text("c"), UnknownBlock("part", "5")]),
        (said(parts=[{"text": "a"}], isThought=True), [Thinking("a")]),
        (said("whole", parts=[{"text": "wh"}, {"fileData": {"id": "f"}}]),
         [Text("whole"), UnknownBlock("fileData f", '{"id":"f"}')]),
        (said("See", driveDocument={"id": "d"}), [UnknownBlock("driveDocument d", '{"id":"d"}'), Text("See")]),
        (said(driveImage={"id": "i"}), [Image("image/*", "", 0, "i")]),
        (said(inlineFile={"data": "?"}), [UnknownBlock("inlineFile", '{"data":"?"}')]),
        (said(errorMessage="Quota"), [Text("Quota")]),
        (said(parts=[None, {}]), []),
        (said(), []),
    ],
)  # fmt: skip
def test_what_becomes_of_the_parts_of_a_chunk(tmp_path: Path, chunk: Any, found: list[Block]) -> None:
    assert blocks(tmp_path, chunk) == found


def test_pictures_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "Tea"
    path.write_bytes(chat(said(parts=[{"inlineData": {"mimeType": "image/png", "data": PIXEL}}])))
    [blob] = [event for event in AiStudio().read(path, None) if isinstance(event, Blob)]
    assert blob.data.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("call", "result", "id", "tool"),
    [
        ({"id": "x", "name": "look", "args": {"a": 1}}, {"id": "x", "response": {"b": 2}}, "x", "look"),
        ({"name": "look", "args": {"a": 1}}, {"name": "look", "response": {"b": 2}}, "#call", "look"),
        ({"name": "look", "args": {"a": 1}}, {"name": "other", "response": {"b": 2}}, "", "other"),
    ],
)
def test_results_find_their_calls(tmp_path: Path, call: Any, result: Any, id: str, tool: str) -> None:
    first, second = entries(tmp_path, said(functionCall=call), said("", "user", functionResponse=result))
    [made] = first.blocks
    assert isinstance(made, ToolCall)
    assert (made.name, made.arguments, made.id.endswith(id)) == ("look", '{"a":1}', True)
    assert (second.role, second.tool, second.blocks) == (Role.TOOL_RESULT, tool, (Text('{"b":2}'),))
    assert second.call == (made.id if id else "")


def test_calls_and_results_in_odd_forms(tmp_path: Path) -> None:
    first, second = entries(
        tmp_path,
        said(parts=[{"functionCall": {"args": "x"}}, {"functionCall": {"name": "f"}}, {"executableCode": "y"}]),
        said(codeExecutionResult={"outcome": "OUTCOME_FAILED", "output": ""}),
    )
    assert [(call.name, call.arguments) for call in first.blocks if isinstance(call, ToolCall)] == [
        ("", '{"input":"x"}'), ("f", "{}"), ("code_execution", '{"input":"y"}'),
    ]  # fmt: skip
    assert (second.blocks, second.flags) == ((), Flag.FAILED)


@pytest.mark.parametrize(
    ("more", "flags"),
    [
        ({}, Flag.ENDS_TURN),
        ({"finishReason": "MAX_TOKENS"}, Flag.CUT),
        ({"finishReason": "SAFETY"}, Flag.FAILED),
        ({"errorMessage": "Quota"}, Flag.FAILED),
        ({"isThought": True}, Flag.NONE),
        ({"functionCall": {"name": "f"}}, Flag.NONE),
    ],
)
def test_how_a_reply_ended(tmp_path: Path, more: dict[str, Any], flags: Flag) -> None:
    assert entries(tmp_path, said("a", **more))[0].flags == flags


def test_other_facts_are_details(tmp_path: Path) -> None:
    [entry] = entries(tmp_path, said("a", grounding={"sources": []}, thoughtSignatures=[], finishReason="STOP"))
    assert json.loads(entry.details) == {"grounding": {"sources": []}, "finishReason": "STOP"}


@pytest.mark.parametrize(
    ("instruction", "found"),
    [
        ("Be brief.", ["Be brief."]),
        ({"parts": [{"text": "a"}, "b"], "role": "user"}, ["a", "b"]),
        ({"text": "a", "parts": [{"text": "a"}]}, ["a"]),
        ([{"text": "a"}], ["a"]),
    ],
)
def test_system_instructions(tmp_path: Path, instruction: object, found: list[str]) -> None:
    system, first = entries(tmp_path, said("x", "user"), systemInstruction=instruction)
    assert (system.role, list(system.blocks), first.parent) == (Role.SYSTEM, [Text(one) for one in found], system.id)


def test_a_system_instruction_of_another_form_is_kept_as_it_is(tmp_path: Path) -> None:
    system, _ = entries(tmp_path, said("x", "user"), systemInstruction={"x": {"text": "a"}})
    assert (system.role, system.blocks) == (Role.SYSTEM, (UnknownBlock("", '{"x":{"text":"a"}}'),))


# -- damage ------------------------------------------------------------------------------------------------------


def test_chunks_of_an_unknown_kind_are_kept_as_they_are(tmp_path: Path) -> None:
    found = read_one(tmp_path, 5, {"role": "critic", "text": "x"}, said("y"))
    odd, critic, last = found.entries.values()
    assert (odd.kind, odd.flags, odd.details, odd.record) == (Kind.UNKNOWN, Flag.HIDDEN, "5", None)
    assert (critic.kind, json.loads(critic.details)) == (Kind.UNKNOWN, {"role": "critic", "text": "x"})
    assert json.loads(found.record(last.id)) == said("y")


@pytest.mark.parametrize(
    ("prompt", "reason", "damaged"),
    [({}, "has no messages", True), ({"chunks": {}}, "has no messages", True), ({"chunks": []}, "is empty", False)],
)
def test_a_file_without_chunks(tmp_path: Path, prompt: object, reason: str, damaged: bool) -> None:
    assert read_all(tmp_path, chat(chunkedPrompt=prompt)) == ([], [("Tea, conversation 1", reason, damaged)])


def test_a_cut_chat_gives_its_complete_chunks_and_is_the_same_session(tmp_path: Path) -> None:
    whole = chat(*tea())
    [before], _ = read_all(tmp_path, whole)
    [after], unused = read_all(tmp_path, whole[: whole.index(b"executableCode")])
    assert unused == []
    assert list(after.entries) == list(before.entries)[:4]
    assert after.begin.info.source_id == before.begin.info.source_id
    assert [one.reason for one in AiStudio().read(tmp_path / "Tea", None) if isinstance(one, Skipped)] == [
        "Tea, conversation 1: the file ends early; 4 messages are complete before its end"
    ]


# -- files -------------------------------------------------------------------------------------------------------


def test_files_without_an_ending_are_found_in_their_folder(tmp_path: Path) -> None:
    home = tmp_path / "Takeout" / "Drive" / "Google AI Studio"
    for folder in (home, home.parent):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Tea 2.0").write_bytes(chat(*tea()))
    (home / "photo.png").write_bytes(b"\x89PNG")
    assert standard_formats(tmp_path / "home", {}).expand(tmp_path)[0] == [home / "Tea 2.0"]


def test_chats_in_a_zip_archive(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"Tea.json": chat(*tea()), "Cake.json": chat(said("a")), "note.txt": b"x"})
    assert standard_formats(tmp_path / "home", {}).identify(path) == "ai-studio"
    found, unused = sessions_of(AiStudio(), path)
    assert [one.begin.info.title for one in found] == ["Tea", "Cake"]
    assert [part.where for part in unused] == ["1 other files"]


def test_another_object_is_no_chat(tmp_path: Path) -> None:
    assert not AiStudio().sniff(b'{"chunkedPrompt": "no"}', tmp_path)
    assert not AiStudio().sniff(b'{"chat": {"chunkedPrompt": {}}}', tmp_path)


def test_the_sample_is_read_whole(samples: Path) -> None:
    path = samples / "other" / "aistudio_example.json"
    [found], unused = sessions_of(AiStudio(), path)
    chunks = json.loads(path.read_bytes())["chunkedPrompt"]["chunks"]
    assert unused == []
    assert [block for one in found.entries.values() for block in one.blocks] == [
        Thinking(chunk["text"]) if chunk.get("isThought") else Text(chunk["text"]) for chunk in chunks
    ]
    assert [one.usage.output for one in found.entries.values() if one.usage] == [
        chunk["tokenCount"] for chunk in chunks if chunk["role"] == "model"
    ]


def test_results_find_their_calls_by_id_then_by_tool_in_order(tmp_path: Path) -> None:
    calls = [said("", functionCall={"id": id, "name": "brew", "args": {}}) for id in ("a", "b", "c")]
    results = [
        said("", functionResponse={"id": "b", "response": "1"}),
        said("", functionResponse={"name": "brew", "response": "2"}),
        said("", functionResponse={"name": "brew", "response": "3"}),
        said("", functionResponse={"name": "brew", "response": "4"}),
    ]
    found = [one for one in entries(tmp_path, *calls, *results) if one.role is Role.TOOL_RESULT]
    assert [(one.call, one.tool) for one in found] == [("b", "brew"), ("a", "brew"), ("c", "brew"), ("", "brew")]


def test_a_result_is_not_searched_for_among_all_calls(tmp_path: Path) -> None:
    assert seconds_for(tmp_path, "r") < 3 * seconds_for(tmp_path, "c")


def seconds_for(tmp_path: Path, results: str) -> float:
    """Return the processor time for reading 12,000 calls, `c0` and so on, and results whose ids begin as given."""
    calls = [said("", functionCall={"id": f"c{number}", "name": "brew"}) for number in range(12_000)]
    told = [said("", functionResponse={"id": f"{results}{number}", "response": "x"}) for number in range(12_000)]
    begun = time.process_time()
    assert len(entries(tmp_path, *calls, *told)) == 24_000
    return time.process_time() - begun
