"""MCP servers, whose tools the model may call: their settings, state and tools, and the user's stored consent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from stemmata.domain.chat.connections import host_of
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

KEY = "${key}"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_REFERENCE = re.compile(rf"\$\{{env:(?P<variable>{_NAME})\}}|\$\{{key\}}|^\$(?P<whole>{_NAME})$")

_SECRET = re.compile(r"key|token|secret|passw|credential|authorization|cookie", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServer:
    """An MCP server. Either `command` (a program with MCP on its standard streams) or `url` (streamable HTTP) is set.

    The program runs in `folder`, "" for the folder in which Stemmata runs; a leading `~` is the user's home.

    In values of `env` and `headers`, `${env:NAME}` is replaced by that environment variable of Stemmata, and `${key}`
    by the server's key, which is stored like other keys. A value that is only `$NAME` is a variable too.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def wants_key(self) -> bool:
        """Whether the settings contain `${key}`."""
        return any(KEY in value for value in (*self.env.values(), *self.headers.values()))

    @property
    def bare_secrets(self) -> list[str]:
        """Names of variables and headers that usually hold a secret and whose value is written in the settings."""
        given = {**self.env, **self.headers}
        return [
            name for name, value in given.items() if value and _SECRET.search(name) and not _REFERENCE.search(value)
        ]

    @property
    def key_name(self) -> str:
        """The name under which the server's key is stored. It contains the host, so no other host gets the key."""
        return f"servers/{self.name}@{host_of(self.url) or ''}"


class ServerPhase(Enum):
    """The phase of a server."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"  # the server did not start, or stopped working


@dataclass(frozen=True, slots=True)
class ServerState:
    """The state of a server. `problem` is a text for the user. `wants_key`: its settings contain `${key}`."""

    server: str
    phase: ServerPhase
    tools: tuple[str, ...] = ()
    problem: str = ""
    wants_key: bool = False


class ToolServerError(KnownError):
    """A server did not start, or a request to it failed. `is_gone`: the server no longer answers."""

    def __init__(self, message: str, *, is_gone: bool = True) -> None:
        super().__init__(message)
        self.is_gone = is_gone


def resolve_references(text: str, environment: Mapping[str, str], key: Callable[[], str]) -> str:
    """Return a value of `env` or `headers` with its references replaced.

    Raises ToolServerError for an environment variable that is not set.
    """

    def stand_in(reference: re.Match[str]) -> str:
        name = reference["variable"] or reference["whole"]
        if not name:
            return key()
        if name not in environment:
            raise ToolServerError(Phrase("The environment variable {0} is not set.", name))
        return environment[name]

    return _REFERENCE.sub(stand_in, text)


def referenced_variables(texts: Iterable[str]) -> list[str]:
    """Return the names of the environment variables to which these values refer."""
    found = (reference for text in texts for reference in _REFERENCE.finditer(text))
    return [name for reference in found if (name := reference["variable"] or reference["whole"])]


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool as its server describes it; which is untrusted. `schema` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeptConsent:
    """The user's permanent answer for a tool in a folder. `origin` is "Stemmata" or the name of the tool's server."""

    origin: str
    tool: str
    folder: str
    may: bool
