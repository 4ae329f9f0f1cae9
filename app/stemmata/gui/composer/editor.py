"""Where the message is typed: grows with its text, sends on Enter, recalls what was said before, takes files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QImage, QKeyEvent, QKeySequence, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

FEWEST_LINES, MOST_LINES = 1, 10
# What is longer is no longer typed in without waiting: it is attached.
MOST_CHARACTERS, LONGEST_LINE, MOST_ENDS = 100_000, 10_000, 5_000
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class MessageEditor(QPlainTextEdit):
    """`complete` is asked first about keys: it answers whether it took the key. Set by whoever completes."""

    submitted = Signal(bool)  # whether now: at once, not behind what runs
    stop_requested = Signal()
    image_given = Signal(QImage)
    files_given = Signal(list)  # list[str], paths
    text_given = Signal(str)  # one that is too long to stand here

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.enter_sends = True  # else Enter is a new line, and Ctrl+Enter sends
        self.complete: Callable[[QKeyEvent], bool] = lambda _event: False
        self._said: tuple[str, ...] = ()  # oldest first
        self._recalled: int | None = None
        self._unsent = ""  # what stood here before it was recalled over
        self.setProperty("plain", True)
        self.setAccessibleName(self.tr("Message"))
        self.setPlaceholderText(self.tr("Message…   / for commands"))
        self.setTabChangesFocus(True)
        self.textChanged.connect(self.fit)
        theme.changed.connect(self.fit)
        self.fit()

    def set_said(self, prompts: Sequence[str]) -> None:
        """What the person said in this session, oldest first: what ↑ recalls."""
        self._said, self._recalled = tuple(prompts), None

    def put(self, text: str) -> None:
        """A text to be edited; a very long one is attached."""
        if is_too_long(text):
            self.text_given.emit(text)
            text = ""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def fit(self) -> None:
        """Grow with the text."""
        document = self.document()
        lines = min(max(round(document.size().height()), FEWEST_LINES), MOST_LINES)
        margin = 2 * (document.documentMargin() + self.frameWidth() + metrics.SPACE[3])
        self.setFixedHeight(round(lines * self.fontMetrics().lineSpacing() + margin))
        more = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines == MOST_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(more)

    # -- keys -------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Where there is no typing to undo or redo, the keys are left to the window's undo of leaf moves."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            document, keys = self.document(), QKeySequence.StandardKey
            undo = event.matches(keys.Undo) and not document.isUndoAvailable()
            if undo or (event.matches(keys.Redo) and not document.isRedoAvailable()):
                event.ignore()
                return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Tab:
            return self.complete(event) or super().event(event)  # Qt moves the focus before a key press is told
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
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
        """↑ in the first line goes back through what was said, ↓ in the last one forth again."""
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or not self._said:
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
            self.moveCursor(QTextCursor.MoveOperation.Start)  # so that the next ↑ goes on
        return True

    # -- pasting and dropping ---------------------------------------------------------------------------------

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasImage() or source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Text stays text, even where a program offers a picture of it as well."""
        files = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if files:
            self.files_given.emit(files)
        elif source.hasImage() and not source.hasText():
            image = source.imageData()
            if isinstance(image, QImage) and not image.isNull():
                self.image_given.emit(image)
        elif is_too_long(source.text()) or self.document().characterCount() + len(source.text()) > MOST_CHARACTERS:
            self.text_given.emit(source.text())
        else:
            super().insertFromMimeData(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be let go here: they are attached, not imported."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)


def is_too_long(text: str) -> bool:
    """Whether the editor would keep the window waiting with it."""
    if len(text) > MOST_CHARACTERS or text.count("\n") > MOST_ENDS:
        return True
    return any(len(line) > LONGEST_LINE for line in text.split("\n"))
