"""Going from prompt to prompt in the transcript."""

from __future__ import annotations

from PySide6.QtCore import QObject

from stemmata.domain.entries import Flag, Kind, Role
from stemmata.gui.views.transcript import TranscriptView
from stemmata.gui.windows.desk import Desk


class PromptController(QObject):
    """Prompts are what the person said; what a tool put into their mouth is passed over."""

    def __init__(self, desk: Desk, view: TranscriptView) -> None:
        super().__init__(view)
        self._opened, self._view = desk.opened, view
        desk.actions.on("previous-prompt", lambda: self.step(-1))
        desk.actions.on("next-prompt", lambda: self.step(1))

    def step(self, by: int) -> None:
        """Bring the next prompt (or the one before) to the upper edge; behind the last one lies the end."""
        skeleton, keys = self._opened.skeleton, self._view.visible_keys
        at = self._view.finding.position(keys[0]) if keys else None
        if skeleton is None or at is None:
            return
        path, columns = self._opened.path, skeleton.tree.columns
        places = range(at + 1, len(path)) if by > 0 else range(at - 1, -1, -1)
        message, user, unseen = int(Kind.MESSAGE), int(Role.USER), int(Flag.HIDDEN | Flag.INJECTED)
        for place in places:
            entry = path[place]
            if columns.kind[entry] == message and columns.role[entry] == user and not columns.flags[entry] & unseen:
                self._view.scroll_to(columns.key[entry])
                break
        if by > 0 and self._view.visible_keys[:1] == keys[:1]:  # the last prompts share the last page
            self._view.scroll_to_end()
