"""The page that compares two branches side by side, starting at their common ancestor."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QSplitter, QToolButton, QVBoxLayout, QWidget

from stemmata.domain.compare.comparison import Comparison
from stemmata.domain.text.one_line import one_line
from stemmata.gui.compare.head import BranchFacts, CompareHead
from stemmata.gui.compare.list_view import CompareList
from stemmata.gui.compare.panel import DifferencePanel
from stemmata.gui.compare.pieces import ShownTurn
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.surface import set_surface
from stemmata.services.ports.archive import Pages

ORIGIN, SHORT_ORIGIN = 60, 16  # characters of the common ancestor


class CompareView(QSplitter):
    """The page; it is empty until `show_comparison`. Entries are store keys."""

    leave_requested = Signal()
    continue_requested = Signal(object)  # the last entry of the selected side
    copy_requested = Signal(tuple, object)  # entries of a turn, the last entry of the other side
    link_activated = Signal(str)

    def __init__(self, theme: Theme, pages: Pages) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setObjectName("compareView")
        self.setAccessibleName(self.tr("Compare"))
        self.setHandleWidth(metrics.BORDER)
        self.setChildrenCollapsible(False)
        self._branches: tuple[BranchFacts, BranchFacts] | None = None
        self._ancestor: int | None = None
        self.header = ColumnHeader(theme, self.tr("Compare"), "bg")
        self.head = CompareHead(theme)
        self.list = CompareList(theme, pages, self.head)
        self.panel = DifferencePanel(theme)
        self.filters = self._build_filters()
        close = IconButton(theme, "close", self.tr("Close comparison"))
        close.clicked.connect(self.leave_requested)
        self._shorten(on=False)
        self.header.add(self.filter_button, self._shorten)
        self.header.add(close)
        self._lay_out(theme)
        self.setFocusProxy(self.list)
        self._connect()
        self._on_filtered()

    def show_comparison(
        self, comparison: Comparison, left: BranchFacts, right: BranchFacts, folder: str = ""
    ) -> None:
        """Show a comparison; paths are shown relative to `folder`.

        An updated comparison with the same common ancestor keeps the scroll position.
        """
        keep = self._branches is not None and self._ancestor == comparison.ancestor
        self._branches, self._ancestor = (left, right), comparison.ancestor
        self._show_origin(comparison.origin)
        self.head.show_branches(left, right)
        self.panel.show_comparison(comparison, left, right, folder)
        self.list.show_comparison(comparison, folder, keep=keep)

    def clear(self) -> None:
        """Remove the comparison."""
        self._branches = None
        self.list.show_comparison(None)

    # -- inside -----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Close the comparison on Escape, before the key has any other effect in the window."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.leave_requested.emit()
                return True
        return super().event(event)

    def _lay_out(self, theme: Theme) -> None:
        left = QWidget()
        set_surface(left, "bg")
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.list, 1)
        self.addWidget(left)
        self.addWidget(self.panel)
        left.setMinimumWidth(metrics.COLUMN_MINIMUMS[2])
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self._theme = theme
        theme.changed.connect(self._restyle)
        self._restyle()
        side = metrics.COLUMNS[3]
        self.setSizes([theme.px(metrics.WINDOW[0] - side), theme.px(side)])

    def _restyle(self) -> None:
        """Adapt the panel's width and the icons to the text size."""
        self.panel.setMinimumWidth(self._theme.px(metrics.COLUMN_MINIMUMS[3]))
        self.filter_button.setIcon(self._theme.icon("filter"))
        icon = self._theme.px(metrics.ICON)
        self.filter_button.setIconSize(QSize(icon, icon))

    def _build_filters(self) -> dict[ShownTurn, QAction]:
        self.filter_button = QToolButton()
        # Qt draws the arrow only for this direction
        self.filter_button.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.filter_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.filter_button.setToolTip(self.tr("Compared content"))
        self.filter_button.setAccessibleName(self.tr("Compared content"))
        self.filter_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self.filter_button)
        self.filter_button.setMenu(menu)
        names = {
            ShownTurn.PROMPTS: self.tr("Prompts"),
            ShownTurn.REPLIES: self.tr("Replies"),
            ShownTurn.TOOLS: self.tr("Tools"),
            ShownTurn.FILES: self.tr("Files"),
        }
        out: dict[ShownTurn, QAction] = {}
        for part, name in names.items():
            out[part] = menu.addAction(name)
            out[part].setCheckable(True)
            out[part].setChecked(True)
            out[part].toggled.connect(self._on_filtered)
        return out

    def _connect(self) -> None:
        self.list.selection_changed.connect(self._on_selected)
        self.list.continue_requested.connect(self._on_continue)
        self.list.copy_requested.connect(self._on_copy)
        self.list.leave_requested.connect(self.leave_requested)
        self.list.link_activated.connect(self.link_activated)
        self.panel.continue_requested.connect(self._on_continue)
        self.panel.copy_requested.connect(self._on_copy)

    def _shorten(self, *, on: bool) -> None:
        """Show only the filter's icon in a narrow column, so that the title stays complete."""
        styles = Qt.ToolButtonStyle
        self.filter_button.setToolButtonStyle(styles.ToolButtonIconOnly if on else styles.ToolButtonTextOnly)

    def _show_origin(self, said: str) -> None:
        words = self.tr("from “{0}”") if said.strip() else self.tr("from the start")
        self.header.set_chip(*(words.format(one_line(said, length)) for length in (ORIGIN, SHORT_ORIGIN)))

    def _on_filtered(self) -> None:
        shown = ShownTurn(sum(part for part, action in self.filters.items() if action.isChecked()))
        names = [action.text() for action in self.filters.values() if action.isChecked()]
        self.filter_button.setText(" · ".join(names) or self.tr("Nothing"))
        self.filter_button.setAccessibleDescription(self.filter_button.text())
        self.header.fit()
        self.panel.files.setVisible(bool(shown & ShownTurn.FILES))
        self.list.set_shown(shown)

    def _on_selected(self) -> None:
        turn = self.list.turn
        self.panel.show_selection(self.list.side, turn)
        self.list.setAccessibleDescription(self._accessible_turn())

    def _accessible_turn(self) -> str:
        """Return the selected turn in words for a screen reader."""
        known = self._branches is not None and self.list.row_count
        return self.list.spoken(self.list.row, self.list.side) if known else ""

    def _on_continue(self) -> None:
        if self._branches is not None and self.panel.go_on.isEnabled():
            self.continue_requested.emit(self._branches[self.list.side].end)

    def _on_copy(self) -> None:
        turn = self.list.turn
        if self._branches is not None and turn is not None and turn.request is not None:
            self.copy_requested.emit(turn.entries, self._branches[self.list.side.other].end)
