"""Declare the items of the lists in the settings file once; reading, validating and writing follow from it.

An item is a connection, a tool server, a consent, or the user's facts about a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import urlsplit

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.tool_servers import KeptConsent, ToolServer
from stemmata.system.settings.toml_positions import Problem

ANSWERS = ("always", "never")
LONGEST = 4096  # characters of any text value
LONGEST_NAME = 64
MILLION = 1_000_000
_NAME = re.compile(r"[^\s/\x00-\x1f](?:[^/\x00-\x1f]*[^\s/\x00-\x1f])?")
_SERVER_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")  # prefix of its tools' names, which providers restrict
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_KEYED = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "proxy-authorization", "cookie"})
_STAND_IN = re.compile(r"\$\{(?:key|env:[A-Za-z_][A-Za-z0-9_]*)\}")

T = TypeVar("T")
Check: TypeAlias = Callable[[str, str, str], None]  # receives a text, its key, and the item in words


class ItemError(ValueError):
    """An item is invalid. The message says why; `key` is the invalid key, or "" for the item as a whole."""

    def __init__(self, text: str, key: str = "") -> None:
        super().__init__(text)
        self.key = key


@dataclass(frozen=True, slots=True)
class ItemField:
    """One key of an item. `attribute` is its name in the domain's value; "" for the key itself.

    `read` receives the value in the file, the key, and the item in words; it returns the domain's value or raises
    ItemError. `write` is its inverse. The values "", [] and {} are not written to the file.
    """

    key: str
    read: Callable[[Any, str, str], Any]
    attribute: str = ""
    write: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True, slots=True)
class ItemKind(Generic[T]):
    """One kind of item. `make` receives the values of the keys present in the file, and may raise ItemError.

    `called` is the kind in words. `name` is the pattern of valid names, or None for items without a name;
    `name_words` describes the pattern.
    """

    section: str
    make: Callable[..., T]
    fields: tuple[ItemField, ...]
    called: str = ""
    name: re.Pattern[str] | None = None
    name_words: str = ""

    def read(self, item: object) -> T:
        """Return the value of an item. Raises ItemError."""
        facts = _table(item, self.section, [*(["name"] if self.name else []), *self._keys])
        if self.name is None:
            return self.make(**self._values(facts, self.section))
        name = facts.get("name")
        if not isinstance(name, str) or len(name) > LONGEST_NAME or not self.name.fullmatch(name):
            raise ItemError(f"{self.section}: an item needs {self.name_words}", "name")
        return self.make(name=name, **self._values(facts, f"{self.called} “{name}”"))

    def read_as(self, name: str, item: object) -> T:
        """Return the value of an item whose name is the key of its table. Raises ItemError."""
        where = f"{self.called} “{name}”"
        return self.make(name, **self._values(_table(item, where, self._keys), where))

    def table(self, value: T) -> dict[str, Any]:
        """Return the value as a table of the file."""
        facts = {field.key: field.write(getattr(value, field.attribute or field.key)) for field in self.fields}
        return ({"name": getattr(value, "name")} if self.name else {}) | facts  # noqa: B009 - T has a name then

    @property
    def _keys(self) -> list[str]:
        return [field.key for field in self.fields]

    def _values(self, facts: Mapping[str, Any], where: str) -> dict[str, Any]:
        there = [field for field in self.fields if field.key in facts]
        return {field.attribute or field.key: field.read(facts[field.key], field.key, where) for field in there}


def _table(item: object, where: str, known: Iterable[str]) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise ItemError(f"{where}: an item is not a table")
    for key in item:
        if key not in known:
            raise ItemError(f"{where}: unknown key “{key}”; valid keys: {', '.join(known)}", key)
    return item


# -- kinds of fields ------------------------------------------------------------------------------------------


def _text(key: str, check: Check | None = None, *, needed: bool = False) -> ItemField:
    """Declare a text. `check` validates texts that are not empty; with `needed`, empty texts too."""

    def read(value: Any, key: str, where: str) -> str:
        if not isinstance(value, str) or len(value) > LONGEST or "\0" in value:
            raise ItemError(f"{where}: {key} must be a text", key)
        if check is not None and (value or needed):
            check(value, key, where)
        return value

    return ItemField(key, read)


def _texts(key: str, words: str, each: Callable[[str], str] = str) -> ItemField:
    """Declare a list of texts. `each` converts every text; a text that becomes empty is invalid."""

    def read(value: Any, key: str, where: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise ItemError(f"{where}: {key} must be {words}", key)
        found = tuple(map(each, value))
        if each is not str and not all(found):
            raise ItemError(f"{where}: {key} must be {words}", key)
        return found

    return ItemField(key, read, write=list)


def _number(key: str, attribute: str, takes: Callable[[Any], bool], words: str, scale: int = 1) -> ItemField:
    """Declare an optional number. The domain's value is `scale` times the file's value."""

    def read(value: Any, key: str, where: str) -> int:
        if isinstance(value, bool) or not takes(value):
            raise ItemError(f"{where}: {key} must be {words}", key)
        number: int = round(value * scale)
        return number

    def write(value: int | None) -> int | float | str:
        return "" if value is None else value if scale == 1 else value / scale

    return ItemField(key, read, attribute, write)


def _size(key: str) -> ItemField:
    return _number(key, key, lambda value: isinstance(value, int) and 0 < value <= 10**9, "a whole number of tokens")


def _price(key: str) -> ItemField:
    """Declare a price in dollars per million tokens; the domain's value is in millionths of a dollar."""
    words = "dollars per million tokens"
    return _number(
        key, f"{key}_price", lambda value: isinstance(value, int | float) and 0 <= value < 1e6, words, MILLION
    )


