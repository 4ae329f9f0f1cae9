"""What each provider refuses, as rules over a payload, written apart from the code that builds payloads.

A violation is a sentence; no sentence means the provider has no reason of form to refuse the request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.fakes.anthropic_rules import anthropic_violations
from tests.fakes.openai_rules import chat_violations, codex_violations, responses_violations
from tests.fakes.rule_parts import Json
from tests.fakes.shape_rules import shape_violations


def violations(payload: Json, api: str) -> list[str]:
    """All rules of the API of this name that the payload breaks."""
    rules = {
        "anthropic": anthropic_violations,
        "openai-chat": chat_violations,
        "openai-responses": responses_violations,
        "openai-codex-responses": codex_violations,
    }[api]
    return [*_plain_json(payload), *shape_violations(payload, api), *rules(payload)]


def _plain_json(payload: Json) -> Iterator[str]:
    try:
        json.dumps(payload, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as error:  # UnicodeEncodeError is a ValueError
        yield f"It is not plain JSON in UTF-8: {error}"
