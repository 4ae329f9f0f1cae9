"""How shares are written: one way, the language's own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

import stemmata.gui
from stemmata.assets import resource
from stemmata.gui.core.language import Language
from stemmata.gui.widgets.figures import change, percent

BY_HAND = re.compile(r"(?:\}|\d) ?%(?!L?n|\d)")


@pytest.mark.usefixtures("qapp")
def test_in_english_the_sign_follows_its_number_at_once() -> None:
    assert [percent(17.4), percent("<1"), percent(100)] == ["17%", "<1%", "100%"]
    assert [change(-30), change(0), change(5)] == ["−30%", "−0%", "+5%"]


def test_in_german_a_space_keeps_them_apart_and_on_one_line(qapp: QApplication) -> None:
    language = Language(qapp, resource("i18n"), "de")
    try:
        assert [percent(17), change(-30)] == ["17\xa0%", "−30\xa0%"]
    finally:
        language.remove()


def test_no_text_of_the_window_writes_the_sign_by_hand() -> None:
    home = Path(stemmata.gui.__file__).parent
    found = [
        f"{path.relative_to(home)}: {text}"
        for path in home.rglob("*.py")
        if path.name != "figures.py"
        for text in _texts(path)
        if BY_HAND.search(text)
    ]
    assert not found


def _texts(path: Path) -> list[str]:
    """The texts that are put together or translated: not style sheets, not the words beside the code."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    beside = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in beside]
    return [node.value for node in texts if isinstance(node.value, str) and "\n" not in node.value]
