"""The settings that the services follow, apart: of the domain the first window needs nothing else but sessions."""

from __future__ import annotations

from typing import NamedTuple


class CompactionSettings(NamedTuple):
    """Defaults of the settings file. Tokens, except percents (0–100)."""

    enabled: bool = True
    threshold_percent: int = 80
    reserve_tokens: int = 16384
    keep_recent_tokens: int = 20000
    keep_recent_messages: int | None = None  # counts messages instead of tokens when set
    tool_prune_threshold: int = 8000
    tool_keep_threshold: int = 2000
    tool_policy: str = "auto"  # auto | keep_all | keep_none
    summariser: str = "digest"  # model | digest
    strategy: str = "in-place"  # in-place | new-session
    retry_on_overflow: bool = True
    notify: bool = True
    resume_token_budget: int = 70  # percent of the window that a resumed session may fill
    memory_flush: bool = False  # a silent turn before a compaction, for notes that last


class ChatSettings(NamedTuple):
    """`default_connection` is a name, "" for the first there is; `cache_ttl` is "5m", "1h" or "off"."""

    default_connection: str = ""
    max_tokens: int = 8192  # the longest reply
    cache_ttl: str = "5m"
    retries: int = 5
    longest_wait: int = 120  # seconds between two tries, also where the server asks for more
    stall_seconds: int = 90
    system_prompt: str = ""
    own_tools: bool = False  # recall sends what other sessions say to the provider: not unasked
    tool_rounds: int = 50  # replies with tool calls in one run
