"""The summary in the workbench.

The digest is written when the cut comes to rest; a model or its provider writes on request.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QPoint, QTimer, Signal

from stemmata.domain.chat.catalogue import cache_effect
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.entries.figures import Figure
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.gui.compaction.alternatives import Alternatives, SummaryText, subject_of
from stemmata.gui.compaction.panel import DIGEST, MODEL, PROVIDER, SummaryTab, WorkbenchPanel
from stemmata.gui.composer.pickers import ModelChoice
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.widgets.context_words import figure_with_noun
from stemmata.gui.widgets.figures import dollars, figure_text, number, tokens_text
from stemmata.services.compaction.model_compaction import ModelRef, writer_of
from stemmata.services.compaction.request import Compaction, CompactionRequest

CENT = 10_000  # one cent in millionths of a dollar; smaller amounts are not displayed
LONGEST_FOCUS = 24  # characters of a focus on its tab
DRAFT_MS = 200  # delay after the last move of the cut, or letter of the summary, before its size is known


class CompactionSummary(QObject):
    """Writes and keeps the summaries of the workbench.

    `request` returns the compaction that would be done now; None when nothing can be compacted.
    """

    drafted = Signal(int)  # estimated tokens of the displayed summary
    model_requested = Signal(QPoint)  # lower left corner of the pop-up to pick a model

    def __init__(
        self, shared: WindowContext, panel: WorkbenchPanel, request: Callable[[], CompactionRequest | None]
    ) -> None:
        super().__init__(panel)
        self._services, self._bridge, self._panel, self._request = shared.services, shared.bridge, panel, request
        self._opened, self._toast = shared.opened, shared.toast
        self._choice = ModelChoice()
        self._picked: ModelRef | None = None
        self._is_open = False
        self._is_branch = False  # whether a branch summary is written
        self._way = DIGEST
        self._refusal = ""  # the reason why the provider does not summarise
        self._alternatives = Alternatives()
        self._shown: int | None = None  # number of the displayed summary
        self._typed: int | None = None  # number of the digest with the focus that is being typed
        self._draft: object | None = None  # identifies the digest that is being written
        self._previous = ""  # the summary of the last compaction, which the new one continues
        self.scaled: Callable[[int], int] = int  # brings estimated tokens to the scale of the context
        self._told_edited = False  # whether the panel was last told that the text is edited
        self._writing: Future[CompactionRequest] | None = None
        self._started = 0.0
        self._run = LatestOnly()  # the current writer
        self._reading = LatestOnly()  # the summary of the last compaction
        self._asking = LatestOnly()  # the question whether the provider summarises
        self._pause = QTimer(self, singleShot=True, interval=DRAFT_MS)
        self._pause.timeout.connect(self.draft)
        self._typing = QTimer(self, singleShot=True, interval=DRAFT_MS)
        # showing the size changes the panel and the preview: too much for a turn that paints the whole window
        self._measuring = SpareTurn(self, TurnClock(self), self._measure_typed)
        self._typing.timeout.connect(self._measuring.start)
        panel.way_chosen.connect(self.use)
        panel.alternative_chosen.connect(self.choose)
        panel.focus.editingFinished.connect(self._end_typing)
        panel.editor.text_changed.connect(self._on_typed)
        panel.writer.write_requested.connect(self.write)
        panel.writer.cancel_requested.connect(self.cancel)
        panel.writer.digest_requested.connect(lambda: self.use(DIGEST))
        panel.writer.model_requested.connect(
            lambda: self.model_requested.emit(panel.writer.model.mapToGlobal(QPoint(0, 0)))
        )

    @property
    def writer(self) -> ModelRef | None:
        """The model picked in the workbench, else the chosen one, else the session's; None when none is connected.

        A provider writes only for the session's own model, since another connection could not use the signed summary.
        """
        own = ModelRef(self._choice.connection, self._choice.model)
        if self._way != PROVIDER:
            if self._picked is not None:
                return self._picked
            session_tree = self._opened.session_tree
            if session_tree is not None:
                own = writer_of(self._services.contexts.summary_model(session_tree.session), own)
        return own if own.model or own.connection != self._choice.connection else None

    def show_effect(self, before: int | None, after: int | None) -> None:
        """Show how compacting from `before` to `after` tokens changes the cost of the session."""
        safe, choice = self.tr("Nothing is deleted. Undo brings the whole context back."), self._choice
        model = self._services.catalogue.find(f"{choice.connection}/{choice.model}") if choice.model else None
        effect = cache_effect(before or 0, after or 0, model)
        if effect is None or effect.each < CENT:
            self._panel.show_note(safe)
            return
        text = self.tr("Breaks the prompt cache once (≈ {once}); then saves ≈ {each} a request")
        self._panel.show_note(text.format(once=dollars(effect.once), each=dollars(effect.each)), safe)

    # -- author -----------------------------------------------------------------------------------------------

    def adopt(self, choice: ModelChoice) -> None:
        """Use the connection and the model of the open session."""
        is_other = (choice.connection, choice.model) != (self._choice.connection, self._choice.model)
        self._choice = choice
        if is_other:
            self._alternatives.drop(PROVIDER)
        way = self._way if choice.connected else DIGEST
        if way != self._way or (is_other and way == PROVIDER):
            self.use(way)
        self._show_writer()
        if is_other and self._is_open:
            self._ask_provider()

    def pick(self, connection: str, model: str) -> None:
        """Use a model for the session's summaries from now on."""
        self._picked = ModelRef(connection, model)
        session_tree = self._opened.session_tree
        if session_tree is not None:
            chosen = self._services.sessions.set_summariser(session_tree.session.key, f"{connection}/{model}")
            told = self.tr("{0} writes the summaries of this session.").format(model)
            self._bridge.when_done(chosen, lambda _done: self._toast.tell(told))
        self._show_writer()
        self.draft()

    def use(self, way: int) -> None:
        """Choose the writer of the summary; the digest is used when the chosen writer is not available."""
        is_edited = self._panel.edited
        self._turn_to(way if self._choice.connected else DIGEST)
        if self._way != DIGEST and not is_edited:
            request = self._request()
            written = None if request is None else self._alternatives.best(self._way, request)
            if written is None:
                self._shown = None
                self._panel.show_text("", "")
            else:
                self._show(written)
        self.draft()

    def choose(self, number: int) -> None:
        """Show one of the written summaries, with its writer and its focus; it is the summary that *Accept* uses."""
        one = self._alternatives.get(number)
        if one is None:
            return
        self._keep_edit()
        self._alternatives.choose(number)
        self._turn_to(one.way)
        self._panel.show_focus(one.request.focus)
        self._show(one)
        self.drafted.emit(one.tokens)
        request = self._request()
        if self._way == DIGEST:
            self._panel.accept.setEnabled(True)
        elif request is not None:
            self._show_state(request)
        self._show_choices()

    def _turn_to(self, way: int) -> None:
        self._way = way
        self._panel.show_way(way)
        self._show_writer()
        self._hang_up()

    def _show(self, one: SummaryText) -> None:
        self._shown = one.number
        self._panel.show_text(one.text, one.note, draft=None if one.edited is None else one.written)

    def _keep_edit(self) -> None:
        """Store the user's edits of the displayed summary."""
        if self._shown is not None:
            self._alternatives.edit(self._shown, self._panel.text)

    def _end_typing(self) -> None:
        self._typed = None

    def _ask_provider(self) -> None:
        """Ask whether the provider can summarise; the choice stays disabled until the answer arrives."""
        if not self._choice.model:
            self._on_refusal(self.tr("No model is chosen. Choose one, so that its provider can summarise."))
            return

        asked = self._services.provider_compaction.refusal(ModelRef(self._choice.connection, self._choice.model))
        failed = partial(_told_of, self._on_refusal)
        self._bridge.when_done(asked, self._on_refusal, failed, run=self._asking)

    def _on_refusal(self, refusal: str) -> None:
        self._refusal = translate_phrase(refusal)
        if refusal and self._way == PROVIDER:
            self.use(DIGEST)
        self._show_writer()

    def _show_writer(self) -> None:
        refusal = self._refusal
        if self._is_branch:
            refusal = self.tr("A provider’s own summary can only replace everything above a cut.")
        self._panel.show_writers(is_connected=self._choice.connected, refusal=refusal)
        self._panel.writer.show_model("" if self.writer is None else self.writer.model or self.writer.connection)

    # -- writing ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin writing summaries, after the workbench opened."""
        self._is_open = True
        self._forget()
        self._picked = None
        self._read_previous()
        self._refusal = self.tr("Checking whether the provider can summarise…")
        self.use(MODEL if self._services.contexts.settings.summariser == "model" else DIGEST)
        if self._choice.connected:
            self._ask_provider()

    def stop(self) -> None:
        """Stop writing and forget the summaries, after the workbench closed."""
        self._is_open = False
        self._pause.stop()
        self._typing.stop()
        self._asking.cancel()
        self._reading.cancel()
        self._hang_up()
        self._forget()

    def _forget(self) -> None:
        self._alternatives, self._shown, self._typed, self._previous = Alternatives(), None, None, ""

    def _read_previous(self) -> None:
        """Read the summary of the last compaction, which the new one continues, to show the difference."""
        session_tree, leaf = self._opened.session_tree, self._opened.leaf
        entry = None if leaf is None else self._opened.context(leaf).projection.compaction_entry
        if session_tree is None or entry is None:
            return
        key = session_tree.tree.key(entry)

        def read(bodies: dict[int, Body]) -> None:
            self._previous = plain_text(bodies[key].blocks) if key in bodies else ""
            self._show_choices()

        self._bridge.when_done(self._services.entries.bodies([key]), read, run=self._reading)

    def rest(self) -> None:
        """Restart the delay after which a draft is written, because the cut moved."""
        self._pause.start()

    def draft(self) -> None:
        """Write the digest. For the other ways, show whether the written summary still fits the cut."""
        request = self._request()
        if request is None or not self._is_open:
            return
        if self._is_branch != (request.from_entry is not None):
            self._is_branch = request.from_entry is not None
            self._turn_to(DIGEST if self._is_branch and self._way == PROVIDER else self._way)
        if self._way == DIGEST:
            self._panel.show_drafting()
            wanted = self._draft = object()
            plain = replace(request, text=None)
            told = self._bridge.latest(partial(self._on_progress, wanted))
            drafted = self._services.compaction.draft(plain, lambda: self._draft is wanted, told)
            self._bridge.when_done(drafted, partial(self._on_drafted, request), run=self._run)
        elif self._writing is None:
            self._show_fitting(request)
            self._show_state(request)
        self._show_choices()

    def write(self) -> None:
        """Ask the model or the provider to write the summary."""
        request, writer = self._request(), self.writer
        if request is None or writer is None or self._way == DIGEST or self._writing is not None:
            return
        services = self._services
        who = services.provider_compaction if self._way == PROVIDER else services.model_compaction
        self._panel.accept.setEnabled(False)
        self._panel.writer.show_writing()
        self._started = time.monotonic()
        self._writing = who.written(request, writer)
        self._bridge.when_done(self._writing, self._on_written, self._on_failed, run=self._run)

    def cancel(self) -> None:
        """Stop the writer. Nothing was stored, and the earlier summary stays displayed."""
        self._hang_up()
        self.draft()

    def ready(self) -> CompactionRequest | None:
        """Return the compaction to store; None while its summary is not written."""
        request = self._request()
        if request is None or self._way == DIGEST:
            return request
        kept = self._alternatives.best(self._way, request)
        written = None if kept is None else kept.request
        if self._panel.edited:
            return replace(request, text=self._panel.text, usage=None if written is None else written.usage)
        if written is None or subject_of(written) != subject_of(request):
            return None
        return replace(request, text=written.text, maker=written.maker, usage=written.usage, signed=written.signed)

    def _hang_up(self) -> None:
        self._run.cancel()
        self._draft = None
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    # -- answers ----------------------------------------------------------------------------------------------

    def _show_fitting(self, request: CompactionRequest) -> None:
        """Show the summary that was written for this cut and focus, if another summary is displayed."""
        one = self._alternatives.best(self._way, request)
        if one is None or subject_of(one.request) != subject_of(request):
            return
        if one.number != self._shown and not self._panel.edited:
            self._show(one)
            self.drafted.emit(one.tokens)

    def _show_state(self, request: CompactionRequest) -> None:
        written, line = self._alternatives.best(self._way, request), self._panel.writer
        self._told_edited = self._panel.edited
        if written is None:
            line.show_waiting()
        elif subject_of(written.request) == subject_of(request):
            line.show_written(self._signature(written))
        else:
            line.show_waiting(again=True)
        self._panel.accept.setEnabled(self.ready() is not None)

    def _on_progress(self, draft: object, percent: int) -> None:
        """Show the finished part of the digest, unless another digest is wanted or this one is complete."""
        if self._draft is draft:
            self._panel.show_progress(percent)

    def _on_drafted(self, request: CompactionRequest, drafted: Compaction) -> None:
        self._draft = None
        text = drafted.summary.text
        size = Figure.estimated(drafted.after.scaled(to_tokens(units(text))))
        note = self.tr("digest · {0}").format(figure_with_noun(size))
        self._drop_half_typed(request.focus)
        one = self._alternatives.add(DIGEST, replace(request, text=text), note)
        self._typed = one.number if self._panel.focus.hasFocus() and request.focus else None
        if self._panel.edited:
            self._panel.show_draft(text, note)  # the edited text stays
            self.drafted.emit(to_tokens(units(self._panel.editor.text)))
        else:
            self._show(one)
            self._panel.accept.setEnabled(True)
            self.drafted.emit(one.tokens)
        self._show_choices()

    def _drop_half_typed(self, focus: str) -> None:
        """Drop the digest that was written while the user was still typing the focus."""
        half = None if self._typed is None else self._alternatives.get(self._typed)
        if half is not None and focus != half.request.focus and focus.startswith(half.request.focus):
            self._alternatives.remove(half.number)

    def _on_written(self, written: CompactionRequest) -> None:
        self._keep_edit()
        self._writing = None
        one = self._alternatives.add(self._way, written, self._note(written))
        self._show(one)
        self.drafted.emit(one.tokens)
        self.draft()

    def _show_choices(self) -> None:
        """Offer the summaries of the present cut, and the summaries with which the displayed one can be compared."""
        request = self._request()
        found = () if request is None else self._alternatives.of(request)
        tabs = [self._tab(at, one) for at, one in enumerate(found, 1)]
        self._panel.alternatives.show_choices(tabs, self._shown)
        versions = [(self.tr("previous summary"), self._previous)] if self._previous else []
        versions += [(tab.text, one.text) for tab, one in zip(tabs, found, strict=True) if one.number != self._shown]
        self._panel.editor.show_versions(versions)

    def _tab(self, at: int, one: SummaryText) -> SummaryTab:
        size = figure_text(Figure.estimated(self.scaled(one.tokens)))
        focus = one.request.focus or self.tr("no focus")
        brief = focus if len(focus) <= LONGEST_FOCUS else f"{focus[: LONGEST_FOCUS - 1]}…"
        return SummaryTab(one.number, f"{number(at)} · {brief} · {size}", f"{focus} · {one.note}")

    def _on_failed(self, error: Exception) -> None:
        self._writing = None
        self._panel.writer.show_problem(translate_phrase(str(error)))
        self._panel.accept.setEnabled(self.ready() is not None)

    def _on_typed(self) -> None:
        """Update the note about the signature and the sizes while the user types."""
        self._typing.start()
        written = None if self._shown is None else self._alternatives.get(self._shown)
        if written is not None and written.request.signed is not None and self._told_edited != self._panel.edited:
            self.draft()

    def _measure_typed(self) -> None:
        if self._is_open and self._panel.edited:
            self.drafted.emit(to_tokens(units(self._panel.editor.text)))

    def _signature(self, written: SummaryText) -> str:
        """Return the note about a signed summary with its reported size; "" for an unsigned summary."""
        signed, usage = written.request.signed, written.request.usage
        if signed is None:
            return ""
        if self._panel.edited:
            return self.tr("Edited: the summary is sent as plain text, without the signature.")
        text = self.tr("Signed by “{0}”.").format(signed.connection)
        if usage is None:
            return text
        took = self.tr("The model read {0} tokens and wrote {1}.")
        return f"{text} {took.format(tokens_text(usage.sent), tokens_text(usage.output))}"

    def _note(self, written: CompactionRequest) -> str:
        """Return `claude-haiku · 3.1 s · $0.01`; with tokens in place of the cost when prices are unknown."""
        usage = written.usage
        took = self.tr("{0} s").format(f"{time.monotonic() - self._started:.1f}")
        spent = ""
        if usage is not None and usage.cost:
            spent = dollars(usage.cost)
        elif usage is not None:
            spent = self.tr("%Ln tokens", None, usage.sent + usage.output)
        return " · ".join(part for part in (written.maker.rpartition("/")[2], took, spent) if part)


def _told_of(tell: Callable[[str], None], error: Exception) -> None:
    tell(str(error))
