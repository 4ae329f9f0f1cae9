"""Transcripts over entries from memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from PySide6.QtGui import QCursor
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.entry import Entry
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.pages import FakePages
from tests.fakes.transcripts import show_path

MakeView = Callable[..., TranscriptView]


@pytest.fixture
def make_view(theme: Theme, qtbot: QtBot) -> MakeView:
    """A shown view over entries: their tail, and then the path to the last one."""
    owned = []  # qtbot holds widgets weakly: the collector must not delete one that is being painted

    def make(entries: Sequence[Entry], *, whole: bool = True, pages: FakePages | None = None) -> TranscriptView:
        view = TranscriptView(theme, pages or FakePages(entries))
        qtbot.addWidget(view)
        owned.append(view)
        view.resize(640, 600)
        view.move(100, 100)
        QCursor.setPos(0, 0)
        view.show()
        view.show_tail(range(max(len(entries) - 40, 0), len(entries)))
        if whole:
            show_path(view, entries)
        return view

    return make
