"""Ask the user for consent to a tool call: the tool, its origin, its effect and its arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from math import ceil

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.chat.run import Consent, Question
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import Look, push_button
from stemmata.gui.widgets.labels import label, set_plain_tip

REFUSALS = frozenset({Consent.REFUSED, Consent.NEVER})
FOLDED_LINES, MOST_LINES = 6, 18
MOST_SHOWN = 20_000  # characters of the arguments shown
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class ConsentPopup(QFrame):
    """A panel above the transcript that asks one question after the other. The window stays usable."""

    answered = Signal(object, object)  # Question, Consent

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host)
        self.setObjectName("consentPopup")
        self.setProperty("overlay", True)
        self.setAccessibleName(self.tr("Tool request"))
        self._theme, self._host = theme, host
        self._questions: list[Question] = []
        self._unfolded = False
        self._title = label("", "title", wrap=True)
        self._why = label("", "dim", wrap=True)
        self.arguments = QPlainTextEdit(readOnly=True)
        self.arguments.setFont(theme.font("code"))
        self.arguments.setAccessibleName(self.tr("Arguments"))
        self.arguments.setTabChangesFocus(True)
        self.arguments.setProperty("framed", True)
        self.more = push_button(self.tr("Show all"), self._unfold, look="link")
        self._waiting = label("", "small")
        self.buttons = self._build_buttons()
        self._lay_out()
        host.installEventFilter(self)
        self.hide()

    def ask(self, question: Question) -> None:
        """Add a question to the waiting ones."""
        if question not in self._questions:
            self._questions.append(question)
            self._show_first(focus=False)  # the user may be typing, and the next Enter must not give consent

    def keep(self, questions: Sequence[Question]) -> None:
        """Remove all questions except these: the others were answered elsewhere, or their run has ended."""
        left = [question for question in self._questions if question in questions]
        if left != self._questions:
            self._questions = left
            self._show_first(focus=False)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The open questions, the visible one first."""
        return tuple(self._questions)

    def take_focus(self) -> None:
        """Move the keyboard focus to the buttons."""
        if self._questions:
            self.raise_()
            self.buttons[Consent.ONCE].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between the buttons, and answer on Enter or Esc."""
        if event.isAutoRepeat():
            return  # a held key answers only one question
        key, buttons = Qt.Key(event.key()), list(self.buttons.values())
        focused = self.focusWidget()
        at = next((at for at, button in enumerate(buttons) if button is focused), None)
        if key == Qt.Key.Key_Escape:
            self.answer(Consent.REFUSED)
        elif key in _STEPS and at is not None:
            buttons[(at + _STEPS[key]) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and at is not None:
            buttons[at].click()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the host."""
        if watched is self._host and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def answer(self, consent: Consent) -> None:
        """Answer the shown question, and show the next one."""
        if self._questions:
            question = self._questions.pop(0)
            self._show_first(focus=True)
            self.answered.emit(question, consent)

    def _show_first(self, *, focus: bool) -> None:
        if not self._questions:
            self._hide_calmly()
            return
        question = self._questions[0]
        self._unfolded = False
        self._title.setText(self.tr("The model wants to call {0} of {1}").format(question.tool, question.origin))
        self._why.setText(self._reason(question))
        text = readable(question.arguments)
        self.arguments.setPlainText(text)
        self.arguments.setVisible(bool(text))
        self.more.setVisible(text.count("\n") >= FOLDED_LINES)
        others = len(self._questions) - 1
        self._waiting.setText(self.tr("%Ln more waiting", None, others) if others else "")
        here = self.tr("In sessions of {0}").format(question.folder)
        for consent in (Consent.ALWAYS, Consent.NEVER):
            set_plain_tip(self.buttons[consent], here if question.folder else self.tr("In sessions without a folder"))
        self._place()
        self.show()
        self.raise_()
        announce(self, self._title.text(), urgent=True)
        if focus:
            self.take_focus()

    def _hide_calmly(self) -> None:
        """Hide the popup, and return the focus to the transcript's column."""
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self.isAncestorOf(focused)
        self.hide()
        if had_focus:
            self._host.setFocus()

    def _reason(self, question: Question) -> str:
        reasons = {
            "writes": self.tr("The tool writes files on this machine."),
            "runs": self.tr("The tool runs a program on this machine."),
            "leaves the machine": self.tr("The arguments would be sent to another machine."),
        }
        told = reasons.get(question.why, question.why)
        where = self.tr("Folder: {0}").format(question.folder) if question.folder else ""
        return "\n".join(part for part in (told, where) if part)

    def _unfold(self) -> None:
        self._unfolded = True
        self.more.hide()
        self._place()

    def _build_buttons(self) -> dict[Consent, QPushButton]:
        words = {
            Consent.ONCE: self.tr("Allow once"),
            Consent.SESSION: self.tr("Allow in this session"),
            Consent.ALWAYS: self.tr("Always allow here"),
            Consent.REFUSED: self.tr("Refuse"),
            Consent.NEVER: self.tr("Never allow here"),
        }
        looks: dict[Consent, Look] = {Consent.ONCE: "primary", Consent.NEVER: "danger"}
        return {
            consent: push_button(text, partial(self.answer, consent), look=looks.get(consent, ""))
            for consent, text in words.items()
        }

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[6]] * 4)
        column.setSpacing(metrics.SPACE[4])
        for widget in (self._title, self._why, self.arguments):
            column.addWidget(widget)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._foot = QHBoxLayout()
        self._answers = (QHBoxLayout(), QHBoxLayout())  # buttons that allow, and buttons that refuse
        for consent, button in self.buttons.items():
            self._answers[consent in REFUSALS].addWidget(button)
        for row in (self._foot, *self._answers):
            row.setSpacing(metrics.SPACE[3])
        for row in self._answers:
            row.addStretch(1)
            self._foot.addLayout(row)
        self._foot.setStretch(0, 1)  # moves the refusing buttons to the far side
        column.addLayout(self._foot)
        column.addWidget(self._waiting)

    def _fold_buttons(self, room: int) -> None:
        """Arrange all buttons in one row, else in two rows, of which those that do not fit become columns."""
        widths = [row.sizeHint().width() for row in self._answers_beside()]
        directions = QBoxLayout.Direction
        self._foot.setDirection(
            directions.LeftToRight if sum(widths) + metrics.SPACE[4] <= room else directions.TopToBottom
        )
        for row, needed in zip(self._answers, widths, strict=True):
            if needed > room:
                row.setDirection(directions.TopToBottom)

    def _answers_beside(self) -> tuple[QHBoxLayout, QHBoxLayout]:
        for row in self._answers:
            row.setDirection(QBoxLayout.Direction.LeftToRight)
        return self._answers

    def _place(self) -> None:
        lines = MOST_LINES if self._unfolded else FOLDED_LINES
        shown = min(self.arguments.document().blockCount(), lines)
        self.arguments.ensurePolished()  # the style sheet sets the width of the frame
        self._waiting.setVisible(bool(self._waiting.text()))
        width = min(self._theme.px(metrics.DIALOG[0]), self._host.width() - 2 * metrics.SPACE[6])
        self._fold_buttons(width - 2 * metrics.SPACE[6])
        room = self._host.height() - metrics.SPACE[6]
        height = self._height_with(shown, width)
        if height > room:  # the arguments scroll, so that all buttons are visible
            height = self._height_with(max(1, shown - ceil((height - room) / self._line())), width)
        self.resize(width, height)
        self.move((self._host.width() - width) // 2, max(0, room - height))

    def _height_with(self, lines: int, width: int) -> int:
        """Show so many lines of the arguments, and return the height of the popup."""
        around = self.arguments.frameWidth() + ceil(self.arguments.document().documentMargin())
        # Qt shows a scroll bar when the text fills the field to its last pixel
        self.arguments.setFixedHeight(lines * self._line() + 2 * around + 1)
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        layout.activate()
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else self.sizeHint().height()

    def _line(self) -> int:
        return ceil(QFontMetricsF(self.arguments.font()).lineSpacing())  # Qt rounds the height of each line up


def readable(arguments: str) -> str:
    """Return the arguments as lines of `name: value`, cut at MOST_SHOWN characters.

    Text that is not a JSON object stays unchanged.
    """
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments[:MOST_SHOWN]
    if not isinstance(values, dict):
        return arguments[:MOST_SHOWN]
    shown = (
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in values.items()
    )
    text = "\n".join(shown)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…\n(+{len(text) - MOST_SHOWN:,})"
