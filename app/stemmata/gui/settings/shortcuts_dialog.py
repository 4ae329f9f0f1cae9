"""The dialog of shortcuts: every action with its keys, by menu. The keys can be changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from stemmata.gui.core.actions import CONTEXT, Actions, ActionSpec, is_typed
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.popup import dialog_size
from stemmata.gui.widgets.surface import set_surface

AT_ONCE = 4  # fields that are created in one turn of the event loop
LEAVE_AT_ONCE = 16  # fields that are deleted in one turn after the dialog was closed
AT_FIRST = 3  # headings and such groups of fields before the dialog is shown
PORTABLE = QKeySequence.SequenceFormat.PortableText


class KeysEdit(QKeySequenceEdit):
    """A field that records keys. Escape leaves it without a change."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Record the key; Escape ends the recording."""
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)


class ShortcutField(QWidget):
    """The shortcut of one action. `own` is the additional key of the branch list, or ""."""

    keys_chosen = Signal(str)  # portable, "" for none

    def __init__(self, theme: Theme, name: str, own: str) -> None:
        super().__init__()
        self._default = ""
        self.edit = KeysEdit()
        self.edit.setMaximumSequenceLength(1)
        self.edit.setClearButtonEnabled(True)
        self.edit.setAccessibleName(self.tr("Keys: {0}").format(name))
        for field in self.edit.findChildren(QLineEdit):
            field.setAccessibleName(self.tr("Keys: {0}").format(name))
        self.edit.editingFinished.connect(self._on_finished)
        self.reset = IconButton(theme, "undo", self.tr("Back to the default"))
        self.reset.clicked.connect(lambda: self.keys_chosen.emit(self._default))
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(label(name), 1)
        if own:
            row.addWidget(label(self.tr("{0} in Branches").format(own), "dim"))
        row.addWidget(self.reset)
        row.addWidget(self.edit)
        self._shown = ""
        self._theme = theme
        theme.changed.connect(self._fit)
        self._fit()

    def show_keys(self, keys: str, default: str) -> None:
        """Show the keys, and whether they differ from the default."""
        self._shown, self._default = keys, default
        self.edit.setKeySequence(QKeySequence(keys))
        for field in self.edit.findChildren(QLineEdit):
            field.setPlaceholderText("")  # a column of hints would hide the rows that have keys
        self.reset.setVisible(keys != default)

    def _fit(self) -> None:
        self.edit.setFixedWidth(self._theme.px(metrics.SETTING))

    def _on_finished(self) -> None:
        """Emit the recorded keys. Qt also calls this on loss of focus, when no key was pressed."""
        keys = self.edit.keySequence().toString(PORTABLE)
        if keys != self._shown:
            self.keys_chosen.emit(keys)


