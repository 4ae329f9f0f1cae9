"""A session that is compacted by itself: counted down, refused, begun, told, undone, and switched off."""

from __future__ import annotations

from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.entry import Kind
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Refuse, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat, connect, new_chat
from tests.journeys.person import Person
from tests.journeys.test_memory_flush import seen

LINE = "The quick brown fox.\n"  # 5 tokens; the trigger of the small model is at 24,576
ANSWER = Reply(blocks=(Say("I see."),))


def compactions(person: Person) -> int:
    return sum(1 for _ in person.tree.of_kind(Kind.COMPACTION))


def started(person: Person, server: AnthropicServer) -> Chat:
    """A chat of 10,000 tokens with the small model."""
    services = person.application.services
    connect(person, server, "qwen3:8b")
    services.connecting.models("Fake").result(PATIENCE)
    chat = new_chat(person)
    server.script(ANSWER)
    send(chat, 2_000)
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 2)
    return chat


def send(chat: Chat, lines: int) -> None:
    chat.composer.put(LINE * lines)
    chat.composer.submit()


def offers(chat: Chat) -> tuple[str, ...]:
    return tuple(chat.composer.run_line.offers)


def test_it_is_counted_down_refused_begun_told_and_undone(person: Person, chat_server: AnthropicServer) -> None:
    chat = started(person, chat_server)
    chat_server.script(ANSWER, ANSWER)
    person.application.services.runs.count_down(PATIENCE)
    send(chat, 4_000)
    person.until(lambda: offers(chat) == ("compact-now", "not-now"))
    assert chat.composer.run_line.text.startswith("Automatic compaction in ")
    chat.composer.run_line.offers["not-now"].click()
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    assert compactions(person) == 0
    send(chat, 800)
    person.until(lambda: offers(chat) == ("compact-now", "not-now"))
    chat.composer.run_line.offers["compact-now"].click()
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 6 and compactions(person) == 1)
    person.until(lambda: "⚙️ Compacted (" in person.window.toast.text)
    view = person.window.transcript.view
    [note] = person.tree.of_kind(Kind.CUSTOM_MESSAGE)
    view.scroll_to(person.tree.key(note))
    person.until(lambda: "🧹 Auto-compaction complete (compaction 1)" in seen(person))
    person.window.actions_table["take-offer"].trigger()  # Undo, but the reply has come since
    person.until(lambda: "The session has new entries since then" in person.window.toast.text)
    assert compactions(person) == 1


def test_in_the_background_it_can_be_undone(person: Person, chat_server: AnthropicServer) -> None:
    chat = started(person, chat_server)
    person.application.services.runs.count_down(0)
    chat_server.script(ANSWER, Reply(blocks=(Say(LINE * 1_000),)))
    send(chat, 2_000)
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    send(chat, 10)
    person.until(lambda: compactions(person) == 1 and "⚙️ Compacted (" in person.window.toast.text)
    opened = person.gui.opened
    person.until(lambda: opened.session is not None and opened.session.leaf == person.tree.key(len(person.tree) - 1))
    person.window.actions_table["take-offer"].trigger()
    person.until(lambda: opened.leaf is not None and person.tree.kind(opened.leaf) is Kind.MESSAGE)


def test_its_undo_takes_back_no_pin_that_came_after_it(person: Person, chat_server: AnthropicServer) -> None:
    """Such as one of another window, or of the command line: the leaf stays where it is."""
    chat = started(person, chat_server)
    person.application.services.runs.count_down(0)
    chat_server.script(ANSWER, Reply(blocks=(Say(LINE * 1_000),)))
    send(chat, 2_000)
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    send(chat, 10)
    person.until(lambda: compactions(person) == 1 and "⚙️ Compacted (" in person.window.toast.text)
    opened, history = person.gui.opened, person.gui.controllers.history
    person.until(lambda: opened.session is not None and opened.session.leaf == person.tree.key(len(person.tree) - 1))
    assert opened.key is not None
    person.application.services.branching.pin(opened.key, person.tree.key(0), on=True).result(PATIENCE)
    person.until(lambda: len(person.tree.pins) == 1)
    person.until(lambda: history.of_session.next_undo is not None and history.of_session.next_undo.what == "pin")
    person.window.actions_table["take-offer"].trigger()
    person.until(lambda: "Undo the compaction on its card" in person.window.toast.text)
    assert len(person.tree.pins) == 1


def test_a_model_that_fails_is_followed_by_the_digest_on_demand(person: Person, chat_server: AnthropicServer) -> None:
    chat = started(person, chat_server)
    services = person.application.services
    services.preferences.change("compaction.summariser", "model").result(PATIENCE)
    services.runs.count_down(0)
    busy = Refuse(529, "Overloaded")
    chat_server.script(busy, busy, busy, ANSWER)  # the summary is asked for three times, in this turn alone
    send(chat, 4_000)
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    person.until(lambda: sum(1 for _ in person.tree.of_kind(Kind.CUSTOM_MESSAGE)) == 1)
    assert "is overloaded" in person.window.toast.text
    person.window.actions_table["take-offer"].trigger()
    person.until(lambda: compactions(person) == 1 and "Compacted" in person.window.toast.text)


def test_the_digest_is_used_and_the_request_sent_again(person: Person, chat_server: AnthropicServer) -> None:
    chat = started(person, chat_server)
    person.application.services.preferences.change("compaction.enabled", False).result(PATIENCE)
    chat_server.script(ANSWER, Reply(blocks=(Say("Once more."),)))
    send(chat, 2_000)
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    person.gui.controllers.runs.way_out_chosen.emit("digest", None)
    person.until(lambda: compactions(person) == 1 and chat.phase is Phase.IDLE and chat.said()[-1] == "Once more.")


def test_a_session_is_switched_off_and_on(person: Person, chat_server: AnthropicServer) -> None:
    chat = started(person, chat_server)
    person.application.services.runs.count_down(0)
    action = person.window.actions_table["auto-compact"]
    assert action.isChecked()
    action.trigger()
    person.until(lambda: not action.isChecked() and "is off for this session" in person.window.toast.text)
    person.until(lambda: person.window.context.automatic == "Off for this session")
    chat_server.script(ANSWER)
    send(chat, 4_000)
    person.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    action.trigger()
    person.until(lambda: action.isChecked() and "is on for this session" in person.window.toast.text)
    person.until(lambda: person.window.context.automatic == "Above 24.6k")
    assert compactions(person) == 0
    person.application.services.preferences.change("compaction.enabled", False).result(PATIENCE)
    person.until(lambda: person.window.context.automatic == "Off in the settings")
    action.trigger()
    person.until(lambda: "for all sessions" in person.window.toast.text)
    assert not action.isChecked()
