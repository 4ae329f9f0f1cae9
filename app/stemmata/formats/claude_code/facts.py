"""What a Claude Code file says about its session as a whole: names, places, and where the conversation stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from stemmata.formats.claude_code.records import identifier
from stemmata.formats.shared.values import mapping

_LIMIT = 1000  # of things a hostile file could repeat without end
_TITLE_LIMIT = 500  # characters
_FIRST = ("cwd", "version", "gitBranch", "entrypoint", "slug", "agentId", "sessionId")


@dataclass(slots=True)
class Facts:
    """Filled line by line. `others` counts the lines that make no entry, by type."""

    first: dict[str, str] = field(default_factory=dict)  # the first value of each field in _FIRST
    sessions: set[str] = field(default_factory=set)
    forked_from: str = ""
    custom_title: str = ""
    ai_title: str = ""
    agent_name: str = ""
    summaries: dict[str, str] = field(default_factory=dict)  # leaf → title
    leaf: str = ""  # id that the last `last-prompt` names
    leaf_line: int = 0
    others: Counter[str] = field(default_factory=Counter)
    counted: int = 0  # up to this line they were counted before

    def see_line(self, record: dict[str, Any]) -> None:
        """A line of the conversation."""
        for key in _FIRST:
            value = record.get(key)
            if isinstance(value, str) and value:
                self.first.setdefault(key, value)
        session = record.get("sessionId")
        if isinstance(session, str) and len(self.sessions) < _LIMIT:
            self.sessions.add(session)
        if not self.forked_from:
            self.forked_from = identifier(mapping(record.get("forkedFrom")).get("sessionId"))

    def see_fact(self, record: dict[str, Any], line: int) -> None:
        """A line that makes no entry."""
        kind = record["type"]
        if line > self.counted:
            self.others[kind if kind in self.others or len(self.others) < _LIMIT else ""] += 1
        match kind:
            case "custom-title":
                self.custom_title = _title(record.get("customTitle"))
            case "ai-title":
                self.ai_title = _title(record.get("aiTitle")) or self.ai_title
            case "agent-name":
                self.agent_name = _title(record.get("agentName")) or self.agent_name
            case "summary" if len(self.summaries) < _LIMIT:
                self.summaries[identifier(record.get("leafUuid"))] = _title(record.get("summary"))
            case "last-prompt" if identifier(record.get("leafUuid")):
                self.leaf, self.leaf_line = record["leafUuid"], line

    def title(self, known: dict[str, int]) -> str:
        """The name given by the person, else by the tool; a summary counts when its leaf is in this file.

        Old versions wrote the summaries of other conversations into a file, too.
        """
        summaries = [text for leaf, text in self.summaries.items() if not leaf or leaf in known]
        return self.custom_title or self.ai_title or self.agent_name or (summaries[-1] if summaries else "")

    @property
    def state(self) -> dict[str, Any]:
        """As JSON, what the lines so far leave behind for those that come; `of_state` reads it."""
        titles = [self.custom_title, self.ai_title, self.agent_name]
        return {
            "first": self.first, "sessions": sorted(self.sessions), "forked": self.forked_from, "titles": titles,
            "others": dict(self.others),
        }  # fmt: skip

    @classmethod
    def of_state(cls, state: Any, lines: int) -> Facts | None:
        """`lines`: how many they were. None for what `state` never gave; an archive can hold anything."""
        match state:
            case {
                "first": dict(first),
                "sessions": list(sessions),
                "forked": str(forked),
                "titles": [str(custom), str(ai), str(agent)],
                "others": dict(others),
            } if _are([*first, *first.values(), *sessions, *others], str) and _are(others.values(), int):
                return cls(
                    dict(first), set(sessions), forked, custom, ai, agent, others=Counter(others), counted=lines
                )
        return None  # fmt: skip


def _are(values: Iterable[Any], kind: type) -> bool:
    return all(isinstance(value, kind) for value in values)


def _title(value: Any) -> str:
    return " ".join(value.split())[:_TITLE_LIMIT] if isinstance(value, str) else ""
