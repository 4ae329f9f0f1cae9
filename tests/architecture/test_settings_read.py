"""No setting that nothing reads: the schema is compared with the code outside the rooms of settings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from stemmata.system.settings.schema import SCHEMA, Setting
from tests.architecture.sources import PACKAGE, Source, sources

DECLARED = [PACKAGE / "domain" / "settings", PACKAGE / "system" / "settings"]
UNREAD: dict[str, str] = {}
WITHOUT_EFFECT: dict[str, str] = {}


def readers() -> Iterator[Source]:
    """The files that may use settings: all but those that declare, read and check them."""
    return (source for source in sources("app") if not any(map(source.path.is_relative_to, DECLARED)))


def last_name(node: ast.expr) -> str:
    """The name that an expression ends with: `settings` of `self._contexts.settings`, `chat` of `options.chat()`."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def attributes(trees: list[ast.Module]) -> set[tuple[str, str]]:
    """What is read by attribute: the last name of the object, and the attribute."""
    return {
        (last_name(node.value).lstrip("_"), node.attr)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


def subscripts(trees: list[ast.Module]) -> set[str]:
    """The keys of `values["section.name"]`."""
    return {
        node.slice.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        and last_name(node.value) == "values"
    }


TREES = [source.tree for source in readers()]
ATTRIBUTES, SUBSCRIPTS = attributes(TREES), subscripts(TREES)
WORDS = {
    node.value
    for tree in TREES
    for node in ast.walk(tree)
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
}


def is_read(section: str, name: str) -> bool:
    """Whether code reads the setting from an object that holds its section."""
    holders = {section, "settings"} if section == "compaction" else {section}
    return f"{section}.{name}" in SUBSCRIPTS or any((holder, name) in ATTRIBUTES for holder in holders)


def marked(key: str, missing: dict[str, str]) -> list[pytest.MarkDecorator]:
    """A rule that is not built yet; the mark goes when it is, since it is strict."""
    return [pytest.mark.xfail(strict=True, reason=missing[key])] if key in missing else []


@pytest.mark.parametrize(
    "setting", [pytest.param(found, marks=marked(found.key, UNREAD), id=found.key) for found in SCHEMA]
)
def test_every_setting_is_read(setting: Setting) -> None:
    assert is_read(setting.section, setting.name)


CHOICES = [
    pytest.param(
        setting, choice, marks=marked(f"{setting.key}={choice}", WITHOUT_EFFECT), id=f"{setting.key}={choice}"
    )
    for setting in SCHEMA
    if setting.section == "compaction"
    for choice in setting.choices
    if choice != setting.default
]


@pytest.mark.parametrize(("setting", "choice"), CHOICES)
def test_every_choice_of_a_compaction_is_compared_with(setting: Setting, choice: str) -> None:
    """The default may be what remains when no other choice is meant."""
    assert choice in WORDS, setting.key


def test_an_attribute_of_something_else_is_no_reading() -> None:
    tree = ast.parse("self.queue.notify()\nsettings.retries\nthis.chat().stall_seconds\npreferred.values['a.b']")
    assert attributes([tree]) >= {("queue", "notify"), ("settings", "retries"), ("chat", "stall_seconds")}
    assert subscripts([tree]) == {"a.b"}
    assert not is_read("compaction", "nothing")
