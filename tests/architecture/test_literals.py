"""Colours and sizes come from the theme: nothing else in the window writes them down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.architecture.sources import Source, sources

COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(")
SIZES = re.compile(
    r"set(Fixed|Minimum|Maximum)(Width|Height|Size)|set(Contents|Viewport)Margins|setSpacing|(Horizontal|Vertical)Spacing"
    r"|setIconSize|setHandleWidth|setDefaultSectionSize|setPixelSize|setPointSizeF?|setIndent(ation)?|addSpacing|resize"
)
SIZED = {"QSize", "QSizeF", "QMargins", "QMarginsF", "QColor"}
HARMLESS = {-1, 0, 1}  # nothing, everything, a hairline


def outside_theme() -> list[Source]:
    return [source for source in sources("app/stemmata/gui") if "theme" not in source.path.parts]


def texts(source: Source) -> Iterator[ast.Constant]:
    """Return the string literals of a module, without docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def numbers(call: ast.Call) -> Iterator[float]:
    for argument in call.args:
        value = argument.operand if isinstance(argument, ast.UnaryOp) else argument
        if (
            isinstance(value, ast.Constant)
            and isinstance(value.value, int | float)
            and not isinstance(value.value, bool)
        ):
            yield value.value


def test_no_colour_is_written_outside_the_theme() -> None:
    found = [
        f"{source.at(node)} {node.value!r}"
        for source in outside_theme()
        for node in texts(source)
        if COLOUR.search(str(node.value))
    ]
    assert not found


def test_each_painter_is_ended_where_it_is_made() -> None:
    """Who holds the frame of a painting function, such as a traceback or a profiler, would keep its painter alive."""
    found = [
        f"{source.at(node)} {node.name}"
        for source in sources("app/stemmata/gui")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef)
        and re.search(r"= QPainter\(", ast.unparse(node))
        and ".end()" not in ast.unparse(node)
    ]
    assert not found


def test_no_named_colour_is_used_outside_the_theme() -> None:
    found = [
        f"{source.at(node)} {node.attr}"
        for source in outside_theme()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "GlobalColor"
        and node.attr != "transparent"
    ]
    assert not found


def test_no_size_is_written_outside_the_theme() -> None:
    found = []
    for source in outside_theme():
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if (SIZES.fullmatch(name) or name in SIZED) and set(numbers(node)) - HARMLESS:
                found.append(f"{source.at(node)} {name}")
    assert not found
