"""Tooltips show text from outside as it is; a line that is cut has all of it in its tooltip."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QEnterEvent, Qt, QTextDocument
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.chat.run import QueuedMessage
from stemmata.domain.entries.blocks import Text
from stemmata.gui.composer.pickers import ComposerFoot, ModelChoice
from stemmata.gui.composer.queue import QueueRowWidget
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import (
    MOST_SHOWN,
    MOST_TIP,
    TIP_LINE,
    ElidedLabel,
    plain_tip,
    set_plain_tip,
    show_plain_tip,
)

TEXT = "A title with <b>marks</b> & signs, longer than there is room for"
HOSTILE = [
    "<img src=x>",
    "<b>bold</b>",
    "a &lt; b && c",
    "/w/<i>/a.py\n<u>second</u>",
    "1 < 2 > 0",
    "<!--",
    "a word, " * 40 + "end",
]
NASTY = ["y" * 10_000_000, "[" * 3_000_000, ("a" + "\u0301" * 100) * 2_000]


@pytest.fixture
def elided(qtbot: QtBot) -> ElidedLabel:
    made = ElidedLabel(TEXT)
    qtbot.addWidget(made)
    return made


def pointed_at(elided: ElidedLabel, width: int) -> str:
    elided.resize(width, 20)
    QApplication.sendEvent(elided, QEnterEvent(QPointF(1, 1), QPointF(1, 1), QPointF(1, 1)))
    return elided.toolTip()


def test_what_is_cut_is_told_as_plain_text(elided: ElidedLabel) -> None:
    assert (
        pointed_at(elided, 80)
        == "<qt>A title with &lt;b&gt;marks&lt;/b&gt; &amp; signs, longer than there is room for</qt>"
    )


def test_what_can_be_read_is_not_told(elided: ElidedLabel) -> None:
    elided.setToolTip("Words of its own")
    assert elided.toolTip() == "Words of its own"
    assert pointed_at(elided, 2000) == ""
    assert pointed_at(elided, 80) == "Words of its own"


def test_of_a_path_that_is_cut_the_end_is_shown(qtbot: QtBot) -> None:
    made = ElidedLabel("src/folders/that/are/long/theme.ts", keeps_end=True)
    qtbot.addWidget(made)
    made.resize(120, 20)
    assert not made.is_whole
    assert made.visible_text.endswith("theme.ts")


@pytest.mark.parametrize("hard", NASTY, ids=["word", "brackets", "marks"])
def test_of_what_nobody_can_read_the_beginning_is_shown(elided: ElidedLabel, hard: str) -> None:
    elided.setText(hard)
    assert elided.text() == hard[: MOST_SHOWN - 1] + "…"
    assert ElidedLabel(hard).text() == elided.text()
    assert len(pointed_at(elided, 80)) <= MOST_SHOWN + len("<qt></qt>")
    set_plain_tip(elided, hard)
    assert len(pointed_at(elided, 80)) <= MOST_TIP + len("<qt></qt>")


# -- text from outside -----------------------------------------------------------------------------------------------


def seen(tip: str) -> str:
    """Return the text that Qt displays for the text of a tooltip."""
    if not Qt.mightBeRichText(tip):
        return tip
    document = QTextDocument()
    document.setHtml(tip)
    return document.toPlainText()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_tooltip_shows_the_text_as_it_is(text: str, qtbot: QtBot) -> None:
    assert seen(plain_tip(text)) == text
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    show_plain_tip(widget.mapToGlobal(QPoint(1, 1)), text, widget)
    assert seen(QToolTip.text()) == text
    QToolTip.hideText()


def test_a_short_text_that_is_no_markup_stays_unchanged() -> None:
    assert plain_tip("anthropic/claude\nsecond line") == "anthropic/claude\nsecond line"
    assert plain_tip("") == ""
    assert plain_tip("y" * (TIP_LINE + 1)).startswith("<qt>")  # so that Qt wraps it


@pytest.mark.parametrize("text", ["<img src=x>", "<b>bold</b>"])
def test_widgets_show_names_and_messages_as_they_are(text: str, theme: Theme, qtbot: QtBot) -> None:
    foot, header, button = ComposerFoot(theme), ColumnHeader(theme, ""), IconButton(theme, "plus", text)
    queued = QueueRowWidget(theme, QueuedMessage(key=1, blocks=(Text(text),), time=0))
    for widget in (foot, header, button, queued):
        qtbot.addWidget(widget)
    foot.show_choice(ModelChoice(connected=True, connection=text, model="m"))
    header.set_title(text)
    [message] = queued.findChildren(ElidedLabel)
    tips = [foot.model.toolTip(), header.title_label.toolTip(), button.toolTip(), message.toolTip()]
    assert [seen(tip) for tip in tips] == [f"{text}/m", text, text, text]
