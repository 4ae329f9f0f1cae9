"""The settings that the services use: compaction, chat, and followed folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

SEPARATOR = ";"  # separates the folders in the setting


class WatchMethod(Enum):
    """The ways to notice changes in a followed folder; GONE when the folder does not exist."""

    TOLD = "told"  # the operating system reports changes
    NETWORK = "network"  # the folder is scanned regularly, since a network drive reports no changes
    LIMIT = "limit"  # the folder is scanned regularly, since the system's limit of watched folders is reached
    GONE = "gone"  # the folder does not exist
    REFUSED = "refused"  # the folder may not be read


class FolderStatus(NamedTuple):
    """A folder of the setting, and how its changes are noticed now."""

    folder: str
    way: WatchMethod

    @property
    def is_followed(self) -> bool:
        """Whether changes in the folder are noticed."""
        return self.way not in (WatchMethod.GONE, WatchMethod.REFUSED)


class FolderScan(NamedTuple):
    """The result of checking the followed folders: files that may have changed, and the state of each folder."""

    files: tuple[str, ...] = ()
    folders: tuple[FolderStatus, ...] = ()


class FollowingNotice(NamedTuple):
    """A message for the user. `about` is a folder or a file, "" for the archive; `bad`: a problem that persists."""

    about: str
    text: str
    bad: bool = False


def folders_of(setting: str) -> tuple[str, ...]:
    """Return the folders that the setting names, without repetitions."""
    return tuple(dict.fromkeys(filter(None, (part.strip() for part in setting.split(SEPARATOR)))))


def setting_of(folders: Iterable[str]) -> str:
    """Return the text of the setting for these folders."""
    return f"{SEPARATOR} ".join(folders)


def changed_setting(setting: str, folders: Iterable[str], *, on: bool) -> str:
    """Return the setting with these folders added (`on`) or removed."""
    named, before = dict.fromkeys(folders), folders_of(setting)
    if on:
        return setting_of(dict.fromkeys([*before, *named]))
    return setting_of(folder for folder in before if folder not in named)


TOOL_POLICIES = ("prune", "keep", "summarise")  # whether the results of a tool are pruned


class CompactionSettings(NamedTuple):
    """The settings for compaction and pruning. Sizes are in tokens, percents from 0 to 100."""

    enabled: bool = True
    threshold_percent: int = 80
    reserve_tokens: int = 16384
    reserve_floor: int = 20000  # the least reserve for sessions of a gateway, as in OpenClaw; 0 for none
    keep_recent_tokens: int = 20000
    keep_recent_messages: int | None = (
        None  # counts messages instead of tokens when set; a tool result counts with its call
    )
    tool_prune_threshold: int = 8000
    tool_keep_threshold: int = 2000
    tool_policy: str = "auto"  # auto | keep_all | keep_none
    tools: Mapping[str, str] = MappingProxyType({})  # tool → prune | keep | summarise, for the policy auto
    summariser: str = "digest"  # model | digest
    connection: str = ""  # writes summaries; "" for the connection of the session
    model: str = ""  # writes summaries; "" for the model of that connection
    strategy: str = "in-place"  # in-place | new-session
    retry_on_overflow: bool = True
    notify: bool = True
    resume_token_budget: int = 70  # percent of the window that a resumed session may fill
    memory_place: str = "off"  # off | stemmata | workspace: where notes are stored before a compaction
    memory_soft_threshold: int = 4000  # tokens below the trigger at which the notes are stored
    memory_prompt: str = ""  # asks for the notes; "" for the prompt of Stemmata
    memory_system_prompt: str = ""  # follows the system prompt while notes are stored; "" for none


class ChatSettings(NamedTuple):
    """Settings of chatting. `default_connection` is a name, "" for the first; `cache_ttl` is "5m", "1h" or "off"."""

    default_connection: str = ""
    max_tokens: int = 8192  # the maximum output tokens of a reply
    cache_ttl: str = "5m"
    retries: int = 5
    longest_wait: int = 120  # the most seconds between two tries, also when the server asks for more
    stall_seconds: int = 90
    system_prompt: str = ""
    own_tools: bool = False  # off by default, since recall sends text of other sessions to the provider
    skill_folders: str = ""  # separated by semicolons; none until the user chooses one
    skills_by_prompt: bool = True  # whether a message may activate skills of these folders
    tool_rounds: int = 50  # the most replies with tool calls in one run
    reset_hour: int | None = None  # local hour at which conversations with a key start anew; None for never
    reset_idle_minutes: int | None = None  # after which conversations with a key start anew; None for never
    reset_as_gateway: bool = False  # conversations of a gateway start anew as the gateway's settings say


class SearchSettings(NamedTuple):
    """Settings of the search. `embedding_connection` and `embedding_model` apply when `meaning` is "connection"."""

    meaning: str = "off"  # off | local | connection
    embedding_connection: str = ""
    embedding_model: str = ""  # "" for the model of the connection

    @property
    def finds_meaning(self) -> bool:
        """Whether a model for search by meaning is chosen."""
        return self.meaning != "off"


Value = bool | int | str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Preferred:
    """The settings file's content. `values` by `section.name`, None when not set; `problem` names ignored parts."""

    values: Mapping[str, Value | None]
    compaction: CompactionSettings
    shortcuts: Mapping[str, str]  # action id → keys, "" for none
    problem: str = ""
    chat: ChatSettings = field(default_factory=ChatSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
