"""A message that never got its reply: the line above the composer says so and offers one, also after a restart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.run import RunState
from stemmata.gui.composer.view import RunLine
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Break, Call, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat
from tests.journeys.keys import Keys
from tests.journeys.person import Person

TOLD = "The last message has no reply."


@pytest.fixture
def chat(person: Person, chat_server: AnthropicServer) -> Chat:
    connection = Connection(name="Fake", base_url=chat_server.url, model="claude-opus-4-5")
    person.application.services.connecting.save(connection).result(PATIENCE)
    person.window.actions_table["new-chat"].trigger()
    chat = Chat(person, Keys(person))
    person.until(lambda: person.gui.opened.session_tree is not None and chat.composer.foot.model.isVisible())
    return chat


def asked(server: AnthropicServer) -> list[str]:
    return [request.path for request in server.requests if request.path.startswith("/v1/messages")]


def test_it_is_offered_after_a_stop_and_after_a_restart(
    chat: Chat, chat_server: AnthropicServer, reopened: Callable[[], Person]
) -> None:
    chat_server.script(Reply(blocks=(Say("Too late."),), wait=30.0))
    chat.hands.send("Hello")
    chat.until(lambda: chat.said() == ["Hello"] and bool(asked(chat_server)))
    chat.person.window.actions_table["stop"].trigger()
    chat.until(lambda: chat.composer.run_line.text == TOLD)
    later = reopened()
    line = later.window.transcript.composer.run_line
    later.until(lambda: line.isVisible() and line.text == TOLD)
    chat_server.script(Reply(blocks=(Say("Here it is."),)))
    line.offers["retry"].click()
    Chat(later, chat.hands).until_said("Hello", "Here it is.")
    later.until(lambda: not line.isVisible())


def test_it_is_never_said_while_a_reply_is_coming(
    chat: Chat, chat_server: AnthropicServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems, show = set[object](), RunLine.show_state

    def show_state(line: RunLine, state: RunState) -> None:
        problems.add(state.problem)
        show(line, state)

    monkeypatch.setattr(RunLine, "show_state", show_state)
    said = list[str]()
    for number in range(4):
        chat_server.script(Reply(blocks=(Say(f"Answer {number}."),)))
        chat.hands.send(f"Question {number}")
        said += [f"Question {number}", f"Answer {number}."]
        chat.until_said(*said)
    assert problems == {""}


def test_a_call_that_broke_off_is_offered_again_after_a_restart(
    chat: Chat, chat_server: AnthropicServer, reopened: Callable[[], Person]
) -> None:
    """The results that say so stand below the reply then."""
    call = Call("look", {"at": "one place and then another " * 20})
    chat_server.script(Reply(blocks=(Say("Let me look."), call), breaks=Break("stall", after=9)))
    chat.hands.send("Hello")
    streams = chat.person.gui.controllers.streams
    chat.until(lambda: any(len(reply.blocks) == 2 for reply in streams.replies(chat.person.gui.opened.key)))
    chat.person.window.actions_table["stop"].trigger()
    chat.until(lambda: not chat.person.gui.controllers.runs.state.is_busy)
    later = reopened()
    line = later.window.transcript.composer.run_line
    later.until(lambda: line.isVisible() and line.text.startswith("The last reply was stopped."))
    chat_server.script(Reply(blocks=(Say("Here it is."),)))
    line.offers["retry"].click()
    Chat(later, chat.hands).until_said("Hello", "Here it is.")


def test_a_result_that_the_model_never_saw_is_offered_after_a_restart(
    chat: Chat, chat_server: AnthropicServer, reopened: Callable[[], Person]
) -> None:
    chat_server.script(Reply(blocks=(Call("look", {"at": "one"}),)), Reply(blocks=(Say("Too late."),), wait=30.0))
    chat.hands.send("Hello")
    chat.until(lambda: len(asked(chat_server)) == 2)
    chat.person.window.actions_table["stop"].trigger()
    later = reopened()
    line = later.window.transcript.composer.run_line
    later.until(lambda: line.isVisible() and line.text == TOLD)
