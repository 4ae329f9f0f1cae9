"""The settings dialog: every setting by section, built from the schema. Changes apply immediately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
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

from stemmata.domain.settings.settings import Preferred
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.settings.setting_field import NameField, SettingField, name_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.popup import dialog_size
from stemmata.gui.widgets.surface import set_surface
from stemmata.services.ports.settings import SettingSpec

AT_ONCE = 2  # fields that are created in one turn of the event loop


class SettingsDialog(QDialog):
    """The settings, in a dialog that does not block the window.

    `change_requested` carries the key and the new value, None for the default. A page is created when it is first
    shown, and its fields over several turns of the event loop, because creating all of them takes several frames.
    """

    change_requested = Signal(str, object)
    shortcuts_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget, schema: Sequence[SettingSpec]) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        self.setWindowTitle(self.tr("Settings"))
        self.finished.connect(self._delete_in_turns)
        self._theme = theme
        self._fields: dict[str, SettingField] = {}  # fields of the pages that were created
        self._preferred: Preferred | None = None
        self._connections: tuple[str, ...] = ()
        self._filling = TurnSteps(self)  # adds the fields that are not in view at first
        self.is_leaving = False  # whether the dialog was closed and is being deleted
        self._leaving = TurnSteps(self)  # deletes the dialog after it was closed
        self.sections = QListWidget()
        self.sections.setAccessibleName(self.tr("Sections"))
        self._pages = QStackedWidget()
        self._late: dict[int, Callable[[], QWidget]] = {}  # pages that nobody has looked at, by their place
        self._places: dict[str, int] = {}  # by setting, or by the name of a page that was added
        self._added: set[int] = set()  # places of the pages that `add_page` added
        for section, found in groupby(schema, key=lambda spec: spec.section):
            specs = tuple(found)
            self._add_section(name_text(section), partial(self._page, specs))
            self._places.update((spec.key, self.sections.count() - 1) for spec in specs)
        self.sections.currentRowChanged.connect(self._on_section_chosen)
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        self._lay_out()
        theme.changed.connect(self._fit)
        self._fit()

    def sizeHint(self) -> QSize:
        """Return the size of a dialog at the current scale."""
        return dialog_size(self._theme, self)

    @property
    def is_complete(self) -> bool:
        """Whether everything that is shown has been created; the rest follows over several turns."""
        return not self._filling.is_active

    def showEvent(self, event: QShowEvent) -> None:
        """Show the first section unless another one is wanted, and lay out the list of sections again.

        Its rows were measured before they were styled.
        """
        super().showEvent(event)
        self.show_first()
        self.sections.doItemsLayout()  # the first row was measured before it had its style

    def show_values(self, preferred: Preferred) -> None:
        """Show the values in force, and the problem of the settings file."""
        self._preferred = preferred
        for key, field in self._fields.items():
            field.show_value(preferred.values[key])
        self.show_problem(preferred.problem)

    def show_first(self) -> None:
        """Show the first section unless another one is shown."""
        if self.sections.currentRow() < 0:
            self.sections.setCurrentRow(0)

    def show_section(self, name: str) -> None:
        """Show the section of a setting, or an added page."""
        self.sections.setCurrentRow(self._places[name])

    def show_field(self, key: str) -> None:
        """Show the section of a setting, and focus its control; where a person waits, when its fields are there."""
        self.show_section(key)
        if self._theme.takes_turns:
            self._filling.start(partial(self._focus, key))
        else:
            self._filling.finish()
            self._focus(key)

    def _focus(self, key: str) -> None:
        if self.sections.currentRow() != self._places[key]:
            return  # the person has chosen another section
        field, page = self._fields[key], self._pages.currentWidget()
        if isinstance(page, QScrollArea):
            page.ensureWidgetVisible(field)
        field.control.setFocus()

    @property
    def fields(self) -> dict[str, SettingField]:
        """Return all fields by setting key; this builds every section."""
        for place in set(self._late) - self._added:
            self._make(place)
        self._filling.finish()
        return self._fields

    def show_connections(self, names: Sequence[str]) -> None:
        """Offer these names where a setting names a connection."""
        self._connections = tuple(names)
        for field in self._fields.values():
            self._offer_connections(field)

    def _offer_connections(self, field: SettingField) -> None:
        if field.spec.names == "connection" and isinstance(field.control, NameField):
            field.control.offer(self._connections)

    def add_page(self, name: str, title: str, make: Callable[[], QWidget]) -> None:
        """Add a section with its own page, which is built on first show."""
        self._places[name] = place = self._add_section(title, make)
        self._added.add(place)

    def show_page(self, name: str) -> None:
        """Show an added page."""
        self.show_section(name)
        self.sections.setFocus()

    def show_problem(self, text: str) -> None:
        """Show a problem, or hide it with ""."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def _delete_in_turns(self) -> None:
        """Delete the dialog, which is hidden now, and its pages before it: all at once take longer than a frame."""
        self.is_leaving = True
        self._filling.stop()
        self._fields.clear()
        pages = [page for page in map(self._pages.widget, range(self._pages.count())) if page is not None]
        self._leaving.start(*(page.deleteLater for page in pages), self.deleteLater)

    def _fit(self) -> None:
        self.sections.setFixedWidth(self._theme.px(metrics.SECTIONS))
        self.resize(self.sizeHint())

    def _add_section(self, title: str, make: Callable[[], QWidget]) -> int:
        """Add a page, built on first show; returns its index."""
        place = self._pages.addWidget(QWidget())
        self._late[place] = make
        self.sections.addItem(title)
        return place

    def _on_section_chosen(self, place: int) -> None:
        if place in self._late:
            self._make(place)
        self._pages.setCurrentIndex(place)

    def _make(self, place: int) -> None:
        self._pages.insertWidget(place, self._late.pop(place)())
        if (stand_in := self._pages.widget(place + 1)) is not None:
            self._pages.removeWidget(stand_in)
            stand_in.deleteLater()

    def _page(self, specs: Sequence[SettingSpec]) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(metrics.SPACE[7], metrics.SPACE[4], metrics.SPACE[7], metrics.SPACE[7])
        column.setSpacing(0)
        column.addStretch(1)
        # the page grows before its fields are placed: those that are there would be squeezed for one turn
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
        self._add_fields(column, specs[:AT_ONCE])
        rest = (specs[at : at + AT_ONCE] for at in range(AT_ONCE, len(specs), AT_ONCE))
        self._filling.start(*(partial(self._add_fields, column, some) for some in rest))
        page = QScrollArea(widgetResizable=True)
        page.setFrameShape(QFrame.Shape.NoFrame)
        page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page.setWidget(content)
        return page

    def _add_fields(self, column: QVBoxLayout, specs: Sequence[SettingSpec]) -> None:
        for spec in specs:
            field = self._fields[spec.key] = SettingField(self._theme, spec)
            field.change_requested.connect(self.change_requested)
            if self._preferred is not None:
                field.show_value(self._preferred.values[spec.key])
            self._offer_connections(field)
            column.insertWidget(column.count() - 1, field)  # above the stretch at the end

    def _lay_out(self) -> None:
        side = QWidget()
        set_surface(side, "panel", "right")
        left = QVBoxLayout(side)
        left.setContentsMargins(metrics.SPACE[4], metrics.SPACE[5], metrics.SPACE[4], metrics.SPACE[5])
        left.addWidget(self.sections, 1)
        shortcuts = push_button(self.tr("Keyboard shortcuts…"), self.shortcuts_requested.emit, look="link")
        below = QHBoxLayout()
        below.addSpacing(metrics.SPACE[3])  # the link's text begins where those of the sections do
        below.addWidget(shortcuts)
        below.addStretch(1)
        left.addLayout(below)
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
