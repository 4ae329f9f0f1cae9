"""Chat Completions and Responses through OpenAI's SDK against a server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import (
    BlockDone,
    BlockGrew,
    Fault,
    ProviderError,
    ReplyEnded,
    ReplyStarted,
    StopReason,
    StreamEvent,
)
from stemmata.domain.entries.blocks import Text, Thinking, ToolCall
from stemmata.domain.requests.apis import api_of
from stemmata.providers.openai.chat import ChatProvider
from stemmata.providers.openai.responses import ResponsesProvider
from stemmata.providers.registry import ProviderRegistry
from tests.fakes.openai_server import OpenAIServer, encrypted
from tests.fakes.script import Break, Call, How, Refuse, Reply, Say, Think
from tests.fakes.waiting import PATIENCE
from tests.unit.providers.asking import BREAKS, NO_STALL, Run, gathered, looked_away, stall_of

KEY = "sk-proj-secret-0123456789"
APIS = ("openai-chat", "openai-responses", "openai-codex-responses")
Provider: TypeAlias = ChatProvider | ResponsesProvider


def body(api: str, text: str = "Hi", **more: Any) -> dict[str, Any]:
    if api == "openai-chat":
        messages = [{"role": "user", "content": text}]
        return {"model": "gpt-5.5", "messages": messages, "max_completion_tokens": 4000} | more
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
    limit = {"max_output_tokens": 4000} if api == "openai-responses" else {}
    return {"model": "gpt-5.5", "input": items, "store": False} | limit | more


@pytest.fixture(params=APIS)
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(api: str, url: str, key: str = KEY, stall: float = NO_STALL) -> Provider:
    connection = Connection(name="fake", api=api, base_url=url + api_of(api).version)
    made = ProviderRegistry(stall).open(connection, key)
    assert isinstance(made, ChatProvider | ResponsesProvider)
    return made


@pytest.fixture
def provider(api: str, openai_server: OpenAIServer, run: Run, request: pytest.FixtureRequest) -> Iterator[Provider]:
    made = opened(api, openai_server.url, stall=stall_of(request))
    yield made
    run(made.close())


def events_of(
    run: Run, provider: Provider, payload: dict[str, Any]
) -> tuple[list[StreamEvent], ProviderError | None]:
    found: tuple[list[StreamEvent], ProviderError | None] = run(gathered(provider.stream(payload)))
    return found


def test_a_reply_comes_block_by_block(api: str, openai_server: OpenAIServer, provider: Provider, run: Run) -> None:
    said = (Think("let me see"), Say("Here it is."), Call("read", {"path": "a.txt"}), Call("read", {"path": "b.txt"}))
    openai_server.script(Reply(blocks=said, piece=6))
    payload = body(api) | ({"include": ["reasoning.encrypted_content"]} if api == "openai-responses" else {})
    events, problem = events_of(run, provider, payload)
    assert problem is None
    assert isinstance(events[0], ReplyStarted)
    assert events[0].model == "gpt-5.5"
    assert (
        "".join(event.text for event in events if isinstance(event, BlockGrew) and event.index == 1) == "Here it is."
    )
    thinking, *rest = [event.block for event in events if isinstance(event, BlockDone)]
    assert isinstance(thinking, Thinking)
    assert thinking.text == "let me see"
    assert rest[0] == Text("Here it is.")
    assert [(call.name, call.arguments) for call in rest[1:] if isinstance(call, ToolCall)] == [
        ("read", '{"path":"a.txt"}'),
        ("read", '{"path":"b.txt"}'),
    ]
    assert len({call.id for call in rest[1:] if isinstance(call, ToolCall)}) == 2
    end = events[-1]
    assert isinstance(end, ReplyEnded)
    assert (end.reason, end.thinking) == (StopReason.TOOL_USE, 3)
    if api == "openai-responses":
        assert json.loads(thinking.signature)["encrypted_content"] == encrypted("rs_fake1_0")


def test_cached_tokens_are_no_input(api: str, openai_server: OpenAIServer, provider: Provider, run: Run) -> None:
    long = body(api, "word " * 2000)
    first = events_of(run, provider, long)[0][-1]
    again = events_of(run, provider, long)[0][-1]
    assert isinstance(first, ReplyEnded)
    assert isinstance(again, ReplyEnded)
    assert first.usage is not None
    assert again.usage is not None
    assert first.usage.cache_read == 0
    assert again.usage.cache_read >= 1024
    assert again.usage.sent == first.usage.sent == first.usage.input
    assert again.usage.context == again.usage.sent + again.usage.output


def test_reasons_are_ours(api: str, openai_server: OpenAIServer, provider: Provider, run: Run) -> None:
    limits = {"openai-chat": "max_completion_tokens", "openai-responses": "max_output_tokens"}
    cut = "" if api in limits else "max_output_tokens"  # without a limit in the request the server still has its own
    openai_server.script(
        Reply(blocks=(Say("word " * 100),), stop=cut),
        Reply(stop="content_filter"),
        Reply(stop="something new"),
    )
    short: dict[str, Any] = {} if cut else {limits[api]: 16}
    endings = [events_of(run, provider, body(api, **more))[0][-1] for more in (short, {}, {}, {})]
    assert [end.reason for end in endings if isinstance(end, ReplyEnded)] == [
        StopReason.MAX_TOKENS,
        StopReason.REFUSAL,
        StopReason.OTHER,
        StopReason.END_TURN,
    ]


@pytest.mark.parametrize("how", list(BREAKS))
def test_what_had_come_is_told_before_the_error(
    how: How, api: str, openai_server: OpenAIServer, provider: Provider, run: Run
) -> None:
    openai_server.script(Reply(blocks=(Say("one two three four"),), piece=4, breaks=Break(how, after=2)))
    events, problem = events_of(run, provider, body(api))
    assert problem is not None
    assert (problem.fault, problem.begun) == (BREAKS[how], True)
    assert events[-1] == BlockDone(0, Text("one two "), partial=True)


@pytest.mark.parametrize(
    ("error", "fault"),
    [("server_error", Fault.SERVER), ("rate_limit_exceeded", Fault.RATE_LIMIT), ("response.failed", Fault.SERVER)],
)
def test_errors_inside_the_stream_are_named(
    error: str, fault: Fault, api: str, openai_server: OpenAIServer, provider: Provider, run: Run
) -> None:
    openai_server.script(
        Reply(breaks=Break("error", 0, error)),
        Reply(piece=5, blocks=(Say("said it"),), breaks=Break("error", 1, error)),
    )
    _, early = events_of(run, provider, body(api))
    events, late = events_of(run, provider, body(api))
    assert early is not None
    assert late is not None
    assert (early.fault, early.is_retried) == (fault, True)
    assert (late.fault, late.is_retried) == (fault, False)
    assert events[-1] == BlockDone(0, Text("said "), partial=True)


REFUSED = {
    "invalid": (Refuse(400, "Unsupported value: 'temperature'"), Fault.REQUEST),
    "overflow": (Refuse(400, "Too long", "context_length_exceeded"), Fault.OVERFLOW),
    "llama.cpp": (
        Refuse(
            400,
            body=b'{"error":{"code":400,"message":"the request exceeds the available context size",'
            b'"type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}',
        ),
        Fault.OVERFLOW,
    ),
    "no key": (Refuse(401, "Incorrect API key provided"), Fault.KEY),
    "no model": (Refuse(404, "The model `x` does not exist"), Fault.MODEL),
    "too fast": (Refuse(429, "Rate limit reached for requests"), Fault.RATE_LIMIT),
    "no money": (Refuse(429, "You exceeded your current quota", "insufficient_quota"), Fault.MONEY),
    "server": (Refuse(500, "The server had an error"), Fault.SERVER),
    "overloaded": (Refuse(503, "Slow down"), Fault.OVERLOADED),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_refusal_says_what_is_wrong(
    name: str, api: str, openai_server: OpenAIServer, provider: Provider, run: Run
) -> None:
    refuse, fault = REFUSED[name]
    openai_server.script(refuse)
    events, problem = events_of(run, provider, body(api))
    assert events == []
    assert problem is not None
    assert (problem.fault, problem.status) == (fault, refuse.status)
    assert len(openai_server.requests) == 1
    if name == "llama.cpp":
        assert (problem.tokens, problem.limit) == (9000, 4096)


def test_an_overflow_follows_from_the_window(
    api: str, openai_server: OpenAIServer, provider: Provider, run: Run
) -> None:
    openai_server.window = 20
    _, problem = events_of(run, provider, body(api, "x" * 400))
    assert problem is not None
    assert problem.fault is Fault.OVERFLOW
    if api == "openai-chat":
        assert problem.limit == 20
        assert problem.tokens is not None
        assert problem.tokens > 100


def test_counting(api: str, openai_server: OpenAIServer, provider: Provider, run: Run) -> None:
    counted = run(provider.count(body(api, "x" * 400)))
    assert counted > 100 if api == "openai-responses" else counted is None


def test_the_body_is_sent_as_it_is(api: str, openai_server: OpenAIServer, provider: Provider, run: Run) -> None:
    sent = body(api, "é \u2028 🌳")
    events_of(run, provider, sent)
    options = {"stream_options": {"include_usage": True}} if api == "openai-chat" else {}
    assert openai_server.requests[-1].body == sent | {"stream": True} | options


def test_stopping_hangs_up(api: str, openai_server: OpenAIServer, provider: Provider, run: Run) -> None:
    openai_server.script(Reply(blocks=(Say("word " * 1000),), delay=0.01))
    run(looked_away(provider.stream(body(api))))
    assert openai_server.gone.wait(PATIENCE)


def test_the_key_is_needed_and_never_told(api: str, run: Run) -> None:
    with OpenAIServer(key=KEY) as server:
        right, wrong = opened(api, server.url), opened(api, server.url, "sk-wrong-but-secret")
        assert [model.id for model in run(right.models())] == ["gpt-5.5", "gpt-4o", "qwen3:8b"]
        server.script()
        _, problem = events_of(run, wrong, body(api))
        for made in (right, wrong):
            run(made.close())
    assert problem is not None
    assert problem.fault is Fault.KEY
    assert "sk-wrong-but-secret" not in str(problem)


def test_a_reply_without_counts_is_whole(api: str, openai_server: OpenAIServer, provider: Provider, run: Run) -> None:
    openai_server.script(Reply(usage=False))
    events, problem = events_of(run, provider, body(api))
    assert problem is None
    assert isinstance(events[-1], ReplyEnded)
    assert events[-1].usage is None


def test_one_connection_serves_many_requests(
    api: str, openai_server: OpenAIServer, provider: Provider, run: Run
) -> None:
    for _ in range(3):
        assert events_of(run, provider, body(api))[1] is None
    assert openai_server.connections == 1
