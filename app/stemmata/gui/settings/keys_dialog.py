"""The keys of a column: those that it handles itself, then those of the window. The action table declares all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.core.actions import CONTEXT, Actions, native
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.settings.column_keys import KeyRow, fixed_keys
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.popup import dialog_size
from stemmata.gui.widgets.surface import set_surface

COLUMNS = 2
Step = Callable[[], object]
ROWS_AT_ONCE = 8  # rows that are made in one turn of the event loop


class KeysDialog(QDialog):
    """The cheat sheet of a column. It does not block the window; Escape, F1 and ? close it."""

    change_requested = Signal()

    def __init__(self, theme: Theme, actions: Actions, column: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("keysDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme, self._actions, self.column = theme, actions, column
        self.rows: list[KeyRow] = self._own_rows(column)
        self.setWindowTitle(self._title(column) if self.rows else self.tr("Keys of the window"))
        self._filling = TurnSteps(self)  # adds the rows after the first, which takes several frames
        self._lay_out()
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """Return a size in which few names of actions are elided, limited by the window."""
        size, parent = dialog_size(self._theme, self), self.parentWidget()
        assert parent is not None
        room = max(round(parent.window().width() * metrics.IMAGE_PLACE), size.width())
        return QSize(min(size.width() * 5 // 4, room), size.height())

    @property
    def is_complete(self) -> bool:
        """Whether everything that is shown has been created; the rest follows over several turns."""
        return not self._filling.is_active

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with the keys that opened the dialog."""
        if event.key() == Qt.Key.Key_F1 or event.text() == "?":
            self.close()
        else:
            super().keyPressEvent(event)

    def _title(self, column: str) -> str:
        titles = {
            "sessions": self.tr("Keys of the sessions"),
            "branches": self.tr("Keys of the branches"),
            "transcript": self.tr("Keys of the transcript"),
            "composer": self.tr("Keys of the message"),
            "context": self.tr("Keys of the context"),
            "search": self.tr("Keys of the search"),
            "files": self.tr("Keys of the files"),
            "compare": self.tr("Keys of the comparison"),
        }
        return titles.get(column, "")

    def _own_rows(self, column: str) -> list[KeyRow]:
        heard = ((action.text(), spec.keys_in(column)) for spec, action in self._actions)
        own: list[KeyRow] = [(text.partition("\t")[0], keys) for text, keys in heard if keys]
        return own + fixed_keys(column)

    def _window_rows(self, menu: str) -> list[KeyRow]:
        found = ((spec, action) for spec, action in self._actions if spec.menu == menu)
        shown = ((action.text(), [self._actions.keys_of(spec.id), spec.also]) for spec, action in found)
        return [(text.partition("\t")[0], list(filter(None, keys))) for text, keys in shown if any(keys)]

    def _lay_out(self) -> None:
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName(self.windowTitle() or self.tr("Keys of the window"))
        foot = QWidget()
        set_surface(foot, edge="top")
        row = QHBoxLayout(foot)
        row.setContentsMargins(metrics.SPACE[7], metrics.SPACE[4], metrics.SPACE[7], metrics.SPACE[4])
        row.addWidget(push_button(self.tr("Change shortcuts…"), self.change_requested.emit))
        row.addStretch(1)
        row.addWidget(push_button(self.tr("Close"), self.close))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(scroll, 1)
        column.addWidget(foot)
        content = QWidget()
        scroll.setWidget(content)  # before it is filled: Qt styles all widgets of a tree that gets another parent
        self._fill(content)
        scroll.setFocus()

    def _fill(self, content: QWidget) -> None:
        column = QVBoxLayout(content)
        column.setContentsMargins(metrics.SPACE[7], metrics.SPACE[5], metrics.SPACE[7], metrics.SPACE[7])
        column.setSpacing(metrics.SPACE[2])
        column.addStretch(1)
        # the page grows before its rows are placed: those that are there would be squeezed for one turn
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
        steps = [*self._section_steps(column, self.windowTitle(), self.rows)] if self.rows else []
        menus = Counter(spec.menu for spec, _action in self._actions if spec.menu)
        for menu, count in menus.items():
            steps += self._menu_steps(column, menu, count)
        steps[0]()
        self._filling.start(*steps[1:])

    def _section_steps(self, column: QVBoxLayout, title: str, rows: Sequence[KeyRow]) -> Iterator[Step]:
        """Return the functions that add a section, each a part of it."""
        grid = QGridLayout()
        yield partial(self._add_section, column, title, grid, rows)
        for start in range(ROWS_AT_ONCE, len(rows), ROWS_AT_ONCE):
            yield partial(self._add_rows, grid, rows, start)

    def _menu_steps(self, column: QVBoxLayout, menu: str, count: int) -> Iterator[Step]:
        """Return the functions that add the section of a menu with `count` actions. The first looks up their keys."""
        grid, rows = QGridLayout(), list[KeyRow]()

        def begin() -> None:
            rows.extend(self._window_rows(menu))
            if rows:
                self._add_section(column, QCoreApplication.translate(CONTEXT, menu), grid, rows)

        yield begin
        for start in range(ROWS_AT_ONCE, count, ROWS_AT_ONCE):
            yield partial(self._add_rows, grid, rows, start)

    def _add_section(self, column: QVBoxLayout, title: str, grid: QGridLayout, rows: Sequence[KeyRow]) -> None:
        """Add a section with its first rows."""
        heading = label(title, "section")
        heading.setContentsMargins(0, metrics.SPACE[5], 0, metrics.SPACE[2])
        grid.setHorizontalSpacing(metrics.SPACE[7])
        grid.setVerticalSpacing(metrics.SPACE[2])
        for side in range(COLUMNS):
            grid.setColumnStretch(side, 1)
        end = column.count() - 1  # above the stretch
        column.insertWidget(end, heading)
        column.insertLayout(end + 1, grid)
        self._add_rows(grid, rows, 0)

    def _add_rows(self, grid: QGridLayout, rows: Sequence[KeyRow], start: int) -> None:
        """Add ROWS_AT_ONCE rows to a section; the first half of all rows is in its left column."""
        height = -(-len(rows) // COLUMNS)
        for at, (text, keys) in enumerate(rows[start : start + ROWS_AT_ONCE], start):
            grid.addWidget(self._row(text, keys), at % height, at // height)

    def _row(self, text: str, keys: Sequence[str]) -> QWidget:
        shown = QWidget()
        row = QHBoxLayout(shown)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[2])
        row.addWidget(ElidedLabel(text), 1)
        for key in keys:
            row.addWidget(label(native(key), "chip"))
        return shown
