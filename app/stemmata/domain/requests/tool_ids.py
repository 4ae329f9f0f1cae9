"""Tool-call ids as each provider takes them, and a mapping that keeps different ids different."""

from __future__ import annotations

import hashlib
import re
from enum import Enum


class IdRule(Enum):
    """Characters kept, longest id. Strict and nine are OpenClaw's rules for Gemini and for Mistral."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    STRICT = "strict"
    NINE = "nine"


_UNWANTED = {
    IdRule.ANTHROPIC: re.compile(r"[^A-Za-z0-9_-]"),
    IdRule.OPENAI: re.compile(r"[^A-Za-z0-9_-]"),
    IdRule.STRICT: re.compile(r"[^A-Za-z0-9]"),
    IdRule.NINE: re.compile(r"[^A-Za-z0-9]"),
}
_LONGEST = {IdRule.ANTHROPIC: 64, IdRule.OPENAI: 40, IdRule.STRICT: 40, IdRule.NINE: 9}
_MISTRAL = re.compile(r"mistral|mixtral|codestral|pixtral|devstral|ministral", re.IGNORECASE)


def rule_for(api: str, model: str) -> IdRule:
    """The rule for a model behind an API: some models behind OpenAI's form are stricter than OpenAI."""
    if api == "anthropic":
        return IdRule.ANTHROPIC
    if _MISTRAL.search(model):
        return IdRule.NINE
    return IdRule.STRICT if "gemini" in model.lower() else IdRule.OPENAI


class ToolIds:
    """A mapping for one request: the same id always gives the same, different ids different ones."""

    def __init__(self, rule: IdRule) -> None:
        self._rule = rule
        self._ids: dict[str, str] = {}
        self._used: set[str] = set()

    def of(self, id: str) -> str:
        if id not in self._ids:
            found = self._nine(id) if self._rule is IdRule.NINE else self._plain(id)
            self._ids[id] = found
            self._used.add(found)
        return self._ids[id]

    def _plain(self, id: str) -> str:
        longest = _LONGEST[self._rule]
        base = self._bare(id)[:longest] or ("sanitizedtoolid" if id else "defaulttoolid")
        if base not in self._used:
            return base
        base = base[: longest - 8] + _sha1(id)[:8]
        found, number = base, 2
        while found in self._used:
            found = f"{base[: longest - 4]}x{number}"
            number += 1
        return found

    def _nine(self, id: str) -> str:
        bare = self._bare(id)
        found = bare[:9] if len(bare) >= 9 else _sha1(bare or "sanitized")[:9]
        found = found if id else "defaultid"
        number = 0
        while found in self._used:
            found = _sha1(f"{id}:{number}")[:9]
            number += 1
        return found

    def _bare(self, id: str) -> str:
        return _UNWANTED[self._rule].sub("", id)


def _sha1(text: str) -> str:
    """A digest to tell ids apart; nothing is secured by it."""
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
