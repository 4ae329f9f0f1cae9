"""What tools may do without asking, and never may, in the settings file: a list that people edit too.

[[consents]]
origin = "files"              # the server, or "Stemmata" for our own tools
tool = "files__write"         # as the model calls it
folder = "/home/me/project"   # of the sessions it holds for; "" for those without one
answer = "always"             # or "never"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from stemmata.domain.chat.tool_servers import KeptConsent
from stemmata.system.settings.list_items import ItemError, consent_of, consent_table
from stemmata.system.settings.settings import SettingsError, rewrite

SECTION = "consents"


class ConsentsFile:
    """Implements `services.provider_ports.ConsentsFile`. Blocks: not for the GUI thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def consents(self) -> tuple[KeptConsent, ...]:
        """Wrong ones are left out, so that the tool asks; `load` of the settings tells why."""
        try:
            document = tomllib.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return ()
        items = document.get(SECTION)
        return tuple(_good(items if isinstance(items, list) else []))

    def save(self, consent: KeptConsent) -> None:
        """Add it, or replace the answer for its tool and folder. Raises SettingsError, and changes nothing."""

        def change(document: Any) -> None:
            import tomlkit

            _take_out(document, consent)
            items = document.setdefault(SECTION, tomlkit.aot())
            if not isinstance(items, list):
                raise SettingsError(f"{self._path}: “{SECTION}” is not a list. Nothing was changed.")
            table = tomlkit.table()
            table.update(consent_table(consent))
            items.append(table)

        rewrite(self._path, change)

    def remove(self, consent: KeptConsent) -> None:
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


def _good(items: list[Any]) -> Iterator[KeptConsent]:
    for item in items:
        try:
            yield consent_of(item)
        except ItemError:
            continue  # told by `list_problems`
