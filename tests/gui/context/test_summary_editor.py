"""A summary in a narrow column."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QTimer
from pytestqt.qtbot import QtBot

from stemmata.gui.compaction.summary_editor import MOST_RENDERED, SummaryEditor
from stemmata.gui.core import turns
from stemmata.gui.core.turns import BUSY
from stemmata.gui.theme.theme import Theme

LONG = "/home/me/" + "folder-of-a-project/" * 12


@pytest.mark.parametrize(
    "text",
    [
        f"Read {LONG}",
        f"- `{LONG}`",
        f"```\ncd {LONG} && make\n```",
        f"    {LONG} {LONG}",
        f"> {LONG}",
        f"- here:\n\n  ```\n  cd {LONG} && make\n  ```\n",
    ],
    ids=["words", "code in a list", "fenced code", "indented code", "quote", "fenced code in a list"],
)
def test_nothing_is_to_be_scrolled_sideways(theme: Theme, qtbot: QtBot, text: str) -> None:
    editor = SummaryEditor(theme)
    qtbot.addWidget(editor)
    editor.resize(320, 400)
    editor.show()
    editor.set_text(text)
    assert editor.page.horizontalScrollBar().maximum() == 0


def test_a_long_summary_is_rendered_part_by_part(theme: Theme, qtbot: QtBot) -> None:
    text = "".join(f"Paragraph **{at}** of some words.\n\n" for at in range(1_000))
    editor = SummaryEditor(theme)
    qtbot.addWidget(editor)
    editor.show()
    editor.set_text(text)
    assert 0 < len(editor.page.toPlainText()) <= MOST_RENDERED
    qtbot.waitUntil(lambda: "Paragraph 999 of" in editor.page.toPlainText())
    shown = editor.page.toPlainText().split("\n")
    assert [line for line in shown if line] == [f"Paragraph {at} of some words." for at in range(1_000)]
    assert editor.text == text


def test_a_summary_that_would_keep_the_window_waiting_is_not_edited(theme: Theme, qtbot: QtBot) -> None:
    text = "w" * 1_000_000
    editor = SummaryEditor(theme)
    qtbot.addWidget(editor)
    editor.set_text(text)
    assert editor.text == text
    assert editor.source.isReadOnly()
    assert len(editor.source.toPlainText()) < 10_000
    editor.set_text("a short one")
    assert not editor.source.isReadOnly()
    assert editor.text == editor.source.toPlainText() == "a short one"


def test_a_part_of_a_summary_waits_for_a_turn_with_time_left(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was rendered in the turn that laid out the columns: 5 ms more for one turn."""
    time = [100.0]
    monkeypatch.setattr(turns, "thread_time", lambda: time[0])
    editor = SummaryEditor(theme)
    qtbot.addWidget(editor)
    other = QTimer(editor, interval=0)  # stands for other work of each turn
    other.timeout.connect(lambda: time.__setitem__(0, time[0] + 2 * BUSY))
    other.start()
    editor.set_text("".join(f"Paragraph **{at}** of some words.\n\n" for at in range(200)))
    first = editor.page.toPlainText()
    QCoreApplication.processEvents()
    assert editor.page.toPlainText() == first
    other.stop()
    QCoreApplication.processEvents()
    assert len(editor.page.toPlainText()) > len(first)
