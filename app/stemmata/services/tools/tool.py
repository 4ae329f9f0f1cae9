"""What every tool of our own is: a definition, and an answer to its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from stemmata.domain.entries.session_facts import Session
from stemmata.domain.requests.request import ToolDefinition


class ToolError(Exception):
    """The call cannot be answered; the message is for the model."""


class Tool(Protocol):
    @property
    def definition(self) -> ToolDefinition: ...

    def why(self, arguments: Mapping[str, Any]) -> str:
        """What it would do that needs consent, such as "writes"; "" for nothing."""
        ...

    async def answer(self, session: Session, arguments: Mapping[str, Any]) -> str:
        """Raises ToolError."""
        ...


def text_of(arguments: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """An argument that is a text. Raises ToolError."""
    value = arguments.get(name, default)
    if not isinstance(value, str):
        raise ToolError(f"“{name}” must be a text.")
    return value
