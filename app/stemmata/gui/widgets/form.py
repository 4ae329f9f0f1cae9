"""A form in place of the list that it was asked for in: fields, what came of it, and its buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.form_field import FormField
from stemmata.gui.widgets.labels import label, set_property
from stemmata.gui.widgets.surface import set_surface


class Form(QWidget):
    """Whoever makes it adds fields, then calls `finish`. Escape leaves it."""

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
        self.fields.addWidget(field)
        return field

    def finish(self, *more: QPushButton) -> None:
        """The foot, with these buttons too."""
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
        """What came of it; "" for nothing."""
        set_property(self.result, "role", "dim" if works else "error")
        self.result.setText(text)
        self.result.setVisible(bool(text))

    def show_problem(self, field: FormField, problem: str) -> None:
        """Say it beside the field, and go there."""
        field.tell(problem)
        field.control.setFocus()
        self._scroll.ensureWidgetVisible(field)

    def rewind(self) -> None:
        """Show its beginning, without what was told before."""
        self.tell("")
        for field in self._content.findChildren(FormField):
            field.tell("")
        self._scroll.verticalScrollBar().setValue(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
