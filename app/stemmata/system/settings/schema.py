"""Every setting, declared once: its key, title, help, and what it may be.

Reading, checking, changing, the settings dialog and the documentation follow from it. The default of a setting is
that of its field in the values below, which the services use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from stemmata.domain.settings.settings import ChatSettings, CompactionSettings
from stemmata.domain.settings.settings import Value as Value


class WindowSettings(NamedTuple):
    theme: str = "system"
    font_scale: int = 100
    language: str = "system"
    enter_sends: bool = True


class SourceSettings(NamedTuple):
    follow_these_folders: str = ""


class Settings(NamedTuple):
    window: WindowSettings = WindowSettings()
    compaction: CompactionSettings = CompactionSettings()
    chat: ChatSettings = ChatSettings()
    sources: SourceSettings = SourceSettings()
    shortcuts: Mapping[str, str] = MappingProxyType({})  # keys by the id of an action


SHORTCUTS = "shortcuts"  # the one section whose names are not listed here: they are the ids of actions
LISTS = frozenset({"connections", "servers", "consents", "models"})  # kept and checked by files of their own
LONGEST_KEYS = 100  # characters


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `key` is `section.name`; a number lies between `least` and `most`, a word is one of `choices`.

    Without choices, a setting whose default is a text takes any text of at most `most` characters.
    """

    key: str
    doc: str
    least: int = 0
    most: int = 10_000_000
    choices: tuple[str, ...] = ()
    optional: bool = False  # may be absent: then it is None, and `default` too
    called: str = ""  # the title in the settings dialog, "" for the name with spaces

    @property
    def section(self) -> str:
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        return self.key.partition(".")[2]

    @property
    def title(self) -> str:
        """What the settings dialog calls it, in English."""
        return self.called or self.name.replace("_", " ").capitalize()

    @property
    def default(self) -> Value | None:
        return self.of(Settings())

    def of(self, settings: Settings) -> Value | None:
        """The value it has there."""
        value: Value | None = getattr(getattr(settings, self.section), self.name)
        return value

    @property
    def expected(self) -> str:
        """What the value may be, in words."""
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return f"a text of at most {self.most} characters"
        return f"a whole number from {self.least} to {self.most}"

    def accepts(self, value: object) -> bool:
        if self.choices:
            return value in self.choices
        if isinstance(self.default, bool):
            return isinstance(value, bool)
        if isinstance(self.default, str):
            return isinstance(value, str) and len(value) <= self.most
        return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most


@dataclass(frozen=True, slots=True)
class ShortcutSetting(Setting):
    """The keys of one action. Whether there is such an action, the window knows."""

    @property
    def default(self) -> None:
        return None

    @property
    def expected(self) -> str:
        return 'keys such as "Ctrl+K", or "" for none'

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and len(value) <= LONGEST_KEYS


SCHEMA = (
    Setting("window.theme", "Colours of the window.", choices=("system", "light", "dark", "high-contrast")),
    Setting("window.font_scale", "Size of all text, in percent.", least=100, most=200, called="Size of text"),
    Setting(
        "window.language",
        "Language of the window; a change counts from the next start on.",
        choices=("system", "en", "de"),
    ),
    Setting("window.enter_sends", "Whether Enter sends a message; else it is a new line, and Ctrl+Enter sends."),
    Setting(
        "sources.follow_these_folders",
        "Folders whose sessions are imported as they grow, while the window is open; a semicolon between two.",
        most=10_000,
    ),
    Setting(
        "compaction.enabled",
        "Whether to compact by itself when a context grows beyond its trigger.",
        called="Compact by itself",
    ),
    Setting(
        "compaction.threshold_percent",
        "The trigger, in percent of the model's window.",
        least=10,
        most=100,
        called="Trigger, in percent",
    ),
    Setting(
        "compaction.reserve_tokens",
        "Tokens kept free for the reply. The trigger is never nearer to the window's end than this.",
    ),
    Setting("compaction.keep_recent_tokens", "Tokens at the end that a compaction leaves word for word.", least=1),
    Setting(
        "compaction.keep_recent_messages",
        "Messages at the end that a compaction leaves word for word; replaces keep_recent_tokens when set.",
        least=1,
        optional=True,
    ),
    Setting(
        "compaction.tool_prune_threshold",
        "Prune tool results once they exceed this many tokens.",
        called="Prune tool results above",
    ),
    Setting(
        "compaction.tool_keep_threshold",
        "Tokens of the newest tool results that pruning leaves.",
        called="Tool results that pruning keeps",
    ),
    Setting(
        "compaction.tool_policy",
        "What pruning may do with tool results: decide by tool, keep all, keep none.",
        choices=("auto", "keep_all", "keep_none"),
    ),
    Setting(
        "compaction.summariser",
        "Who writes summaries: a model, or the digest.",
        choices=("model", "digest"),
        called="Summaries are written by",
    ),
    Setting(
        "compaction.strategy",
        "Where a summary goes: under the current leaf, or at the head of a new session.",
        choices=("in-place", "new-session"),
    ),
    Setting(
        "compaction.retry_on_overflow",
        "When a provider refuses a request as too long: compact and retry, once for each reply.",
        called="Compact and retry on overflow",
    ),
    Setting("compaction.notify", "Whether to show a notice after a compaction.", called="Notice after a compaction"),
    Setting(
        "compaction.resume_token_budget",
        "A session that fills less than this percentage of the window is resumed whole, else by its summary.",
        least=1,
        most=100,
        called="Resume whole up to",
    ),
    Setting(
        "compaction.memory_flush",
        "Whether the model may write a note of the day to its memory before a context is compacted, in a silent turn "
        "and without being asked for; chat.own_tools must be on.",
        called="Notes to memory before a compaction",
    ),
    Setting(
        "chat.default_connection",
        "The connection for sessions that name none of their own; empty for the first there is.",
        most=64,
    ),
    Setting(
        "chat.max_tokens", "Tokens that a reply may have at most.", least=1, most=1_000_000, called="Longest reply"
    ),
    Setting(
        "chat.cache_ttl",
        "How long the provider keeps what was sent in its prompt cache, where that can be chosen.",
        choices=("5m", "1h", "off"),
        called="Keep cached prompts for",
    ),
    Setting("chat.retries", "How often a request is sent again by itself when the server is busy.", most=20),
    Setting(
        "chat.longest_wait",
        "Seconds between two tries at most, also when the server asks for more.",
        most=3600,
        called="Longest wait between tries",
    ),
    Setting(
        "chat.tool_rounds",
        "Replies with tool calls in one run, until the person is asked.",
        least=1,
        most=1000,
        called="Rounds of tools",
    ),
    Setting(
        "chat.stall_seconds",
        "Seconds without a byte after which a reply counts as broken.",
        least=5,
        most=3600,
        called="Patience with a silent server",
    ),
    Setting("chat.system_prompt", "What every request tells the model first.", most=100_000),
    Setting(
        "chat.own_tools",
        "Whether the model may search all sessions (recall) and, when you allow it, write notes that last (memory).",
        called="Recall and memory",
    ),
)
SETTINGS = {setting.key: setting for setting in SCHEMA}


def setting_of(section: str, name: str) -> Setting | None:
    """The setting of this name in this section; any name is one in the section of shortcuts."""
    if section == SHORTCUTS and name:
        return ShortcutSetting(f"{section}.{name}", "Keys of an action.")
    return SETTINGS.get(f"{section}.{name}")
