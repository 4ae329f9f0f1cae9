"""The open session's streaming replies in the transcript: shown where they will stand, until they stand there."""

from __future__ import annotations

from PySide6.QtCore import QObject

from stemmata.gui.streams import Streams
from stemmata.gui.views.transcript import TranscriptView
from stemmata.gui.windows.open_session import OpenSession


class StreamController(QObject):
    def __init__(self, streams: Streams, opened: OpenSession, view: TranscriptView) -> None:
        super().__init__(view)
        self._streams, self._opened, self._view = streams, opened, view
        streams.grew.connect(self._on_grew)
        opened.started.connect(self._show)
        opened.tree_read.connect(self._on_path_shown)
        opened.looked.connect(self._on_path_shown)

    def _on_grew(self, session: int) -> None:
        if session == self._opened.key:
            self._show()

    def _on_path_shown(self) -> None:
        """Entries that are in the tree now need no card of their own."""
        key, skeleton = self._opened.key, self._opened.skeleton
        if key is not None and skeleton is not None:
            self._streams.forget(key, lambda entry: skeleton.tree.get(entry) is not None)
        self._show()

    def _show(self) -> None:
        self._view.show_replies(self._streams.replies(self._opened.key) if self._is_here() else ())

    def _is_here(self) -> bool:
        """Whether the path that is shown ends where the run goes on; a tip not in the tree yet is about to be."""
        tip, skeleton = self._streams.state(self._opened.key).tip, self._opened.skeleton
        if skeleton is None or tip is None:
            return False
        index = skeleton.tree.get(tip)
        return self._opened.is_at_leaf if index is None else index == self._opened.end
