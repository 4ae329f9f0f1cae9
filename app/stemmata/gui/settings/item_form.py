"""Builds the fields of a form from the declaration of an item: a connection, a tool server, or facts about a model.

The declarations are in `domain/list_items.py`. `ItemForm` is a form that temporarily replaces a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
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

from stemmata.domain.list_items import FieldKind, FormRow, ItemKind
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


Control = QLineEdit | QComboBox | LinesEdit

_UNITS = {"": 1, "k": 1000, "m": 1_000_000}
_TOKENS = re.compile(r"(\d+(?:\.\d+)?)([km]?)")
_DOLLARS = re.compile(r"\d+(?:\.\d+)?")


def tr(text: str) -> str:
    """Translate a text of a declaration."""
    return QCoreApplication.translate("Fields", text) if text else ""


class ItemControls:
    """The controls of an item's rows, by key: created, filled, read and checked as declared.

    `on_choice` is called after the user or the program changed the value of a choice.
    """

    def __init__(self, theme: Theme, kind: ItemKind[Any], on_choice: Callable[[], None]) -> None:
        self.rows = kind.rows
        self._kind, self._fields = kind, {field.key: field for field in kind.fields}
        self._controls = {key: self._control(theme, row, on_choice) for key, row in self.rows.items()}

    def __getitem__(self, key: str) -> Control:
        return self._controls[key]

    def edit(self, key: str) -> QLineEdit:
        """Return the control of a one-line text."""
        control = self._controls[key]
        assert isinstance(control, QLineEdit)
        return control

    def lines(self, key: str) -> LinesEdit:
        """Return the control of a list or a table."""
        control = self._controls[key]
        assert isinstance(control, LinesEdit)
        return control

    def choice(self, key: str) -> QComboBox:
        """Return the control of a choice."""
        control = self._controls[key]
        assert isinstance(control, QComboBox)
        return control

    @staticmethod
    def _control(theme: Theme, row: FormRow, on_choice: Callable[[], None]) -> Control:
        out: Control
        if row.kind is FieldKind.CHOICE:
            out = QComboBox()
            for value, title in row.choices():
                out.addItem(tr(title), value)
            out.currentIndexChanged.connect(lambda _index: on_choice())
        elif row.kind in (FieldKind.LINES, FieldKind.PAIRS):
            out = LinesEdit(theme)
        else:
            out = QLineEdit()
            out.setPlaceholderText(tr(row.hint))
            if row.kind is FieldKind.HIDDEN:
                out.setEchoMode(QLineEdit.EchoMode.Password)
        out.setAccessibleName(tr(row.title))
        out.setAccessibleDescription(tr(row.help))
        return out

    def fill(self, item: object, **extra: str) -> None:
        """Show an item's values. `extra` has the values by key of rows that are not attributes of the item."""
        for key, row in self.rows.items():
            field, control = self._fields.get(key), self._controls[key]
            value = field.write(getattr(item, field.name)) if field else extra.get(key, getattr(item, key, ""))
            if isinstance(control, QComboBox):
                control.setCurrentIndex(max(0, control.findData(value)))
            elif isinstance(control, LinesEdit):
                control.setPlainText("\n".join(_lines(value, row.separator)))
            else:
                control.setText(_number_text(value) if isinstance(value, float) else str(value))

    def applies(self, key: str) -> bool:
        """Return whether the row belongs to the form at the present values of the choices."""
        only_for = self.rows[key].only_for
        return only_for is None or self.choice(only_for[0]).currentData() == only_for[1]

    def values(self) -> dict[str, Any]:
        """Return the domain's values by attribute, of the rows that apply; keys of servers are not among them.

        Raises ValueError if `problems` returns any.
        """
        named = [key for key in self.rows if key in self._fields or key in ("name", "id")]
        return {self._attribute(key): self._value(key) for key in named if self.applies(key)}

    def problems(self) -> dict[str, str]:
        """Return the problem of each invalid value by key, in the order of the rows."""
        found = {}
        for key, row in self.rows.items():
            if not self.applies(key):
                continue
            problem = tr(row.problem) or QCoreApplication.translate("ItemForm", "Enter a value.")
            try:
                if self._value(key) in ("", None) and row.is_required:
                    found[key] = problem
            except ValueError as error:
                found[key] = problem.format(error)
        return found

    def _attribute(self, key: str) -> str:
        return self._fields[key].name if key in self._fields else key

    def _value(self, key: str) -> Any:
        """Return the domain's value of a row. Raises ValueError when it is invalid."""
        value = self._file_value(key)
        if key in self._fields and value is not None and self.rows[key].kind is not FieldKind.PAIRS:
            return self._fields[key].read(value, key, "") if value != "" else ""
        if key == "name" and value and self._kind.name and not self._kind.name.fullmatch(value):
            raise ValueError(value)
        return value

    def _file_value(self, key: str) -> Any:
        """Return the value that the file would contain; None for a number that is not given."""
        control, row = self._controls[key], self.rows[key]
        if isinstance(control, QComboBox):
            return str(control.currentData())
        if isinstance(control, LinesEdit):
            return _pairs(control.lines, row.separator) if row.kind is FieldKind.PAIRS else control.lines
        text = control.text().strip()
        if row.kind is FieldKind.TOKENS:
            return _tokens(text)
        return _dollars(text) if row.kind is FieldKind.DOLLARS else text


