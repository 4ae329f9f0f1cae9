"""Names say what a thing is, and never hide one of Qt's."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator

from tests.architecture.sources import Source, sources

EMPTY_WORDS = {"util", "utils", "helper", "helpers", "manager", "misc", "common", "base"}


def words(name: str) -> set[str]:
    """The words of a snake_case or CamelCase name, in lower case."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def named(source: Source) -> Iterator[str]:
    yield from source.path.relative_to(source.path.parents[1]).with_suffix("").parts
    yield from (node.name for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))


def test_modules_and_classes_are_named_after_what_they_are() -> None:
    empty = [f"{source}: {name}" for source in sources("app") for name in named(source) if words(name) & EMPTY_WORDS]
    assert not empty


def test_nothing_prints() -> None:
    printing = [
        source.at(node)
        for source in sources("app")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"print", "pprint"}
    ]
    assert not printing


MOST_PRIVATE = 53  # places


def test_tests_of_the_window_use_what_is_public() -> None:
    """Tests use public attributes only. Lower MOST_PRIVATE when a private access is removed."""
    private = [
        source.at(node)
        for source in (*sources("tests/gui"), *sources("tests/journeys"))
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        if not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"})
    ]
    assert len(private) <= MOST_PRIVATE, "\n".join(private)


# -- Qt's names ------------------------------------------------------------------------------------------------------


def qt_classes(source: Source) -> Iterator[tuple[ast.ClassDef, type]]:
    """Yield the classes at the top of the module that inherit from Qt, with their syntax trees."""
    module = importlib.import_module(source.module)
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef):
            cls = getattr(module, node.name)
            if any(base.__module__.startswith("PySide6.") for base in cls.__mro__):
                yield node, cls


def qt_names(cls: type) -> set[str]:
    return {
        name
        for base in cls.__mro__
        if base.__module__.startswith("PySide6.")
        for name in vars(base)
        if not name.startswith("__")
    }


def attributes(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names that the class assigns: `self.x = …` in its methods, and names in its body."""
    for child in ast.walk(node):
        target = child.target if isinstance(child, ast.AnnAssign) else None
        targets = child.targets if isinstance(child, ast.Assign) else [target]
        for item in targets:
            if isinstance(item, ast.Attribute) and isinstance(item.value, ast.Name) and item.value.id == "self":
                yield item.attr
            if isinstance(item, ast.Name) and child in node.body:
                yield item.id


def test_no_attribute_hides_a_method_of_qt() -> None:
    hiding = [
        f"{source}: {cls.__name__}.{name}"
        for source in sources("app/stemmata/gui")
        for node, cls in qt_classes(source)
        for name in attributes(node)
        if name in qt_names(cls)
    ]
    assert not hiding


def test_no_property_or_signal_hides_a_method_of_qt() -> None:
    hiding = [
        f"{source}: {cls.__name__}.{name}"
        for source in sources("app/stemmata/gui")
        for _, cls in qt_classes(source)
        for name, value in vars(cls).items()
        if name in qt_names(cls)
        and not inspect.isroutine(value)
        and not name.startswith("__")
        and name != "staticMetaObject"
    ]
    assert not hiding


def test_no_method_hides_a_method_of_qt() -> None:
    """A name of a single word is written by accident; Qt asks for those listed, and for all of an accessible item."""
    asked_for = {"event", "paint", "flags", "data", "index", "parent", "count", "invalidate", "formats"}
    hiding = [
        f"{source}: {cls.__name__}.{name}"
        for source in sources("app/stemmata/gui")
        for _, cls in qt_classes(source)
        if not any(base.__name__ == "QAccessibleInterface" for base in cls.__mro__)
        for name, value in vars(cls).items()
        if inspect.isroutine(value) and name.islower() and name.isalpha() and name in qt_names(cls) - asked_for
    ]
    assert not hiding
