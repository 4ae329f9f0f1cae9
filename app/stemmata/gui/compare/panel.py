"""The panel with the differences between two branches: figures, files and actions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from stemmata.domain.compare.comparison import ComparedFile, Comparison, FileTouch
from stemmata.domain.compare.turns import Turn
from stemmata.domain.text.one_line import one_line
from stemmata.gui.cards.tool_line import within
from stemmata.gui.compare.head import BranchFacts, LaneDot
from stemmata.gui.compare.pieces import table, tr
from stemmata.gui.compare.row import SideOf
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import ElidedLabel, label, literal, set_plain_tip
from stemmata.gui.widgets.surface import TitledSection, line, set_surface

MOST_FILES = 200  # files listed; further files are counted
SHORT = 18  # characters of a branch's name beside a file


class DifferencePanel(QWidget):
    """The panel beside a comparison of branches: totals, files, and the actions on the selected turn."""

    continue_requested = Signal()
    copy_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("differencePanel")
        set_surface(self, "panel")
        self._theme = theme
        self._branches: tuple[BranchFacts, BranchFacts] | None = None
        self._copied_to = ""  # the branch to which the selected turn is copied
        self.table = QGridLayout()
        self.table.setHorizontalSpacing(metrics.SPACE[7])
        self.table.setVerticalSpacing(metrics.SPACE[3])
        self.table.setColumnStretch(0, 1)
        self.file_rows = QVBoxLayout()
        self.file_rows.setSpacing(metrics.SPACE[3])
        self.go_on = push_button("", self.continue_requested.emit, look="primary")
        self.copy = push_button("", self.copy_requested.emit)
        self.note = label("", "faint", wrap=True)
        self._lay_out(theme)
        theme.changed.connect(self._name_copy)

    def _lay_out(self, theme: Theme) -> None:
        content = QWidget()
        set_surface(content, "panel")
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        figures = QWidget()
        inside = QVBoxLayout(figures)
        inside.setContentsMargins(*[metrics.SPACE[6]] * 4)
        inside.setSpacing(metrics.SPACE[4])
        inside.addLayout(self.table)
        inside.addWidget(self.note)
        self.files = TitledSection(self.tr("Files"), rule=True)
        self.files.body.addLayout(self.file_rows)
        column.addWidget(figures)
        column.addWidget(self.files)
        column.addWidget(self._buttons())
        column.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(content)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(ColumnHeader(theme, self.tr("Difference")))
        whole.addWidget(area, 1)

    def _buttons(self) -> QWidget:
        out = QWidget()
        set_surface(out, edge="top")
        column = QVBoxLayout(out)
        column.setContentsMargins(*[metrics.SPACE[6]] * 4)
        column.setSpacing(metrics.SPACE[4])
        for button in (self.go_on, self.copy):
            row = QHBoxLayout()
            row.addWidget(button)
            row.addStretch(1)
            column.addLayout(row)
        return out

    def show_comparison(
        self, comparison: Comparison, left: BranchFacts, right: BranchFacts, folder: str = ""
    ) -> None:
        """Show the figures and files of a comparison; paths are shown relative to `folder`."""
        self._branches = left, right
        _empty(self.table)
        for column, (name, branch) in enumerate(((self.tr("Left"), left), (self.tr("Right"), right)), 1):
            self.table.addWidget(self._head(name, branch), 0, column)
        for row, (name, *values) in enumerate(table(comparison.left.totals, comparison.right.totals), 1):
            self.table.addWidget(ElidedLabel(name), row, 0)  # in a narrow window, the figures stay whole
            for column, (branch, text) in enumerate(zip((left, right), values, strict=True), 1):
                value = label(text, "dim")
                value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                value.setAccessibleName(f"{name}, {branch.name}: {text}")
                self.table.addWidget(value, row, column)
        cut = comparison.left.cut + comparison.right.cut
        self.note.setText(tr("Only the beginning of long texts is compared; %Ln characters are not.", None, cut))
        self.note.setVisible(cut > 0)
        self._show_files(comparison, folder)

    def _head(self, name: str, branch: BranchFacts) -> QWidget:
        """Return the head of a column of figures: which side it is, with the dot of its lane."""
        out = QWidget()
        row = QHBoxLayout(out)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[3])
        row.addStretch(1)
        row.addWidget(LaneDot(self._theme, branch.color), 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(label(name, "small"))
        set_plain_tip(out, branch.name)
        out.setAccessibleName(f"{name}: {branch.name}")
        return out

    def show_selection(self, side: SideOf, turn: Turn | None) -> None:
        """Update the buttons for the selected side and its turn."""
        if self._branches is None:
            return
        mine, other = self._branches[side], self._branches[side.other]
        words = self.tr("Continue from the left") if side is SideOf.LEFT else self.tr("Continue from the right")
        self.go_on.setText(words)
        self.go_on.setEnabled(not mine.active)
        self.go_on.setToolTip(self.tr("This branch is already active.") if mine.active else "")
        self._copied_to = one_line(other.name, SHORT)
        self._name_copy()
        can_copy = turn is not None and turn.request is not None
        self.copy.setEnabled(can_copy)
        self.copy.setToolTip("" if can_copy else self.tr("The selection contains no prompt."))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_copy()

    def _name_copy(self) -> None:
        """Name the branch on the button that copies; the name is shortened where the panel has no room for it."""
        words = self.tr("Copy this turn to {0}")
        self.copy.setText(words.format(""))
        around = 2 * metrics.SPACE[6] + self._theme.px(metrics.SCROLL_BAR)
        room = self.width() - around - self.copy.sizeHint().width()
        shown = self.copy.fontMetrics().elidedText(self._copied_to, Qt.TextElideMode.ElideRight, room)
        self.copy.setText(words.format(literal(shown)))
        self.copy.setAccessibleName(words.format(self._copied_to))

    def _show_files(self, comparison: Comparison, folder: str) -> None:
        _empty(self.file_rows)
        has_heading = False
        for use in comparison.files[:MOST_FILES]:  # modified files come first
            changed = FileTouch.MODIFIED in (use.left, use.right)
            if not changed and not has_heading:
                has_heading = True
                heading = label(tr("Read, not changed"), "section")
                heading.setContentsMargins(0, metrics.SPACE[3] if self.file_rows.count() else 0, 0, 0)
                self.file_rows.addWidget(heading)
            self.file_rows.addWidget(self._file(use, folder, changed=changed))
        more = len(comparison.files) - MOST_FILES
        if more > 0:
            self.file_rows.addWidget(label(tr("… and %Ln more", None, more), "faint"))
        if not comparison.files:
            self.file_rows.addWidget(label(tr("Neither branch used a file."), "faint"))

    def _file(self, use: ComparedFile, folder: str, *, changed: bool) -> QWidget:
        path = use.path if changed else tr("{0} (read, not changed)").format(use.path)
        name = ElidedLabel(within(folder, use.path), "" if changed else "dim", keeps_end=True)
        set_plain_tip(name, path)
        where = label(self._sides_text(use), "dim")
        row = QWidget()
        row.setLayout(line(name, where))
        row.setAccessibleName(f"{path}: {where.text()}")
        return row

    def _sides_text(self, use: ComparedFile) -> str:
        assert self._branches is not None
        left, right = (one_line(branch.name, SHORT) for branch in self._branches)
        if use.left and use.right:
            return (
                tr("both")
                if use.left == use.right
                else tr("both, but not changed in {0}").format(left if use.left is FileTouch.READ else right)
            )
        return tr("{0} only").format(left if use.left else right)


def _empty(layout: QGridLayout | QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
