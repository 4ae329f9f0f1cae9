"""The queued messages, which wait for the reply to end: edit, reorder, send or remove them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit

from stemmata.domain.chat.run import QueuedMessage
from stemmata.domain.entries.blocks import plain_text, split_attachments
from stemmata.domain.text.one_line import one_line
from stemmata.gui.composer.editor import is_too_long
from stemmata.gui.composer.rows import RowsArea
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.labels import ElidedLabel, set_plain_tip

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
EDIT_LINES = 4


class QueueRowWidget(QFrame):
    """One queued message. Enter or F2 edits, Alt+↑↓ moves, Delete removes, Ctrl+Enter sends now."""

    edited = Signal(int, str)  # key, text
    move_requested = Signal(int, int)  # key, rows further
    drop_requested = Signal(int)
    send_requested = Signal(int)
    stepped = Signal(int)  # number of rows by which to move the focus

    def __init__(self, theme: Theme, queued: QueuedMessage) -> None:
        super().__init__()
        self._theme, self.queued = theme, queued
        self.setProperty("queued", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.grip = QLabel()
        self.grip.setCursor(Qt.CursorShape.OpenHandCursor)
        self.grip.setToolTip(self.tr("Drag to reorder (Alt+↑ Alt+↓)"))
        self.grip.installEventFilter(self)
        self._text = ElidedLabel("", "dim")
        self._text.installEventFilter(self)
        self.editor: QPlainTextEdit | None = None
        self.buttons = {
            "send": self._button("send", self.tr("Send now"), self.send_requested),
            "edit": IconButton(theme, "edit", self.tr("Edit the queued message")),
            "drop": self._button("close", self.tr("Delete the queued message"), self.drop_requested),
        }
        self.buttons["edit"].clicked.connect(self.edit)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(metrics.SPACE[2], 0, metrics.SPACE[1], 0)
        self._row.setSpacing(metrics.SPACE[2])
        self._row.addWidget(self.grip)
        self._row.addWidget(self._text, 1)
        for button in self.buttons.values():
            self._row.addWidget(button)
        self.show_queued(queued)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_queued(self, queued: QueuedMessage) -> None:
        """Show a message."""
        self.queued = queued
        attached, self._said = split_attachments(queued.blocks)
        with_files = self.tr("%Ln attachments", None, len(attached)) if attached else ""
        self._text.setText(" · ".join(part for part in (one_line(self._said), with_files) if part))
        set_plain_tip(self._text, plain_text(queued.blocks))
        self._is_long = is_too_long(self._said)
        edit = self.tr("Too long to be edited here") if self._is_long else self.tr("Edit the queued message")
        set_plain_tip(self.buttons["edit"], edit)
        self.buttons["edit"].setEnabled(not self._is_long)
        self.setAccessibleName(self.tr("Queued: {0}").format(self._text.text()))

    def edit(self) -> None:
        """Edit the text in place; Enter stores it, Esc discards it."""
        if self.editor is None and not self._is_long:
            editor = self.editor = QPlainTextEdit()
            editor.setProperty("plain", True)
            editor.setAccessibleName(self.tr("Queued message"))
            editor.setPlainText(self._said)
            editor.selectAll()
            editor.installEventFilter(self)
            self._row.replaceWidget(self._text, editor)
            self._row.setStretchFactor(editor, 1)
            self._text.hide()
            self._restyle()
            editor.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys of the row."""
        key, held = Qt.Key(event.key()), event.modifiers()
        if key in _STEPS and held & Qt.KeyboardModifier.AltModifier:
            self.move_requested.emit(self.queued.key, _STEPS[key])
        elif key in _STEPS:
            self.stepped.emit(_STEPS[key])
        elif key in _ENTER and held & Qt.KeyboardModifier.ControlModifier:
            self.send_requested.emit(self.queued.key)
        elif key in (*_ENTER, Qt.Key.Key_F2):
            self.edit()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.drop_requested.emit(self.queued.key)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Claim the row's keys, which are shortcuts elsewhere in the window."""
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Delete, *_STEPS, *_ENTER):
            event.accept()
            if event.type() == QEvent.Type.ShortcutOverride:
                return True
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle dragging, double clicks and the keys of the editor."""
        if watched is self.grip and isinstance(event, QMouseEvent):
            return self._on_grip(event)
        if watched is self._text and event.type() == QEvent.Type.MouseButtonDblClick:
            self.edit()
            return True
        if self.editor is not None and watched is self.editor:
            return self._on_editor(event)
        return False

    def _on_grip(self, event: QMouseEvent) -> bool:
        """Reorder the queue when a row is dropped on another."""
        if event.type() == QEvent.Type.MouseButtonRelease:
            rows = round((self.grip.mapTo(self, event.position()).y() - self.height() / 2) / max(1, self.height()))
            if rows:
                self.move_requested.emit(self.queued.key, rows)
        return event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease)

    def _on_editor(self, event: QEvent) -> bool:
        assert self.editor is not None
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self._end_edit()
                self.setFocus()
                return True
            if event.key() in _ENTER and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._take()
                self.setFocus()
                return True
        if event.type() == QEvent.Type.FocusOut:
            self._take()
        return False

    def _take(self) -> None:
        text = "" if self.editor is None else self.editor.toPlainText().strip()
        self._end_edit()
        if text and text != self._said:
            self.edited.emit(self.queued.key, text)

    def _end_edit(self) -> None:
        editor, self.editor = self.editor, None
        if editor is not None:
            self._row.replaceWidget(editor, self._text)
            self._row.setStretchFactor(self._text, 1)
            editor.hide()
            editor.deleteLater()
            self._text.show()
            self._restyle()

    def _button(self, icon: str, text: str, asked: SignalInstance) -> IconButton:
        button = IconButton(self._theme, icon, text)
        button.clicked.connect(lambda: asked.emit(self.queued.key))
        return button

    def _restyle(self) -> None:
        self.grip.setPixmap(self._theme.pixmap("grip", "faint", ratio=self.devicePixelRatioF()))
        lines = 1 if self.editor is None else EDIT_LINES
        line = self._theme.px(metrics.CONTROL)
        self.setFixedHeight(line if lines == 1 else lines * self.fontMetrics().lineSpacing() + line // 2)


class QueueRows(RowsArea):
    """The queue in order of delivery."""

    edited = Signal(int, str)
    move_requested = Signal(int, int)  # key, position from 0
    drop_requested = Signal(int)
    send_requested = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.setObjectName("queueRows")
        self.setAccessibleName(self.tr("Queued messages"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.queued: tuple[QueuedMessage, ...] = ()

    @property
    def rows(self) -> list[QueueRowWidget]:
        """The rows shown."""
        return [row for row in self.shown if isinstance(row, QueueRowWidget)]

    def show_queue(self, queued: Sequence[QueuedMessage]) -> None:
        """Replace the messages; remaining rows keep their focus and unfinished edits."""
        known = {row.queued.key: row for row in self.rows}
        self.queued = tuple(queued)
        rows = [known.get(item.key) or self._make(item) for item in queued]
        for row, item in zip(rows, queued, strict=True):
            row.show_queued(item)
        self.show_rows(rows)

    def _make(self, queued: QueuedMessage) -> QueueRowWidget:
        row = QueueRowWidget(self._theme, queued)
        row.edited.connect(self.edited)
        row.drop_requested.connect(self.drop_requested)
        row.send_requested.connect(self.send_requested)
        row.move_requested.connect(self._on_move_requested)
        row.stepped.connect(partial(self._on_stepped, row))
        return row

    def _on_move_requested(self, key: int, rows: int) -> None:
        keys = [item.key for item in self.queued]
        if key in keys:
            at = keys.index(key)
            to = min(max(at + rows, 0), len(keys) - 1)
            if to != at:
                self.move_requested.emit(key, to)

    def _on_stepped(self, row: QueueRowWidget, step: int) -> None:
        rows = self.rows
        at = rows.index(row) + step if row in rows else -1
        if 0 <= at < len(rows):
            rows[at].setFocus(Qt.FocusReason.TabFocusReason)
            self.ensureWidgetVisible(rows[at])
