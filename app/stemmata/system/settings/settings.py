"""Read and write the settings file: TOML that users edit. Invalid values are reported and never overwritten."""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from stemmata.domain.errors import KnownError
from stemmata.domain.settings.settings import Preferred, Value
from stemmata.system.settings.schema import LISTS, SCHEMA, SHORTCUTS, Setting, Settings, setting_of
from stemmata.system.settings.toml_positions import Problem, position_of, with_positions


def settings_of(document: Mapping[str, Any]) -> Settings:
    """Return the settings in the document, with defaults for missing and invalid values."""
    settings, valid = Settings(), _valid(document)
    return Settings(
        window=settings.window._replace(**valid.get("window", {})),
        compaction=settings.compaction._replace(**valid.get("compaction", {})),
        chat=settings.chat._replace(**valid.get("chat", {})),
        search=settings.search._replace(**valid.get("search", {})),
        sources=settings.sources._replace(**valid.get("sources", {})),
        shortcuts=_shortcuts(document),
    )


def problems_of(document: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of every section."""
    for section, values in document.items():
        if section in LISTS:
            continue
        if not isinstance(values, dict):
            yield Problem((section,), f"“{section}” is not a section")
            continue
        for name, value in values.items():
            setting = setting_of(section, name)
            if setting is None:
                yield Problem((section, name), f"unknown setting “{section}.{name}”")
            elif not setting.accepts(value):
                yield Problem((section, name), f"{setting.key} must be {setting.expected}")
    if LISTS & document.keys():
        from stemmata.system.settings import list_problems  # a door

        settings = settings_of(document)
        named = {
            ("chat", "default_connection"): settings.chat.default_connection,
            ("compaction", "connection"): settings.compaction.connection,
        }
        yield from list_problems.problems_of(document, named)


def _valid(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the valid values by section."""
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


DEFAULT_CONNECTION_PATHS = (("chat",), ("chat", "default_connection"))  # the paths that select the default connection


class SettingsError(KnownError):
    """The settings file, or a value for it, is invalid."""


class LoadedSettings(NamedTuple):
    """Usable settings, with the problem of values that were ignored, or None.

    `hides_connections`: connections, or the choice of the default one, may be among the ignored values.
    """

    settings: Settings
    problem: SettingsError | None = None
    path: Path = Path()
    hides_connections: bool = False


def load(path: Path) -> LoadedSettings:
    """Return the settings in the file, with defaults for missing and invalid values. The file is not changed."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return LoadedSettings(Settings(), path=path)
    except OSError as error:
        return _unreadable(path, f"{error.strerror or error}")
    try:
        text = data.decode().replace("\r\n", "\n")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        return _unreadable(
            path, f"it is not UTF-8 (at {_position_after(data[: error.start].decode(errors='replace'))})"
        )
    except ValueError as error:
        return _unreadable(path, str(error).replace("at end of document", f"at {_position_after(text)}, its end"))
    except RecursionError:
        return _unreadable(path, "it is nested too deeply")

    problems, settings = list(problems_of(document)), settings_of(document)
    if not problems:
        return LoadedSettings(settings, path=path)
    message = f"{path}, {with_positions(text, problems)}. The defaults are used for these values."
    hides = any(problem.path[0] == "connections" or problem.path in DEFAULT_CONNECTION_PATHS for problem in problems)
    return LoadedSettings(settings, SettingsError(message), path, hides)


def _unreadable(path: Path, why: str) -> LoadedSettings:
    message = f"Could not read {path}: {why}. Defaults are used, without its connections and tool servers."
    return LoadedSettings(Settings(), SettingsError(message), path, hides_connections=True)


def _position_after(before: str) -> str:
    """Return the position of the character after this text."""
    return str(position_of(before, len(before)))


def change(path: Path, key: str, value: Value | None) -> Settings:
    """Write one setting, or delete it (None), and return the settings now in force. Comments are kept.

    Raises SettingsError and changes nothing for an unknown key, an invalid value or a file that is not TOML.
    """
    section_name, _, name = key.partition(".")
    setting = setting_of(section_name, name)
    if setting is None:
        raise SettingsError(f"Unknown setting: {key}. Nothing was changed.")
    if value is not None and not setting.accepts(value):
        raise SettingsError(f"{key} must be {setting.expected}, not {value!r}. Nothing was changed.")

    def put(document: Any) -> None:
        import tomlkit

        section = document.setdefault(setting.section, tomlkit.table())
        if not isinstance(section, dict):
            raise SettingsError(f"{path}: “{setting.section}” is not a section. Nothing was changed.")
        section.pop(setting.name, None) if value is None else section.update({setting.name: value})

    rewrite(path, put)
    return load(path).settings


def rewrite(path: Path, put: Callable[[Any], None]) -> None:
    """Change the document with `put` and write the file atomically; comments are kept.

    Raises SettingsError and changes nothing for a file that is not TOML or cannot be written.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
        put(document)
        _write(path, tomlkit.dumps(document))
    except (OSError, ValueError, RecursionError, TOMLKitError) as error:
        raise SettingsError(f"Could not change {path}: {error}. Nothing was changed.") from error


def _write(path: Path, text: str) -> None:
    """Write the file atomically, readable by its owner only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".settings-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path.resolve())
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


class SettingsFile:
    """Implements `services.ports.settings.SettingsFile`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def schema(self) -> Sequence[Setting]:
        """All settings."""
        return SCHEMA

    def read(self) -> Preferred:
        """Return the values in force, and the problem of the file."""
        loaded = load(self._path)
        settings, problem = loaded.settings, loaded.problem
        values = {setting.key: setting.of(settings) for setting in SCHEMA}
        message = "" if problem is None else str(problem)
        return Preferred(values, settings.compaction, settings.shortcuts, message, settings.chat, settings.search)

    def change(self, key: str, value: Value | None) -> Preferred:
        """Write one setting, or delete it (None), and return the values now in force.

        Raises SettingsError like `change`.
        """
        change(self._path, key, value)
        return self.read()
