"""A summary in a narrow column."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from stemmata.gui.compaction.summary_editor import SummaryEditor
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
