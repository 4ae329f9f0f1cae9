"""The fake servers are strict: what the real ones refuse, they refuse, in their words."""

from __future__ import annotations

import json
import socket
from copy import deepcopy
from typing import Any

import pytest

from stemmata.domain.settings.settings import ChatSettings
from tests.fakes.anthropic_server import AnthropicServer, signature_of
from tests.fakes.bad_requests import BAD_REQUESTS, GOOD_ANTHROPIC, GOOD_CHAT, GOOD_RESPONSES, BadRequest
from tests.fakes.openai_server import OpenAIServer, encrypted
from tests.fakes.request_rules import violations
from tests.fakes.script import Refuse, Reply, Say, flood
from tests.fakes.talker import talk

TEXT = {"type": "text", "text": "Hi"}
USE = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
ANSWER = {"type": "tool_result", "tool_use_id": "c1", "content": [TEXT]}
MARK = {"cache_control": {"type": "ephemeral"}}
GOOD: dict[str, Any] = {
    "model": "claude-opus-4-5",
    "max_tokens": 3000,
    "tools": [{"name": "read", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": [TEXT]},
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [ANSWER, TEXT]},
    ],
}


def with_content(at: int, *blocks: object) -> dict[str, Any]:
    payload = deepcopy(GOOD)
    payload["messages"][at]["content"] = list(blocks)
    return payload


def thinking(text: str, signature: str) -> dict[str, str]:
    return {"type": "thinking", "thinking": text, "signature": signature}


BAD: dict[str, dict[str, Any]] = {
    "Extra inputs": GOOD | {"temperature": 1},
    "max_tokens": GOOD | {"max_tokens": 0},
    "maximum allowed number of output tokens": GOOD | {"max_tokens": 64_001},
    "do not begin with the user": GOOD | {"messages": GOOD["messages"][1:]},
    "without a visible character": with_content(0, {"type": "text", "text": " "}),
    "but results []": with_content(2, TEXT),
    "results do not come first": with_content(2, TEXT, ANSWER),
    "but results ['c1', 'c1']": with_content(2, ANSWER, ANSWER),
    "malformed call": with_content(1, USE | {"id": "no spaces"}),
    "is not defined": with_content(1, USE | {"name": "write"}),
    "Invalid `signature`": with_content(1, thinking("hm", "forged"), USE),
    "not signed": with_content(1, thinking("hm", ""), USE),
    "ends in thinking": GOOD
    | {
        "messages": [
            GOOD["messages"][0],
            {"role": "assistant", "content": [TEXT, thinking("hm", signature_of("hm"))]},
            {"role": "user", "content": [TEXT]},
        ]
    },
    "maximum of 4 blocks": with_content(0, *[TEXT | MARK] * 5),
    "must not come after": with_content(0, TEXT | MARK, TEXT | {"cache_control": {"type": "ephemeral", "ttl": "1h"}}),
    "greater than or equal to 1024": GOOD | {"thinking": {"type": "enabled", "budget_tokens": 100}},
    "must be greater than": GOOD | {"thinking": {"type": "enabled", "budget_tokens": 3000}},
    "must start with a thinking block": GOOD | {"thinking": {"type": "enabled", "budget_tokens": 2000}},
    "thinking.type: adaptive": GOOD | {"thinking": {"type": "adaptive"}},
    "output_config.effort": GOOD | {"output_config": {"effort": "max"}},
    "not valid": {"model": "claude-opus-4-5"},
}


def test_a_good_request_is_taken(anthropic_server: AnthropicServer) -> None:
    assert anthropic_server.checked(json.dumps(GOOD).encode()) == GOOD
    signed = with_content(1, thinking("hm", signature_of("hm")), USE)
    assert not isinstance(anthropic_server.checked(json.dumps(signed).encode()), Refuse)


@pytest.mark.parametrize("words", list(BAD))
def test_a_bad_request_is_refused(words: str, anthropic_server: AnthropicServer) -> None:
    refused = anthropic_server.checked(json.dumps(BAD[words]).encode())
    assert isinstance(refused, Refuse), "taken"
    assert refused.status == 400
    assert words in refused.message


def test_the_newest_models_take_no_beginning_of_a_reply(anthropic_server: AnthropicServer) -> None:
    begun = [{"role": "user", "content": [TEXT]}, {"role": "assistant", "content": [TEXT]}]
    for model, is_taken in (("claude-opus-4-5", True), ("claude-sonnet-5-5", False)):
        payload = {"model": model, "max_tokens": 100, "messages": begun}
        taken = anthropic_server.checked(json.dumps(payload).encode())
        assert isinstance(taken, Refuse) != is_taken
    assert isinstance(anthropic_server.checked(b"{}"), Refuse)
    unknown = anthropic_server.checked(json.dumps(GOOD | {"model": "claude-1"}).encode())
    assert isinstance(unknown, Refuse)
    assert unknown.status == 404