def _lines(value: Mapping[str, str] | Iterable[str], separator: str) -> Iterable[str]:
    if not isinstance(value, Mapping):
        return value
    between = "=" if separator == "=" else f"{separator} "
    return [f"{name}{between}{text}" for name, text in value.items()]


def _pairs(lines: Iterable[str], separator: str) -> dict[str, str]:
    """Return the pairs of the lines. Raises ValueError with the first line without a name or a separator."""
    out = {}
    for each in lines:
        name, found, value = each.partition(separator)
        if not found or not name.strip():
            raise ValueError(each)
        out[name.strip()] = value.strip()
    return out


def _number_text(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")


def _tokens(text: str) -> int | None:
    """Return a number of tokens, such as 200,000 or 200k; None for "". Raises ValueError."""
    if not text:
        return None
    found = _TOKENS.fullmatch(_without_grouping(text))
    size = Decimal(0) if found is None else Decimal(found[1]) * _UNITS[found[2]]
    if not size or size != int(size):
        raise ValueError(text)
    return int(size)


def _dollars(text: str) -> float | None:
    """Return a price such as $2.5; None for "". Raises ValueError."""
    if not text:
        return None
    plain = _without_grouping(text).lstrip("$")
    if not _DOLLARS.fullmatch(plain):
        raise ValueError(text)
    return float(plain)


def _without_grouping(text: str) -> str:
    return re.sub(r"[\s,_]", "", text).lower()


class FormField(QWidget):
    """A row of a form: the title above the control, the help text below it, and the problem of the value."""

    def __init__(self, name: str, control: Control, doc: str = "") -> None:
        super().__init__()
        self.control = control
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


class ItemForm(QWidget):
    """The form of one kind of item. The subclass adds the widgets below the fields and then calls `finish`.

    Escape cancels the form.
    """

    left = Signal()

    def __init__(self, theme: Theme, kind: ItemKind[Any]) -> None:
        super().__init__()
        self.title = label("", "title")
        self.result = label("", "dim", wrap=True)
        self.remove = push_button(self.tr("Remove"), look="danger")
        self.cancel = push_button(self.tr("Cancel"), self.left.emit)
        self.save = push_button(self.tr("Save"), look="primary")
        self._content = QWidget()
        self.column = QVBoxLayout(self._content)
        self.column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        self.column.setSpacing(metrics.SPACE[6])
        self.column.addWidget(self.title)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._content)
        self.controls = ItemControls(theme, kind, self._show_rows)
        self.rows = {
            key: FormField(tr(row.title), self.controls[key], tr(row.help)) for key, row in self.controls.rows.items()
        }
        for field in self.rows.values():
            self.column.addWidget(field)
        self._show_rows()

    def _show_rows(self) -> None:
        for key, field in self.rows.items():
            field.setVisible(self.controls.applies(key))

    def finish(self, *more: QPushButton) -> None:
        """Add the foot of the form, with the buttons `more` beside its own."""
        self.column.addStretch(1)
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

    def is_valid(self) -> bool:
        """Return whether all values are valid; show the problems of those that are not, and focus the first."""
        problems = self.controls.problems()
        for key, field in self.rows.items():
            field.tell(problems.get(key, ""))
        for key, problem in list(problems.items())[:1]:
            self.show_problem(key, problem)
        return not problems

    def show_problem(self, key: str, problem: str) -> None:
        """Show a problem of a row's value and focus its control."""
        field = self.rows[key]
        field.tell(problem)
        field.control.setFocus()
        self._scroll.ensureWidgetVisible(field)

    def rewind(self) -> None:
        """Clear all messages and scroll to the first field."""
        self.tell("")
        for field in self.rows.values():
            field.tell("")
        self._scroll.verticalScrollBar().setValue(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
