"""Check the lists of the settings file: connections, tool servers, consents, and facts about models.

Loaded only for a file that has such a list, since the first window waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from stemmata.domain.list_items import LISTED, MODELS, ItemError, name_in
from stemmata.system.settings.schema import LISTS
from stemmata.system.settings.toml_positions import Problem


def problems_of(document: Mapping[str, Any], named: Mapping[tuple[str, str], str]) -> Iterator[Problem]:
    """Yield the problems of all lists. `named` has the connections that settings name, by path; "" for none."""
    for section in document:
        if section in LISTS:
            yield from _problems(section, document[section])
    yield from _unknown_connections(document, named)


def _problems(section: str, values: object) -> Iterator[Problem]:
    """Yield the problems of one list section."""
    if section == "models":
        if not isinstance(values, Mapping):
            yield Problem((section,), "“models” is not a section")
            return
        yield from _item_problems(section, values.items(), lambda id: MODELS.read_as(id, values[id]))
        return
    if not isinstance(values, list):
        yield Problem((section,), f"“{section}” is not a list: write [[{section}]]")
        return
    read = LISTED[section].read
    yield from _item_problems(section, enumerate(values), lambda at: read(values[at]))
    names: set[str] = set()
    for at, item in enumerate(values):
        name = name_in(item)
        if name and name in names:
            yield Problem((section, at), f"{section}: the name “{name}” is used more than once")
        names.add(name)


def _item_problems(
    section: str, items: Iterable[tuple[Any, Any]], read: Callable[[Any], object]
) -> Iterator[Problem]:
    """Yield a problem for each invalid item."""
    for at, _item in items:
        try:
            read(at)
        except ItemError as error:
            yield Problem((section, at, error.key) if error.key else (section, at), str(error))


def _unknown_connections(document: Mapping[str, Any], named: Mapping[tuple[str, str], str]) -> Iterator[Problem]:
    """Yield a problem for each setting that names a missing or invalid connection although others are valid."""
    items = document.get("connections")
    if not any(named.values()) or not isinstance(items, list):
        return
    wrong = {problem.path[1] for problem in _problems("connections", items)}
    names = {name_in(item) for at, item in enumerate(items) if at not in wrong}
    for path, name in named.items():
        if names and name and name not in names:
            yield Problem(path, f"{'.'.join(path)} names an unknown connection, “{name}”")
