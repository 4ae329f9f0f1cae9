"""The settings file as the services see it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stemmata.domain.settings.preferences import Preferred, Value
from stemmata.system.settings.schema import SCHEMA, Setting
from stemmata.system.settings.settings import change, load


class SettingsFile:
    """Implements `services.setting_ports.SettingsFile`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def schema(self) -> Sequence[Setting]:
        return SCHEMA

    def read(self) -> Preferred:
        loaded = load(self._path)
        settings, problem = loaded.settings, loaded.problem
        values = {setting.key: setting.of(settings) for setting in SCHEMA}
        told = "" if problem is None else str(problem)
        return Preferred(values, settings.compaction, settings.shortcuts, told, settings.chat)

    def change(self, key: str, value: Value | None) -> Preferred:
        change(self._path, key, value)
        return self.read()
