"""The summary in the workbench: by the digest as soon as the cut rests, by a model when somebody says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer, Signal

from stemmata.domain.pricing import cache_effect
from stemmata.domain.tokens import Figure, to_tokens, units
from stemmata.gui.bridge import Run
from stemmata.gui.phrases import told
from stemmata.gui.views.composer_pickers import Choice
from stemmata.gui.views.context_words import figure_text
from stemmata.gui.views.workbench_panel import WorkbenchPanel
from stemmata.gui.widgets.figures import dollars
from stemmata.gui.windows.desk import Desk
from stemmata.services.compaction import Compaction, CompactionRequest

if TYPE_CHECKING:
    from stemmata.services.model_compaction import Writer

CENT = 10_000  # what costs are kept in; less is not worth a word
DRAFT_MS = 200  # the digest is written once the cut has come to rest

Subject = tuple[int, int | None, str]  # what a summary is of: session, first kept entry, focus


class CompactionSummary(QObject):
    """`request` says what would be compacted now, None for nothing."""

    drafted = Signal(int)  # tokens of the summary that is shown now, estimated
    model_requested = Signal(QPoint)  # a model is to be picked, from a list with its lower left corner there

    def __init__(self, desk: Desk, panel: WorkbenchPanel, request: Callable[[], CompactionRequest | None]) -> None:
        super().__init__(panel)
        self._services, self._bridge, self._panel, self._request = desk.services, desk.bridge, panel, request
        self._choice = Choice()
        self._picked: Writer | None = None
        self._is_open = self._by_model = False
        self._written: CompactionRequest | None = None  # with what the model wrote
        self._writing: Future[CompactionRequest] | None = None
        self._started = 0.0
        self._run = Run()  # of whoever writes
        self._pause = QTimer(self, singleShot=True, interval=DRAFT_MS)
        self._pause.timeout.connect(self.draft)
        panel.model_chosen.connect(lambda on: self.use_model(on=on))
        panel.writer.write_requested.connect(self.write)
        panel.writer.cancel_requested.connect(self.cancel)
        panel.writer.digest_requested.connect(lambda: self.use_model(on=False))
        panel.writer.model_requested.connect(
            lambda: self.model_requested.emit(panel.writer.model.mapToGlobal(QPoint(0, 0)))
        )

    @property
    def writer(self) -> Writer | None:
        """The model that was picked here, else the one that answers in the session; None where there is none."""
        if self._picked is not None or not self._choice.model:
            return self._picked
        from stemmata.services.model_compaction import Writer

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
        self._choice = choice
        self._show_writer()
        if self._by_model and not choice.connected:
            self.use_model(on=False)

    def pick(self, connection: str, model: str) -> None:
        from stemmata.services.model_compaction import Writer

        self._picked = Writer(connection, model)
        self._show_writer()
        self.draft()

    def use_model(self, *, on: bool) -> None:
        self._by_model = on and self._choice.connected
        self.cancel()
        self._panel.show_by_model(on=self._by_model)
        if self._by_model and not self._panel.edited:
            self._panel.show_text("", "")
        self.draft()

    def _show_writer(self) -> None:
        self._panel.show_writers(is_connected=self._choice.connected)
        self._panel.writer.show_model(self.writer.model if self.writer is not None else "")

    # -- writing ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The workbench was opened."""
        self._is_open = True
        self._written = None
        self._show_writer()
        self.use_model(on=self._services.contexts.settings.summariser == "model")

    def stop(self) -> None:
        """The workbench is closed: what is being written is for nobody."""
        self._is_open = False
        self._pause.stop()
        self._hang_up()
        self._written = None

    def rest(self) -> None:
        """The cut moves: write once it has come to rest."""
        self._pause.start()

    def draft(self) -> None:
        """Write the digest; with a model, say whether what it wrote still holds."""
        request = self._request()
        if request is None or not self._is_open:
            return
        if not self._by_model:
            self._panel.show_drafting()
            self._bridge.when_done(self._services.compaction.draft(request), self._on_drafted, run=self._run)
        elif self._writing is None:
            self._show_state(request)

    def write(self) -> None:
        request, writer = self._request(), self.writer
        if request is None or writer is None or not self._by_model or self._writing is not None:
            return
        self._panel.accept.setEnabled(False)
        self._panel.writer.show_writing()
        self._started = time.monotonic()
        self._writing = self._services.model_compaction.written(request, writer)
        self._bridge.when_done(self._writing, self._on_written, self._on_failed, run=self._run)

    def cancel(self) -> None:
        """Nothing was stored, and what was there before is there still."""
        self._hang_up()
        self.draft()

    def ready(self) -> CompactionRequest | None:
        """What would be stored; None while there is no summary of it by the model that was to write one."""
        request = self._request()
        if request is None or not self._by_model:
            return request
        if self._panel.edited:
            usage = None if self._written is None else self._written.usage
            return replace(request, text=self._panel.text, usage=usage)
        if self._written is None or _subject(self._written) != _subject(request):
            return None
        return replace(request, text=self._written.text, maker=self._written.maker, usage=self._written.usage)

    def _hang_up(self) -> None:
        self._run.cancel()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    # -- answers ----------------------------------------------------------------------------------------------

    def _show_state(self, request: CompactionRequest) -> None:
        written, line = self._written, self._panel.writer
        if written is None:
            line.show_waiting()
        elif _subject(written) == _subject(request):
            line.show_written()
        else:
            line.show_waiting(again=True)
        self._panel.accept.setEnabled(self.ready() is not None)

    def _on_drafted(self, drafted: Compaction) -> None:
        tokens = to_tokens(units(drafted.summary.text))
        self.drafted.emit(tokens)
        size = figure_text(Figure.estimated(drafted.after.scaled(tokens)))
        self._panel.show_draft(drafted.summary.text, self.tr("digest · {0} tokens").format(size))

    def _on_written(self, written: CompactionRequest) -> None:
        self._writing, self._written = None, written
        text = written.text or ""
        self.drafted.emit(to_tokens(units(text)))
        self._panel.show_text(text, self._note(written))
        self.draft()

    def _on_failed(self, error: Exception) -> None:
        self._writing = None
        self._panel.writer.show_problem(told(str(error)))
        self._panel.accept.setEnabled(self.ready() is not None)

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


def _subject(request: CompactionRequest) -> Subject:
    return request.session, request.first_kept, request.focus
