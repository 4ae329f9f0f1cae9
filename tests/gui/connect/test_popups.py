"""The small windows of chatting: a model or level is picked, a tool's question is answered."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.chat.run import Consent, Question
from stemmata.gui.composer.consent_popup import MOST_SHOWN, ConsentPopup, readable
from stemmata.gui.composer.model_popup import PickPopup, PickRow
from stemmata.gui.theme.theme import Theme

Key = Qt.Key
ROWS = (
    PickRow("b", "llama3", "—", "Recent", is_current=True), PickRow("a", "claude-haiku", "200k", "Anthropic"),
    PickRow("b", "llama3", "—", "Ollama"), PickRow("c", "qwen3", "41k", "Ollama"),
)  # fmt: skip


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(800, 600)
    host.show()
    return host


# -- picking ------------------------------------------------------------------------------------------------------


def test_the_current_one_is_chosen_and_the_filter_finds_by_word(host: QWidget, theme: Theme) -> None:
    popup = PickPopup(theme, host, "modelPopup")
    picked = list[object]()
    popup.picked.connect(picked.append)
    popup.ask(QPoint(0, 500), ROWS, hint="Filter models")
    assert popup.shown == ["llama3", "claude-haiku", "llama3", "qwen3"]
    QTest.keyClicks(popup.field, "olla qw")
    assert popup.shown == ["qwen3"]
    QTest.keyClick(popup.field, Key.Key_Return)
    assert picked == ["c"]
    assert not popup.isVisible()


def test_arrows_pass_over_headings_and_escape_changes_nothing(host: QWidget, theme: Theme) -> None:
    popup = PickPopup(theme, host, "modelPopup")
    picked = list[object]()
    popup.picked.connect(picked.append)
    popup.ask(QPoint(0, 500), ROWS, hint="Filter models")
    QTest.keyClick(popup.field, Key.Key_Down)
    QTest.keyClick(popup.field, Key.Key_Escape)
    assert picked == []
    popup.ask(QPoint(0, 500), ROWS, hint="Filter models")
    QTest.keyClick(popup.field, Key.Key_Down)
    QTest.keyClick(popup.field, Key.Key_Return)
    assert picked == ["a"]


def test_thousands_of_models_are_cut_and_found(host: QWidget, theme: Theme) -> None:
    popup = PickPopup(theme, host, "modelPopup")
    popup.ask(QPoint(0, 500), [PickRow(at, f"model-{at}") for at in range(5000)], hint="Filter models")
    assert len(popup.shown) == 300
    QTest.keyClicks(popup.field, "4999")
    assert popup.shown == ["model-4999"]


# -- consent ------------------------------------------------------------------------------------------------------


def question(call: str = "c1", arguments: str = '{"path":"a.py","content":"x\\ny"}') -> Question:
    return Question(
        session=1, run=1, call=call, tool="write_file", origin="filesystem", arguments=arguments, folder="/code",
        why="writes",
    )  # fmt: skip


def test_a_question_does_not_take_the_focus_from_who_is_typing(host: QWidget, theme: Theme, qtbot: QtBot) -> None:
    field = QLineEdit(host)
    field.show()
    field.setFocus()
    popup = ConsentPopup(theme, host)
    popup.ask(question())
    assert popup.isVisible()
    assert field.hasFocus()
    assert popup.arguments.toPlainText() == "path: a.py\ncontent: x\ny"


def test_questions_are_answered_one_after_the_other(host: QWidget, theme: Theme) -> None:
    popup = ConsentPopup(theme, host)
    answers = list[tuple[str, Consent]]()
    popup.answered.connect(lambda asked, consent: answers.append((asked.call, consent)))
    for call in ("c1", "c2", "c3"):
        popup.ask(question(call))
    popup.take_focus()
    QTest.keyClick(popup.buttons[Consent.ONCE], Key.Key_Right)
    QTest.keyClick(popup.buttons[Consent.SESSION], Key.Key_Return)
    QTest.keyClick(popup, Key.Key_Escape)
    QTest.mouseClick(popup.buttons[Consent.ALWAYS], Qt.MouseButton.LeftButton)
    assert answers == [("c1", Consent.SESSION), ("c2", Consent.REFUSED), ("c3", Consent.ALWAYS)]
    assert not popup.isVisible()


def test_questions_of_a_run_that_ended_go_away(host: QWidget, theme: Theme) -> None:
    popup = ConsentPopup(theme, host)
    popup.ask(question("c1"))
    popup.ask(question("c2"))
    popup.keep([question("c2")])
    assert [asked.call for asked in popup.questions] == ["c2"]
    popup.keep([])
    assert not popup.isVisible()


@pytest.mark.parametrize("hostile", ["{" * 100_000, "[1]", "not JSON", "\x00"])
def test_arguments_that_are_no_object_are_shown_as_they_are(hostile: str) -> None:
    assert readable(hostile) == hostile[:MOST_SHOWN]


def test_endless_arguments_say_that_they_are_cut() -> None:
    assert readable(json.dumps({"a": "x" * (MOST_SHOWN + 10)})).endswith("(+13)")
