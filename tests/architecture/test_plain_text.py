"""Text from outside the program reaches Qt only where Qt shows it as it is.

Tooltips, labels and message boxes show a text as HTML if it looks like HTML. So each of these calls either gets a
text of our own or goes through `stemmata.gui.widgets.labels`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.sources import Source, sources

TIPS = {"setToolTip": 0, "setTabToolTip": 1, "setStatusTip": 0, "setWhatsThis": 0, "showText": 1}  # place of the text
OUR_OWN = {"tr", "plain_tip"}  # functions whose result is a text of ours, or escaped
GUESSING = {"question", "information", "warning", "critical", "about", "getText", "getItem"}  # boxes made in one call
EXEMPT = {
    "stemmata.gui.widgets.labels": "the place where tooltips are escaped",
    "stemmata.gui.context.chart": "a table of figures and of our own words, as HTML",
}


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_ours(node: ast.expr) -> bool:
    """Whether the text is written in the source or escaped."""
    if isinstance(node, ast.IfExp):
        return is_ours(node.body) and is_ours(node.orelse)
    if isinstance(node, ast.Call):
        return name_of(node.func) in OUR_OWN
    return isinstance(node, ast.Constant)


def calls(node: ast.AST) -> Iterator[ast.Call]:
    return (found for found in ast.walk(node) if isinstance(found, ast.Call))


def sets_text_format(node: ast.AST) -> bool:
    return any(name_of(call.func) == "setTextFormat" for call in calls(node))


def is_guessed(call: ast.Call) -> bool:
    name, given = name_of(call.func), call.args
    if name in TIPS:
        return len(given) > TIPS[name] and not is_ours(given[TIPS[name]])
    if name in {"QLabel", "addRow"}:
        return bool(given) and not is_ours(given[0]) and (name == "QLabel" or isinstance(given[0], ast.JoinedStr))
    return name in GUESSING and isinstance(call.func, ast.Attribute) and name_of(call.func.value).startswith("Q")


def guessed(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Return the places where Qt would guess whether a text from outside is HTML."""
    yield from (call for call in calls(tree) if is_guessed(call))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and "QLabel" in map(name_of, node.bases) and not sets_text_format(node):
            yield node
        elif isinstance(node, ast.FunctionDef) and not sets_text_format(node):
            yield from (call for call in calls(node) if name_of(call.func) == "QMessageBox")


@pytest.mark.parametrize(
    "line",
    [
        "self.setToolTip(path)",
        "self.setToolTip(f'{path}')",
        "self.setToolTip(self.tr('In {0}').format(path))",
        "self.setToolTip(path if on else '')",
        "self.writers.setTabToolTip(way, reason)",
        "QToolTip.showText(at, path, self)",
        "QLabel(path)",
        "form.addRow(f'{path}', field)",
        "QMessageBox.question(self, self.tr('Delete'), path)",
        "class Label(QLabel): ...",
        "def ask(self):\n    box = QMessageBox(self)\n    box.setText(path)",
    ],
)
def test_a_text_from_outside_is_found(line: str) -> None:
    assert list(guessed(ast.parse(line)))


@pytest.mark.parametrize(
    "line",
    [
        "self.setToolTip(self.tr('Go on'))",
        "self.setToolTip('' if on else tr('Go on'))",
        "self.setToolTip(plain_tip(path))",
        "set_plain_tip(self, path)",
        "QLabel()",
        "form.addRow(label(path), field)",
        "def ask(self):\n    box = QMessageBox(self)\n    box.setTextFormat(Qt.TextFormat.PlainText)",
    ],
)
def test_a_text_of_ours_is_left_alone(line: str) -> None:
    assert not list(guessed(ast.parse(line)))


def test_qt_never_guesses_whether_a_text_is_html() -> None:
    bad = [source.at(node) for source in _checked() for node in guessed(source.tree)]
    assert not bad


def test_the_exempt_modules_need_it() -> None:
    assert {source.module for source in sources("app/stemmata/gui") if any(guessed(source.tree))} == set(EXEMPT)


def _checked() -> Iterator[Source]:
    return (source for source in sources("app/stemmata/gui") if source.module not in EXEMPT)
