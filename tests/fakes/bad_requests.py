"""Requests that the fake servers turn away, a kind each: the tests send them, the documentation lists them."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from tests.fakes.anthropic_server import signature_of
from tests.fakes.openai_server import encrypted

TEXT: dict[str, Any] = {"type": "text", "text": "Hi"}
MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}
SCHEMA = {"type": "object"}


@dataclass(frozen=True)
class BadRequest:
    """`raw` is its body."""

    kind: str
    raw: bytes


def _user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _model(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


USE = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
ANSWER = {"type": "tool_result", "tool_use_id": "c1", "content": [TEXT]}
GOOD_ANTHROPIC: dict[str, Any] = {
    "model": "claude-opus-4-5",
    "max_tokens": 3000,
    "tools": [{"name": "read", "input_schema": SCHEMA}],
    "messages": [_user(TEXT), _model(USE), _user(ANSWER, TEXT)],
}
FUNCTION = {"type": "function", "function": {"name": "read", "parameters": SCHEMA}}
CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}
CALLED = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
ASKS = {"role": "user", "content": "Hi"}
GOOD_CHAT: dict[str, Any] = {"model": "gpt-4o", "tools": [FUNCTION], "messages": [ASKS, CALLING, CALLED]}
SAID: dict[str, Any] = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
ITEM = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
GOOD_RESPONSES: dict[str, Any] = {
    "model": "gpt-5.5",
    "tools": [{"type": "function", "name": "read", "parameters": SCHEMA}],
    "input": [SAID, ITEM, OUTPUT],
}


def _thinks(text: str, signature: str) -> dict[str, str]:
    return {"type": "thinking", "thinking": text, "signature": signature}


def _reasons(id: str, content: str) -> dict[str, Any]:
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": content}


def _talk(*messages: Any) -> dict[str, Any]:
    return {"messages": list(messages)}


def _tools(*tools: Any) -> dict[str, Any]:
    return {"tools": list(tools)}


def _kinds(good: dict[str, Any], kinds: dict[str, Any]) -> tuple[BadRequest, ...]:
    """A kind is what differs from a good request, or a body of its own."""
    return tuple(
        BadRequest(kind, bad if isinstance(bad, bytes) else json.dumps(deepcopy(good) | bad).encode())
        for kind, bad in kinds.items()
    )


_A_TOOL: dict[str, Any] = {"name": "read", "input_schema": SCHEMA}
_PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "AA=="}}
_PAPER = {"type": "document", "source": {"type": "base64", "media_type": "text/html", "data": "AA=="}}
ANTHROPIC = _kinds(
    GOOD_ANTHROPIC,
    {
        "no JSON": b"{",
        "no UTF-8": b"\xff\xfe",
        "a list": b"[]",
        "no messages": b'{"model": "claude-opus-4-5", "max_tokens": 10}',
        "messages that are no list": {"messages": {"role": "user"}},
        "an unknown model": {"model": "claude-1"},
        "an unknown name": {"temperature_": 1},
        "no positive max_tokens": {"max_tokens": 0},
        "more max_tokens than the model has": {"max_tokens": 64_001},
        "stream that is no boolean": {"stream": "yes"},
        "the model speaks first": _talk(_model(TEXT)),
        "a role that is none": _talk({"role": "system", "content": [TEXT]}),
        "two of one role": _talk(_user(TEXT), _user(TEXT)),
        "a message without content": _talk(_user(TEXT), _model(), _user(TEXT)),
        "a message with a name of its own": _talk(_user(TEXT) | {"id": "u1"}),
        "a text without a visible character": _talk(_user({"type": "text", "text": " \n"})),
        "a block with a name of its own": _talk(_user(TEXT | {"index": 0})),
        "a block of an unknown type": _talk(_user({"type": "audio"})),
        "a call without a result": _talk(_user(TEXT), _model(USE), _user(TEXT)),
        "a result without a call": _talk(_user(ANSWER)),
        "a result twice": _talk(_user(TEXT), _model(USE), _user(ANSWER, ANSWER)),
        "a result behind a text": _talk(_user(TEXT), _model(USE), _user(TEXT, ANSWER)),
        "an id with a space": _talk(_user(TEXT), _model(USE | {"id": "c 1"}), _user(ANSWER | {"tool_use_id": "c 1"})),
        "an id twice": _talk(_user(TEXT), _model(USE, USE), _user(ANSWER, ANSWER)),
        "a call by the user": _talk(_user(USE), _model(TEXT), _user(TEXT)),
        "arguments that are no object": _talk(_user(TEXT), _model(USE | {"input": "{}"}), _user(ANSWER)),
        "a call of a tool that is not defined": _talk(_user(TEXT), _model(USE | {"name": "write"}), _user(ANSWER)),
        "two tools of one name": _tools(_A_TOOL, _A_TOOL),
        "a tool with a dot in its name": _tools(_A_TOOL, {"name": "a.b", "input_schema": SCHEMA}),
        "a tool without a schema": _tools(_A_TOOL, {"name": "b"}),
        "a schema that chooses at its top": _tools({"name": "read", "input_schema": SCHEMA | {"oneOf": []}}),
        "thinking that is not signed": _talk(_user(TEXT), _model(_thinks("hm", ""), TEXT), _user(TEXT)),
        "thinking with another’s signature": _talk(_user(TEXT), _model(_thinks("hm", "x"), TEXT), _user(TEXT)),
        "a reply that ends in thinking": _talk(
            _user(TEXT), _model(TEXT, _thinks("hm", signature_of("hm"))), _user(TEXT)
        ),
        "thinking that the model cannot do": {"thinking": {"type": "adaptive"}},
        "too small a budget": {"thinking": {"type": "enabled", "budget_tokens": 100}},
        "a budget above max_tokens": {"thinking": {"type": "enabled", "budget_tokens": 3000}},
        "an effort that the model has not": {"output_config": {"effort": "max"}},
        "five marks of the cache": _talk(_user(*[TEXT | MARK] * 5)),
        "a long mark behind a short one": _talk(
            _user(TEXT | MARK, TEXT | {"cache_control": {"type": "ephemeral", "ttl": "1h"}})
        ),
        "a picture of a type that is not taken": _talk(_user(_PICTURE)),
        "a document that is no PDF": _talk(_user(_PAPER)),
        "an empty system text": {"system": [{"type": "text", "text": ""}]},
        "white space at the end of a beginning": _talk(_user(TEXT), _model({"type": "text", "text": "Well, "})),
    },
)
CHAT = _kinds(
    GOOD_CHAT,
    {
        "no JSON": b"{",
        "no messages": b'{"model": "gpt-4o"}',
        "an unknown model": {"model": "gpt-1"},
        "an unknown name": {"max_output_tokens_": 5},
        "stream_options without a stream": {"stream_options": {"include_usage": True}},
        "stream that is no boolean": {"stream": 1},
        "too few tokens": {"max_completion_tokens": 1},
        "an effort that the model has not": {"reasoning_effort": "low"},
        "a role that is none": _talk({"role": "model", "content": "Hi"}),
        "the model speaks first": _talk({"role": "assistant", "content": "Hi"}),
        "a system message in the middle": _talk(ASKS, {"role": "system", "content": "x"}),
        "two of one role": _talk(ASKS, ASKS),
        "an empty text": _talk({"role": "user", "content": ""}),
        "a part of an unknown type": _talk({"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}),
        "a picture that is no data": _talk(
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/a.png"}}]}
        ),
        "a call without a result": _talk(ASKS, CALLING, ASKS),
        "a result without a call": _talk(ASKS, CALLED),
        "an id of more than 40 characters": _talk(
            ASKS, CALLING | {"tool_calls": [CHAT_CALL | {"id": "c" * 41}]}, CALLED | {"tool_call_id": "c" * 41}
        ),
        "an id twice": _talk(ASKS, CALLING | {"tool_calls": [CHAT_CALL, CHAT_CALL]}, CALLED, CALLED),
        "arguments that are no JSON": _talk(
            ASKS, CALLING | {"tool_calls": [CHAT_CALL | {"function": {"name": "read", "arguments": "{"}}]}, CALLED
        ),
        "an empty list of tools": _tools(),
        "two tools of one name": _tools(FUNCTION, FUNCTION),
        "a tool without a type": _tools({"function": FUNCTION["function"]}),
        "a tool_choice without tools": {"tools": [], "tool_choice": "auto"},
    },
)
RESPONSES = _kinds(
    GOOD_RESPONSES,
    {
        "no JSON": b"{",
        "no input": b'{"model": "gpt-5.5"}',
        "an unknown model": {"model": "gpt-1"},
        "an unknown name": {"messages": []},
        "too few tokens": {"max_output_tokens": 1},
        "an effort that the model has not": {"reasoning": {"effort": "max"}},
        "empty instructions": {"instructions": ""},
        "a role that is none": {"input": [SAID | {"role": "tool"}]},
        "the model speaks first": {"input": [ITEM, OUTPUT]},
        "a message without content": {"input": [SAID | {"content": []}]},
        "a text without a visible character": {"input": [SAID | {"content": [{"type": "input_text", "text": " "}]}]},
        "a part of the other side": {"input": [SAID | {"content": [{"type": "output_text", "text": "Hi"}]}]},
        "a picture that is no data": {
            "input": [SAID | {"content": [{"type": "input_image", "image_url": "http://x/a.png"}]}]
        },
        "a call without a result": {"input": [SAID, ITEM]},
        "a result without a call": {"input": [SAID, OUTPUT]},
        "a message between call and result": {"input": [SAID, ITEM, SAID, OUTPUT]},
        "an empty result": {"input": [SAID, ITEM, OUTPUT | {"output": ""}]},
        "arguments that are no object": {"input": [SAID, ITEM | {"arguments": "[]"}, OUTPUT]},
        "reasoning without its content": {"input": [SAID, _reasons("rs_1", ""), ITEM, OUTPUT]},
        "reasoning of somebody else": {"input": [SAID, _reasons("rs_1", encrypted("rs_2")), ITEM, OUTPUT]},
        "reasoning without what it led to": {"input": [SAID, _reasons("rs_1", encrypted("rs_1"))]},
        "a tool of the other API’s form": _tools(FUNCTION | {"name": "read"}),
    },
)
BAD_REQUESTS = {"anthropic": ANTHROPIC, "openai-chat": CHAT, "openai-responses": RESPONSES}
