"""A long text is given to the clipboard at once, and becomes one of Qt when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from stemmata.gui.widgets.clipboard import LONG, PLAIN, LongCopy, put_on_clipboard, settle_clipboard


@pytest.fixture(autouse=True)
def clipboard(qtbot: QtBot) -> Iterator[None]:
    yield
    QGuiApplication.clipboard().clear()


@pytest.mark.parametrize("text", ["few words", "é𝄞\n" * LONG], ids=["short", "long"])
def test_what_is_copied_is_pasted(text: str) -> None:
    put_on_clipboard(text)
    content = QGuiApplication.clipboard().mimeData()
    assert content.hasText()
    assert content.text() == text
    assert QGuiApplication.clipboard().text() == text
    assert isinstance(content, LongCopy) is (len(text) > LONG)


def test_parts_are_joined_when_they_are_pasted() -> None:
    parts = ("a" * LONG, "b")
    put_on_clipboard(*parts)
    content = QGuiApplication.clipboard().mimeData()
    assert isinstance(content, LongCopy)
    assert "".join(parts) not in content.__dict__.values()
    assert content.text() == "".join(parts)


def test_a_long_text_is_nothing_else() -> None:
    put_on_clipboard("y" * (LONG + 1))
    content = QGuiApplication.clipboard().mimeData()
    assert content.formats() == [PLAIN]
    assert not content.hasHtml()
    assert content.data("image/png").isEmpty()


def test_the_clipboard_keeps_a_long_text_when_the_program_ends() -> None:
    text = "y" * (LONG + 1)
    put_on_clipboard(text)
    settle_clipboard()
    content = QGuiApplication.clipboard().mimeData()
    assert not isinstance(content, LongCopy)
    assert content.text() == text
    settle_clipboard()
    assert QGuiApplication.clipboard().text() == text
