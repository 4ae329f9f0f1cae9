from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.run import Phase, RunChanged
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.context.breakdown import ScaleBasis
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.figures import FigureKind
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.request import ToolDefinition
from stemmata.services.chat import counting
from stemmata.services.chat.compaction_notices import figure_text, noted
from stemmata.services.chat.counting import CannotCountError
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.context.contexts import ContextView
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import QUICK, ChatApp, chat_app
from tests.fakes.fake_models import FakeModel
from tests.fakes.loopback import LoopbackServer
from tests.fakes.model_server import CountAnswer, ModelServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Refuse
from tests.fakes.scripted_provider import Tools
from tests.fakes.waiting import until

WINDOW = 32_000
SMALL = FakeModel(id="small", window=WINDOW, most_output=8_192, thinking=("disabled",), levels=(), summarises=False)
PROMPT = QUICK._replace(system_prompt="Answer in one sentence. " * 20)
TOOLS = Tools({"read_file": lambda _call, _ask: None})


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer(models=[SMALL]) as server:
        yield server


def counted(server: LoopbackServer) -> list[Any]:
    return [
        request.body
        for request in server.requests
        if "count_tokens" in request.path or "input_tokens" in request.path
    ]


def view(chat: ChatApp, session: int) -> ContextView:
    session_tree = chat.services.sessions.open(session).result()
    return chat.services.contexts.seen(session_tree, session_tree.tree.get(session_tree.session.leaf))


def near(chat: ChatApp, session: int) -> int:
    """Return a number of characters that brings the next request near its trigger, from below."""
    trigger = view(chat, session).budget.trigger
    assert trigger is not None
    return trigger * 4 - 4_000


# -- before a request --


