"""MCP servers: programs and addresses whose tools the model may call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


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
