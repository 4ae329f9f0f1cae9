"""The scroll bar of the transcript has its own room: it never changes the width of the cards."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.gui.transcript.accessible import TranscriptInterface
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.transcripts import settle
from tests.gui.transcript.conftest import MakeView

HEIGHTS = range(560, 900, 6)  # of the view; the cards fit into the highest only


class Resizes(QObject):
    """Counts how often a widget is resized."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.widths: list[int] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and isinstance(watched, QWidget):
            self.widths.append(watched.width())
        return False


def long_view(make_view: MakeView) -> TranscriptView:
    """Cards about as high as the view: whether they fit depends on their width."""
    said = "Words that wrap at the edge of a card and so have other lines at each width of it. " * 20
    return make_view([Entry(id="a", role=Role.USER, blocks=(Text(said),)),
                      Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(Text(said),))])  # fmt: skip


def test_each_resize_of_the_view_resizes_the_cards_once(make_view: MakeView) -> None:
    view = long_view(make_view)
    settle(view)
    resizes, scrolls = Resizes(view.viewport()), set()
    for height in HEIGHTS:
        view.resize(640, height)
        settle(view)
        scrolls.add(view.verticalScrollBar().maximum() > 0)
    assert scrolls == {True, False}
    assert len(resizes.widths) <= len(HEIGHTS)
    assert len(set(resizes.widths)) == 1


def test_a_bar_that_scrolls_nothing_is_neither_seen_nor_read_aloud(make_view: MakeView) -> None:
    view = long_view(make_view)
    interface = TranscriptInterface(view)
    for height, scrolls in ((HEIGHTS[0], True), (HEIGHTS[-1], False)):
        view.resize(640, height)
        settle(view)
        bar = view.verticalScrollBar()
        assert bar.isEnabled() is scrolls
        assert (bar in interface._parts()) is scrolls
