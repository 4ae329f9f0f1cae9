"""A run, one request and its stream with the tool calls that follow from it, as everybody sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from stemmata.domain.chat.streaming import StreamEvent
from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall


class Here(Enum):
    """Where a message goes that names no entry."""

    LEAF = "leaf"


HERE = Here.LEAF


class Phase(Enum):
    """What a run is doing. IDLE: there is no run. INTERRUPTED and FAILED stay until the person acts."""

    IDLE = "idle"
    PREPARING = "preparing"  # storing the message, building the request
    COMPACTING = "compacting"  # the request would not fit, or did not
    WAITING = "waiting"  # sent, no byte yet
    STREAMING = "streaming"
    TOOLS = "tools"  # calls are being answered
    ASKING = "asking"  # a call waits for the person's consent
    RETRYING = "retrying"  # until `retry_at`
    STOPPING = "stopping"
    INTERRUPTED = "interrupted"  # broken after the first byte: Continue or Retry
    FAILED = "failed"  # refused, or given up before the first byte


BUSY = frozenset(Phase) - {Phase.IDLE, Phase.INTERRUPTED, Phase.FAILED}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """Where the session's run stands. `tip` is the store key of the entry the next one hangs from.

    `retry_at` in ns since the epoch; `problem` is for people; `offers` are what may be done about it, of
    "continue", "retry", "compact", "connect", "model", "settings", "limit" (of a reply's length), and of what is too
    large for the window, `entry` by its store key: "cut", "exclude", "summarise", "take-back". A run that is
    IDLE tells a problem where its reply came to an end that may not be the end. `remark` is said beside what it does:
    what of the context the model does not take. `beside` is the store key of what another process
    said in the session meanwhile, so that this run is on a branch of its own.
    """

    session: int
    run: int = 0  # counts up, over all sessions
    phase: Phase = Phase.IDLE
    tip: int | None = None
    connection: str = ""
    model: str = ""
    attempt: int = 1
    retry_at: int = 0
    problem: str = ""
    offers: tuple[str, ...] = ()
    tool: str = ""  # being answered now
    remark: str = ""
    beside: int | None = None
    entry: int | None = None

    @property
    def is_busy(self) -> bool:
        return self.phase in BUSY


@dataclass(frozen=True, slots=True)
class RunChanged:
    state: RunState


@dataclass(frozen=True, slots=True)
class Streamed:
    """One event of the reply that is streaming. `step` counts the replies of the run, from 0."""

    session: int
    run: int
    step: int
    event: StreamEvent


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry of the run is in the archive; for a reply, its open card gives way to it."""

    session: int
    run: int
    step: int
    entry: int  # store key


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """A message that waits until the run ends. Excluded from every projection until it is delivered."""

    key: int
    blocks: tuple[Block, ...]
    time: int


@dataclass(frozen=True, slots=True)
class QueueChanged:
    session: int
    queued: tuple[Queued, ...]


class Consent(Enum):
    """The person's answer to a tool that asks. ALWAYS holds for the tool in the session's folder."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"
    NEVER = "never"  # refused, for this tool and folder from now on
    REFUSED = "refused"  # this once


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A tool asks before it acts. `origin` says whose tool it is: "Stemmata", or the name of an MCP server."""

    session: int
    run: int
    call: str
    tool: str
    origin: str
    arguments: str  # compact JSON text
    folder: str = ""
    why: str = ""  # what it would do: "writes", "runs", "leaves the machine"


@dataclass(frozen=True, slots=True)
class Asked:
    question: Question


RunEvent: TypeAlias = RunChanged | Streamed | Stored | QueueChanged | Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """What the person sends. `files` are attachments whose bytes are to be stored, by their SHA-256 in hex."""

    blocks: tuple[Block, ...]
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool answers. Every outcome reaches the model; `failed` marks it as an error.

    `details` is JSON text that is kept with the result and not sent. `files` are bytes of images by their SHA-256.
    """

    blocks: tuple[Block, ...]
    failed: bool = False
    details: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run that the archive holds as under way. `owner` is the process: "pid:start time"."""

    run: int
    session: int
    owner: str
    tip: int | None
    connection: str
    model: str
    started: int


@dataclass(frozen=True, slots=True)
class Partial:
    """A block of a reply that has not ended. `whole`: the block is complete, else what had come of it."""

    step: int
    position: int
    block: Block
    whole: bool


@dataclass(frozen=True, slots=True)
class PartialText:
    """Text that a block has grown by since its Partial, or since the last PartialText, was stored."""

    step: int
    position: int
    text: str


def grown(block: Block, text: str) -> Block:
    """The block with `text` appended: to a call's arguments, else to the text. A call without arguments gets {}."""
    match block:
        case Text() | Thinking():
            return replace(block, text=block.text + text)
        case ToolCall():
            return replace(block, arguments=block.arguments + text or "{}")
        case _:
            return block
