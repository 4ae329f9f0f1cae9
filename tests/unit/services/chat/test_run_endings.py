"""Replies that come to no good end, from servers of all three APIs: what is kept, and what is said of it."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.blocks import Text
from stemmata.domain.requests.apis import API_NAMES, api_of
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.chat.reply import KeptReply
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, ChatApp, chat_app
from tests.fakes.model_server import ModelServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Break, Call, How, Reply, Say, Step
from tests.fakes.twists import figures
from tests.fakes.waiting import PATIENCE

APIS = API_NAMES
STOPS = {"anthropic": "refusal", "openai-chat": "content_filter", "openai-responses": "content_filter"} | {
    "openai-codex-responses": "content_filter"
}
ODD: tuple[object, ...] = (
    10**30,
    2**64,
    -1,
    -(10**30),
    1.5,
    1e300,
    math.nan,
    math.inf,
    "12",
    True,
    None,
    [],
    {"deep": 10**30},
)


@pytest.fixture(params=APIS)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[ChatApp, ModelServer, str]]:
    api: str = request.param
    server: ModelServer = AnthropicServer() if api == "anthropic" else OpenAIServer()
    with server:
        url, model = (server.url, MODEL) if api == "anthropic" else (server.url + api_of(api).version, "gpt-4o")
        with chat_app(tmp_path, url, api=api, stall=0.2, model=model) as chat:
            yield chat, server, api


def said(chat: ChatApp, server: ModelServer, *script: Step) -> int:
    server.script(*script)
    session = chat.session()
    chat.say(session, "What is the answer?")
    return session


@pytest.mark.parametrize("figure", ODD, ids=repr)
def test_no_number_of_a_server_loses_the_reply(opened: tuple[ChatApp, ModelServer, str], figure: object) -> None:
    chat, server, _ = opened
    session = said(chat, server, Reply(blocks=(Say("Forty-two."),), twist=figures(figure)))
    state = chat.runs.state(session)
    assert (state.phase, state.problem) == (Phase.IDLE, "")
    row, _ = chat.path(session)[1]  # a note may come later: that nothing can be compacted
    assert chat.told(session)[1] == "assistant: Forty-two."
    assert row.usage is None or 0 <= row.usage.context < 2**32


@pytest.mark.parametrize("how", ["fin", "rst", "stall"])
def test_a_reply_that_breaks_before_its_first_word_is_asked_for_again(
    opened: tuple[ChatApp, ModelServer, str], how: How
) -> None:
    chat, server, _ = opened
    session = said(chat, server, Reply(breaks=Break(how, 0)), Reply(blocks=(Say("At last."),)))
    assert chat.runs.state(session).problem == ""
    assert chat.told(session)[1:] == ["assistant: At last."]
    assert len(server.requests) == 2


@pytest.mark.parametrize(("how", "words"), [("eof", "without a reason"), ("garbage", "invalid answer")])
def test_what_is_not_asked_for_again_has_its_reason(
    opened: tuple[ChatApp, ModelServer, str], how: How, words: str
) -> None:
    chat, server, _ = opened
    session = said(chat, server, Reply(breaks=Break(how, 0)))
    state = chat.runs.state(session)
    assert (state.phase, len(server.requests), len(chat.told(session))) == (Phase.FAILED, 1, 1)
    assert words in state.problem


def test_a_refusal_is_said_and_may_be_tried_again(opened: tuple[ChatApp, ModelServer, str]) -> None:
    chat, server, api = opened
    session = said(chat, server, Reply(blocks=(Say("I had rather"),), stop=STOPS[api]))
    state = chat.runs.state(session)
    assert (state.phase, state.offers) == (Phase.FAILED, ("retry", "model"))
    assert "refused to continue" in state.problem
    server.script(Reply(blocks=(Say("Gladly."),)))
    chat.runs.retry(session).result(PATIENCE)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    assert chat.told(session)[1:] == ["assistant: Gladly."]


def test_a_refusal_without_a_word_does_not_say_that_something_was_kept(
    opened: tuple[ChatApp, ModelServer, str],
) -> None:
    chat, server, api = opened
    session = said(chat, server, Reply(blocks=(), stop=STOPS[api]))
    state = chat.runs.state(session)
    assert (state.phase, state.offers) == (Phase.FAILED, ("retry", "model"))
    assert state.problem.endswith(" refused to answer. Rephrase your message.")


def test_a_reply_without_a_word_is_said(opened: tuple[ChatApp, ModelServer, str]) -> None:
    chat, server, _ = opened
    session = said(chat, server, Reply(blocks=()))
    state = chat.runs.state(session)
    assert state.phase is Phase.FAILED
    assert "is empty" in state.problem
    chat.say(session, "Are you there?")
    assert chat.runs.state(session).phase is Phase.IDLE
    assert chat.told(session)[-1].startswith("assistant: You said")


def test_a_reply_that_fills_the_window_says_so(tmp_path: Path) -> None:
    with AnthropicServer(window=500) as server, chat_app(tmp_path, server.url) as chat:
        server.lists = False
        session = said(chat, server, Reply(blocks=(Say("word " * 3000),), piece=200))
        state = chat.runs.state(session)
        assert (state.phase, state.offers) == (Phase.FAILED, ("compact", "retry"))
        assert "filled the context window of claude-haiku-3-5" in state.problem
        assert "The received part is kept." in state.problem
        assert chat.told(session)[-1].startswith("assistant: word word")


def test_a_reply_without_a_word_that_fills_the_window_names_no_received_part(tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        session = said(chat, server, Reply(blocks=(), stop="model_context_window_exceeded"))
        state = chat.runs.state(session)
        assert (state.phase, state.offers) == (Phase.FAILED, ("compact", "retry"))
        assert state.problem.endswith("is empty, because the context window is full. Your message is kept.")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([Reply(blocks=(Say("Hm."),), stop="pause_turn")] * 3, "paused 3 times in a row"),
        ([Reply(blocks=(Call("none"),))] * 3, "called tools 3 times in a row"),
        (
            [Reply(blocks=(Say("Hm."),), stop="pause_turn"), *[Reply(blocks=(Call("none"),))] * 2],
            "called tools 2 times and paused 1 times",
        ),
    ],
    ids=["pauses", "calls", "both"],
)
def test_a_model_that_comes_to_no_end_is_told_for_what_it_does(
    tmp_path: Path, script: list[Step], words: str
) -> None:
    settings = ChatSettings(longest_wait=0, cache_ttl="off", tool_rounds=3)
    model = "claude-sonnet-5-5"  # takes a reply to go on from
    with AnthropicServer() as server, chat_app(tmp_path, server.url, chat=settings, model=model) as chat:
        session = said(chat, server, *script)
        assert words in chat.runs.state(session).problem


def test_a_reply_that_cannot_be_stored_is_not_said_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        session = chat.session()
        monkeypatch.setattr(KeptReply, "figures", lambda _reply: {"told": object()})  # no JSON
        server.script(Reply(blocks=(Say("Forty-two."),)))
        with caplog.at_level(logging.ERROR):
            chat.say(session, "Hello")
        state = chat.runs.state(session)
        assert (state.phase, state.offers) == (Phase.FAILED, ("copy", "retry"))
        assert "prevented storing the reply" in state.problem
        assert chat.runs.unsaved(session) == (Text("Forty-two."),)