def test_a_request_near_the_trigger_is_counted_once(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small", chat=PROMPT) as chat:
        session = chat.session()
        chat.say(session, "Hello")
        assert counted(server) == []
        chat.say(session, "x" * near(chat, session))
        [body] = counted(server)
        sent = [request.body for request in server.requests if request.path == "/v1/messages"]
        assert body["messages"] == sent[-1]["messages"]
        assert body.keys() <= {"model", "messages", "system", "tools"}
        assert chat.runs.state(session).problem == ""


def test_the_context_shows_the_count_until_the_reply(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small", chat=PROMPT) as chat:
        session = chat.session()
        chat.say(session, "Hello")
        server.script(Refuse(400, "Not now."))
        chat.say(session, "x" * near(chat, session))
        found = view(chat, session).breakdown
        assert (found.total.kind, found.basis) == (FigureKind.COUNTED, ScaleBasis.COUNT)
        assert sum(part.value or 0 for part in found.categories.values()) == found.total.value
        assert found.categories[Category.SYSTEM].kind is FigureKind.ESTIMATED
        before = len(counted(server))
        chat.runs.retry(session).result()
        chat.wait(lambda: not chat.runs.state(session).is_busy)
        assert len(counted(server)) == before == 1
        assert view(chat, session).breakdown.total.kind is FigureKind.REPORTED


@pytest.mark.parametrize(("above", "counts", "compacts"), [(800, 9_000, False), (-800, 31_000, True)])
def test_the_count_decides_and_not_the_estimate(
    above: int, counts: int, compacts: bool, server: AnthropicServer, tmp_path: Path
) -> None:
    with chat_app(tmp_path, server.url, model="small") as chat:
        session = chat.session()
        for _ in range(3):
            chat.say(session, "A short story. " * 400)
        found = view(chat, session)
        assert found.budget.trigger is not None
        assert found.breakdown.total.value is not None
        server.counts = counts
        chat.say(session, "x" * 4 * (found.budget.trigger - found.breakdown.total.value + above))
        assert len(counted(server)) == 1
        kinds = [row.kind for row, _ in chat.path(session)]
        told = kinds.index(Kind.COMPACTION) if Kind.COMPACTION in kinds else len(kinds)
        assert (told < len(kinds) - 1) == compacts, "before the reply"


@pytest.mark.parametrize("answer", [0, -3, None, 1 << 40, Refuse(404, "Not found")])
def test_what_is_no_count_is_not_told(answer: CountAnswer, server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small") as chat:
        session = chat.session()
        chat.say(session, "Hello")
        server.counts = answer
        chat.say(session, "x" * near(chat, session))
        assert (len(counted(server)), chat.runs.state(session).problem) == (1, "")
        assert chat.told(session)[-1].startswith("assistant")
        assert not remarks(chat)
        chat.say(session, "And now?")
        assert len(counted(server)) == 1  # it is known that this server cannot count


@pytest.mark.parametrize("answer", ["stall", "cut", Refuse(503, "Busy"), Refuse(500, "Broken")])
def test_a_failing_count_stops_no_message_and_is_told_once(
    answer: CountAnswer, server: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "PATIENCE", 0.2)
    with chat_app(tmp_path, server.url, model="small") as chat:
        session = chat.session()
        chat.say(session, "Hello")
        server.counts = answer
        chat.say(session, "x" * near(chat, session))
        assert chat.runs.state(session).phase is Phase.IDLE
        assert chat.told(session)[-1].startswith("assistant")
        assert any("could not be counted" in remark for remark in remarks(chat))
        chat.events.clear()
        chat.say(session, "And now?")
        assert len(counted(server)) == 1
        assert not remarks(chat)


def remarks(chat: ChatApp) -> set[str]:
    return {str(event.state.remark) for event in chat.events if isinstance(event, RunChanged)} - {""}


def test_a_count_can_be_stopped(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small") as chat:
        session = chat.session()
        chat.say(session, "Hello")
        server.counts = "stall"
        chat.send(session, "x" * near(chat, session))
        until(lambda: bool(counted(server)))  # no event tells of it
        chat.runs.stop(session).result()
        chat.wait(lambda: not chat.runs.state(session).is_busy)
        assert chat.told(session)[-1].startswith("user")


def test_chat_completions_are_never_counted(tmp_path: Path) -> None:
    with OpenAIServer(window=WINDOW) as server:
        server.lists = False
        with chat_app(tmp_path, f"{server.url}/v1", api="openai-chat", model="qwen3:8b") as chat:
            chat.services.contexts.adopt(chat.services.catalogue)
            session = chat.session()
            chat.say(session, "Hello")
            leaf = view(chat, session)
            with pytest.raises(CannotCountError, match="does not count tokens"):
                count(chat, session)
            assert view(chat, session).breakdown == leaf.breakdown


# -- on demand --


def count(chat: ChatApp, session: int) -> Any:
    leaf = chat.services.sessions.get(session).result().leaf
    return chat.services.context_counts.count(session, leaf).result()


@pytest.mark.parametrize("api", ["anthropic", "openai-responses"])
def test_a_context_is_counted_with_its_parts(api: str, tmp_path: Path) -> None:
    made: ModelServer = AnthropicServer(models=[SMALL]) if api == "anthropic" else OpenAIServer()
    with made as server:
        url, model = (server.url, "small") if api == "anthropic" else (f"{server.url}/v1", "gpt-5.5")
        with chat_app(tmp_path, url, api=api, model=model, chat=PROMPT, tools=TOOLS) as chat:
            session = chat.session()
            chat.say(session, "Hello")
            made_count = count(chat, session)
            found = view(chat, session).breakdown
            assert made_count.has_parts
            assert found.total.value == made_count.total
            kinds = {category: figure.kind for category, figure in found.categories.items()}
            assert kinds[Category.SYSTEM] is kinds[Category.TOOL_DEFINITIONS] is FigureKind.COUNTED
            assert kinds[Category.USER] is FigureKind.ESTIMATED
            assert found.categories[Category.SYSTEM].value in (120, 121)  # with the type of the block, or without
            assert sum(part.value or 0 for part in found.categories.values()) == found.total.value
            asked = len(counted(server))
            count(chat, session)
            assert len(counted(server)) == asked


def test_the_count_is_dropped_when_what_is_sent_changes(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small", chat=PROMPT) as chat:
        session = chat.session()
        chat.say(session, "Hello")
        count(chat, session)
        chat.runs.note(session, "An answer of a command.", "/status").result()
        assert view(chat, session).breakdown.total.kind is FigureKind.COUNTED
        chat.services.adopt_chat(QUICK)
        assert view(chat, session).breakdown.total.kind is not FigureKind.COUNTED


def test_few_counts_are_kept(server: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_KEPT", 2)
    monkeypatch.setattr("stemmata.services.context.contexts.MOST_COUNTS", 1)
    with chat_app(tmp_path, server.url, model="small", chat=PROMPT) as chat:
        one, other = chat.session("one"), chat.session("other")
        for session in (one, other):
            chat.say(session, f"Hello {session}")
            count(chat, session)
        assert view(chat, one).breakdown.total.kind is FigureKind.REPORTED
        assert view(chat, other).breakdown.total.kind is FigureKind.COUNTED


def test_parts_that_do_not_fit_stay_estimates(
    server: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with chat_app(tmp_path, server.url, model="small", chat=PROMPT) as chat:
        session = chat.session()
        chat.say(session, "Hello")
        server.counts = 7  # for every request, so that the parts have no size
        assert count(chat, session).total == 7
        chat.say(session, "Go on")
        sizes = iter([100, 50, 20])
        monkeypatch.setattr(
            server, "sent_count", lambda exchange, _count: exchange.send_json(200, {"input_tokens": next(sizes)})
        )
        chat.services.counting._known.clear()
        assert not count(chat, session).has_parts


def test_failures_on_demand_say_why(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small") as chat:
        session = chat.session()
        with pytest.raises(NothingToDoError, match="Nothing to send"):
            count(chat, session)
        chat.say(session, "Hello")
        server.counts = Refuse(401, "No.")
        with pytest.raises(ProviderError, match="key"):
            count(chat, session)
    with chat_app(tmp_path, "http://127.0.0.1:9", model="small") as chat, pytest.raises(KnownError):
        count(chat, chat.services.sessions.all().result()[0].key)


def test_without_a_connection_nothing_is_counted(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small") as chat:
        session = chat.session()
        chat.say(session, "Hello")
        settings = tmp_path / "settings.toml"
        settings.write_text(settings.read_text("utf-8").replace('"fake"', '"another"'), "utf-8")
        with pytest.raises(CannotCountError, match="The context was not counted: the connection of this session"):
            count(chat, session)
        settings.write_text("", "utf-8")
        with pytest.raises(ProviderError) as raised:
            count(chat, session)
        assert raised.value.fault is Fault.KEY
        assert counted(server) == []


def test_definitions_are_measured_in_the_request(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small", chat=PROMPT, tools=TOOLS) as chat:
        session = chat.session()
        chat.say(session, "Hello")
        found = view(chat, session).breakdown
        assert found.total.kind is FigureKind.REPORTED
        assert found.categories[Category.SYSTEM].kind is FigureKind.ESTIMATED
        tools = found.categories[Category.TOOL_DEFINITIONS]
        assert tools.kind is FigureKind.ESTIMATED
        assert 5 < (tools.value or 0) < 60
        assert sum(part.value or 0 for part in found.categories.values()) == found.total.value
        assert ToolDefinition("read_file") in TOOLS.definitions(chat.services.sessions.get(session).result())


def test_a_note_tells_the_measured_parts(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, model="small", chat=PROMPT, tools=TOOLS) as chat:
        session = chat.session()
        for _ in range(4):
            chat.say(session, "A short story. " * 300)
        found = view(chat, session).breakdown
        leaf = chat.services.sessions.get(session).result().leaf
        assert leaf is not None
        request = CompactionRequest(session=session, leaf=leaf, keep_recent_tokens=300, notice=noted)
        done = chat.services.compaction.run(request).result()
        parts = (found.categories[part] for part in (Category.SYSTEM, Category.TOOL_DEFINITIONS))
        system, tools = map(figure_text, parts)
        assert f"🔧 System: {system} tokens" in done.notice
        assert f"({tools} defs + 0 calls)" in done.notice
        assert "inferred" not in done.notice
