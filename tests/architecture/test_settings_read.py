"""No setting that nothing reads: the schema is compared with the code outside the rooms of settings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from stemmata.system.settings.schema import SCHEMA, Setting
from tests.architecture.sources import PACKAGE, Source, sources

DECLARED = [PACKAGE / "domain" / "settings", PACKAGE / "system" / "settings"]


def readers() -> Iterator[Source]:
    """The files that may use settings: all but those that declare, read and check them."""
    return (source for source in sources("app") if not any(map(source.path.is_relative_to, DECLARED)))


def last_name(node: ast.expr) -> str:
    """The name that an expression ends with: `settings` of `self._contexts.settings`, `chat` of `options.chat()`."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


@dataclass
class Code:
    """The names and texts that a part of the code reads."""

    attributes: set[tuple[str, str]] = field(default_factory=set)  # last name of the object, and the attribute
    subscripts: set[str] = field(default_factory=set)  # the keys of `values["section.name"]`
    words: set[str] = field(default_factory=set)  # every text

    def add(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                self.attributes.add((last_name(node.value).lstrip("_"), node.attr))
            elif isinstance(node, ast.Subscript) and last_name(node.value) == "values":
                if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                    self.subscripts.add(node.slice.value)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.words.add(node.value)

    def reads(self, section: str, name: str) -> bool:
        """Whether the setting is read from an object that holds its section."""
        holders = {section, "settings"} if section == "compaction" else {section}
        return f"{section}.{name}" in self.subscripts or any((holder, name) in self.attributes for holder in holders)


@pytest.fixture(scope="module")
def code() -> Code:
    """The code of all readers. A fixture, since every test process imports this file, and walking trees is slow."""
    found = Code()
    for source in readers():
        found.add(source.tree)
    return found


@pytest.mark.parametrize("setting", [pytest.param(found, id=found.key) for found in SCHEMA])
def test_every_setting_is_read(setting: Setting, code: Code) -> None:
    assert code.reads(setting.section, setting.name)


CHOICES = [
    pytest.param(setting, choice, id=f"{setting.key}={choice}")
    for setting in SCHEMA
    if setting.section == "compaction"
    for choice in setting.choices
    if choice != setting.default
]


@pytest.mark.parametrize(("setting", "choice"), CHOICES)
def test_every_choice_of_a_compaction_is_compared_with(setting: Setting, choice: str, code: Code) -> None:
    """Only the default may be missing, as the remaining case."""
    assert choice in code.words, setting.key


def test_an_attribute_of_something_else_is_no_reading() -> None:
    code = Code()
    code.add(ast.parse("self.queue.notify()\nsettings.retries\nthis.chat().stall_seconds\npreferred.values['a.b']"))
    assert code.attributes >= {("queue", "notify"), ("settings", "retries"), ("chat", "stall_seconds")}
    assert code.subscripts == {"a.b"}
    assert code.reads("a", "b")
    assert not code.reads("compaction", "nothing")
