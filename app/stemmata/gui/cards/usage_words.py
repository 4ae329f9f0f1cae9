"""The tokens, cost and times of a reply in words, for the card's head and its tooltip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stemmata.domain.entries.blocks import Thinking
from stemmata.domain.entries.entry import Usage
from stemmata.gui.cards.line_piece import Word
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.widgets.figures import number, percent, tokens_text

DOLLARS = 1e-6  # dollars per stored unit of cost
SECOND_MS = 1000


def usage_words(usage: Usage | None, details: Mapping[str, Any]) -> list[Word]:
    """Return a reply's usage in words, such as `412 in · 1.3k out · 98% cached`. Cached input is not part of `in`.

    `details` are those of the reply: ttft_ms, duration_ms, thinking_tokens, cache_miss.
    """
    if usage is None or not usage.context:
        return []
    fresh = usage.input + usage.cache_write
    words = [tr("{count} in").format(count=tokens_text(fresh))] if usage.sent else []  # some tools do not tell it
    if usage.output:  # the output of a stopped reply is unknown
        words.append(tr("{count} out").format(count=tokens_text(usage.output)))
    if usage.cache_read:
        share = round(100 * usage.cache_read / usage.sent)
        words.append(tr("{percent} cached").format(percent=percent(min(share, 99) if fresh else share)))
    if not words:
        return []
    return [Word(" · ".join(words), "faint", tip="\n".join([*_tokens(usage), *_times(usage, details)]))]


def _tokens(usage: Usage) -> list[str]:
    lines = [
        tr("Reported by the provider"),
        tr("Input {count}").format(count=number(usage.input) if usage.sent else "—"),
        tr("Cache read {count}").format(count=number(usage.cache_read)),
        tr("Cache written {count}").format(count=number(usage.cache_write)),
    ]
    if usage.cache_write_1h:
        lines.append(tr("of which kept for an hour {count}").format(count=number(usage.cache_write_1h)))
    lines.append(tr("Output {count}").format(count=number(usage.output) if usage.output else "—"))
    if usage.cost is not None:
        lines.append(tr("Cost ${cost}").format(cost=f"{usage.cost * DOLLARS:.4f}"))
    return lines


def _times(usage: Usage, details: Mapping[str, Any]) -> list[str]:
    """Return the measured times of a reply, one per line; imported replies have none."""
    lines = []
    first, whole = _figure(details, "ttft_ms"), _figure(details, "duration_ms")
    thought = _figure(details, "thinking_tokens")
    if thought:
        lines.append(tr("of which thinking {count}").format(count=number(int(thought))))
    if first:
        lines.append(tr("First token after {seconds} s").format(seconds=f"{first / SECOND_MS:.1f}"))
    if whole and whole > (first or 0):
        rate = round(usage.output * SECOND_MS / (whole - (first or 0)))
        lines.append(tr("%Ln tokens a second", None, rate))
    miss = cache_miss_text(str(details.get("cache_miss") or ""))
    return [*lines, tr("Cache missed: {reason}").format(reason=miss)] if miss else lines


def cache_miss_text(reason: str) -> str:
    """Return in words which part of a request broke the prompt cache; "" when none did.

    `reason` is system, tools, messages or model; any other word is returned unchanged.
    """
    names = {
        "system": tr("the system prompt changed"),
        "tools": tr("the tools changed"),
        "messages": tr("earlier messages changed"),
        "model": tr("the model changed"),
    }
    return names.get(reason, reason)


def _figure(details: Mapping[str, Any], name: str) -> float | None:
    value = details.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def thinking_time(entry: LoadedEntry, at: int) -> int | None:
    """Return how long the thinking block at a position of an entry took, in seconds; None when that is unknown."""
    told = entry.details.get("thinking_ms")
    blocks = entry.body.blocks
    thoughts = [position for position, block in enumerate(blocks) if isinstance(block, Thinking)]
    if not isinstance(told, list) or len(told) != len(thoughts) or at not in thoughts:
        return None
    took = told[thoughts.index(at)]
    is_time = isinstance(took, int) and not isinstance(took, bool) and took >= 0
    return max(round(took / SECOND_MS), 1) if is_time else None
