"""Compacting with a summary that the provider signs: written, edited, called off, taken back by its server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.run import Phase
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.compaction.panel import DIGEST, MODEL, PROVIDER, WorkbenchPanel
from stemmata.gui.compaction.summary_dialog import SummaryDialog
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Refuse, Reply, Say
from tests.fakes.summary_model import GOOD
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat
from tests.journeys.keys import Keys
from tests.journeys.person import Person

WORDS = "The modules were looked at, **one by one**.\n\n* Nothing is broken.\n"


@pytest.fixture
def panel(person: Person, chat_server: AnthropicServer, session_file: Path) -> WorkbenchPanel:
    """A long session whose server says of its models that they summarise by themselves."""
    connection = Connection(name="Fake", base_url=chat_server.url, model="claude-opus-4-5")
    connect(person, connection)
    person.drop(session_file)
    person.until(person.window.transcript.composer.foot.model.isVisible)
    person.until(person.is_planned)
    return person.window.workbench


def connect(person: Person, connection: Connection) -> None:
    """Connect a server and ask it for its models, which loads the SDK: that takes long on a busy machine."""
    person.application.services.connecting.save(connection).result(PATIENCE)
    person.application.services.connecting.models(connection.name).result(PATIENCE)


def enter(person: Person) -> WorkbenchPanel:
    """The workbench, where the provider is to write."""
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    panel = person.window.workbench
    person.until(lambda: panel.accept.isEnabled() and panel.writers.isTabEnabled(PROVIDER))
    panel.writers.setCurrentIndex(PROVIDER)
    return panel


def write(person: Person, panel: WorkbenchPanel, server: AnthropicServer, words: str = WORDS) -> None:
    server.script(Reply(blocks=(Say(words),)))
    panel.writer.write.click()
    person.until(panel.accept.isEnabled)


def details(person: Person, entry: int) -> Any:
    return json.loads(person.application.services.entries.bodies([entry]).result(PATIENCE)[entry].details)


def accepted(person: Person, panel: WorkbenchPanel) -> int:
    before = person.leaf
    panel.accept.click()
    person.until(lambda: person.leaf != before and not person.in_workbench())
    assert person.compaction is not None
    return person.compaction


def test_it_is_written_shown_stored_and_sent_back_as_it_came(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    enter(person)
    assert not panel.accept.isEnabled()
    assert panel.writer.message.startswith("Press “Write summary” to ask the provider")
    assert not panel.writer.model.isEnabled()  # it is the session's own
    write(person, panel, chat_server)
    assert panel.editor.text == WORDS
    assert panel.writer.message.startswith("Signed by “Fake”. The model read ")
    entry = accepted(person, panel)
    kept = details(person, entry)
    assert json.loads(kept["signed"]["block"])["content"] == WORDS
    assert kept["usage"]["output"] > 0
    chat = Chat(person, Keys(person))
    chat.hands.send("And now?")
    chat.until(lambda: chat.phase is Phase.IDLE and chat.said()[-1] == "You said: And now?")
    assert chat_server.requests[-1].body["messages"][0]["content"][0]["content"] == WORDS


def test_undo_brings_the_whole_context_back(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    before = person.leaf
    enter(person)
    write(person, panel, chat_server)
    accepted(person, panel)
    person.until(person.window.actions_table["undo"].isEnabled)
    person.window.actions_table["undo"].trigger()
    person.until(lambda: person.leaf == before)


def test_an_edited_one_goes_as_plain_text_and_says_so(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    enter(person)
    write(person, panel, chat_server)
    panel.editor.source.insertPlainText("Mine: ")
    assert panel.writer.message == "Edited: the summary is sent as plain text, without the signature."
    panel.editor.source.undo()
    assert panel.writer.message.startswith("Signed by “Fake”")
    panel.editor.source.insertPlainText("Mine: ")
    kept = details(person, accepted(person, panel))
    assert "signed" not in kept
    assert kept["summariser"] == "person"


def test_a_later_edit_is_told_that_the_signature_stays_behind(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    enter(person)
    write(person, panel, chat_server)
    entry = accepted(person, panel)
    person.window.transcript.view.wanted.emit(entry, Action(Request.EDIT_COMPACTION))
    person.until(lambda: person.window.findChild(SummaryDialog) is not None)
    dialog = person.window.findChild(SummaryDialog)
    assert isinstance(dialog, SummaryDialog)
    assert any("sent as plain text" in label.text() for label in dialog.findChildren(QLabel))
    dialog.editor.setPlainText("In my own words.")
    dialog.save.click()
    person.until(lambda: person.compaction != entry)
    assert person.compaction is not None
    assert "signed" not in details(person, person.compaction)


def test_a_summary_of_each_way_is_kept_while_one_looks_at_another(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    enter(person)
    write(person, panel, chat_server)
    panel.writers.setCurrentIndex(MODEL)
    assert not panel.accept.isEnabled()
    assert panel.editor.text == ""
    write(person, panel, chat_server, GOOD)
    assert "About goal." in panel.editor.text
    panel.writers.setCurrentIndex(PROVIDER)
    assert panel.editor.text == WORDS
    assert panel.accept.isEnabled()
    person.window.transcript.view.cut_moved.emit(person.key("usr00006"))
    person.until(lambda: not panel.accept.isEnabled())
    assert "cut moved" in panel.writer.message


def test_writing_is_called_off_and_nothing_is_stored(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    before = person.leaf
    enter(person)
    chat_server.script(Reply(blocks=(Say(WORDS),), wait=30))
    panel.writer.write.click()
    person.until(panel.writer.cancel.isVisible)
    person.until(lambda: any(b'"compaction"' in request.raw for request in chat_server.requests))
    panel.writer.cancel.click()
    person.until(chat_server.gone.is_set)
    assert panel.writer.write.isVisible()
    assert not panel.accept.isEnabled()
    assert person.leaf == before


def test_a_provider_that_cannot_now_may_be_asked_again(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    enter(person)
    chat_server.script(Refuse(529, "Overloaded", code="compaction_unavailable"))
    panel.writer.write.click()
    person.until(panel.writer.digest.isVisible)
    assert "cannot summarise at the moment" in panel.writer.message
    assert panel.writer.write.text() == "Try again"
    write(person, panel, chat_server)
    assert panel.editor.text == WORDS


def test_where_nobody_signs_the_tab_says_why(
    person: Person, chat_server: AnthropicServer, session_file: Path
) -> None:
    connection = Connection(name="Fake", base_url=chat_server.url, model="claude-haiku-3-5")
    person.drop(session_file)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    panel = person.window.workbench
    assert panel.writers.tabToolTip(PROVIDER) == "No model is connected. The digest works without a model."
    connect(person, connection)
    person.until(lambda: panel.writers.isTabEnabled(MODEL))
    person.until(lambda: panel.writers.isTabEnabled(PROVIDER))  # the session's own model can
    panel.writers.setCurrentIndex(PROVIDER)
    opened = person.gui.opened
    assert opened.key is not None
    person.application.services.runs.pick_model(opened.key, "Fake", "claude-haiku-3-5").result(PATIENCE)
    person.until(lambda: not panel.writers.isTabEnabled(PROVIDER))
    person.until(lambda: panel.writers.currentIndex() == DIGEST)
    person.until(lambda: "Choose another model" in panel.writers.tabToolTip(PROVIDER))
