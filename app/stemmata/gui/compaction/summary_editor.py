"""An editor for a summary: the rendered preview, the Markdown source, and the difference from another summary."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QMargins, Qt, Signal
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from stemmata.gui.cards.style import CardStyle
from stemmata.gui.compaction.difference import DifferencePage, SummaryVersion
from stemmata.gui.composer.editor import is_too_long
from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.text.markdown import Prose, chunks
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

PREVIEW, EDIT, DIFFERENCE = 0, 1, 2
FIRST_PART = 5_000  # characters of a text that is too long to be edited
MOST_RENDERED = 2_000  # characters that are rendered at once: lists and quotes take four times as long as prose
PRE = '<pre style="white-space: pre-wrap">'  # wraps code, because the page is narrow


class SummaryEditor(QWidget):
    """Shows a summary as preview, editor or difference. The owner places `switch`, which toggles the pages."""

    text_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._long = ""  # a text that is too long to be edited
        self._rest: list[str] = []  # parts of the text that are not rendered yet
        self._appending = SpareTurn(self, TurnClock(self), self._append)
        self.switch = QTabBar()
        self.switch.setAccessibleName(self.tr("Rendered summary or its source"))
        self.switch.setExpanding(False)
        self.switch.setUsesScrollButtons(False)
        self.switch.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for name in (self.tr("Preview"), self.tr("Edit"), self.tr("Difference")):
            self.switch.addTab(name)
        self.switch.setTabVisible(DIFFERENCE, False)
        self.page = QTextEdit()
        self.page.setReadOnly(True)
        self.page.setTabChangesFocus(True)
        self.page.setAccessibleName(self.tr("Rendered summary"))
        self.page.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.source = QPlainTextEdit()
        self.source.setAccessibleName(self.tr("Summary source"))
        self.source.setTabChangesFocus(True)
        for page in (self.page, self.source):
            page.setProperty("framed", True)
        self.difference = DifferencePage(theme)
        self._pages = QStackedWidget()
        for shown in (self.page, self.source, self.difference):
            self._pages.addWidget(shown)
        column = QVBoxLayout(self)
        column.setContentsMargins(QMargins())
        column.setSpacing(metrics.SPACE[3])
        column.addWidget(self._pages, 1)
        self.switch.currentChanged.connect(self._on_switched)
        self.source.textChanged.connect(self._on_typed)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def text(self) -> str:
        """The summary as Markdown."""
        return self._long or self.source.toPlainText()

    @property
    def is_editing(self) -> bool:
        """Whether the source page is shown."""
        return self._pages.currentIndex() == EDIT

    def set_text(self, text: str) -> None:
        """Show a summary. A very long one shows only its beginning and is read-only."""
        self._long = text if is_too_long(text) else ""
        self.source.setReadOnly(bool(self._long))
        if self._long:
            text = f"{text[:FIRST_PART]}…\n\n{self.tr('This summary is too long to be edited here.')}"
        self.source.setPlainText(text)

    def edit(self, *, on: bool = True) -> None:
        """Show the source page (`on`) or the preview, and give it the focus."""
        self.switch.setCurrentIndex(EDIT if on else PREVIEW)
        self.focus_page()

    def show_versions(self, versions: Sequence[SummaryVersion]) -> None:
        """Offer other summaries to compare with; without any, the page of the difference is hidden."""
        self.difference.show_versions(versions)
        if not versions and self.switch.currentIndex() == DIFFERENCE:
            self.switch.setCurrentIndex(PREVIEW)
        if self.switch.isTabVisible(DIFFERENCE) != bool(versions):  # a second call stops Qt's layout
            self.switch.setTabVisible(DIFFERENCE, bool(versions))
            self.switch.updateGeometry()

    def focus_page(self) -> None:
        """Give the visible page the focus."""
        (self.page, self.source, self.difference.area)[self._pages.currentIndex()].setFocus()

    def _on_switched(self, index: int) -> None:
        self._pages.setCurrentIndex(index)
        self._render()

    def _on_typed(self) -> None:
        self._render()
        self.text_changed.emit()

    def _restyle(self) -> None:
        self._style = CardStyle(self._theme, lambda _id: None)
        self._render()

    def _render(self) -> None:
        """Render the preview, only while it is visible: otherwise each typed letter would lay out a document."""
        if self._pages.currentIndex() == DIFFERENCE:
            self.difference.show_text(self.text)
        if self._pages.currentIndex() != PREVIEW:
            return
        first, *self._rest = _parts(self.source.toPlainText())
        document = self._style.prose(self._html(first))
        document.setDocumentMargin(self._theme.px(metrics.SPACE[3]))
        self.page.setDocument(document)
        self.page.setCursorWidth(0)  # hides the cursor of the read-only page
        self._document = document  # keeps the document alive
        if self._rest:
            self._appending.start()

    def _append(self) -> None:
        """Render the next part of a long text below the rendered part."""
        if self._pages.currentIndex() != PREVIEW or not self._rest:
            return
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        self._style.insert(cursor, self._html(self._rest.pop(0)))
        if self._rest:
            self._appending.start()

    def _html(self, text: str) -> str:
        segments = self._style.markdown.segments(text)
        html = "".join(s.html if isinstance(s, Prose) else f"<pre>{escape(s.text)}</pre>" for s in segments)
        # also code in lists; the summary's own text is escaped
        return html.replace("<pre>", PRE)


def _parts(text: str) -> list[str]:
    """The text in parts that are each rendered within a frame, the first a screen long."""
    if len(text) <= MOST_RENDERED:
        return [text]
    return [chunk.source for chunk in chunks(text, MOST_RENDERED // 2, MOST_RENDERED)]
