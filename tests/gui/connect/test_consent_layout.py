"""The answers to a tool that asks: as many beside each other as there is room for, none wider than its words need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.chat.run import Consent, Question
from stemmata.gui.composer.consent_popup import ConsentPopup
from stemmata.gui.theme.theme import Theme

QUESTION = Question(
    session=1, run=1, call="c", tool="write_file", origin="filesystem", arguments='{"path":"a.md"}',
    folder="/home/me", why="writes",
)  # fmt: skip
GERMAN = ("Einmal erlauben", "In dieser Sitzung erlauben", "Hier immer erlauben", "Ablehnen", "Hier nie erlauben")
Ask = Callable[[int], ConsentPopup]


@pytest.fixture
def ask(qtbot: QtBot, theme: Theme) -> Ask:
    def asked(width: int) -> ConsentPopup:
        host = QWidget()
        qtbot.addWidget(host)
        host.resize(width, 800)
        host.show()
        popup = ConsentPopup(theme, host)
        popup.ask(QUESTION)
        popup.grab()
        return popup

    return asked


def rows(popup: ConsentPopup) -> list[list[Consent]]:
    """The answers by line, from above."""
    tops = sorted({button.y() for button in popup.buttons.values()})
    return [[consent for consent, button in popup.buttons.items() if button.y() == top] for top in tops]


def test_all_stand_in_a_line_where_there_is_room(ask: Ask) -> None:
    popup = ask(900)
    assert rows(popup) == [list(popup.buttons)]
    never = popup.buttons[Consent.NEVER]
    assert popup.arguments.geometry().right() == never.geometry().right()  # refusals at the far side


def test_what_allows_stands_above_what_refuses(ask: Ask) -> None:
    allowing, refusing = rows(ask(480))
    assert allowing == [Consent.ONCE, Consent.SESSION, Consent.ALWAYS]
    assert refusing == [Consent.REFUSED, Consent.NEVER]


@pytest.mark.parametrize("scale", [100, 110, 120, 130, 175])
def test_a_short_request_is_shown_without_a_scroll_bar(ask: Ask, theme: Theme, scale: int) -> None:
    theme.set_scale(scale)
    popup = ask(900)
    popup.keep([])
    popup.ask(replace(QUESTION, arguments='{"path":"a","content":"b\\nc\\nd\\ne\\nf"}'))
    popup.grab()
    assert popup.arguments.verticalScrollBar().maximum() == 0


def test_one_a_line_where_it_is_narrow(ask: Ask) -> None:
    assert len(rows(ask(220))) == len(ask(220).buttons)


@pytest.mark.parametrize("width", [900, 480])
def test_no_button_is_wider_than_its_words(ask: Ask, width: int) -> None:
    popup = ask(width)
    assert all(button.width() <= button.sizeHint().width() for button in popup.buttons.values())


@pytest.mark.parametrize("scale", [100, 130, 150])
def test_all_answers_are_visible_where_there_is_little_height(qtbot: QtBot, theme: Theme, scale: int) -> None:
    theme.set_scale(scale)
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(637, 435)  # the transcript in a window of 1024 × 700
    host.show()
    popup = ConsentPopup(theme, host)
    for button, words in zip(popup.buttons.values(), GERMAN, strict=True):
        button.setText(words)
    popup.ask(replace(QUESTION, arguments='{"path":"a","content":"b\\nc\\nd\\ne\\nf\\ng\\nh"}'))
    popup.grab()
    assert host.rect().contains(popup.geometry())
    assert all(popup.rect().contains(button.geometry()) for button in popup.buttons.values())
    assert popup.arguments.viewport().height() >= popup.arguments.fontMetrics().height()
