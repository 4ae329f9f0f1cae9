"""The size of the digest that would summarise the offered compaction."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.errors import KnownError
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.services.compaction.request import Compaction, CompactionRequest

MEASURE_MS = 600  # the digest is measured when the session and the offer have not changed for this long
MOST_MEASURED = 100_000  # entries: of a million, the digest takes minutes and reading them more than a gigabyte


class DigestSize(QObject):
    """Measures the digest of the offered compaction, so that the block and the later card show the same figures.

    `wanted` returns the compaction to measure and the number of entries that its digest summarises; None for none.
    """

    measured = Signal()

    def __init__(
        self, shared: WindowContext, wanted: Callable[[], tuple[CompactionRequest, int] | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services, self._bridge, self._attention = shared.services, shared.bridge, shared.attention
        self._wanted = wanted
        self.tokens: int | None = None  # of the last measured digest of the open session
        self._measured_for: object | None = None  # identifies the running measurement; an older measurement ends
        self._run = LatestOnly()
        self._pause = QTimer(self, singleShot=True, interval=MEASURE_MS)
        self._pause.timeout.connect(self._measure)

    def measure_later(self) -> None:
        """Measure when neither the session nor the offer has changed for MEASURE_MS."""
        self._pause.start()

    def stop(self) -> None:
        """End the running measurement."""
        self._pause.stop()
        self._measured_for = None
        self._run.cancel()

    def forget(self) -> None:
        """End the running measurement, and forget the size: another session is opened."""
        self.stop()
        self.tokens = None

    def _measure(self) -> None:
        wanted = self._wanted()
        if wanted is None or wanted[1] > MOST_MEASURED:
            return  # the block keeps the assumed size
        token = self._measured_for = object()
        is_wanted = self._attention.when_free(lambda: self._measured_for is token)
        future = self._services.compaction.draft(wanted[0], is_wanted)

        def measured(made: Compaction) -> None:
            self.tokens = to_tokens(units(made.summary.text))
            self.measured.emit()

        def failed(error: Exception) -> None:
            if not isinstance(error, KnownError):
                self._bridge.failed.emit(error)

        self._bridge.when_done(future, measured, failed, run=self._run)