class ShortcutsDialog(QDialog):
    """The keyboard shortcuts, in a dialog that does not block the window.

    `change_requested` carries the action's id and its keys: "" for none, None for the default. The fields in view
    are added by `add_first` or when the dialog is shown, the others over several turns.
    """

    change_requested = Signal(str, object)

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutsDialog")
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.finished.connect(self._delete_in_turns)
        self._theme = theme
        self._actions = actions
        self._disputed: tuple[str, str] | None = None  # action, and the keys it wants from another
        self.filter = QLineEdit(clearButtonEnabled=True)
        self.filter.setPlaceholderText(self.tr("Filter actions"))
        self.filter.setAccessibleName(self.tr("Filter actions"))
        self.filter.textChanged.connect(self._on_filtered)
        self._fields: dict[str, ShortcutField] = {}  # action → its field, once it was created
        self._filling = TurnSteps(self)  # adds the fields that are not in view at first
        self._first: list[Callable[[], None]] = []  # adds those in view
        self.is_leaving = False  # whether the dialog was closed and is being deleted
        self._leaving = TurnSteps(self)  # deletes the dialog after it was closed
        self.message = label("", "warning", wrap=True)
        self.take = push_button(self.tr("Reassign"), self._on_taken)
        self._lay_out()
        self._tell("")
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """Return the size of a dialog at the current scale."""
        return dialog_size(self._theme, self)

    @property
    def is_complete(self) -> bool:
        """Whether everything that is shown has been created; the rest follows over several turns."""
        return not self._first and not self._filling.is_active

    def showEvent(self, event: QShowEvent) -> None:
        """Add the fields in view before they are seen."""
        super().showEvent(event)
        self.add_first()

    def add_first(self) -> None:
        """Add the fields in view, unless they are there."""
        while self._first:
            self._first.pop(0)()

    @property
    def fields(self) -> dict[str, ShortcutField]:
        """Return the fields of all actions by id; this creates those that are still missing."""
        self.add_first()
        self._filling.finish()
        return self._fields

    def show_keys(self) -> None:
        """Show the keys in force."""
        for id, field in self._fields.items():
            field.show_keys(self._actions.keys_of(id), self._actions.default_keys(id))

    def _delete_in_turns(self) -> None:
        """Delete the dialog, which is hidden now, and its fields before it: all at once take longer than a frame."""
        self.is_leaving = True
        self._first.clear()
        self._filling.stop()
        fields = [*self._fields.values()]
        parts = [fields[at : at + LEAVE_AT_ONCE] for at in range(0, len(fields), LEAVE_AT_ONCE)]
        self._leaving.start(*(partial(self._delete_fields, part) for part in parts), self.deleteLater)

    def _delete_fields(self, fields: Sequence[ShortcutField]) -> None:
        for field in fields:
            field.deleteLater()

    # -- changing -------------------------------------------------------------------------------------------------

    def _on_keys_chosen(self, id: str, keys: str) -> None:
        self._tell("")
        other = next((other for other in self.fields if other != id and self._actions.keys_of(other) == keys), "")
        if is_typed(keys):
            self._tell(self.tr("“{0}” alone types a character: add Ctrl, Alt or Meta.").format(keys))
            self.show_keys()
        elif keys and other:
            self._disputed = id, keys
            self._tell(self.tr("{1} is already the shortcut of “{0}”.").format(self._name(other), keys))
            self.take.show()
            self.show_keys()
        else:
            self._change(id, keys)

    def _on_taken(self) -> None:
        if self._disputed is not None:
            id, keys = self._disputed
            for other in self.fields:
                if self._actions.keys_of(other) == keys != self._actions.default_keys(other):
                    self.change_requested.emit(other, None)
            self._change(id, keys)
        self._tell("")

    def _change(self, id: str, keys: str) -> None:
        default = self._actions.default_keys(id)
        self.change_requested.emit(id, None if keys == default else keys)

    def _tell(self, text: str) -> None:
        self._disputed = self._disputed if text else None
        self.message.setText(text)
        self.take.hide()

    def _name(self, id: str) -> str:
        return self._actions[id].text().partition("\t")[0]

    def _on_filtered(self, text: str) -> None:
        for id, field in self._fields.items():
            field.setVisible(self._passes(id, text))
        for heading in self._headings:
            heading.setVisible(not text.split())

    def _passes(self, id: str, text: str) -> bool:
        """Return whether an action has all words of the filter's text."""
        haystack = f"{self._name(id)} {self._actions.keys_of(id)} {id}".casefold()
        return all(word in haystack for word in text.casefold().split())

    # -- layout ---------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._content())
        foot = QWidget()
        set_surface(foot, edge="top")
        row = QHBoxLayout(foot)
        row.setContentsMargins(metrics.SPACE[7], metrics.SPACE[4], metrics.SPACE[7], metrics.SPACE[4])
        row.addWidget(self.message, 1)
        row.addWidget(self.take)
        row.addWidget(push_button(self.tr("Close"), self.close))
        head = QHBoxLayout()
        head.setContentsMargins(metrics.SPACE[7], metrics.SPACE[7], metrics.SPACE[7], metrics.SPACE[4])
        head.addWidget(self.filter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(scroll, 1)
        column.addWidget(foot)

    def _content(self) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(metrics.SPACE[7], 0, metrics.SPACE[7], metrics.SPACE[7])
        column.setSpacing(metrics.SPACE[2])
        column.addStretch(1)
        # the page grows before its fields are placed: those that are there would be squeezed for one turn
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
        self._headings: list[QLabel] = []
        steps: list[Callable[[], None]] = []
        listed = (spec for spec, _action in self._actions if spec.menu)
        for menu, found in groupby(listed, key=lambda spec: spec.menu):
            specs = tuple(found)
            steps.append(partial(self._add_heading, column, menu))
            places = range(0, len(specs), AT_ONCE)
            steps += [partial(self._add_fields, column, specs[at : at + AT_ONCE]) for at in places]
        self._first = [*steps[:AT_FIRST], partial(self._filling.start, *steps[AT_FIRST:])]
        return content

    def _add_heading(self, column: QVBoxLayout, menu: str) -> None:
        heading = label(QCoreApplication.translate(CONTEXT, menu), "section")
        heading.setContentsMargins(0, metrics.SPACE[5], 0, metrics.SPACE[2])
        self._headings.append(heading)
        column.insertWidget(column.count() - 1, heading)
        if self.filter.text().split():
            heading.hide()

    def _add_fields(self, column: QVBoxLayout, specs: Sequence[ActionSpec[Any]]) -> None:
        """Add the fields of these actions above the stretch at the end."""
        for spec in specs:
            field = ShortcutField(self._theme, self._name(spec.id), spec.shortcut if spec.own_key else "")
            field.keys_chosen.connect(lambda keys, id=spec.id: self._on_keys_chosen(id, keys))
            field.show_keys(self._actions.keys_of(spec.id), self._actions.default_keys(spec.id))
            self._fields[spec.id] = field
            column.insertWidget(column.count() - 1, field)
            field.setVisible(self._passes(spec.id, self.filter.text()))
