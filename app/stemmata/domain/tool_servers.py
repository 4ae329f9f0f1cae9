"""MCP servers: programs and addresses whose tools the model may call, and what the person lets them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from stemmata.domain.errors import KnownError


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServer:
    """Either `command` (a program that speaks on its standard streams) or `url` (streamable HTTP) is set.

    A value of `env` that reads `$NAME` stands for that variable of the environment Stemmata was started in.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""


class ServerPhase(Enum):
    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"  # could not start, or broke


@dataclass(frozen=True, slots=True)
class ServerState:
    """Where a server stands. `problem` is for people."""

    server: str
    phase: ServerPhase
    tools: tuple[str, ...] = ()
    problem: str = ""


class ToolServerError(KnownError):
    """A server could not be started, or broke. `is_gone`: it answers no more."""

    def __init__(self, message: str, *, is_gone: bool = True) -> None:
        super().__init__(message)
        self.is_gone = is_gone


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
