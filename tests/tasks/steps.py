"""The steps of tasks: each says in words what a person does, and does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget

from stemmata.gui.cards.content import Request
from stemmata.gui.palette.rows import MATCH_END, MATCH_START
from tests.tasks.player import NONE, Player

Play = Callable[[Player], object]
Find = Callable[[Player], QWidget]
Key = Callable[[Player], int]
Ready = Callable[[Player], object]


@dataclass(frozen=True)
class Step:
    """What a person does, in words for the page. `count` is the number of keys, clicks or texts that it takes."""

    words: str
    play: Play
    count: int = 1


def press(keys: str, ready: Ready | None = None) -> Step:
    """Press keys, given in portable notation, after what they act on is there."""

    def play(player: Player) -> None:
        if ready is not None:
            player.wait_for(lambda: ready(player))
        player.mark()
        QTest.keySequence(player.focus, QKeySequence(keys))

    return Step(f"`{keys.replace('Return', 'Enter')}`", play)


def write(words: str, text: Callable[[Player], str] | str, ready: Ready | None = None) -> Step:
    """Type a text where the keyboard is, after what takes it is there."""

    def play(player: Player) -> None:
        if ready is not None:
            player.wait_for(lambda: ready(player))
        typed = text if isinstance(text, str) else text(player)
        field = player.focus
        if isinstance(field, QLineEdit) and field.hasSelectedText():
            field.clear()
        QTest.keyClicks(field, typed[:-1])
        player.mark()
        QTest.keyClicks(field, typed[-1])

    return Step(f"type {words}", play)


def click(words: str, find: Find) -> Step:
    """Click a control."""
    return Step(f"click {words}", lambda player: player.click(find(player)))


def click_row(words: str, key: Key) -> Step:
    """Click the row of an entry in the branches."""
    return Step(f"click {words}", lambda player: player.click(player.rows.viewport(), player.row_place(key(player))))


def click_session(words: str, key: Key) -> Step:
    """Click the row of a session."""

    def play(player: Player) -> None:
        player.wait_for(lambda: player.window.sessions_model.row_of(key(player)) is not None)
        player.click(player.window.sessions.list.viewport(), player.session_place(key(player)))

    return Step(f"click {words}", play)


def on_card(words: str, key: Key, wanted: Request, number: int = 0) -> Step:
    """Click an action of a card."""
    return Step(f"click {words}", lambda player: player.card_click(key(player), wanted, number))


def bar(menu: str, item: str) -> Step:
    """Choose from the menu bar: two clicks."""
    return Step(f"*{menu} → {item}*", lambda player: player.menu_item(player.bar_menu(menu), item), 2)


def row_menu(item: str, key: Key) -> Step:
    """Choose from the menu of an entry's row: two clicks."""

    def play(player: Player) -> None:
        menu = player.open_menu(player.rows.viewport(), player.row_place(key(player)))
        player.menu_item(menu, item)

    return Step(f"right-click the row, *{item}*", play, 2)


def session_menu(item: str) -> Step:
    """Choose from the menu of the open session's row: two clicks."""

    def play(player: Player) -> None:
        view, at = player.window.sessions.list, player.session_place(player.session)
        menu = player.open_menu(view.viewport(), at)
        player.menu_item(menu, item)

    return Step(f"right-click the session, *{item}*", play, 2)


def card_menu(item: str, key: Key) -> Step:
    """Choose from the menu of a card: two clicks."""

    def play(player: Player) -> None:
        card = player.card(key(player))
        player.menu_item(player.open_menu(card, card.rect().center()), item)

    return Step(f"right-click the entry, *{item}*", play, 2)


def palette(letters: str, name: str) -> tuple[Step, ...]:
    """Run an action from the palette."""

    def there(player: Player) -> bool:
        rows, at = player.palette.rows, player.palette.list.currentIndex().row()
        shown = getattr(rows[at], "text", "") if 0 <= at < len(rows) else ""
        return shown.replace(MATCH_START, "").replace(MATCH_END, "").startswith(name)

    return press("Ctrl+K"), write(f"“{letters}”", letters), press("Return", there)


def click_in(words: str, find: Callable[[Player], tuple[QWidget, QPoint]]) -> Step:
    """Click a place in a widget."""

    def play(player: Player) -> None:
        widget, at = find(player)
        player.mark()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, NONE, at)

    return Step(f"click {words}", play)


def steps_of(steps: tuple[Step, ...]) -> int:
    """Return how many keys, clicks and texts the steps take."""
    return sum(step.count for step in steps)


def named(name: str) -> Find:
    """Find the visible control with this accessible name or text."""

    def find(player: Player) -> QWidget:
        def is_it(widget: QWidget) -> bool:
            shown = getattr(widget, "text", None)
            return widget.isVisible() and name in (widget.accessibleName(), shown() if callable(shown) else "")

        player.wait_for(lambda: any(map(is_it, player.window.findChildren(QWidget))))
        return next(widget for widget in player.window.findChildren(QWidget) if is_it(widget))

    return find
