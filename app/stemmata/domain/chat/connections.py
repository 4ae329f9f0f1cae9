"""Connections: the servers of models by name, the origin of their keys, and the models that they offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from urllib.parse import urlsplit

ANTHROPIC_URL = "https://api.anthropic.com"
OPENAI_URL = "https://api.openai.com/v1"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def host_of(url: str) -> str | None:
    """Return the host of a URL; None when the text is not a valid URL or has no host."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A server of models. `api` is one of `apis.API_NAMES`; `base_url` has the form that the API's SDK expects.

    Entries store the connection's name as their provider, so a name must not be reused for another server. `variable`
    is the environment variable that holds the key, "" for none.
    """

    name: str
    api: str = "anthropic"
    base_url: str = ANTHROPIC_URL
    model: str = ""  # used when the session names no model
    variable: str = ""
    proxy: str = ""  # URL; "" for the proxy of the environment
    ca_file: str = ""  # certificates to trust instead of the system's
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine. Such servers need no key."""
        return host_of(self.base_url) in LOOPBACK


class KeyOrigin(Enum):
    """The places where a key can be stored. A key in MEMORY is lost when the program ends."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    MEMORY = "memory"
    NOT_NEEDED = "not needed"


@dataclass(frozen=True, slots=True)
class Secret:
    """A key. Its `repr` does not contain the key's text."""

    value: str
    origin: KeyOrigin

    def __repr__(self) -> str:
        return f"Secret({self.origin.value})"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedModel:
    """A model as its server reports it. A fact that the server does not report is None.

    Prices are in millionths of a dollar per million tokens, as in the catalogue. `is_bound`: the server has not
    loaded the model; `window` is the model's maximum, and the server may load it with less.
    """

    id: str
    name: str = ""
    window: int | None = None  # tokens
    is_bound: bool = False
    most_output: int | None = None  # tokens
    takes_images: bool | None = None
    takes_pdfs: bool | None = None
    thinks: bool | None = None
    summarises: bool | None = None  # whether the server writes signed summaries with this model
    levels: tuple[str, ...] = ()  # permitted thinking efforts
    thinking: tuple[str, ...] = ()  # permitted values of Anthropic's "adaptive", "enabled", "disabled"
    input_price: int | None = None
    output_price: int | None = None
    cache_read_price: int | None = None
    cache_write_price: int | None = None
    refused_above: int | None = None  # tokens; the window that the server named when it refused a request

    @property
    def usable_window(self) -> int | None:
        """The context window in tokens: the smaller of the reported window and the one named in a refusal."""
        known = [size for size in (self.window, self.refused_above) if size is not None]
        return min(known, default=None)


def with_refused_limits(offered: Iterable[OfferedModel], before: Iterable[OfferedModel]) -> tuple[OfferedModel, ...]:
    """Return the models with the limits that refusals named, taken from an earlier list of models.

    A limit is dropped when the server now reports another window. Limits of models that the server does not list are
    kept.
    """
    known = {model.id: model for model in before if model.refused_above is not None}
    out = []
    for model in offered:
        old = known.pop(model.id, None)
        is_same = old is not None and old.window == model.window
        out.append(replace(model, refused_above=old.refused_above) if old is not None and is_same else model)
    return (*out, *(model for model in known.values() if model.window is None))


KEYED_HOSTS = frozenset({"api.anthropic.com", "api.openai.com"})


def needs_key(connection: Connection) -> bool:
    """Return whether the server certainly refuses requests without a key."""
    return not connection.is_local and (bool(connection.variable) or host_of(connection.base_url) in KEYED_HOSTS)


def connection_for(connections: Sequence[Connection], name: str, default: str = "") -> Connection | None:
    """Return the connection for a session whose entries name this provider; None when no connection fits.

    This is the connection of that name, else the first whose API has the provider's name. A session without a
    provider gets the default connection, else the first. A session with a provider is never sent to another.
    """
    rules: tuple[Callable[[Connection], bool], ...] = (
        lambda connection: connection.name == (name or default),
        lambda connection: connection.api.partition("-")[0] == name.lower(),
        lambda _connection: not name,
    )
    found = (connection for rule in rules for connection in connections if rule(connection))
    return next(found, None)
