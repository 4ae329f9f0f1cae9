"""One field of a form: its name, what it is filled in with, what it is for, and what is wrong with it."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import label


class LinesEdit(QPlainTextEdit):
    """Several values, one a line. Tab goes on to the next field."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("framed", True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        theme.changed.connect(self._fit)
        self._fit()

    @property
    def lines(self) -> list[str]:
        return [line.strip() for line in self.toPlainText().splitlines() if line.strip()]

    def _fit(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.FORM_LINES))


class FormField(QWidget):
    def __init__(self, name: str, control: QLineEdit | QComboBox | LinesEdit, doc: str = "") -> None:
        super().__init__()
        self.control = control
        control.setAccessibleName(name)
        control.setAccessibleDescription(doc)
        title = label(name, "title")
        title.setBuddy(control)
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(metrics.SPACE[2])
        for widget in (title, control, self.problem):
            column.addWidget(widget)
        if doc:
            column.addWidget(label(doc, "dim", wrap=True))

    def tell(self, problem: str) -> None:
        """What is wrong with it, "" for nothing."""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
