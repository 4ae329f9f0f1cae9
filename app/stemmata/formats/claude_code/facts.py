"""Collect the facts of a Claude Code file about its session as a whole: names, folder, version and current leaf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from stemmata.formats.claude_code.records import identifier
from stemmata.formats.shared.values import mapping

_LIMIT = 1000  # items per collection; a hostile file could repeat them without end
_TITLE_LIMIT = 500  # characters
TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "agent-name": "agentName", "summary": "summary"}
_FIRST = ("cwd", "version", "gitBranch", "entrypoint", "slug", "agentId", "sessionId")


@dataclass(slots=True)
class TranscriptFacts:
    """Facts collected line by line. `others` counts the lines that make no entry, by type."""

    first: dict[str, str] = field(default_factory=dict)  # the first value of each field in _FIRST
    sessions: set[str] = field(default_factory=set)
    forked_from: str = ""
    custom_title: str = ""
    ai_title: str = ""
    agent_name: str = ""
    summaries: dict[str, str] = field(default_factory=dict)  # leaf id → title
    leaf: str = ""  # id that the last `last-prompt` line names
    leaf_line: int = 0
    others: Counter[str] = field(default_factory=Counter)
    counted: int = 0  # lines up to this number are already counted in `others`

    def add_line(self, record: dict[str, Any]) -> None:
        """Collect facts from a line of the conversation."""
        for key in _FIRST:
            if key not in self.first and key in record:
                value = record[key]
                if isinstance(value, str) and value:
                    self.first[key] = value
        session = record.get("sessionId")
        if isinstance(session, str) and len(self.sessions) < _LIMIT:
            self.sessions.add(session)
        if "forkedFrom" in record and not self.forked_from:
            self.forked_from = identifier(mapping(record.get("forkedFrom")).get("sessionId"))

    def add_fact(self, record: dict[str, Any], line: int) -> None:
        """Collect facts from a line that makes no entry."""
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
        """Return the title given by the user, else by Claude Code, else the last summary of a leaf in this file.

        Old versions also wrote the summaries of other conversations into a file; those are ignored. `known` maps the
        ids that occur in the file to their nodes.
        """
        summaries = [text for leaf, text in self.summaries.items() if not leaf or leaf in known]
        return self.custom_title or self.ai_title or self.agent_name or (summaries[-1] if summaries else "")

    @property
    def state(self) -> dict[str, Any]:
        """The facts that reading resumed after these lines needs, as JSON values for `of_state`."""
        titles = [self.custom_title, self.ai_title, self.agent_name]
        return {
            "first": self.first, "sessions": sorted(self.sessions), "forked": self.forked_from, "titles": titles,
            "others": dict(self.others),
        }  # fmt: skip

    @classmethod
    def of_state(cls, state: Any, lines: int) -> TranscriptFacts | None:
        """Restore facts from `state`, which covers the first `lines` lines; None when the state is invalid.

        The archive is untrusted input here.
        """
        match state:
            case {
                "first": dict(first),
                "sessions": list(sessions),
                "forked": str(forked),
                "titles": [str(custom), str(ai), str(agent)],
                "others": dict(others),
            } if _all_of_kind([*first, *first.values(), *sessions, *others], str) and _all_of_kind(
                others.values(), int
            ):
                return cls(
                    dict(first), set(sessions), forked, custom, ai, agent, others=Counter(others), counted=lines
                )
        return None  # fmt: skip


def _all_of_kind(values: Iterable[Any], kind: type) -> bool:
    return all(isinstance(value, kind) for value in values)


def _title(value: Any) -> str:
    return " ".join(value.split())[:_TITLE_LIMIT] if isinstance(value, str) else ""
