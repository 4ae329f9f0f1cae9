"""Going from prompt to prompt in the transcript."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.gui.core.window_context import Desk
from stemmata.gui.transcript.view import TranscriptView


class PromptController(QObject):
    """Prompts are what the person said; what a tool put into their mouth is passed over."""

    def __init__(self, desk: Desk, active: Callable[[], TranscriptView], parent: QObject) -> None:
        """`active` gives the transcript that shows the open session."""
        super().__init__(parent)
        self._opened, self._active = desk.opened, active

    def step(self, by: int) -> None:
        """Bring the next prompt (or the one before) to the upper edge; behind the last one lies the end."""
        view, skeleton = self._active(), self._opened.skeleton
        keys = view.visible_keys
        at = view.finding.position(keys[0]) if keys else None
        if skeleton is None or at is None:
            return
        path, columns = self._opened.path, skeleton.tree.columns
        places = range(at + 1, len(path)) if by > 0 else range(at - 1, -1, -1)
        message, user, unseen = int(Kind.MESSAGE), int(Role.USER), int(Flag.HIDDEN | Flag.INJECTED)
        for place in places:
            entry = path[place]
            if columns.kind[entry] == message and columns.role[entry] == user and not columns.flags[entry] & unseen:
                view.scroll_to(columns.key[entry])
                break
        if by > 0 and view.visible_keys[:1] == keys[:1]:  # the last prompts share the last page
            view.scroll_to_end()
