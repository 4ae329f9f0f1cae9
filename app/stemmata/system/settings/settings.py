"""The settings file: TOML that people edit, with every wrong value reported and none of theirs overwritten."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from stemmata.domain.errors import KnownError
from stemmata.domain.settings.settings import Preferred, Value
from stemmata.system.settings.list_items import name_in
from stemmata.system.settings.list_items import problems_of as list_problems
from stemmata.system.settings.places import Problem
from stemmata.system.settings.schema import LISTS, SCHEMA, SHORTCUTS, Setting, Settings, setting_of


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


CHOICE = (("chat",), ("chat", "default_connection"))  # where it stands whom to ask


class SettingsError(KnownError):
    """The settings file, or a value for it, is not as it should be."""


class LoadedSettings(NamedTuple):
    """`settings` are always usable; `problem` says which values of the file were passed over, None when none was.

    `hides_connections`: one of them, or which is the default, may be among those.
    """

    settings: Settings
    problem: SettingsError | None = None
    path: Path = Path()
    hides_connections: bool = False


def load(path: Path) -> LoadedSettings:
    """What the file says, defaults for what it leaves out or says wrongly. The file is never touched."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return LoadedSettings(Settings(), path=path)
    except OSError as error:
        return _unreadable(path, f"{error.strerror or error}")
    import tomllib  # late, as what follows: many have no such file, and the first window waits for this

    try:
        text = data.decode().replace("\r\n", "\n")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        return _unreadable(path, f"it is not UTF-8 (at {_place(data[: error.start].decode(errors='replace'))})")
    except ValueError as error:
        return _unreadable(path, str(error).replace("at end of document", f"at {_place(text)}, its end"))
    except RecursionError:
        return _unreadable(path, "it is nested too deeply")

    problems, settings = list(problems_of(document)), settings_of(document)
    if not problems:
        return LoadedSettings(settings, path=path)
    from stemmata.system.settings.places import placed

    told = f"{path}, {placed(text, problems)}. For these the defaults are in force."
    hides = any(problem.path[0] == "connections" or problem.path in CHOICE for problem in problems)
    return LoadedSettings(settings, SettingsError(told), path, hides)


def _unreadable(path: Path, why: str) -> LoadedSettings:
    told = f"{path} cannot be read: {why}. The defaults are in force, without its connections and tool servers."
    return LoadedSettings(Settings(), SettingsError(told), path, hides_connections=True)


def _place(before: str) -> str:
    """Where the text that comes after this one stands."""
    from stemmata.system.settings.places import place_of

    return str(place_of(before, len(before)))


def change(path: Path, key: str, value: Value | None) -> Settings:
    """Write one setting (None: take it out), leaving comments and all else as they are; the settings now in force.

    Raises SettingsError, and changes nothing, for an unknown key, a wrong value or a file that is not TOML.
    """
    from stemmata.system.settings.schema import setting_of

    section_name, _, name = key.partition(".")
    setting = setting_of(section_name, name)
    if setting is None:
        raise SettingsError(f"There is no setting “{key}”.")
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
    """Change the document in place, by `put`; comments and all else stay. The file is written whole or not at all.

    Raises SettingsError, and changes nothing, for a file that is not TOML or cannot be written.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
        put(document)
        _write(path, tomlkit.dumps(document))
    except (OSError, ValueError, RecursionError, TOMLKitError) as error:
        raise SettingsError(f"{path} cannot be changed: {error}. Nothing was changed.") from error


def _write(path: Path, text: str) -> None:
    """All of it or nothing, readable by its owner alone."""
    import tempfile  # late: brings what the first window does not need

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
