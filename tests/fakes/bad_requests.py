"""One request for each rule of the fake servers: the tests send them, and the documentation lists them."""

from __future__ import annotations

import json
from base64 import b64encode
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from tests.fakes.anthropic_server import signature_of
from tests.fakes.openai_server import encrypted
from tests.fakes.pictures import png

TEXT: dict[str, Any] = {"type": "text", "text": "Hi"}
MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}
SCHEMA = {"type": "object"}


@dataclass(frozen=True)
class BadRequest:
    """A request that a fake server refuses. `kind` says why, `raw` is the body."""

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
    """Return one bad request per kind: a whole body, or the parameters that replace those of a valid request."""
    return tuple(
        BadRequest(kind, bad if isinstance(bad, bytes) else json.dumps(deepcopy(good) | bad).encode())
        for kind, bad in kinds.items()
    )


def _png(width: int) -> dict[str, Any]:
    data = b64encode(png(width, 5)).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


_A_TOOL: dict[str, Any] = {"name": "read", "input_schema": SCHEMA}
_PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "AA=="}}
_PAPER = {"type": "document", "source": {"type": "base64", "media_type": "text/html", "data": "AA=="}}
ANTHROPIC = _kinds(
    GOOD_ANTHROPIC,
    {
        "a body that is not JSON": b"{",
        "a body that is not UTF-8": b"\xff\xfe",
        "a body that is a list": b"[]",
        "`messages` missing": b'{"model": "claude-opus-4-5", "max_tokens": 10}',
        "`messages` that is not a list": {"messages": {"role": "user"}},
        "an unknown model": {"model": "claude-1"},
        "an unknown parameter": {"temperature_": 1},
        "`max_tokens` of 0": {"max_tokens": 0},
        "`max_tokens` above the model's limit": {"max_tokens": 64_001},
        "`stream` that is not a boolean": {"stream": "yes"},
        "an assistant message first": _talk(_model(TEXT)),
        "an unknown role": _talk({"role": "system", "content": [TEXT]}),
        "two consecutive messages of one role": _talk(_user(TEXT), _user(TEXT)),
        "an empty message": _talk(_user(TEXT), _model(), _user(TEXT)),
        "an unknown field in a message": _talk(_user(TEXT) | {"id": "u1"}),
        "a text of white space only": _talk(_user({"type": "text", "text": " \n"})),
        "an unknown field in a content block": _talk(_user(TEXT | {"index": 0})),
        "a content block of an unknown type": _talk(_user({"type": "audio"})),
        "a tool call without a result": _talk(_user(TEXT), _model(USE), _user(TEXT)),
        "a tool result without a call": _talk(_user(ANSWER)),
        "two results of one call": _talk(_user(TEXT), _model(USE), _user(ANSWER, ANSWER)),
        "a tool result after a text block": _talk(_user(TEXT), _model(USE), _user(TEXT, ANSWER)),
        "a call id with a space": _talk(
            _user(TEXT), _model(USE | {"id": "c 1"}), _user(ANSWER | {"tool_use_id": "c 1"})
        ),
        "two calls with the same id": _talk(_user(TEXT), _model(USE, USE), _user(ANSWER, ANSWER)),
        "a tool call in a user message": _talk(_user(USE), _model(TEXT), _user(TEXT)),
        "call input that is not an object": _talk(_user(TEXT), _model(USE | {"input": "{}"}), _user(ANSWER)),
        "a call of an undefined tool": _talk(_user(TEXT), _model(USE | {"name": "write"}), _user(ANSWER)),
        "two tools with the same name": _tools(_A_TOOL, _A_TOOL),
        "a tool with a dot in its name": _tools(_A_TOOL, {"name": "a.b", "input_schema": SCHEMA}),
        "a tool without an input schema": _tools(_A_TOOL, {"name": "b"}),
        "a tool schema with `oneOf` at its top level": _tools(
            {"name": "read", "input_schema": SCHEMA | {"oneOf": []}}
        ),
        "thinking without a signature": _talk(_user(TEXT), _model(_thinks("hm", ""), TEXT), _user(TEXT)),
        "thinking with the signature of another text": _talk(
            _user(TEXT), _model(_thinks("hm", "x"), TEXT), _user(TEXT)
        ),
        "an assistant message that ends with thinking": _talk(
            _user(TEXT), _model(TEXT, _thinks("hm", signature_of("hm"))), _user(TEXT)
        ),
        "a thinking type that the model does not support": {"thinking": {"type": "adaptive"}},
        "a thinking budget below the minimum": {"thinking": {"type": "enabled", "budget_tokens": 100}},
        "a thinking budget not below `max_tokens`": {"thinking": {"type": "enabled", "budget_tokens": 3000}},
        "a reasoning effort that the model does not support": {"output_config": {"effort": "max"}},
        "five cache breakpoints": _talk(_user(*[TEXT | MARK] * 5)),
        "a one-hour cache breakpoint after a five-minute one": _talk(
            _user(TEXT | MARK, TEXT | {"cache_control": {"type": "ephemeral", "ttl": "1h"}})
        ),
        "an image of an unsupported media type": _talk(_user(_PICTURE)),
        "an image with a side of more than 8,000 pixels": _talk(_user(_png(8_001))),
        "more than 20 images, one with a side of more than 2,000 pixels": _talk(_user(*[_png(5)] * 20, _png(2_001))),
        "more than 100 images": _talk(_user(*[_png(5)] * 101)),
        "a document that is not a PDF": _talk(_user(_PAPER)),
        "an empty system text": {"system": [{"type": "text", "text": ""}]},
        "a last assistant message that ends with white space": _talk(
            _user(TEXT), _model({"type": "text", "text": "Well, "})
        ),
    },
)
CHAT = _kinds(
    GOOD_CHAT,
    {
        "a body that is not JSON": b"{",
        "`messages` missing": b'{"model": "gpt-4o"}',
        "an unknown model": {"model": "gpt-1"},
        "an unknown parameter": {"max_output_tokens_": 5},
        "`stream_options` without `stream`": {"stream_options": {"include_usage": True}},
        "`stream` that is not a boolean": {"stream": 1},
        "`max_completion_tokens` below the minimum": {"max_completion_tokens": 1},
        "a reasoning effort that the model does not support": {"reasoning_effort": "low"},
        "an unknown role": _talk({"role": "model", "content": "Hi"}),
        "an assistant message first": _talk({"role": "assistant", "content": "Hi"}),
        "a system message after the first message": _talk(ASKS, {"role": "system", "content": "x"}),
        "two consecutive messages of one role": _talk(ASKS, ASKS),
        "an empty text": _talk({"role": "user", "content": ""}),
        "a content part of an unknown type": _talk(
            {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
        ),
        "an image that is not a data URL": _talk(
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/a.png"}}]}
        ),
        "a tool call without a result": _talk(ASKS, CALLING, ASKS),
        "a tool result without a call": _talk(ASKS, CALLED),
        "a call id of more than 40 characters": _talk(
            ASKS, CALLING | {"tool_calls": [CHAT_CALL | {"id": "c" * 41}]}, CALLED | {"tool_call_id": "c" * 41}
        ),
        "two calls with the same id": _talk(ASKS, CALLING | {"tool_calls": [CHAT_CALL, CHAT_CALL]}, CALLED, CALLED),
        "call arguments that are not JSON": _talk(
            ASKS, CALLING | {"tool_calls": [CHAT_CALL | {"function": {"name": "read", "arguments": "{"}}]}, CALLED
        ),
        "an empty `tools` list": _tools(),
        "two tools with the same name": _tools(FUNCTION, FUNCTION),
        "a tool without `type`": _tools({"function": FUNCTION["function"]}),
        "`tool_choice` without tools": {"tools": [], "tool_choice": "auto"},
    },
)
RESPONSES = _kinds(
    GOOD_RESPONSES,
    {
        "a body that is not JSON": b"{",
        "`input` missing": b'{"model": "gpt-5.5"}',
        "an unknown model": {"model": "gpt-1"},
        "an unknown parameter": {"messages": []},
        "`max_output_tokens` below the minimum": {"max_output_tokens": 1},
        "a reasoning effort that the model does not support": {"reasoning": {"effort": "max"}},
        "empty `instructions`": {"instructions": ""},
        "an unknown role": {"input": [SAID | {"role": "tool"}]},
        "a function call first": {"input": [ITEM, OUTPUT]},
        "an empty message": {"input": [SAID | {"content": []}]},
        "a text of white space only": {"input": [SAID | {"content": [{"type": "input_text", "text": " "}]}]},
        "an output text in a user message": {"input": [SAID | {"content": [{"type": "output_text", "text": "Hi"}]}]},
        "an image that is not a data URL": {
            "input": [SAID | {"content": [{"type": "input_image", "image_url": "http://x/a.png"}]}]
        },
        "a tool call without a result": {"input": [SAID, ITEM]},
        "a tool result without a call": {"input": [SAID, OUTPUT]},
        "a message between a call and its result": {"input": [SAID, ITEM, SAID, OUTPUT]},
        "an empty tool result": {"input": [SAID, ITEM, OUTPUT | {"output": ""}]},
        "call arguments that are not an object": {"input": [SAID, ITEM | {"arguments": "[]"}, OUTPUT]},
        "reasoning without its encrypted content": {"input": [SAID, _reasons("rs_1", ""), ITEM, OUTPUT]},
        "reasoning with the encrypted content of another item": {
            "input": [SAID, _reasons("rs_1", encrypted("rs_2")), ITEM, OUTPUT]
        },
        "reasoning that no other item follows": {"input": [SAID, _reasons("rs_1", encrypted("rs_1"))]},
        "a tool in the form of Chat Completions": _tools(FUNCTION | {"name": "read"}),
    },
)
REPLIED: dict[str, Any] = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
CODEX = _kinds(
    GOOD_RESPONSES,
    {
        "`max_output_tokens`": {"max_output_tokens": 100},
        "two consecutive messages of the assistant": {"input": [SAID, REPLIED, REPLIED, SAID]},
        "two messages of the assistant with reasoning between them": {
            "input": [SAID, REPLIED, _reasons("rs_1", encrypted("rs_1")), REPLIED]
        },
    },
)
BAD_REQUESTS = {
    "anthropic": ANTHROPIC,
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
    "openai-codex-responses": CODEX,
}
