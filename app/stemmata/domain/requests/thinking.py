"""The parameters of each API that control thinking, and attached files as they are sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.requests.model_abilities import LEAST_BUDGET, thinking_budget, thinking_level
from stemmata.domain.requests.request import PDF, Encoding, RequestOptions, clean_text, file_name


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file to be sent. `data` is base64; `name` is sent only for PDFs."""

    media_type: str
    data: str
    name: str

    @property
    def is_pdf(self) -> bool:
        """Whether the file is a PDF."""
        return self.media_type == PDF

    @property
    def url(self) -> str:
        """The file as a data URL."""
        return f"data:{self.media_type};base64,{self.data}"


def content_part(block: Text | Image, encoding: Encoding) -> str | AttachedFile:
    """Return the text of a text block, the attached file, or a note that replaces a file that cannot be sent."""
    if isinstance(block, Text):
        return clean_text(block.text)
    image = encoding.image(block)
    return clean_text(image) if isinstance(image, str) else AttachedFile(*image, file_name(block))


REFUSED = "thinking_refused"  # our error code: a server refuses thinking that is sent back

MOST_OUTPUT = 32_000  # tokens; used when the model's maximum is unknown, since Claude Opus 4 accepts no more


def anthropic_thinking(options: RequestOptions, *, in_loop: bool) -> dict[str, Any]:
    """Return `max_tokens` and the parameters for thinking. `max_tokens` is raised by the tokens for thinking.

    `in_loop`: the request ends with results of calls made without thinking; the API refuses a thinking budget then.
    """
    traits, level = options.traits, thinking_level(options.thinking)
    plain = {"max_tokens": min(options.max_tokens, traits.most_output or options.max_tokens)}
    if level == "off" and traits.can_stop_thinking:
        return plain | {"thinking": {"type": "disabled"}}
    kind = traits.thinking_kind
    if level in ("", "off") or not kind or (in_loop and kind == "enabled"):
        return plain
    wanted = thinking_budget(options.thinking)
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
    """Return the parameters for thinking in Chat Completions."""
    effort = _effort(options)
    return {"reasoning_effort": effort} if effort else {}


def responses_thinking(options: RequestOptions) -> dict[str, Any]:
    """Return the parameters for thinking in Responses.

    Since the server stores nothing, it returns the thinking encrypted, and the next request contains it.
    """
    effort = _effort(options)
    parts: dict[str, Any] = {"reasoning": {"effort": effort, "summary": "auto"}} if effort else {}
    if effort or options.traits.reasons:
        parts["include"] = ["reasoning.encrypted_content"]
    return parts


def _effort(options: RequestOptions) -> str:
    """Return the effort to request, "" to let the model decide. "none" is used only when the server lists it."""
    level = thinking_level(options.thinking)
    facts = options.facts
    if level == "off":
        return "none" if facts is not None and "none" in facts.levels else ""
    if not level or not options.traits.takes_effort:
        return ""
    return options.traits.effort(level)
