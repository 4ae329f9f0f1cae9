"""What a server of Anthropic's form tells of a model. Compatible servers leave most of it out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stemmata.domain.connections import OfferedModel
from stemmata.providers.reply import mapping, word

_LEVELS = ("low", "medium", "high", "xhigh", "max")
_KINDS = ("adaptive", "enabled", "disabled")


def offered_models(listed: object) -> tuple[OfferedModel, ...]:
    """Those of the list that have at least an id, and that can still be asked."""
    found = listed if isinstance(listed, list) else []
    models = (facts for facts in found if isinstance(facts, dict) and facts.get("id"))
    return tuple(_offered(facts) for facts in models if facts.get("lifecycle") != "retired")


def _offered(facts: Mapping[str, Any]) -> OfferedModel:
    can = mapping(facts.get("capabilities"))
    effort, thinking = mapping(can.get("effort")), mapping(can.get("thinking"))
    types = mapping(thinking.get("types"))
    return OfferedModel(
        id=str(facts["id"]),
        name=word(facts.get("display_name")),
        window=_tokens(facts.get("max_input_tokens")),
        most_output=_tokens(facts.get("max_tokens")),
        takes_images=_supported(can.get("image_input")),
        takes_pdfs=_supported(can.get("pdf_input")),
        thinks=_supported(thinking),
        levels=tuple(level for level in _LEVELS if _supported(effort.get(level))),
        thinking=tuple(kind for kind in _KINDS if _supported(types.get(kind))),
    )


def _supported(capability: object) -> bool | None:
    value = mapping(capability).get("supported")
    return value if isinstance(value, bool) else None


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
