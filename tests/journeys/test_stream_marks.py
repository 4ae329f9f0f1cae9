"""A reply that is being written is seen from afar: in the navigator and in the list of sessions."""

from __future__ import annotations

from PySide6.QtCore import Qt

from stemmata.domain.chat.run import Phase
from stemmata.gui.cards.streaming import StreamingCard
from stemmata.gui.sessions.model import SessionRole
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import flood
from tests.journeys.chatting import Chat

WRITTEN = "reply streaming"


def shows_stream(view: TranscriptView) -> bool:
    return any(card.isVisible() for card in view.findChildren(StreamingCard))


def test_the_mark_stands_where_the_reply_will(chat: Chat, chat_server: AnthropicServer) -> None:
    person = chat.person
    chat_server.script(flood(60))
    chat.hands.send("Hello")
    rows, sessions = person.window.branches.list.model, person.window.sessions_model
    person.until(lambda: [WRITTEN in rows.accessible_name(row) for row in range(len(rows))] == [True])
    assert rows.shown(0).meta == "streaming"
    row = sessions.row_of(person.gui.opened.key)
    assert row is not None
    index = sessions.index(row)
    assert index.data(SessionRole.RUNNING) is True
    assert str(index.data(Qt.ItemDataRole.AccessibleTextRole)).endswith(WRITTEN)
    person.window.actions_table["split-view"].setChecked(True)
    sides = person.window.transcript.view, person.window.beside.view
    person.until(lambda: all(shows_stream(view) for view in sides))
    chat.hands.stop()
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 2)
    person.until(lambda: not any(shows_stream(view) for view in sides))
    person.until(lambda: not any(rows.shown(at).streaming for at in range(len(rows))))
    assert index.data(SessionRole.RUNNING) is False
