"""MCP servers: programs and addresses whose tools the model may call, and what the person lets them."""

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
    """Either `command` (a program that speaks on its standard streams) or `url` (streamable HTTP) is set.

    The program runs in `folder`, "" for where Stemmata runs; `~` at its start is the person's home.

    In values of `env` and `headers`, `${env:NAME}` stands for that variable of the environment Stemmata was started
    in, and `${key}` for the server's key, which is kept where keys are. A value that reads `$NAME` is a variable too.
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
        return any(KEY in value for value in (*self.env.values(), *self.headers.values()))

    @property
    def bare_secrets(self) -> list[str]:
        """Names of variables and headers that a key would stand under, whose value is written out."""
        given = {**self.env, **self.headers}
        return [
            name for name, value in given.items() if value and _SECRET.search(name) and not _REFERENCE.search(value)
        ]

    @property
    def key_name(self) -> str:
        """What its key is kept under: a key does not go along to another address."""
        return f"servers/{self.name}@{host_of(self.url) or ''}"


class ServerPhase(Enum):
    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"  # could not start, or broke


@dataclass(frozen=True, slots=True)
class ServerState:
    """Where a server stands. `problem` is for people. `wants_key`: its settings leave a place for a key."""

    server: str
    phase: ServerPhase
    tools: tuple[str, ...] = ()
    problem: str = ""
    wants_key: bool = False


class ToolServerError(KnownError):
    """A server could not be started, or broke. `is_gone`: it answers no more."""

    def __init__(self, message: str, *, is_gone: bool = True) -> None:
        super().__init__(message)
        self.is_gone = is_gone


def filled(text: str, environment: Mapping[str, str], key: Callable[[], str]) -> str:
    """A value of `env` or `headers` as it is handed on. Raises ToolServerError for what is not there."""

    def stand_in(reference: re.Match[str]) -> str:
        name = reference["variable"] or reference["whole"]
        if not name:
            return key()
        if name not in environment:
            raise ToolServerError(Phrase("The environment variable {0} is not set.", name))
        return environment[name]

    return _REFERENCE.sub(stand_in, text)


def names_in(texts: Iterable[str]) -> list[str]:
    """The variables of the environment that these values stand for."""
    found = (reference for text in texts for reference in _REFERENCE.finditer(text))
    return [name for reference in found if (name := reference["variable"] or reference["whole"])]


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool as its server tells of it; nothing of it is to be trusted. `schema` is of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeptConsent:
    """What the person said once and for all. `origin` is "Stemmata" or a server; `tool` as the model calls it."""

    origin: str
    tool: str
    folder: str
    may: bool
