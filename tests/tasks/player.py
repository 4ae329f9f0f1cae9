"""Somebody who does tasks one after the other in one window, and finds what their steps are done to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from stemmata.domain.chat.run import Phase
from stemmata.gui.branches.list_view import BranchesList
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Request
from stemmata.gui.palette.dialog import CommandPalette
from stemmata.gui.widgets.popup import Popup
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.fakes.worked_files import WorkedSession
from tests.journeys.person import Person

NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton
CODE = "Three blocks:\n\n```python\none()\n```\n\n```python\ntwo()\n```\n\n```python\nthree()\n```\n"


class Player(Person):
    """A person with sessions made for each task, so that no task depends on another one."""

    def __init__(self, person: Person, folder: Path, server: AnthropicServer, name: str) -> None:
        super().__init__(person.application, person.qtbot)
        self.server, self.name = server, name
        self.word = name  # ends the words that only the sessions of this player have
        self.folder = folder / name
        self.folder.mkdir()
        self.notes: dict[str, Any] = {}  # what a start remembers for the end

    # -- the state before a task ------------------------------------------------------------------------------

    def calm_down(self) -> None:
        """Leave every page, popup and dialog of the task before."""
        gui, window = self.gui, self.window
        for dialog in window.findChildren(QDialog):
            dialog.close()
        for popup in window.findChildren(Popup):
            popup.hide()
        gui.controllers.results.close()
        gui.controllers.compaction.cancel()
        gui.controllers.compare.leave()
        gui.controllers.files.leave()
        gui.controllers.finding.close()
        window.actions_table["show-deleted"].setChecked(False)
        window.actions_table["split-view"].setChecked(False)
        window.sessions.filter.clear()
        window.toast.withdraw()
        window.activateWindow()

    def mark(self) -> None:
        """What the next key or click acts on is there; `tests/benchmarks/tasks.py` takes the time."""

    def open_worked(self) -> None:
        """Open a session of its own: three turns, the last reply with code; a file that is written and edited twice;
        another branch with an approach of its own."""
        made = WorkedSession(f"w{self.name}")
        ids = worked_lines(made, self.word)
        self.open_made(made)
        self.notes |= {name: self.key(id) for name, id in ids.items()}
        self.begin_at_last()

    def begin_at_last(self) -> None:
        """Look at the last reply, on the branch that a person is on."""
        if self.leaf != self.notes["last"]:  # pi goes on at the last line
            self.gui.controllers.branches.continue_from(self.notes["last"])
            self.until(lambda: self.leaf == self.notes["last"])
        self.until(lambda: self.window.branches.list.model.row_of(self.notes["side"]) is not None)
        self.window.toast.withdraw()
        self.choose(self.notes["last"])

    def open_compactable(self) -> None:
        """Open a session with much tool output, and look at its last reply."""
        made = WorkedSession(f"c{self.name}")
        at = much_output(made, made.say("user", "Look at everything.", None))
        made.say("assistant", [text("Done.")], at)
        self.open_made(made)
        self.notes["last"] = self.key(made.lines[-1]["id"])
        self.choose(self.notes["last"])

    def open_made(self, made: WorkedSession) -> None:
        """Open a made session; the sizes of its replies are not told."""
        for line in made.lines[1:]:
            line["message"].pop("usage", None)
        self.open_file(made.write(self.folder))

    def open_file(self, path: Path) -> None:
        """Import a session and open it."""
        before = self.gui.opened.key
        self.gui.importing.import_paths([str(path)])
        self.until(lambda: self.gui.opened.key not in (None, before) and self.gui.opened.session_tree is not None)
        self.until(lambda: self.window.sessions_model.row_of(self.session) is not None)
        self.until(lambda: self.window.branches.outline is not None)

    def open_chat(self) -> None:
        """Open a new chat with one answered message, with the keyboard in the message."""
        self.gui.controllers.chat.start()
        self.until(lambda: self.gui.opened.session_tree is not None and not len(self.tree))
        composer = self.window.transcript.composer
        self.until(lambda: composer.foot.model.isVisible())
        self.say("Hello")
        self.until(lambda: self.phase is Phase.IDLE and len(self.tree) > 1)
        composer.editor.setFocus()

    def say(self, message: str) -> None:
        """Send a message, however that is done."""
        editor = self.window.transcript.composer.editor
        editor.put(message)
        QTest.keyClick(editor, Qt.Key.Key_Return)

    def choose(self, key: int) -> None:
        """Select an entry in the branches and look at it."""
        rows = self.window.branches.list
        self.until(lambda: rows.model.row_of(key) is not None)
        rows.setFocus()
        self.gui.opened.select(key)
        self.until(lambda: self.gui.opened.selection == key and rows.selected == key)

    def end(self) -> None:
        """Stop the reply that a task left running."""
        self.gui.controllers.runs.stop()
        self.until(lambda: not self.gui.controllers.runs.state.is_busy)

    # -- facts ------------------------------------------------------------------------------------------------

    @property
    def session(self) -> int:
        """The key of the open session."""
        assert self.gui.opened.key is not None
        return self.gui.opened.key

    @property
    def phase(self) -> Phase:
        return self.gui.controllers.runs.state.phase

    @property
    def palette(self) -> CommandPalette:
        return self.window.palette_box

    @property
    def rows(self) -> BranchesList:
        return self.window.branches.list

    def stored(self, key: int | None = None) -> Any:
        """Return the session as the archive has it."""
        services = self.application.services
        return services.sessions.get(self.session if key is None else key).result(PATIENCE)

    @property
    def focus(self) -> QWidget:
        """The widget that keys go to."""
        found = QApplication.focusWidget() or self.window.focusWidget()
        assert found is not None
        return found

    # -- places -----------------------------------------------------------------------------------------------

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Click a widget as a person can: it is visible and enabled."""
        self.until(widget.isVisible)
        self.until(widget.isEnabled)
        self.mark()
        QTest.mouseClick(widget, LEFT, NONE, widget.rect().center() if at is None else at)

    def row_place(self, key: int) -> QPoint:
        """Return the middle of an entry's row in the branches."""
        row = self.rows.model.row_of(key)
        assert row is not None
        self.rows.show_row(row)
        return self.rows.row_rect(row).center()

    def session_place(self, key: int) -> QPoint:
        """Return a point of a session's row in the list."""
        view = self.window.sessions.list
        row = self.window.sessions_model.row_of(key)
        assert row is not None
        index = self.window.sessions_model.index(row)
        view.scrollTo(index)
        return view.visualRect(index).center()

    def card(self, key: int) -> Card:
        """Return the card of an entry, scrolled into view."""
        view = self.window.transcript.view

        def found() -> Card | None:
            shown = [card for card in view.viewport().findChildren(Card) if card.isVisible() and card.key == key]
            return shown[0] if shown else None

        if found() is None:
            view.scroll_to(key)
        self.until(lambda: found() is not None)
        card = found()
        assert card is not None
        return card

    def card_click(self, key: int, wanted: Request, number: int = 0) -> None:
        """Point at a card and click one of its actions, the one with this number from the top."""
        card = self.card(key)
        middle = QPointF(card.rect().center())
        QApplication.sendEvent(card, QEnterEvent(middle, middle, middle))
        card.grab()
        places: dict[str, QPoint] = {}  # by what the action is about, from the top
        for y in range(0, card.height(), 3):
            for x in range(card.width() - 1, -1, -3):
                action = card.action_at(QPoint(x, y))
                if action is not None and action.request is wanted:
                    places.setdefault(action.text, QPoint(x, y))
        self.click(card, list(places.values())[number])

    def menu_item(self, menu: QMenu, words: str) -> None:
        """Click an item of an open menu."""
        action = next(one for one in menu.actions() if one.text().partition("\t")[0] == words)
        assert action.isEnabled(), words
        self.mark()
        heard: list[bool] = []
        action.triggered.connect(lambda: heard.append(True))
        QTest.mouseMove(menu, menu.actionGeometry(action).center())
        QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())
        if not heard:  # the offscreen platform sends some menus no mouse events
            menu.close()
            action.trigger()

    def open_menu(self, widget: QWidget, at: QPoint) -> QMenu:
        """Click with the right button, and return the menu that opens."""
        self.mark()
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
        self.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        return menu

    def bar_menu(self, name: str) -> QMenu:
        """Click a menu of the menu bar, and return it."""
        bar = self.window.top_bar.menus
        self.mark()
        menu = next(menu for menu in bar.findChildren(QMenu) if menu.title().replace("&", "") == name)
        QTest.mouseClick(bar, LEFT, NONE, bar.actionGeometry(menu.menuAction()).center())
        self.until(menu.isVisible)
        return menu

    def wait_for(self, condition: Callable[[], object]) -> None:
        self.until(lambda: bool(condition()))


