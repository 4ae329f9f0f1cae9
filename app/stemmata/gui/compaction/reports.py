"""Reports of compactions that the user asked for."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stemmata.domain.sessions.steps import LIST
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.widgets.figures import figure_text
from stemmata.services.compaction.request import Compaction, CompactionRequest


class CompactionReports(QObject):
    """Reports stored compactions with their sizes and *Undo*, and shows the entry or the session that they made."""

    continued = Signal(int, int)  # keys of a session and of the new session that continues it

    def __init__(self, shared: WindowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._opened, self._history = shared.opened, shared.history

    def report(self, made: Compaction, request: CompactionRequest) -> None:
        """Report the compaction `made` by this request; another session may be open by now."""
        sizes = figure_text(made.before.total), figure_text(made.after.total)
        is_open = self._opened.key == request.session
        if made.session is not None:
            if is_open:
                self.continued.emit(request.session, made.session)
            text = self.tr("Continued in a new session ({0} → {1}). The old session is unchanged.")
            self._history.tell(text.format(*sizes), LIST)
            return
        if request.from_entry is not None:
            if is_open:
                self._opened.arrive_at(made.entry)
            text = self.tr("Summarised {0} → {1}. The branch is kept beside its summary.")
        else:
            text = self.tr("Compacted {0} → {1}. The whole branch is kept.")
        self._history.tell(text.format(*sizes), request.session)
