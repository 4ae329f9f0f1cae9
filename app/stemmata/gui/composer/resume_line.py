"""The line above the composer of an old session: buttons to continue it in full or from a summary."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.figures import figure_text, percent
from stemmata.gui.widgets.labels import set_plain_tip, set_property
from stemmata.gui.widgets.wrapping import WrappingRow
from stemmata.services.chat.resuming import ResumeChoice


class FittingLabel(QLabel):
    """A label that shows the longest of its texts that fits, or none of them."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self._texts: tuple[str, ...] = ()

    def show_texts(self, *texts: str) -> None:
        """Set the texts to choose from, the longest first; the first one that fits is shown."""
        self._texts = texts
        self._fit()

    def sizeHint(self) -> QSize:
        """The label takes only the width that others leave."""
        return QSize(0, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        measure = self.fontMetrics().horizontalAdvance
        self.setText(next((text for text in self._texts if measure(text) <= self.width()), ""))


class ResumeLine(QWidget):
    """Offers to continue an old session in full or from a summary; the way that the budget recommends is emphasised.

    Hidden while no choice is offered.
    """

    whole_chosen = Signal()
    summary_chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("resumeLine")
        self._choice: ResumeChoice | None = None
        self._texts: tuple[tuple[str, str], ...] = ()  # texts of both buttons, the longest first
        self._text = FittingLabel("small")
        self.whole = push_button("", self.whole_chosen.emit, look="chip")
        self.summary = push_button("", self.summary_chosen.emit, look="chip")
        self._row = WrappingRow(self._text, self.whole, self.summary)
        self._row.setContentsMargins(metrics.SPACE[5], 0, 0, metrics.SPACE[2])
        self.setLayout(self._row)
        self.hide()

    @property
    def choice(self) -> ResumeChoice | None:
        """The displayed choice; None while the line is hidden."""
        return self._choice

    @property
    def label_text(self) -> str:
        """The text before the buttons, which disappears where there is no room."""
        return self.accessibleName()

    def show_choice(self, choice: ResumeChoice | None) -> None:
        """Offer a choice; None hides the line."""
        if choice == self._choice:
            return
        self._choice = choice
        if choice is not None:
            self._show(choice)
        self.setVisible(choice is not None)

    def show_writing(self) -> None:
        """Show that the summary is being written, once the user chose to continue from one."""
        self._tell(self.tr("Writing the summary…"))
        for button in (self.whole, self.summary):
            button.setEnabled(False)
        announce(self, self.label_text)

    def _show(self, choice: ResumeChoice) -> None:
        brief = self.tr("Old session")
        share = None if choice.share is None else percent(choice.share)
        told = brief if share is None else self.tr("Old session, {0} of the window").format(share)
        self._tell(told, brief)
        whole, summary = figure_text(choice.whole), figure_text(choice.from_summary)
        self._texts = (
            (
                self.tr("Continue in full · {0}").format(whole),
                self.tr("Continue from a summary · {0}").format(summary),
            ),
            (self.tr("In full · {0}").format(whole), self.tr("Summary · {0}").format(summary)),
            (self.tr("In full"), self.tr("Summary")),
        )
        for button, name in zip((self.whole, self.summary), self._texts[0], strict=True):
            button.setAccessibleName(name)
        self._fit()
        whole_tip = self.tr("The next request contains everything up to the leaf.")
        summary_tip = self.tr(
            "Begins a new session with a summary and the last messages. This session stays unchanged."
        )
        for button, name, tip in zip(
            (self.whole, self.summary), self._texts[0], (whole_tip, summary_tip), strict=True
        ):
            set_plain_tip(button, f"{name}\n{tip}")  # a narrow button shows no figure
        for button, is_wanted in ((self.whole, choice.fits), (self.summary, not choice.fits)):
            button.setEnabled(True)
            set_property(button, "recommended", is_wanted)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the texts of the buttons for the new width."""
        super().resizeEvent(event)
        if self._choice is not None:
            self._fit()

    def _fit(self) -> None:
        """Set the longest texts with which both buttons fit on one line."""
        buttons = (self.whole, self.summary)
        margins, host = self._row.contentsMargins(), self.parentWidget()
        layout = None if self.isVisible() or host is None else host.layout()
        width = self.width() if layout is None else layout.contentsRect().width()  # that it will have
        # the text at the beginning needs no room, but the space behind it
        room = width - margins.left() - margins.right() - 2 * self._row.spacing()
        wanted = (texts for texts in self._texts if sum(map(_width_with, buttons, texts)) <= room)
        for button, text in zip(buttons, next(wanted, self._texts[-1]), strict=True):
            if button.text() != text:
                button.setText(text)

    def _tell(self, *texts: str) -> None:
        self._text.show_texts(*texts)
        self.setAccessibleName(texts[0])


def _width_with(button: QPushButton, text: str) -> int:
    """Return the width that a button would ask for with another text, in pixels."""
    measure = button.fontMetrics().horizontalAdvance
    return button.sizeHint().width() - measure(button.text()) + measure(text)
