"""Read and write connections, tool servers, consents and model facts in the settings file, which users edit too.

    [[connections]]                        [[servers]]                    [models."some-model"]
    name = "anthropic"                     name = "files"                 window = 200000
    api = "anthropic"                      command = "mcp-files"          input = 5.0  # dollars per million tokens
    base_url = "https://…"                 args = ["--root", "/tmp"]      output = 25.0

An invalid item is reported and skipped; the other items are used. The file is not changed. API keys are never stored
here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.tool_servers import KeptConsent, ToolServer
from stemmata.domain.list_items import (
    CONNECTIONS,
    CONSENTS,
    LONGEST_NAME,
    MODELS,
    SERVERS,
    ItemError,
    ItemKind,
    name_in,
)
from stemmata.system.settings.settings import SettingsError, rewrite

SECTION = "consents"


class ConsentsFile:
    """Implements `services.ports.providers.ConsentsFile`. Blocks on file access: do not call on the GUI thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def consents(self) -> tuple[KeptConsent, ...]:
        """Return the valid consents.

        Invalid ones are left out, so that the tool asks; loading the settings reports them.
        """
        try:
            document = tomllib.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return ()
        items = document.get(SECTION)
        return tuple(_consents_file_valid_items(items if isinstance(items, list) else []))

    def save(self, consent: KeptConsent) -> None:
        """Add the consent, or replace the consent for its tool and folder.

        Raises SettingsError and changes nothing on failure.
        """

        def change(document: Any) -> None:
            import tomlkit

            _take_out(document, consent)
            items = document.setdefault(SECTION, tomlkit.aot())
            if not isinstance(items, list):
                raise SettingsError(f"{self._path}: “{SECTION}” is not a list. Nothing was changed.")
            table = tomlkit.table()
            table.update(CONSENTS.table(consent))
            items.append(table)

        rewrite(self._path, change)

    def remove(self, consent: KeptConsent) -> None:
        """Delete the consent for this tool and folder, if present."""
        rewrite(self._path, lambda document: _take_out(document, consent))


def _take_out(document: Any, consent: KeptConsent) -> None:
    items = document.get(SECTION)
    if not isinstance(items, list):
        return
    wanted = consent.origin, consent.tool, consent.folder
    for at in reversed(range(len(items))):
        item = items[at]
        if isinstance(item, Mapping) and (item.get("origin"), item.get("tool"), item.get("folder", "")) == wanted:
            del items[at]
    if not items:
        del document[SECTION]


def _consents_file_valid_items(items: list[Any]) -> Iterator[KeptConsent]:
    for item in items:
        try:
            yield CONSENTS.read(item)
        except ItemError:
            continue  # `list_problems` reports the item


Table = dict[str, Any]
T = TypeVar("T")


