"""The field of one setting: name, control, help, default value, and a button that restores the default."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.settings.settings import Value
from stemmata.gui.settings.table_field import TableField
from stemmata.gui.theme import metrics
from stemmata.gui.theme.fonts import families
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import line, set_surface
from stemmata.services.ports.settings import SettingSpec

LANGUAGES = {"en": "English", "de": "Deutsch"}
CHOICES = {"5m": "5 minutes", "1h": "1 hour"}


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text of the settings."""
    return QCoreApplication.translate("Settings", text, comment, count)


def english(name: str) -> str:
    """Return a section or choice in words: `in-place` → `In place`; a language by its own name."""
    return LANGUAGES.get(name) or CHOICES.get(name, name.replace("-", " ").replace("_", " ").capitalize())


def name_text(name: str) -> str:
    """Return `english` in the language of the window."""
    return tr(english(name))


def value_text(value: Value | None) -> str:
    """Return a value in words."""
    match value:
        case None | "":
            return tr("not set")
        case bool():
            return tr("on") if value else tr("off")
        case int():
            return number(value)
        case str():
            return name_text(value)
    return tr("not set")


class CheckField(QCheckBox):
    """The control of a setting that is on or off."""

    chosen = Signal(object)  # bool

    def __init__(self, _spec: SettingSpec) -> None:
        super().__init__()
        self.setProperty("bare", True)
        self.clicked.connect(lambda on: self.chosen.emit(on))

    def show_value(self, value: Value | None) -> None:
        """Show a value."""
        self.setChecked(bool(value))


class ChoiceField(QComboBox):
    """The control of a setting with choices."""

    chosen = Signal(object)  # str

    def __init__(self, spec: SettingSpec) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for choice in spec.choices:
            self.addItem(value_text(choice), choice)
        self.activated.connect(lambda at: self.chosen.emit(self.itemData(at)))

    def show_value(self, value: Value | None) -> None:
        """Show a value."""
        self.setCurrentIndex(self.findData(value))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel, so that scrolling the page changes no setting."""
        event.ignore()  # it scrolls the page


class NumberField(QSpinBox):
    """The control of a number. An unset number is represented by one less than the minimum."""

    chosen = Signal(object)  # int | None

    def __init__(self, spec: SettingSpec) -> None:
        super().__init__()
        self._optional = spec.optional
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)  # a value counts when it is typed to its end
        self.lineEdit().setTextMargins(metrics.SPACE[3], 0, 0, 0)  # a style sheet's padding does not reach it
        self.setGroupSeparatorShown(True)
        self.setRange(spec.least - 1 if spec.optional else spec.least, spec.most)
        if spec.optional:
            self.setSpecialValueText(self.tr("not set"))
        if spec.most > 1000:
            self.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        self.valueChanged.connect(self._on_value_changed)

    def show_value(self, value: Value | None) -> None:
        """Show a value."""
        blocked = self.blockSignals(True)
        self.setValue(value if isinstance(value, int) else self.minimum())
        self.blockSignals(blocked)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel, so that scrolling the page changes no setting."""
        event.ignore()  # it scrolls the page

    def _on_value_changed(self, value: int) -> None:
        self.chosen.emit(None if self._optional and value == self.minimum() else value)


