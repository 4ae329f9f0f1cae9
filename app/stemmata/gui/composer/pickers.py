"""The line below the message: attachments, model, thinking level, skills, context fill, queue, Stop and Send."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QWidget

from stemmata.gui.composer.words import level_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.figures import tokens_text
from stemmata.gui.widgets.labels import label, literal, set_plain_tip
from stemmata.gui.widgets.ring import ContextRing, NextRequest

LONGEST_MODEL = (26, 14)  # characters of the model's name in the wide and in the narrow chip
IN_ONE_LINE = ((False, False), (False, True), (True, True))  # whether left and right are brief, in order of trial


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The target of the next request. `connected`: a connection exists, although `model` may be ""."""

    connected: bool = False
    connection: str = ""
    model: str = ""
    level: str = ""
    thinks: bool = True


class ComposerFoot(QWidget):
    """The line of buttons and chips. Controllers carry out its requests."""

    attach_requested = Signal()
    connect_requested = Signal()
    model_requested = Signal()
    level_requested = Signal()
    skills_requested = Signal()
    compact_requested = Signal()
    queue_toggled = Signal()
    stop_requested = Signal()
    send_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.attach = IconButton(theme, "plus", self.tr("Attach files"))
        self.attach.clicked.connect(self.attach_requested)
        self.connect_link = push_button(self.tr("Connect a model to send"), self.connect_requested.emit, look="link")
        self.connect_link.setCursor(Qt.CursorShape.PointingHandCursor)
        self.model = _chip(self.model_requested.emit)
        self.level = _chip(self.level_requested.emit)
        self.skills = _chip(self.skills_requested.emit)
        self.ring = ContextRing(theme)
        self.ring.clicked.connect(self.compact_requested)
        self.queue = _chip(self.queue_toggled.emit)
        self._typed = label("", "faint")
        self._typed.setToolTip(self.tr("Estimated size of the message"))
        self.stop = push_button(self.tr("Stop"), self.stop_requested.emit)
        self.send = push_button(self.tr("Send"), self.send_requested.emit, look="primary")
        self._model = self._level = self._queued = ("", "")  # wide and narrow text
        self._lay_out()
        self.show_choice(ModelChoice())
        self.show_skills((), is_offered=False)
        self.show_queue(0, folded=False)
        self.show_typed(0)
        self.stop.hide()

    def show_choice(self, choice: ModelChoice) -> None:
        """Show model and thinking level."""
        self.connect_link.setVisible(not choice.connected)
        self.model.setVisible(choice.connected)
        self.level.setVisible(choice.connected and choice.thinks)
        name = choice.model.rpartition("/")[2]  # some servers put a folder before the name
        long, brief = (f"{_cut(name, most) or self.tr('Choose a model')} ▾" for most in LONGEST_MODEL)
        self._model = (long, brief)
        self.model.setAccessibleName(self.tr("Model: {0}").format(choice.model or "—"))
        set_plain_tip(self.model, f"{choice.connection}/{choice.model}" if choice.model else "")
        level = level_text(choice.level)
        self._level = (self.tr("Thinking: {0} ▾").format(level.lower()), f"{level} ▾")
        self.level.setAccessibleName(self.tr("Thinking: {0}").format(level))
        self._fit()

    def show_skills(self, names: Sequence[str], *, is_offered: bool) -> None:
        """Show the number of active skills, whose names are `names`. The button is hidden unless it `is_offered`."""
        self.skills.setVisible(is_offered)
        count = len(names)
        text = self.tr("Skills: {0} ▾").format(count) if names else self.tr("Skills ▾")
        self.skills.setText(text)
        self.skills.setAccessibleName(self.tr("%Ln active skills", None, count))
        set_plain_tip(self.skills, "\n".join(names))
        self._fit()

    def show_queue(self, count: int, *, folded: bool) -> None:
        """Show the number of queued messages."""
        self._queued = (self.tr("%Ln queued", None, count), f"{count}")
        self.queue.setToolTip(self.tr("Show the queue") if folded else self.tr("Hide the queue"))
        self.queue.setVisible(count > 0)
        self._fit()

    def show_request(self, request: NextRequest) -> None:
        """Show the size of the next request, beside texts that fit at once."""
        self.ring.show_request(request)
        self._fit()

    def show_typed(self, tokens: int) -> None:
        """Show the estimated size of the message in tokens."""
        self._typed.setText(f"≈ {tokens_text(tokens)}" if tokens else "")
        self._fit()

    @property
    def typed(self) -> str:
        """The displayed size of the message."""
        return self._typed.text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose wide or narrow texts for the new width."""
        super().resizeEvent(event)
        self._fit()
        for widget in (self.ring, self._left, self._right, self):
            layout = widget.layout()
            if layout is not None:
                layout.activate()  # Qt could paint the chosen texts in their old places before it lays them out

    def minimumSizeHint(self) -> QSize:
        """Return a small minimum, because the foot can use two lines and narrow texts."""
        return QSize(0, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Fit the texts again when Qt requests a new layout."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        """Choose the widest texts that fit.

        Widths are computed, because trying the texts in widgets would trigger endless layouts.
        """
        room = self.width() - metrics.SPACE[2]
        fitting = next((brief for brief in IN_ONE_LINE if sum(self._needed(brief)) <= room), None)
        direction = QBoxLayout.Direction.TopToBottom if fitting is None else QBoxLayout.Direction.LeftToRight
        if self._rows.direction() != direction:
            self._rows.setDirection(direction)
        if fitting is None:
            left, right = self._needed((False, False))
            fitting = left > room, right > room
        self._set_texts(brief_left=fitting[0], brief_right=fitting[1])

    def _needed(self, brief: tuple[bool, bool]) -> tuple[int, int]:
        """Return the widths of the left and the right part."""
        left, right = brief
        chips = ((self.model, self._model[left]), (self.level, self._level[left]), (self.queue, self._queued[right]))
        model, level, queue = (0 if chip.isHidden() else _width(chip, text) for chip, text in chips)
        skills = 0 if self.skills.isHidden() else self.skills.sizeHint().width()
        link = 0 if self.connect_link.isHidden() else self.connect_link.sizeHint().width()
        stop = 0 if self.stop.isHidden() else self.stop.sizeHint().width()
        typed = 0 if right or not self._typed.text() else self._typed.sizeHint().width()
        ring = self.ring.terse_width if right else self.ring.full_width
        lefts = (self.attach.sizeHint().width(), link, model, level, skills)
        rights = (ring, queue, typed, stop, self.send.sizeHint().width())
        return _sum(lefts), _sum(rights)

    def _set_texts(self, *, brief_left: bool, brief_right: bool) -> None:
        """Set wide or narrow texts; the tooltips contain the complete texts."""
        self.ring.set_terse(on=brief_right)
        typed = bool(self._typed.text()) and not brief_right
        if self._typed.isHidden() == typed:
            self._typed.setVisible(typed)
        words = (self._queued[brief_right], self._model[brief_left], self._level[brief_left])
        for button, text in zip((self.queue, self.model, self.level), words, strict=True):
            if button.text() != literal(text):
                button.setText(literal(text))

    def _lay_out(self) -> None:
        self._left, self._right = QWidget(), QWidget()
        left, right = _row(self._left), _row(self._right)
        for widget in (self.attach, self.connect_link, self.model, self.level, self.skills):
            left.addWidget(widget)
        left.addStretch(1)
        right.addWidget(self.ring)
        right.addWidget(self.queue)
        right.addStretch(1)
        for item in (self._typed, self.stop, self.send):
            right.addWidget(item)
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(metrics.SPACE[2], 0, 0, 0)
        self._rows.setSpacing(metrics.SPACE[3])
        self._rows.addWidget(self._left)
        self._rows.addWidget(self._right, 1)


def _row(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout(widget)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(metrics.SPACE[3])
    return row


def _chip(act: Callable[[], object]) -> QPushButton:
    return push_button("", act, look="chip")


def _width(button: QPushButton, text: str) -> int:
    """Return the button's width with this text."""
    metric = button.fontMetrics()
    shown = metric.size(Qt.TextFlag.TextShowMnemonic, button.text()).width()
    return button.sizeHint().width() + metric.horizontalAdvance(text) - shown


def _sum(widths: Sequence[int]) -> int:
    return sum(width + metrics.SPACE[3] for width in widths if width)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
