"""Controls the run of the open session: sends, stops, retries and queues, shows its state, and asks for consent."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from stemmata.domain.chat.run import (
    HERE,
    AutoCompacting,
    Consent,
    Here,
    OutgoingMessage,
    Phase,
    Question,
    QueueChanged,
    QueuedMessage,
    RunState,
)
from stemmata.domain.entries.blocks import Text, split_attachments
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.gui.composer.consent_popup import ConsentPopup
from stemmata.gui.composer.words import run_text
from stemmata.gui.core.actions import State
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.streams import Streams
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.widgets.figures import tokens_text
from stemmata.gui.widgets.status import StatusLine

BROKEN = frozenset({Phase.INTERRUPTED, Phase.FAILED})
WAYS_OUT = frozenset({"cut", "exclude", "summarise", "take-back", "digest"})
LIMIT = "chat.max_tokens"


class RunController(QObject):
    """Starts and stops runs of the open session, and shows their state in the composer and the status line.

    Questions of the open session's run are shown in a popup above the transcript.
    """

    refused = Signal(int)  # key of the session whose message was not stored
    session_wanted = Signal(int)  # key of a session whose run waits for consent
    setting_requested = Signal(str)  # key of the setting
    way_out_chosen = Signal(str, object)  # a member of WAYS_OUT, and the key of the entry that is too large

    def __init__(
        self, shared: WindowContext, theme: Theme, streams: Streams, column: TranscriptColumn, status: StatusLine
    ) -> None:
        super().__init__(column)
        self._services, self._bridge, self._actions = shared.services, shared.bridge, shared.actions
        self._opened, self._streams, self._status, self._toast = shared.opened, streams, status, shared.toast
        self._theme, self._popup_host = theme, column.view
        self._column, self._composer = column, column.composer
        self._connection = ""  # name of the connection that the session uses
        self._queue_run = LatestOnly()
        self._queued: tuple[QueuedMessage, ...] = ()
        self._popup: ConsentPopup | None = None
        self._questions: list[Question] = []  # open questions of all sessions
        streams.state_changed.connect(self._on_state_changed)
        streams.queue_changed.connect(self._on_queue_changed)
        streams.asked.connect(self._on_asked)
        streams.compacting.connect(self._on_compacting)
        self._opened.started.connect(self._on_started)
        self._opened.tree_read.connect(self._show)
        self._opened.view_changed.connect(self._show)
        self._connect()

    @property
    def state(self) -> RunState:
        """The state of the open session's run."""
        return self._streams.state(self._opened.key)

    # -- asking -----------------------------------------------------------------------------------------------

    def send(self, message: OutgoingMessage, *, now: bool = False) -> None:
        """Send a message, or queue it during a run; `now` ends the current reply at its next block and sends it."""
        session = self._opened.key
        if session is None:
            return
        busy = self.state.is_busy
        under = self._parent_key()
        if not busy:
            self._opened.follow_leaf()
        opened = self._opened.session
        seen = HERE if opened is None else opened.leaf
        future = self._services.runs.send(session, message, under=under, seen=seen)

        def done(entry: int | None) -> None:
            if entry is None and now:
                self._ask(self._services.runs.send_now(session))

        self._bridge.when_done(future, done, lambda error: self._on_refused(error, session))

    def send_now(self) -> None:
        """Send the text of the composer now; with an empty composer, the first queued message."""
        if self._queued and not self._composer.text.strip():
            self._for_session(self._services.runs.send_now)
        else:
            self._composer.submit(now=True)

    def stop(self) -> None:
        """Stop the run."""
        self._for_session(self._services.runs.stop)

    def go_on(self) -> None:
        """Continue the last reply where it was interrupted."""
        self._opened.follow_leaf()
        self._for_session(self._services.runs.go_on)

    def continue_reply_of(self, entry: int) -> None:
        """Continue this reply (entry key), which was cut off or interrupted."""
        self._opened.follow_leaf()
        self._for_session(lambda session: self._services.runs.go_on(session, entry))

    def retry(self) -> None:
        """Request the reply again, as a sibling of the interrupted one."""
        self._opened.follow_leaf()
        self._for_session(self._services.runs.retry)

    def regenerate(self, entry: int | None) -> None:
        """Request another reply to the turn of this entry (key), as a sibling of the first reply."""
        if entry is not None:
            self._opened.follow_leaf()
            self._for_session(lambda session: self._services.runs.regenerate(session, entry))

    def _parent_key(self) -> int | Here:
        """Return the key of the entry under which a message is sent: the end of the shown path; HERE for the leaf."""
        opened = self._opened
        if opened.session_tree is None or opened.is_at_leaf or opened.end is None:
            return HERE
        return opened.session_tree.tree.key(opened.end)

    def _answer_compaction(self, *, begin: bool) -> None:
        if self._opened.key is not None:
            self._services.runs.answer_compaction(self._opened.key, begin=begin)

    def _for_session(self, act: Callable[[int], Future[Any]]) -> None:
        if self._opened.key is not None:
            self._ask(act(self._opened.key))

    def _ask(self, future: Future[Any]) -> None:
        self._bridge.when_done(future, lambda _done: None)

    def _on_refused(self, error: Exception, session: int) -> None:
        self.refused.emit(session)
        self._bridge.failed.emit(error)

    # -- the queue --------------------------------------------------------------------------------------------

    def _edit_queued(self, key: int, text: str) -> None:
        queued = next((item for item in self._queued if item.key == key), None)
        if queued is not None:
            attached, _said = split_attachments(queued.blocks)
            said = (*attached, Text(text))
            self._for_session(lambda session: self._services.runs.change_queued(session, key, said))

    def _move_queued(self, key: int, position: int) -> None:
        self._for_session(lambda session: self._services.runs.move_queued(session, key, position))

    def _drop_queued(self, key: int) -> None:
        self._for_session(lambda session: self._services.runs.drop_queued(session, key))

    def _send_queued(self, key: int) -> None:
        self._for_session(lambda session: self._services.runs.send_now(session, key))

    # -- showing ----------------------------------------------------------------------------------------------

    def _on_started(self) -> None:
        self._show_queue(())
        self._show()
        session = self._opened.key
        if session is not None:
            self._bridge.when_done(self._services.runs.queued(session), self._show_queue, run=self._queue_run)
        self._show_questions()

    def _on_state_changed(self, state: RunState) -> None:
        if state.session == self._opened.key:
            self._show()
        if state.phase is not Phase.ASKING and any(item.session == state.session for item in self._questions):
            # they were answered in another window, or the run was stopped
            self._questions = [item for item in self._questions if item.session != state.session]
            self._show_questions()

    def _on_compacting(self, compacting: AutoCompacting) -> None:
        if compacting.session == self._opened.key:
            self._show()

    def _on_queue_changed(self, change: QueueChanged) -> None:
        if change.session == self._opened.key:
            self._queue_run.cancel()
            self._show_queue(change.queued)

    def _show_queue(self, queued: tuple[QueuedMessage, ...]) -> None:
        self._queued = queued
        self._composer.show_queue(queued)

    def show_connection(self, name: str) -> None:
        """Show the name of the connection that the session uses, "" for none."""
        self._connection = name
        self._show()

    def show_in(self, column: TranscriptColumn) -> None:
        """Show the run's state in this column from now on."""
        self._column.header.set_mark("")
        self._column = column
        self._show()

    def _show(self) -> None:
        compaction = self._streams.compaction(self._opened.key)
        state = replace(self._state_to_show(), compaction=compaction.stage, compacts_at=compaction.begins_at)
        self._composer.show_run(state)
        self._actions.set_state(State.RUNNING, on=state.is_busy)
        self._actions.set_state(State.BROKEN, on=state.phase in BROKEN or bool(state.offers))
        self._actions.set_state(State.ASKED, on=state.phase is Phase.ASKING)
        is_quiet = state.phase is Phase.IDLE or state.phase in BROKEN
        text = self._connection if is_quiet else run_text(state, time.time_ns())
        self._status.show_run(text, is_calm=state.phase not in BROKEN)
        if not self._composer.isHidden():  # a hidden composer means a previewed compaction, which the header tells
            self._column.header.set_mark(*(("",) if state.is_busy else self._target_texts()), alone=True)

    def _state_to_show(self) -> RunState:
        """Return the state to show: the run's, or without a run, how the reply at the leaf ended."""
        state, opened = self.state, self._opened
        quiet = state.phase is Phase.IDLE and bool(self._connection) and opened.is_at_leaf
        ended = replace(state, problem="", offers=()) if state.phase is Phase.IDLE else state
        if opened.session_tree is None or opened.leaf is None or not (quiet or state.phase is Phase.INTERRUPTED):
            return ended
        tree, leaf = opened.session_tree.tree, opened.leaf
        reply = _above_results(tree, leaf)
        flags = Flag(tree.columns.flags[reply]) if tree.role(reply) is Role.ASSISTANT else Flag(0)
        if flags & Flag.CUT:
            limit = state.problem if state.tip == tree.key(leaf) else ""
            problem = limit or self.tr("The last reply reached its limit of tokens.")
            return replace(state, problem=problem, offers=("continue", "limit"))
        if flags & (Flag.ABORTED | Flag.FAILED):
            problem = self._broken_reply(state, tree.tokens(reply), is_stopped=bool(flags & Flag.ABORTED))
            return replace(state, problem=problem, offers=state.offers or ("continue", "retry"))
        is_coming = state.run and state.tip != tree.key(leaf)
        if not is_coming and _is_unanswered(tree, leaf):
            problem = translate_phrase(ended.problem) or self.tr("The last message has no reply.")
            return replace(ended, problem=problem, offers=("retry",))
        return ended

    def _broken_reply(self, state: RunState, tokens: int, *, is_stopped: bool) -> str:
        """Say why the last reply is not complete, and how many tokens of it are kept."""
        stopped, broke = self.tr("The last reply was stopped."), self.tr("The last reply broke off.")
        problem = translate_phrase(state.problem) or (stopped if is_stopped else broke)
        one, many = self.tr("≈ {0} token of the reply is kept."), self.tr("≈ {0} tokens of the reply are kept.")
        return f"{problem} {(one if tokens == 1 else many).format(tokens_text(tokens))}"

    def _target_texts(self) -> tuple[str, ...]:
        """Say where the next message goes, in three lengths of text; "" for the end of the active branch."""
        opened = self._opened
        if opened.session_tree is None or opened.end is None:
            return ("",)
        if not opened.is_at_leaf:
            long = self.tr("Viewing another branch · messages go here")
            return long, self.tr("Messages go here"), self.tr("Viewing")
        tree = opened.session_tree.tree
        if _children(tree, opened.end):
            return (
                self.tr("The message starts a new branch here"),
                self.tr("Starts a new branch"),
                self.tr("New branch"),
            )
        return ("",)

    # -- consent ----------------------------------------------------------------------------------------------

    @property
    def consent_popup(self) -> ConsentPopup:
        """The popup that shows the questions of the open session's run, created on first use."""
        if self._popup is None:
            self._popup = ConsentPopup(self._theme, self._popup_host)
            self._popup.answered.connect(self._on_answered)
        return self._popup

    def show_question(self) -> None:
        """Show the question of the open session's run and move the keyboard focus to it."""
        self._show_questions()
        self.consent_popup.take_focus()

    def answer_question(self, consent: Consent) -> None:
        """Answer the question of the open session's run that is shown."""
        self.consent_popup.answer(consent)

    def _on_asked(self, question: Question) -> None:
        self._questions.append(question)
        if question.session == self._opened.key:
            self._show_questions()
        else:
            text = self.tr("The tool {0} needs consent in another session.").format(question.tool)
            self._toast.tell(text, self.tr("Show session"), lambda: self.session_wanted.emit(question.session))

    def _show_questions(self) -> None:
        here = [question for question in self._questions if question.session == self._opened.key]
        if here or self._popup is not None:
            self.consent_popup.keep(here)
            for question in here:
                self.consent_popup.ask(question)

    def _on_answered(self, question: Question, consent: Consent) -> None:
        self._questions = [item for item in self._questions if item != question]
        self._services.runs.answer(question, consent)

    # -- wiring -----------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        composer = self._composer
        composer.foot.stop_requested.connect(self.stop)
        composer.editor.stop_requested.connect(self._on_escape)
        composer.run_line.offer_chosen.connect(self._on_offer)
        composer.queue.edited.connect(self._edit_queued)
        composer.queue.move_requested.connect(self._move_queued)
        composer.queue.drop_requested.connect(self._drop_queued)
        composer.queue.send_requested.connect(self._send_queued)

    def _on_escape(self) -> None:
        if self.state.is_busy:
            self.stop()

    def _on_offer(self, offer: str) -> None:
        acts: dict[str, Callable[[], object]] = {
            "cancel": self.stop,
            "answer": self.show_question,
            "continue": self.go_on,
            "retry": self.retry,
            "compact-now": lambda: self._answer_compaction(begin=True),
            "not-now": lambda: self._answer_compaction(begin=False),
        }
        act = acts.get(offer)
        if act is not None:
            act()
        elif offer == "model":
            self._actions["pick-model"].trigger()
        elif offer in WAYS_OUT:
            self.way_out_chosen.emit(offer, self.state.entry)
        elif offer == "limit":
            self.setting_requested.emit(LIMIT)
        elif offer in ("compact", "connect", "settings"):
            self._actions[offer].trigger()


def _is_unanswered(tree: Tree, entry: int) -> bool:
    """Return whether the entry is a prompt or a tool result without a reply."""
    waits = tree.kind(entry) is Kind.MESSAGE and tree.role(entry) in (Role.USER, Role.TOOL_RESULT)
    return waits and not _children(tree, entry)


def _above_results(tree: Tree, entry: int) -> int:
    """Return the reply whose tool results end at this entry; the entry itself when it is no tool result."""
    while tree.role(entry) is Role.TOOL_RESULT and tree.parents[entry] >= 0:
        entry = tree.parents[entry]
    return entry


def _children(tree: Tree, entry: int) -> list[int]:
    """Return the children of the entry, without annotations."""
    return [child for child in tree.children(entry) if not tree.is_annotation(child)]
