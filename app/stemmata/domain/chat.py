"""How the person wants to chat: what the section `chat` of the settings says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """Defaults of the settings file."""

    default_connection: str = ""  # name; "" for the first one
    max_tokens: int = 8192  # of a reply
    cache_ttl: str = "5m"  # 5m | 1h | off
    retries: int = 5  # of one request, before the first byte
    longest_wait: int = 120  # seconds between two tries, also when the server asks for more
    stall_seconds: int = 90  # without a byte, then the request is given up
    tool_rounds: int = 50  # replies with tool calls in one run
    system_prompt: str = ""
