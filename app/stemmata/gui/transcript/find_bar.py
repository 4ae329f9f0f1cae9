"""The find bar above a transcript: a search field, the number of matches, and buttons to step through them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.figures import number as figure
from stemmata.gui.widgets.labels import label, set_plain_tip, shortened
from stemmata.gui.widgets.window_field import WindowField

PAUSE_MS = 40  # after the last letter; a search for fewer letters ends when the next one begins


@dataclass(frozen=True, slots=True)
class FindOptions:
    """Options of find: match the case, match whole words only, read the text as a regular expression."""

    case: bool = False
    word: bool = False
    pattern: bool = False


class FindBar(QWidget):
    """The find bar, hidden at first. Enter goes to the next match, Shift+Enter to the previous; Escape closes it."""

    query_changed = Signal(str)
    step_requested = Signal(int)  # 1 or -1
    elsewhere_requested = Signal()
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("findBar")
        self.setProperty("surface", "panel")
        self._theme = theme
        self._elsewhere = 0  # matches on other branches
        self._before: QWidget | None = None  # had the focus
        self.field = WindowField(clearButtonEnabled=True)
        self.field.setPlaceholderText(self.tr("Find in session"))
        self.field.setAccessibleName(self.tr("Find in session"))
        self._toggles = {
            Qt.Key.Key_A: self._toggle("Aa", self.tr("Match case"), "Alt+A"),
            Qt.Key.Key_W: self._toggle("“W”", self.tr("Whole words"), "Alt+W"),
            Qt.Key.Key_R: self._toggle(".*", self.tr("Regular expression"), "Alt+R"),
        }
        self.field.installEventFilter(self)  # a field would take the letter
        self._count = label("", "dim")
        self._count.setAccessibleName(self.tr("Matches"))
        self.elsewhere = push_button("", self.elsewhere_requested.emit, look="link")
        self.elsewhere.hide()
        self.previous = IconButton(theme, "chevron-up", self.tr("Previous match"))
        self.next = IconButton(theme, "chevron-down", self.tr("Next match"))
        close = IconButton(theme, "close", self.tr("Close the find bar"))
        self.previous.clicked.connect(lambda: self.step_requested.emit(-1))
        self.next.clicked.connect(lambda: self.step_requested.emit(1))
        close.clicked.connect(self.close_bar)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._on_paused)
        self.field.textChanged.connect(lambda: self._pause.start())
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        lines, row = QVBoxLayout(self), QHBoxLayout()
        lines.setContentsMargins(metrics.SPACE[6], metrics.SPACE[2], metrics.SPACE[4], metrics.SPACE[2])
        lines.setSpacing(metrics.SPACE[2])
        lines.addLayout(row)
        lines.addWidget(self.problem)
        row.setSpacing(metrics.SPACE[2])
        row.addWidget(self.field, 1)
        for widget in (*self._toggles.values(), self._count, self.elsewhere, self.previous, self.next, close):
            row.addWidget(widget)
        self.hide()

    @property
    def query(self) -> str:
        """The searched text: the text of the field without surrounding blanks."""
        return self.field.text().strip()

    def show_query(self, text: str) -> None:
        """Show the find bar with a text that is being searched; the focus stays."""
        self.field.setText(text)
        self._pause.stop()  # the search runs already
        self.show()

    @property
    def options(self) -> FindOptions:
        """The options that the buttons beside the field show."""
        return FindOptions(*(toggle.isChecked() for toggle in self._toggles.values()))

    def _toggle(self, text: str, name: str, keys: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setCheckable(True)
        button.setAccessibleName(name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        shown = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        set_plain_tip(button, f"{name} ({shown})")
        button.toggled.connect(lambda _on: self._on_paused())
        return button

    def show_problem(self, text: str) -> None:
        """Show the reason why the search cannot run, in a separate line, and no number of matches."""
        self.show_count(None, None)
        self.problem.setText(shortened(text))
        self.problem.show()

    @property
    def count_text(self) -> str:
        """The displayed number of matches, such as `3 of 41`."""
        return self._count.text()

    def open(self) -> None:
        """Show the find bar, and focus and select the last searched text."""
        if not self.isVisible():
            self._before = self.window().focusWidget()
            self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close_bar(self) -> None:
        """Hide the find bar and return the focus to the widget that had it before."""
        self._pause.stop()
        self.hide()
        before, self._before = self._before, None
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.closed.emit()

    def show_count(self, number: int | None, total: int | None, *, more: bool = False) -> None:
        """Show the number of the current match and the total, such as `3 of 41`; no text when `total` is None.

        `more`: part of the session has not been searched yet.
        """
        self.problem.hide()
        found = total is not None and total > 0
        self.previous.setEnabled(found)
        self.next.setEnabled(found)
        if total is None:
            self._count.clear()
        elif not total:
            self._count.setText("…" if more else self.tr("No match"))
        else:
            whole = figure(total) + ("…" if more else "")
            text = whole if number is None else self.tr("{0} of {1}").format(figure(number), whole)
            self._count.setText(text)

    def show_elsewhere(self, count: int) -> None:
        """Show the number of matches on other branches; hide it when it is 0."""
        self._elsewhere = count
        words = self.tr("%Ln more on other branches", None, count)
        is_narrow = self.width() < self._theme.px(metrics.NARROW_FIND_BAR)
        self.elsewhere.setText(f"+{figure(count)}" if is_narrow else words)
        self.elsewhere.setAccessibleName(words)
        set_plain_tip(self.elsewhere, words if is_narrow else "")
        self.elsewhere.setVisible(count > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._elsewhere:
            self.show_elsewhere(self._elsewhere)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Switch the options by their keys in the field, too."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._switch(event)
        return super().eventFilter(watched, event)

    def _switch(self, event: QKeyEvent) -> bool:
        """Switch the option of a key; returns whether it has one."""
        toggle = self._toggles.get(Qt.Key(event.key()))
        if toggle is None or event.modifiers() != Qt.KeyboardModifier.AltModifier:
            return False
        toggle.click()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if self._switch(event):
            return
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._pause.isActive():
                self._pause.stop()
                self._on_paused()
            self.step_requested.emit(-1 if back else 1)
        else:
            super().keyPressEvent(event)

    def _on_paused(self) -> None:
        self._pause.stop()  # another search of the same text would go back to its first match
        self.query_changed.emit(self.query)
