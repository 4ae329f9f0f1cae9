"""For any tree and any entry, the request keeps the rules of every provider."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given

from stemmata.domain.context.projection import Form, context_at
from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError
from stemmata.domain.requests.apis import API_NAMES, APIS, payload_of
from stemmata.domain.requests.message_normalizer import normalize
from stemmata.domain.requests.request import (
    Payload,
    RequestOptions,
    ToolDefinition,
    clean_arguments,
    detected_media_type,
)
from tests.fakes.request_rules import violations
from tests.strategies import DIGEST, IMAGE, entry_lists

OPTIONS = RequestOptions(model="claude-opus-4-5", provider="anthropic")


def blob(digest: str) -> bytes | None:
    return IMAGE if digest == DIGEST else None


def user(text: str) -> Entry:
    return Entry(id="u", role=Role.USER, blocks=(Text(text),))


def reply(*blocks: Text | Thinking | ToolCall, **facts: Any) -> Entry:
    return Entry(
        id="a",
        role=Role.ASSISTANT,
        blocks=blocks,
        provider="anthropic",
        model="claude-opus-4-5",
        **facts,
    )


def result(call: str, *blocks: Text | Image, failed: bool = False) -> Entry:
    flags = Flag.FAILED if failed else Flag.NONE
    return Entry(id="r", role=Role.TOOL_RESULT, call=call, tool="read", blocks=blocks, flags=flags)


def whole(*entries: Entry) -> list[tuple[Entry, Form]]:
    return [(entry, Form.WHOLE) for entry in entries]


def built(api: str, *entries: Entry, options: RequestOptions = OPTIONS) -> Payload:
    payload = payload_of(api, whole(*entries), options, blob)
    assert violations(payload, api) == []
    return payload


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.no_cover
def test_no_tree_gives_a_request_that_is_refused(damaged: bool) -> None:
    @given(entry_lists(damaged=damaged, min_size=1))
    def check(entries: list[Entry]) -> None:
        tree = Tree.from_entries(entries)
        for at in range(len(tree)):
            messages = [(entries[found.entry], found.form) for found in context_at(tree, at).messages]
            for api in API_NAMES:
                payload = payload_of(api, messages, OPTIONS, blob)
                if normalize(messages):
                    assert violations(payload, api) == []

    check()


def test_random_damage_is_found_by_the_rules() -> None:
    """A valid payload with one fault is refused by the rules."""
    good = built("anthropic", user("hi"), reply(ToolCall("c1", "read", "{}")), result("c1", Text("ok")))
    bad = json.loads(json.dumps(good))
    bad["messages"][2]["content"] = [{"type": "text", "text": "hi"}]
    assert violations(bad, "anthropic") == ["messages.1: calls ['c1'] but results []."]
    bad = json.loads(json.dumps(good))
    bad["messages"].pop(0)
    assert "The messages do not begin with the user." in violations(bad, "anthropic")
    bad = json.loads(json.dumps(good))
    bad["messages"][0]["content"][0]["text"] = " \n"
    assert violations(bad, "anthropic") == ["messages.0: text without a visible character."]
    del good["tools"]
    assert "messages.1: the tool read is not defined." in violations(good, "anthropic")


# -- Anthropic ------------------------------------------------------------------------------------------------


def test_anthropic_merges_turns_and_puts_results_first() -> None:
    call = ToolCall("c1", "read", '{"path":"a.txt"}')
    payload = built("anthropic", user("one"), user("two"), reply(call), user("wait"), result("c1", Text("ok")))
    assert payload["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.txt"}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "ok"}]},
                {"type": "text", "text": "wait"},
            ],
        },
    ]
    assert payload["model"] == "claude-opus-4-5"
    assert payload["max_tokens"] == 8192
    assert payload["tools"][0]["name"] == "read"
    assert payload["tool_choice"] == {"type": "none"}


def test_anthropic_system_and_tools() -> None:
    tool = ToolDefinition("read", "Read a file", {"type": "object", "properties": {}})
    options = RequestOptions(model="m", system="Be brief.", tools=(tool,), max_tokens=10)
    payload = built("anthropic", user("hi"), options=options)
    assert payload["system"] == [{"type": "text", "text": "Be brief."}]
    assert payload["tools"] == [
        {"name": "read", "description": "Read a file", "input_schema": {"type": "object", "properties": {}}}
    ]
    assert "tool_choice" not in payload
    assert payload["max_tokens"] == 10


def test_only_signed_thinking_of_the_requested_model_is_sent() -> None:
    own = reply(Thinking("own", "sig"), Thinking("unsigned"), Thinking("", "data", redacted=True), Text("a"))
    foreign = Entry(
        id="f",
        role=Role.ASSISTANT,
        provider="openai",
        model="claude-opus-4-5",
        blocks=(Thinking("foreign", "sig"), Text("b")),
    )
    payload = built("anthropic", user("hi"), own, user("more"), foreign)
    assert payload["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "own", "signature": "sig"},
        {"type": "redacted_thinking", "data": "data"},
        {"type": "text", "text": "a"},
    ]
    assert payload["messages"][3]["content"] == [{"type": "text", "text": "b"}]
    anywhere = RequestOptions(model="claude-opus-4-5")
    assert len(built("anthropic", user("hi"), foreign, options=anywhere)["messages"][1]["content"]) == 2


def test_thinking_does_not_end_a_message() -> None:
    payload = built("anthropic", user("hi"), reply(Text("a"), Thinking("late", "sig")))
    assert payload["messages"][1]["content"] == [{"type": "text", "text": "a"}]


def test_trailing_white_space_of_a_last_reply_is_removed() -> None:
    payload = built("anthropic", user("hi "), reply(Text("a \n")))
    assert payload["messages"][0]["content"][0]["text"] == "hi "
    assert payload["messages"][1]["content"][0]["text"] == "a"


def test_errors_are_marked_unless_an_image_is_in_them() -> None:
    calls = reply(ToolCall("1", "read"), ToolCall("2", "read"))
    image = Image("image/png", DIGEST)
    payload = built(
        "anthropic", user("hi"), calls, result("1", Text("no"), failed=True), result("2", image, failed=True)
    )
    first, second = payload["messages"][2]["content"]
    assert first["is_error"] is True
    assert "is_error" not in second
    assert second["content"][0]["source"] == {
        "type": "base64",
        "media_type": "image/png",
        "data": base64.b64encode(IMAGE).decode(),
    }


# -- Chat Completions -----------------------------------------------------------------------------------------


def test_chat_keeps_strings_until_an_image_comes() -> None:
    image = Entry(id="i", role=Role.USER, blocks=(Text("see"), Image("image/png", DIGEST)))
    url = "data:image/png;base64," + base64.b64encode(IMAGE).decode()
    options = RequestOptions(model="gpt-5", system="Be brief.")
    payload = built("openai-chat", user("one"), user("two"), reply(Text("a")), image, user("three"), options=options)
    assert payload["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "one\n\ntwo"},
        {"role": "assistant", "content": "a"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "see"},
                {"type": "image_url", "image_url": {"url": url}},
                {"type": "text", "text": "three"},
            ],
        },
    ]
    assert payload["max_completion_tokens"] == 8192
    assert "tools" not in payload


def test_chat_calls_and_results_with_images() -> None:
    calls = reply(Text("look"), ToolCall("1", "read", '{"b":1.0}'), ToolCall("2", "shot"))
    answers = (result("2", Image("image/png", DIGEST)), result("1", Text("x"), Text("y")))
    tool = ToolDefinition("read")
    payload = built(
        "openai-chat", user("hi"), calls, *answers, user("so?"), options=RequestOptions(model="m", tools=(tool,))
    )
    assert payload["messages"][1] == {
        "role": "assistant",
        "content": "look",
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "read", "arguments": '{"b":1}'}},
            {"id": "2", "type": "function", "function": {"name": "shot", "arguments": "{}"}},
        ],
    }
    assert payload["messages"][2] == {"role": "tool", "tool_call_id": "1", "content": "x\ny"}
    assert payload["messages"][3] == {"role": "tool", "tool_call_id": "2", "content": "(see the image that follows)"}
    assert [part["type"] for part in payload["messages"][4]["content"]] == ["image_url", "text"]
    assert payload["tools"] == [
        {"type": "function", "function": {"name": "read", "description": "", "parameters": {"type": "object"}}}
    ]


def test_chat_merges_replies_with_their_calls() -> None:
    payload = built("openai-chat", user("hi"), reply(Text("a")), reply(Text("b"), ToolCall("1", "read")))
    assert payload["messages"][1]["content"] == "a\n\nb"
    assert payload["messages"][1]["tool_calls"][0]["id"] == "1"
    payload = built("openai-chat", user("hi"), reply(ToolCall("1", "read")), result("1", Image("image/png", DIGEST)))
    assert payload["messages"][1]["content"] is None
    assert payload["messages"][-1]["role"] == "user"


# -- Responses ------------------------------------------------------------------------------------------------


def test_responses() -> None:
    calls = reply(Text("look"), ToolCall("call|1", "my tool", '{"a":1}'), ToolCall("2", "shot"))
    answers = (result("call|1", Text("x")), result("2", Text("here"), Image("image/png", DIGEST)))
    options = RequestOptions(model="gpt-5", system="Be brief.", tools=(ToolDefinition("my tool", "d"),))
    payload = built("openai-responses", user("hi"), calls, *answers, options=options)
    assert payload["instructions"] == "Be brief."
    assert payload["store"] is False
    assert payload["max_output_tokens"] == 8192
    assert payload["tools"] == [
        {"type": "function", "name": "my_tool", "description": "d", "parameters": {"type": "object"}}
    ]
    assert [item["type"] for item in payload["input"]] == [
        "message", "message", "function_call", "function_call", "function_call_output", "function_call_output",
    ]  # fmt: skip
    assert payload["input"][1] == {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "look"}],
    }
    assert payload["input"][2] == {
        "type": "function_call", "call_id": "call1", "name": "my_tool", "arguments": '{"a":1}'
    }  # fmt: skip
    assert payload["input"][4]["output"] == "x"
    assert [part["type"] for part in payload["input"][5]["output"]] == ["input_text", "input_image"]


def said(payload: Payload) -> list[tuple[str, str]]:
    """The role and the text of each item; "" for the role of an item that is no message."""
    return [
        (item.get("role", ""), "".join(part["text"] for part in item.get("content", ()))) for item in payload["input"]
    ]


def test_codex_gets_consecutive_messages_of_the_assistant_joined() -> None:
    # librecode's own vector: the blank message is dropped, and the texts are separated by a blank line
    entries = (
        user("a"), reply(Text("first")), reply(Text("  ")), reply(Text("second\n")), user("b"), reply(Text("tail"))
    )  # fmt: skip
    joined = [("user", "a"), ("assistant", "first\n\nsecond"), ("user", "b"), ("assistant", "tail")]
    payload = built("openai-codex-responses", *entries)
    assert said(payload) == joined
    assert "max_output_tokens" not in payload
    apart = built("openai-responses", *entries)
    assert [role for role, _ in said(apart)] == ["user", "assistant", "assistant", "user", "assistant"]
    assert said(built("openai-codex-responses", reply(Text(" ")), user("only"))) == [("user", "only")]


def test_codex_keeps_reasoning_and_calls_of_joined_replies() -> None:
    def thought(id: str) -> Thinking:
        return Thinking("", f'{{"type":"reasoning","id":"{id}","summary":[],"encrypted_content":"x"}}')

    replies = (
        reply(Text("one"), Text("more")), reply(thought("rs_1"), Text("two")),
        reply(Text("three"), thought("rs_2"), ToolCall("1", "read")),
    )  # fmt: skip
    payload = built("openai-codex-responses", user("a"), *replies, result("1", Text("x")))
    assert [item.get("id", item["type"]) for item in payload["input"]] == [
        "message", "rs_1", "message", "rs_2", "function_call", "function_call_output"
    ]  # fmt: skip
    assert said(payload)[2] == ("assistant", "one\n\nmore\n\ntwo\n\nthree")


@given(entry_lists(damaged=True, min_size=1))
def test_joining_for_codex_changes_nothing_else(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    for at in range(len(tree)):
        messages = [(entries[found.entry], found.form) for found in context_at(tree, at).messages]
        if normalize(messages):
            joined, apart = (
                payload_of(api, messages, OPTIONS, blob)["input"]
                for api in ("openai-codex-responses", "openai-responses")
            )
            others, replies = both_of(joined)
            assert (others, replies) == both_of(apart)
            if all(before.get("role") != "assistant" for before in apart[:-1]):
                assert joined == apart


def both_of(items: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    """The items other than the assistant's messages, and the text of these messages without white space."""
    replies = [item for item in items if item.get("role") == "assistant"]
    text = "".join("".join(part["text"].split()) for item in replies for part in item["content"])
    return [item for item in items if item.get("role") != "assistant"], text


