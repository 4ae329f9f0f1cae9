"""The features that a model accepts in a request, from its server's list of models, else from its id.

The ids are those of Anthropic's and OpenAI's models; gateways add a vendor before the id and use dots in it. The
features of other models are known only from the server's list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

THINKING_LEVELS = ("off", "low", "medium", "high", "xhigh", "max")
# Thinking tokens of each level, in addition to those of the answer. The first three are the budgets of Lis.
BUDGETS = {"low": 1_024, "medium": 4_096, "high": 16_384, "xhigh": 32_768, "max": 49_152}
LEAST_BUDGET = 1024  # tokens; Anthropic's minimum
MOST_DIGITS = 7  # digits of an exact number of thinking tokens

_CLAUDE = re.compile(r"claude")
_ADAPTIVE = re.compile(r"claude-(?:[a-z]+-(?:4-[6-9]|[5-9]|\d\d)|mythos)")  # models that choose how long they think
_BUDGETED = re.compile(r"claude-(?:3-7|[a-z]+-4)")  # models that get a budget of thinking tokens
_OLDER = re.compile(r"claude-(?:[23]|instant|[a-z]+-(?:3|4(?:-[0-5])?(?:-\d{8})?$))")
_REASONING = re.compile(r"(?:^|/)(?:o\d|gpt-(?:[5-9]|\d\d)|codex)")
_THOUGHTLESS = re.compile(r"(?:^|/)(?:gpt-[34]|chatgpt)")
_EXTRA_HIGH = re.compile(r"gpt-(?:5-[2-9]|[6-9]|\d\d)|codex-max")
_READS_FILES = re.compile(r"(?:^|/)(?:o\d|gpt-(?:4o|4-1|[5-9]|\d\d))")
_PLAIN = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """The features of a model. `facts` is its entry in the server's list of models, None when unknown."""

    id: str
    facts: OfferedModel | None = None

    @property
    def _name(self) -> str:
        return self.id.lower().replace(".", "-")

    @property
    def thinking_kind(self) -> str:
        """The thinking mode for Anthropic's API: "adaptive", "enabled", or "" when the model does not think."""
        if self.facts is not None and self.facts.thinking:
            return next((kind for kind in ("adaptive", "enabled") if kind in self.facts.thinking), "")
        if self.facts is not None and self.facts.thinks is False:
            return ""
        if _ADAPTIVE.search(self._name):
            return "adaptive"
        return "enabled" if _BUDGETED.search(self._name) or not _CLAUDE.search(self._name) else ""

    @property
    def can_stop_thinking(self) -> bool:
        """Whether a request may disable the thinking of a model that thinks by default."""
        return self.facts is not None and {"adaptive", "disabled"} <= set(self.facts.thinking)

    @property
    def reasons(self) -> bool:
        """Whether a model behind OpenAI's API thinks by default."""
        if self.facts is not None and self.facts.thinks is not None:
            return self.facts.thinks
        return bool(_REASONING.search(self._name))

    @property
    def takes_effort(self) -> bool:
        """Whether a model behind OpenAI's API accepts a thinking effort; an unknown model does."""
        if self.facts is not None and self.facts.thinks is not None:
            return self.facts.thinks
        return not _THOUGHTLESS.search(self._name)

    @property
    def takes_prefill(self) -> bool:
        """Whether Anthropic's API continues a reply whose beginning is in the request; newer models refuse this."""
        return not _CLAUDE.search(self._name) or bool(_OLDER.search(self._name))

    @property
    def takes_pdfs(self) -> bool:
        """Whether the model accepts PDF files."""
        if self.facts is not None and self.facts.takes_pdfs is not None:
            return self.facts.takes_pdfs
        return bool(_CLAUDE.search(self._name) or _READS_FILES.search(self._name))

    @property
    def takes_images(self) -> bool:
        """Whether the model accepts images; True when unknown."""
        return self.facts is None or self.facts.takes_images is not False

    @property
    def most_output(self) -> int | None:
        """Maximum output tokens of the model, None when unknown."""
        return None if self.facts is None else self.facts.most_output

    def effort(self, level: str) -> str:
        """Return the model's highest level that does not exceed `level`, else its lowest level."""
        known = self._levels()
        wanted = THINKING_LEVELS.index(level)
        lower = [name for name in known if THINKING_LEVELS.index(name) <= wanted]
        return lower[-1] if lower else known[0]

    def _levels(self) -> Sequence[str]:
        told = () if self.facts is None else self.facts.levels
        known = [name for name in THINKING_LEVELS[1:] if name in told]
        if known:
            return known
        if _ADAPTIVE.search(self._name):
            return (*_PLAIN, "max")
        return (*_PLAIN, "xhigh") if _EXTRA_HIGH.search(self._name) else _PLAIN


def thinking_level(name: str) -> str:
    """Return one of THINKING_LEVELS for a tool's name of a level, "" for an unknown name.

    "minimal", which pi and OpenAI use, becomes "low". A number of tokens becomes the highest level whose budget does
    not exceed it.
    """
    if _is_number(name):
        fitting = [level for level, budget in BUDGETS.items() if budget <= int(name)]
        return fitting[-1] if fitting else "low"
    return "low" if name == "minimal" else name if name in THINKING_LEVELS else ""


def thinking_budget(name: str) -> int:
    """Return the thinking tokens for an exact number, or for a level that `thinking_level` knows and is not "off"."""
    return int(name) if _is_number(name) else BUDGETS[thinking_level(name)]


def checked_level(name: str) -> str:
    """Return a level that a user typed: one of THINKING_LEVELS, or a number of tokens. Raises KnownError."""
    if name in THINKING_LEVELS:
        return name
    if _is_number(name) and int(name) >= LEAST_BUDGET:
        return str(int(name))
    raise KnownError(
        Phrase(
            "Unknown thinking level “{0}”. Available: {1}, or a number of tokens from {2} on.",
            name,
            ", ".join(THINKING_LEVELS),
            LEAST_BUDGET,
        )
    )


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) <= MOST_DIGITS
