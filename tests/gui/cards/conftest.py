"""Cards over entries from memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.entry import Entry
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import CardContent, CardMarks
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.theme.theme import Theme
from tests.fakes.pages import FakePages

WIDTH = 600
MakeCard = Callable[..., Card]


@pytest.fixture
def blobs() -> dict[str, bytes]:
    return {}


@pytest.fixture
def style(theme: Theme, blobs: dict[str, bytes]) -> CardStyle:
    return CardStyle(theme, blobs.get)


@pytest.fixture
def make_card(qtbot: QtBot, style: CardStyle) -> MakeCard:
    """A shown card for an entry and the results of its calls, laid out and painted."""
    parent = QWidget()
    parent.resize(WIDTH, 2000)
    parent.move(100, 100)
    QCursor.setPos(0, 0)  # not over it
    qtbot.addWidget(parent)
    parent.show()

    def make(entry: Entry, *answers: Entry, marks: CardMarks | None = None, **facts: Any) -> Card:
        pages = FakePages([entry, *answers])
        keys = range(len(pages.entries))
        rows, bodies = pages.rows(keys), pages.bodies(keys)
        loaded = [LoadedEntry(rows[key], bodies[key]) for key in keys]
        card = Card(parent)
        card.show_content(style, CardContent(loaded[0], tuple(loaded[1:]), **facts), marks or CardMarks())
        height, _ = card.lay_out(WIDTH, 0, 10**6)
        card.setGeometry(0, 0, WIDTH, height)
        card.show()
        card.grab()
        return card

    return make
