"""Automatic compaction into a new session: the window follows, with the draft and the queue."""

from __future__ import annotations

from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.entry import Kind
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat
from tests.journeys.person import Person
from tests.journeys.test_auto_compaction import ANSWER, LINE, send, started


def ready(person: Person, server: AnthropicServer) -> Chat:
    """A chat whose next long message makes a compaction due."""
    chat = started(person, server)
    services = person.application.services
    services.preferences.change("compaction.strategy", "new-session").result(PATIENCE)
    services.runs.count_down(0)
    server.script(ANSWER, Reply(blocks=(Say(LINE * 1_000),)))
    send(chat, 2_000)
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    return chat


def followed(person: Person, old: int | None) -> None:
    opened = person.gui.opened
    person.until(
        lambda: (
            opened.key != old and opened.session_tree is not None and opened.session_tree.session.key == opened.key
        )
    )


def test_the_window_follows_with_the_draft(person: Person, chat_server: AnthropicServer) -> None:
    chat = ready(person, chat_server)
    old = person.gui.opened.key
    send(chat, 10)
    chat.composer.put("Something half written")
    cursor = chat.composer.editor.textCursor()
    cursor.setPosition(9)
    chat.composer.editor.setTextCursor(cursor)
    followed(person, old)
    assert person.tree.kind(0) is Kind.COMPACTION
    assert chat.composer.text == "Something half written"
    assert chat.composer.editor.textCursor().position() == 9
    person.until(lambda: "Continued in a new session" in person.window.toast.text)
    person.until(person.window.transcript.lineage.before.isVisible)
    new = person.gui.opened.key
    person.window.toast.click()
    person.until(lambda: person.gui.opened.key == old)
    assert chat.composer.text == ""
    drafts = person.application.services.drafts
    assert old is not None
    assert new is not None
    person.until(lambda: (drafts.get(old).result(), drafts.get(new).result()) == ("", "Something half written"))


def test_who_reads_in_the_workbench_is_asked(person: Person, chat_server: AnthropicServer) -> None:
    chat = ready(person, chat_server)
    old = person.gui.opened.key
    person.application.services.runs.count_down(PATIENCE)
    send(chat, 10)
    person.until(lambda: chat.phase is Phase.IDLE and "compact-now" in chat.composer.run_line.offers)
    person.until(person.is_planned)  # planned later than the reply is shown
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    assert old is not None
    person.application.services.runs.answer_compaction(old, begin=True)
    person.until(lambda: "was continued in a new one" in person.window.toast.text)
    assert person.gui.opened.key == old
    person.window.toast.click()
    followed(person, old)
