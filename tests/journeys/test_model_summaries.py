"""Compacting with a summary that a model writes: asked for, called off, refused, edited, and with a focus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stemmata.gui.compaction.panel import DIGEST, MODEL, WorkbenchPanel
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.loopback import Request
from tests.fakes.script import Refuse, Reply, Say
from tests.fakes.summary_model import GOOD
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat, connect
from tests.journeys.keys import Keys
from tests.journeys.person import Person


@pytest.fixture
def panel(person: Person, chat_server: AnthropicServer, session_file: Path) -> WorkbenchPanel:
    """A long session, with a connection, and nothing opened yet."""
    connect(person, chat_server)
    person.application.services.connecting.models("Fake").result(
        PATIENCE
    )  # loads the SDK, which takes long when busy
    person.drop(session_file)
    person.until(person.window.transcript.composer.foot.model.isVisible)
    person.until(person.is_planned)
    return person.window.workbench


def enter(person: Person) -> None:
    """The workbench, with a model that is to write."""
    person.window.actions_table["compact"].trigger()
    person.until(person.in_workbench)
    panel = person.window.workbench
    person.until(panel.accept.isEnabled)
    panel.writers.setCurrentIndex(MODEL)


def questions(server: AnthropicServer) -> list[Request]:
    """Return the requests for replies, without those for the list of models."""
    return [request for request in server.requests if request.path.startswith("/v1/messages")]


def test_nothing_is_asked_before_somebody_says_so_and_then_it_is_stored(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    enter(person)
    assert not panel.accept.isEnabled()
    assert panel.editor.text == ""
    assert not questions(chat_server)
    person.window.actions_table["accept-compaction"].trigger()
    assert person.in_workbench()
    chat_server.script(Reply(blocks=(Say(GOOD),)))
    panel.writer.write.click()
    assert panel.writer.message == "claude-opus-4-5 writes the summary…"
    leaf = person.leaf
    person.until(panel.accept.isEnabled)
    assert len(questions(chat_server)) == 1
    assert "About goal." in panel.editor.text
    panel.accept.click()
    person.until(lambda: person.leaf != leaf and not person.in_workbench())
    made = person.compaction
    assert made is not None
    body = person.application.services.entries.bodies([made]).result(PATIENCE)[made]
    details = json.loads(body.details)
    assert details["summariser"] == "Fake/claude-opus-4-5"
    assert details["usage"]["output"] > 0


def test_what_was_written_for_another_cut_is_not_stored(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    enter(person)
    chat_server.script(Reply(blocks=(Say(GOOD),)))
    panel.writer.write.click()
    person.until(panel.accept.isEnabled)
    person.window.transcript.view.cut_moved.emit(person.key("usr00006"))
    person.until(lambda: not panel.accept.isEnabled())
    assert "cut moved" in panel.writer.message


def test_writing_is_called_off(person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer) -> None:
    enter(person)
    chat_server.script(Reply(blocks=(Say(GOOD),), wait=30))
    panel.writer.write.click()
    person.until(panel.writer.cancel.isVisible)
    panel.writer.cancel.click()
    assert panel.writer.write.isVisible()
    assert not panel.accept.isEnabled()
    panel.writers.setCurrentIndex(DIGEST)
    person.until(panel.accept.isEnabled)
    assert "## Goal" in panel.editor.text


def test_a_model_that_fails_leaves_the_digest(
    person: Person, panel: WorkbenchPanel, chat_server: AnthropicServer
) -> None:
    enter(person)
    chat_server.script(Refuse(401, "invalid x-api-key"))
    panel.writer.write.click()
    person.until(panel.writer.digest.isVisible)
    assert panel.writer.message
    panel.writer.digest.click()
    person.until(panel.accept.isEnabled)
    assert not panel.writer.isVisible()
    assert panel.writers.currentIndex() == DIGEST
    assert "## Goal" in panel.editor.text


def test_another_model_than_the_session_s_may_write(person: Person, panel: WorkbenchPanel) -> None:
    enter(person)
    panel.writer.model.click()
    popup = person.gui.controllers.pickers.models
    person.until(lambda: popup.isVisible() and len(popup.shown) > 1)
    other = next(name for name in popup.shown if name != "claude-opus-4-5")
    leaf = person.leaf
    popup.picked.emit(("Fake", other))
    popup.hide()
    assert other in panel.writer.model.toolTip()
    assert person.leaf == leaf  # the session's model is what it was


def test_a_focus_that_was_typed_with_the_command_is_taken_up(person: Person, panel: WorkbenchPanel) -> None:
    Chat(person, Keys(person)).hands.send("/compact the names of modules")
    person.until(person.in_workbench)
    assert panel.focus.text() == "the names of modules"
    assert panel.writers.currentIndex() == DIGEST


def test_what_it_means_for_the_costs_is_told(person: Person, panel: WorkbenchPanel) -> None:
    enter(person)
    summary = person.gui.controllers.compaction.summary
    assert panel.note_text == "Nothing is deleted. Undo brings the whole context back."  # it saves less than a cent
    summary.show_effect(120_000, 22_000)
    assert panel.note_text == "Breaks the prompt cache once (≈ $0.14); then saves ≈ $0.05 a request"
    summary.show_effect(20_000, 20_000)
    assert panel.note_text.startswith("Nothing is deleted.")
