"""What tests look at in a card, and how they point at it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QEnterEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request


def words(card: Card) -> str:
    """All that the card says."""
    return "\n".join(text for part in card.parts if (text := part.text()))


def actions(card: Card) -> dict[Request, tuple[QPoint, Action]]:
    """Return each kind of request that a click on the card makes, with a point of the click and the action."""
    found: dict[Request, tuple[QPoint, Action]] = {}
    for y in range(0, card.height(), 4):
        for x in range(0, card.width(), 6):
            action = card.action_at(QPoint(x, y))
            if action is not None:
                found.setdefault(action.request, (QPoint(x, y), action))
    return found


def wanted(card: Card) -> set[Action]:
    """Return the actions of all clicks on the card."""
    points = (QPoint(x, y) for y in range(0, card.height(), 3) for x in range(0, card.width(), 5))
    return {action for point in points if (action := card.action_at(point)) is not None}


def hover(card: Card, x: int = 5, y: int = 5) -> None:
    point = QPointF(x, y)
    card.enterEvent(QEnterEvent(point, point, point))
    card.grab()


def click(qtbot: QtBot, card: Card, request: Request) -> Action:
    point, _ = actions(card)[request]
    with qtbot.waitSignal(card.acted) as signal:
        QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=point)
    assert signal.args is not None
    assert isinstance(signal.args[1], Action)
    return signal.args[1]


def pixel(card: Card, x: int, y: int) -> QColor:
    return card.grab().toImage().pixelColor(x, y)
