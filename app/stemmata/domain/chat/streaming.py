"""A reply as it comes: what every provider's stream is told as, and every way it can go wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from stemmata.domain.entries.blocks import Block
from stemmata.domain.entries.entry import Usage
from stemmata.domain.errors import KnownError


class StopReason(Enum):
    """Why a reply ended, as Anthropic's Messages API calls it; other APIs' reasons are mapped to these."""

    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    TOOL_USE = "tool_use"
    PAUSE_TURN = "pause_turn"
    REFUSAL = "refusal"
    CONTEXT_FULL = "model_context_window_exceeded"
    COMPACTION = "compaction"  # the reply is a summary, which was asked for
    OTHER = "other"


class BlockKind(Enum):
    TEXT = "text"
    THINKING = "thinking"
    TOOL_CALL = "tool_call"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class Began:
    """The first event: the server has taken the request. `model` as it names itself, "" when it does not."""

    message: str = ""
    model: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class BlockBegan:
    """`name` is the tool's for a call."""

    index: int
    kind: BlockKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Grew:
    """More of an open block: text, thinking, or a piece of a call's JSON arguments."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockDone:
    """A block is complete. `partial`: it is what had come when the reply broke off."""

    index: int
    block: Block
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """The last event of a reply that came to its end. `thinking` are tokens, None when not told.

    `cache_miss` says what broke the prompt cache (system, tools, messages, model), "" when unknown or not broken.
    `summarising` is what a summary by the server took: it is not in `usage`, and the size of nothing.
    """

    reason: StopReason
    usage: Usage | None = None
    thinking: int | None = None
    cache_miss: str = ""
    summarising: Usage | None = None


StreamEvent: TypeAlias = Began | BlockBegan | Grew | BlockDone | Ended


class Fault(Enum):
    """What went wrong with a request."""

    OVERFLOW = "overflow"  # longer than the model's window
    TOO_LARGE = "too-large"  # the body has too many bytes
    UNUSABLE = "unusable"  # the connection that the session names is none, or wrong in the settings
    KEY = "key"  # none, wrong, or not allowed
    MODEL = "model"  # there is no such model
    RATE_LIMIT = "rate-limit"
    MONEY = "money"
    OVERLOADED = "overloaded"
    SERVER = "server"  # 5xx
    CONNECTION = "connection"  # refused, cut, name not found
    SETUP = "setup"  # what is set here does not fit: address, certificate, proxy
    STALL = "stall"  # nothing came for too long
    GARBAGE = "garbage"  # an answer that is none
    TRUNCATED = "truncated"  # a clean end without a stop reason
    REQUEST = "request"  # refused as invalid


RETRIED = frozenset({Fault.RATE_LIMIT, Fault.OVERLOADED, Fault.SERVER, Fault.CONNECTION, Fault.STALL})


class ProviderError(KnownError):
    """A request failed. The message is for people: what happened and what to do; it never holds a key.

    `begun`: part of a reply had come; then nothing is tried again unasked. `retry_after` in seconds, as the server
    asked. `status` is the HTTP status, 0 for none. `tokens` and `limit` are those of an overflow, where told. `code`
    is the server's own name for the error, where it is one that we know.
    """

    def __init__(
        self,
        message: str,
        fault: Fault,
        *,
        status: int = 0,
        begun: bool = False,
        retry_after: float | None = None,
        tokens: int | None = None,
        limit: int | None = None,
        code: str = "",
    ) -> None:
        super().__init__(message)
        self.fault, self.status, self.begun, self.retry_after = fault, status, begun, retry_after
        self.tokens, self.limit, self.code = tokens, limit, code

    @property
    def is_retried(self) -> bool:
        """Whether the same request may work in a moment, and nothing of a reply is lost by asking again."""
        return self.fault in RETRIED and not self.begun
