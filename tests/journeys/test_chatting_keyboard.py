"""Chatting without a mouse."""

from __future__ import annotations

from collections.abc import Callable

from tests.fakes.anthropic_server import AnthropicServer
from tests.journeys.chatting import Chat, go
from tests.journeys.keys import Keys
from tests.journeys.person import Person


def test_the_journey_by_keyboard(
    person: Person, chat_server: AnthropicServer, reopened: Callable[[], Person]
) -> None:
    def restart() -> Chat:
        later = reopened()
        return Chat(later, Keys(later))

    go(Chat(person, Keys(person)), chat_server, restart)
