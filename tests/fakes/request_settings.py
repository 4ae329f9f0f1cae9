"""What Anthropic's API refuses of a request's settings, by what the model can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.fake_models import FakeModel

_KNOWN = frozenset(
    "model messages max_tokens system tools tool_choice thinking output_config cache_control metadata stop_sequences "
    "stream diagnostics service_tier compaction".split()
)
_UNCOUNTED = frozenset({"max_tokens", "stream", "metadata", "stop_sequences", "diagnostics", "service_tier"})


def settings_refused(payload: Mapping[str, Any], model: FakeModel, *, counting: bool = False) -> Iterator[str]:
    known = _KNOWN - _UNCOUNTED if counting else _KNOWN
    yield from (f"{name}: Extra inputs are not permitted" for name in payload if name not in known)
    most = payload.get("max_tokens")
    if not counting and (not isinstance(most, int) or most < 1):
        yield "max_tokens: must be a positive number"
        return
    if not counting and isinstance(most, int) and most > model.most_output:
        yield (
            f"max_tokens: {most} > {model.most_output}, which is the maximum allowed number of output tokens for "
            f"{model.id}"
        )
    yield from _thinking(payload, model, most)
    effort = (payload.get("output_config") or {}).get("effort")
    if effort is not None and effort not in model.levels:
        yield f"output_config.effort: {effort} is not supported by this model"
    yield from _ending(payload, model)
    for block in _blocks(payload):
        if block.get("type") == "document" and not model.takes_pdfs:
            yield f"{model.id} does not support PDF documents."
        if block.get("type") == "image" and not model.takes_images:
            yield f"{model.id} does not support images."


def _blocks(payload: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for message in payload["messages"]:
        for block in message["content"]:
            yield block
            if block.get("type") == "tool_result":
                yield from block["content"]


def _thinking(payload: Mapping[str, Any], model: FakeModel, most: object) -> Iterator[str]:
    thinking = payload.get("thinking")
    if thinking is None:
        return
    kind = thinking.get("type")
    if kind not in model.thinking:
        yield f"thinking.type: {kind} is not supported by this model"
    if kind != "enabled":
        return
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int) or budget < 1024:
        yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    elif isinstance(most, int) and budget >= most:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`"
    if (payload.get("tool_choice") or {}).get("type") in ("any", "tool"):
        yield "Thinking may not be enabled when tool_choice forces tool use."
    yield from _tool_loop(payload["messages"])


def _tool_loop(messages: list[Mapping[str, Any]]) -> Iterator[str]:
    """Check that the reply before tool results begins with thinking."""
    if len(messages) < 2 or not isinstance(messages[-1]["content"], list):
        return
    if any(block.get("type") == "tool_result" for block in messages[-1]["content"]):
        first = messages[-2]["content"][0]["type"]
        if first not in ("thinking", "redacted_thinking"):
            yield (
                f"messages.{len(messages) - 2}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
                f"`{first}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block"
            )


def _ending(payload: Mapping[str, Any], model: FakeModel) -> Iterator[str]:
    messages = payload["messages"]
    if not messages or messages[-1]["role"] != "assistant" or payload.get("compaction"):
        return
    thinks = (payload.get("thinking") or {}).get("type") in ("enabled", "adaptive")
    if not model.takes_prefill or thinks:
        yield "This model does not support assistant message prefill. The conversation must end with a user message."
