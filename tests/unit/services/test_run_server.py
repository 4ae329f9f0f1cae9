"""Runs over the real SDK and a strict server: what is sent keeps every rule, and stopping hangs up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.run import Phase, RunChanged, Streamed
from stemmata.domain.chat.streaming import BlockGrew
from stemmata.domain.entries.blocks import Text, Thinking, plain_text
from stemmata.domain.entries.entry import Role
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.chat.run_states import sent_without_thoughts
from tests.fakes import anthropic_server, openai_server
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Break, Call, Refuse, Reply, Say, Think, flood
from tests.fakes.waiting import PATIENCE
from tests.faults.chatting_child import tools

THINKS, PLAIN = "claude-opus-4-5", "claude-haiku-3-5"


@pytest.fixture
def chat(server: AnthropicServer, tmp_path: Path) -> Iterator[ChatApp]:
    with chat_app(tmp_path, server.url, tools=tools(), chat=ChatSettings(longest_wait=0), model=THINKS) as chat:
        yield chat


def test_thoughts_calls_and_results_go_back_as_the_server_wants_them(server: AnthropicServer, chat: ChatApp) -> None:
    server.script(
        Reply(blocks=(Think("Where do I look?"), Say("I look."), Call("look", {"at": "tree"}), Call("look"))),
        Reply(blocks=(Think("Now I know."), Say("There it is."))),
    )
    session = chat.session()
    chat.runs.pick_level(session, "high").result()
    chat.say(session, "Where is it?")
    chat.say(session, "Are you sure?")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    replies = [body.blocks for row, body in chat.path(session) if row.role is Role.ASSISTANT]
    thoughts = [block for blocks in replies for block in blocks if isinstance(block, Thinking)]
    assert all(thought.signature for thought in thoughts)
    assert len(server.requests) == 3
    sent = server.requests[1].body["messages"][1]["content"]
    assert [block["type"] for block in sent] == ["thinking", "text", "tool_use", "tool_use"]


@pytest.mark.parametrize(("model", "level"), [(PLAIN, ""), (THINKS, ""), (THINKS, "high"), ("claude-sonnet-5-5", "")])
def test_going_on_is_taken_by_every_model(server: AnthropicServer, chat: ChatApp, model: str, level: str) -> None:
    session = chat.session()
    chat.runs.pick_model(session, "fake", model).result()
    if level:
        chat.runs.pick_level(session, level).result()
    server.script(Reply(blocks=(Say("One two three four five six"),), piece=4, breaks=Break("fin", 3)))
    chat.say(session, "Count")
    assert chat.runs.state(session).phase is Phase.INTERRUPTED
    begun = chat.told(session)[-1].removeprefix("assistant: ").rstrip()
    server.script(Reply(blocks=(Say(" and so on"),)))
    chat.runs.go_on(session).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session)[-1] == f"assistant: {begun} and so on"
    chat.say(session, "Thanks")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)


def test_stopping_hangs_up(server: AnthropicServer, chat: ChatApp) -> None:
    session = chat.session()
    chat.say(session, "warm")
    server.script(flood(2 * PATIENCE))
    chat.send(session, "Tell me everything")
    chat.wait(
        lambda: sum(isinstance(event, Streamed) and isinstance(event.event, BlockGrew) for event in chat.events) > 9
    )
    chat.runs.stop(session).result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE
    assert server.gone.wait(PATIENCE)
    assert len(chat.told(session)) == 4


def test_a_reply_of_200_kilobytes_is_whole(server: AnthropicServer, chat: ChatApp) -> None:
    text = "All work and no play makes a dull reply.\n" * 5000
    server.script(Reply(blocks=(Say(text),), piece=200))
    session = chat.session()
    chat.services.adopt_chat(ChatSettings(max_tokens=64_000))
    chat.say(session, "At length, please")
    [reply] = [body for row, body in chat.path(session) if row.role is Role.ASSISTANT]
    assert reply.blocks == (Text(text),)
    assert chat.shown() == text


def test_what_waits_survives_the_program_and_is_not_sent_by_itself(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url) as chat:
        session = chat.session()
        server.script(flood(60))
        chat.send(session, "a")
        chat.wait_phase(session, Phase.STREAMING)
        chat.send(session, "b")
        chat.send(session, "c")
    with chat_app(tmp_path, server.url) as again:
        assert again.services.recover().result() == 0
        assert [message.blocks for message in again.runs.queued(session).result()] == [(Text("b"),), (Text("c"),)]
        assert len(server.requests) == 1
        again.runs.send_now(session).result(PATIENCE)
        again.wait_phase(session, Phase.IDLE)
        assert [line for line in again.told(session) if line.startswith("user")] == ["user: a", "user: b", "user: c"]


@pytest.mark.slow
def test_sessions_of_other_tools_go_on(chat: ChatApp, samples: Path) -> None:
    """The strict server accepts the request for every tool's session, and the record stays unchanged."""
    report = chat.services.importing.import_paths([samples]).result(PATIENCE)
    kept = {found.key: raw(chat, found.key) for found in report.sessions}
    went_on = 0
    for session in list(kept)[:25]:
        chat.runs.pick_model(session, "fake", THINKS).result()
        chat.say(session, "Go on, please.")
        state = chat.runs.state(session)
        assert state.phase is Phase.IDLE, (session, state.problem)
        assert plain_text(chat.path(session)[-1][1].blocks) == "You said: Go on, please."
        assert raw(chat, session) == kept[session]
        went_on += 1
    assert went_on > 5


