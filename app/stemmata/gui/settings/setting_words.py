"""How settings, which are named for the file, are named for people."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.settings.preferences import Value
from stemmata.gui.widgets.figures import number

LANGUAGES = {"en": "English", "de": "Deutsch"}
NAMES = {
    "font_scale": "Size of text",
    "enabled": "Compact by itself",
    "threshold_percent": "Trigger, in percent",
    "tool_prune_threshold": "Prune tool results above",
    "tool_keep_threshold": "Tool results that pruning keeps",
    "summariser": "Summaries are written by",
    "resume_token_budget": "Resume whole up to",
    "memory_flush": "Notes to memory before a compaction",
    "retry_on_overflow": "Compact and retry on overflow",
    "notify": "Notice after a compaction",
    "max_tokens": "Longest reply",
    "cache_ttl": "Keep cached prompts for",
    "longest_wait": "Longest wait between tries",
    "tool_rounds": "Rounds of tools",
    "stall_seconds": "Patience with a silent server",
    "own_tools": "Recall and memory",
    "5m": "5 minutes",
    "1h": "1 hour",
}


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Settings", text, comment, count)


def english(name: str) -> str:
    """`keep_recent_tokens` → `Keep recent tokens`; a language by its own name, what is unclear by a better one."""
    return LANGUAGES.get(name) or NAMES.get(name, name.replace("_", " ").replace("-", " ").capitalize())


def name_text(name: str) -> str:
    """`english`, translated."""
    return tr(english(name))


def value_text(value: Value | None) -> str:
    match value:
        case None | "":
            return tr("not set")
        case bool():
            return tr("on") if value else tr("off")
        case int():
            return number(value)
    return name_text(value)
