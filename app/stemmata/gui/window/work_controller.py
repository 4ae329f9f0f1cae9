"""An import shows in the status line how far it is, wherever its dialog is."""

from __future__ import annotations

from PySide6.QtCore import QObject

from stemmata.gui.importing.controller import ImportController
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.status import StatusLine
from stemmata.services.importing.importing import Progress


class WorkController(QObject):
    def __init__(self, status: StatusLine, importing: ImportController) -> None:
        super().__init__(status)
        self._status, self._importing = status, importing
        importing.started.connect(self._on_started)
        importing.progressed.connect(self._on_progressed)
        importing.ended.connect(lambda: status.work.end())

    def _on_started(self) -> None:
        self._status.work.begin(self.tr("Importing…"), self._importing.cancel)

    def _on_progressed(self, progress: Progress) -> None:
        at = min(progress.done + 1, progress.total)
        text = self.tr("Importing file {0} of {1}").format(number(at), number(progress.total))
        self._status.work.show_progress(text, progress.done, progress.total)
