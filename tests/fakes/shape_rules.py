"""The outer form of a request: which names it may hold, and of what kind their values are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.rule_parts import NAME, Json

_CHAT = frozenset(
    "model messages max_completion_tokens stream stream_options tools tool_choice parallel_tool_calls "
    "reasoning_effort temperature top_p store metadata prompt_cache_key prompt_cache_retention response_format "
    "seed stop verbosity max_tokens service_tier user".split()
)
_RESPONSES = frozenset(
    "model input instructions max_output_tokens stream stream_options tools tool_choice parallel_tool_calls "
    "reasoning include store metadata prompt_cache_key prompt_cache_retention text temperature top_p "
    "truncation service_tier previous_response_id user".split()
)
_BLOCKS = {
    "text": {"text", "citations"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
    "tool_use": {"id", "name", "input"},
    "tool_result": {"tool_use_id", "content", "is_error"},
    "image": {"source"},
    "document": {"source", "title", "context", "citations"},
}
_ROLES = {
    "anthropic": {"user", "assistant"},
    "openai-chat": {"system", "developer", "user", "assistant", "tool"},
    "openai-responses": {"system", "developer", "user", "assistant"},
    "openai-codex-responses": {"system", "developer", "user", "assistant"},
}


def shape_violations(payload: Json, api: str) -> Iterator[str]:
    known = {"openai-chat": _CHAT, "openai-responses": _RESPONSES, "openai-codex-responses": _RESPONSES}.get(api)
    if known is not None:
        yield from (f"Unknown parameter: '{name}'." for name in payload if name not in known)
    if not isinstance(payload.get("stream", False), bool):
        yield "stream: Input should be a valid boolean"
    if payload.get("stream_options") and not payload.get("stream"):
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    messages = payload["input" if api.endswith("-responses") else "messages"]
    if not isinstance(messages, list):
        yield "messages: Input should be a valid list"
        return
    for at, message in enumerate(messages):
        if message.get("type", "message") == "message" and message.get("role") not in _ROLES[api]:
            yield f"messages.{at}.role: {message.get('role')} is no role."
        if api == "anthropic":
            yield from _keys(message, at)
    yield from _tools(payload, api)
    yield from _system(payload)


def _keys(message: Json, at: int) -> Iterator[str]:
    extra = sorted(set(message) - {"role", "content"})
    yield from (f"messages.{at}.{name}: Extra inputs are not permitted" for name in extra)
    for block in message["content"]:
        known = _BLOCKS.get(block["type"])
        odd = set(block) - known - {"type", "cache_control"} if known is not None else set()
        yield from (f"messages.{at}.{block['type']}.{name}: Extra inputs are not permitted" for name in sorted(odd))


def _tools(payload: Json, api: str) -> Iterator[str]:
    tools = payload.get("tools", ())
    if "tools" in payload and not tools and api != "anthropic":
        yield "[] is too short - 'tools'"
    names = []
    for at, tool in enumerate(tools):
        function: Mapping[str, Any] = tool["function"] if api == "openai-chat" else tool
        if api != "anthropic" and tool.get("type") != "function":
            yield f"tools.{at}.type: {tool.get('type')} is not accepted."
        schema = function.get("input_schema" if api == "anthropic" else "parameters")
        if not NAME.fullmatch(function["name"]):
            yield f"tools.{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        if not isinstance(schema, Mapping) or schema.get("type") != "object":
            yield f"tools.{at}.input_schema.type: Field required"
        elif {"oneOf", "anyOf", "allOf"} & set(schema):
            yield f"tools.{at}: input_schema does not support oneOf, allOf, or anyOf at the top level"
        names.append(function["name"])
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."
    if payload.get("tool_choice") not in (None, "none") and not tools:
        yield "tool_choice is only allowed when tools are specified."


def _system(payload: Json) -> Iterator[str]:
    system = payload.get("system")
    if isinstance(system, list) and any(not block["text"].strip() for block in system):
        yield "system: text content blocks must be non-empty"
    if payload.get("instructions") == "":
        yield "instructions: must not be empty"
