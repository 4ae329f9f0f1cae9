from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from PySide6.QtGui import QTextCursor, QTextDocument

from stemmata.domain.text.word_diff import word_diff
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece
from stemmata.gui.compare.pieces import START, STOP, marked, prompt_pieces
from stemmata.gui.theme.theme import Theme
from tests.strategies import texts


@pytest.fixture
def style(theme: Theme) -> CardStyle:
    return CardStyle(theme, lambda _digest: None)


def documents(style: CardStyle, text: str, other: str) -> list[QTextDocument]:
    pieces = prompt_pieces(style, text, word_diff(text, other).left, "good")
    return [piece.document for piece in pieces if isinstance(piece, TextPiece)]


def highlighted(document: QTextDocument) -> str:
    """The characters that have a background."""
    out = ""
    cursor = QTextCursor(document)
    for at in range(document.characterCount() - 1):
        cursor.setPosition(at)
        cursor.setPosition(at + 1, QTextCursor.MoveMode.KeepAnchor)
        if cursor.charFormat().background().style().value:
            out += cursor.selectedText()
    return out.replace("\u2029", "|")


def test_words_that_differ_have_a_background(style: CardStyle) -> None:
    [document] = documents(
        style, "Port **the selector**, theming 😀 first.", "Port **the selector**, wrapping it first."
    )
    assert highlighted(document) == "theming"
    assert document.toPlainText() == "Port the selector, theming 😀 first."


def test_marks_reach_into_markup(style: CardStyle) -> None:
    [document] = documents(style, "Use `colour names` and go", "Use `hex values` and go")
    assert highlighted(document) == "colour names"


def test_a_list_stays_a_list(style: CardStyle) -> None:
    [document] = documents(style, "Do\n\n- this one\n- and that\n\nnow", "Do\n\nnow")
    assert document.toPlainText().splitlines()[1:3] == ["this one", "and that"]
    assert highlighted(document) == "|this one|and that"


def test_code_keeps_its_text(style: CardStyle) -> None:
    pieces = prompt_pieces(style, "Run\n\n```sh\nmake all\n```", ((12, 20),), "good")
    assert [piece.actions[0].text for piece in pieces if isinstance(piece, CodePiece)] == ["make all"]


def test_marks_of_a_foreign_text_are_none_of_ours(style: CardStyle) -> None:
    [document] = documents(style, f"odd {START}text{STOP}", "odd text")
    assert START not in document.toPlainText()


def test_nothing_but_punctuation_is_not_marked() -> None:
    assert marked("a -- b", ((2, 4),)) == "a -- b"
    assert marked("a (b) c", ((2, 5),)) == f"a ({START}b{STOP}) c"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(texts(), texts())
def test_no_mark_is_ever_seen(style: CardStyle, text: str, other: str) -> None:
    for document in documents(style, text, other):
        assert not {START, STOP} & set(document.toPlainText())
