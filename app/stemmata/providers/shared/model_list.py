"""Reads the lists of models that servers offer. Anthropic reports most facts, OpenAI only ids, others some."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.text.untrusted import number_within, parse_json, printable
from stemmata.providers.shared.reply import mapping, word

if TYPE_CHECKING:
    import httpx2


MOST = 1_000_000  # bytes per answer


async def answered(client: httpx2.AsyncClient, url: str, *, body: Mapping[str, Any] | None = None) -> Any:
    """Return the JSON of an answer; None for an error, invalid JSON, or an answer larger than `MOST`."""
    import httpx2

    try:
        async with client.stream("GET" if body is None else "POST", url, json=body) as answer:
            found = b""
            async for piece in answer.aiter_bytes():
                found += piece
                if len(found) > MOST:
                    return None
        return parse_json(found) if answer.status_code == 200 else None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, RecursionError):
        return None


MOST_TOKENS = 10**9
MOST_PRICE = 10**12  # a million dollars per million tokens
_LEVELS = ("low", "medium", "high", "xhigh", "max")
_KINDS = ("adaptive", "enabled", "disabled")
# Anthropic, vLLM, OpenRouter, LM Studio
_WINDOWS = ("max_input_tokens", "max_model_len", "context_length", "loaded_context_length")
_BOUNDS = ("max_context_length",)  # LM Studio: the largest window that the model can be loaded with
_PRICES = {
    "input_price": "prompt",
    "output_price": "completion",
    "cache_read_price": "input_cache_read",
    "cache_write_price": "input_cache_write",
}


def offered_models(listed: object) -> tuple[OfferedModel, ...]:
    """Return the models of a list that have a printable id and are not retired."""
    found = listed if isinstance(listed, list) else []
    models = (facts for facts in found if isinstance(facts, dict) and _id(facts))
    return tuple(_offered(facts) for facts in models if facts.get("lifecycle") != "retired")


def _id(facts: Mapping[str, Any]) -> str:
    id = word(facts.get("id"))
    return id if printable(id) == id else ""


def tokens(value: object) -> int | None:
    """Return a server's number of tokens; None when it is not a valid one."""
    found = number_within(value, 1, MOST_TOKENS)
    return found if found == value else None


def _offered(facts: Mapping[str, Any]) -> OfferedModel:
    can = mapping(facts.get("capabilities"))
    effort, thinking = mapping(can.get("effort")), mapping(can.get("thinking"))
    types = mapping(thinking.get("types"))
    window = _first(facts, _WINDOWS)
    bound = _first(facts, _BOUNDS) or tokens(mapping(facts.get("meta")).get("n_ctx_train"))  # llama.cpp
    return OfferedModel(
        id=facts["id"],
        name=printable(word(facts.get("display_name")) or word(facts.get("name"))),
        window=window or bound,
        is_bound=window is None and bound is not None,
        most_output=tokens(facts.get("max_tokens"))
        or tokens(mapping(facts.get("top_provider")).get("max_completion_tokens")),
        takes_images=_supported(can.get("image_input")),
        takes_pdfs=_supported(can.get("pdf_input")),
        thinks=_supported(thinking),
        summarises=_supported(mapping(can.get("compaction")).get("summarize")),
        levels=tuple(level for level in _LEVELS if _supported(effort.get(level))),
        thinking=tuple(kind for kind in _KINDS if _supported(types.get(kind))),
        **_prices(mapping(facts.get("pricing"))),
    )


def _first(facts: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    return next((found for name in names if (found := tokens(facts.get(name)))), None)


def _supported(capability: object) -> bool | None:
    value = mapping(capability).get("supported")
    return value if isinstance(value, bool) else None


def _prices(pricing: Mapping[str, Any]) -> dict[str, int | None]:
    """Convert OpenRouter's prices, which others copy: dollars per token as text, -1 when they vary."""
    return {ours: _price(pricing.get(theirs)) for ours, theirs in _PRICES.items()}


def _price(told: object) -> int | None:
    try:
        price = Decimal(told) * 10**12 if isinstance(told, str) and len(told) < 40 else Decimal(-1)
    except InvalidOperation:
        return None
    return int(price.to_integral_value()) if price.is_finite() and 0 <= price <= MOST_PRICE else None
