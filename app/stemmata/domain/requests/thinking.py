"""How much a model is asked to think, in the terms of each API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.requests.model_abilities import thinking_level
from stemmata.domain.requests.request import PDF, Encoding, RequestOptions, clean_text, file_name


@dataclass(frozen=True, slots=True)
class Attached:
    """A file that is sent whole. `data` is base64; `name` is for those that have one."""

    media_type: str
    data: str
    name: str

    @property
    def is_pdf(self) -> bool:
        return self.media_type == PDF

    @property
    def url(self) -> str:
        return f"data:{self.media_type};base64,{self.data}"


def shown(block: Text | Image, encoding: Encoding) -> str | Attached:
    """The file, or a text: the block's own, or what stands in for a file that cannot be sent."""
    if isinstance(block, Text):
        return clean_text(block.text)
    image = encoding.image(block)
    return clean_text(image) if isinstance(image, str) else Attached(*image, file_name(block))


LEAST_BUDGET = 1024  # tokens; Anthropic's limit
MOST_OUTPUT = 32_000  # tokens, where the server does not say: Claude Opus 4 takes no more
# Tokens beside the answer's own. librecode's budgets for its three levels, carried on.
_BUDGETS = {"low": 4_096, "medium": 10_240, "high": 20_480, "xhigh": 32_768, "max": 49_152}


def anthropic_thinking(options: RequestOptions, *, in_loop: bool) -> dict[str, Any]:
    """`max_tokens`, and the parts that ask for thinking; thoughts count towards `max_tokens`, so it grows by them.

    `in_loop`: the request answers calls that came without thinking; a budget is refused then.
    """
    traits, level = options.traits, thinking_level(options.thinking)
    plain = {"max_tokens": min(options.max_tokens, traits.most_output or options.max_tokens)}
    if level == "off" and traits.can_stop_thinking:
        return plain | {"thinking": {"type": "disabled"}}
    kind = traits.thinking_kind
    if level in ("", "off") or not kind or (in_loop and kind == "enabled"):
        return plain
    wanted = _BUDGETS[level]
    total = max(options.max_tokens, min(options.max_tokens + wanted, traits.most_output or MOST_OUTPUT))
    total = min(total, traits.most_output or total)
    if kind == "adaptive":
        thinking = {"type": "adaptive", "display": "summarized"}
        return {"max_tokens": total, "thinking": thinking, "output_config": {"effort": traits.effort(level)}}
    budget = min(wanted, total - min(options.max_tokens, total // 2))
    if budget < LEAST_BUDGET:
        return plain
    return {"max_tokens": total, "thinking": {"type": "enabled", "budget_tokens": budget}}


def chat_thinking(options: RequestOptions) -> dict[str, Any]:
    effort = _effort(options)
    return {"reasoning_effort": effort} if effort else {}


def responses_thinking(options: RequestOptions) -> dict[str, Any]:
    """Thoughts come back encrypted where nothing is kept on the server: they are sent along with the next request."""
    effort = _effort(options)
    parts: dict[str, Any] = {"reasoning": {"effort": effort, "summary": "auto"}} if effort else {}
    if effort or options.traits.reasons:
        parts["include"] = ["reasoning.encrypted_content"]
    return parts


def _effort(options: RequestOptions) -> str:
    """Nothing leaves it to the model. Off has a name of its own only where the server lists it."""
    level = thinking_level(options.thinking)
    facts = options.facts
    if level == "off":
        return "none" if facts is not None and "none" in facts.levels else ""
    if not level or not options.traits.takes_effort:
        return ""
    return options.traits.effort(level)
