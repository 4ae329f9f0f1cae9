"""Summaries that the API signs: what its own SDK makes of the fake's answers, and what we make of the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import BlockDone, Fault, ReplyEnded, StopReason
from stemmata.domain.entries.blocks import UnknownBlock
from stemmata.domain.entries.entry import Usage
from stemmata.providers.anthropic.provider import AnthropicProvider
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Break, Refuse, Reply, Say
from tests.fakes.signed_blocks import BETA, signed_block
from tests.unit.providers.asking import Run, gathered

if TYPE_CHECKING:
    from anthropic import Anthropic

MODEL = "claude-sonnet-5-5"
QUESTION: dict[str, Any] = {"role": "user", "content": "What is a lane?"}
REPLY: dict[str, Any] = {"role": "assistant", "content": "A row of the graph."}
ASKED: dict[str, Any] = {"model": MODEL, "max_tokens": 500, "messages": [QUESTION, REPLY]}
WISH: dict[str, Any] = ASKED | {"compaction": {"type": "summarize"}}
WORDS = "Lanes were *explained*. é"


@pytest.fixture
def sdk(server: AnthropicServer) -> Iterator[Anthropic]:
    from anthropic import Anthropic

    with Anthropic(api_key="k", base_url=server.url, max_retries=0) as client:
        yield client


@pytest.fixture
def provider(server: AnthropicServer, run: Run) -> Iterator[AnthropicProvider]:
    made = AnthropicProvider(Connection(name="fake", base_url=server.url), "k", 20.0)
    yield made
    run(made.close())


def create(sdk: Anthropic, **body: Any) -> Any:
    return sdk.beta.messages.create(betas=[BETA], **body)


def with_block(**changes: Any) -> dict[str, Any]:
    block = signed_block(WORDS) | changes
    return ASKED | {"messages": [{"role": "assistant", "content": [block]}, QUESTION]}


def test_the_sdk_reads_and_sends_back_what_the_fake_signs(server: AnthropicServer, sdk: Anthropic) -> None:
    server.script(Reply(blocks=(Say(WORDS),)), Reply(blocks=(Say(WORDS),)))
    whole = create(sdk, **WISH)
    with sdk.beta.messages.stream(betas=[BETA], **WISH) as stream:
        streamed = stream.get_final_message()
    for message in (whole, streamed):
        assert message.stop_reason == "compaction"
        [block] = message.content
        assert block.to_dict(exclude_unset=False) == signed_block(WORDS)
        [step] = message.usage.iterations or []
        assert (step.type, message.usage.input_tokens, message.usage.output_tokens) == ("compaction", 0, 0)
        assert step.input_tokens > 0
        going_on = ASKED | {"messages": [message.to_param(), QUESTION]}
        assert create(sdk, **going_on).content[0].text == "You said: What is a lane?"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (with_block(content="Other words."), "CompactionContentMismatchError"),
        (with_block(signature="forged"), "CompactionSignatureInvalidError"),
        (with_block(encrypted_content="other"), "CompactionSignatureInvalidError"),
        (with_block(tool_changes=None), "CompactionToolChangesMismatchError"),
        (
            ASKED | {"messages": [QUESTION, *with_block()["messages"]]},
            "CompactionBlockMisplacedError",
        ),
        (
            ASKED | {"messages": [*with_block()["messages"], with_block()["messages"][0], QUESTION]},
            "CompactionBlockAmbiguousError",
        ),
        (WISH | {"messages": []}, "CompactionNothingToSummarizeError"),
        (
            WISH
            | {
                "tools": [{"name": "read", "input_schema": {"type": "object"}}],
                "messages": [
                    QUESTION,
                    {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {}}]},
                ],
            },
            "CompactionIncompleteTurnError",
        ),
        (WISH | {"model": "claude-haiku-3-5"}, "BadRequestError"),
        (WISH | {"compaction": {"type": "other"}}, "BadRequestError"),
        (WISH | {"stop_sequences": ["x"]}, "BadRequestError"),
        (WISH | {"tool_choice": {"type": "any"}}, "BadRequestError"),
    ],
)
def test_the_fake_refuses_what_the_api_refuses(sdk: Anthropic, body: dict[str, Any], error: str) -> None:
    import anthropic

    with pytest.raises(getattr(anthropic.types, error, None) or getattr(anthropic, error)):
        create(sdk, **body)


def test_without_the_beta_there_is_no_such_thing(sdk: Anthropic) -> None:
    from anthropic import BadRequestError

    for body in (WISH, with_block()):
        with pytest.raises(BadRequestError, match="not permitted"):
            sdk.beta.messages.create(**body)


# -- ours -----------------------------------------------------------------------------------------------------


def test_the_block_is_read_as_it_came_with_what_it_took(
    server: AnthropicServer, provider: AnthropicProvider, run: Run
) -> None:
    server.script(Reply(blocks=(Say(WORDS),)))
    events, error = run(gathered(provider.stream(WISH)))
    assert error is None
    [block] = [event.block for event in events if isinstance(event, BlockDone)]
    assert isinstance(block, UnknownBlock)
    assert (block.type, json.loads(block.json)) == ("compaction", signed_block(WORDS))
    ended = events[-1]
    assert isinstance(ended, ReplyEnded)
    assert (ended.reason, ended.usage) == (StopReason.COMPACTION, Usage())
    assert ended.summarising is not None
    assert ended.summarising.input > 0
    assert ended.summarising.output > 0
    assert server.requests[-1].path == "/v1/messages?beta=true"


def test_numbers_and_odd_letters_of_a_block_are_kept() -> None:
    from stemmata.providers.anthropic.provider import AnthropicReply
    from stemmata.providers.shared.faults import Faults

    reply = AnthropicReply(Faults(Connection(name="fake"), "", 1))
    start = {"type": "compaction", "content": None, "signature": "s", "later": [1.0, 1e5, "\ud800"]}
    said: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": WORDS}},
        {"type": "content_block_delta", "index": 7, "delta": {"type": "compaction_delta", "content": "of no block"}},
        {"type": "content_block_stop", "index": 0},
    ]
    [done] = [event for data in said for event in reply.feed(data) if isinstance(event, BlockDone)]
    assert isinstance(done.block, UnknownBlock)
    assert json.loads(done.block.json) == start | {"content": WORDS}
    assert "[1.0, 100000.0, " in done.block.json
    assert done.block.json.isascii()


def test_headers_of_the_connection_keep_their_own_betas(server: AnthropicServer, run: Run) -> None:
    connection = Connection(name="fake", base_url=server.url, headers=(("Anthropic-Beta", "other-2026"),))
    provider = AnthropicProvider(connection, "k", 20.0)
    run(gathered(provider.stream(WISH)))
    assert server.requests[-1].headers["anthropic-beta"] == f"other-2026,{BETA}"
    run(gathered(provider.stream(ASKED | {"messages": [QUESTION]})))
    assert server.requests[-1].headers["anthropic-beta"] == "other-2026"
    run(provider.close())


def test_a_request_with_a_block_can_be_counted(provider: AnthropicProvider, run: Run) -> None:
    assert run(provider.count(with_block())) > 0


@pytest.mark.parametrize(
    ("step", "fault", "code", "begun"),
    [
        (Refuse(529, "Overloaded", code="compaction_unavailable"), Fault.OVERLOADED, "compaction_unavailable", False),
        (
            Refuse(400, "credit", code="compaction_incomplete_turn"),
            Fault.REQUEST,
            "compaction_incomplete_turn",
            False,
        ),
        (Refuse(400, "No.", code="another_code"), Fault.REQUEST, "", False),
        (
            Reply(breaks=Break("error", 1, code="compaction_unavailable")),
            Fault.OVERLOADED,
            "compaction_unavailable",
            True,
        ),
    ],
)
def test_the_code_says_what_is_wrong(
    server: AnthropicServer,
    provider: AnthropicProvider,
    run: Callable[..., Any],
    step: Reply | Refuse,
    fault: Fault,
    code: str,
    begun: bool,
) -> None:
    server.script(step)
    _, error = run(gathered(provider.stream(WISH)))
    assert error is not None
    assert (error.fault, error.code, error.begun) == (fault, code, begun)


def test_a_list_of_models_says_which_of_them_can(provider: AnthropicProvider, run: Run) -> None:
    told = {model.id: model.summarises for model in run(provider.models())}
    assert told["claude-sonnet-5-5"] is True
    assert told["claude-haiku-3-5"] is False
