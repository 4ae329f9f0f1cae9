"""Declare every setting once: its key, title, help text and valid values.

Reading, validating, changing, the settings dialog and the documentation follow from it. Defaults are the defaults of
the fields in the named tuples, which the services use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from stemmata.domain.settings.settings import TOOL_POLICIES, ChatSettings, CompactionSettings, SearchSettings
from stemmata.domain.settings.settings import Value as Value


class WindowSettings(NamedTuple):
    """Settings of the window."""

    theme: str = "system"
    font_scale: int = 100
    language: str = "system"
    enter_sends: bool = True
    font: str = ""
    code_font: str = ""
    tab_width: int = 4
    wrap_code: bool = True


class SourceSettings(NamedTuple):
    """Settings of followed folders."""

    follow_these_folders: str = ""


class Settings(NamedTuple):
    """All settings by section."""

    window: WindowSettings = WindowSettings()
    compaction: CompactionSettings = CompactionSettings()
    chat: ChatSettings = ChatSettings()
    search: SearchSettings = SearchSettings()
    sources: SourceSettings = SourceSettings()
    shortcuts: Mapping[str, str] = MappingProxyType({})  # action id → keys


SHORTCUTS = "shortcuts"  # the only section with names not listed here: its names are action ids
LISTS = frozenset({"connections", "servers", "consents", "models"})  # handled by `connections_file`
LONGEST_KEYS = 100  # characters


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting with the key `section.name`.

    A number is valid from `least` to `most`, a word if it is in `choices`. Without choices, a setting whose default
    is a text accepts any text of at most `most` characters.
    """

    key: str
    doc: str
    least: int = 0
    most: int = 10_000_000
    choices: tuple[str, ...] = ()
    optional: bool = False  # whether the value may be absent; value and default are then None
    called: str = ""  # the title in the settings dialog; "" for the name with spaces
    # which names the settings dialog offers for a text: "folders", "connection", "font" or "code font"
    names: str = ""

    @property
    def is_table(self) -> bool:
        """Whether the value is a table of names, each with one of the choices."""
        return False

    @property
    def section(self) -> str:
        """The part of the key before the dot."""
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        """The part of the key after the dot."""
        return self.key.partition(".")[2]

    @property
    def title(self) -> str:
        """The title in the settings dialog, in English."""
        return self.called or self.name.replace("_", " ").capitalize()

    @property
    def default(self) -> Value | None:
        """The default value; None for an optional setting."""
        return self.of(Settings())

    def of(self, settings: Settings) -> Value | None:
        """Return this setting's value in `settings`."""
        value: Value | None = getattr(getattr(settings, self.section), self.name)
        return value

    @property
    def expected(self) -> str:
        """The valid values, in words for error messages."""
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return f"a text of at most {self.most} characters"
        return f"a whole number from {self.least} to {self.most}"

    def accepts(self, value: object) -> bool:
        """Return whether the value is valid."""
        if self.choices:
            return value in self.choices
        if isinstance(self.default, bool):
            return isinstance(value, bool)
        if isinstance(self.default, str):
            return isinstance(value, str) and len(value) <= self.most
        return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most


class ShortcutSetting(Setting):
    """The keys of one action. Unknown action ids are accepted, because only the window knows the actions."""

    @property
    def default(self) -> None:
        """The default value: None, so that an unset shortcut keeps the action's own keys."""
        return None

    @property
    def expected(self) -> str:
        """The valid values, in words for error messages."""
        return 'keys such as "Ctrl+K", or "" for none'

    def accepts(self, value: object) -> bool:
        """Return whether the value can be the text of a shortcut."""
        return isinstance(value, str) and len(value) <= LONGEST_KEYS


class TableSetting(Setting):
    """A table of the file with the key `section.name`: names that the user chooses, each with one of the choices."""

    @property
    def is_table(self) -> bool:
        """Whether the value is a table of names, which it is."""
        return True

    @property
    def expected(self) -> str:
        """The valid values, in words for error messages."""
        return f"a table of names, each with {self.row_expected}"

    @property
    def row_expected(self) -> str:
        """The valid values of one row, in words for error messages."""
        return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)

    def accepts(self, value: object) -> bool:
        """Return whether the value is such a table, in which every row is valid."""
        return isinstance(value, Mapping) and not self.wrong_rows(value)

    def wrong_rows(self, table: Mapping[str, object]) -> list[str]:
        """Return the names of the rows that are invalid, or that differ from an earlier one only by letter case."""
        seen, wrong = set[str](), []
        for name, word in table.items():
            if word not in self.choices or name.lower() in seen or not 0 < len(name) <= self.most:
                wrong.append(name)
            seen.add(name.lower())
        return wrong


