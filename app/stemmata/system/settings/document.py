"""What a settings file says, section by section: the settings that may be used, and what is wrong with the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.system.settings.list_problems import name_in
from stemmata.system.settings.list_problems import problems_of as list_problems
from stemmata.system.settings.places import Problem
from stemmata.system.settings.schema import LISTS, SCHEMA, SHORTCUTS, setting_of
from stemmata.system.settings.values import Settings


def settings_of(document: Mapping[str, Any]) -> Settings:
    """What the file says, defaults for what it leaves out or says wrongly."""
    settings, valid = Settings(), _valid(document)
    return Settings(
        window=settings.window._replace(**valid.get("window", {})),
        compaction=settings.compaction._replace(**valid.get("compaction", {})),
        chat=settings.chat._replace(**valid.get("chat", {})),
        sources=settings.sources._replace(**valid.get("sources", {})),
        shortcuts=_shortcuts(document),
    )


def problems_of(document: Mapping[str, Any]) -> Iterator[Problem]:
    for section, values in document.items():
        if section in LISTS:
            yield from list_problems(section, values)
            continue
        if not isinstance(values, dict):
            yield Problem((section,), f"“{section}” is not a section")
            continue
        for name, value in values.items():
            setting = setting_of(section, name)
            if setting is None:
                yield Problem((section, name), f"there is no setting “{section}.{name}”")
            elif not setting.accepts(value):
                yield Problem((section, name), f"{setting.key} must be {setting.expected}")
    yield from _unknown_default(document)


def _unknown_default(document: Mapping[str, Any]) -> Iterator[Problem]:
    """A default connection that is not there, or is passed over for what is wrong with it, while there are others."""
    default = settings_of(document).chat.default_connection
    items = document.get("connections")
    if not default or not isinstance(items, list):
        return
    wrong = {problem.path[1] for problem in list_problems("connections", items)}
    names = {name_in(item) for at, item in enumerate(items) if at not in wrong}
    if names and default not in names:
        told = f"chat.default_connection names “{default}”, and there is no such connection"
        yield Problem(("chat", "default_connection"), told)


def _valid(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The values that may be used, by section."""
    valid: dict[str, dict[str, Any]] = {}
    for setting in SCHEMA:
        values = document.get(setting.section)
        if isinstance(values, dict) and setting.accepts(values.get(setting.name)):
            valid.setdefault(setting.section, {})[setting.name] = values[setting.name]
    return valid


def _shortcuts(document: Mapping[str, Any]) -> dict[str, str]:
    values = document.get(SHORTCUTS)
    if not isinstance(values, dict):
        return {}
    return {id: keys for id, keys in values.items() if (known := setting_of(SHORTCUTS, id)) and known.accepts(keys)}
