"""A popup for choosing a model or a thinking level: a filter above a grouped list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label, set_plain_tip
from stemmata.gui.widgets.popup import Popup
from stemmata.gui.widgets.surface import line

MOST_ROWS = 12
MOST_LISTED = 300  # some servers offer thousands of models; the filter finds the others
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -MOST_ROWS, Qt.Key.Key_PageDown: MOST_ROWS}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
CHOICE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class PickRow:
    """One choice. `value` is emitted when it is picked; `group` is its heading.

    `note` is shown at the right, and `hint` explains it in the tooltip. Enter picks the current row. `is_ticked` says
    whether the row has a tick; None when the current row has it.
    """

    value: object
    text: str
    note: str = ""
    group: str = ""
    is_current: bool = False
    hint: str = ""
    is_ticked: bool | None = None


class PickPopup(Popup):
    """The popup: typing filters, Enter or a click picks, Esc or a click elsewhere closes it."""

    picked = Signal(object)  # the row's value

    def __init__(self, theme: Theme, host: QWidget, name: str) -> None:
        super().__init__(host, name)
        self._theme = theme
        self._rows: tuple[PickRow, ...] = ()
        self._at = QPoint()
        self.field = QLineEdit()
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.itemClicked.connect(self._choose)
        self._note = label("", "small", wrap=True)
        self._note.setMargin(metrics.SPACE[3])
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[4]] * 4)
        column.setSpacing(metrics.SPACE[3])
        for widget in (self.field, self.list, self._note):
            column.addWidget(widget)

    def ask(self, at: QPoint, rows: Sequence[PickRow], *, hint: str, note: str = "") -> None:
        """Open with the lower left corner at this global point. `note` is shown below the list."""
        self._at = at
        self.field.clear()
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.setAccessibleName(hint)
        self.list.setAccessibleName(hint)
        self.show_rows(rows, note)

    def show_rows(self, rows: Sequence[PickRow], note: str = "") -> None:
        """Replace the rows while the popup is open, because some servers respond late."""
        self._rows = tuple(rows)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self._fill()

    @property
    def shown(self) -> list[str]:
        """The texts of the visible choices."""
        return [row.text for row in self._choices()]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys of the filter."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            if key in _STEPS:
                self._step(_STEPS[key])
                return True
            if key in _ENTER:
                self._choose(self.list.currentItem())
                return True
            if key == Qt.Key.Key_Escape:
                self.hide()
                return True
        return False

    def _choices(self) -> list[PickRow]:
        words = self.field.text().casefold().split()
        found = [row for row in self._rows if _matches(row, words)]
        return found[:MOST_LISTED]

    def _fill(self) -> None:
        self.list.clear()
        group, current = "", None
        for row in self._choices():
            if row.group != group:
                group = row.group
                self._add_heading(group)
            self._add(row)
            if row.is_current or current is None:
                current = self.list.count() - 1
        if current is not None:
            self.list.setCurrentRow(current)
            self.list.scrollToItem(self.list.item(current))
        self._fit()

    def _add(self, row: PickRow) -> None:
        item = QListWidgetItem()
        item.setData(CHOICE, self._rows.index(row))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{row.text} {row.note}")
        item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, row.hint)
        item.setSizeHint(QSize(0, self._theme.px(metrics.CONTROL)))
        content = QWidget()
        parts = line(ElidedLabel(row.text), label(row.note, "small"))
        is_ticked = row.is_current if row.is_ticked is None else row.is_ticked
        tick = label("✓" if is_ticked else "", "small")
        tick.setFixedWidth(self._theme.px(metrics.SPACE[6]))
        parts.insertWidget(0, tick)
        parts.setContentsMargins(metrics.SPACE[3], 0, metrics.SPACE[5], 0)
        content.setLayout(parts)
        set_plain_tip(content, row.hint)
        self.list.addItem(item)
        self.list.setItemWidget(item, content)

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem()
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setSizeHint(QSize(0, self._theme.px(metrics.CONTROL)))
        heading = label(text, "section")
        heading.setContentsMargins(metrics.SPACE[3], metrics.SPACE[2], 0, 0)
        self.list.addItem(item)
        self.list.setItemWidget(item, heading)

    def _step(self, by: int) -> None:
        able = [at for at in range(self.list.count()) if self.list.item(at).flags() & Qt.ItemFlag.ItemIsEnabled]
        if able:
            now = self.list.currentRow()
            at = able.index(now) if now in able else 0
            self.list.setCurrentRow(able[min(max(at + by, 0), len(able) - 1)])

    def _choose(self, item: QListWidgetItem | None) -> None:
        at = None if item is None else item.data(CHOICE)
        if at is not None:
            self.hide()
            self.picked.emit(self._rows[at].value)

    def _fit(self) -> None:
        """Adapt the height to the rows, and keep the lower edge at the composer."""
        rows = min(max(self.list.count(), 1), MOST_ROWS)
        self.list.setFixedHeight(rows * self._theme.px(metrics.CONTROL) + metrics.SPACE[2])
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        layout.activate()
        width = self._theme.px(metrics.POPUP)
        self.resize(width, layout.totalHeightForWidth(width))
        self.open_at(self._at - QPoint(0, self.height()), self.field)


def _matches(row: PickRow, words: Sequence[str]) -> bool:
    text = f"{row.group} {row.text}".casefold()
    return all(word in text for word in words)
