"""Grok's exports: the tree of a conversation, each kind of content, what surrounds the conversations, damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.details import changed_in_source
from stemmata.domain.sources.reading import Skipped
from stemmata.formats.grok.reader import Grok
from stemmata.formats.registry import standard_formats
from tests.fakes.grok import AT, NAME, conversation, export, said, tea
from tests.unit.formats.exports import Read, sessions_of, zipped

NS = 1_000_000


def read_all(tmp_path: Path, data: bytes) -> tuple[list[Read], list[tuple[str, str, bool]]]:
    path = tmp_path / NAME
    path.write_bytes(data)
    assert standard_formats(tmp_path, {}).identify(path) == "grok"
    found, unused = sessions_of(Grok(), path)
    return found, [(part.where, part.reason, part.damaged) for part in unused]


def read_one(tmp_path: Path, *messages: Any, **more: Any) -> Read:
    [found], unused = read_all(tmp_path, export(conversation(list(messages), **more)))
    assert unused == []
    return found


def entry_of(tmp_path: Path, message: Any) -> Entry:
    [entry] = read_one(tmp_path, message).entries.values()
    return entry


def blocks_of(tmp_path: Path, **more: Any) -> tuple[Block, ...]:
    return entry_of(tmp_path, said("a", sender="assistant", **more)).blocks


# -- a conversation ----------------------------------------------------------------------------------------------


def test_the_facts_of_a_conversation(tmp_path: Path) -> None:
    info = read_one(tmp_path, *tea()).begin.info
    assert (info.source, info.source_id, info.title, info.created_at) == ("grok", "c", "Tea", AT * NS)
    assert changed_in_source(info.details) == (AT + 3_600_000) * NS
    assert json.loads(info.details)["starred"] is True


def test_edits_and_regenerated_replies_are_branches(tmp_path: Path) -> None:
    found = read_one(tmp_path, *tea())
    assert {id: entry.parent for id, entry in found.entries.items()} == {
        "a": None, "b": "a", "d": "b", "c": "a", "e": None,
    }  # fmt: skip
    assert (found.end.leaf, found.end.leaf_known) == ("e", True)
    assert found.repaired == []


def test_the_order_of_the_messages_does_not_matter(tmp_path: Path) -> None:
    found = read_one(tmp_path, *reversed(tea()))
    assert {id: entry.parent for id, entry in found.entries.items()} == {
        "e": None, "a": None, "c": "a", "b": "a", "d": "b",
    }  # fmt: skip


def test_the_named_leaf_is_the_leaf(tmp_path: Path) -> None:
    assert read_one(tmp_path, *tea(), leaf_response_id="c").end.leaf == "c"


def test_a_reply_with_thinking_and_the_model_that_the_prompt_asks(tmp_path: Path) -> None:
    found = read_one(tmp_path, *tea()).entries
    assert (found["a"].role, found["a"].blocks, found["a"].model) == (Role.USER, (Text("Which tea?"),), "")
    reply = found["b"]
    assert (reply.role, reply.model, reply.provider, reply.flags) == (
        Role.ASSISTANT, "grok-4", "xai", Flag.ENDS_TURN,
    )  # fmt: skip
    assert reply.blocks == (Thinking("It is morning."), Text("Sencha."))
    assert json.loads(reply.details) == {"web_search_results": [{"title": "Tea"}]}


def test_the_bytes_of_a_session_are_its_part_of_the_file_and_records_lie_in_it(tmp_path: Path) -> None:
    found = read_one(tmp_path, *tea())
    assert found.raw in (tmp_path / NAME).read_bytes()
    assert [json.loads(found.record(one["response_id"])) for one in tea()] == [
        {"response": one, "share_link": None} for one in tea()
    ]


def test_newer_exports_have_other_names_for_ids_and_wrap_times(tmp_path: Path) -> None:
    time = {"$date": {"$numberLong": str(AT)}}
    message = {"_id": "a", "sender": "human", "message": "Hi", "create_time": time}
    reply = {"_id": "b", "sender": "grok-3", "message": "Ho", "parent_response_id": "a", "create_time": time}
    record = conversation([message, reply])
    record["conversation"] = {"id": "c2", "create_time": "2026-01-01T08:00:00Z"}
    [found], _ = read_all(tmp_path, export(record))
    assert found.begin.info.source_id == "c2"
    assert [(one.id, one.parent, one.time, one.model) for one in found.entries.values()] == [
        ("a", None, AT * NS, ""), ("b", "a", AT * NS, "grok-3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "time", [None, "soon", {}, {"a": 1, "b": 2}, {"$date": {"$numberLong": "9" * 5000}}, {"$date": []}]
)
def test_a_time_of_another_form_is_unknown(tmp_path: Path, time: object) -> None:
    assert entry_of(tmp_path, said("a", create_time=time)).time == 0


def test_messages_that_name_no_parents_are_one_path(tmp_path: Path) -> None:
    messages = [{"response_id": id, "sender": "human", "message": id} for id in "ab"]
    found = read_one(tmp_path, *messages)
    assert [(one.id, one.parent) for one in found.entries.values()] == [("a", None), ("b", "a")]


def test_a_message_without_the_name_of_a_parent_is_a_root_where_others_name_theirs(tmp_path: Path) -> None:
    messages = [said("a"), said("b", "a"), {"response_id": "c", "sender": "human", "message": "c"}]
    assert read_one(tmp_path, *messages).entries["c"].parent is None


# -- kinds of content --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "blocks"),
    [
        ({"message": None}, []),
        ({"message": {"x": 1}}, [Text('{"x":1}')]),
        ({"error": "no luck"}, [Text("no luck")]),
        ({"error": {"message": "no luck", "code": 1}}, [Text("no luck")]),
        ({"error": {"code": 1}}, [Text('{"code":1}')]),
        ({"thinking_trace": "A", "agent_thinking_traces": [{"thinking_trace": "B"}, {"thinking_trace": "A"}, 5]},
         [Thinking("A"), Thinking("B"), Thinking("5")]),
        ({"steps": [{"tagged_text": {"header": "H", "summary": "S"}}, {"tagged_text": {"header": "I"}}]},
         [Thinking("H\n\nS"), Thinking("I")]),
        ({"steps": [5, {"tagged_text": None}]}, []),
        ({"thinking_trace": "A", "steps": [{"tagged_text": {"header": "H"}}]}, [Thinking("A")]),
        ({"generated_image_urls": ["u/1.jpg", {"url": "x"}]},
         [Image("image/*", "", 0, "u/1.jpg"), UnknownBlock("image", '{"url":"x"}')]),
        ({"image_attachments": ["u/1.jpg"], "message": "See"}, [Image("image/*", "", 0, "u/1.jpg"), Text("See")]),
        ({"file_attachments": ["u1", {"fileName": "a\nb.pdf"}, 5]},
         [UnknownBlock("file u1", '"u1"'), UnknownBlock("file a b.pdf", '{"fileName":"a\\nb.pdf"}'),
          UnknownBlock("file", "5")]),
    ],
)  # fmt: skip
def test_what_becomes_of_the_parts_of_a_message(tmp_path: Path, more: dict[str, Any], blocks: list[Block]) -> None:
    assert blocks_of(tmp_path, **more) == tuple(blocks)


def test_a_step_without_a_text_and_all_other_facts_are_details(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, said("a", steps=[5], query="tea", is_control=True, xpost_ids=[]))
    assert json.loads(entry.details) == {"steps": [5], "query": "tea", "is_control": True}


def test_a_link_to_a_shared_reply_is_a_detail(tmp_path: Path) -> None:
    record = conversation([said("a")])
    record["responses"][0]["share_link"] = {"share_link_id": "s"}
    [found], _ = read_all(tmp_path, export(record))
    assert json.loads(found.entries["a"].details) == {"share_link": {"share_link_id": "s"}}


@pytest.mark.parametrize(
    ("more", "flags"),
    [({}, Flag.ENDS_TURN), ({"partial": True}, Flag.ABORTED), ({"error": "x", "partial": True}, Flag.FAILED)],
)
def test_how_a_reply_ended(tmp_path: Path, more: dict[str, Any], flags: Flag) -> None:
    assert entry_of(tmp_path, said("a", sender="assistant", **more)).flags == flags


@pytest.mark.parametrize(
    ("sender", "role", "model"),
    [("Human", Role.USER, ""), ("system", Role.SYSTEM, ""), ("grok-3", Role.ASSISTANT, "grok-3")],
)
def test_senders(tmp_path: Path, sender: str, role: Role, model: str) -> None:
    entry = entry_of(tmp_path, said("a", sender=sender))
    assert (entry.role, entry.model) == (role, model)


def test_a_reply_whose_model_is_unknown(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, said("a", sender="assistant"))
    assert (entry.model, entry.provider) == ("", "")


# -- damage ------------------------------------------------------------------------------------------------------


def test_messages_of_an_unknown_kind_are_kept_as_they_are(tmp_path: Path) -> None:
    found = read_one(tmp_path, said("a"), {"response_id": "b", "parent_response_id": "a", "message": {"x": 1}})
    entry = found.entries["b"]
    assert (entry.kind, entry.flags, entry.parent) == (Kind.UNKNOWN, Flag.HIDDEN, "a")
    assert json.loads(entry.details)["message"] == {"x": 1}


def test_messages_that_are_no_objects_are_kept(tmp_path: Path) -> None:
    record = conversation([said("b")])
    record["responses"] = [5, {"response": "odd"}, *record["responses"]]
    [found], _ = read_all(tmp_path, export(record))
    odd, other, last = found.entries.values()
    assert (odd.id, odd.kind, odd.details, odd.record) == ("+1", Kind.UNKNOWN, '{"":5}', None)
    assert (other.id, other.details) == ("+2", '{"response":"odd"}')
    assert json.loads(found.record(last.id))["response"]["response_id"] == "b"


def test_messages_with_one_id_are_all_kept_and_reported(tmp_path: Path) -> None:
    found = read_one(tmp_path, said("a", message="1"), said("a", message="2"), said("b", "a"))
    assert [(one.id, one.parent, one.blocks) for one in found.entries.values()] == [
        ("a", None, (Text("1"),)), ("b", "a", ()), ("a+2", None, (Text("2"),)),
    ]  # fmt: skip
    assert found.repaired == ["The id a is that of several messages. All are kept, this one as a+2."]


def test_a_parent_that_is_missing_is_repaired_and_reported(tmp_path: Path) -> None:
    found = read_one(tmp_path, said("b", "gone"))
    assert (found.entries["b"].parent, found.entries["b"].flags) == (None, Flag.REPAIRED)
    assert found.repaired == ["Its parent gone is not in the conversation."]


@pytest.mark.parametrize(
    ("own", "id", "repaired"),
    [({"conversation_id": "x"}, "x", []),
     ({"conversation_id": None}, "a", ["The conversation has no id. It is named by its first message."])],
)  # fmt: skip
def test_a_conversation_without_an_id(tmp_path: Path, own: dict[str, Any], id: str, repaired: list[str]) -> None:
    found = read_one(tmp_path, said("a", **own), id=None)
    assert (found.begin.info.source_id, found.repaired) == (id, repaired)


@pytest.mark.parametrize(
    ("record", "reason", "damaged"),
    [
        ({"conversation": {}}, "has no messages", True),
        ({"conversation": {}, "responses": {}}, "has no messages", True),
        ({"conversation": {}, "responses": []}, "is empty", False),
    ],
)
def test_an_element_that_is_no_conversation(tmp_path: Path, record: Any, reason: str, damaged: bool) -> None:
    found, unused = read_all(tmp_path, export(conversation(tea()), record))
    assert (len(found), unused) == (1, [(f"{NAME}, conversation 2", reason, damaged)])


def test_a_cut_export_gives_its_complete_messages(tmp_path: Path) -> None:
    whole = export(conversation(tea(), id="c1"), conversation(tea(), id="c2"), projects=[])
    path = tmp_path / NAME
    path.write_bytes(whole[: whole.rindex(b'"And cake?"')])
    found, unused = sessions_of(Grok(), path)
    assert [(one.begin.info.source_id, list(one.entries)) for one in found] == [
        ("c1", ["a", "b", "d", "c", "e"]), ("c2", ["a", "b", "c"]),
    ]  # fmt: skip
    assert unused == []
    assert [one.reason for one in Grok().read(path, None) if isinstance(one, Skipped)] == [
        f"{NAME}, conversation 2: the file ends early; 3 messages are complete before its end"
    ]


def test_an_export_that_ends_between_conversations_says_so(tmp_path: Path) -> None:
    whole = export(conversation(tea()))
    found, unused = read_all(tmp_path, whole[: whole.rindex(b"]")])
    assert (len(found), unused) == (1, [(f"{NAME}, after conversation 1", "the file ends early", True)])


# -- what surrounds the conversations ----------------------------------------------------------------------------


def test_projects_tasks_and_the_like_are_counted(tmp_path: Path) -> None:
    data = export(conversation(tea()), projects=[{"id": "p"}, {"id": "q"}], settings={"theme": "dark"})
    found, unused = read_all(tmp_path, data)
    assert (len(found), unused) == (1, [("3 other records", "projects, tasks and the like, not read", False)])


def test_other_lists_may_come_first(tmp_path: Path) -> None:
    data = json.dumps({"projects": [{"id": "p"}], "conversations": [conversation(tea())]}).encode()
    found, unused = read_all(tmp_path, data)
    assert ([one.begin.info.title for one in found], len(unused)) == (["Tea"], 1)


def test_conversations_in_an_unknown_place_are_read_and_the_place_is_reported(tmp_path: Path) -> None:
    data = json.dumps({"conversations": {"x": [conversation(tea(), "c1"), conversation(tea(), "c2")]}}).encode()
    found, unused = read_all(tmp_path, data)
    assert [(one.begin.info.source_id, len(one.entries)) for one in found] == [("c1", 5), ("c2", 5)]
    assert unused == [(f"{NAME}, conversation 1", "has its conversations in an unknown place", True)]


@pytest.mark.parametrize("data", [[conversation(tea())], conversation(tea())])
def test_a_list_of_conversations_and_a_single_one(tmp_path: Path, data: object) -> None:
    found, unused = read_all(tmp_path, json.dumps(data).encode())
    assert ([one.begin.info.title for one in found], unused) == (["Tea"], [])


def test_a_zip_archive_with_its_other_files(tmp_path: Path) -> None:
    folder = "ttl/30d/export_data/u/"
    path = zipped(
        tmp_path / "export.zip",
        {
            f"{folder}prod-mc-billing.json": b"{}",
            f"{folder}prod-grok-backend.json": export(conversation(tea())),
            f"{folder}prod-mc-asset-server/1/content": b"\xff",
        },
    )
    assert standard_formats(tmp_path / "home", {}).identify(path) == "grok"
    found, unused = sessions_of(Grok(), path)
    assert [one.begin.info.title for one in found] == ["Tea"]
    assert [(part.where, part.damaged) for part in unused] == [
        ("prod-mc-billing.json", False), ("1 other files", False),
    ]  # fmt: skip


def test_the_other_files_by_themselves_say_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "prod-mc-billing.json"
    path.write_bytes(b"{}")
    with pytest.raises(UnreadableSourceError, match=r"contains no sessions, but the user's balance, .* Grok"):
        standard_formats(tmp_path, {}).identify(path)


def test_an_unpacked_export_is_found_in_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "u" / NAME
    path.parent.mkdir()
    path.write_bytes(export(conversation(tea())))
    assert standard_formats(tmp_path / "home", {}).expand(tmp_path)[0] == [path]


# -- a real export -----------------------------------------------------------------------------------------------


def test_the_sample_is_read_whole(samples: Path) -> None:
    [found], unused = sessions_of(Grok(), samples / "other" / "grok_example.json")
    given = json.loads((samples / "other" / "grok_example.json").read_bytes())["conversations"][0]
    assert (unused, found.repaired) == ([], [])
    assert found.begin.info.title == given["conversation"]["title"]
    assert [(one.id, one.parent, one.blocks) for one in found.entries.values()] == [
        (one["response_id"], one["parent_response_id"], (Text(one["message"]),))
        for one in (item["response"] for item in given["responses"])
    ]
    assert {one.model for one in found.entries.values() if one.role == Role.ASSISTANT} == {"grok-3"}
    assert all(one.time for one in found.entries.values())
