"""The summary in the workbench: by the digest as soon as the cut rests, by a model or its provider when asked for."""

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
from stemmata.gui.composer.pickers import Choice
from stemmata.gui.core.bridge import Run
from stemmata.gui.core.window_context import Desk
from stemmata.gui.text.phrases import told
from stemmata.gui.widgets.context_words import figure_text, tokens_text
from stemmata.gui.widgets.figures import dollars
from stemmata.services.compaction.compaction import Compaction, CompactionRequest
from stemmata.services.compaction.model_compaction import Writer

CENT = 10_000  # what costs are kept in; less is not worth a word
DRAFT_MS = 200  # the digest is written once the cut has come to rest

Subject = tuple[int, int | None, str]  # what a summary is of: session, first kept entry, focus


@dataclass(frozen=True, slots=True)
class Written:
    """What one of them wrote. `note` tells who, how long it took and what it cost."""

    request: CompactionRequest
    note: str


class CompactionSummary(QObject):
    """`request` says what would be compacted now, None for nothing."""

    drafted = Signal(int)  # tokens of the summary that is shown now, estimated
    model_requested = Signal(QPoint)  # a model is to be picked, from a list with its lower left corner there

    def __init__(self, desk: Desk, panel: WorkbenchPanel, request: Callable[[], CompactionRequest | None]) -> None:
        super().__init__(panel)
        self._services, self._bridge, self._panel, self._request = desk.services, desk.bridge, panel, request
        self._choice = Choice()
        self._picked: Writer | None = None
        self._is_open = False
        self._way = DIGEST
        self._refusal = ""  # why the provider does not summarise
        self._written: dict[int, Written] = {}  # by who wrote it
        self._told_edited = False  # what was told last of it
        self._writing: Future[CompactionRequest] | None = None
        self._started = 0.0
        self._run = Run()  # of whoever writes
        self._asking = Run()  # whether the provider summarises
        self._pause = QTimer(self, singleShot=True, interval=DRAFT_MS)
        self._pause.timeout.connect(self.draft)
        panel.way_chosen.connect(self.use)
        panel.editor.text_changed.connect(self._on_typed)
        panel.writer.write_requested.connect(self.write)
        panel.writer.cancel_requested.connect(self.cancel)
        panel.writer.digest_requested.connect(lambda: self.use(DIGEST))
        panel.writer.model_requested.connect(
            lambda: self.model_requested.emit(panel.writer.model.mapToGlobal(QPoint(0, 0)))
        )

    @property
    def writer(self) -> Writer | None:
        """The model that was picked here, else the one that answers in the session; None where there is none.

        A provider writes for the session's own model: another connection could not use what it signs.
        """
        if self._way != PROVIDER and (self._picked is not None or not self._choice.model):
            return self._picked
        if not self._choice.model:
            return None

        return Writer(self._choice.connection, self._choice.model)

    def show_effect(self, before: int | None, after: int | None) -> None:
        """What compacting from `before` to `after` tokens means for the costs of the session."""
        safe, choice = self.tr("Nothing is deleted. Undo brings the whole context back."), self._choice
        model = self._services.catalogue.find(f"{choice.connection}/{choice.model}") if choice.model else None
        effect = cache_effect(before or 0, after or 0, model)
        if effect is None or effect.each < CENT:
            self._panel.show_note(safe)
            return
        text = self.tr("Breaks the prompt cache once (≈ {once}); then saves ≈ {each} a request")
        self._panel.show_note(text.format(once=dollars(effect.once), each=dollars(effect.each)), safe)

    # -- who writes -------------------------------------------------------------------------------------------

    def adopt(self, choice: Choice) -> None:
        """What answers in the open session."""
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

        self._picked = Writer(connection, model)
        self._show_writer()
        self.draft()

    def use(self, way: int) -> None:
        """The digest where nobody else can."""
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
        """Whether it summarises; until it is known it is not offered."""
        if not self._choice.model:
            self._on_refusal(self.tr("No model is chosen."))
            return

        asked = self._services.provider_compaction.refusal(Writer(self._choice.connection, self._choice.model))
        failed = partial(_told_of, self._on_refusal)
        self._bridge.when_done(asked, self._on_refusal, failed, run=self._asking)

    def _on_refusal(self, refusal: str) -> None:
        self._refusal = told(refusal)
        if refusal and self._way == PROVIDER:
            self.use(DIGEST)
        self._show_writer()

    def _show_writer(self) -> None:
        self._panel.show_writers(is_connected=self._choice.connected, refusal=self._refusal)
        self._panel.writer.show_model(self.writer.model if self.writer is not None else "")

    # -- writing ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The workbench was opened."""
        self._is_open = True
        self._written = {}
        self._refusal = self.tr("Whether the provider summarises is not known yet.")
        self.use(MODEL if self._services.contexts.settings.summariser == "model" else DIGEST)
        if self._choice.connected:
            self._ask_provider()

    def stop(self) -> None:
        """The workbench is closed: what is being written is for nobody."""
        self._is_open = False
        self._pause.stop()
        self._asking.cancel()
        self._hang_up()
        self._written = {}

    def rest(self) -> None:
        """The cut moves: write once it has come to rest."""
        self._pause.start()

    def draft(self) -> None:
        """Write the digest; with anybody else, say whether what was written still holds."""
        request = self._request()
        if request is None or not self._is_open:
            return
        if self._way == DIGEST:
            self._panel.show_drafting()
            self._bridge.when_done(self._services.compaction.draft(request), self._on_drafted, run=self._run)
        elif self._writing is None:
            self._show_state(request)

    def write(self) -> None:
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
        """Nothing was stored, and what was there before is there still."""
        self._hang_up()
        self.draft()

    def ready(self) -> CompactionRequest | None:
        """What would be stored; None while there is no summary of it by whoever was to write one."""
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
        self._writing, self._written[self._way] = None, Written(written, note)
        self.drafted.emit(to_tokens(units(text)))
        self._panel.show_text(text, note)
        self.draft()

    def _on_failed(self, error: Exception) -> None:
        self._writing = None
        self._panel.writer.show_problem(told(str(error)))
        self._panel.accept.setEnabled(self.ready() is not None)

    def _on_typed(self) -> None:
        """Whether a signature still holds is told while somebody writes."""
        written = self._written.get(self._way)
        if written is not None and written.request.signed is not None and self._told_edited != self._panel.edited:
            self.draft()

    def _signature(self, written: Written) -> str:
        """What a signature means, and what the provider says it took; "" for a summary without one."""
        signed, usage = written.request.signed, written.request.usage
        if signed is None:
            return ""
        if self._panel.edited:
            return self.tr("Edited: it goes as plain text, without the signature.")
        text = self.tr("Signed by “{0}”.").format(signed.connection)
        if usage is None:
            return text
        took = self.tr("It read {0} tokens and wrote {1}.")
        return f"{text} {took.format(tokens_text(usage.sent), tokens_text(usage.output))}"

    def _note(self, written: CompactionRequest) -> str:
        """`claude-haiku · 3.1 s · $0.01`; what it took in tokens where prices are not known."""
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


def _subject(request: CompactionRequest) -> Subject:
    return request.session, request.first_kept, request.focus