class LineField(QLineEdit):
    """The control of a text, which is applied on Enter or loss of focus."""

    chosen = Signal(object)  # str

    def __init__(self, spec: SettingSpec) -> None:
        super().__init__()
        self.setMaxLength(spec.most)
        self.editingFinished.connect(self._on_finished)

    def show_value(self, value: Value | None) -> None:
        """Show a value."""
        self.setText("" if value is None else str(value))
        self.setCursorPosition(0)  # show the beginning of the text

    def _on_finished(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.chosen.emit(self.text())


class NameField(ChoiceField):
    """The control of a text that names a connection or a font: a list of the known names, and none."""

    def __init__(self, spec: SettingSpec) -> None:
        super().__init__(spec)
        self.addItem(value_text(None), "")
        if spec.names != "connection":
            self.offer(families(fixed=spec.names == "code font"))

    def offer(self, names: Sequence[str]) -> None:
        """List these names, and the present one even if it is none of them."""
        value = self.currentData()
        while self.count() > 1:
            self.removeItem(1)
        for name in names:
            self.addItem(name, name)
        self.show_value(value)

    def show_value(self, value: Value | None) -> None:
        """Show a value, which need not be a known name."""
        text = "" if value is None else str(value)
        if self.findData(text) < 0:
            self.addItem(text, text)
        super().show_value(text)


class FoldersField(QWidget):
    """The control of folders: their text, and a button that adds one from the system's dialog."""

    chosen = Signal(object)  # str

    def __init__(self, spec: SettingSpec) -> None:
        super().__init__()
        self.edit = LineField(spec)
        self.edit.chosen.connect(self.chosen)
        self.add = push_button(self.tr("Add a folder…"), self._ask)
        self.setFocusProxy(self.edit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self.edit, 1)
        row.addWidget(self.add)

    def show_value(self, value: Value | None) -> None:
        """Show a value."""
        self.edit.show_value(value)

    def setAccessibleName(self, name: str) -> None:
        """Name the field of text, which has the focus."""
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    def _ask(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Add a folder"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.put)
        dialog.open()

    def put(self, folder: str) -> None:
        """Add a folder to the setting."""
        before = [part.strip() for part in self.edit.text().split(";") if part.strip()]
        self.chosen.emit("; ".join(dict.fromkeys([*before, folder])))


Control = CheckField | ChoiceField | NumberField | LineField | TableField | FoldersField
WIDE = LineField | TableField | FoldersField  # controls with a line of their own


def control_of(theme: Theme, spec: SettingSpec) -> Control:
    """Return the control for a setting."""
    if spec.is_table:
        return TableField(theme, spec, name_text)
    if spec.choices:
        return ChoiceField(spec)
    if spec.names == "folders":
        return FoldersField(spec)
    if spec.names:
        return NameField(spec)
    if isinstance(spec.default, str):
        return LineField(spec)
    return CheckField(spec) if isinstance(spec.default, bool) else NumberField(spec)


class SettingField(QWidget):
    """The field of one setting."""

    change_requested = Signal(str, object)  # key, Value | None; None takes the setting out

    def __init__(self, theme: Theme, spec: SettingSpec) -> None:
        super().__init__()
        set_surface(self, edge="bottom")
        self.spec = spec
        name = tr(spec.title)
        self.control = control_of(theme, spec)
        self.control.setAccessibleName(name)
        self.control.setAccessibleDescription(tr(spec.doc))
        self._theme = theme
        self.control.chosen.connect(self._on_chosen)
        self._changed = label(self.tr("changed"), "changed")
        self.reset = IconButton(theme, "undo", self.tr("Back to the default: {0}").format(value_text(spec.default)))
        self.reset.clicked.connect(lambda: self.change_requested.emit(spec.key, None))
        theme.changed.connect(self._fit)  # the size of text is a setting too
        self._fit()
        for widget in (self._changed, self.reset):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            widget.setSizePolicy(policy)
        self._lay_out(name)
        self.show_value(spec.default)

    def _lay_out(self, name: str) -> None:
        """Place the control at the right of the text; a text control gets a line of its own."""
        title = label(name, "title", wrap=True)
        title.setBuddy(self.control)  # the accessible name of a box is its chosen item
        default = self.tr("Default: {0}").format(value_text(self.spec.default))
        words = label(f"{tr(self.spec.doc)} {default}", "small", wrap=True)
        column = QVBoxLayout()
        column.setSpacing(metrics.SPACE[1])
        column.addWidget(title)  # a line of its own, since a name is never cut
        row = QHBoxLayout(self)
        row.setContentsMargins(0, metrics.SPACE[5], 0, metrics.SPACE[5])
        row.setSpacing(metrics.SPACE[7])
        row.addLayout(column, 1)
        if isinstance(self.control, WIDE):
            column.addWidget(self.control)
            column.addSpacing(metrics.SPACE[1])
        else:
            beside = QVBoxLayout()
            beside.setSpacing(metrics.SPACE[1])
            beside.addStretch(1)
            beside.addWidget(self.control, 0, Qt.AlignmentFlag.AlignRight)
            beside.addLayout(line(self._changed, self.reset))
            beside.addStretch(1)
            row.addLayout(beside)
        if isinstance(self.control, WIDE):
            column.addLayout(line(words, self._changed, self.reset))
        else:
            column.addWidget(words)
            column.addStretch(1)  # a control that is higher than the words does not move them apart

    def show_value(self, value: Value | None) -> None:
        """Show a value."""
        self.control.show_value(value)
        for widget in (self._changed, self.reset):
            widget.setVisible(value != self.spec.default)

    def _fit(self) -> None:
        self.reset.setFixedHeight(self._theme.px(metrics.SMALL_LINE))  # the title's line gets no higher for it
        if isinstance(self.control, WIDE):
            return
        self.control.setFixedHeight(self._theme.px(metrics.CONTROL))  # rows of one kind of text are equally high
        if not isinstance(self.control, CheckField):
            self.control.setFixedWidth(self._theme.px(metrics.SETTING))

    @property
    def is_changed(self) -> bool:
        """Whether the value differs from the default."""
        return not self.reset.isHidden()

    def _on_chosen(self, value: Value | None) -> None:
        self.change_requested.emit(self.spec.key, None if value == self.spec.default else value)
