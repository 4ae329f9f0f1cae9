"""Answers the tool calls of a reply one after the other; each result becomes an entry."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import Session
from stemmata.services.ports.providers import Ask, Toolbox

STOPPED = "Stopped by the user."
SKIPPED = "Skipped: the user sent a new message."
INTERRUPTED = "Interrupted before a result arrived."
BROKEN_OFF = "Not run: the reply broke off."

log = logging.getLogger(__name__)

Guard = Callable[[Any], Awaitable[ToolOutcome]]


async def answered(toolbox: Toolbox, session: Session, call: ToolCall, ask: Ask, guard: Guard) -> ToolOutcome:
    """Return the outcome of one call. A failure of the tool is an outcome too. Raises only StoppedError."""
    if not _is_object(call.arguments):
        return _failed("The arguments are not a JSON object. They may have been cut off; call again.")
    try:
        return await guard(toolbox.call(session, call, ask))
    except KnownError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(f"The tool failed: {error.strerror or error}")
    except (ValueError, TypeError, LookupError, RuntimeError):
        log.exception("The tool %s failed.", call.name)
        return _failed("The tool failed for a reason of its own. It was not answered.")


def result(make: Callable[..., Entry], call: ToolCall, outcome: ToolOutcome) -> Entry:
    """Return the entry with a call's result. `make` is `RunStore.entry`."""
    blocks = outcome.blocks or (Text("(no output)"),)
    flags = Flag.FAILED if outcome.failed else Flag.NONE
    return make(
        Kind.MESSAGE, role=Role.TOOL_RESULT, blocks=blocks, tool=call.name, call=call.id, flags=flags,
        details=outcome.details,
    )  # fmt: skip


def unanswered(make: Callable[..., Entry], call: ToolCall, why: str) -> Entry:
    """Return the entry that says why a call has no result."""
    return result(make, call, _failed(why))


def _failed(why: str) -> ToolOutcome:
    return ToolOutcome((Text(why),), failed=True)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
