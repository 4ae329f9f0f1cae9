"""Chatting from the window, whoever's hands do it: connect, talk, stop, edit, queue, fork, come back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Flag, Role
from stemmata.gui.composer.queue import QueueRows
from stemmata.gui.composer.view import Composer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Reply, Say, flood
from tests.fakes.waiting import PATIENCE
from tests.journeys.keys import Keys
from tests.journeys.person import Person

Key = Qt.Key


class ChatHands(Protocol):
    """Runs actions of chatting without waiting for their effects."""

    def start_chat(self) -> None: ...
    def connect(self, url: str) -> None: ...
    def send(self, text: str) -> None: ...
    def stop(self) -> None: ...
    def edit(self, key: int) -> None: ...
    def regenerate(self, key: int) -> None: ...
    def previous_sibling(self, key: int) -> None: ...
    def go_to_leaf(self) -> None: ...
    def lift_queued(self, row: int) -> None: ...
    def drop_queued(self, row: int) -> None: ...
    def fork(self, key: int) -> None: ...


def connect(person: Person, server: AnthropicServer, model: str = "claude-opus-4-5") -> None:
    """A model that answers, as if somebody had connected it."""
    connection = Connection(name="Fake", base_url=server.url, model=model)
    person.application.services.connecting.save(connection).result(PATIENCE)


def new_chat(person: Person) -> Chat:
    """Start a new chat with a connected model."""
    chat = Chat(person, Keys(person))
    person.window.actions_table["new-chat"].trigger()
    person.until(lambda: person.gui.opened.session_tree is not None and chat.composer.foot.model.isVisible())
    return chat


class Chat:
    """What is seen of it."""

    def __init__(self, person: Person, hands: ChatHands) -> None:
        self.person, self.hands = person, hands

    @property
    def composer(self) -> Composer:
        return self.person.window.transcript.composer

    @property
    def phase(self) -> Phase:
        return self.person.gui.controllers.runs.state.phase

    def said(self) -> list[str]:
        """The texts along the path that is shown, from its start."""
        opened = self.person.gui.opened
        if opened.session_tree is None:
            return []
        tree = opened.session_tree.tree
        keys = [tree.key(at) for at in tree.path(opened.end) if tree.role(at) in (Role.USER, Role.ASSISTANT)]
        bodies = self.person.application.services.entries.bodies(keys).result(PATIENCE)
        return [plain_text(bodies[key].blocks) for key in keys]

    def keys(self) -> list[int]:
        """Return the keys of the entries in `said`."""
        tree, end = self.person.tree, self.person.gui.opened.end
        return [tree.key(at) for at in tree.path(end) if tree.role(at) in (Role.USER, Role.ASSISTANT)]

    def until_said(self, *texts: str) -> None:
        """Wait until exactly these messages were said and no run is busy."""
        self.person.until(lambda: self.phase is Phase.IDLE and self.said() == list(texts))

    def until_told(self, count: int) -> None:
        """Wait until this number of notices appeared and no run is busy."""
        self.person.until(lambda: self.phase is Phase.IDLE and len(self.said()) == count)

    def streamed(self) -> str:
        """Return the part of the streaming reply that the window has received."""
        replies = self.person.gui.controllers.streams.replies(self.person.gui.opened.key)
        return "".join(piece for reply in replies for block in reply.blocks.values() for piece in block.pieces)

    def until(self, condition: Callable[[], bool | None]) -> None:
        self.person.until(condition)


def go(chat: Chat, server: AnthropicServer, restart: Callable[[], Chat]) -> None:
    """The whole journey."""
    person, hands, composer = chat.person, chat.hands, chat.composer
    hands.start_chat()
    person.until(lambda: person.gui.opened.session_tree is not None)
    hands.connect(server.url)
    person.until(lambda: composer.foot.model.isVisible() and "sonnet" in composer.foot.model.text())
    _talk_and_stop(chat, server)
    _edit_and_regenerate(chat, server)
    _queue(chat, server)
    _fork(chat)
    said = chat.said()
    _come_back(restart(), said)


def _talk_and_stop(chat: Chat, server: AnthropicServer) -> None:
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    server.script(flood(60))
    chat.hands.send("Tell me more")
    chat.until(lambda: "quick" in chat.streamed())  # before the first word there is nothing that could be kept
    chat.until(lambda: chat.composer.foot.stop.isVisible())
    chat.hands.stop()
    chat.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    stopped = chat.person.tree.index(chat.keys()[-1])
    assert Flag(chat.person.tree.columns.flags[stopped]) & Flag.ABORTED
    chat.until(lambda: list(chat.composer.run_line.offers) == ["continue", "retry"])


def _edit_and_regenerate(chat: Chat, server: AnthropicServer) -> None:
    """The second question is asked differently, and answered twice; then the first answer is looked at again."""
    hands, second = chat.hands, chat.keys()[2]
    hands.edit(second)
    chat.until(lambda: chat.composer.text == "Tell me more" and len(chat.said()) == 2)
    hands.send(", please")
    chat.until_said("Hello", "You said: Hello", "Tell me more, please", "You said: Tell me more, please")
    server.script(Reply(blocks=(Say("Another answer."),)))
    hands.regenerate(chat.keys()[-1])
    chat.until_said("Hello", "You said: Hello", "Tell me more, please", "Another answer.")
    answer = chat.keys()[-1]
    hands.previous_sibling(answer)
    chat.until(lambda: chat.said()[-1] == "You said: Tell me more, please")
    assert chat.person.leaf == answer  # looking moves nothing
    hands.go_to_leaf()
    chat.until(lambda: chat.said()[-1] == "Another answer.")


def _queue(chat: Chat, server: AnthropicServer) -> None:
    """Queue three messages during a reply: one is dropped, and the last is moved to the front."""
    hands, queue = chat.hands, chat.composer.queue
    server.streaming.clear()
    server.script(flood(600))
    hands.send("Go on")
    chat.until(server.streaming.is_set)
    for number, text in enumerate(("one", "two", "three")):
        hands.send(text)
        chat.until(partial(_has_rows, queue, number + 1))
    hands.drop_queued(0)
    chat.until(lambda: _waiting(chat) == ["two", "three"])
    hands.lift_queued(1)
    chat.until(lambda: _waiting(chat) == ["three", "two"])
    chat.until(partial(_assert_last, chat, "Go on"))  # what waits takes no part
    hands.stop()
    chat.until(lambda: chat.phase is Phase.IDLE)
    queue.rows[0].buttons["send"].setFocus()
    QTest.keyClick(queue.rows[0].buttons["send"], Key.Key_Space)
    chat.until(lambda: chat.phase is Phase.IDLE and not queue.rows and len(chat.said()) == 10)
    assert chat.person.window.focusWidget() is chat.composer.editor  # the row that had the focus is gone
    assert [text for text in chat.said() if "said: " not in text][-2:] == ["three", "two"]


def _assert_last(chat: Chat, text: str) -> None:
    """Fail unless this was said last; a wait for this tells at its end what was."""
    assert chat.said()[-1] == text, (chat.said()[-3:], chat.phase, _waiting(chat))


def _fork(chat: Chat) -> None:
    before = chat.person.gui.opened.key
    chat.hands.fork(chat.keys()[1])
    opened = chat.person.gui.opened
    chat.until(lambda: opened.key != before and opened.session_tree is not None)
    chat.until_said("Hello", "You said: Hello")
    chat.hands.send("From the fork")
    chat.until_said("Hello", "You said: Hello", "From the fork", "You said: From the fork")


def _come_back(chat: Chat, said: list[str]) -> None:
    """Restart, check that the same is shown, and continue."""
    chat.until(lambda: chat.said() == said)
    chat.until(lambda: chat.composer.foot.model.isVisible())
    chat.hands.send("Still there?")
    chat.until_said(*said, "Still there?", "You said: Still there?")


def _has_rows(queue: QueueRows, count: int) -> bool:
    return len(queue.rows) == count


def _waiting(chat: Chat) -> list[str]:
    return [plain_text(item.blocks) for item in chat.composer.queue.queued]
