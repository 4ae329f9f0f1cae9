"""One connection, tool server, consent or model of the settings file, checked word by word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.tool_servers import KeptConsent, ToolServer
from stemmata.domain.requests.apis import API_NAMES
from stemmata.system.settings.places import Problem

PRICES = ("input", "output", "cache_read", "cache_write")
SIZES = ("window", "most_output")  # in tokens
ANSWERS = ("always", "never")
LONGEST = 4096  # characters of any text here
LONGEST_NAME = 64
CONNECTION = ("name", "api", "base_url", "model", "variable", "proxy", "ca_file", "headers")
_NAME = re.compile(r"[^\s/\x00-\x1f](?:[^/\x00-\x1f]*[^\s/\x00-\x1f])?")
_SERVER_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")  # the beginning of its tools' names, which providers restrict
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_KEYED = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "proxy-authorization", "cookie"})
_STAND_IN = re.compile(r"\$\{(?:key|env:[A-Za-z_][A-Za-z0-9_]*)\}")


class ItemError(ValueError):
    """What is wrong with an item, in words, and with which of its keys; "" for the item as a whole."""

    def __init__(self, text: str, key: str = "") -> None:
        super().__init__(text)
        self.key = key


def connection_of(item: object) -> Connection:
    """Raises ItemError."""
    facts = _table(item, "connections", CONNECTION)
    name = _name_of(facts, "connections", _NAME, "a name without “/”")
    where = f"connection “{name}”"
    texts = {key: _text(facts, key, where) for key in ("api", "base_url", "model", "variable", "proxy", "ca_file")}
    given = {key: text for key, text in texts.items() if key in facts}
    if texts["api"] and texts["api"] not in API_NAMES:
        raise ItemError(f"{where}: api must be one of " + ", ".join(f'"{api}"' for api in API_NAMES), "api")
    if "api" in given and not given["api"]:
        raise ItemError(f"{where}: api is empty", "api")
    if "base_url" in given:
        _check_url(given["base_url"], where, "base_url")
    if texts["proxy"]:
        _check_url(texts["proxy"], where, "proxy")
    if texts["variable"] and not _VARIABLE.fullmatch(texts["variable"]):
        raise ItemError(f"{where}: variable must be the name of an environment variable, never a key", "variable")
    return Connection(name=name, **given, headers=_headers(facts.get("headers", {}), where))


def facts_of(connection: Connection) -> dict[str, Any]:
    """The item as it stands in the file."""
    return {
        "name": connection.name,
        "api": connection.api,
        "base_url": connection.base_url,
        "model": connection.model,
        "variable": connection.variable,
        "proxy": connection.proxy,
        "ca_file": connection.ca_file,
        "headers": dict(connection.headers),
    }


def server_of(item: object) -> ToolServer:
    """Raises ItemError."""
    facts = _table(item, "servers", ("name", "command", "args", "env", "folder", "url", "headers"))
    name = _name_of(facts, "servers", _SERVER_NAME, "a name of letters, digits, “_” and “-”, at most 32")
    where = f"server “{name}”"
    command, url = _text(facts, "command", where), _text(facts, "url", where)
    if bool(command) == bool(url):
        raise ItemError(f"{where}: give either command or url")
    if url:
        _check_url(url, where, "url")
    args = facts.get("args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise ItemError(f"{where}: args must be a list of texts", "args")
    env = facts.get("env", {})
    if not isinstance(env, Mapping) or not all(isinstance(value, str) for value in env.values()):
        raise ItemError(f"{where}: env must be a table of texts", "env")
    headers = _server_headers(facts.get("headers", {}), where)
    if headers and not url:
        raise ItemError(f"{where}: headers go with url", "headers")
    folder = _text(facts, "folder", where)
    if folder and url:
        raise ItemError(f"{where}: folder goes with command", "folder")
    return ToolServer(
        name=name, command=command, args=tuple(args), env=dict(env), folder=folder, url=url, headers=headers
    )


def server_table(server: ToolServer) -> dict[str, Any]:
    return {
        "name": server.name,
        "command": server.command,
        "args": list(server.args),
        "env": dict(server.env),
        "folder": server.folder,
        "url": server.url,
        "headers": dict(server.headers),
    }


def consent_of(item: object) -> KeptConsent:
    """Raises ItemError."""
    facts = _table(item, "consents", ("origin", "tool", "folder", "answer"))
    texts = {key: _text(facts, key, "consents") for key in ("origin", "tool", "folder", "answer")}
    if not texts["origin"] or not texts["tool"]:
        raise ItemError("consents: an item needs origin and tool")
    if texts["answer"] not in ANSWERS:
        raise ItemError(
            f"consents: answer for “{texts['tool']}” must be " + " or ".join(map('"{}"'.format, ANSWERS)), "answer"
        )
    return KeptConsent(texts["origin"], texts["tool"], texts["folder"], texts["answer"] == ANSWERS[0])


def consent_table(consent: KeptConsent) -> dict[str, Any]:
    return {
        "origin": consent.origin,
        "tool": consent.tool,
        "folder": consent.folder,
        "answer": ANSWERS[0] if consent.may else ANSWERS[1],
    }


def model_of(id: str, item: object) -> Model:
    """Raises ItemError. Prices are written in dollars per million tokens."""
    where = f"model “{id}”"
    facts = _table(item, where, (*SIZES, *PRICES, "aliases"))
    for size in SIZES:
        value = facts.get(size)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= 10**9):
            raise ItemError(f"{where}: {size} must be a whole number of tokens", size)
    for price in PRICES:
        value = facts.get(price)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6
        ):
            raise ItemError(f"{where}: {price} must be dollars per million tokens", price)
    prices = (None if facts.get(price) is None else round(facts[price] * 1_000_000) for price in PRICES)
    input, output, cache_read, cache_write = prices
    return Model(
        id.lower(), facts.get("window"), input, output, cache_read, cache_write, facts.get("most_output"),
        _aliases(facts, where),
    )  # fmt: skip


def model_table(model: Model) -> dict[str, Any]:
    """As it stands in the file; what is not known is left out."""
    prices = zip(PRICES, model.prices, strict=True)
    facts: dict[str, Any] = {"window": model.window, "most_output": model.most_output}
    facts |= {name: None if price is None else price / 1_000_000 for name, price in prices}
    return {name: "" if value is None else value for name, value in facts.items()} | {"aliases": list(model.aliases)}


def _aliases(facts: Mapping[str, Any], where: str) -> tuple[str, ...]:
    aliases = facts.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) and alias.strip() for alias in aliases):
        raise ItemError(f"{where}: aliases must be a list of names", "aliases")
    return tuple(alias.strip().lower() for alias in aliases)


def _table(item: object, where: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise ItemError(f"{where}: an item is not a table")
    for key in item:
        if key not in known:
            raise ItemError(f"{where}: there is no “{key}” here; known are {', '.join(known)}", key)
    return item


def _name_of(facts: Mapping[str, Any], where: str, pattern: re.Pattern[str], expected: str) -> str:
    name = facts.get("name")
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not pattern.fullmatch(name):
        raise ItemError(f"{where}: an item needs {expected}", "name")
    return name


def _text(facts: Mapping[str, Any], key: str, where: str) -> str:
    value = facts.get(key, "")
    if not isinstance(value, str) or len(value) > LONGEST or "\0" in value:
        raise ItemError(f"{where}: {key} must be a text", key)
    return value


def _check_url(url: str, where: str, key: str) -> None:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise ItemError(f"{where}: {key} must be an address that begins with http:// or https://", key)
    if parts.password:
        raise ItemError(
            f"{where}: {key} must not hold a password; for a proxy, set HTTPS_PROXY in the environment instead", key
        )


def _headers(value: object, where: str) -> tuple[tuple[str, str], ...]:
    headers = _header_table(value, where)
    for name in headers:
        if name.lower() in _KEYED:
            raise ItemError(
                f"{where}: {name} holds a key, which the settings never do; give it as the connection’s key",
                "headers",
            )
    return tuple(headers.items())


def _server_headers(value: object, where: str) -> dict[str, str]:
    headers = _header_table(value, where)
    for name, text in headers.items():
        if name.lower() in _KEYED and not _STAND_IN.search(text):
            raise ItemError(
                f"{where}: {name} holds a key, which the settings never do; write ${{key}} or ${{env:NAME}} for it",
                "headers",
            )
    return headers


def _header_table(value: object, where: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ItemError(f"{where}: headers must be a table", "headers")
    for name, text in value.items():
        if not _HEADER.fullmatch(name) or not isinstance(text, str) or not text.isprintable() or not text.isascii():
            raise ItemError(f"{where}: the header “{name}” is none", "headers")
    return {str(name): str(text) for name, text in value.items()}


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