def _headers(*, may_stand_in: bool) -> ItemField:
    """Declare headers, which must not contain keys.

    With `may_stand_in`, a header may contain a placeholder for a key.
    """

    def read(value: Any, key: str, where: str) -> dict[str, str]:
        if not isinstance(value, Mapping):
            raise ItemError(f"{where}: headers must be a table", key)
        for name, text in value.items():
            is_text = isinstance(text, str) and text.isprintable() and text.isascii()
            if not is_text or not _HEADER.fullmatch(name):
                raise ItemError(f"{where}: “{name}” is not a valid header", key)
            if name.lower() in _KEYED and not (may_stand_in and _STAND_IN.search(text)):
                way = "write ${key} or ${env:NAME} instead" if may_stand_in else "enter it as the connection’s key"
                raise ItemError(f"{where}: {name} must not contain a key; {way}", key)
        return {str(name): str(text) for name, text in value.items()}

    return ItemField("headers", read, write=dict)


def _environment(value: Any, key: str, where: str) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for text in value.values()):
        raise ItemError(f"{where}: {key} must be a table of texts", key)
    return dict(value)


def _check_api(api: str, key: str, where: str) -> None:
    from stemmata.domain.requests.apis import (
        API_NAMES,  # imported late: imports of this module delay the first window
    )

    if not api:
        raise ItemError(f"{where}: api is empty", key)
    if api not in API_NAMES:
        raise ItemError(f"{where}: api must be one of " + ", ".join(f'"{name}"' for name in API_NAMES), key)


def _check_variable(name: str, key: str, where: str) -> None:
    if not _VARIABLE.fullmatch(name):
        raise ItemError(f"{where}: variable must be the name of an environment variable, never a key", key)


def _check_url(url: str, key: str, where: str) -> None:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise ItemError(f"{where}: {key} must be an address that starts with http:// or https://", key)
    if parts.password:
        raise ItemError(
            f"{where}: {key} must not contain a password; for a proxy, set HTTPS_PROXY in the environment instead",
            key,
        )


# -- the items ------------------------------------------------------------------------------------------------


