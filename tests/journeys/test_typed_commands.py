"""Commands typed into the message: completed with what stands behind them, done, and never sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Kind
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat
from tests.journeys.keys import Keys
from tests.journeys.person import Person

Key = Qt.Key


def test_what_stands_behind_a_command_is_offered(chat: Chat) -> None:
    commands, editor = chat.person.gui.controllers.chat.commands, chat.composer.editor
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    QTest.keyClicks(editor, "/think hi")
    chat.until(lambda: [item.usage for item in commands.list.offered] == ["high"])
    QTest.keyClick(editor, Key.Key_Tab)
    assert chat.composer.text == "/think high"
    chat.until(lambda: commands.list.offered == ())
    before = len(chat.person.tree)
    QTest.keyClick(editor, Key.Key_Return)
    chat.until(lambda: len(chat.person.tree) == before + 2)  # the pick, and the note that tells it
    tree = chat.person.tree
    assert [tree.kind(at) for at in (before, before + 1)] == [Kind.THINKING_LEVEL_CHANGE, Kind.CUSTOM_MESSAGE]


def test_a_typo_is_told_and_two_slashes_send_one(chat: Chat, chat_server: AnthropicServer) -> None:
    chat.hands.send("/staus")
    told = "Unknown command /staus. Did you mean /status? Nothing was sent."
    chat.until(lambda: chat.person.window.toast.text == told)
    chat.hands.send("/think hardest")
    chat.until(lambda: chat.person.window.toast.text.startswith("Unknown thinking level “hardest”."))
    assert not [request for request in chat_server.requests if "messages" in (request.body or {})]
    chat.hands.send("//status")
    chat.until_said("/status", "You said: /status")


def test_resuming_opens_the_session(chat: Chat) -> None:
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    gui, services = chat.person.gui, chat.person.application.services
    old = gui.opened.key
    assert old is not None
    name = services.sessions.get(old).result(PATIENCE).id
    chat.hands.send("/new")
    chat.until(lambda: gui.opened.key not in (None, old))
    chat.hands.send(f"/resume {name}")
    chat.until(lambda: gui.opened.key == old and len(chat.person.tree) == 4)  # with the note of each command
    body = services.entries.bodies([chat.person.tree.key(3)]).result(PATIENCE)
    assert "Resumed in full" in str(body)


def notes(chat: Chat) -> list[str]:
    """The first lines of the notes along the path."""
    tree = chat.person.tree
    path = tree.path(chat.person.gui.opened.end)
    keys = [tree.key(at) for at in path if tree.kind(at) is Kind.CUSTOM_MESSAGE]
    bodies = chat.person.application.services.entries.bodies(keys).result(PATIENCE)
    return [plain_text(bodies[key].blocks).partition("\n")[0] for key in keys]


def test_commands_that_the_window_does_leave_their_note(chat: Chat) -> None:
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    gui, old = chat.person.gui, chat.person.gui.opened.key
    assert old is not None
    chat.hands.send("/abort")
    chat.until(lambda: notes(chat) == ["No reply is running."])
    chat.hands.send("/context")
    chat.until(lambda: len(notes(chat)) == 2 and notes(chat)[1].startswith("📊 Context: "))
    chat.hands.send("/clear")
    chat.until(lambda: gui.opened.key not in (None, old) and gui.opened.session_tree is not None)
    made, fresh = gui.opened.session, gui.opened.key
    assert made is not None
    chat.hands.send("/new")  # an empty session is used instead of another one
    gui.open_session(old)
    chat.until(lambda: gui.opened.key == old and len(notes(chat)) == 3)
    assert notes(chat)[2] == f"Continued in the new session {made.id}."
    assert {session.key for session in chat.person.application.services.sessions.all().result(PATIENCE)} == {
        old,
        fresh,
    }


def test_pruning_by_command_leaves_its_note_and_is_undone_with_it(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    leaf, chat = person.leaf, Chat(person, Keys(person))
    chat.hands.send("/prune")
    chat.until(lambda: len(notes(chat)) == 1)
    assert notes(chat)[0].startswith("🔧 Tool outputs pruned (≈ ")
    chat.until(lambda: person.window.toast.text == notes(chat)[0])
    person.window.toast.click()
    chat.until(lambda: person.leaf == leaf)


def test_undo_in_the_notice_of_a_pruning_takes_back_nothing_newer(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    chat = Chat(person, Keys(person))
    chat.hands.send("/prune")
    chat.until(lambda: len(notes(chat)) == 1 and person.window.toast.text == notes(chat)[0])
    leaf, session = person.leaf, person.gui.opened.key
    assert leaf is not None
    assert session is not None
    person.application.services.branching.label(session, leaf, "later").result(PATIENCE)
    chat.until(lambda: bool(person.tree.labels))
    assert person.window.toast.text == notes(chat)[0]
    person.window.toast.click()
    chat.until(lambda: "Something else was done meanwhile" in person.window.banner.text)
    assert person.tree.labels
    assert len(notes(chat)) == 1


@pytest.mark.parametrize("is_typed", [True, False])
def test_a_compaction_leaves_its_note_and_is_undone_with_it(
    person: Person, session_file: Path, is_typed: bool
) -> None:
    person.drop(session_file)
    leaf, chat, window = person.leaf, Chat(person, Keys(person)), person.window
    person.until(person.is_planned)
    if is_typed:
        chat.hands.send("/compact")
    else:
        window.actions_table["compact"].trigger()
    chat.until(lambda: person.in_workbench() and bool(window.workbench.editor.text))
    chat.until(window.workbench.accept.isEnabled)
    window.workbench.accept.click()
    chat.until(lambda: window.toast.text.startswith("Compacted "))
    chat.until(lambda: person.leaf != leaf and bool(notes(chat)))
    assert all(note.startswith("⚙️ Compacted (") for note in notes(chat))
    window.toast.click()
    chat.until(lambda: person.leaf == leaf and person.gui.opened.is_at_leaf and not notes(chat))
