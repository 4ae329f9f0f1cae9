"""One setting: its name and control, what it does, what it is by default, and the way back to that."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from stemmata.domain.preferences import Value
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.section import line
from stemmata.gui.widgets.setting_controls import Check, Words, control_of
from stemmata.gui.widgets.setting_words import name_text, tr, value_text
from stemmata.gui.widgets.surface import set_surface
from stemmata.services.ports import SettingSpec


class SettingField(QWidget):
    change_requested = Signal(str, object)  # key, Value | None; None takes the setting out

    def __init__(self, theme: Theme, spec: SettingSpec) -> None:
        super().__init__()
        set_surface(self, edge="bottom")
        self.spec = spec
        name = name_text(spec.name)
        self.control = control_of(spec)
        self.control.setAccessibleName(name)
        self.control.setAccessibleDescription(tr(spec.doc))
        self._theme = theme
        theme.changed.connect(self._fit)  # the size of text is a setting too
        self._fit()
        self.control.chosen.connect(self._on_chosen)
        self._changed = label(self.tr("changed"), "changed")
        self.reset = IconButton(theme, "undo", self.tr("Back to the default: {0}").format(value_text(spec.default)))
        self.reset.clicked.connect(lambda: self.change_requested.emit(spec.key, None))
        for widget in (self._changed, self.reset):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            widget.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, metrics.SPACE[5], 0, metrics.SPACE[5])
        column.setSpacing(metrics.SPACE[2])
        title = ElidedLabel(name, "title")
        title.setBuddy(self.control)  # the accessible name of a box is what is chosen in it
        if isinstance(self.control, Words):  # of any length
            column.addLayout(line(title, self._changed, self.reset))
            column.addWidget(self.control)
        else:
            column.addLayout(line(title, self._changed, self.reset, self.control))
        column.addWidget(label(tr(spec.doc), "dim", wrap=True))
        column.addWidget(label(self.tr("Default: {0}").format(value_text(spec.default)), "faint"))
        self.show_value(spec.default)

    def show_value(self, value: Value | None) -> None:
        self.control.show_value(value)
        for widget in (self._changed, self.reset):
            widget.setVisible(value != self.spec.default)

    def _fit(self) -> None:
        if not isinstance(self.control, Check | Words):
            self.control.setFixedWidth(self._theme.px(metrics.SETTING))

    @property
    def is_changed(self) -> bool:
        return not self.reset.isHidden()

    def _on_chosen(self, value: Value | None) -> None:
        self.change_requested.emit(self.spec.key, None if value == self.spec.default else value)
