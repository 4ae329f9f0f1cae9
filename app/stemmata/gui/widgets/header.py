"""The header of a column: its title and its buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label, set_plain_tip, set_property
from stemmata.gui.widgets.surface import set_surface

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent, QShowEvent

READABLE = 60  # characters of a title that stay visible while anything else can be shortened
SHORTEST = 2  # the number of the shortest of three forms


class Shorten(Protocol):
    """A function that shows a widget in its short form, or in its long one."""

    def __call__(self, *, on: bool) -> None: ...


class ColumnHeader(QWidget):
    """The header of a column. `add` puts widgets at the right; `set_chip` shows a small mark after the title.

    When space is short, chips and widgets take their short forms before the title is elided; a minor chip is hidden.
    """

    def __init__(self, theme: Theme, title: str, surface: Literal["bg", "panel"] = "panel") -> None:
        super().__init__()
        self._theme = theme
        set_surface(self, surface, "bottom")
        self.title_label = ElidedLabel(title, "title")
        self.chip_label = label("", "chip")
        self.chip_label.hide()
        self._chips = self._marks = "", "", ""  # long, short and shortest form
        self.mark_label = ElidedLabel("", "changed")
        self.mark_label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.mark_label.hide()
        self._shorten: list[Shorten] = []
        self._is_alone = False  # whether the mark replaces the chip
        self._is_minor = False  # whether the chip may give way to the title
        self._form, self._needed = 0, (0, 0)  # the form that is shown; pixels that the first two forms need
        self._is_fitting = False  # guards `fit` against itself: shortening a widget may set the chip
        self._row = QHBoxLayout(self)
        self._set_spaces()
        self.title_label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._row.addWidget(self.title_label, 1000)
        self._row.addSpacing(metrics.SPACE[2])
        self._row.addWidget(self.chip_label, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self.mark_label, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addStretch(1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def add(self, widget: QWidget, shorten: Shorten | None = None) -> None:
        """Add a widget at the right.

        `shorten(True)` gives the widget its short form, `shorten(False)` its long one.
        """
        self._row.addWidget(widget)
        if shorten is not None:
            self._shorten.append(shorten)

    def set_title(self, text: str, whole: str = "") -> None:
        """Set the title. `whole` is the text of the tooltip when the title is a shortened text."""
        self.title_label.set_text_of(text, whole or text)
        self.fit()

    def fit(self) -> None:
        """Choose long or short forms again, after a part of the header changed its width."""
        if self._is_fitting:
            return
        is_fixed = self._chips[0] == self._chips[-1] and self._marks[0] == self._marks[-1]
        if self._shorten or self._is_minor or not is_fixed:
            self._is_fitting = True
            title = self.title_label.sizeHint().width()
            more = max(title - self.title_label.fontMetrics().averageCharWidth() * READABLE, 0)
            self._set_form(1)
            short = self._wanted_width() - more
            self._set_form(0)
            self._needed = self._wanted_width() - more, short
            self._choose_form()
            self._is_fitting = False
        elif self._form:
            self._needed = 0, 0
            self._set_form(0)
        if self.isVisible():
            self._row.activate()  # Qt would paint the new title in the room of the old one until its next turn

    def _wanted_width(self) -> int:
        """Return the width in which nothing is elided. Qt forgets the old one only while the header is visible."""
        self._row.invalidate()
        return self._row.sizeHint().width()

    def _choose_form(self) -> None:
        self._set_form(sum(needed > self.width() for needed in self._needed))

    def _set_form(self, form: int) -> None:
        if form != self._form:
            self._form = form
            self._name_chip()
            self._show_chip()
            self._name_mark()
            for shorten in self._shorten:
                shorten(on=form > 0)
            self._set_spaces()

    def _set_spaces(self) -> None:
        is_bare = self.chip_label.isHidden() and self.mark_label.isHidden()
        self._row.setSpacing(metrics.SPACE[2 if not self._form else 0 if is_bare else 1])
        before, behind = metrics.SPACE[6], metrics.SPACE[1 if self._form else 2] + metrics.BORDER
        if self.isRightToLeft():  # Qt does not mirror margins
            before, behind = behind, before
        self._row.setContentsMargins(
            before, 0, behind, metrics.BORDER
        )  # buttons bring more space of their own at the end

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._set_spaces()
        self.fit()  # fonts and paddings of the style sheet apply from here on

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_fitting:  # showing a widget lays the column out at once, and `fit` ends with a choice
            self._choose_form()
            self._row.activate()  # Qt gave the widgets their places before the form was chosen

    @property
    def title(self) -> str:
        """The title."""
        return self.title_label.text()

    def set_chip(self, text: str, short: str = "", *, minor: bool = False) -> None:
        """Show a chip after the title; `short` replaces `text` when space is short. "" hides the chip.

        A `minor` chip is hidden where the title would be elided beside it.
        """
        self._chips, self._is_minor = (text, short or text, short or text), minor
        self._name_chip()
        self._show_chip()
        self.fit()

    def set_active(self, *, active: bool | None) -> None:
        """Mark the column as the active or inactive one of a split; None outside a split."""
        set_property(self, "active", {True: "yes", False: "no", None: ""}[active])
        set_property(self.title_label, "role", "dim" if active is False else "title")

    @property
    def mark(self) -> str:
        """The displayed mark."""
        return self._marks[0]

    def set_mark(self, text: str, short: str = "", shortest: str = "", *, alone: bool = False) -> None:
        """Show the column's mode as a mark in the accent colour. `alone` hides the chip meanwhile."""
        self._marks = text, short or text, shortest or short or text
        self._is_alone = alone and bool(text)
        self._name_mark()
        self.mark_label.setAccessibleName(text)
        self.mark_label.setVisible(bool(text))
        self._show_chip()
        self.fit()

    def _name_chip(self) -> None:
        """Set the text of the chip, and the long one as the tooltip of the short one."""
        text, shown = self._chips[0], self._chips[self._form]
        self.chip_label.setText(shown)
        self.chip_label.setAccessibleName(text)
        set_plain_tip(self.chip_label, text if shown != text else "")

    def _name_mark(self) -> None:
        text, shown = self._marks[0], self._marks[self._form]
        self.mark_label.set_text_of(shown, text)
        if shown == text:
            self.mark_label.setToolTip("")  # a screen reader would read it twice

    def _show_chip(self) -> None:
        gives_way = self._is_minor and self._form == SHORTEST
        self.chip_label.setVisible(bool(self._chips[0]) and not self._is_alone and not gives_way)

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.HEADER))
        self.fit()
