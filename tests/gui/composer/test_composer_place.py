"""The composer stands under the cards: its edges are theirs, whether they scroll or not, at every size of text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.tree import Tree
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.line_piece import HeadPiece
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.column import TranscriptColumn
from tests.fakes.conversation import chain, user
from tests.fakes.pages import FakePages


def right(widget: QWidget, column: TranscriptColumn) -> int:
    return widget.mapTo(column, QPoint(widget.width(), 0)).x()


@pytest.mark.parametrize("scale", [100, 200])
@pytest.mark.parametrize("prompts", [1, 60])
def test_it_ends_where_the_cards_do(qtbot: QtBot, theme: Theme, prompts: int, scale: int) -> None:
    theme.set_scale(scale)
    entries = chain(user(f"Question {number}") for number in range(prompts))
    tree, column = Tree.from_entries(entries), TranscriptColumn(theme, FakePages(entries))
    qtbot.addWidget(column)
    column.resize(900, 700)
    column.show()
    qtbot.waitExposed(column)
    column.view.show_path(tree, tree.path(prompts - 1), context_at(tree, prompts - 1))
    column.show_transcript()
    assert bool(column.view.verticalScrollBar().maximum()) is (prompts > 1)
    frame = column.composer._frame
    qtbot.waitUntil(lambda: right(frame, column) == edge_of_cards(column))


def edge_of_cards(column: TranscriptColumn) -> int:
    card = next(card for card in column.view.viewport().findChildren(Card) if card.isVisible())
    head = next(part for part in card.parts if isinstance(part, HeadPiece))
    return card.mapTo(column, head.rect.topRight()).x() + 1
