"""Moves that follow on each other at once, and moves to places that chance rarely hits."""

from __future__ import annotations

from itertools import islice
from random import Random

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Request
from tests.monkey.choices import TEXTS, Facts
from tests.monkey.pressing import press
from tests.monkey.scene import Scene

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
DONE = ("pin", "star", "fork", "archive", "prune")  # undone before the window knows the step
STEPS = ("next-hit", "previous-hit", "find-next", "find-previous")
TYPED = [text for text in TEXTS if text.isascii() and text.isprintable()]  # Qt's tests type no other characters
SEARCHED = ("module", "hello", "the role:tool", "in:abandoned a", "is:starred", *TYPED)
MOST_FOLDED = 40


def a_hurry(dice: Random, scene: Scene) -> Facts | None:
    return {"id": dice.choice(DONE), "again": dice.random() < 0.3, "window": dice.randrange(len(scene.main_windows))}


def hurry(scene: Scene, facts: Facts) -> None:
    """Do something, press Ctrl+Z at once, and sometimes Ctrl+Shift+Z as well."""
    action = scene.window(facts).actions_table[facts["id"]]
    if action.isEnabled():
        action.trigger()
        for held in (CONTROL, CONTROL | SHIFT) if facts["again"] else (CONTROL,):
            press(scene, {"key": int(Qt.Key.Key_Z), "held": held.value})


def a_search(dice: Random, scene: Scene) -> Facts | None:
    steps = [dice.choice(STEPS) for _ in range(dice.randint(0, 3))]
    return {"text": dice.choice(SEARCHED), "steps": steps, "window": dice.randrange(len(scene.main_windows))}


def search(scene: Scene, facts: Facts) -> None:
    """Search all sessions, and step through the hits and their matches as soon as there are some."""
    window = scene.window(facts)
    if not window.actions_table["search-sessions"].isEnabled():
        return
    window.actions_table["search-sessions"].trigger()
    field = window.results.field
    if field.isVisible():
        field.selectAll()
        QTest.keyClicks(field, facts["text"])
    for id in facts["steps"]:
        scene.process()
        if window.actions_table[id].isEnabled():
            window.actions_table[id].trigger()


def a_fold(dice: Random, scene: Scene) -> Facts | None:
    return {"at": round(dice.random(), 3), "window": dice.randrange(len(scene.main_windows))}


def fold(scene: Scene, facts: Facts) -> None:
    """Click on something that folds in a visible card: a call, a thought, an object of JSON."""
    view = scene.window(facts).transcript.view
    cards = [card for card in view.findChildren(Card) if card.isVisible()]
    spots = list(islice((spot for card in cards for spot in _folds(card)), MOST_FOLDED))
    if spots:
        card, point = spots[int(facts["at"] * (len(spots) - 1))]
        QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=point)


def _folds(card: Card) -> list[tuple[Card, QPoint]]:
    """Return points of a card at whose left edge a click folds or unfolds."""
    out = []
    for part in card.parts:
        for y in range(2, min(part.rect.height(), 400), 8):
            point = part.rect.topLeft() + QPoint(2, y)
            action = card.action_at(point)
            if action is not None and action.request is Request.FOLD:
                out.append((card, point))
    return out