def raw(chat: ChatApp, session: int) -> bytes:
    return b"".join(chat.archive.read(lambda reader: list(reader.raw(session))).result())


def test_a_connection_that_is_changed_is_asked_at_its_new_address(server: AnthropicServer, chat: ChatApp) -> None:
    """The old client is closed in the middle of a request; the next try neither uses nor opens it again."""
    session = chat.session()
    server.script(Reply(breaks=Break("stall", -1)))
    chat.send(session, "Hello")
    assert server.asked.wait(PATIENCE)
    with AnthropicServer() as other:
        chat.services.connecting.save(Connection(name="fake", base_url=other.url, model=THINKS)).result(PATIENCE)
        chat.wait_phase(session, Phase.IDLE)
        assert chat.told(session) == ["user: Hello", "assistant: You said: Hello"]
        assert (len(server.requests), len(other.requests)) == (1, 1)


@pytest.mark.parametrize("calls", [False, True], ids=["a turn", "a call"])
def test_thinking_that_its_server_refuses_is_left_out(
    server: AnthropicServer, chat: ChatApp, calls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server no longer accepts its own signature; the request succeeds at the second attempt."""
    session = chat.session()
    chat.runs.pick_level(session, "high").result()
    server.script(Reply(blocks=(Think("Where do I look?"), Say("There."))))
    chat.say(session, "Where is it?")
    monkeypatch.setattr(anthropic_server, "signature_of", lambda thinking: f"anew-{len(thinking)}")
    server.script(*([Reply(blocks=(Think("Look."), Call("look", {"at": "tree"})))] if calls else []))
    chat.say(session, "Are you sure?")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    refused, *sent = [json.dumps(request.body["messages"]) for request in server.requests[1:]]
    assert '"thinking"' in refused
    assert "Where do I look?" not in "".join(sent)
    remarks = {event.state.remark for event in chat.events if isinstance(event, RunChanged)}
    assert str(sent_without_thoughts()) in remarks
    asked = len(server.requests)
    chat.say(session, "And now?")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    [later] = server.requests[asked:]  # the refusal is remembered, so no request is refused again
    assert "Where do I look?" not in json.dumps(later.body["messages"])
    assert ("Look." in json.dumps(later.body["messages"])) is calls  # what the server signed afterwards is sent


def test_a_refusal_without_thinking_to_leave_out_is_told(server: AnthropicServer, chat: ChatApp) -> None:
    session = chat.session()
    refused = Refuse(400, "messages.1.content.0: Invalid `signature` in `thinking` block", "invalid_request_error")
    server.script(refused, refused)
    chat.say(session, "Hello")
    state = chat.runs.state(session)
    assert (state.phase, len(server.requests)) == (Phase.FAILED, 2)
    assert "Invalid `signature`" in state.problem


def test_thinking_that_is_refused_in_one_session_is_sent_in_others(
    server: AnthropicServer, chat: ChatApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("refused", "accepted"):
        session = chat.session(name)
        chat.runs.pick_level(session, "high").result()
        server.script(Reply(blocks=(Think("Where do I look?"), Say("There."))))
        chat.say(session, "Where is it?")
        # from here on, the server knows only signatures that it made after this
        monkeypatch.setattr(anthropic_server, "signature_of", lambda thinking: f"anew-{len(thinking)}")
        chat.say(session, "Are you sure?")
        assert ("Where do I look?" in json.dumps(server.requests[-1].body["messages"])) is (name == "accepted")


def test_thinking_that_is_refused_on_one_branch_is_left_out_of_what_shares_it_alone(
    server: AnthropicServer, chat: ChatApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = chat.session()

    def say(text: str, thought: str, under: int | None) -> int:
        """Send a message below an entry; return the reply's key."""
        server.script(Reply(blocks=(Think(thought), Say("There."))))
        chat.send(session, text, under=under)
        chat.wait(lambda: not chat.runs.state(session).is_busy)
        assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
        return chat.path(session)[-1][0].key

    chat.runs.pick_level(session, "high").result()
    level = chat.path(session)[-1][0].key
    shed = say("Look in the shed.", "Shed thought.", level)
    # from here on, the server knows only signatures that it makes now
    monkeypatch.setattr(anthropic_server, "signature_of", lambda thinking: f"anew-{len(thinking)}")
    house = say("Look in the house.", "House thought.", level)
    say("Go on.", "Later thought.", shed)
    asked = len(server.requests)
    say("Go on in the house.", "Last thought.", house)
    say("Go on in another way.", "Very last thought.", shed)
    sent = [json.dumps(request.body["messages"]) for request in server.requests[asked:]]
    thoughts = ("Shed thought.", "House thought.", "Later thought.")
    assert [[thought for thought in thoughts if thought in body] for body in sent] == [["House thought."], []]


@pytest.mark.parametrize("calls", [False, True], ids=["a turn", "a call"])
def test_reasoning_that_its_server_refuses_is_left_out(
    tmp_path: Path, calls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenAI's Responses API refuses reasoning; the request succeeds at the second attempt."""
    settings = ChatSettings(longest_wait=0)
    with (
        OpenAIServer() as server,
        chat_app(
            tmp_path, f"{server.url}/v1", api="openai-responses", model="gpt-5.5", tools=tools(), chat=settings
        ) as chat,
    ):
        session = chat.session()
        chat.runs.pick_level(session, "high").result()
        server.script(Reply(blocks=(Think("Where do I look?"), Say("There."))))
        chat.say(session, "Where is it?")
        monkeypatch.setattr(openai_server, "encrypted", lambda item: f"anew-{item}")
        server.script(*([Reply(blocks=(Think("Look."), Call("look", {"at": "tree"})))] if calls else []))
        chat.say(session, "Are you sure?")
        assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
        refused, *sent = [json.dumps(request.body["input"]) for request in server.requests[1:]]
        assert '"reasoning"' in refused
        assert "sealed-here" not in "".join(sent)
        assert len(sent) == 1 + calls
        assert ("anew-" in sent[-1]) is calls  # what the server encrypted afterwards is sent
        remarks = {event.state.remark for event in chat.events if isinstance(event, RunChanged)}
        assert str(sent_without_thoughts()) in remarks
