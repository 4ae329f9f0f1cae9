"""Chatting with the mouse; the keyboard is for text alone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Request
from tests.fakes.anthropic_server import AnthropicServer
from tests.journeys.chatting import Chat, go
from tests.journeys.hands import Mouse, _place_of, click
from tests.journeys.person import Person

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Pointer:
    """Uses the mouse; types only where text is required."""

    def __init__(self, person: Person) -> None:
        self._person, self._window = person, person.window
        self._composer = person.window.transcript.composer
        self._hands = Mouse(person)

    def start_chat(self) -> None:
        self._window.show_welcome(on=False)
        click(self._window.sessions.new_button)

    def connect(self, url: str) -> None:
        click(self._composer.foot.connect_link)
        dialog = self._person.gui.controllers.connections.dialog
        assert dialog is not None
        self._person.until(dialog.isVisible)
        rows = dialog.list
        place = rows.visualItemRect(rows.item(rows.count() - 1)).center()
        QTest.mouseClick(rows.viewport(), LEFT, NONE, place)
        form = dialog.form
        for field, text in ((form.controls.edit("name"), "Fake"), (form.controls.edit("base_url"), url)):
            QTest.mouseDClick(field, LEFT, NONE, QPoint(20, field.height() // 2))
            field.selectAll()
            QTest.keyClicks(field, text)
        form.controls.choice("api").setCurrentIndex(0)  # its list is a window of its own, which gets no mouse here
        click(form.test)
        self._person.until(lambda: form.result.text() == "The connection works.")
        click(form.save)
        self._person.until(lambda: not dialog.isVisible())

    def send(self, text: str) -> None:
        click(self._composer.editor)
        QTest.keyClicks(self._composer.editor, text)
        click(self._composer.send)
        assert (
            self._person.window.focusWidget() is self._composer.editor
        )  # what is typed next is no shortcut of another view

    def stop(self) -> None:
        click(self._composer.foot.stop)

    def edit(self, key: int) -> None:
        self._on_card(key, Request.EDIT)

    def regenerate(self, key: int) -> None:
        self._on_card(key, Request.REGENERATE)

    def previous_sibling(self, key: int) -> None:
        self._on_card(key, Request.SIBLING, last=True)

    def go_to_leaf(self) -> None:
        self._hands.from_menu("go-to-leaf")

    def lift_queued(self, row: int) -> None:
        """Drag a queued message by its grip over the one above."""
        rows = self._composer.queue.rows
        grip = rows[row].grip
        there = grip.rect().center() - QPoint(0, rows[row].y() - rows[row - 1].y())
        QTest.mousePress(grip, LEFT, NONE, grip.rect().center())
        QTest.mouseMove(grip, there)
        QTest.mouseRelease(grip, LEFT, NONE, there)

    def drop_queued(self, row: int) -> None:
        click(self._composer.queue.rows[row].buttons["drop"])

    def fork(self, key: int) -> None:
        self._on_card(key, Request.FORK)

    def _on_card(self, key: int, request: Request, *, last: bool = False) -> None:
        view = self._window.transcript.view
        view.scroll_to(key)
        self._person.until(lambda: self._card(key) is not None)
        card = self._card(key)
        assert card is not None
        middle = QPointF(card.rect().center())
        QApplication.sendEvent(card, QEnterEvent(middle, middle, middle))
        card.grab()
        QTest.mouseClick(card, LEFT, NONE, _leftmost(card, request) if last else _place_of(card, request))

    def _card(self, key: int) -> Card | None:
        cards = self._window.transcript.view.findChildren(Card)
        return next((card for card in cards if card.key == key and card.isVisible()), None)


def _leftmost(card: QWidget, wanted: Request) -> QPoint:
    """The first of several places that ask for this."""
    assert isinstance(card, Card)
    for y in range(0, card.height(), 3):
        for x in range(0, card.width(), 3):
            action = card.action_at(QPoint(x, y))
            if action is not None and action.request is wanted:
                return QPoint(x, y)
    raise AssertionError(f"no {wanted} on the card")


def test_the_journey_by_mouse(person: Person, chat_server: AnthropicServer, reopened: Callable[[], Person]) -> None:
    def restart() -> Chat:
        later = reopened()
        return Chat(later, Pointer(later))

    go(Chat(person, Pointer(person)), chat_server, restart)