SCHEMA = (
    Setting("window.theme", "Colours of the window.", choices=("system", "light", "dark", "high-contrast")),
    Setting("window.font_scale", "Size of all text, in percent.", least=100, most=200, called="Text size"),
    Setting(
        "window.language",
        "Language of the window; a change takes effect at the next start.",
        choices=("system", "en", "de"),
    ),
    Setting("window.enter_sends", "Enter sends the message; when off, Enter starts a new line and Ctrl+Enter sends."),
    Setting("window.font", "Font of the window; empty for the default font.", most=200, names="font"),
    Setting(
        "window.code_font",
        "Font of code and output; empty for the default font.",
        most=200,
        called="Font of code",
        names="code font",
    ),
    Setting("window.tab_width", "Width of a tab in code and output, in spaces.", least=1, most=16),
    Setting("window.wrap_code", "Wrap long lines of code and output; when off, they are scrolled sideways."),
    Setting(
        "sources.follow_these_folders",
        "Folders whose sessions are imported while the window is open, separated by semicolons.",
        most=10_000,
        names="folders",
    ),
    Setting(
        "compaction.enabled",
        "Compact automatically when the context exceeds the trigger.",
        called="Automatic compaction",
    ),
    Setting(
        "compaction.threshold_percent",
        "Trigger for automatic compaction, in percent of the model's context window.",
        least=10,
        most=100,
        called="Trigger (percent)",
    ),
    Setting(
        "compaction.reserve_tokens",
        "Tokens kept free for the reply; the trigger always leaves this much of the context window.",
    ),
    Setting(
        "compaction.reserve_floor",
        "Minimum number of tokens kept free in sessions of a gateway such as OpenClaw; 0 for no minimum.",
        called="Minimum reserve for gateways",
    ),
    Setting(
        "compaction.keep_recent_tokens",
        "Tokens at the end of the context that a compaction keeps unchanged.",
        least=1,
    ),
    Setting(
        "compaction.keep_recent_messages",
        "Messages at the end of the context that a compaction keeps unchanged, tool results not counted; replaces "
        "the token limit when set.",
        least=1,
        optional=True,
    ),
    Setting(
        "compaction.tool_prune_threshold",
        "Prune tool results when they exceed this many tokens.",
        called="Prune tool results above",
    ),
    Setting(
        "compaction.tool_keep_threshold",
        "Tokens of the newest tool results that pruning keeps.",
        called="Tool results kept by pruning",
    ),
    Setting(
        "compaction.tool_policy",
        "Tool results that pruning keeps: chosen by tool, all, or none.",
        choices=("auto", "keep_all", "keep_none"),
    ),
    TableSetting(
        "compaction.tools",
        "What the policy auto does with the results of single tools: prunes them, keeps them, or keeps them and "
        "gives them to the summariser as a whole. Other results are pruned.",
        most=200,
        choices=TOOL_POLICIES,
        called="Policy by tool",
    ),
    Setting(
        "compaction.summariser",
        "Summaries are written by a model, or extracted without a model as a digest.",
        choices=("model", "digest"),
        called="Summary writer",
    ),
    Setting(
        "compaction.connection",
        "Connection whose model writes summaries, with its own key; empty for the connection of the session.",
        most=64,
        names="connection",
        called="Connection for summaries",
    ),
    Setting(
        "compaction.model",
        "Model that writes summaries; empty for the model of the connection for summaries, or of the session.",
        most=200,
        called="Model for summaries",
    ),
    Setting(
        "compaction.strategy",
        "Where the summary goes: below the current leaf, or to the start of a new session.",
        choices=("in-place", "new-session"),
        called="Place of the summary",
    ),
    Setting(
        "compaction.retry_on_overflow",
        "Compact and retry once per reply when the provider refuses a request as too long.",
        called="Compact and retry on overflow",
    ),
    Setting(
        "compaction.notify",
        "Report each compaction and pruning as a note in the session; automatic ones also in the window and on "
        "stderr.",
        called="Notices of automatic compactions",
    ),
    Setting(
        "compaction.resume_token_budget",
        "Sessions up to this percentage of the context window are resumed in full; larger sessions are resumed "
        "from a summary.",
        least=1,
        most=100,
        called="Resume in full up to",
    ),
    Setting(
        "compaction.memory_place",
        "Place for notes that the model stores in a silent turn before a compaction: none, a folder of Stemmata, or "
        "the folder “memory” in the folder of the session. If a place is chosen, the model gets the tool “memory”.",
        choices=("off", "stemmata", "workspace"),
        called="Memory notes before a compaction",
    ),
    Setting(
        "compaction.memory_soft_threshold",
        "Tokens below the trigger of automatic compaction at which the model stores its notes.",
        called="Memory notes before the trigger",
    ),
    Setting(
        "compaction.memory_prompt",
        "Text that asks the model for its notes; {file} stands for the file of the day; empty for Stemmata’s text.",
        most=10_000,
        called="Prompt for memory notes",
    ),
    Setting(
        "compaction.memory_system_prompt",
        "Text after the system prompt while the model stores its notes. If it is set, the request for the notes "
        "does not use the prompt cache.",
        most=10_000,
        called="System prompt for memory notes",
    ),
    Setting(
        "chat.default_connection",
        "Connection for sessions that name none; empty for the first connection.",
        most=64,
        names="connection",
    ),
    Setting(
        "chat.max_tokens",
        "Maximum length of a reply, in tokens.",
        least=1,
        most=1_000_000,
        called="Maximum reply length",
    ),
    Setting(
        "chat.cache_ttl",
        "How long the provider keeps sent text in its prompt cache, if it offers a choice.",
        choices=("5m", "1h", "off"),
        called="Prompt cache lifetime",
    ),
    Setting("chat.retries", "Maximum number of automatic retries when the server is busy.", most=20),
    Setting(
        "chat.longest_wait",
        "Maximum wait between two attempts, in seconds, even if the server asks for more.",
        most=3600,
        called="Longest wait between retries",
    ),
    Setting(
        "chat.tool_rounds",
        "Replies with tool calls in one run before Stemmata asks whether to continue.",
        least=1,
        most=1000,
        called="Tool rounds",
    ),
    Setting(
        "chat.stall_seconds",
        "Seconds without data after which a reply counts as failed.",
        least=5,
        most=3600,
        called="Timeout for a silent server",
    ),
    Setting("chat.system_prompt", "Text that every request sends to the model first.", most=100_000),
    Setting(
        "chat.skill_folders",
        "Folders with skills that sessions can activate, separated by semicolons; a relative path starts at "
        "the session's folder.",
        most=10_000,
        names="folders",
    ),
    Setting(
        "chat.skills_by_prompt",
        "A message activates the skills that it names or that its words describe, three at most.",
        called="Activate skills by the message",
    ),
    Setting(
        "chat.own_tools",
        "The model may search all sessions (recall) and, with your consent, write lasting notes (memory).",
        called="Recall and memory",
    ),
    Setting(
        "chat.reset_hour",
        "Hour of the day (local time) from which the next message of a conversation with a key begins a new session.",
        most=23,
        optional=True,
        called="Daily reset at",
    ),
    Setting(
        "chat.reset_idle_minutes",
        "Minutes without messages after which the next message of a conversation with a key begins a new session.",
        least=1,
        optional=True,
        called="Reset after idle minutes",
    ),
    Setting(
        "chat.reset_as_gateway",
        "Imported conversations of a gateway such as OpenClaw begin a new session when the gateway’s settings "
        "say so.",
        called="Reset as in the gateway",
    ),
    Setting(
        "search.meaning",
        "Also find prompts, summaries and titles of similar meaning: off, by a model on this machine, or by a "
        "connection, to which the texts are sent.",
        choices=("off", "local", "connection"),
        called="Search by meaning",
    ),
    Setting(
        "search.embedding_connection", "Connection whose server computes embeddings.", most=64, names="connection"
    ),
    Setting(
        "search.embedding_model",
        "Model that computes embeddings; empty for the model of the connection for embeddings.",
        most=200,
    ),
)
SETTINGS = {setting.key: setting for setting in SCHEMA}


class RenamedSetting(NamedTuple):
    """A setting that was on or off under an old key, with the meanings of its values under the new key."""

    old: str
    new: str
    on: str
    off: str

    def value(self, old: object) -> str | None:
        """Return the value of the new setting; None when the old one is invalid."""
        return None if not isinstance(old, bool) else self.on if old else self.off


RENAMED = (RenamedSetting("compaction.memory_flush", "compaction.memory_place", on="stemmata", off="off"),)


def setting_of(section: str, name: str) -> Setting | None:
    """Return the setting of this name; in the section of shortcuts, every name is valid.

    None for an unknown setting.
    """
    if section == SHORTCUTS and name:
        return ShortcutSetting(f"{section}.{name}", "Keys of an action.")
    return SETTINGS.get(f"{section}.{name}")
