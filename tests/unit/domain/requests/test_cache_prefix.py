"""The part that broke the prompt cache is found by comparing two requests."""

from __future__ import annotations

from typing import Any

import pytest

from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.requests.apis import API_NAMES, payload_of
from stemmata.domain.requests.cache_prefix import CachePrefix, compare_prefix
from stemmata.domain.requests.request import RequestOptions, ToolDefinition
from stemmata.domain.text.phrases import Phrase

SAID = (("user", "One"), ("assistant", "Two"), ("user", "Three"), ("assistant", "Four"), ("user", "Five"))
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def request(api: str, count: int, said: tuple[tuple[str, str], ...] = SAID, **wishes: Any) -> dict[str, Any]:
    messages = [
        (Entry(id=str(at), role=ROLES[role], blocks=(Text(text),)), Form.WHOLE)
        for at, (role, text) in enumerate(said[:count])
    ]
    options = RequestOptions(**{"model": "gpt-5.5", "system": "Be brief.", "cache": "5m", **wishes})
    return payload_of(api, messages, options, lambda _: None)


def broken(before: dict[str, Any], after: dict[str, Any]) -> str:
    return compare_prefix(after, compare_prefix(before, None)[0])[1]


@pytest.mark.parametrize("api", API_NAMES)
def test_a_request_that_continues_the_last_one_breaks_no_cache(api: str) -> None:
    prefix, _ = compare_prefix(request(api, 3), None)
    assert compare_prefix(request(api, 3), prefix)[1] == ""
    assert compare_prefix(request(api, 5), prefix)[1] == "", "marks for the cache move on and are not compared"
    assert CachePrefix.parse(str(prefix)) == prefix


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize(
    ("wishes", "part"),
    [
        ({"model": "gpt-5.6"}, "model"),
        ({"tools": (ToolDefinition("read"),)}, "tools"),
        ({"system": "Be long."}, "system"),
        ({"said": (("user", "Another"), *SAID[1:])}, "messages"),
        ({"model": "gpt-5.6", "system": "Be long."}, "model"),
        ({"tools": (ToolDefinition("read"),), "system": "Be long."}, "tools"),
    ],
)
def test_the_first_differing_part_is_named(api: str, wishes: dict[str, Any], part: str) -> None:
    assert broken(request(api, 3), request(api, 5, **wishes)) == part


@pytest.mark.parametrize("api", API_NAMES)
def test_a_shorter_request_breaks_the_messages(api: str) -> None:
    assert broken(request(api, 5), request(api, 3)) == "messages"


def test_a_change_of_thinking_breaks_the_messages() -> None:
    before, after = (request("openai-chat", count, thinking=level) for count, level in ((3, "low"), (5, "high")))
    assert broken(before, after) == "messages"


def test_subclasses_of_str_are_compared_too() -> None:
    def payload(text: str) -> dict[str, Any]:
        return {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": Phrase(text)}]}]}

    assert broken(payload("One"), payload("One")) == ""
    assert broken(payload("One"), payload("Two")) == "messages"


@pytest.mark.parametrize("text", ["", "a:b", "a:b:c:d:e", "a:b:c:d:-1", "a:b:c:d:" + "9" * 30, "a:b:c:d:e:1"])
def test_other_texts_are_no_prefix(text: str) -> None:
    assert CachePrefix.parse(text) is None
