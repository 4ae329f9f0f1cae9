"""What a setting is changed with, by its kind."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QSpinBox

from stemmata.domain.settings.preferences import Value
from stemmata.gui.settings.setting_words import value_text
from stemmata.gui.theme import metrics
from stemmata.services.ports.settings import SettingSpec


class Check(QCheckBox):
    chosen = Signal(object)  # bool

    def __init__(self, _spec: SettingSpec) -> None:
        super().__init__()
        self.setProperty("bare", True)
        self.clicked.connect(lambda on: self.chosen.emit(on))

    def show_value(self, value: Value | None) -> None:
        self.setChecked(bool(value))


class Choice(QComboBox):
    chosen = Signal(object)  # str

    def __init__(self, spec: SettingSpec) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for choice in spec.choices:
            self.addItem(value_text(choice), choice)
        self.activated.connect(lambda at: self.chosen.emit(self.itemData(at)))

    def show_value(self, value: Value | None) -> None:
        self.setCurrentIndex(self.findData(value))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # it scrolls the page


class Number(QSpinBox):
    """A number that may be unset is unset one below the least."""

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
        blocked = self.blockSignals(True)
        self.setValue(self.minimum() if value is None else int(value))
        self.blockSignals(blocked)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # it scrolls the page

    def _on_value_changed(self, value: int) -> None:
        self.chosen.emit(None if self._optional and value == self.minimum() else value)


class Words(QLineEdit):
    """Counts when it is typed to its end: with Enter, or when the focus goes."""

    chosen = Signal(object)  # str

    def __init__(self, spec: SettingSpec) -> None:
        super().__init__()
        self.setMaxLength(spec.most)
        self.editingFinished.connect(self._on_finished)

    def show_value(self, value: Value | None) -> None:
        self.setText("" if value is None else str(value))
        self.setCursorPosition(0)  # its beginning is seen

    def _on_finished(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.chosen.emit(self.text())


Control = Check | Choice | Number | Words


def control_of(spec: SettingSpec) -> Control:
    if spec.choices:
        return Choice(spec)
    if isinstance(spec.default, str):
        return Words(spec)
    return Check(spec) if isinstance(spec.default, bool) else Number(spec)