def worked_lines(made: WorkedSession, name: str, base: Sequence[dict[str, Any]] = ()) -> dict[str, str]:
    """Add the lines of a session that tasks are done in; returns the ids of its entries by their names in a task.

    `base` are the lines of another session with much tool output, in which the same tasks are done.
    """
    ids = {"first": made.say("user", f"Plan the quagga{name} stripes.", None)}
    at = ids["first"]
    if base:
        made.lines[-1]["timestamp"] = "2025-01-01T10:00:00.000Z"  # the title is that of the prompt that was first
        at = made.say("assistant", [text("Well.")], at)
        made.lines += [line | {"parentId": line["parentId"] or at} for line in base]
        at = base[-1]["id"]
    thought = [{"type": "thinking", "thinking": "Consider the stripes first."}]
    at = ids["thought"] = made.say("assistant", [*thought, text("A plan.")], at)
    at = made.use(at, "", "write", path="src/stripes.ts", content="one\n")
    at = made.use(at, "", "edit", path="src/stripes.ts", oldText="one", newText="two")
    fork = made.use(at, "", "bash", "line\n" * 30 + f"okapi{name}", command="make")
    ids["call"] = made.lines[-2]["id"]
    at = ids["second"] = made.say("user", "Second numbat prompt.", fork)
    at = made.use(at, "", "edit", path="src/stripes.ts", oldText="two", newText="three")
    at = made.say("assistant", [text("Second numbat reply.")], at)
    at = ids["third"] = made.say("user", "Third numbat prompt.", at)
    ids["last"] = made.say("assistant", [text(CODE)], at)
    ids["side"] = made.say("user", f"Another approach, okapi{name} aside.", fork)
    ids["other"] = made.say("assistant", [text("The other reply.")], ids["side"])
    return ids


def much_output(made: WorkedSession, at: str) -> str:
    """Add turns with much tool output, and return the id of the last entry."""
    for number in range(8):
        at = made.use(at, "Next.", "read", f"line of module {number}\n" * 700, path=f"src/module{number}.ts")
        at = made.say("user", f"And then {number}?", at)
    return at


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}