CALL = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
SAID = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}


def reasoning(id: str, content: str) -> dict[str, Any]:
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": content}


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([SAID, CALL], "No results of"),
        ([SAID, OUTPUT], "no call waits for"),
        ([CALL, OUTPUT], "does not begin with the user"),
        ([SAID, CALL, SAID, OUTPUT], "comes before the results"),
        ([SAID, reasoning("rs_1", ""), CALL, OUTPUT], "not persisted"),
        ([SAID, reasoning("rs_1", encrypted("rs_1"))], "without its required item"),
        ([SAID, reasoning("rs_1", encrypted("rs_2")), CALL, OUTPUT], "could not be verified"),
        ([SAID, CALL | {"arguments": "[]"}, OUTPUT], "no JSON object"),
    ],
)
def test_bad_responses_requests_are_refused(
    items: list[dict[str, Any]], words: str, openai_server: OpenAIServer
) -> None:
    refused = openai_server.checked(json.dumps({"model": "gpt-5.5", "input": items}).encode(), "openai-responses")
    assert isinstance(refused, Refuse)
    assert words in refused.message
    good = [SAID, reasoning("rs_1", encrypted("rs_1")), CALL, OUTPUT]
    taken = openai_server.checked(json.dumps({"model": "gpt-5.5", "input": good}).encode(), "openai-responses")
    assert not isinstance(taken, Refuse)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "user", "content": ""}], "without a visible character"),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], "user follows user"),
        ([{"role": "user", "content": "a"}, {"role": "tool", "tool_call_id": "x", "content": "b"}], "no call waits"),
    ],
)
def test_bad_chat_requests_are_refused(messages: list[Any], words: str, openai_server: OpenAIServer) -> None:
    refused = openai_server.checked(json.dumps({"model": "gpt-4o", "messages": messages}).encode(), "openai-chat")
    assert isinstance(refused, Refuse)
    assert words in refused.message


EVERY = [(api, bad) for api, kinds in BAD_REQUESTS.items() for bad in kinds]


@pytest.mark.parametrize(("api", "bad"), [pytest.param(api, bad, id=f"{api}: {bad.kind}") for api, bad in EVERY])
def test_every_kind_of_bad_request_is_refused(
    api: str, bad: BadRequest, anthropic_server: AnthropicServer, openai_server: OpenAIServer
) -> None:
    import httpx2

    is_anthropic = api == "anthropic"
    paths = {"anthropic": "v1/messages", "openai-chat": "v1/chat/completions", "openai-responses": "v1/responses"}
    path = paths.get(api, "codex/responses")
    url = f"{(anthropic_server if is_anthropic else openai_server).url}/{path}"
    headers = {"anthropic-version": "2023-06-01"} if is_anthropic else {}
    answer = httpx2.post(url, content=bad.raw, headers=headers, trust_env=False)
    assert answer.status_code in (400, 404), answer.text
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("api", "good"),
    [
        ("anthropic", GOOD_ANTHROPIC),
        ("openai-chat", GOOD_CHAT),
        ("openai-responses", GOOD_RESPONSES),
        ("openai-codex-responses", GOOD_RESPONSES),
    ],
)
def test_what_bad_requests_are_made_of_is_good(api: str, good: dict[str, Any]) -> None:
    assert violations({"max_tokens": 1} | good if api == "anthropic" else good, api) == []


# -- by hand --------------------------------------------------------------------------------------------------


def test_an_idle_client_does_not_hold_the_server_up() -> None:
    with AnthropicServer() as server, socket.create_connection(("127.0.0.1", server.port)):
        server.close()
        server.close = lambda: None  # type: ignore[method-assign] # it is closed


def test_a_flood_is_as_long_as_it_is_asked_for() -> None:
    reply = flood(2, rate=200)
    text = "".join(block.text for block in reply.blocks if hasattr(block, "text"))
    assert len(text) == 2 * 200 * 4
    assert (reply.piece, reply.delay) == (4, 1 / 200)


def test_a_long_flood_does_not_end_at_the_limit_of_tokens() -> None:
    reply = flood(600)
    [said] = reply.blocks
    assert isinstance(said, Say)
    assert len(said.text) / 4 < ChatSettings().max_tokens
    assert round(len(said.text) / reply.piece * reply.delay) == 600


def test_whoever_chats_by_hand_sees_thinking_tools_and_markdown() -> None:
    plain = talk({"messages": [{"role": "user", "content": "How?"}]})
    assert "| step |" in shown(plain)
    asked = {"thinking": {"type": "adaptive"}, "tools": [{"name": "recall"}]}
    calls = talk({"messages": [{"role": "user", "content": "use recall please"}], **asked})
    assert [type(block).__name__ for block in calls.blocks] == ["Think", "Say", "Call"]


def shown(reply: Reply) -> str:
    return "".join(getattr(block, "text", "") for block in reply.blocks)
