"""What is wrong with the lists of the settings file: connections, tool servers, consents, models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from stemmata.system.list_items import ItemError, connection_of, consent_of, model_of, server_of

_READERS: Mapping[str, Callable[[Any], object]] = {
    "connections": connection_of,
    "servers": server_of,
    "consents": consent_of,
}


def problems_of(section: str, values: object) -> Iterator[str]:
    """What is wrong with one of these sections, in words."""
    if section == "models":
        if not isinstance(values, Mapping):
            yield "“models” is not a section"
            return
        yield from _bad(values.items(), lambda item: model_of(*item))
        return
    if not isinstance(values, list):
        yield f"“{section}” is not a list: write [[{section}]]"
        return
    yield from _bad(values, _READERS[section])
    names = [name for item in values if (name := name_in(item))]
    yield from (f"{section}: there is more than one “{name}”" for name in {*names} if names.count(name) > 1)


def _bad(items: Any, read: Callable[[Any], Any]) -> Iterator[str]:
    for item in items:
        try:
            read(item)
        except ItemError as error:
            yield str(error)


def name_in(item: object) -> str:
    name = item.get("name") if isinstance(item, Mapping) else None
    return str(name) if isinstance(name, str) else ""
