"""A reply that thinks and calls goes back as it came: servers that check every signature take the next request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import BlockDone
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Block, Text, ToolCall, decode, encode
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.requests.apis import payload_of
from stemmata.domain.requests.request import Payload, RequestOptions, ToolDefinition
from stemmata.providers.registry import ProviderRegistry
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Call, Reply, Say, Think
from tests.unit.providers.asking import Run, gathered

ASKED = (
    ("anthropic", "claude-sonnet-5-5"),
    ("anthropic", "claude-opus-4-5"),
    ("openai-chat", "gpt-5.5"),
    ("openai-responses", "gpt-5.5"),
)
STEPS = (
    Reply(
        blocks=(Think("first thought"), Say("I look."), Call("read", {"path": "a.txt"}), Call("read", {"path": "b"}))
    ),
    Reply(blocks=(Think("second thought"), Call("read", {"path": "c.txt"}))),
    Reply(blocks=(Think("last thought"), Say("Done."))),
)


class Session:
    """A stored conversation; its blocks are encoded and decoded as in the archive."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.entries: list[tuple[Entry, Form]] = []

    def add(self, role: Role, *blocks: Block, call: str = "") -> None:
        kept = decode(json.loads(json.dumps(encode(blocks))))
        entry = Entry(id="e", role=role, blocks=kept, provider="p", model=self.model, call=call, tool="read")
        self.entries.append((entry, Form.WHOLE))

    def request(self, api: str) -> Payload:
        options = RequestOptions(
            model=self.model, provider="p", tools=(ToolDefinition("read"),), thinking="high", cache="5m"
        )
        return payload_of(api, self.entries, options, lambda _: None)


@pytest.mark.parametrize(("api", "model"), ASKED)
def test_a_loop_of_calls_is_taken_to_its_end(api: str, model: str, run: Run) -> None:
    server = AnthropicServer() if api == "anthropic" else OpenAIServer()
    with server:
        provider = ProviderRegistry(5).open(Connection(name="p", api=api, base_url=f"{server.url}/v1"), "")
        server.script(*STEPS, Reply())
        session = Session(model)
        session.add(Role.USER, Text("What is in them?"))
        for _ in STEPS:
            blocks = reply_to(run, provider, session.request(api))
            session.add(Role.ASSISTANT, *blocks)
            for call in (block for block in blocks if isinstance(block, ToolCall)):
                session.add(Role.TOOL_RESULT, Text("content"), call=call.id)
        assert isinstance(blocks[-1], Text)
        session.add(Role.USER, Text("Thanks."))
        assert reply_to(run, provider, session.request(api))
        run(provider.close())
    sent = server.requests[-1].raw.decode()
    if api != "openai-chat":
        assert sent.count("signed-here-" if api == "anthropic" else "sealed-here-") == 3


def reply_to(run: Run, provider: Any, payload: Payload) -> tuple[Block, ...]:
    events, problem = run(gathered(provider.stream(payload)))
    assert problem is None, problem
    return tuple(event.block for event in events if isinstance(event, BlockDone))
