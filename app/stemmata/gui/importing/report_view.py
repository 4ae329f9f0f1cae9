"""The integrity report as a text to read, select and copy."""

from __future__ import annotations

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from stemmata.domain.entries.session_facts import ImportReport
from stemmata.gui.importing.report_text import lines
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

COLORS = {"heading": "text", "plain": "text", "dim": "dim", "warning": "warning"}
MOST_LINES = 2000  # of the whole report; each session's own are bounded already


class ReportView(QTextEdit):
    """Inserted as plain text with formats: file names and reasons are never read as markup."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._report = ImportReport()
        self.setReadOnly(True)
        self.setProperty("framed", True)
        self.setTabChangesFocus(True)
        self.setAccessibleName(self.tr("Import report"))
        theme.changed.connect(self._render)

    def show_report(self, report: ImportReport) -> None:
        self._report = report
        self._render()

    def _render(self) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
        for at, (style, text) in enumerate(lines(self._report)):
            if at == MOST_LINES:
                cursor.insertText(self.tr("…"))
                break
            block, letters = self._formats(style)
            if at:
                cursor.insertBlock()
            cursor.setBlockFormat(block)
            cursor.insertText(text, letters)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _formats(self, style: str) -> tuple[QTextBlockFormat, QTextCharFormat]:
        block, letters = QTextBlockFormat(), QTextCharFormat()
        block.setTopMargin(metrics.SPACE[5] if style == "heading" else metrics.SPACE[1])
        letters.setFont(self._theme.font("ui_bold" if style == "heading" else "ui"))
        letters.setForeground(self._theme.color(COLORS[style]))
        return block, letters