class ConnectionsFile:
    """Implements `services.ports.providers.ConnectionsFile`. Blocks on file access: do not call on the GUI thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def connections(self) -> tuple[Connection, ...]:
        """Return the valid connections in file order; loading the settings reports the invalid ones."""
        return tuple(_valid_items(_listed(self._document(), "connections"), CONNECTIONS.read))

    def unusable(self) -> dict[str, str]:
        """Return the problem of each invalid connection, by name."""
        found = {}
        for item in _listed(self._document(), "connections"):
            try:
                CONNECTIONS.read(item)
            except ItemError as error:
                found[name_in(item)] = str(error)
        return found

    def servers(self) -> tuple[ToolServer, ...]:
        """Return the valid tool servers in file order."""
        return tuple(_valid_items(_listed(self._document(), "servers"), SERVERS.read))

    def models(self) -> dict[str, Model]:
        """Return the model facts that the user wrote, by model id in lower case."""
        tables = self._document().get("models")
        named = tables.items() if isinstance(tables, Mapping) else ()
        return {model.id: model for model in _valid_items(named, lambda item: MODELS.read_as(*item))}

    def save(self, connection: Connection) -> None:
        """Add the connection, or replace the connection with its name.

        Raises SettingsError and changes nothing for an invalid one.
        """
        self._put(CONNECTIONS, connection)

    def save_server(self, server: ToolServer) -> None:
        """Add the tool server, or replace the tool server with its name. Raises SettingsError like `save`."""
        self._put(SERVERS, server)

    def remove(self, name: str) -> None:
        """Delete the connection, if present."""
        self._take_out("connections", name)

    def remove_server(self, name: str) -> None:
        """Delete the tool server, if present."""
        self._take_out("servers", name)

    def save_model(self, model: Model) -> None:
        """Write the facts of a model; a fact that is None is removed.

        Raises SettingsError and changes nothing on failure.
        """
        facts = MODELS.table(model)
        try:
            if not model.id or len(model.id) > LONGEST_NAME or not model.id.isprintable():
                raise ItemError("models: an item needs the id of a model")
            MODELS.read_as(model.id, {name: value for name, value in facts.items() if value not in ("", [])})
        except ItemError as error:
            raise SettingsError(f"{error}. Nothing was changed.") from None

        def change(document: Any) -> None:
            import tomlkit

            tables = document.setdefault("models", tomlkit.table(is_super_table=True))
            if not isinstance(tables, dict):
                raise SettingsError(f"{self._path}: “models” is not a section. Nothing was changed.")
            _fill(tables.setdefault(_written(tables, model.id), tomlkit.table()), facts)

        rewrite(self._path, change)

    def remove_model(self, id: str) -> None:
        """Delete the facts of a model, if present."""

        def change(document: Any) -> None:
            tables = document.get("models")
            if isinstance(tables, dict):
                tables.pop(_written(tables, id), None)
                if not tables:
                    del document["models"]

        rewrite(self._path, change)

    def _document(self) -> Table:
        try:
            return tomllib.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}  # `load` reports the problem of the file

    def _put(self, kind: ItemKind[T], value: T) -> None:
        section, facts = kind.section, kind.table(value)
        try:
            kind.read(facts)
        except ItemError as error:
            raise SettingsError(f"{error}. Nothing was changed.") from None

        def change(document: Any) -> None:
            import tomlkit

            items = document.setdefault(section, tomlkit.aot())
            if not isinstance(items, list):
                raise SettingsError(f"{self._path}: “{section}” is not a list. Nothing was changed.")
            table = next((item for item in items if name_in(item) == facts["name"]), None)
            if table is None:
                table = tomlkit.table()
                items.append(table)
            _fill(table, facts)

        rewrite(self._path, change)

    def _take_out(self, section: str, name: str) -> None:
        def change(document: Any) -> None:
            items = document.get(section)
            if isinstance(items, list):
                for at in reversed([at for at, item in enumerate(items) if name_in(item) == name]):
                    del items[at]
                if not items:
                    del document[section]

        rewrite(self._path, change)


def _listed(document: Table, section: str) -> Iterator[Any]:
    """Yield the items of a section; of several items with one name, only the first."""
    items, seen = document.get(section), set()
    for item in items if isinstance(items, list) else ():
        if (name := name_in(item)) not in seen:
            seen.add(name)
            yield item


def _valid_items(items: Any, read: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the valid items."""
    for item in items:
        try:
            yield read(item)
        except ItemError:
            continue  # `list_problems` reports the item


def _written(tables: Table, id: str) -> str:
    """Return the id in the letter case that the file uses, since ids do not differ by case alone."""
    return next((str(known) for known in tables if str(known).lower() == id.lower()), id)


def _fill(table: Any, facts: Table) -> None:
    """Set the given keys of a table, removing empty ones; comments and other keys are kept."""
    for name, value in facts.items():
        if value in ("", [], {}):
            table.pop(name, None)
        elif table.get(name) != value:
            table[name] = value
