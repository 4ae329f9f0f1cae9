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
from stemmata.system.settings.schema import (
    LISTS,
    RENAMED,
    SCHEMA,
    SHORTCUTS,
    Setting,
    Settings,
    TableSetting,
    setting_of,
)
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
            if setting is None and (section, name) in _RENAMED:
                yield _renamed_problem(section, name, values)
            elif setting is None:
                yield Problem((section, name), f"unknown setting “{section}.{name}”")
            elif isinstance(setting, TableSetting) and isinstance(value, dict):
                for row in setting.wrong_rows(value):
                    yield Problem((section, name, row), f"{setting.key}: “{row}” must be {setting.row_expected}")
            elif not setting.accepts(value):
                yield Problem((section, name), f"{setting.key} must be {setting.expected}")
    if LISTS & document.keys():
        from stemmata.system.settings import list_problems  # imported late, see decision 26

        settings = settings_of(document)
        named = {
            ("chat", "default_connection"): settings.chat.default_connection,
            ("compaction", "connection"): settings.compaction.connection,
            ("search", "embedding_connection"): settings.search.embedding_connection,
        }
        yield from list_problems.problems_of(document, named)


_RENAMED = {tuple(renamed.old.split(".")): renamed for renamed in RENAMED}


def _renamed_problem(section: str, name: str, values: Mapping[str, Any]) -> Problem:
    """Return the message about a setting under its old name."""
    renamed = _RENAMED[section, name]
    new, value = renamed.new.partition(".")[2], renamed.value(values[name])
    if new in values:
        return Problem((section, name), f"{renamed.old} is an old name of {renamed.new}, which is set as well")
    if value is None:
        return Problem((section, name), f"{renamed.old} must be true or false; its new name is {renamed.new}")
    told = f'{renamed.old} is an old name; it was read as {renamed.new} = "{value}"'
    return Problem((section, name), told, is_ignored=False)


def _valid(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the valid values by section; a setting may have its old name."""
    valid: dict[str, dict[str, Any]] = {}
    for (section, name), renamed in _RENAMED.items():
        values = document.get(section)
        word = renamed.value(values.get(name)) if isinstance(values, dict) else None
        if word is not None:
            valid.setdefault(section, {})[renamed.new.partition(".")[2]] = word
    for setting in SCHEMA:
        values = document.get(setting.section)
        value = values.get(setting.name) if isinstance(values, dict) else None
        if isinstance(setting, TableSetting) and isinstance(value, dict):
            wrong = setting.wrong_rows(value)
            value = {row: word for row, word in value.items() if row not in wrong}
        if setting.accepts(value):
            valid.setdefault(setting.section, {})[setting.name] = value
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
    message = f"{path}, {with_positions(text, problems)}.{_told_of_defaults(problems)}"
    hides = any(problem.path[0] == "connections" or problem.path in DEFAULT_CONNECTION_PATHS for problem in problems)
    return LoadedSettings(settings, SettingsError(message), path, hides)


def _told_of_defaults(problems: Sequence[Problem]) -> str:
    """Return for which values the defaults are used, as a sentence after a space; "" for none."""
    ignored = sum(problem.is_ignored for problem in problems)
    if not ignored:
        return ""
    told = " The defaults are used for these values."
    return told if ignored == len(problems) else " The defaults are used for values that were not read."


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
        new = next((f" It is now {renamed.new}." for renamed in RENAMED if renamed.old == key), "")
        raise SettingsError(f"Unknown setting: {key}.{new} Nothing was changed.")
    if value is not None and not setting.accepts(value):
        raise SettingsError(f"{key} must be {setting.expected}, not {value!r}. Nothing was changed.")

    def put(document: Any) -> None:
        import tomlkit

        section = document.setdefault(setting.section, tomlkit.table())
        if not isinstance(section, dict):
            raise SettingsError(f"{path}: “{setting.section}” is not a section. Nothing was changed.")
        if isinstance(value, Mapping) and value:
            _fill(section.setdefault(setting.name, tomlkit.table()), value)
        elif value is None or isinstance(value, Mapping):
            section.pop(setting.name, None)
        else:
            section.update({setting.name: value})
        for renamed in RENAMED:
            if renamed.new == key:
                section.pop(renamed.old.partition(".")[2], None)

    rewrite(path, put)
    return load(path).settings


def _fill(table: Any, values: Mapping[str, str]) -> None:
    """Give a table these values and no others; comments beside values that stay are kept."""
    for name in [name for name in table if name not in values]:
        del table[name]
    for name, value in values.items():
        if table.get(name) != value:
            table[name] = value


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
