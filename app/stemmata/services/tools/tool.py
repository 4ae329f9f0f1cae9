"""The interface of our own tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from stemmata.domain.requests.request import ToolDefinition
from stemmata.domain.sessions.session import Session


class ToolError(Exception):
    """A call that cannot be answered; its message is written for the model."""


class Tool(Protocol):
    """A tool of our own that a model can call."""

    @property
    def definition(self) -> ToolDefinition: ...

    def is_offered(self, session: Session) -> bool:
        """Whether the model may call the tool in a session. Called on any thread; must not wait."""
        ...

    def consent_folder(self, session: Session) -> str:
        """Return the folder for which consent to a call in a session is asked and kept."""
        ...

    def why(self, arguments: Mapping[str, Any]) -> str:
        """Return the effect for which a call needs consent, such as "writes"; "" when it needs none."""
        ...

    async def answer(self, session: Session, arguments: Mapping[str, Any]) -> str:
        """Return the result of a call, as text for the model. Raises ToolError."""
        ...


def text_of(arguments: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Return a text argument, or `default` when it is missing. Raises ToolError for other types."""
    value = arguments.get(name, default)
    if not isinstance(value, str):
        raise ToolError(f"“{name}” must be a text.")
    return value
