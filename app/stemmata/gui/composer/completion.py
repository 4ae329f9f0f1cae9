"""Commands while they are typed: those that fit with what they do, over the message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.section import line

MOST_ROWS = 8
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_TAKES = (Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True, slots=True)
class Offered:
    """`text` takes the place of what was typed; `usage` is shown, with `help` beside it."""

    text: str
    usage: str
    help: str = ""


class CompletionList(QFrame):
    """Lies over its host and never takes the focus: the message's editor hands its keys on."""

    chosen = Signal(str)  # what takes the place of the typed text

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host)
        self.setObjectName("completionList")
        self.setProperty("overlay", True)
        self._theme, self._host = theme, host
        self._offered: tuple[Offered, ...] = ()
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(lambda item: self._choose(self.list.row(item)))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[2]] * 4)
        column.addWidget(self.list)
        self.hide()

    @property
    def offered(self) -> tuple[Offered, ...]:
        """What is shown; nothing while it is hidden."""
        return self._offered if self.isVisible() else ()

    def show_offered(self, offered: Sequence[Offered], over: QWidget) -> None:
        """Show these above a widget, the first one chosen; nothing hides it."""
        self._offered = tuple(offered)
        self.list.clear()
        for item in offered:
            self._add(item)
        if not offered:
            self.hide()
            return
        self.list.setCurrentRow(0)
        self._place(over)
        self.show()
        self.raise_()

    def on_key(self, event: QKeyEvent) -> bool:
        """Whether the key was for the list."""
        key = Qt.Key(event.key())
        if not self.isVisible() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in _STEPS:
            count = self.list.count()
            self.list.setCurrentRow((self.list.currentRow() + _STEPS[key]) % count)
            return True
        if key in _TAKES:
            return self._choose(self.list.currentRow())
        if key == Qt.Key.Key_Escape:
            self.hide()
            return True
        return False

    def _choose(self, row: int) -> bool:
        """False where the typed text is the command already: Enter then sends it."""
        if not 0 <= row < len(self._offered):
            return False
        self.hide()
        self.chosen.emit(self._offered[row].text)
        return True

    def _add(self, offered: Offered) -> None:
        row = QWidget()
        content = line(ElidedLabel(offered.help, "dim"))
        usage = label(offered.usage, "code")
        content.insertWidget(0, usage)
        content.setContentsMargins(metrics.SPACE[4], 0, metrics.SPACE[4], 0)
        row.setLayout(content)
        item = QListWidgetItem()
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{offered.usage} {offered.help}")
        item.setSizeHint(QSize(0, self._theme.px(metrics.CONTROL)))
        self.list.addItem(item)
        self.list.setItemWidget(item, row)

    def _place(self, over: QWidget) -> None:
        rows = min(len(self._offered), MOST_ROWS)
        height = rows * self._theme.px(metrics.CONTROL) + 2 * metrics.SPACE[2] + 2 * metrics.BORDER
        corner = over.mapTo(self._host, QPoint(0, 0))
        width = min(over.width(), self._theme.px(metrics.DIALOG[0]))
        self.setGeometry(corner.x(), corner.y() - height - metrics.SPACE[2], width, height)
