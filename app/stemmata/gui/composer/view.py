"""The composer: message editor, attachments, queue and the state of the run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from stemmata.domain.chat.run import CompactionStage, Phase, QueuedMessage, RunState
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.gui.composer.attachments import AttachedRow, AttachmentRows
from stemmata.gui.composer.editor import MessageEditor
from stemmata.gui.composer.pickers import ComposerFoot, ModelChoice
from stemmata.gui.composer.queue import QueueRows
from stemmata.gui.composer.reset_line import ResetLine
from stemmata.gui.composer.resume_line import ResumeLine
from stemmata.gui.composer.words import offer_text, offers_of, run_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.drop_target import DropTarget
from stemmata.gui.widgets.labels import label, set_plain_tip, set_property
from stemmata.gui.widgets.ring import NextRequest
from stemmata.gui.widgets.surface import set_surface

SECOND_MS = 1000
_ALARMING = frozenset({Phase.INTERRUPTED, Phase.FAILED})


class RunLine(QWidget):
    """One line about the run, with its actions; hidden while there is nothing to report.

    It counts down to a retry and to an automatic compaction.
    """

    offer_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("runLine")
        self._theme = theme
        self._state = RunState(session=0)
        self._text = label("", "small", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.offers: dict[str, QPushButton] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, metrics.SPACE[2])
        self._row.setSpacing(metrics.SPACE[3])
        self._row.addWidget(self._text, 1)
        self._tick = QTimer(self, interval=SECOND_MS)
        self._tick.timeout.connect(self._tell)
        self.hide()

    def show_state(self, state: RunState) -> None:
        """Show the state of the run."""
        before, self._state = self._state, state
        if offers_of(state) != tuple(self.offers):
            self._show_offers(offers_of(state))
        self._tell()
        if (before.session, before.phase, before.compaction) != (state.session, state.phase, state.compaction):
            ended = self.tr("The reply has ended.") if before.is_busy and before.session == state.session else ""
            announce(self, self.text or ended)
        if state.phase is Phase.RETRYING or state.compaction is CompactionStage.AWAITED:
            self._tick.start()
        else:
            self._tick.stop()

    @property
    def text(self) -> str:
        """The displayed text."""
        return self._text.text()

    def _tell(self) -> None:
        text = run_text(self._state, time.time_ns())
        set_property(self._text, "role", "warning" if self._state.phase in _ALARMING else "small")
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def _show_offers(self, offers: tuple[str, ...]) -> None:
        had_focus = any(button.hasFocus() for button in self.offers.values())
        for button in self.offers.values():
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.offers = {offer: self._offer(offer) for offer in offers}
        for button in self.offers.values():
            self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        if had_focus and self.offers:
            next(iter(self.offers.values())).setFocus()

    def _offer(self, offer: str) -> QPushButton:
        return push_button(offer_text(offer), partial(self.offer_chosen.emit, offer), look="link")


class Composer(QWidget):
    """The composer. It keeps one draft per session while the window is open, and emits drafts for storing.

    It sends nothing itself: the receiver of `submitted` sends the message and calls `clear`.
    """

    draft_changed = Signal(int, str)  # session key, text
    submitted = Signal(bool)  # True: send immediately instead of queueing behind the running reply
    held_back = Signal(str)  # reason why the message was not sent

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("composer")
        set_surface(self, "bg", "top")
        self._theme = theme
        self._session: int | None = None
        self._drafts: dict[int, str] = {}
        self._choice, self._state = ModelChoice(), RunState(session=0)
        self._folded = False  # whether the queue is folded
        self._beside = 0  # width of the transcript's scroll bar in pixels
        self._attached: tuple[AttachedRow, ...] = ()
        self.run_line = RunLine(theme)
        self.reset_line = ResetLine()
        self.resume_line = ResumeLine()
        self.queue = QueueRows(theme)
        self.attachments = AttachmentRows(theme)
        self.editor = MessageEditor(theme)
        self.foot = ComposerFoot(theme)
        self._connect()
        self._lay_out()
        self._refresh()
        self.drop_target = DropTarget(theme, self, self.tr("Drop to attach"))
        self.editor.files_dragged.connect(self._on_files_dragged)

    # -- drafts -----------------------------------------------------------------------------------------------

    def open(self, session: int | None) -> None:
        """Show the session's draft."""
        if session is None or session != self._session:  # showing the same session again would move the text cursor
            self._session = session
            self.editor.setPlainText("" if session is None else self._drafts.get(session, ""))
        self.setEnabled(session is not None)

    def hand_over(self, session: int, to: int) -> None:
        """Move the draft of the open session to another one, and open that. The text cursor keeps its place."""
        text, position = self._drafts.get(session, ""), self.editor.textCursor().position()
        self._drafts[to] = text
        self.draft_changed.emit(to, text)
        self.editor.clear()
        self.open(to)
        cursor = self.editor.textCursor()
        cursor.setPosition(position)
        self.editor.setTextCursor(cursor)

    def has_draft(self, session: int) -> bool:
        """Return whether the session's draft is loaded or was edited."""
        return session in self._drafts

    def adopt(self, session: int, text: str) -> None:
        """Load a stored draft, unless the draft was edited meanwhile."""
        if self.has_draft(session):
            return
        self._drafts[session] = text
        if session == self._session and text:
            self.editor.put(text)

    def put(self, text: str) -> None:
        """Replace the text with an earlier prompt, and focus the editor."""
        self.editor.put(text)
        self.editor.setFocus()

    def clear(self) -> None:
        """Clear the text after the message was taken for sending."""
        self.editor.clear()

    @property
    def session(self) -> int | None:
        """The store key of the session, or None."""
        return self._session

    @property
    def text(self) -> str:
        """The text of the message."""
        return self.editor.toPlainText()

    def _on_files_dragged(self, on: bool) -> None:  # noqa: FBT001 - a slot
        if on:
            self.drop_target.appear()
        else:
            self.drop_target.hide()

    # -- display ----------------------------------------------------------------------------------------

    def show_request(self, request: NextRequest) -> None:
        """Show the size of the next request."""
        self.foot.show_request(request)

    def show_choice(self, choice: ModelChoice) -> None:
        """Show the model of the next request."""
        self._choice = choice
        self.foot.show_choice(choice)
        self._refresh()

    def show_run(self, state: RunState) -> None:
        """Show the state of the session's run."""
        self._state = state
        self.run_line.show_state(state)
        self._refresh()

    def show_queue(self, queued: Sequence[QueuedMessage]) -> None:
        """Show the queued messages."""
        if not queued:
            self._folded = False
        focused = self.window().focusWidget()
        row = next((row for row in self.queue.rows if focused in (row, *row.buttons.values())), None)
        at = 0 if row is None else self.queue.rows.index(row)
        self.queue.show_queue(queued)
        if row is not None and row not in self.queue.rows:  # keep the focus in the composer
            left = self.queue.rows if focused is row else []
            (left[min(at, len(left) - 1)] if left else self.editor).setFocus()
        self.queue.setVisible(bool(queued) and not self._folded)
        self.foot.show_queue(len(queued), folded=self._folded)
        self.editor.has_queued = bool(queued)
        self._refresh()

    def show_attachments(self, attached: Sequence[AttachedRow]) -> None:
        """Show the attachments."""
        self._attached = tuple(attached)
        self.attachments.show_attachments(attached)
        self._refresh()

    @property
    def send(self) -> QPushButton:
        """The button Send."""
        return self.foot.send

    # -- acting -----------------------------------------------------------------------------------------------

    def submit(self, *, now: bool = False) -> None:
        """Request to send the message, to connect a model, or to send the first queued message if nothing is written.

        The editor gets the focus, so that further typing cannot trigger shortcuts of another view.
        """
        self.editor.setFocus()
        if self._may_send():
            self.submitted.emit(now)
        elif self._waits():
            self.queue.send_requested.emit(self.queue.queued[0].key)
        elif self._has_message() and not self._choice.connected:
            self.foot.connect_requested.emit()
        elif self._refused():
            self.held_back.emit(self._send_tooltip())

    def _has_message(self) -> bool:
        return bool(self.text.strip() or self._attached) and all(item.is_ready for item in self._attached)

    def _may_send(self) -> bool:
        """Return whether the message can be sent. A command needs no model."""
        is_command = self.text.lstrip().startswith("/")
        can_send = self._choice.connected and not self._refused()
        return self._session is not None and self._has_message() and (can_send or is_command)

    def _refused(self) -> str:
        """Return why the model does not accept an attachment, or ""."""
        return next((item.problem for item in self._attached if item.problem), "")

    def _waits(self) -> bool:
        """Return whether queued messages wait until the user sends them: after a stop they are not sent
        automatically.
        """
        idle = not self._has_message() and not self._state.is_busy
        return idle and bool(self.queue.queued) and self._choice.connected and self._session is not None

    def _refresh(self) -> None:
        """Update the buttons and their tooltips."""
        busy = self._state.is_busy
        self.foot.stop.setVisible(busy)
        self.foot.stop.setEnabled(self._state.phase is not Phase.STOPPING)
        self.foot.send.setText(self.tr("Queue") if busy else self.tr("Send"))
        self.foot.send.setEnabled(self._may_send() or self._waits())
        set_plain_tip(self.foot.send, self._send_tooltip())

    def _send_tooltip(self) -> str:
        if self._may_send():
            return self.tr("Send after the current reply (Enter)") if self._state.is_busy else self.tr("Send (Enter)")
        if self._waits():
            return self.tr("Send the first queued message (Enter)")
        if not self._choice.connected:
            return self.tr("Connect a model to send. Drafts are kept.")
        if self._refused():
            told = self.tr("{0}. Nothing was sent. Remove the marked attachments, or choose another model.")
            return told.format(self._refused())
        if not all(item.is_ready for item in self._attached):
            return self.tr("An attachment is still being read.")
        return self.tr("Write a message first.")

    def _on_text_changed(self) -> None:
        self.foot.show_typed(to_tokens(units(self.text)))
        self._refresh()
        if self._session is not None and self._drafts.get(self._session, "") != self.text:
            self._drafts[self._session] = self.text
            self.draft_changed.emit(self._session, self.text)

    def _on_queue_toggled(self) -> None:
        self._folded = not self._folded
        self.show_queue(self.queue.queued)

    def _edit_last_queued(self) -> None:
        """Edit the last queued message in its row."""
        if self._folded:
            self._on_queue_toggled()
        row = self.queue.rows[-1]
        self.queue.ensureWidgetVisible(row)
        row.edit()

    # -- layout -----------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self.editor.textChanged.connect(self._on_text_changed)
        self.editor.submitted.connect(lambda now: self.submit(now=now))
        self.editor.queued_wanted.connect(self._edit_last_queued)
        self.foot.send_requested.connect(self.submit)
        self.foot.stop_requested.connect(lambda: self.editor.setFocus())  # the button disappears; keep the focus here
        self.foot.queue_toggled.connect(self._on_queue_toggled)

    def _lay_out(self) -> None:
        frame = QFrame()
        frame.setProperty("composer", True)
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(metrics.SPACE[5], metrics.SPACE[3], metrics.SPACE[5], metrics.SPACE[4])
        inner.setSpacing(metrics.SPACE[2])
        for part in (self.queue, self.attachments, self.editor, self.foot):
            inner.addWidget(part)
        column = QVBoxLayout()
        column.setSpacing(metrics.SPACE[2])
        column.addWidget(self.run_line)
        column.addWidget(self.reset_line)
        column.addWidget(self.resume_line)
        column.addWidget(frame)
        self._frame = frame
        self._theme.changed.connect(self._fit)
        self._outer = outer = QHBoxLayout(self)
        self._fit()
        outer.addStretch(0)  # takes only the space beyond the column's maximum width
        outer.addLayout(column, 1)
        outer.addStretch(0)

    def set_beside(self, width: int) -> None:
        """Reserve the width of the transcript's scroll bar, so that the composer aligns with the cards."""
        if width != self._beside:
            self._beside = width
            self._fit()

    def _fit(self) -> None:
        side = self._theme.px(metrics.SPACE[8])  # the margin of the cards
        self._outer.setContentsMargins(side, metrics.SPACE[5], side + self._beside, metrics.SPACE[6])
        width = self._theme.px(metrics.READING_WIDTH)
        self._frame.setMaximumWidth(width)
        self.run_line.setMaximumWidth(width)
        self.reset_line.setMaximumWidth(width)
        self.resume_line.setMaximumWidth(width)


class ComposerPlace(QWidget):
    """A placeholder for the composer on the other side of a split view. A click requests the composer."""

    wanted = Signal()

    def __init__(self, composer: Composer) -> None:
        super().__init__()
        set_surface(self, "bg", "top")
        self._composer = composer
        self.button = push_button(self.tr("Write here"), self.wanted.emit, look="link")
        column = QVBoxLayout(self)
        column.setContentsMargins(metrics.SPACE[5], 0, metrics.SPACE[5], 0)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignCenter)
        composer.installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the composer's height."""
        if event.type() == QEvent.Type.Resize and watched is self._composer:
            self._fit()
        return False

    def _fit(self) -> None:
        self.setFixedHeight(max(self._composer.height(), self.sizeHint().height()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Emit `wanted`, since the user clicked the composer of the side that is not active."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.wanted.emit()
