"""The entries that actions act on: those of the column that was used last."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject

from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.open_session import OpenSession
from stemmata.gui.transcript.view import TranscriptView


class MarkedEntries(QObject):
    """The selected rows of the branches, or the entry under the cursor of the transcript, by their keys.

    `active` returns the transcript that shows the open session. While a newly chosen branch is not shown in the
    transcript yet, the chosen entry counts, and not the entry under the cursor of the old branch.
    """

    def __init__(self, branches: BranchesView, opened: OpenSession, active: Callable[[], TranscriptView]) -> None:
        super().__init__(branches)
        self._branches, self._opened, self._active = branches, opened, active
        self._in_transcript = False  # whether the transcript was used last
        branches.list.installEventFilter(self)

    def watch(self, view: TranscriptView) -> None:
        """Note when a transcript is used."""
        view.focused.connect(self._on_transcript_focused)

    def last(self, act: Callable[[int], object]) -> None:
        """Call `act` with the last entry of the current row, or with the entry under the cursor."""
        key = self.under_cursor
        if key is None:
            self._branches.last(act)
        else:
            act(key)

    def every(self, act: Callable[[list[int]], object]) -> None:
        """Call `act` with the entries that the selected rows show, or with the entry under the cursor."""
        key = self.under_cursor
        if key is None:
            self._branches.every(act)
            return
        self._branches.popup_point = self._active().card_cursor.point()
        act([key])
        self._branches.popup_point = None

    @property
    def under_cursor(self) -> int | None:
        """The entry under the cursor of the transcript; None while the branches were used last."""
        if self._in_transcript and self._opened.is_branch_awaited:
            return self._opened.selection
        key = self._active().focused_entry if self._in_transcript else -1
        return key if key >= 0 else None

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Note when the branches are used."""
        if event.type() == QEvent.Type.FocusIn:
            self._in_transcript = False
        return False

    def _on_transcript_focused(self) -> None:
        self._in_transcript = True
