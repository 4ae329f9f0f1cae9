"""The fake server caches as the real one says it does, and a conversation of ours profits from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import BlockDone, ReplyEnded, ReplyStarted
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role, Usage
from stemmata.domain.requests.apis import payload_of
from stemmata.domain.requests.request import RequestOptions, ToolDefinition
from stemmata.providers.anthropic.provider import AnthropicProvider
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.prompt_cache import size_of
from tests.unit.providers.asking import Run, gathered

LONG = "word " * 1200  # more than the least that is cached


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Conversation:
    """Sends the whole conversation with one more message each time, as the program does."""

    def __init__(self, run: Run, server: AnthropicServer) -> None:
        self._run = run
        self._provider = AnthropicProvider(Connection(name="p", base_url=server.url), "", 5)
        self._said: list[tuple[Entry, Form]] = []
        self._previous = ""
        self.system, self.model, self.cache = LONG, "claude-sonnet-5-5", "5m"
        self.tools: tuple[ToolDefinition, ...] = ()

    def say(self, text: str) -> tuple[Usage, str]:
        """Send a message; return the reported usage and the reported cause of a cache miss."""
        self._said.append((Entry(id="u", role=Role.USER, blocks=(Text(text),)), Form.WHOLE))
        options = RequestOptions(
            model=self.model,
            provider="p",
            system=self.system,
            tools=self.tools,
            cache=self.cache,
            previous=self._previous,
        )
        payload = payload_of("anthropic", self._said, options, lambda _: None)
        events, problem = self._run(gathered(self._provider.stream(payload)))
        assert problem is None, problem
        blocks = tuple(event.block for event in events if isinstance(event, BlockDone))
        self._said.append(
            (Entry(id="a", role=Role.ASSISTANT, blocks=blocks, provider="p", model=self.model), Form.WHOLE)
        )
        self._previous = next(event.message for event in events if isinstance(event, ReplyStarted))
        end = events[-1]
        assert isinstance(end, ReplyEnded)
        assert end.usage is not None
        assert end.usage.sent == size_of(payload)
        return end.usage, end.cache_miss

    def close(self) -> None:
        self._run(self._provider.close())


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def talk(run: Run, clock: Clock) -> Iterator[Conversation]:
    with AnthropicServer(clock=clock) as server:
        conversation = Conversation(run, server)
        yield conversation
        conversation.close()


def test_each_request_reads_what_the_one_before_wrote(talk: Conversation) -> None:
    first, _ = talk.say("One")
    second, miss = talk.say("Two")
    third, _ = talk.say("Three")
    assert first.cache_read == 0
    assert first.cache_write == first.sent
    assert second.cache_read == first.sent
    assert third.cache_read == second.sent
    assert miss == ""
    assert third.input == 0


def test_nothing_is_cached_unasked(talk: Conversation) -> None:
    talk.cache = ""
    talk.say("One")
    usage, _ = talk.say("Two")
    assert (usage.cache_read, usage.cache_write, usage.input) == (0, 0, usage.sent)


@pytest.mark.parametrize(("cache", "seconds", "is_read"), [("5m", 299, True), ("5m", 301, False), ("1h", 3599, True)])
def test_what_is_cached_expires(cache: str, seconds: float, is_read: bool, talk: Conversation, clock: Clock) -> None:
    talk.cache = cache
    first, _ = talk.say("One")
    assert first.cache_write_1h == (first.cache_write if cache == "1h" else 0)
    clock.now += seconds
    usage, _ = talk.say("Two")
    assert (usage.cache_read > 0) == is_read


def test_the_server_says_what_broke_the_cache(talk: Conversation) -> None:
    talk.say("One")
    talk.system = LONG + "and more"
    assert talk.say("Two")[1] == "system"
    talk.tools = (ToolDefinition("read"),)
    usage, miss = talk.say("Three")
    assert (miss, usage.cache_read) == ("tools", 0)
    talk.model = "claude-opus-4-5"
    assert talk.say("Four")[1] == "model"
    talk._said[0] = (Entry(id="u", role=Role.USER, blocks=(Text("Another"),)), Form.WHOLE)
    usage, miss = talk.say("Five")
    assert miss == "messages"
    assert usage.cache_read > 0, "tools and system are as they were"
