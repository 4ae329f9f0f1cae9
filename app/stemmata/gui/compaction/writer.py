"""Who writes the summary where it is not the digest: the model, how far it is, and the ways out."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label, set_property
from stemmata.gui.widgets.wrapping import WrappingRow

LONGEST_NAME = 30  # characters


class SummaryWriter(QWidget):
    """A line with the model and what may be done, and under it what is going on or went wrong."""

    model_requested = Signal()
    write_requested = Signal()
    cancel_requested = Signal()
    digest_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = push_button("", self.model_requested.emit, look="chip")
        self.write = push_button("", self.write_requested.emit)
        self.cancel = push_button(self.tr("Cancel writing"), self.cancel_requested.emit)
        self.digest = push_button(self.tr("Use the digest instead"), self.digest_requested.emit)
        self._told = label("", "small", wrap=True)
        self._name = ""
        self._is_own = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(metrics.SPACE[3])
        column.addWidget(self._told)
        model = QHBoxLayout()
        model.addWidget(self.model)
        model.addStretch(1)  # a button is as wide as its words
        chosen = QWidget()
        model.setContentsMargins(0, 0, 0, 0)
        chosen.setLayout(model)
        column.addLayout(WrappingRow(chosen, *self._buttons()))

    @property
    def told(self) -> str:
        return self._told.text()

    def show_model(self, name: str) -> None:
        """By its id, "" for none."""
        self._name = name.rpartition("/")[2]
        brief = self._name if len(self._name) <= LONGEST_NAME else f"{self._name[: LONGEST_NAME - 1]}…"
        self.model.setText(brief if self._is_own else f"{brief or self.tr('Choose a model')} ▾")
        self.model.setAccessibleName(self.tr("Model that writes the summary: {0}").format(name or "—"))
        self.model.setToolTip(name)
        self.write.setEnabled(bool(name))

    def show_own(self, *, on: bool) -> None:
        """The server of the session's model writes: another one could not be sent what it signs."""
        self._is_own = on

    def show_waiting(self, *, again: bool = False) -> None:
        """Nothing is asked of a model before somebody says so: it costs. `again`: what it wrote is out of date."""
        outdated = self.tr("What is summarised has changed since this was written.")
        asked = self.tr("The model is asked when you say so.")
        if self._is_own:
            asked = self.tr("The provider is asked when you say so. It signs its summary.")
        self._show(outdated if again else asked, self.write)
        self.write.setText(self.tr("Write again") if again else self.tr("Write summary"))

    def show_writing(self) -> None:
        self._show(self.tr("{0} writes the summary…").format(self._name), self.cancel)
        announce(self, self.told)

    def show_written(self, told: str = "") -> None:
        """`told`: what is to be known of it."""
        self._show(told, self.write)
        self.write.setText(self.tr("Write again"))

    def show_problem(self, problem: str) -> None:
        self._show(problem, self.digest, self.write)
        self.write.setText(self.tr("Try again"))
        set_property(self._told, "role", "error")
        announce(self, problem)

    def _show(self, told: str, *offered: QPushButton) -> None:
        set_property(self._told, "role", "small")
        self._told.setText(told)
        self._told.setVisible(bool(told))
        self.model.setEnabled(self.cancel not in offered and not self._is_own)
        had_focus = any(button.hasFocus() for button in self._buttons())
        for button in self._buttons():
            button.setVisible(button in offered)
        if had_focus:
            offered[0].setFocus()

    def _buttons(self) -> tuple[QPushButton, ...]:
        return self.digest, self.cancel, self.write
