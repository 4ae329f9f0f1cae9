"""Where the next message is written. Without a connected model it keeps drafts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.surface import set_surface

FEWEST_LINES, MOST_LINES = 1, 10


class Composer(QWidget):
    """One draft per session, kept while the window is open and handed out for keeping."""

    draft_changed = Signal(int, str)  # session key, text

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("composer")
        set_surface(self, "bg", "top")
        self._theme = theme
        self._session: int | None = None
        self._drafts: dict[int, str] = {}
        self.editor = QPlainTextEdit()
        self.editor.setProperty("plain", True)
        self.editor.setAccessibleName(self.tr("Message"))
        self.editor.setPlaceholderText(self.tr("Message…"))
        self.editor.setTabChangesFocus(True)
        self.editor.textChanged.connect(self._on_text_changed)
        self.editor.installEventFilter(self)
        self._hint = ElidedLabel(self.tr("Connect a model to send. Drafts are kept."), "small")
        self._context = label("", "small")
        self.send = push_button(self.tr("Send"), look="primary")
        self.send.setEnabled(False)
        self.send.setToolTip(self.tr("This version cannot send messages yet."))
        self._lay_out()
        theme.changed.connect(self._fit)
        self._fit()

    def open(self, session: int | None) -> None:
        """Show the session's draft."""
        self._session = session
        self.editor.setPlainText("" if session is None else self._drafts.get(session, ""))
        self.setEnabled(session is not None)

    def knows(self, session: int) -> bool:
        """Whether the session's draft is here: it was adopted, or written since."""
        return session in self._drafts

    def adopt(self, session: int, text: str) -> None:
        """Take a draft that was kept; what has been written meanwhile counts for more."""
        if self.knows(session):
            return
        self._drafts[session] = text
        if session == self._session and text:
            self.editor.setPlainText(text)
            self.editor.moveCursor(QTextCursor.MoveOperation.End)

    def put(self, text: str) -> None:
        """Take a text to be edited: what was said at an entry that is continued from."""
        self.editor.setPlainText(text)
        self.editor.setFocus()
        self.editor.moveCursor(QTextCursor.MoveOperation.End)

    def show_context(self, text: str) -> None:
        """Size of the next request, as `124.6k · 62%`."""
        self._context.setText(text)

    @property
    def text(self) -> str:
        return self.editor.toPlainText()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Where there is no typing to undo or redo, the keys are left to the window's undo of leaf moves."""
        if watched is self.editor and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            document, keys = self.editor.document(), QKeySequence.StandardKey
            undo = event.matches(keys.Undo) and not document.isUndoAvailable()
            if undo or (event.matches(keys.Redo) and not document.isRedoAvailable()):
                event.ignore()
                return True
        return False

    def _on_text_changed(self) -> None:
        self._fit()
        if self._session is not None and self._drafts.get(self._session, "") != self.text:
            self._drafts[self._session] = self.text
            self.draft_changed.emit(self._session, self.text)

    def _fit(self) -> None:
        """Grow with the text."""
        document = self.editor.document()
        lines = min(max(round(document.size().height()), FEWEST_LINES), MOST_LINES)
        margin = 2 * (document.documentMargin() + self.editor.frameWidth() + metrics.SPACE[3])
        self.editor.setFixedHeight(round(lines * self.editor.fontMetrics().lineSpacing() + margin))
        more = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines == MOST_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.editor.setVerticalScrollBarPolicy(more)

    def _lay_out(self) -> None:
        frame = QFrame()
        frame.setProperty("composer", True)
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(metrics.SPACE[5], metrics.SPACE[3], metrics.SPACE[6], metrics.SPACE[4])
        inner.setSpacing(metrics.SPACE[2])
        inner.addWidget(self.editor)
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        foot.setContentsMargins(metrics.SPACE[5], 0, 0, 0)
        foot.addWidget(self._hint, 1)
        foot.addWidget(self._context)
        foot.addWidget(self.send)
        inner.addLayout(foot)
        frame.setMaximumWidth(self._theme.px(metrics.READING_WIDTH))
        outer = QHBoxLayout(self)
        outer.setContentsMargins(metrics.SPACE[8], metrics.SPACE[5], metrics.SPACE[8], metrics.SPACE[6])
        outer.addStretch(1)
        outer.addWidget(frame, 1000)
        outer.addStretch(1)
