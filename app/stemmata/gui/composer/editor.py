"""The message editor: grows with its text, sends on Enter, recalls earlier prompts and accepts files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

FEWEST_LINES, MOST_LINES = 1, 10
# Longer text is attached instead, because the editor would respond slowly.
MOST_CHARACTERS, LONGEST_LINE, MOST_ENDS = 100_000, 10_000, 5_000
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class MessageEditor(QPlainTextEdit):
    """The text field of the composer. `complete` handles each key first and returns whether it used the key."""

    submitted = Signal(bool)  # True: send immediately instead of queueing behind the running reply
    stop_requested = Signal()
    queued_wanted = Signal()  # ↑ was pressed in the empty editor while messages are queued
    image_given = Signal(QImage)
    files_given = Signal(list)  # list[str], paths
    files_dragged = Signal(bool)  # whether files are being dragged over the editor
    text_given = Signal(object)  # str, pasted text that is too long for the editor; Qt would convert a `Signal(str)`

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.enter_sends = True  # False: Enter starts a new line, and Ctrl+Enter sends
        self.complete: Callable[[QKeyEvent], bool] = lambda _event: False
        self.has_queued = False  # whether messages are queued
        self._said: tuple[str, ...] = ()  # oldest first
        self._recalled: int | None = None
        self._unsent = ""  # the draft, saved while an earlier prompt is shown
        self.setProperty("plain", True)
        self.setAccessibleName(self.tr("Message"))
        self.setPlaceholderText(self.tr("Message…   / for commands"))
        self.setTabChangesFocus(True)
        self.textChanged.connect(self.fit)
        theme.changed.connect(self.fit)
        self.fit()

    def set_said(self, prompts: Sequence[str]) -> None:
        """Set the prompts that ↑ recalls, oldest first."""
        self._said, self._recalled = tuple(prompts), None

    def put(self, text: str) -> None:
        """Replace the text; a very long text is attached instead."""
        if is_too_long(text):
            self.text_given.emit(text)
            text = ""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def fit(self) -> None:
        """Adapt the height to the text."""
        document = self.document()
        lines = min(max(round(document.size().height()), FEWEST_LINES), MOST_LINES)
        margin = 2 * (document.documentMargin() + self.frameWidth() + metrics.SPACE[3])
        self.setFixedHeight(round(lines * self.fontMetrics().lineSpacing() + margin))
        more = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines == MOST_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(more)

    # -- keys -------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window's leaf moves when the editor has nothing to undo or redo."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            document, keys = self.document(), QKeySequence.StandardKey
            undo = event.matches(keys.Undo) and not document.isUndoAvailable()
            if undo or (event.matches(keys.Redo) and not document.isRedoAvailable()):
                event.ignore()
                return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Tab:
            return self.complete(event) or super().event(event)  # Qt would move the focus before keyPressEvent
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle completion, Enter, recall and Esc."""
        if self.complete(event) or self._on_enter(event) or self._on_recall(event):
            return
        if event.key() == Qt.Key.Key_Escape:
            self.stop_requested.emit()
            return
        self._recalled = None if event.text() else self._recalled
        super().keyPressEvent(event)

    def _on_enter(self, event: QKeyEvent) -> bool:
        if event.key() not in _ENTER:
            return False
        held = event.modifiers() & (_CTRL | _SHIFT)
        if held == _CTRL | _SHIFT:
            self.submitted.emit(True)
        elif held == _CTRL or (self.enter_sends and not held):
            self.submitted.emit(False)
        else:
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        return True

    def _on_recall(self, event: QKeyEvent) -> bool:
        """Recall the previous prompt on ↑ in the first line, and the next one on ↓ in the last line.

        In an empty editor, ↑ asks for the last queued message instead.
        """
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if event.key() == Qt.Key.Key_Up and self.has_queued and self.document().isEmpty():
            self.queued_wanted.emit()
            return True
        if not self._said:
            return False
        if event.key() == Qt.Key.Key_Up and self._is_at_edge(QTextCursor.MoveOperation.Up):
            return self._recall(-1)
        if event.key() == Qt.Key.Key_Down and self._recalled is not None:
            return self._is_at_edge(QTextCursor.MoveOperation.Down) and self._recall(1)
        return False

    def _is_at_edge(self, move: QTextCursor.MoveOperation) -> bool:
        return not QTextCursor(self.textCursor()).movePosition(move)

    def _recall(self, step: int) -> bool:
        if self._recalled is None:
            self._unsent = self.toPlainText()
        at = (len(self._said) if self._recalled is None else self._recalled) + step
        if at < 0:
            return True
        self.put(self._said[at] if at < len(self._said) else self._unsent)
        self._recalled = at if at < len(self._said) else None
        if step < 0:
            self.moveCursor(QTextCursor.MoveOperation.Start)  # lets the next ↑ recall further
        return True

    # -- pasting and dropping ---------------------------------------------------------------------------------

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Accept pictures and files."""
        return source.hasImage() or source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert text, and attach files and pictures.

        Text is preferred when the source also offers a picture of it.
        """
        files = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if files:
            self.files_given.emit(files)
        elif source.hasImage() and not source.hasText():
            image = source.imageData()
            if isinstance(image, QImage) and not image.isNull():
                self.image_given.emit(image)
        else:
            self._insert_text(source)

    def _insert_text(self, source: QMimeData) -> None:
        """Insert the text, or hand it out when the editor would become too long."""
        text = source.text()  # read once, since each reading converts the whole text
        if is_too_long(text) or self.document().characterCount() + len(text) > MOST_CHARACTERS:
            self.text_given.emit(text)
        else:
            super().insertFromMimeData(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files, which are attached and not imported."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
            self.files_dragged.emit(True)
        else:
            super().dragEnterEvent(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.files_dragged.emit(False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.files_dragged.emit(False)
        super().dropEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Accept files."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)


def is_too_long(text: str) -> bool:
    """Return whether the text would make the editor respond slowly."""
    if len(text) > MOST_CHARACTERS or text.count("\n") > MOST_ENDS:
        return True
    return any(len(line) > LONGEST_LINE for line in text.split("\n"))
