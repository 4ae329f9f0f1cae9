"""The summary in the workbench.

The digest is written when the cut comes to rest; a model or its provider writes on request.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, QPoint, QTimer, Signal

from stemmata.domain.chat.catalogue import cache_effect
from stemmata.domain.entries.tokens import Figure, to_tokens, units
from stemmata.gui.compaction.panel import DIGEST, MODEL, PROVIDER, WorkbenchPanel
from stemmata.gui.composer.pickers import ModelChoice
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.widgets.context_words import figure_text, tokens_text
from stemmata.gui.widgets.figures import dollars
from stemmata.services.compaction.compaction import Compaction, CompactionRequest
from stemmata.services.compaction.model_compaction import ModelRef, writer_of

CENT = 10_000  # one cent in millionths of a dollar; smaller amounts are not displayed
DRAFT_MS = 200  # delay after the last move of the cut, or letter of the summary, before its size is known

CommandSubject = tuple[int, int | None, str]  # the subject of a summary: session, first kept entry, focus


@dataclass(frozen=True, slots=True)
class SummaryText:
    """A written summary. `note` names its writer, duration and cost."""

    request: CompactionRequest
    note: str


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
        self._way = DIGEST
        self._refusal = ""  # the reason why the provider does not summarise
        self._written: dict[int, SummaryText] = {}  # by way: MODEL, DIGEST or PROVIDER
        self._told_edited = False  # whether the panel was last told that the text is edited
        self._writing: Future[CompactionRequest] | None = None
        self._started = 0.0
        self._run = LatestOnly()  # the current writer
        self._asking = LatestOnly()  # the question whether the provider summarises
        self._pause = QTimer(self, singleShot=True, interval=DRAFT_MS)
        self._pause.timeout.connect(self.draft)
        self._typing = QTimer(self, singleShot=True, interval=DRAFT_MS)
        self._typing.timeout.connect(self._measure_typed)
        panel.way_chosen.connect(self.use)
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

    # -- who writes -------------------------------------------------------------------------------------------

    def adopt(self, choice: ModelChoice) -> None:
        """Adopt the connection and model of the open session."""
        is_other = (choice.connection, choice.model) != (self._choice.connection, self._choice.model)
        self._choice = choice
        if is_other:
            self._written.pop(PROVIDER, None)
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
            chosen = self._services.sessions.summarise_with(session_tree.session.key, f"{connection}/{model}")
            told = self.tr("{0} writes the summaries of this session.").format(model)
            self._bridge.when_done(chosen, lambda _done: self._toast.tell(told))
        self._show_writer()
        self.draft()

    def use(self, way: int) -> None:
        """Choose the way to write; the digest is used when the wanted way is not available."""
        is_edited = self._panel.edited
        self._way = way if self._choice.connected else DIGEST
        self._panel.show_way(self._way)
        self._show_writer()
        self._hang_up()
        if self._way != DIGEST and not is_edited:
            written = self._written.get(self._way)
            self._panel.show_text(*("", "") if written is None else (written.request.text or "", written.note))
        self.draft()

    def _ask_provider(self) -> None:
        """Ask whether the provider can summarise; the choice stays disabled until the answer arrives."""
        if not self._choice.model:
            self._on_refusal(self.tr("No model is chosen."))
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
        self._panel.show_writers(is_connected=self._choice.connected, refusal=self._refusal)
        self._panel.writer.show_model("" if self.writer is None else self.writer.model or self.writer.connection)

    # -- writing ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin writing summaries, after the workbench opened."""
        self._is_open = True
        self._written, self._picked = {}, None
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
        self._hang_up()
        self._written = {}

    def rest(self) -> None:
        """Restart the delay after which a draft is written, because the cut moved."""
        self._pause.start()

    def draft(self) -> None:
        """Write the digest. For the other ways, show whether the written summary still fits the cut."""
        request = self._request()
        if request is None or not self._is_open:
            return
        if self._way == DIGEST:
            self._panel.show_drafting()
            self._bridge.when_done(self._services.compaction.draft(request), self._on_drafted, run=self._run)
        elif self._writing is None:
            self._show_state(request)

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
        kept = self._written.get(self._way)
        written = None if kept is None else kept.request
        if self._panel.edited:
            return replace(request, text=self._panel.text, usage=None if written is None else written.usage)
        if written is None or _subject(written) != _subject(request):
            return None
        return replace(request, text=written.text, maker=written.maker, usage=written.usage, signed=written.signed)

    def _hang_up(self) -> None:
        self._run.cancel()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    # -- answers ----------------------------------------------------------------------------------------------

    def _show_state(self, request: CompactionRequest) -> None:
        written, line = self._written.get(self._way), self._panel.writer
        self._told_edited = self._panel.edited
        if written is None:
            line.show_waiting()
        elif _subject(written.request) == _subject(request):
            line.show_written(self._signature(written))
        else:
            line.show_waiting(again=True)
        self._panel.accept.setEnabled(self.ready() is not None)

    def _on_drafted(self, drafted: Compaction) -> None:
        tokens = to_tokens(units(drafted.summary.text))
        self.drafted.emit(tokens)
        size = figure_text(Figure.estimated(drafted.after.scaled(tokens)))
        self._panel.show_draft(drafted.summary.text, self.tr("digest · {0} tokens").format(size))

    def _on_written(self, written: CompactionRequest) -> None:
        text, note = written.text or "", self._note(written)
        self._writing, self._written[self._way] = None, SummaryText(written, note)
        self.drafted.emit(to_tokens(units(text)))
        self._panel.show_text(text, note)
        self.draft()

    def _on_failed(self, error: Exception) -> None:
        self._writing = None
        self._panel.writer.show_problem(translate_phrase(str(error)))
        self._panel.accept.setEnabled(self.ready() is not None)

    def _on_typed(self) -> None:
        """Update the note about the signature and the sizes while the user types."""
        self._typing.start()
        written = self._written.get(self._way)
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
        took = self.tr("It read {0} tokens and wrote {1}.")
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


def _subject(request: CompactionRequest) -> CommandSubject:
    return request.session, request.first_kept, request.focus
