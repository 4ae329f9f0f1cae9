"""A reply tells what of its request the prompt cache did not hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role, Usage
from stemmata.domain.requests.cache_prefix import compare_prefix
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.chat.requests import KEPT, kept_prefix
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import chat_app

PAYLOAD = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
CACHED = Usage(input=1, cache_write=5)


def reply(details: str, usage: Usage | None = CACHED) -> tuple[Entry, Form]:
    return Entry(id="a", role=Role.ASSISTANT, blocks=(Text("Yes"),), usage=usage, details=details), Form.WHOLE


def told(payload: Mapping[str, object] = PAYLOAD) -> str:
    return json.dumps({KEPT: str(compare_prefix(payload, None)[0])})


def cache_break(messages: list[tuple[Entry, Form]], payload: Mapping[str, object]) -> str:
    return compare_prefix(payload, kept_prefix(messages))[1]


def test_the_last_reply_that_was_cached_is_compared_with() -> None:
    user = Entry(id="u", role=Role.USER, blocks=(Text("Hi"),)), Form.WHOLE
    assert cache_break([user, reply(told()), user], PAYLOAD) == ""
    assert cache_break([reply(told())], PAYLOAD | {"model": "n"}) == "model"
    assert cache_break([reply(told()), reply(told(PAYLOAD | {"system": "s"}))], PAYLOAD) == "system"
    assert cache_break([user], PAYLOAD) == ""


@pytest.mark.parametrize("details", ["", "{}", "[]", "not json", f'{{"{KEPT}": 3}}'])
def test_nothing_is_said_where_nothing_is_known(details: str) -> None:
    assert cache_break([reply(details)], PAYLOAD) == ""


def test_what_was_not_cached_cannot_break() -> None:
    other = PAYLOAD | {"model": "n"}
    assert cache_break([reply(told(), None)], other) == ""
    assert cache_break([reply(told(), Usage(input=5))], other) == ""


def test_a_conversation_says_what_broke_its_cache(tmp_path: Path) -> None:
    with AnthropicServer(least_cached=1) as server:
        chat = ChatSettings(cache_ttl="5m", system_prompt="Be brief.")
        with chat_app(tmp_path, server.url, chat=chat) as app:
            session = app.session()
            for text in ("One", "Two"):
                app.say(session, text)
            app.services.adopt_chat(chat._replace(system_prompt="Be long."))
            app.say(session, "Three")
            replies = [(row, body) for row, body in app.path(session) if row.role is Role.ASSISTANT]
    misses = [json.loads(body.details).get("cache_miss") for _, body in replies]
    assert misses == [None, None, "system"]
    read = [row.usage.cache_read if row.usage else None for row, _ in replies]
    assert read[1]
    assert read[2] == 0
