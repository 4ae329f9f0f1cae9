"""The settings in force, as values that cross threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stemmata.domain.budget import CompactionSettings

Value = bool | int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
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


@dataclass(frozen=True, slots=True)
class Preferred:
    """`values` by `section.name`, None where nothing is set. `problem` says what of the file is passed over."""

    values: Mapping[str, Value | None]
    compaction: CompactionSettings
    shortcuts: Mapping[str, str]  # keys by the id of an action, "" for none
    problem: str = ""
    chat: ChatSettings = field(default_factory=ChatSettings)
