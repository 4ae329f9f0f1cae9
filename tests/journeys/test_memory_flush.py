"""Before a context is compacted the model writes down what is to last, unasked and without a message."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from stemmata.domain.chat.run import Consent, Phase
from stemmata.domain.entries.entry import Flag
from stemmata.gui.composer.consent_popup import ConsentPopup
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Call, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import connect, new_chat
from tests.journeys.person import Person

LONG = "The quick brown fox.\n" * 4_000  # 21,000 tokens; the trigger of the small model is at 24,576


def test_notes_are_written_and_shown_dimmed(person: Person, chat_server: AnthropicServer, tmp_path: Path) -> None:
    services = person.application.services
    services.preferences.change("compaction.memory_place", "stemmata").result(PATIENCE)
    connect(person, chat_server, "qwen3:8b")
    services.connecting.models("Fake").result(PATIENCE)
    chat = new_chat(person)
    file = f"{datetime.now().astimezone().date().isoformat()}.md"
    call = Call("memory", {"command": "append", "file": file, "text": "Foxes are quick."})
    chat_server.script(Reply(), Reply(blocks=(Say("Writing."), call)), Reply(blocks=(Say("NO_REPLY"),)))
    chat.composer.put(LONG)
    chat.composer.submit()
    person.until(lambda: len(chat_server.requests) > 2 and chat.phase is Phase.IDLE and len(person.tree) == 6)
    [note] = list((tmp_path / "profile").rglob(file))
    assert note.read_text(encoding="utf-8") == "Foxes are quick."
    flags = [Flag(person.tree.columns.flags[at]) & Flag.HIDDEN for at in range(6)]
    assert [bool(flag) for flag in flags] == [False, False, False, True, False, True]
    view = person.window.transcript.view
    view.scroll_to(person.tree.key(5))
    person.until(lambda: "Silent turn: NO_REPLY" in seen(person))
    assert "Storing notes in memory before a compaction" in seen(person)
    assert "Silent turn: Writing." in seen(person)
    assert "memory" in seen(person)
    assert not person.window.findChildren(ConsentPopup)


def seen(person: Person) -> str:
    """Return the texts of the visible cards."""
    from stemmata.gui.cards.card import Card

    cards = [card for card in person.window.transcript.view.findChildren(Card) if card.isVisible()]
    return "\n".join(part.text() for card in cards for part in card.parts)


def test_in_the_folder_of_the_session_the_person_is_asked_first(
    person: Person, chat_server: AnthropicServer, tmp_path: Path
) -> None:
    services = person.application.services
    services.preferences.change("compaction.memory_place", "workspace").result(PATIENCE)
    connect(person, chat_server, "qwen3:8b")
    services.connecting.models("Fake").result(PATIENCE)
    chat = new_chat(person)
    folder = tmp_path / "project"
    folder.mkdir()
    session = person.gui.opened.key
    assert session is not None
    person.application.store.write(lambda writer: writer.update_session(session, cwd=str(folder))).result(PATIENCE)
    file = f"{datetime.now().astimezone().date().isoformat()}.md"
    call = Call("memory", {"command": "append", "file": file, "text": "Foxes are quick."})
    chat_server.script(Reply(), Reply(blocks=(call,)), Reply(blocks=(Say("NO_REPLY"),)))
    chat.composer.put(LONG)
    chat.composer.submit()
    popup = person.gui.controllers.runs.consent_popup
    person.until(lambda: chat.phase is Phase.ASKING and popup.isVisible())
    assert popup.questions[0].folder == str(folder / "memory")
    assert not (folder / "memory").exists()
    popup.buttons[Consent.ALWAYS].click()
    person.until(lambda: chat.phase is Phase.IDLE and len(person.tree) == 6)
    assert (folder / "memory" / file).read_text(encoding="utf-8") == "Foxes are quick."
    consents = services.chat_ports.consents
    assert consents is not None
    assert [kept.folder for kept in consents.all().result(PATIENCE)] == [str(folder / "memory")]
