"""The events of a streaming reply, the same for all providers, and the kinds of its failures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from stemmata.domain.entries.blocks import Block
from stemmata.domain.entries.entry import Usage
from stemmata.domain.errors import KnownError


class StopReason(Enum):
    """Why a reply ended, in the terms of Anthropic's Messages API; the reasons of other APIs are mapped to these."""

    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    TOOL_USE = "tool_use"
    PAUSE_TURN = "pause_turn"
    REFUSAL = "refusal"
    CONTEXT_FULL = "model_context_window_exceeded"
    COMPACTION = "compaction"  # the reply is a summary that was requested
    OTHER = "other"


class BlockKind(Enum):
    """The kinds of blocks in a streaming reply."""

    TEXT = "text"
    THINKING = "thinking"
    TOOL_CALL = "tool_call"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class ReplyStarted:
    """The first event: the server accepted the request. `model` is the name it reports, "" for none."""

    message: str = ""
    model: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class BlockStarted:
    """A block has begun. `name` is the tool's name for a tool call."""

    index: int
    kind: BlockKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class BlockGrew:
    """An open block has grown by a piece of text, thinking or a call's JSON arguments."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockDone:
    """A block has ended. `partial`: the reply broke off inside the block."""

    index: int
    block: Block
    partial: bool = False


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """The last event of a complete reply. `thinking` is the number of thinking tokens, None when not reported.

    `cache_miss` is the part that broke the prompt cache (system, tools, messages, model), "" when unknown or none.
    `summarising` is the usage of a summary that the server made, which is not included in `usage`.
    """

    reason: StopReason
    usage: Usage | None = None
    thinking: int | None = None
    cache_miss: str = ""
    summarising: Usage | None = None


StreamEvent: TypeAlias = ReplyStarted | BlockStarted | BlockGrew | BlockDone | ReplyEnded


class Fault(Enum):
    """The cause of a failed request."""

    OVERFLOW = "overflow"  # the request is longer than the model's context window
    TOO_LARGE = "too-large"  # the body has too many bytes
    UNUSABLE = "unusable"  # the session's connection does not exist or is invalid in the settings
    KEY = "key"  # the key is missing, wrong or has no permission
    MODEL = "model"  # the model does not exist
    RATE_LIMIT = "rate-limit"
    MONEY = "money"
    OVERLOADED = "overloaded"
    SERVER = "server"  # 5xx
    CONNECTION = "connection"  # connection refused or lost, host name not found
    SETUP = "setup"  # a setting of the connection is wrong: address, certificate, proxy
    STALL = "stall"  # no data came for too long
    GARBAGE = "garbage"  # the answer is not in the form of the API
    TRUNCATED = "truncated"  # the stream ended without a stop reason
    REQUEST = "request"  # the server refused the request as invalid


RETRIED = frozenset({Fault.RATE_LIMIT, Fault.OVERLOADED, Fault.SERVER, Fault.CONNECTION, Fault.STALL})


class ProviderError(KnownError):
    """A request failed. The message tells the user what happened and what to do; it never contains a key.

    `begun`: part of the reply had come, so the request is not repeated automatically. `retry_after` is the wait in
    seconds that the server asked for. `status` is the HTTP status, 0 for none. `tokens` and `limit` describe an
    overflow, None when not reported. `code` is the server's name of the error when it is a known one.
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
        """Whether the request is repeated automatically: it may succeed later, and no part of a reply is lost."""
        return self.fault in RETRIED and not self.begun
