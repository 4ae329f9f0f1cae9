"""One setting: its name and control, what it does, what it is by default, and the way back to that."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from stemmata.domain.settings.preferences import Value
from stemmata.gui.settings.setting_controls import Check, Words, control_of
from stemmata.gui.settings.setting_words import name_text, tr, value_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.section import line
from stemmata.gui.widgets.surface import set_surface
from stemmata.services.ports.settings import SettingSpec


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
        """The control at the right of all words; what may be of any length has a line of its own."""
        title = ElidedLabel(name, "title")
        title.setBuddy(self.control)  # the accessible name of a box is what is chosen in it
        default = self.tr("Default: {0}").format(value_text(self.spec.default))
        words = label(f"{tr(self.spec.doc)} {default}", "small", wrap=True)
        column = QVBoxLayout()
        column.setSpacing(metrics.SPACE[1])
        column.addLayout(line(title, self._changed, self.reset))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, metrics.SPACE[5], 0, metrics.SPACE[5])
        row.setSpacing(metrics.SPACE[7])
        row.addLayout(column, 1)
        if isinstance(self.control, Words):
            column.addWidget(self.control)
            column.addSpacing(metrics.SPACE[1])
        else:
            row.addWidget(self.control)
        column.addWidget(words)

    def show_value(self, value: Value | None) -> None:
        self.control.show_value(value)
        for widget in (self._changed, self.reset):
            widget.setVisible(value != self.spec.default)

    def _fit(self) -> None:
        self.reset.setFixedHeight(self._theme.px(metrics.SMALL_LINE))  # the title's line gets no higher for it
        if not isinstance(self.control, Check | Words):
            self.control.setFixedWidth(self._theme.px(metrics.SETTING))

    @property
    def is_changed(self) -> bool:
        return not self.reset.isHidden()

    def _on_chosen(self, value: Value | None) -> None:
        self.change_requested.emit(self.spec.key, None if value == self.spec.default else value)
