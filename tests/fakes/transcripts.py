"""What tests look at in a transcript, and how they give it a path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf

import pytest
from PySide6.QtCore import QCoreApplication

from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tree import Tree
from stemmata.gui.cards.card import Card
from stemmata.gui.transcript import view as transcript_view
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.pages import FakePages


def show_path(view: TranscriptView, entries: Sequence[Entry], leaf: int | None = None) -> Tree:
    tree = Tree.from_entries(entries)
    at = len(entries) - 1 if leaf is None else leaf
    view.show_path(tree, tree.path(at), context_at(tree, at))
    return tree


@pytest.fixture(autouse=True, scope="session")
def cards_at_once() -> Iterator[None]:
    """Build all cards in view with each step of scrolling, however slow the machine is.

    `test_placeholders.py` tests what happens when there is no time for that.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcript_view, "BUILD_SECONDS", inf)
        yield


def settle(view: TranscriptView) -> None:
    """Wait until idle work has ended, over as many turns of the event loop as it needs."""
    while view.idle.run(1):
        QCoreApplication.processEvents()


def cards(view: TranscriptView) -> list[Card]:
    found = [card for card in view.viewport().findChildren(Card) if card.isVisible()]
    return sorted(found, key=lambda card: card.y())


def places(view: TranscriptView) -> dict[int, int]:
    """Return the y of the upper edge of each visible card, by key."""
    return {card.key: card.y() for card in cards(view)}


def is_joined(view: TranscriptView) -> bool:
    shown = cards(view)
    return all(one.geometry().bottom() + 1 == two.y() for one, two in pairwise(shown))


def said(view: TranscriptView) -> str:
    return "\n".join(part.text() for card in cards(view) for part in card.parts)


def view_pages(view: TranscriptView) -> FakePages:
    pages = view.pages
    assert isinstance(pages, FakePages)
    return pages
