"""Error messages as servers word them, and what they are taken for."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.streaming import Fault
from stemmata.domain.requests.thinking import REFUSED
from stemmata.providers.shared.error_words import ServerError


@pytest.mark.parametrize(
    "message",
    [
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
        "modified. These blocks must remain as they were in the original response.",
        "The encrypted content for item rs_1 could not be verified.",
    ],
)
def test_a_refusal_of_thinking_is_known_by_its_words(message: str) -> None:
    told = ServerError.of({"error": {"type": "invalid_request_error", "message": message}}, 400)
    assert (told.code, told.fault) == (REFUSED, Fault.REQUEST)
    assert ServerError.of({"error": {"message": message}}, 500).code == ""


@pytest.mark.parametrize(
    "message",
    ["max_tokens must be greater than thinking.budget_tokens", "thinking: this model does not support it"],
)
def test_other_refusals_about_thinking_are_none_of_thinking_that_is_sent_back(message: str) -> None:
    assert ServerError.of({"error": {"message": message}}, 400).code == ""
