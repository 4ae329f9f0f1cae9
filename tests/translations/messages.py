"""Every text of the window that is translated, found in the sources, with the context it is looked up in.

`lupdate` takes the class around a text for its context and knows neither the `tr` of a module nor the settings; it
gets what is found here instead.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from stemmata.domain.list_items import CONNECTIONS, MODELS, SERVERS
from stemmata.gui.settings.setting_field import english
from stemmata.system.settings.schema import SCHEMA
from tests.architecture.sources import PACKAGE, Source, sources

GUI = "app/stemmata/gui"
PHRASES = "Phrases"  # the context of what is said below the window
ERRORS = frozenset(
    f"{name}Error"
    for name in (
        "Cancelled", "Conflict", "Known", "NoModel", "NotFound", "NothingToDo", "Provider", "Rounds", "Summary",
        "ToolServer", "UnreadableSource",
    )
)  # fmt: skip
# Where a text that is translated comes from a table whose own texts are found.
TABLES = {
    "core/actions.py", "window/action_table.py", "settings/shortcuts_dialog.py", "settings/keys_dialog.py",
    "settings/setting_field.py", "settings/column_keys.py",
    "settings/item_form.py", "settings/connect_form.py",
    "composer/command_controller.py", "text/phrases.py",
}  # fmt: skip


@dataclass(frozen=True)
class Message:
    """`at` says where it stands, or why it cannot be translated when `context` is empty."""

    context: str
    text: str
    comment: str = ""
    plural: bool = False
    at: str = ""


def messages() -> list[Message]:
    """In the order of the files, each once."""
    found = {(message.context, message.text, message.comment): message for message in _all() if message.context}
    return list(found.values())


def mistakes() -> list[str]:
    """Calls of `tr` that no translation can be found for."""
    return [f"{message.at}: {message.text}" for message in _all() if not message.context]


def _all() -> Iterator[Message]:
    for source in sources(GUI):
        yield from _Reader(source).read()
    yield from phrases()
    yield from settings()
    yield from item_fields()


def phrases() -> Iterator[Message]:
    """What the parts below the window say to people: templates of phrases, and the plain words of known errors."""
    for source in sources("app/stemmata"):
        if source.module.startswith("stemmata.cli"):
            continue  # English in every language
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield from _phrase(source, node, node.func.id)


def _phrase(source: Source, call: ast.Call, name: str) -> Iterator[Message]:
    text = call.args[0] if call.args else None
    words = text.value if isinstance(text, ast.Constant) else None
    if isinstance(words, str):
        has_words = any(character.isalpha() for character in words)
        if has_words and (name in ("Phrase", "template") or name in ERRORS):
            yield Message(PHRASES, words, at=source.at(call))
    elif name == "template":
        yield Message("", "is no plain text", at=source.at(call))


def settings() -> Iterator[Message]:
    """What the settings dialog shows of the schema."""
    for setting in SCHEMA:
        words = [english(setting.section), setting.title, setting.doc, *map(english, setting.choices)]
        yield from (Message("Settings", text, at=f"settings_schema: {setting.key}") for text in words)


def item_fields() -> Iterator[Message]:
    """The texts of the fields of connections, tool servers and models."""
    for kind in (CONNECTIONS, SERVERS, MODELS):
        for row in kind.rows.values():
            for text in (row.title, row.help, row.hint, row.problem, *(title for _value, title in row.choices())):
                if text:
                    yield Message("Fields", text)


class _Reader:
    """Reads one file. `_classes` are those around the place that is being read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._functions, self._modules = _imported(source)
        self._constants = _constants(source)

    def read(self) -> Iterator[Message]:
        waiting: list[tuple[ast.AST, str, str]] = [(self._source.tree, "", "")]  # with class and function around it
        while waiting:
            node, owner, function = waiting.pop()
            if isinstance(node, ast.ClassDef):
                owner = node.name
            elif isinstance(node, ast.FunctionDef):
                function = node.name
            if isinstance(node, ast.Call) and function not in ("tr", "_"):
                yield from self._message(node, owner)
            waiting += [(child, owner, function) for child in reversed([*ast.iter_child_nodes(node)])]

    def _message(self, call: ast.Call, owner: str) -> Iterator[Message]:
        context, arguments = self._context(call, owner)
        if context is None:
            return
        text = arguments[0] if arguments else None
        if not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
            if not any(self._source.path.as_posix().endswith(f"gui/{table}") for table in TABLES):
                yield Message("", "is no plain text", at=self._source.at(call))
            return
        comment = arguments[1].value if len(arguments) > 1 and isinstance(arguments[1], ast.Constant) else None
        plural = len(arguments) > 2
        if ("%n" in text.value or "%Ln" in text.value) != plural:
            yield Message("", f"“{text.value}” has %Ln or a number, not both", at=self._source.at(call))
        yield Message(context, text.value, str(comment or ""), plural, self._source.at(call))

    def _context(self, call: ast.Call, owner: str) -> tuple[str | None, list[ast.expr]]:
        """Where the text is looked up, and the arguments from the text on; None when this translates nothing."""
        called, arguments = call.func, list(call.args)
        if isinstance(called, ast.Name):
            if called.id in ("tr", "_") or called.id in self._functions:
                return self._functions.get(called.id) or _own_context(self._source, called.id), arguments
        elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            name = called.value.id
            if called.attr == "tr":
                return (owner if name == "self" else self._modules.get(name, "")), arguments
            if (name, called.attr) == ("QCoreApplication", "translate"):
                return self._constant(arguments[0]), arguments[1:]
        return None, []

    def _constant(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return str(node.value)
        return self._constants.get(node.id, "") if isinstance(node, ast.Name) else ""


@cache
def _own_context(source: Source, name: str = "tr") -> str:
    """The context in which the function `tr` or `_` that a module defines looks its texts up; "" without one."""
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            calls = (inner for inner in ast.walk(node) if isinstance(inner, ast.Call) and inner.args)
            for call in calls:
                first = call.args[0]
                if isinstance(first, ast.Constant):
                    return str(first.value)
                if isinstance(first, ast.Name) and first.id in _constants(source):
                    return _constants(source)[first.id]
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and any(each.name == "tr" and not each.asname for each in node.names):
            return _context_of(f"{node.module}")  # handed on
    return ""


def _constants(source: Source) -> dict[str, str]:
    return {
        target.id: node.value.value
        for node in source.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _imported(source: Source) -> tuple[dict[str, str], dict[str, str]]:
    """Contexts by the local name of an imported `tr`, and by the local name of a module that has one."""
    functions: dict[str, str] = {}
    modules: dict[str, str] = {}
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("stemmata.gui"):
            continue
        for name in node.names:
            local = name.asname or name.name
            if name.name == "tr":
                functions[local] = _context_of(f"{node.module}")
            elif context := _context_of(f"{node.module}.{name.name}"):
                modules[local] = context
    return functions, modules


def _context_of(module: str) -> str:
    path = PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")
    return _own_context(Source(path)) if path.is_file() else ""
