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


STYLE = f"<style>{'a { color: red } ' * 2_000}</style>"


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (f"<!DOCTYPE html><html><head><title>502 &middot; Bad\ngateway</title>{STYLE}</head>", "502 · Bad gateway"),
        (f"\ufeff<HTML><TITLE lang=en>Down</TITLE><body>{'<p>Try later.' * 2_000}", "Down"),
        (f"<html>{STYLE}<h1>Bad gateway</h1>", ""),
        ("<html><STYLE>a { }</STYLE><title> </title><!-- a > b --><h1>Bad gateway</h1>", "Bad gateway"),
        (f'<html>Bad gateway<img src="data:{"A" * 20_000}">', "Bad gateway"),
        ("<?xml version='1.0'?>\n<Error><Code>SlowDown</Code></Error>", "SlowDown"),
        ("x < y and y > z", "x < y and y > z"),
    ],
)
def test_of_a_page_only_its_title_is_told_else_its_text(page: str, told: str) -> None:
    assert ServerError.of(page, 502).message == told
