"""Anthropic's API through its own SDK against a server on loopback: what comes, and every way it breaks."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import (
    BlockDone,
    BlockGrew,
    BlockKind,
    BlockStarted,
    Fault,
    ProviderError,
    ReplyEnded,
    ReplyStarted,
    StopReason,
    StreamEvent,
)
from stemmata.domain.entries.blocks import Text, Thinking, ToolCall
from stemmata.providers.anthropic.provider import AnthropicProvider
from stemmata.system.loop import IoLoop
from tests.fakes.anthropic_server import AnthropicServer, signature_of
from tests.fakes.script import Break, Call, How, Refuse, Reply, Say, Think
from tests.fakes.waiting import PATIENCE
from tests.unit.providers.asking import BREAKS, NO_STALL, Run, gathered, looked_away, stall_of

KEY = "sk-ant-secret-0123456789"


def body(text: str = "Hi", **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    return {"model": "claude-sonnet-5-5", "max_tokens": 4000, "messages": messages} | more


@pytest.fixture
def provider(server: AnthropicServer, run: Run, request: pytest.FixtureRequest) -> Iterator[AnthropicProvider]:
    """A provider that gives up soon only where the test wants it to."""
    connection = Connection(name="fake", base_url=server.url)
    made = AnthropicProvider(connection, KEY, stall_of(request))
    yield made
    run(made.close())


def events_of(run: Run, provider: AnthropicProvider, **more: Any) -> tuple[list[StreamEvent], ProviderError | None]:
    found: tuple[list[StreamEvent], ProviderError | None] = run(gathered(provider.stream(body(**more))))
    return found


def test_a_reply_comes_block_by_block(server: AnthropicServer, provider: AnthropicProvider, run: Run) -> None:
    said = (Think("let me see"), Say("Here it is."), Call("read", {"path": "a.txt"}))
    server.script(Reply(blocks=said, piece=6))
    events, problem = events_of(run, provider)
    assert problem is None
    assert isinstance(events[0], ReplyStarted)
    assert events[0].model == "claude-sonnet-5-5"
    assert [event for event in events if isinstance(event, BlockStarted)] == [
        BlockStarted(0, BlockKind.THINKING),
        BlockStarted(1, BlockKind.TEXT),
        BlockStarted(2, BlockKind.TOOL_CALL, "read"),
    ]
    assert (
        "".join(event.text for event in events if isinstance(event, BlockGrew) and event.index == 1) == "Here it is."
    )
    assert [event.block for event in events if isinstance(event, BlockDone)] == [
        Thinking("let me see", signature_of("let me see")),
        Text("Here it is."),
        ToolCall("toolu_fake000001_2", "read", '{"path":"a.txt"}'),
    ]
    end = events[-1]
    assert isinstance(end, ReplyEnded)
    assert end.reason is StopReason.TOOL_USE
    assert end.thinking == 3
    assert end.usage is not None
    assert end.usage.sent == run(provider.count(body()))


def reason_of(run: Run, provider: AnthropicProvider, **more: Any) -> StopReason:
    end = events_of(run, provider, **more)[0][-1]
    assert isinstance(end, ReplyEnded)
    return end.reason


@pytest.mark.parametrize("stop", ["end_turn", "stop_sequence", "pause_turn", "refusal"])
def test_reasons_are_those_of_the_api(
    stop: str, server: AnthropicServer, provider: AnthropicProvider, run: Run
) -> None:
    server.script(Reply(stop=stop), Reply(stop="something new"))
    assert reason_of(run, provider) is StopReason(stop)
    assert reason_of(run, provider) is StopReason.OTHER


def test_a_reply_as_long_as_allowed_ends_so(server: AnthropicServer, provider: AnthropicProvider, run: Run) -> None:
    server.script(Reply(blocks=(Say("word " * 100),)), Reply(blocks=(Say("word " * 100),)))
    assert reason_of(run, provider, max_tokens=10) is StopReason.MAX_TOKENS
    server.window = 50
    assert reason_of(run, provider) is StopReason.CONTEXT_FULL


# -- what breaks ----------------------------------------------------------------------------------------------

ALL_BREAKS = BREAKS | {"error": Fault.OVERLOADED}


@pytest.mark.parametrize("how", list(ALL_BREAKS))
def test_what_had_come_is_told_before_the_error(
    how: How, server: AnthropicServer, provider: AnthropicProvider, run: Run
) -> None:
    blocks = (Think("hm"), Say("one two three four"))
    server.script(Reply(blocks=blocks, piece=4, breaks=Break(how, after=4)))
    events, problem = events_of(run, provider)
    assert problem is not None
    assert (problem.fault, problem.begun, problem.is_retried) == (ALL_BREAKS[how], True, False)
    assert events[-1] == BlockDone(1, Text("one two "), partial=True)
    began = events[0]
    assert isinstance(began, ReplyStarted)
    assert began.usage is not None
    assert (began.usage.input > 0, began.usage.output) == (True, 0)  # nobody said how much was said
    assert not any(isinstance(event, ReplyEnded) for event in events)


@pytest.mark.parametrize("how", ["fin", "rst", "stall"])
@pytest.mark.parametrize("after", [-1, 0])
def test_before_the_first_piece_it_may_be_tried_again(
    how: How, after: int, server: AnthropicServer, provider: AnthropicProvider, run: Run
) -> None:
    server.script(Reply(breaks=Break(how, after=after)))
    _, problem = events_of(run, provider)
    assert problem is not None
    assert (problem.fault, problem.begun, problem.is_retried) == (BREAKS[how], False, True)


def test_a_call_that_broke_off_keeps_what_had_come(
    server: AnthropicServer, provider: AnthropicProvider, run: Run
) -> None:
    server.script(Reply(blocks=(Call("read", {"path": "a.txt"}, "c1"),), piece=5, breaks=Break("fin", 1)))
    events, problem = events_of(run, provider)
    assert events[-1] == BlockDone(0, ToolCall("c1", "read", '{"pat'), partial=True)
    assert problem is not None
    assert problem.begun


REFUSED = {
    "overflow": (Refuse(400, "prompt is too long: 208310 tokens > 200000 maximum"), Fault.OVERFLOW, False),
    "overflow without numbers": (Refuse(400, "Input is too long: exceeds the context window"), Fault.OVERFLOW, False),
    "invalid": (Refuse(400, "messages: at least one message is required"), Fault.REQUEST, False),
    "no credit": (Refuse(400, "Your credit balance is too low to access the Anthropic API."), Fault.MONEY, False),
    "no key": (Refuse(401, "invalid x-api-key"), Fault.KEY, False),
    "no money": (Refuse(402, "Add funds."), Fault.MONEY, False),
    "not allowed": (Refuse(403, "Your key may not use this."), Fault.KEY, False),
    "no model": (Refuse(404, "model: claude-1"), Fault.MODEL, False),
    "too large": (Refuse(413, "Request exceeds the maximum size"), Fault.TOO_LARGE, False),
    "too large, as a page": (Refuse(413, body=b"<html><h1>413 Too large</h1></html>"), Fault.TOO_LARGE, False),
    "too fast": (
        Refuse(429, "This would exceed your per-minute rate limit"),
        Fault.RATE_LIMIT,
        True,
    ),
    "server": (Refuse(500, "Internal server error"), Fault.SERVER, True),
    "gateway": (Refuse(502, body=b"<html>Bad gateway</html>"), Fault.SERVER, True),
    "busy": (Refuse(503, "Try again"), Fault.OVERLOADED, True),
    "overloaded": (Refuse(529, "Overloaded"), Fault.OVERLOADED, True),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_refusal_says_what_is_wrong(
    name: str, server: AnthropicServer, provider: AnthropicProvider, run: Run
) -> None:
    refuse, fault, is_retried = REFUSED[name]
    server.script(refuse)
    events, problem = events_of(run, provider)
    assert events == []
    assert problem is not None
    assert (problem.fault, problem.is_retried, problem.status) == (fault, is_retried, refuse.status)
    assert "<" not in str(problem)
    assert len(server.requests) == 1, "the SDK tries nothing again by itself"


def test_an_overflow_tells_its_sizes(server: AnthropicServer, provider: AnthropicProvider, run: Run) -> None:
    server.window = 20
    size = run(provider.count(body("x" * 200)))
    _, problem = events_of(run, provider, text="x" * 200)
    assert problem is not None
    assert (problem.fault, problem.tokens, problem.limit) == (Fault.OVERFLOW, size, 20)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({}, None),
        ({"retry-after": "soon"}, None),
    ],
)
def test_the_server_says_how_long_to_wait(
    headers: dict[str, str],
    seconds: float | None,
    server: AnthropicServer,
    provider: AnthropicProvider,
    run: Run,
) -> None:
    server.script(Refuse(429, "Slow down", headers=headers))
    _, problem = events_of(run, provider)
    assert problem is not None
    assert problem.retry_after == seconds


def test_a_date_to_wait_for_is_seconds_from_now(
    server: AnthropicServer, provider: AnthropicProvider, run: Run
) -> None:
    from email.utils import formatdate

    server.script(Refuse(529, headers={"retry-after": formatdate(time.time() + 60, usegmt=True)}))
    _, problem = events_of(run, provider)
    assert problem is not None
    assert problem.retry_after == pytest.approx(30, abs=30)  # the busier the machine, the less of it is left


def test_nobody_listens(run: Run) -> None:
    with AnthropicServer() as server:
        url = server.url
    made = AnthropicProvider(Connection(name="nobody", base_url=url), "", NO_STALL)
    _, problem = events_of(run, made)
    run(made.close())
    assert problem is not None
    assert problem.fault is Fault.CONNECTION
    assert problem.is_retried
    assert "nobody" in str(problem)


# -- stopping -------------------------------------------------------------------------------------------------


def test_stopping_hangs_up(server: AnthropicServer, provider: AnthropicProvider, loop: IoLoop) -> None:
    server.script(Reply(blocks=(Say("word " * 100_000),), delay=0.01))
    stopped = threading.Event()

    async def reads() -> None:
        try:
            async for _ in provider.stream(body()):
                pass
        finally:
            stopped.set()

    future = loop.run(reads())
    assert server.streaming.wait(PATIENCE)
    future.cancel()
    assert stopped.wait(PATIENCE)
    assert server.gone.wait(PATIENCE)


def test_stopping_before_the_first_byte_hangs_up(
    server: AnthropicServer, provider: AnthropicProvider, loop: IoLoop
) -> None:
    server.script(Reply(breaks=Break("stall", -1)))

    async def stops() -> None:
        task = asyncio.ensure_future(gathered(provider.stream(body())))
        await asyncio.to_thread(server.asked.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    loop.run(stops()).result(PATIENCE)
    assert server.gone.wait(PATIENCE)


def test_closing_the_iterator_hangs_up(server: AnthropicServer, provider: AnthropicProvider, run: Run) -> None:
    server.script(Reply(blocks=(Say("word " * 1000),), delay=0.01))
    run(looked_away(provider.stream(body())))
    assert server.gone.wait(PATIENCE)


# -- who asks, and for what -----------------------------------------------------------------------------------


def test_both_places_where_servers_look_for_a_key_hold_it(run: Run) -> None:
    with AnthropicServer(key=KEY) as server:
        for suffix in ("", "/", "/v1", "/v1/"):
            made = AnthropicProvider(Connection(name="gateway", base_url=server.url + suffix), KEY + "\n", NO_STALL)
            assert run(made.models())[0].id == "claude-sonnet-5-5"
            run(made.close())
        headers = server.listings[0].headers
        assert headers["authorization"] == f"Bearer {KEY}"
        assert headers["x-api-key"] == KEY
        assert headers["anthropic-version"] == "2023-06-01"


def test_the_environment_has_no_say(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with AnthropicServer(key=KEY) as server:
        made = AnthropicProvider(Connection(name="fake", base_url=server.url), KEY, NO_STALL)
        assert run(made.count(body())) > 0
        run(made.close())


def test_the_body_is_sent_as_it_is(server: AnthropicServer, provider: AnthropicProvider, run: Run) -> None:
    sent = body("é \u2028 🌳", system=[{"type": "text", "text": "Be brief."}])
    run(gathered(provider.stream(sent)))
    assert server.requests[-1].body == sent | {"stream": True}


def test_no_text_holds_the_key(server: AnthropicServer, provider: AnthropicProvider, run: Run) -> None:
    server.script(Refuse(401, f"The key {KEY} is not known"), Refuse(500, body=f"<p>{KEY}</p>".encode()))
    for _ in range(2):
        _, problem = events_of(run, provider)
        assert problem is not None
        assert KEY not in str(problem) + repr(problem) + repr(vars(problem))
        assert problem.__context__ is None


def test_a_key_that_cannot_be_sent_is_not_told(server: AnthropicServer, run: Run) -> None:
    made = AnthropicProvider(Connection(name="fake", base_url=server.url), "sk–secret\nkey", NO_STALL)
    _, problem = events_of(run, made)
    run(made.close())
    assert problem is not None
    assert problem.fault is Fault.KEY
    assert "secret" not in str(problem)


def test_models_tell_what_they_can(provider: AnthropicProvider, run: Run) -> None:
    first, second, third, fourth = run(provider.models())
    assert (first.name, first.window, first.most_output) == ("Claude Sonnet 5.5", 200_000, 64_000)
    assert first.levels == ("low", "medium", "high", "xhigh", "max")
    assert first.thinking == ("adaptive", "disabled")
    assert (first.thinks, first.takes_pdfs) == (True, True)
    assert second.thinking == ("enabled", "disabled")
    assert (third.thinks, third.takes_pdfs, third.levels) == (False, True, ())
    assert (fourth.takes_images, fourth.takes_pdfs, fourth.window) == (False, False, 40_960)


def test_one_connection_serves_many_requests(server: AnthropicServer, provider: AnthropicProvider, run: Run) -> None:
    for _ in range(3):
        assert events_of(run, provider)[1] is None
    assert server.connections == 1
