"""The settings that the services follow, apart: of the domain the first window needs nothing else but sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

SEPARATOR = ";"  # between the folders of the setting


class Way(Enum):
    """How changes in a followed folder are noticed, or why they are not."""

    TOLD = "told"  # by the system
    NETWORK = "network"  # it is looked through again and again: a network tells nothing
    LIMIT = "limit"  # the same, because the system watches no more folders for us
    GONE = "gone"
    REFUSED = "refused"  # it may not be read


@dataclass(frozen=True, slots=True)
class Followed:
    """A folder as it was named, and how it goes with it now."""

    folder: str
    way: Way

    @property
    def is_followed(self) -> bool:
        return self.way not in (Way.GONE, Way.REFUSED)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a look at the followed folders showed: files that may have changed, and how it goes with each folder."""

    files: tuple[str, ...] = ()
    folders: tuple[Followed, ...] = ()


@dataclass(frozen=True, slots=True)
class FollowingNews:
    """Something to tell the person. `about`: a folder or a file, "" for the archive; `bad`: until told otherwise."""

    about: str
    text: str
    bad: bool = False


def folders_of(setting: str) -> tuple[str, ...]:
    """The folders that the setting names, each once."""
    return tuple(dict.fromkeys(filter(None, (part.strip() for part in setting.split(SEPARATOR)))))


def setting_of(folders: Iterable[str]) -> str:
    return f"{SEPARATOR} ".join(folders)


def changed_setting(setting: str, folders: Iterable[str], *, on: bool) -> str:
    """The setting with these folders in it, or without them."""
    named, before = dict.fromkeys(folders), folders_of(setting)
    if on:
        return setting_of(dict.fromkeys([*before, *named]))
    return setting_of(folder for folder in before if folder not in named)


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


Value = bool | int | str


@dataclass(frozen=True, slots=True)
class Preferred:
    """`values` by `section.name`, None where nothing is set. `problem` says what of the file is passed over."""

    values: Mapping[str, Value | None]
    compaction: CompactionSettings
    shortcuts: Mapping[str, str]  # keys by the id of an action, "" for none
    problem: str = ""
    chat: ChatSettings = field(default_factory=ChatSettings)
