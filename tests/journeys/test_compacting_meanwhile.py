"""A session is compacted in the background while somebody reads it and writes: the window answers all the time."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stemmata.bootstrap.window import SWITCH_INTERVAL, USUAL_SWITCH_INTERVAL
from stemmata.domain.compaction.digest.digest import DigestSummariser
from stemmata.domain.compaction.summary.summary import Summary, SummaryInput
from stemmata.domain.entries.entry import Kind
from stemmata.services.compaction.request import CompactionRequest
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person
from tests.journeys.test_reading_meanwhile import LONGEST_WAIT, HeartBeat, _scroll

TIMES = 20  # the transcript is scrolled while the summary is made


class Laborious(DigestSummariser):
    """Makes the digest again and again until it may end, to be as busy as with a huge session."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_end = Event(), Event()

    def summarise(self, given: SummaryInput) -> Summary:
        while True:
            summary = super().summarise(given)
            self.begun.set()
            if self.may_end.is_set():
                return summary


def test_the_window_answers_while_a_session_is_compacted(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    window, services = person.window, person.application.services
    view, editor = window.transcript.view, window.transcript.composer.editor
    window.resize(1024, 700)
    window.activateWindow()
    person.until(lambda: window.branches.outline is not None)
    view.scroll_to(person.key("usr00003"))
    session, leaf, count = person.gui.opened.key, person.leaf, len(person.tree)
    assert session is not None
    assert leaf is not None
    laborious = Laborious()
    services.compaction.drafting.summariser = laborious
    request = CompactionRequest(session=session, leaf=leaf, keep_recent_tokens=100)
    done = services.compaction.run(request)
    try:
        person.until(laborious.begun.is_set)
        beat = HeartBeat()
        for at in range(TIMES):
            _scroll(person, "keyboard", down=at % 2 == 0)
            QApplication.processEvents()
        editor.setFocus()
        QTest.keyClicks(editor, "What about the tests?")
        QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        person.until(lambda: bool(window.palette_box.rows))
        QTest.keyClick(window.palette_box.field, Qt.Key.Key_Escape)
        longest = beat.stop()
        assert not done.done()
        assert len(person.tree) == count
    finally:
        laborious.may_end.set()
    done.result(PATIENCE)
    person.until(lambda: person.leaf != leaf)
    assert [*person.tree.of_kind(Kind.COMPACTION)] == [count]
    assert editor.toPlainText() == "What about the tests?"
    assert longest < LONGEST_WAIT, f"the window was busy for {longest * 1000:.0f} ms"


def test_busy_threads_give_way_soon_only_while_there_is_a_window(person: Person) -> None:
    assert sys.getswitchinterval() == SWITCH_INTERVAL
    person.application.close()
    assert sys.getswitchinterval() == USUAL_SWITCH_INTERVAL
