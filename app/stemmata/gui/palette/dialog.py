"""The command palette: one field above a list of text hits, sessions and actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QVBoxLayout, QWidget
from shiboken6 import isValid

from stemmata.gui.palette.delegate import PaletteDelegate
from stemmata.gui.palette.rows import PaletteHeading, PaletteModel, PaletteRow
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import cast_shadow

AROUND = metrics.SPACE[8] + metrics.SPACE[5] + metrics.BORDER  # height of the margins around field and list
STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


MOST_TYPED = 500  # characters of a query; every word of it is looked for in every title


class CommandPalette(QFrame):
    """An overlay above its host. `SearchController` fills it on `query_changed` and acts on `row_chosen`."""

    query_changed = Signal(str)
    row_chosen = Signal(object)  # PaletteRow
    closed = Signal()

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host)
        self.setObjectName("commandPalette")
        self.setProperty("overlay", True)
        self.setAccessibleName(self.tr("Command palette"))
        self._theme = theme
        self._host = host
        self._before: QWidget | None = None  # the widget that had the focus before
        self._stepped = False  # whether the user moved the selection since the query changed
        self._model = PaletteModel()
        self.field = QLineEdit()
        self.field.setProperty("plain", True)
        self.field.setProperty("large", True)
        self.field.setPlaceholderText(self.tr("Search or run a command"))
        self.field.setAccessibleName(self.tr("Search or run a command"))
        self.field.setMaxLength(MOST_TYPED)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.installEventFilter(self)
        self.list = self._build_list()
        self._nothing = label(self.tr("No matches."), "dim")
        self._nothing.setMargin(metrics.SPACE[6])
        self._nothing.hide()
        self._lay_out()
        cast_shadow(self, theme)
        host.installEventFilter(self)
        self.hide()

    def open(self) -> None:
        """Show the empty palette with its initial suggestions."""
        if not self.isVisible():
            self._before = self._host.window().focusWidget()
        self._stepped = False
        self.field.clear()
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus()
        self.query_changed.emit("")

    def ask_again(self, text: str) -> None:
        """Open the palette with this query."""
        self.open()
        self.field.setText(text)

    def show_rows(self, rows: Sequence[PaletteRow]) -> None:
        """Show the results and select the first one, or keep the row that the user selected meanwhile."""
        chosen = self._chosen() if self._stepped else None
        self._model.set_rows(rows)
        first = self._model.next_choice(-1, 1)
        if chosen is not None and chosen in rows:
            self._go_to(self._model.rows.index(chosen))
        elif first is not None:
            self.list.setCurrentIndex(self._model.index(first))
            self.list.scrollToTop()  # show the heading as well
        self._nothing.setVisible(first is None)
        self.list.setVisible(first is not None)
        self._place()

    @property
    def rows(self) -> tuple[PaletteRow, ...]:
        """The rows shown."""
        return self._model.rows

    def hideEvent(self, event: QHideEvent) -> None:
        """Report that the palette was closed."""
        super().hideEvent(event)
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle keys of the field, hide on loss of focus, and follow the size of the host."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        if watched is self.field and event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        if watched is self._host and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _on_key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key in STEPS:
            row = self._model.next_choice(self.list.currentIndex().row(), STEPS[key])
            if row is not None:
                self._stepped = True
                self._go_to(row)
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.list.currentIndex().row())
            return True
        if key == Qt.Key.Key_Escape:
            self._close()
            return True
        return False

    def _on_text_changed(self, text: str) -> None:
        self._stepped = False
        self.query_changed.emit(text)

    def _chosen(self) -> PaletteRow | None:
        row = self.list.currentIndex().row()
        return self._model.rows[row] if 0 <= row < len(self._model.rows) else None

    def _go_to(self, row: int) -> None:
        self.list.setCurrentIndex(self._model.index(row))
        self.list.scrollTo(self._model.index(row))

    def _choose(self, row: int) -> None:
        rows = self._model.rows
        if 0 <= row < len(rows) and not isinstance(rows[row], PaletteHeading):
            chosen = rows[row]
            self._close()
            self.row_chosen.emit(chosen)

    def _close(self) -> None:
        """Hide the palette and restore the focus, which Qt would otherwise give to another widget."""
        before, self._before = self._before, None
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus()
        self.hide()

    def _build_list(self) -> QListView:
        out = QListView()
        out.setModel(self._model)
        out.setItemDelegate(PaletteDelegate(self._theme, out))
        out.setAccessibleName(self.tr("Results"))
        out.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        out.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # snippets are painted in pieces, from left to right
        out.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        out.setUniformItemSizes(True)
        out.clicked.connect(lambda index: self._choose(index.row()))
        return out

    def _lay_out(self) -> None:
        rule = QFrame()
        rule.setProperty("edge", "top")
        rule.setFixedHeight(metrics.BORDER)
        column = QVBoxLayout(self)
        column.setContentsMargins(metrics.BORDER, metrics.SPACE[3], metrics.BORDER, metrics.SPACE[4])
        column.setSpacing(metrics.SPACE[2])
        inset = QVBoxLayout()
        inset.setContentsMargins(metrics.SPACE[2], metrics.SPACE[3], metrics.SPACE[2], metrics.SPACE[2])
        inset.addWidget(self.field)  # the inset aligns the field's text with the icons
        column.addLayout(inset)
        column.addWidget(rule)
        column.addWidget(self.list, 1)
        column.addWidget(self._nothing)

    def _place(self) -> None:
        width = min(self._theme.px(metrics.PALETTE), self._host.width() - 2 * metrics.SPACE[8])
        row, around = self._theme.px(metrics.MENU_ROW), self.field.sizeHint().height() + AROUND
        most = min(self._theme.px(metrics.PALETTE_HEIGHT), self._host.height() * 3 // 4)
        rows = min(len(self._model.rows), max(1, (most - around) // row)) * row  # no row is cut
        rows = rows if self._nothing.isHidden() else self._nothing.sizeHint().height()
        height = min(around + rows, most)
        self.setGeometry((self._host.width() - width) // 2, self._theme.px(metrics.TOP_BAR) * 2, width, height)