# -- all ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize(
    ("name", "data", "note"),
    [
        ("gone", None, "[image/png: its content is not in the archive]"),
        ("kind", b"PK\x03\x04", "[image/png: a kind that cannot be sent]"),
        ("size", IMAGE + bytes(6 * 1024 * 1024), "[image of 6.0 MB left out: more than 5 MB cannot be sent]"),
    ],
)
def test_an_image_that_cannot_be_sent_is_a_note(api: str, name: str, data: bytes | None, note: str) -> None:
    shown = Entry(id="u", role=Role.USER, blocks=(Image("image/png", name),))
    payload = payload_of(api, whole(shown), OPTIONS, lambda _: data)
    assert violations(payload, api) == []
    assert note in json.dumps(payload)


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"", None),
    ],
)
def test_the_media_type_is_taken_from_the_bytes(head: bytes, media_type: str | None) -> None:
    assert detected_media_type(head) == media_type


def test_hostile_texts_and_arguments_survive_json() -> None:
    deep = '{"a":' * 2000 + "1" + "}" * 2000
    odd = reply(
        ToolCall("1", "é" * 90, '{"\\ud800":"\\\\ud800 \\udfff","n":1e999}'),
        ToolCall("2", "", deep),
        ToolCall("3", "x", "[]"),
    )
    for api in API_NAMES:
        payload = built(api, user("half \ud800 pair"), odd)
        text = json.dumps(payload, ensure_ascii=False)
        assert "half \N{REPLACEMENT CHARACTER} pair" in text
        assert "_" * 64 in text
    [call, *_] = built("anthropic", user("x"), odd)["messages"][1]["content"]
    assert call["input"] == {
        "\N{REPLACEMENT CHARACTER}": "\\ud800 \N{REPLACEMENT CHARACTER}", "n": None
    }  # fmt: skip


def test_arguments_that_nest_too_deep_are_left_out() -> None:
    def nested(depth: int) -> str:
        return '{"a":' * depth + "1" + "}" * depth

    assert clean_arguments(ToolCall("1", "x", nested(100))) == nested(100)
    assert clean_arguments(ToolCall("1", "x", nested(101))) == "{}"


def test_mistral_and_gemini_behind_the_chat_form_get_their_ids() -> None:
    messages = (user("hi"), reply(ToolCall("toolu_01-A", "read")))
    for model, id in (("devstral-2", "a50280be5"), ("gemini-3", "toolu01A"), ("gpt-5", "toolu_01-A")):
        payload = built("openai-chat", *messages, options=RequestOptions(model=model))
        assert payload["messages"][1]["tool_calls"][0]["id"] == id


def test_an_unknown_api_is_refused_by_its_name() -> None:
    with pytest.raises(NotFoundError, match="Unknown API “gopher”"):
        payload_of("gopher", [], OPTIONS, blob)


def test_the_limit_of_a_reply_is_read_from_its_own_field() -> None:
    for api in APIS:
        assert api.reply_limit({api.limit: 5, "other": 7}) == 5
        assert api.reply_limit({"other": 7}) is None
