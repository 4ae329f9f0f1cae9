"""What is wrong with the lists of the settings file: connections, tool servers, consents, models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from stemmata.system.settings.list_items import ItemError, connection_of, consent_of, model_of, server_of
from stemmata.system.settings.places import Problem

_READERS: Mapping[str, Callable[[Any], object]] = {
    "connections": connection_of,
    "servers": server_of,
    "consents": consent_of,
}


def problems_of(section: str, values: object) -> Iterator[Problem]:
    """What is wrong with one of these sections."""
    if section == "models":
        if not isinstance(values, Mapping):
            yield Problem((section,), "“models” is not a section")
            return
        yield from _bad(section, values.items(), lambda id: model_of(id, values[id]))
        return
    if not isinstance(values, list):
        yield Problem((section,), f"“{section}” is not a list: write [[{section}]]")
        return
    read = _READERS[section]
    yield from _bad(section, enumerate(values), lambda at: read(values[at]))
    names: set[str] = set()
    for at, item in enumerate(values):
        name = name_in(item)
        if name and name in names:
            yield Problem((section, at), f"{section}: there is more than one “{name}”")
        names.add(name)


def _bad(section: str, items: Iterable[tuple[Any, Any]], read: Callable[[Any], object]) -> Iterator[Problem]:
    for at, _item in items:
        try:
            read(at)
        except ItemError as error:
            yield Problem((section, at, error.key) if error.key else (section, at), str(error))


def name_in(item: object) -> str:
    name = item.get("name") if isinstance(item, Mapping) else None
    return str(name) if isinstance(name, str) else ""
