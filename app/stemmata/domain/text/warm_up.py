"""Prompts that a tool sends to itself before a person writes."""

from __future__ import annotations

_WARMING_UP = frozenset({"warmup", "warm up", "ping"})


def is_warm_up(prompt: str) -> bool:
    """Return whether a tool sent the prompt to itself, to warm up."""
    return len(prompt) < 20 and prompt.strip().rstrip(".!").lower() in _WARMING_UP
