"""Somebody who does tasks one after the other in one window, and finds what their steps are done to."""

from __future__ import annotations

from collections.abc import Callable
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

    def open_worked(self) -> None:
        """Open a session of its own: three turns, the last reply with code; a file that is written and edited twice;
        another branch with an approach of its own."""
        made = WorkedSession(f"w{self.name}")
        first = made.say("user", f"Plan the quagga{self.name} stripes.", None)
        thought = [{"type": "thinking", "thinking": "Consider the stripes first."}, text("A plan.")]
        at = made.say("assistant", thought, first)
        at = made.use(at, "", "write", path="src/stripes.ts", content="one\n")
        at = made.use(at, "", "edit", path="src/stripes.ts", oldText="one", newText="two")
        fork = made.use(at, "", "bash", "line\n" * 30 + f"okapi{self.name}", command="make")
        at = made.say("user", "Second prompt.", fork)
        at = made.use(at, "", "edit", path="src/stripes.ts", oldText="two", newText="three")
        at = made.say("assistant", [text("Second reply.")], at)
        at = made.say("user", "Third prompt.", at)
        made.say("assistant", [text(CODE)], at)
        side = made.say("user", f"Another approach, okapi{self.name} aside.", fork)
        made.say("assistant", [text("The other reply.")], side)
        self.open_made(made)
        ends = made.lines
        self.notes |= {"first": self.key(first), "last": self.key(ends[-3]["id"]), "side": self.key(side)}
        self.notes |= {"third": self.key(ends[-4]["id"]), "other": self.key(ends[-1]["id"]), "made": made}
        if made.lines[-1]["parentId"] == side:  # pi goes on at the last line; the person is on the first branch
            self.gui.controllers.branches.continue_from(self.notes["last"])
            self.until(lambda: self.leaf == self.notes["last"])
        self.until(lambda: self.window.branches.list.model.row_of(self.notes["side"]) is not None)
        self.window.toast.withdraw()
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
        self.until(lambda: self.gui.opened.selection == key)

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
        heard: list[bool] = []
        action.triggered.connect(lambda: heard.append(True))
        QTest.mouseMove(menu, menu.actionGeometry(action).center())
        QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())
        if not heard:  # the offscreen platform sends some menus no mouse events
            menu.close()
            action.trigger()

    def open_menu(self, widget: QWidget, at: QPoint) -> QMenu:
        """Click with the right button, and return the menu that opens."""
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
        self.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        return menu

    def bar_menu(self, name: str) -> QMenu:
        """Click a menu of the menu bar, and return it."""
        bar = self.window.top_bar.menus
        menu = next(menu for menu in bar.findChildren(QMenu) if menu.title().replace("&", "") == name)
        QTest.mouseClick(bar, LEFT, NONE, bar.actionGeometry(menu.menuAction()).center())
        self.until(menu.isVisible)
        return menu

    def wait_for(self, condition: Callable[[], object]) -> None:
        self.until(lambda: bool(condition()))


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}
