"""A message that is larger than the window: the line above the composer offers what makes its branch go on."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.run import OutgoingMessage, Phase
from stemmata.domain.context.projection import Fate
from stemmata.domain.entries.blocks import Text
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat

HUGE = "Every word of this counts. " * 7_500


@pytest.fixture
def stuck(chat: Chat, chat_server: AnthropicServer) -> Chat:
    chat_server.window = 32_000
    chat.person.application.services.connecting.models("Fake", refresh=True).result(PATIENCE)
    chat.hands.send("Hello")
    chat.until_told(2)
    chat.person.gui.controllers.runs.send(OutgoingMessage(blocks=(Text(HUGE),)))
    chat.until(lambda: "cut" in chat.composer.run_line.offers and len(chat.said()) == 3)
    assert "has 32,000" in chat.composer.run_line.text
    return chat


def fate_of_the_message(chat: Chat) -> Fate:
    opened, message = chat.person.gui.opened, chat.person.tree.index(chat.keys()[2])
    return opened.context(opened.end).projection.fate(message).fate


def test_it_is_cut_and_answered(stuck: Chat) -> None:
    stuck.composer.run_line.offers["cut"].click()
    stuck.until_told(4)
    assert fate_of_the_message(stuck) is Fate.CUT


def test_it_is_left_out_and_that_is_undone(stuck: Chat) -> None:
    stuck.composer.run_line.offers["exclude"].click()
    stuck.until(lambda: fate_of_the_message(stuck) is Fate.NEVER and stuck.phase is Phase.IDLE)
    stuck.person.window.toast.click()
    stuck.until(lambda: fate_of_the_message(stuck) is Fate.SENT)


def test_all_is_summarised_and_answered(stuck: Chat) -> None:
    stuck.composer.run_line.offers["summarise"].click()
    stuck.until_told(4)
    assert fate_of_the_message(stuck) is Fate.SUMMARISED


def test_it_is_taken_back(stuck: Chat) -> None:
    """The composer attaches such a long text; its first words identify it."""
    stuck.composer.run_line.offers["take-back"].click()
    stuck.until(lambda: len(stuck.said()) == 2)


def test_the_menu_of_an_entry_offers_the_same(stuck: Chat) -> None:
    opened, table = stuck.person.gui.opened, stuck.person.window.actions_table
    opened.selection = stuck.keys()[2]
    stuck.until(table["exclude-entry"].isEnabled)
    assert not table["include-entry"].isEnabled(), "the entry is sent in full"
    table["exclude-entry"].trigger()
    stuck.until(lambda: fate_of_the_message(stuck) is Fate.NEVER)
    opened.select(stuck.keys()[2])
    stuck.until(table["include-entry"].isEnabled)
    table["include-entry"].trigger()
    stuck.until(lambda: fate_of_the_message(stuck) is Fate.SENT)
