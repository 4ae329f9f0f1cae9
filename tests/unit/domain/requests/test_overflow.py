from __future__ import annotations

import pytest

from stemmata.domain.requests.overflow import ErrorClass, classify, is_silent_overflow

OVERFLOWS = {
    "Anthropic": "prompt is too long: 213462 tokens > 200000 maximum",
    "Bedrock": "Input is too long for requested model.",
    "OpenAI": "Your input exceeds the context window of this model.",
    "Google": "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
    "xAI": "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    "Groq": "Please reduce the length of the messages or completion",
    "OpenRouter": "This endpoint's maximum context length is 65536 tokens. However, you requested about 99999",
    "Copilot": "prompt token count of 197124 exceeds the limit of 128000",
    "llama.cpp": "the request exceeds the available context size, try increasing it",
    "LM Studio": "tokens to keep from the initial prompt is greater than the context length",
    "MiniMax": "invalid params, context window exceeds limit",
    "Kimi": "Your request exceeded model token limit: 131072",
    "Mistral": "Prompt contains 150000 tokens, too large for model with 131072 maximum context length",
    "z.ai": "model_context_window_exceeded",
    "generic 1": "context_length_exceeded",
    "generic 2": "Context length exceeded",
    "generic 3": "too many tokens",
    "generic 4": "token limit exceeded",
    "Cerebras 400": "400 (no body)",
    "Cerebras 413": "413 status code (no body)",
    "librecode 1": "input exceeds the context window",
    "librecode 2": "maximum context length",
    "librecode 3": "too many tokens in request",
    "librecode 4": "token limit exceeded for request",
    "OpenClaw 1": "request_too_large",
    "OpenClaw 2": "Request exceeds the maximum size",
    "OpenClaw 3": "exceeds model context window",
    "OpenClaw 4": "413 payload too large",
}


@pytest.mark.parametrize("message", OVERFLOWS.values(), ids=OVERFLOWS)
def test_overflow(message: str) -> None:
    assert classify(message) is ErrorClass.OVERFLOW


@pytest.mark.parametrize(
    "message",
    [
        "rate limit exceeded",
        "429 status code (no body)",
        "Error code: 429 - slow down",
        "Too many requests",
        "Rate limit: too many tokens per minute",  # pi compacts here, which does not help
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
        "daily token limit exceeded",
        "quota exceeded; update billing",
        "You have hit your plan limit",
        "ThrottlingException",
    ],
)
def test_rate_limits_are_never_taken_for_overflow(message: str) -> None:
    assert classify(message) is ErrorClass.RATE_LIMIT


@pytest.mark.parametrize(
    "message",
    ["529 overloaded", "503 service unavailable", "fetch failed", "Connection error."],
)
def test_transient(message: str) -> None:
    assert classify(message) is ErrorClass.TRANSIENT


@pytest.mark.parametrize("message", ["", "invalid api key", "prompt has 429000 words", "model not found"])
def test_other(message: str) -> None:
    assert classify(message) is ErrorClass.OTHER


def test_only_the_start_of_a_huge_message_is_searched() -> None:
    assert classify("input token count " * 100_000) is ErrorClass.OTHER


@pytest.mark.parametrize(
    ("sent", "window", "ends_turn", "expected"),
    [
        (210_000, 200_000, True, True),
        (200_000, 200_000, True, False),
        (300_000, 200_000, False, False),
        (300_000, None, True, False),
    ],
)
def test_silent_overflow(sent: int, window: int | None, ends_turn: bool, expected: bool) -> None:
    assert is_silent_overflow(sent, window, ends_turn=ends_turn) is expected
