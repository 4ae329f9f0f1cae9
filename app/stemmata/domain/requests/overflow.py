"""Classifies a provider's error by its text: context overflow, rate limit, transient error, other.

The patterns are those of pi, librecode and OpenClaw. Limits of rate and money are checked first, because their texts
may mention too many tokens although compacting would not help.
"""

from __future__ import annotations

import re
from enum import Enum


class ErrorClass(Enum):
    """The classes of provider errors."""

    OVERFLOW = "overflow"  # the request is larger than the model's context window
    RATE_LIMIT = "rate-limit"  # too many requests or tokens in a period, or no money left
    TRANSIENT = "transient"  # the same request may succeed later
    OTHER = "other"


_RATE = re.compile(
    r"rate.?limit|too many requests|tokens? per (?:minute|min|hour|day)|requests? per (?:minute|hour|day)"
    r"|(?:daily|monthly|hourly|weekly) (?:token )?(?:limit|quota)|plan limit|quota|billing"
    r"|insufficient.?(?:funds|credit)"
    r"|^\W*429\b|\b(?:status|code|error|http)\W*429\b|throttl",
    re.IGNORECASE,
)
_OVERFLOW = re.compile(
    r"prompt is too long|input is too long for requested model|exceeds the context window"
    r"|input token count.*exceeds the maximum|maximum prompt length is \d+|reduce the length of the messages"
    r"|maximum context(?: length)?|exceeds the limit of \d+|exceeds the available context size"
    r"|greater than the context length|context window exceeds limit|exceeded model token limit"
    r"|too large for model with \d+ maximum context length|model_context_window_exceeded"
    r"|context[_ ](?:length|window)[_ ]exceeded|too many tokens|token limit exceeded|context token limit"
    r"|token limit for this request|exceeds (?:the |model )?context|context overflow|request_too_large"
    r"|request exceeds the maximum size|request size exceeds|\b413\b.*too large"
    r"|^4(?:00|13)\s*(?:status code)?\s*\(no body\)",
    re.IGNORECASE | re.DOTALL,
)
_TRANSIENT = re.compile(
    r"overloaded|\b(?:500|502|503|504|529)\b|service.?unavailable|server.?error|internal.?error|connection.?error"
    r"|connection.?refused|other side closed|fetch failed|upstream.?connect|reset before headers|terminated"
    r"|timed? ?out|retry delay",
    re.IGNORECASE,
)
_LONGEST = 10_000  # characters of an error that are searched


def classify(message: str) -> ErrorClass:
    """Return the class of a provider's error message."""
    text = message[:_LONGEST]
    if _RATE.search(text):
        return ErrorClass.RATE_LIMIT
    if _OVERFLOW.search(text):
        return ErrorClass.OVERFLOW
    return ErrorClass.TRANSIENT if _TRANSIENT.search(text) else ErrorClass.OTHER


def is_silent_overflow(sent: int, window: int | None, *, ends_turn: bool) -> bool:
    """Return whether the provider cut a context that was too large without an error, as some do.

    `sent` are the tokens of the request, cache included. A reply that calls tools does not count.
    """
    return ends_turn and window is not None and sent > window
