"""A run, which is one request, its stream and the tool calls that follow: its states, events and questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from stemmata.domain.chat.streaming import StreamEvent
from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall


class Here(Enum):
    """The place of a message that names no entry: the leaf."""

    LEAF = "leaf"


HERE = Here.LEAF


class Phase(Enum):
    """The phase of a run. IDLE means no run. INTERRUPTED and FAILED last until the user acts."""

    IDLE = "idle"
    PREPARING = "preparing"  # storing the message, building the request
    COMPACTING = "compacting"  # because the request would not fit, or the provider refused it as too large
    WAITING = "waiting"  # the request is sent and no part of the reply has come
    STREAMING = "streaming"
    TOOLS = "tools"  # tools are running
    ASKING = "asking"  # a tool call waits for the user's consent
    RETRYING = "retrying"  # waits until `retry_at`
    STOPPING = "stopping"
    INTERRUPTED = "interrupted"  # the reply broke off after it had begun; offers Continue and Retry
    FAILED = "failed"  # the request was refused or failed before the reply began


BUSY = frozenset(Phase) - {Phase.IDLE, Phase.INTERRUPTED, Phase.FAILED}


class CompactionStage(Enum):
    """The stage of an automatic compaction."""

    AWAITED = "awaited"  # begins at a known time, unless the user refuses it
    WRITING = "writing"  # the summary is being written
    OVER = "over"  # it was stored, refused, or has failed; or there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The state of a session's run. `tip` is the store key of the entry that the next entry is appended to.

    `retry_at` is in nanoseconds since the epoch. `problem` is a text for the user; in the phase IDLE it says that the
    reply may be incomplete. `offers` are the actions against the problem: "continue", "retry", "compact", "connect",
    "model", "settings", "limit" (of the reply's length), "digest" (after a model wrote no summary), and for an entry
    that is too large for the context window (`entry`, a store key) "cut", "exclude", "summarise", "take-back".
    `remark` names parts of the context that the model does not accept. `beside` is the store key of an entry that
    another process appended meanwhile; in this case, this run is on a separate branch. `compaction` is the stage of
    an automatic compaction of the session, which needs no run; `compacts_at` is the time when it begins, in
    nanoseconds since the epoch.
    """

    session: int
    run: int = 0  # the number of the run, counted over all sessions
    phase: Phase = Phase.IDLE
    tip: int | None = None
    connection: str = ""
    model: str = ""
    attempt: int = 1
    retry_at: int = 0
    problem: str = ""
    offers: tuple[str, ...] = ()
    tool: str = ""  # the tool that is running
    remark: str = ""
    beside: int | None = None
    entry: int | None = None
    compaction: CompactionStage = CompactionStage.OVER
    compacts_at: int = 0

    @property
    def is_busy(self) -> bool:
        """Whether the run is active and waits for no action of the user except consent."""
        return self.phase in BUSY


@dataclass(frozen=True, slots=True)
class RunChanged:
    """The state of a run has changed."""

    state: RunState


@dataclass(frozen=True, slots=True)
class Streamed:
    """One event of a reply that is streaming. `step` counts the replies of the run, from 0."""

    session: int
    run: int
    step: int
    event: StreamEvent


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry of the run was stored. The card of a stored reply replaces the card of its stream."""

    session: int
    run: int
    step: int
    entry: int  # store key


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedMessage:
    """A message that waits until the run ends. No projection contains it until it is delivered."""

    key: int
    blocks: tuple[Block, ...]
    time: int


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The queue of a session has changed; `queued` are its messages."""

    session: int
    queued: tuple[QueuedMessage, ...]


class Consent(Enum):
    """The user's answer to a tool's question. ALWAYS and NEVER hold for the tool in the session's folder."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"
    NEVER = "never"  # refused now and later, for this tool and folder
    REFUSED = "refused"  # refused only this time


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A tool's question for consent before it acts. `origin` is "Stemmata" or the name of the tool's MCP server."""

    session: int
    run: int
    call: str
    tool: str
    origin: str
    arguments: str  # compact JSON text
    folder: str = ""
    why: str = ""  # the reason for the question: "writes", "runs", "leaves the machine"


@dataclass(frozen=True, slots=True)
class ConsentAsked:
    """A tool asks for consent."""

    question: Question


@dataclass(frozen=True, slots=True)
class AutoCompacting:
    """An automatic compaction of a session has entered a stage. `begins_at` is in nanoseconds since the epoch."""

    session: int
    stage: CompactionStage
    begins_at: int = 0


@dataclass(frozen=True, slots=True)
class Noticed:
    """A notice about an automatic pruning or compaction, which is also a note in the session.

    `title` is its first line. `tip` is the store key of the note. `offers_digest` is true when a model failed to
    write a summary, which the digest can do.
    """

    session: int
    text: str
    title: str
    tip: int
    offers_digest: bool = False
    has_changed: bool = True  # whether the context became smaller; False for a failure


@dataclass(frozen=True, slots=True)
class SessionContinued:
    """An automatic compaction has begun the session `to`, in which the conversation of `session` goes on.

    `text` is the notice that is also the last note of the new session; "" when notices are off.
    """

    session: int
    to: int
    text: str = ""


RunEvent: TypeAlias = (
    RunChanged | Streamed | Stored | QueueChanged | ConsentAsked | AutoCompacting | Noticed | SessionContinued
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMessage:
    """A message to be sent. `files` are the bytes of its attachments by their SHA-256 in hex."""

    blocks: tuple[Block, ...]
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The result of a tool call. Every result is sent to the model; `failed` marks it as an error.

    `details` is JSON text that is stored with the result and not sent. `files` are bytes of images by their SHA-256.
    """

    blocks: tuple[Block, ...]
    failed: bool = False
    details: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run that the archive lists as active. `owner` is its process, as "pid:start time"."""

    run: int
    session: int
    owner: str
    tip: int | None
    connection: str
    model: str
    started: int


@dataclass(frozen=True, slots=True)
class Partial:
    """A stored block of a reply that has not ended. `whole`: the block is complete."""

    step: int
    position: int
    block: Block
    whole: bool


@dataclass(frozen=True, slots=True)
class PartialText:
    """Text that was added to a block after its Partial or its last PartialText was stored."""

    step: int
    position: int
    text: str


def append_text(block: Block, text: str) -> Block:
    """Return the block with `text` appended to its text or arguments. A call without arguments gets `{}`."""
    match block:
        case Text() | Thinking():
            return replace(block, text=block.text + text)
        case ToolCall():
            return replace(block, arguments=block.arguments + text or "{}")
        case _:
            return block
