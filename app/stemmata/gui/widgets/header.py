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


class Shorten(Protocol):
    """A function that shows a widget in its short form, or in its long one."""

    def __call__(self, *, on: bool) -> None: ...


class ColumnHeader(QWidget):
    """The header of a column. `add` puts widgets at the right; `set_chip` shows a small mark after the title.

    When space is short, chips and widgets take their short form before the title is elided; a minor chip is hidden.
    """

    def __init__(self, theme: Theme, title: str, surface: Literal["bg", "panel"] = "panel") -> None:
        super().__init__()
        self._theme = theme
        set_surface(self, surface, "bottom")
        self.title_label = ElidedLabel(title, "title")
        self.chip_label = label("", "chip")
        self.chip_label.hide()
        self._chips = self._marks = "", ""  # long and short form
        self.mark_label = ElidedLabel("", "changed")
        self.mark_label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.mark_label.hide()
        self._shorten: list[Shorten] = []
        self._is_alone = False  # whether the mark replaces the chip
        self._is_minor = self._gives_way = False  # whether the chip may give way to the title, and whether it does
        self._is_short, self._needed = False, 0  # whether short forms are shown; pixels that all long forms need
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

    def set_title(self, text: str) -> None:
        """Set the title."""
        self.title_label.setText(text)
        set_plain_tip(self.title_label, text)
        self.fit()

    def fit(self) -> None:
        """Choose long or short forms again, after a part of the header changed its width."""
        if self._is_fitting:
            return
        if self._shorten or self._chips[0] != self._chips[1] or self._marks[0] != self._marks[1]:
            self._is_fitting = True
            self._set_short(on=False)
            self._needed = self._least_width()
            self._choose()
            self._is_fitting = False
        if self.isVisible():
            self._row.activate()  # Qt would paint the new title in the room of the old one until its next turn

    def _least_width(self) -> int:
        """Return the width of the present forms, with the chip and the readable part of the title."""
        title = self.title_label.sizeHint().width()
        readable = self.title_label.fontMetrics().averageCharWidth() * READABLE
        chip = self.chip_label.sizeHint().width() + self._row.spacing() if self._gives_way else 0
        return self._row.sizeHint().width() + chip - max(title - readable, 0)

    def _choose(self) -> None:
        """Show short forms where the long ones do not fit, and hide a minor chip where these do not fit either."""
        self._set_short(on=self._needed > self.width())
        gives_way = self._is_minor and self._is_short and self._least_width() > self.width()
        if gives_way != self._gives_way:
            self._gives_way = gives_way
            self._show_chip()

    def _set_short(self, *, on: bool) -> None:
        if on != self._is_short:
            self._is_short = on
            self._name_chip()
            self.mark_label.setText(self._marks[on])
            for shorten in self._shorten:
                shorten(on=on)
            self._set_spaces()

    def _set_spaces(self) -> None:
        is_bare = self.chip_label.isHidden() and self.mark_label.isHidden()
        self._row.setSpacing(metrics.SPACE[2 if not self._is_short or not is_bare else 0])
        before, behind = metrics.SPACE[6], metrics.SPACE[1 if self._is_short else 2] + metrics.BORDER
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
        self._choose()

    @property
    def title(self) -> str:
        """The title."""
        return self.title_label.text()

    def set_chip(self, text: str, short: str = "", *, minor: bool = False) -> None:
        """Show a chip after the title; `short` replaces `text` when space is short. "" hides the chip.

        A `minor` chip is hidden where the title would be elided beside it.
        """
        self._chips, self._is_minor = (text, short or text), minor
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

    def set_mark(self, text: str, short: str = "", *, alone: bool = False) -> None:
        """Show the column's mode as a mark in the accent colour. `alone` hides the chip meanwhile."""
        self._marks, self._is_alone = (text, short or text), alone and bool(text)
        self.mark_label.setText(self._marks[self._is_short])
        self.mark_label.setAccessibleName(text)
        self.mark_label.setVisible(bool(text))
        self._show_chip()
        self.fit()

    def _name_chip(self) -> None:
        """Set the text of the chip, and the long one as the tooltip of the short one."""
        text, shown = self._chips[0], self._chips[self._is_short]
        self.chip_label.setText(shown)
        set_plain_tip(self.chip_label, text if shown != text else "")

    def _show_chip(self) -> None:
        self.chip_label.setVisible(bool(self._chips[0]) and not self._is_alone and not self._gives_way)

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.HEADER))
        self.fit()