def _connection(headers: Mapping[str, str] | None = None, **texts: str) -> Connection:
    return Connection(headers=tuple((headers or {}).items()), **texts)


def _server(**values: Any) -> ToolServer:
    server = ToolServer(**values)
    where = f"server “{server.name}”"
    if bool(server.command) == bool(server.url):
        raise ItemError(f"{where}: set either command or url")
    if server.headers and not server.url:
        raise ItemError(f"{where}: headers require url", "headers")
    if server.folder and server.url:
        raise ItemError(f"{where}: folder requires command", "folder")
    return server


def _consent(origin: str = "", tool: str = "", folder: str = "", may: str = "") -> KeptConsent:
    if not origin or not tool:
        raise ItemError("consents: an item needs origin and tool")
    if may not in ANSWERS:
        raise ItemError(
            f"consents: answer for “{tool}” must be " + " or ".join(map('"{}"'.format, ANSWERS)), "answer"
        )
    return KeptConsent(origin, tool, folder, may == ANSWERS[0])


def _model(id: str, **values: Any) -> Model:
    return Model(id.lower(), **values)


CONNECTIONS = ItemKind(
    "connections",
    _connection,
    (
        _text("api", _check_api, needed=True),
        _text("base_url", _check_url, needed=True),
        _text("model"),
        _text("variable", _check_variable),
        _text("proxy", _check_url),
        _text("ca_file"),
        _headers(may_stand_in=False),
    ),
    called="connection",
    name=_NAME,
    name_words="a name without “/”",
)
SERVERS = ItemKind(
    "servers",
    _server,
    (
        _text("command"),
        _texts("args", "a list of texts"),
        ItemField("env", _environment, write=dict),
        _text("folder"),
        _text("url", _check_url),
        _headers(may_stand_in=True),
    ),
    called="server",
    name=_SERVER_NAME,
    name_words="a name of letters, digits, “_” and “-”, at most 32",
)
CONSENTS = ItemKind(
    "consents",
    _consent,
    (
        _text("origin"),
        _text("tool"),
        _text("folder"),
        ItemField("answer", _text("answer").read, "may", lambda may: ANSWERS[0] if may else ANSWERS[1]),
    ),
)
MODELS = ItemKind(
    "models",
    _model,
    (
        _size("window"),
        _size("most_output"),
        *(_price(key) for key in ("input", "output", "cache_read", "cache_write")),
        _texts("aliases", "a list of names", lambda alias: alias.strip().lower()),
    ),
    called="model",
)
LISTED: Mapping[str, ItemKind[Any]] = {item.section: item for item in (CONNECTIONS, SERVERS, CONSENTS)}


def problems_of(section: str, values: object) -> Iterator[Problem]:
    """Yield the problems of one list section."""
    if section == "models":
        if not isinstance(values, Mapping):
            yield Problem((section,), "“models” is not a section")
            return
        yield from _bad(section, values.items(), lambda id: MODELS.read_as(id, values[id]))
        return
    if not isinstance(values, list):
        yield Problem((section,), f"“{section}” is not a list: write [[{section}]]")
        return
    read = LISTED[section].read
    yield from _bad(section, enumerate(values), lambda at: read(values[at]))
    names: set[str] = set()
    for at, item in enumerate(values):
        name = name_in(item)
        if name and name in names:
            yield Problem((section, at), f"{section}: the name “{name}” is used more than once")
        names.add(name)


def _bad(section: str, items: Iterable[tuple[Any, Any]], read: Callable[[Any], object]) -> Iterator[Problem]:
    """Yield a problem for each invalid item."""
    for at, _item in items:
        try:
            read(at)
        except ItemError as error:
            yield Problem((section, at, error.key) if error.key else (section, at), str(error))


def name_in(item: object) -> str:
    """Return the item's name, or ""."""
    name = item.get("name") if isinstance(item, Mapping) else None
    return str(name) if isinstance(name, str) else ""
