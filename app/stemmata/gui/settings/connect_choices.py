"""What the connect dialog lists: connections there are, servers found on this machine, and kinds to add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication

from stemmata.domain.chat.connections import Connection, Origin, host_of
from stemmata.domain.requests.apis import APIS, api_of

OTHER_API = "openai-chat"  # what most other servers speak


def tr(text: str) -> str:
    return QCoreApplication.translate("Connect", text)


@dataclass(frozen=True, slots=True)
class ConnectChoice:
    """A row of the list. `is_saved`: it is a connection already; `is_open`: address and API may be changed."""

    title: str
    note: str
    connection: Connection
    is_saved: bool = False
    is_open: bool = True


def kinds(taken: Sequence[str]) -> list[ConnectChoice]:
    """What can be added; names are given that no connection has."""
    services = [
        Connection(name=free_name(api.vendor, taken), api=api.name, base_url=api.url, variable=api.variable)
        for api in APIS
        if api.vendor
    ]
    other = Connection(name="", api=OTHER_API, base_url="http://127.0.0.1:8080/v1")
    return [
        *(ConnectChoice(api_of(new.api).vendor, tr("with a key"), new, is_open=False) for new in services),
        ConnectChoice(tr("Other server…"), tr("any that speaks one of these APIs"), other),
    ]


def found(connections: Sequence[Connection], saved: Sequence[Connection]) -> list[ConnectChoice]:
    """Servers on this machine that are no connections yet."""
    known = {connection.base_url.rstrip("/") for connection in saved}
    taken = [connection.name for connection in saved]
    return [
        ConnectChoice(item.name, item.base_url, replace(item, name=free_name(item.name, taken)))
        for item in connections
        if item.base_url.rstrip("/") not in known
    ]


def saved_choices(connections: Sequence[Connection], default: str) -> list[ConnectChoice]:
    return [
        ConnectChoice(
            item.name, tr("default") if item.name == default else "", item, is_saved=True,
            is_open=item.base_url not in [api.url for api in APIS],
        )
        for item in connections
    ]  # fmt: skip


def heading(choice: ConnectChoice) -> str:
    """What stands over the form."""
    if choice.is_saved:
        return choice.title
    return tr("Connect {0}").format(choice.title) if choice.connection.name else tr("Connect another server")


def name_at(address: str) -> str:
    """What a connection is called whose name is left out: after its host, `127.0.0.1:8080`."""
    return urlsplit(address).netloc.rpartition("@")[2] if is_address(address) else ""


def is_address(text: str) -> bool:
    return text.startswith(("http://", "https://")) and bool(host_of(text))


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name itself, or with a number behind it."""
    number, out = 2, name
    while out in taken:
        out, number = f"{name} {number}", number + 1
    return out


def key_text(origin: Origin | None, connection: Connection, problem: str) -> str:
    """Where the key is, or where it will be kept once it is given. `problem`: why no keyring takes it."""
    match origin:
        case Origin.ENVIRONMENT:
            return tr("The key is taken from the environment variable {0}. Nothing is stored.").format(
                connection.variable
            )
        case Origin.KEYRING:
            return tr("The key is in the keyring of this system. It is not shown again; a new one takes its place.")
        case Origin.MEMORY:
            return tr("The key is kept for this run only, and forgotten when Stemmata is closed. {0}").format(problem)
        case Origin.NOT_NEEDED if connection.is_local:
            return tr("A server on this machine usually needs no key.")
    if problem:
        return tr("The key will be kept for this run only, and nowhere else. {0}").format(problem)
    return tr("The key will be kept in the keyring of this system, and nowhere else.")
