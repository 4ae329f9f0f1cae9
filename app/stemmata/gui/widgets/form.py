"""A form that temporarily replaces a list: fields, a result line, and buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label, set_property
from stemmata.gui.widgets.surface import set_surface


class LinesEdit(QPlainTextEdit):
    """A text field with one value per line. Tab moves to the next field."""

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
        """Return the values, without blank lines."""
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
        """Show the field's problem; "" shows none."""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))


class FieldForm(QWidget):
    """The form. Its creator adds fields and then calls `finish`. Escape cancels the form."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.title = label("", "title")
        self.result = label("", "dim", wrap=True)
        self.remove = push_button(self.tr("Remove"), look="danger")
        self.cancel = push_button(self.tr("Cancel"), self.left.emit)
        self.save = push_button(self.tr("Save"), look="primary")
        self._content = QWidget()
        self.fields = QVBoxLayout(self._content)
        self.fields.setContentsMargins(*[metrics.SPACE[7]] * 4)
        self.fields.setSpacing(metrics.SPACE[6])
        self.fields.addWidget(self.title)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._content)

    def add(self, field: FormField) -> FormField:
        """Append a field and return it."""
        self.fields.addWidget(field)
        return field

    def finish(self, *more: QPushButton) -> None:
        """Add the foot of the form, with the buttons `more` beside its own."""
        self.fields.addStretch(1)
        foot = QWidget()
        set_surface(foot, edge="top")
        buttons = QHBoxLayout()
        buttons.setSpacing(metrics.SPACE[4])
        buttons.addWidget(self.remove)
        buttons.addStretch(1)
        for button in (*more, self.cancel, self.save):
            buttons.addWidget(button)
        rows = QVBoxLayout(foot)
        rows.setContentsMargins(metrics.SPACE[7], metrics.SPACE[4], metrics.SPACE[7], metrics.SPACE[4])
        rows.setSpacing(metrics.SPACE[4])
        rows.addWidget(self.result)
        rows.addLayout(buttons)
        self.result.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._scroll, 1)
        column.addWidget(foot)

    def tell(self, text: str, *, works: bool = True) -> None:
        """Show the result of an attempt, as an error unless it `works`; "" clears it."""
        set_property(self.result, "role", "dim" if works else "error")
        self.result.setText(text)
        self.result.setVisible(bool(text))

    def show_problem(self, field: FormField, problem: str) -> None:
        """Show a problem beside a field and give the field the focus."""
        field.tell(problem)
        field.control.setFocus()
        self._scroll.ensureWidgetVisible(field)

    def rewind(self) -> None:
        """Clear all messages and scroll to the first field."""
        self.tell("")
        for field in self._content.findChildren(FormField):
            field.tell("")
        self._scroll.verticalScrollBar().setValue(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
