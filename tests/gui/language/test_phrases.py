"""What the parts below the window say is said in the window's language, where somebody translated it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QTranslator
from pytestqt.qtbot import QtBot

from stemmata.domain.chat.run import Phase, RunState
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase, from_data, to_data
from stemmata.gui.composer.words import run_text
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.toast import Banner
from stemmata.services.chat.run_states import limit_reached
from tests.architecture.sources import sources
from tests.translations.messages import ERRORS, PHRASES, messages

GERMAN = {
    "The reply reached the limit of {0} tokens.": "Die Antwort hat die Grenze von {0} Token erreicht.",
    "A reply is running. Stop it, or wait until it ends.": "Eine Antwort ist unterwegs.",
}


class German(QTranslator):
    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
        return GERMAN.get(text, text) if context == PHRASES else text

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def german(qtbot: QtBot) -> Iterator[None]:
    translator = German()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def test_messages_are_said_in_german(german: None, qtbot: QtBot, theme: Theme) -> None:
    assert translate_phrase(limit_reached(8192)) == "Die Antwort hat die Grenze von 8,192 Token erreicht."
    state = RunState(session=1, phase=Phase.FAILED, problem=limit_reached(10))
    assert run_text(state, 0) == "Die Antwort hat die Grenze von 10 Token erreicht."
    banner = Banner(theme)
    qtbot.addWidget(banner)
    banner.tell_error(KnownError("A reply is running. Stop it, or wait until it ends."))
    assert banner.text == "Eine Antwort ist unterwegs."
    banner.tell_error(KnownError("Nobody translated this."))
    assert banner.text == "Nobody translated this."


def test_translators_find_them() -> None:
    found = {message.text for message in messages() if message.context == PHRASES}
    assert "The reply reached the limit of {0} tokens." in found
    assert "A reply is running. Stop it, or wait until it ends." in found  # the words of an error
    assert "📝 Summary: {0} tokens" in found  # marked as a template
    assert "The disk is full. {0} Free some space and try again." in found


def test_known_errors_of_chatting_can_be_translated() -> None:
    """A text put together from parts would stay English."""
    glued = [
        source.at(node)
        for folder in ("app/stemmata/services", "app/stemmata/domain")
        for source in sources(folder)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ERRORS
        and node.args
        and isinstance(node.args[0], ast.JoinedStr)
    ]
    assert not glued


def test_what_is_kept_of_a_phrase_is_one_again() -> None:
    phrase = Phrase("{0}: {1} of {2}", Phrase("It failed at {0}.", "x"), 12, "y")
    again = from_data(to_data(phrase))
    assert isinstance(again, Phrase)
    assert (again, again.values) == (phrase, phrase.values)
    assert from_data(to_data("plain {0}")) == "plain {0}"
    hostile: list[object] = [None, 5, [], [5], ["{0.__class__}", "x"], ["{0:>99999999}", "x"], ["{3}", "x"]]
    hostile += [["{0}", {}], ["{", "x"], ["{0}", ["{0}"]]]
    assert [from_data(data) for data in hostile] == [""] * len(hostile)


def test_figures_of_a_notice_have_the_decimal_point_of_the_language(qtbot: QtBot) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale("de_DE"))
    try:
        told = Phrase("Compacted ({0} → {1}) by {2}", "105.7k", "≈ 24.8k/272k (9%)", "model-2.5k")
        assert translate_phrase(told) == "Compacted (105,7k → ≈ 24,8k/272k (9%)) by model-2.5k"
    finally:
        QLocale.setDefault(before)
