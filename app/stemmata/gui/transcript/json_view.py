"""JSON as a tree whose objects and lists fold, with colours, and the selected value in full below it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import orjson
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QHeaderView, QPlainTextEdit, QSplitter, QStyleOptionViewItem, QTreeView

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.clipboard import put_on_clipboard

LONGEST = 200  # characters of a value in its row
LONGEST_NAME = 200
MOST_AT_ONCE = 200  # rows that are added at a time
MOST_OPENED = 60  # rows that are visible at first
MOST_SHOWN = 20_000  # characters of the selected value
AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class _Node:
    """A value at its place. The items of an object or a list become nodes when they are shown."""

    __slots__ = ("above", "children", "name", "row", "value")

    def __init__(self, name: str, value: Any, above: _Node | None, row: int) -> None:
        self.name, self.value, self.above, self.row = name, value, above, row
        self.children: list[_Node] = []

    @property
    def count(self) -> int:
        """The number of items of an object or a list; 0 for another value."""
        return len(self.value) if isinstance(self.value, dict | list) else 0

    def add(self, count: int) -> None:
        """Make the nodes of the next items."""
        start = len(self.children)
        if isinstance(self.value, dict):
            items: Sequence[tuple[str, Any]] = list(islice(self.value.items(), start, start + count))
        else:
            items = [(str(start + at), value) for at, value in enumerate(self.value[start : start + count])]
        self.children += [_Node(name, value, self, start + at) for at, (name, value) in enumerate(items)]


class JsonModel(QAbstractItemModel):
    """The rows of a JSON value: names in the first column, values in the second. Rows are added when needed."""

    def __init__(self, theme: Theme, value: object) -> None:
        super().__init__()
        self._theme = theme
        self._root = _Node("", value, None, 0)

    def node(self, index: AnyIndex) -> _Node:
        """Return the node of a row, the whole value for an invalid index."""
        found = index.internalPointer() if index.isValid() else None
        return found if isinstance(found, _Node) else self._root

    def index(self, row: int, column: int, parent: AnyIndex = _NOWHERE) -> QModelIndex:
        children = self.node(parent).children
        return self.createIndex(row, column, children[row]) if 0 <= row < len(children) else QModelIndex()

    def parent(self, index: AnyIndex = _NOWHERE) -> QModelIndex:  # type: ignore[override]  # also QObject.parent
        above = self.node(index).above
        return QModelIndex() if above is None or above is self._root else self.createIndex(above.row, 0, above)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.column() > 0 else len(self.node(parent).children)

    def columnCount(self, _parent: AnyIndex = _NOWHERE) -> int:
        return 2

    def hasChildren(self, parent: AnyIndex = _NOWHERE) -> bool:
        return parent.column() <= 0 and self.node(parent).count > 0

    def canFetchMore(self, parent: AnyIndex) -> bool:
        node = self.node(parent)
        return len(node.children) < node.count

    def fetchMore(self, parent: AnyIndex) -> None:
        node = self.node(parent)
        start = len(node.children)
        stop = min(start + MOST_AT_ONCE, node.count)
        if stop > start:
            self.beginInsertRows(parent, start, stop - 1)
            node.add(stop - start)
            self.endInsertRows()

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.node(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return shown(node.value) if index.column() else node.name[:LONGEST_NAME]
            case Qt.ItemDataRole.ForegroundRole:
                return self._theme.color(color_of(node.value) if index.column() else "code_name")
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{node.name[:LONGEST_NAME]}: {shown(node.value)}"
        return None


def shown(value: object) -> str:
    """Return a value on one line, and the number of items of an object or a list."""
    match value:
        case dict():
            return f"{{{len(value)}}}"
        case list():
            return f"[{len(value)}]"
        case str():
            text = value[:LONGEST].replace("\n", "⏎")
            return f'"{text}…' if len(value) > LONGEST else f'"{text}"'
    return orjson.dumps(value).decode()


def color_of(value: object) -> str:
    """Return the colour token of a value."""
    match value:
        case dict() | list():
            return "faint"
        case str():
            return "code_string"
        case bool() | None:
            return "code_keyword"
    return "code_number"


class JsonView(QSplitter):
    """The tree, and below it the selected value: a text with its line breaks, anything else as indented JSON."""

    def __init__(self, theme: Theme, value: object) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.model = JsonModel(theme, value)
        self.rows = JsonRows(theme, self.model)
        self.rows.setFont(theme.font("code"))
        self.rows.setIndentation(theme.px(metrics.LIST_INDENT))
        self.rows.setAccessibleName(self.tr("Record as a tree"))
        self.value = QPlainTextEdit(readOnly=True, undoRedoEnabled=False)
        self.value.setProperty("framed", True)
        self.value.setFont(theme.font("code"))
        self.value.setTabChangesFocus(True)
        self.value.setAccessibleName(self.tr("Selected value"))
        self.addWidget(self.rows)
        self.addWidget(self.value)
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 1)
        self.setFocusProxy(self.rows)
        self.rows.selectionModel().currentChanged.connect(self._show_value)
        self.rows.open_first()

    def _show_value(self, index: QModelIndex) -> None:
        text = in_full(self.model.node(index).value)
        self.value.setPlainText(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…")


def in_full(value: object) -> str:
    """Return the text that is copied for a value: a string itself, any other value as indented JSON."""
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


class JsonRows(QTreeView):
    """The tree. `Ctrl+C` copies the selected value; `*` does nothing, since it would open everything at once."""

    def __init__(self, theme: Theme, model: JsonModel) -> None:
        super().__init__()
        self._theme, self._json = theme, model
        self.setModel(model)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(True)
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)

    def open_first(self) -> None:
        """Open the outer objects, as long as the rows fit on a page, and select the first row."""
        model, waiting = self._json, [QModelIndex()]
        if model.canFetchMore(QModelIndex()):
            model.fetchMore(QModelIndex())
        rows = model.rowCount()
        while waiting and rows < MOST_OPENED:
            above = waiting.pop(0)
            for row in range(model.rowCount(above)):
                index = model.index(row, 0, above)
                count = model.node(index).count
                if count and rows + count <= MOST_OPENED:
                    model.fetchMore(index)
                    self.expand(index)
                    rows += count
                    waiting.append(index)
        self.resizeColumnToContents(0)
        self.setColumnWidth(0, min(self.columnWidth(0), self.sizeHint().width()))
        self.setCurrentIndex(model.index(0, 0))

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint a row; the current one has the frame that the other lists have while they are used by keys."""
        super().drawRow(painter, option, index)
        now, by_keys = self.currentIndex(), self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        if by_keys and self.hasFocus() and index.row() == now.row() and index.parent() == now.parent():
            painter.setPen(self._theme.color("accent"))
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            put_on_clipboard(in_full(self._json.node(self.currentIndex()).value))
        elif event.key() != Qt.Key.Key_Asterisk:
            super().keyPressEvent(event)
