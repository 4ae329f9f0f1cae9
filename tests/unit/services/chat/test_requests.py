"""What a run sends: the request that is shown, to the connection that fits the session."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stemmata.domain.chat.connections import ANTHROPIC_URL, Connection
from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.chat.requests import NoModelError, RunOverrides, model_of
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import chat_app
from tests.fakes.scripted_provider import ScriptedBench, said
from tests.fakes.waiting import PATIENCE

LOCAL = Connection(name="local", base_url="http://127.0.0.1:9", model="own")


@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        ("local", "picked", "picked"),
        ("local", "", "own"),
        ("anthropic", "claude-x", "claude-x"),
        ("openai", "gpt-x", "own"),
        ("", "", "own"),
    ],
)
def test_a_connection_is_asked_for_a_model_it_has(provider: str, model: str, expected: str) -> None:
    assert model_of(LOCAL, provider, model) == expected


def test_without_any_model_the_person_is_asked() -> None:
    with pytest.raises(NoModelError, match="No model is chosen for “bare”"):
        model_of(Connection(name="bare"), "", "")
    assert model_of(Connection(name="bare"), "openai", "gpt-x") == "gpt-x"


def test_a_run_without_a_model_fails_and_keeps_the_message(chat: ScriptedBench) -> None:
    chat.provider.connection = Connection(name="bare")
    session = chat.session()
    chat.talk(session, "Hello")
    state = chat.runs.state(session)
    assert (state.phase, state.offers) == (Phase.FAILED, ("connect", "retry"))
    assert chat.told(session) == ["user: Hello"]


def test_what_broke_off_alone_has_nothing_large_in_it(chat: ScriptedBench) -> None:
    session = chat.session()
    broken = Entry(id="b", role=Role.ASSISTANT, blocks=(Text("I was"),), flags=Flag.FAILED)
    [key] = chat.archive.write(lambda writer: writer.append(session, [broken])).result()
    chat.archive.write(lambda writer: writer.move_leaf(session, key, "import", time=1)).result()
    request = chat.runs.loop.run(chat.runs.parts.requests.prepare(session, key, RunOverrides())).result(PATIENCE)
    assert (request.largest, request.culprit(1000), request.fits) == (None, None, True)


def known(chat: ScriptedBench, *connections: Connection) -> None:
    """Make the settings contain these connections, without cached lists of models."""
    chat_ports: Any = chat.services.chat_ports.connections
    chat_ports.file = SimpleNamespace(connections=lambda: connections)
    chat_ports.cache = SimpleNamespace(read=lambda _connection: None)


def test_the_request_that_is_shown_is_the_one_that_is_sent(chat: ScriptedBench) -> None:
    chat.services.adopt_chat(ChatSettings(system_prompt="Be brief.", max_tokens=300, cache_ttl="1h"))
    known(chat, chat.provider.connection)
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    chat.runs.pick_level(session, "high").result()
    chat.talk(session, "And?")
    session_tree = chat.services.sessions.open(session).result()
    prompts = [at for at in range(len(session_tree.tree)) if session_tree.tree.role(at).text == "user"]
    shown = [chat.services.requests.payload(session_tree, at, "anthropic").result() for at in prompts]
    assert shown == chat.provider.requests
    assert shown[0]["system"][0]["text"] == "Be brief."


def test_another_form_is_shown_with_what_entries_name(chat: ScriptedBench) -> None:
    known(chat, chat.provider.connection)
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    session_tree = chat.services.sessions.open(session).result()
    shown = chat.services.requests.payload(session_tree, 1, "openai-chat").result()
    assert (shown["model"], shown["messages"][-1]["role"]) == ("m", "assistant")


def test_the_message_before_is_named_to_a_server_that_tells_what_broke_its_cache(chat: ScriptedBench) -> None:
    chat.provider.connection = Connection(name="anthropic", base_url=ANTHROPIC_URL + "/", model="m")
    known(chat, chat.provider.connection)
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    chat.talk(session, "And?", said(Text("Well.")))
    chat.services.adopt_chat(ChatSettings(cache_ttl="off"))
    chat.talk(session, "So?", said(Text("So.")))
    assert [request.get("diagnostics") for request in chat.provider.requests] == [
        None, {"previous_message_id": "msg"}, None,
    ]  # fmt: skip


def test_a_wrong_connection_makes_no_reply_of_another(chat: ScriptedBench) -> None:
    """The reply before was another connection's: its id means nothing here."""
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    chat.provider.connection = Connection(name="anthropic", base_url=ANTHROPIC_URL, model="m")
    known(chat, chat.provider.connection)
    chat.talk(session, "And?")
    assert "diagnostics" not in chat.provider.requests[-1]


def test_what_a_server_offers_is_known_to_the_request(tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url, model="claude-opus-4-5") as chat:
        chat.services.connecting.models("fake").result(PATIENCE)
        session = chat.session()
        chat.say(session, "Hello")
        chat.runs.pick_level(session, "high").result()
        chat.say(session, "Think first")
        assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
        assert server.requests[-1].body["thinking"]["type"] == "enabled"
        offered = chat.archive.read(
            lambda _reader: chat.services.chat_ports.offered("fake", "claude-opus-4-5")
        ).result()
        assert offered is not None
        assert offered.window == 200_000
        assert chat.archive.read(lambda _reader: chat.services.chat_ports.offered("none", "x")).result() is None


def test_costs_are_those_of_the_catalogue(tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url, model="claude-opus-4-5") as chat:
        session = chat.session()
        chat.say(session, "Hello")
        usage = chat.path(session)[-1][0].usage
        assert usage is not None
        assert usage.cost == usage.input * 5 + usage.output * 25
        assert chat.services.sessions.get(session).result().cost in (0, usage.cost)  # computed a moment later


def test_without_a_network_requests_are_shown_all_the_same(bench: Any, talk: Any) -> None:
    session_tree = bench.imported(talk("s", ("1", None, "user", "Hi")))
    assert bench.services.requests.payload(session_tree, 0, "anthropic").result()["messages"]
