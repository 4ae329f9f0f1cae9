"""Compatible servers leave out and add what they like: as long as it can be understood, it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import BlockDone, Fault, ProviderError, ReplyEnded, StopReason, StreamEvent
from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Usage
from stemmata.providers.registry import ProviderRegistry
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.fakes.waiting import PATIENCE
from tests.unit.providers.asking import Run, gathered

Event: TypeAlias = tuple[str, object]


class Recital(LoopbackServer):
    """Sends the same answer to every request."""

    def __init__(
        self, events: Sequence[Event], content_type: str = "text/event-stream", before: Sequence[bytes] = ()
    ) -> None:
        self._events, self._type, self._before = events, content_type, before
        super().__init__()

    def answer(self, exchange: Exchange) -> None:
        exchange.open_stream(self._type)
        for piece in self._before:
            exchange.write(piece)
        for name, data in self._events:
            exchange.event(name, data)
        exchange.close_stream()


@pytest.fixture
def recited(run: Run) -> Callable[..., tuple[list[StreamEvent], ProviderError | None]]:
    def say(api: str, *events: Event, content_type: str = "text/event-stream", before: Sequence[bytes] = ()) -> Any:
        with Recital(events, content_type, before) as server:
            provider = ProviderRegistry(1).open(Connection(name="odd", api=api, base_url=server.url), "")
            found = run(gathered(provider.stream({"model": "m", "messages": []})))
            run(provider.close())
            return found

    return say


def blocks_of(events: list[StreamEvent]) -> list[object]:
    return [event.block for event in events if isinstance(event, BlockDone)]


def typed(*events: Mapping[str, Any]) -> list[Event]:
    return [(str(event["type"]), event) for event in events]


TEXT = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
STOP = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
WHOLE = typed(
    {"type": "message_start", "message": {"id": "m1"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    TEXT,
    {"type": "content_block_stop", "index": 0},
    STOP,
    {"type": "message_stop"},
)


def test_no_usage_anywhere(recited: Any) -> None:
    events, problem = recited("anthropic", *WHOLE)
    assert problem is None
    assert events[-1] == ReplyEnded(StopReason.END_TURN)


def test_events_without_names(recited: Any) -> None:
    events, problem = recited("anthropic", *(("", data) for _, data in WHOLE))
    assert problem is None
    assert blocks_of(events) == [Text("Hi")]


def test_types_told_by_the_event_alone(recited: Any) -> None:
    bare = [
        (name, {key: value for key, value in data.items() if key != "type"})
        for name, data in WHOLE
        if isinstance(data, Mapping)
    ]
    assert len(bare) == len(WHOLE)
    events, problem = recited("anthropic", *bare)
    assert problem is None
    assert blocks_of(events) == [Text("Hi")]


def test_a_block_that_was_never_begun(recited: Any) -> None:
    events, problem = recited("anthropic", *typed(TEXT, STOP))
    assert problem is None
    assert blocks_of(events) == [Text("Hi")]


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream"])
def test_streams_that_are_not_called_so(content_type: str, recited: Any) -> None:
    events, problem = recited("anthropic", *WHOLE, content_type=content_type)
    assert problem is None
    assert blocks_of(events) == [Text("Hi")]


@pytest.mark.parametrize("before", [(b"\xef\xbb\xbf",), (b"\xef\xbb", b"\xbf")])
@pytest.mark.parametrize("api", ["anthropic", "openai-chat"])
def test_a_byte_order_mark_costs_no_event(api: str, before: Sequence[bytes], recited: Any) -> None:
    reply = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    told = [("", TEXT), ("", STOP)] if api == "anthropic" else [("", reply)]
    events, problem = recited(api, *told, before=before)
    assert problem is None
    assert blocks_of(events) == [Text("Hi")]


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "application/json"])
def test_a_page_is_no_reply(content_type: str, recited: Any) -> None:
    _, problem = recited("anthropic", ("", "<html>Log in</html>"), content_type=content_type)
    assert problem.fault is Fault.GARBAGE


def test_unknown_blocks_are_kept_and_unknown_events_passed_over(recited: Any) -> None:
    block = {"type": "web_search_tool_result", "tool_use_id": "x", "content": [1]}
    events, problem = recited(
        "anthropic",
        *typed(
            {"type": "weather", "index": 0},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_stop", "index": 7},
            {
                "type": "content_block_start",
                "index": 1,
                "content_block": {"type": "redacted_thinking", "data": "abc"},
            },
            {"type": "content_block_stop", "index": 1},
            STOP,
        ),
    )
    assert problem is None
    opaque, redacted = blocks_of(events)
    assert isinstance(opaque, UnknownBlock)
    assert (opaque.type, json.loads(opaque.json)) == ("web_search_tool_result", block)
    assert redacted == Thinking("", "abc", redacted=True)


def test_a_call_whose_arguments_are_no_json_is_kept_as_it_came(recited: Any) -> None:
    start = {"type": "tool_use", "id": "c", "name": "read", "input": {}}
    events, problem = recited(
        "anthropic",
        *typed(
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a'}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
        ),
    )
    assert problem is None
    assert blocks_of(events) == [ToolCall("c", "read", '{"a')]


def test_a_call_that_comes_whole(recited: Any) -> None:
    start = {"type": "tool_use", "id": "c", "name": "read", "input": {"a": 1}}
    events, _ = recited(
        "anthropic",
        *typed({"type": "content_block_start", "index": 0, "content_block": start}, STOP),
    )
    assert blocks_of(events) == [ToolCall("c", "read", '{"a":1}')]


@pytest.mark.parametrize(
    "data",
    [[], "text", 1, None, {"type": []}, {"type": "message_start", "message": [1]}, {"type": "error", "error": 3}],
)
def test_nonsense_is_an_error_or_nothing(data: object, recited: Any) -> None:
    for api in ("anthropic", "openai-chat", "openai-responses"):
        _, problem = recited(api, ("", json.dumps(data)))
        assert isinstance(problem, ProviderError)


class Whole(LoopbackServer):
    """Ignores `stream`: sends the reply in one piece of JSON."""

    def __init__(self, body: object) -> None:
        self._body = body
        super().__init__()

    def answer(self, exchange: Exchange) -> None:
        exchange.send_json(200, self._body)


def told_whole(run: Run, api: str, body: object) -> tuple[list[StreamEvent], ProviderError | None]:
    with Whole(body) as server:
        provider = ProviderRegistry(1).open(Connection(name="odd", api=api, base_url=server.url), "")
        found: tuple[list[StreamEvent], ProviderError | None] = run(
            gathered(provider.stream({"model": "m", "messages": []}))
        )
        run(provider.close())
        return found


CALL = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"a": 1}'}}
WHOLE_REPLIES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "type": "message",
        "id": "m1",
        "model": "m",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "Hi"},
            {"type": "tool_use", "id": "c", "name": "read", "input": {"a": 1}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    },
    "openai-chat": {
        "id": "m1",
        "model": "m",
        "object": "chat.completion",
        "choices": [
            {
                "message": {"role": "assistant", "reasoning_content": "Hm.", "content": "Hi", "tool_calls": [CALL]},
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    },
    "openai-responses": {
        "id": "m1",
        "model": "m",
        "object": "response",
        "status": "completed",
        "error": None,
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]},
            {"type": "function_call", "call_id": "c", "name": "read", "arguments": '{"a": 1}'},
        ],
        "usage": {"input_tokens": 3, "output_tokens": 4},
    },
}


@pytest.mark.parametrize("api", WHOLE_REPLIES)
def test_the_reply_of_a_server_that_does_not_stream_is_read(api: str, run: Run) -> None:
    events, problem = told_whole(run, api, WHOLE_REPLIES[api])
    assert problem is None
    thought, *others = blocks_of(events)
    assert isinstance(thought, Thinking)
    assert thought.text == "Hm."
    assert others == [Text("Hi"), ToolCall("c", "read", '{"a":1}')]
    ended = events[-1]
    assert isinstance(ended, ReplyEnded)
    assert ended.reason is StopReason.TOOL_USE
    assert ended.usage is not None
    assert (ended.usage.input, ended.usage.output) == (3, 4)


@pytest.mark.parametrize("api", ["anthropic", "openai-chat"])
def test_the_text_of_a_whole_reply_without_a_reason_is_kept(api: str, run: Run) -> None:
    body = json.loads(json.dumps(WHOLE_REPLIES[api]).replace('"tool_use", "usage"', 'null, "usage"'))
    body = json.loads(json.dumps(body).replace('"tool_calls"}', "null}"))
    events, problem = told_whole(run, api, body)
    assert problem is not None
    assert problem.fault is Fault.TRUNCATED
    assert Text("Hi") in blocks_of(events)


@pytest.mark.parametrize("body", [[], 1, {"id": 1}, {"type": "message", "content": 3}, {"choices": [{"message": 1}]}])
def test_json_that_is_no_reply_is_an_invalid_answer(body: object, run: Run) -> None:
    for api in WHOLE_REPLIES:
        _, problem = told_whole(run, api, body)
        assert problem is not None
        assert problem.fault is Fault.GARBAGE


class Lingering(LoopbackServer):
    """Sends the whole answer and does not close the connection."""

    def __init__(self, *events: Event) -> None:
        self._events = events
        super().__init__()

    def answer(self, exchange: Exchange) -> None:
        exchange.open_stream()
        for name, data in self._events:
            exchange.event(name, data)
        exchange.stall()


@pytest.mark.parametrize("api", ["anthropic", "openai-chat"])
def test_a_server_that_does_not_hang_up_is_not_waited_for(api: str, run: Run) -> None:
    done = [chunk({"content": "Hi"}, "stop"), ("", "[DONE]")]
    with Lingering(*(WHOLE if api == "anthropic" else done)) as server:
        provider = ProviderRegistry(10 * PATIENCE).open(Connection(name="odd", api=api, base_url=server.url), "")
        events, problem = run(gathered(provider.stream({"model": "m", "messages": []})))
        run(provider.close())
    assert problem is None
    assert isinstance(events[-1], ReplyEnded)


def test_an_event_without_an_end_is_no_event(monkeypatch: pytest.MonkeyPatch, recited: Any) -> None:
    monkeypatch.setattr("stemmata.providers.shared.wire.LARGEST_EVENT", 100_000)
    events, problem = recited("anthropic", *WHOLE[:3], ("", "x" * 1_000_000))
    assert problem.fault is Fault.GARBAGE
    assert blocks_of(events) == [Text("Hi")]


def test_what_nests_absurdly_is_no_answer(recited: Any) -> None:
    _, problem = recited("anthropic", *WHOLE[:3], ("", "[" * 200_000))
    assert problem.fault is Fault.GARBAGE


# -- Chat Completions -----------------------------------------------------------------------------------------


def chunk(delta: Mapping[str, Any], reason: str | None = None, **more: Any) -> Event:
    return "", {"choices": [{"delta": delta, "finish_reason": reason}], **more}


def test_a_call_in_one_piece_with_the_reason_stop(recited: Any) -> None:
    calls = [
        {"id": "a", "function": {"name": "read", "arguments": '{"x": 1}'}},
        {"function": {"name": "read", "arguments": ""}, "index": 1},
    ]
    events, problem = recited("openai-chat", chunk({"tool_calls": calls}), chunk({}, "stop"))
    assert problem is None
    assert blocks_of(events) == [ToolCall("a", "read", '{"x":1}'), ToolCall("call_1", "read", "{}")]
    assert events[-1].reason is StopReason.TOOL_USE


def test_calls_that_share_an_index(recited: Any) -> None:
    first = {"index": 0, "id": "a", "function": {"name": "read", "arguments": "{}"}}
    second = {"index": 0, "id": "b", "function": {"name": "write", "arguments": "{}"}}
    events, _ = recited(
        "openai-chat", chunk({"tool_calls": [first]}), chunk({"tool_calls": [second]}), chunk({}, "tool_calls")
    )
    assert blocks_of(events) == [ToolCall("a", "read"), ToolCall("b", "write")]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thinking_in_a_field_of_its_own(name: str, recited: Any) -> None:
    events, _ = recited(
        "openai-chat", chunk({name: "hm"}), chunk({name: "m", "content": ""}), chunk({"content": "Yes"}, "stop")
    )
    assert blocks_of(events) == [Thinking("hmm"), Text("Yes")]


def test_counts_of_chat_are_made_ours(recited: Any) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "total_tokens": 107,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
    }
    events, _ = recited("openai-chat", chunk({"content": "Yes"}, "stop"), ("", {"choices": [], "usage": usage}))
    assert events[-1].usage == Usage(input=30, output=7, cache_read=60, cache_write=10, total=107)


def test_an_error_with_words_alone(recited: Any) -> None:
    _, problem = recited("openai-chat", ("", {"error": "model requires more system memory"}))
    assert problem.fault is Fault.SERVER
    assert "more system memory" in str(problem)


# -- Responses ------------------------------------------------------------------------------------------------

COMPLETED = {"type": "response.completed", "response": {"status": "completed"}}


def done(at: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": at, "item": item}


def test_items_that_come_in_one_piece(recited: Any) -> None:
    summary = [{"type": "summary_text", "text": "first"}, {"type": "summary_text", "text": "second"}]
    events, problem = recited(
        "openai-responses",
        *typed(
            done(0, type="reasoning", id="rs_1", summary=summary, encrypted_content="x"),
            done(1, type="message", content=[{"type": "output_text", "text": "Yes"}]),
            done(2, type="function_call", call_id="c", name="read", arguments='{"a": 1}'),
            done(3, type="web_search_call", id="ws_1"),
            COMPLETED,
        ),
    )
    assert problem is None
    thought, said, call, search = blocks_of(events)
    assert isinstance(thought, Thinking)
    assert thought.text == "first\n\nsecond"
    assert json.loads(thought.signature)["encrypted_content"] == "x"
    assert (said, call) == (Text("Yes"), ToolCall("c", "read", '{"a":1}'))
    assert isinstance(search, UnknownBlock)
    assert search.type == "web_search_call"
    assert events[-1] == ReplyEnded(StopReason.TOOL_USE)


def test_deltas_of_items_that_were_never_begun(recited: Any) -> None:
    part = {"type": "response.reasoning_summary_text.delta", "output_index": 0}
    events, problem = recited(
        "openai-responses",
        *typed(
            part | {"summary_index": 0, "delta": "one"},
            part | {"summary_index": 1, "delta": "two"},
            {"type": "response.output_text.delta", "output_index": 1, "delta": "Yes"},
            {"type": "response.incomplete", "response": {"status": "incomplete"}},
        ),
    )
    assert problem is None
    assert blocks_of(events) == [Thinking("one\n\ntwo"), Text("Yes")]
    assert events[-1].reason is StopReason.OTHER


def test_a_reply_that_was_not_completed_is_not_whole(recited: Any) -> None:
    _, problem = recited("openai-responses", *typed(done(0, type="message", content=[])))
    assert problem.fault is Fault.TRUNCATED
