"""Where models are reached: named connections, and where the key of each comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

ANTHROPIC_URL = "https://api.anthropic.com"
OPENAI_URL = "https://api.openai.com/v1"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def host_of(url: str) -> str | None:
    """None when it is no address."""
    from urllib.parse import urlsplit  # what shows sessions needs none of it

    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One way to reach models. `api` is one of `apis.API_NAMES`; `base_url` as the API's SDK wants it.

    Entries name a connection as their provider, so a name is never given to another server. `variable` is the
    environment variable that holds the key, "" for none.
    """

    name: str
    api: str = "anthropic"
    base_url: str = ANTHROPIC_URL
    model: str = ""  # asked when a session names none of its own
    variable: str = ""
    proxy: str = ""  # URL, "" for the environment's
    ca_file: str = ""  # certificates to trust instead of the system's
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine: such servers need no key."""
        return host_of(self.base_url) in LOOPBACK


class Origin(Enum):
    """Where a key was found. MEMORY is forgotten when the program ends."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    MEMORY = "memory"
    NOT_NEEDED = "not needed"


@dataclass(frozen=True, slots=True)
class Secret:
    """A key. Its text is left out of every print of it."""

    value: str
    origin: Origin

    def __repr__(self) -> str:
        return f"Secret({self.origin.value})"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedModel:
    """A model that a server offers, as the server reports it. None where it does not say.

    Prices are in millionths of a dollar per million tokens, as in the catalogue. `is_bound`: the window is the
    model's own, and it may be run with less: its server has not loaded it yet.
    """

    id: str
    name: str = ""
    window: int | None = None  # tokens
    is_bound: bool = False
    most_output: int | None = None  # tokens
    takes_images: bool | None = None
    takes_pdfs: bool | None = None
    thinks: bool | None = None
    summarises: bool | None = None  # whether it answers with a signed summary where one is asked for
    levels: tuple[str, ...] = ()  # efforts that may be asked for
    thinking: tuple[str, ...] = ()  # of Anthropic's "adaptive", "enabled", "disabled", those that it takes
    input_price: int | None = None
    output_price: int | None = None
    cache_read_price: int | None = None
    cache_write_price: int | None = None
    refused_above: int | None = None  # tokens: the window that a refusal named

    @property
    def usable_window(self) -> int | None:
        """Tokens: what the server tells of its window, and no more than what a refusal named."""
        known = [size for size in (self.window, self.refused_above) if size is not None]
        return min(known, default=None)


def with_limits(offered: Iterable[OfferedModel], before: Iterable[OfferedModel]) -> tuple[OfferedModel, ...]:
    """The models with what refusals named of those before, unless the server tells another window by now.

    What refusals named of models that the server does not list stays as well.
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
    """Whether asking without a key is pointless. Other servers may or may not want one."""
    return not connection.is_local and (bool(connection.variable) or host_of(connection.base_url) in KEYED_HOSTS)


def chosen(connections: Sequence[Connection], name: str, default: str = "") -> Connection | None:
    """The connection for a session whose entries name this provider, None where there is none.

    The one of that name, else the first that speaks the API of a provider that tools name so. A session that names
    nobody gets the default, else the first; one that names somebody is never given to another.
    """
    rules: tuple[Callable[[Connection], bool], ...] = (
        lambda connection: connection.name == (name or default),
        lambda connection: connection.api.partition("-")[0] == name.lower(),
        lambda _connection: not name,
    )
    found = (connection for rule in rules for connection in connections if rule(connection))
    return next(found, None)
