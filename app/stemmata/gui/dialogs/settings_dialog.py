"""Every setting, section by section, made from their schema. What is changed counts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.preferences import Preferred
from stemmata.gui.dialogs.dialog_size import dialog_size
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.setting_field import SettingField
from stemmata.gui.widgets.setting_words import name_text
from stemmata.gui.widgets.surface import set_surface
from stemmata.services.setting_ports import SettingSpec


class SettingsDialog(QDialog):
    """Not modal. `change_requested` carries the key and the new value, None for the default."""

    change_requested = Signal(str, object)
    shortcuts_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget, schema: Sequence[SettingSpec]) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        self.setWindowTitle(self.tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self.fields: dict[str, SettingField] = {}
        self.sections = QListWidget()
        self.sections.setAccessibleName(self.tr("Sections"))
        self._pages = QStackedWidget()
        for section, specs in groupby(schema, key=lambda spec: spec.section):
            self.sections.addItem(name_text(section))
            self._pages.addWidget(self._page(specs))
        self._late: dict[int, Callable[[], QWidget]] = {}  # pages that nobody has looked at, by their place
        self._places: dict[str, int] = {}
        self.sections.currentRowChanged.connect(self._on_section_chosen)
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        self._lay_out()
        self.sections.setCurrentRow(0)
        theme.changed.connect(self._fit)
        self._fit()

    def sizeHint(self) -> QSize:
        return dialog_size(self._theme, self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.sections.doItemsLayout()  # the first row was measured before it had its style

    def show_values(self, preferred: Preferred) -> None:
        """Show what is in force, and what of the file is not."""
        for key, field in self.fields.items():
            field.show_value(preferred.values[key])
        self.show_problem(preferred.problem)

    def show_field(self, key: str) -> None:
        """Go to one setting."""
        field = self.fields[key]
        for at in range(self._pages.count()):
            page = self._pages.widget(at)
            if isinstance(page, QScrollArea) and page.isAncestorOf(field):
                self.sections.setCurrentRow(at)
                page.ensureWidgetVisible(field)
        field.control.setFocus()

    def add_page(self, name: str, title: str, make: Callable[[], QWidget]) -> None:
        """A section with a page of its own kind, made when it is first looked at."""
        self._places[name] = place = self._pages.addWidget(QWidget())
        self._late[place] = make
        self.sections.addItem(title)

    def show_page(self, name: str) -> None:
        """Go to a page that was added."""
        self.sections.setCurrentRow(self._places[name])
        self.sections.setFocus()

    def show_problem(self, text: str) -> None:
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def _fit(self) -> None:
        self.sections.setFixedWidth(self._theme.px(metrics.SECTIONS))
        self.resize(self.sizeHint())

    def _on_section_chosen(self, place: int) -> None:
        make = self._late.pop(place, None)
        if make is not None:
            self._pages.insertWidget(place, make())
            if (stand_in := self._pages.widget(place + 1)) is not None:
                self._pages.removeWidget(stand_in)
                stand_in.deleteLater()
        self._pages.setCurrentIndex(place)

    def _page(self, specs: Iterable[SettingSpec]) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(metrics.SPACE[7], metrics.SPACE[4], metrics.SPACE[7], metrics.SPACE[7])
        column.setSpacing(0)
        for spec in specs:
            field = self.fields[spec.key] = SettingField(self._theme, spec)
            field.change_requested.connect(self.change_requested)
            column.addWidget(field)
        column.addStretch(1)
        page = QScrollArea(widgetResizable=True)
        page.setFrameShape(QFrame.Shape.NoFrame)
        page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page.setWidget(content)
        return page

    def _lay_out(self) -> None:
        side = QWidget()
        set_surface(side, "panel", "right")
        left = QVBoxLayout(side)
        left.setContentsMargins(metrics.SPACE[4], metrics.SPACE[5], metrics.SPACE[4], metrics.SPACE[5])
        left.addWidget(self.sections, 1)
        shortcuts = push_button(self.tr("Keyboard shortcuts…"), self.shortcuts_requested.emit, look="link")
        left.addWidget(shortcuts, 0, Qt.AlignmentFlag.AlignLeft)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        self.problem.setMargin(metrics.SPACE[5])
        right.addWidget(self.problem)
        right.addWidget(self._pages, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addLayout(right, 1)
