"""What the window shows goes through `tr`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.architecture.sources import Source, sources

# Where a text is shown, and the argument it is.
SHOWN = {
    "setText": 0, "setToolTip": 0, "setWindowTitle": 0, "setPlaceholderText": 0, "setAccessibleName": 0,
    "setAccessibleDescription": 0, "setStatusTip": 0, "setInformativeText": 0, "setSpecialValueText": 0,
    "setPrefix": 0, "setSuffix": 0, "setPlainText": 0, "setTitle": 0, "addMenu": 0, "addItem": 0, "addButton": 0,
    "addRow": 0, "label": 0, "push_button": 0, "ElidedLabel": 0, "Fact": 0, "Section": 0, "Word": 0, "Outcome": 0,
    "QLabel": 0, "QPushButton": 0, "QCheckBox": 0, "QRadioButton": 0, "IconButton": 2, "tell": 0, "KnownError": 0,
    "QAction": 0, "announce": 0,
}  # fmt: skip
NAMES = {"Stemmata"}
WORDS = re.compile(r"[A-Za-z]{2}")
MARKUP = re.compile(r"<[^>]*>|&\w+;")


def literals(node: ast.expr) -> Iterator[ast.Constant]:
    """Yield the texts of an expression, also when joined from parts; not those in calls and subscripts."""
    waiting: list[ast.AST] = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            yield item
        elif isinstance(item, ast.JoinedStr | ast.FormattedValue | ast.BinOp | ast.IfExp | ast.BoolOp):
            waiting += [child for child in ast.iter_child_nodes(item) if child is not getattr(item, "test", None)]


def untranslated(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        at = SHOWN.get(name)
        if at is None or len(node.args) <= at:
            continue
        for text in literals(node.args[at]):
            if WORDS.search(MARKUP.sub("", str(text.value))) and text.value not in NAMES:
                yield f"{source.at(node)} {text.value!r}"


def test_nothing_is_shown_that_cannot_be_translated() -> None:
    assert not [found for source in sources("app/stemmata/gui") for found in untranslated(source)]


def test_the_search_finds_what_it_looks_for() -> None:
    import pathlib

    class Written(Source):
        text = 'x.setText(f"{n} lines")\nlabel("Hello" if a == "bb" else b)\nx.setText(self.tr("Hello"))\n'

        def at(self, node: ast.expr | ast.stmt) -> str:
            return str(node.lineno)

    assert sorted(untranslated(Written(pathlib.Path()))) == ["1 ' lines'", "2 'Hello'"]
