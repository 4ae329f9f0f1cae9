"""The rows of the connect dialog: saved connections, servers on this machine, and kinds of connections to add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication

from stemmata.domain.chat.connections import Connection, KeyOrigin, host_of
from stemmata.domain.requests.apis import APIS, api_of

OTHER_API = "openai-chat"  # the API of most other servers


def tr(text: str) -> str:
    """Translate a text of the connect dialog."""
    return QCoreApplication.translate("Connect", text)


@dataclass(frozen=True, slots=True)
class ConnectChoice:
    """A row of the list. `is_saved`: the connection exists; `is_open`: its address and API can be edited."""

    title: str
    note: str
    connection: Connection
    is_saved: bool = False
    is_open: bool = True


def kinds(taken: Sequence[str]) -> list[ConnectChoice]:
    """Return the kinds of connections that can be added, with names that are not in `taken`."""
    services = [
        Connection(name=free_name(api.vendor, taken), api=api.name, base_url=api.url, variable=api.variable)
        for api in APIS
        if api.vendor
    ]
    other = Connection(name="", api=OTHER_API, base_url="http://127.0.0.1:8080/v1")
    return [
        *(ConnectChoice(api_of(new.api).vendor, tr("with a key"), new, is_open=False) for new in services),
        ConnectChoice(tr("Other server…"), tr("any server with one of these APIs"), other),
    ]


def found(connections: Sequence[Connection], saved: Sequence[Connection]) -> list[ConnectChoice]:
    """Return the servers on this machine that are not saved connections."""
    known = {connection.base_url.rstrip("/") for connection in saved}
    taken = [connection.name for connection in saved]
    return [
        ConnectChoice(item.name, item.base_url, replace(item, name=free_name(item.name, taken)))
        for item in connections
        if item.base_url.rstrip("/") not in known
    ]


def saved_choices(connections: Sequence[Connection], default: str) -> list[ConnectChoice]:
    """Return the saved connections. Those with the address of a known provider cannot be edited."""
    return [
        ConnectChoice(
            item.name, tr("default") if item.name == default else "", item, is_saved=True,
            is_open=item.base_url not in [api.url for api in APIS],
        )
        for item in connections
    ]  # fmt: skip


def heading(choice: ConnectChoice) -> str:
    """Return the heading above the form."""
    if choice.is_saved:
        return choice.title
    return tr("Connect {0}").format(choice.title) if choice.connection.name else tr("Connect another server")


def name_at(address: str) -> str:
    """Return a default name for the server at an address: its host, with the port if there is one.

    Returns "" for an invalid address.
    """
    return urlsplit(address).netloc.rpartition("@")[2] if is_address(address) else ""


def is_address(text: str) -> bool:
    """Return whether the text is an http or https address."""
    return text.startswith(("http://", "https://")) and bool(host_of(text))


def free_name(name: str, taken: Sequence[str]) -> str:
    """Return the name, with a number appended if it is taken."""
    number, out = 2, name
    while out in taken:
        out, number = f"{name} {number}", number + 1
    return out


def key_text(origin: KeyOrigin | None, connection: Connection, problem: str) -> str:
    """Return the place where the key is or will be stored.

    `problem` is the reason why the keyring cannot store it.
    """
    match origin:
        case KeyOrigin.ENVIRONMENT:
            return tr("The key is taken from the environment variable {0}. Nothing is stored.").format(
                connection.variable
            )
        case KeyOrigin.KEYRING:
            return tr("The key is in the keyring of this system. It is not shown again; a new key replaces it.")
        case KeyOrigin.MEMORY:
            return tr("The key is not stored. {0}").format(problem)
        case KeyOrigin.NOT_NEEDED if connection.is_local:
            return tr("A server on this machine usually needs no key.")
    if problem:
        return tr("The key will not be stored. {0}").format(problem)
    return tr("The key will be kept in the keyring of this system, and nowhere else.")
