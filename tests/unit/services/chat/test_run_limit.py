"""A reply that ends at the longest a reply may be: said, kept, and gone on with, whatever the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.domain.chat.streaming import StopReason
from stemmata.domain.entries.blocks import Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Flag
from stemmata.domain.requests.apis import APIS
from stemmata.domain.text.phrases import Phrase
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import QUICK, ChatApp, chat_app
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Reply, Say
from tests.fakes.scripted_provider import ScriptedBench, said
from tests.fakes.waiting import PATIENCE

LIMIT = 20  # tokens; the servers take four characters for one
LONG = "one two three four five six seven eight nine ten " * 100
WAYS = [
    ("anthropic", "claude-haiku-3-5"),  # takes the beginning of a reply
    ("anthropic", "claude-sonnet-5-5"),  # does not
    ("openai-chat", "gpt-5.5"),
    ("openai-responses", "gpt-5.5"),
]


def _url(server: AnthropicServer | OpenAIServer) -> str:
    return server.url if isinstance(server, AnthropicServer) else f"{server.url}/v1"


@contextmanager
def chatting(folder: Path, api: str, model: str) -> Iterator[tuple[ChatApp, AnthropicServer | OpenAIServer]]:
    made = AnthropicServer if api == "anthropic" else OpenAIServer
    limited = QUICK._replace(max_tokens=LIMIT)
    with made() as server, chat_app(folder, _url(server), chat=limited, model=model, api=api) as chat:
        yield chat, server


@pytest.mark.parametrize(("api", "model"), WAYS)
def test_every_api_says_so_and_goes_on(api: str, model: str, tmp_path: Path) -> None:
    with chatting(tmp_path, api, model) as (chat, server):
        server.script(Reply(blocks=(Say(LONG),), piece=16))
        session = chat.session()
        chat.say(session, "Count")
        state = chat.runs.state(session)
        assert (state.phase, state.offers) == (Phase.IDLE, ("continue", "limit")), state
        asked = server.requests[-1].body
        limit = next(limit for api in APIS if (limit := api.reply_limit(asked)) is not None)
        assert limit >= LIMIT  # at least so much, for small windows
        assert state.problem == f"The reply reached the limit of {limit:,} tokens."
        assert isinstance(state.problem, Phrase)
        row, body = chat.path(session)[-1]
        assert row.flags & Flag.CUT
        assert json.loads(body.details)["limit"] == limit
        begun = chat.told(session)[-1].rstrip()
        server.script(Reply(blocks=(Say(" and so on"),)))
        chat.runs.go_on(session).result(PATIENCE)
        chat.wait(lambda: not chat.runs.state(session).is_busy)
        assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
        assert chat.told(session) == ["user: Count", f"{begun} and so on"]
        assert not chat.path(session)[-1][0].flags & Flag.CUT
        assert chat.runs.state(session).problem == ""


def test_any_cut_reply_is_gone_on_with_and_asked_for_again(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "a", said(Text("One, two,"), reason=StopReason.MAX_TOKENS))
    cut = chat.path(session)[-1][0].key
    chat.talk(session, "b", said(Text("B")))
    chat.provider.scripts.append(said(Text(" three.")))
    chat.runs.go_on(session, cut).result(PATIENCE)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    assert chat.told(session) == ["user: a", "assistant: One, two, three."]
    chat.archive.write(lambda writer: writer.move_leaf(session, cut, "continue", time=1)).result()
    chat.provider.scripts.append(said(Text("Again.")))
    chat.runs.retry(session).result(PATIENCE)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    assert chat.told(session) == ["user: a", "assistant: Again."]


def test_nothing_but_thoughts_is_begun_anew(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "a", said(Thinking("Hm."), reason=StopReason.MAX_TOKENS))
    assert chat.runs.state(session).offers == ("continue", "limit")
    chat.provider.scripts.append(said(Text("Here.")))
    chat.runs.go_on(session).result(PATIENCE)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    assert chat.told(session) == ["user: a", "assistant: Here."]


def test_a_call_that_is_cut_is_answered_and_nothing_is_offered(chat: ScriptedBench) -> None:
    session = chat.session()
    cut = said(ToolCall("1", "look", '{"at": '), reason=StopReason.MAX_TOKENS)
    chat.provider.scripts.append(cut)
    chat.talk(session, "a", said(Text("Done.")))
    assert chat.runs.state(session).problem == ""
    assert not any(row.flags & Flag.CUT for row, _ in chat.path(session))
    assert chat.told(session)[-1] == "assistant: Done."


def test_what_waits_is_sent_all_the_same(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.archive.write(lambda writer: writer.enqueue(session, (Text("b"),), time=1)).result()
    chat.provider.scripts.append(said(Text("One,"), reason=StopReason.MAX_TOKENS))
    chat.talk(session, "a", said(Text("B")))
    assert chat.told(session) == ["user: a", "assistant: One,", "user: b", "assistant: B"]
    assert chat.runs.state(session).problem == ""
