"""Questions of tools: asked over the transcript of their session, told of elsewhere, answered once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from stemmata.domain.chat.run import Consent, Phase, Question, RunState
from stemmata.gui.core.streams import Streams
from stemmata.gui.core.window_context import Desk
from stemmata.gui.theme.theme import Theme

if TYPE_CHECKING:
    from stemmata.gui.composer.consent_popup import ConsentPopup


class ConsentController(QObject):
    """`host` is the widget that the question stands over."""

    session_wanted = Signal(int)

    def __init__(self, desk: Desk, theme: Theme, streams: Streams, host: QWidget) -> None:
        super().__init__(host)
        self._services, self._opened, self._toast = desk.services, desk.opened, desk.toast
        self._theme, self._host = theme, host
        self._popup: ConsentPopup | None = None
        self._open: list[Question] = []
        streams.asked.connect(self._on_asked)
        streams.state_changed.connect(self._on_state_changed)
        desk.opened.started.connect(self._show)
        desk.actions.on("answer-tool", self.look)

    @property
    def popup(self) -> ConsentPopup:
        if self._popup is None:
            from stemmata.gui.composer.consent_popup import ConsentPopup

            self._popup = ConsentPopup(self._theme, self._host)
            self._popup.answered.connect(self._on_answered)
        return self._popup

    def look(self) -> None:
        """Go to the question by keyboard."""
        self._show()
        self.popup.take_focus()

    def _on_asked(self, question: Question) -> None:
        self._open.append(question)
        if question.session == self._opened.key:
            self._show()
        else:
            told = self.tr("In another session {0} asks before it acts.").format(question.tool)
            self._toast.tell(told, self.tr("Go there"), lambda: self.session_wanted.emit(question.session))

    def _on_state_changed(self, state: RunState) -> None:
        """A run that waits for nobody has no open questions: they were answered elsewhere, or it was stopped."""
        if state.phase is not Phase.ASKING and any(item.session == state.session for item in self._open):
            self._open = [item for item in self._open if item.session != state.session]
            self._show()

    def _show(self) -> None:
        here = [question for question in self._open if question.session == self._opened.key]
        if here or self._popup is not None:
            self.popup.keep(here)
            for question in here:
                self.popup.ask(question)

    def _on_answered(self, question: Question, consent: Consent) -> None:
        self._open = [item for item in self._open if item != question]
        self._services.runs.answer(question, consent)
