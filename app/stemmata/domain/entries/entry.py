"""One node of a session's tree: what it is, who said it, what it cost. Entries are never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from stemmata.domain.entries.blocks import Block


class Kind(IntEnum):
    """What an entry is. The numbers are stored: add, never renumber. `text` is the word used in JSON."""

    MESSAGE = 0
    COMPACTION = 1
    BRANCH_SUMMARY = 2
    CUSTOM_MESSAGE = 3
    CUSTOM = 4
    LABEL = 5
    MODEL_CHANGE = 6
    THINKING_LEVEL_CHANGE = 7
    SESSION_INFO = 8
    TOOL_PRUNE = 9
    PIN = 10
    UNKNOWN = 11
    TRASH = 12  # the target and all below it is out of sight; one named `off` brings it back
    OMISSION = 13  # below it the target is left out ("out"), cut ("cut") or sent whole again ("off")

    @property
    def text(self) -> str:
        return self.name.lower()


class Role(IntEnum):
    """Who speaks. The numbers are stored: add, never renumber. `text` is pi's word, used in JSON."""

    NONE = 0
    USER = 1
    ASSISTANT = 2
    TOOL_RESULT = 3
    BASH_EXECUTION = 4
    CUSTOM = 5
    SYSTEM = 6

    @property
    def text(self) -> str:
        return _ROLE_TEXTS[self]


_ROLE_TEXTS = {
    Role.NONE: "",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
    Role.TOOL_RESULT: "toolResult",
    Role.BASH_EXECUTION: "bashExecution",
    Role.CUSTOM: "custom",
    Role.SYSTEM: "system",
}


class Flag(IntFlag):
    """Marks of an entry. The bits are stored: add, never renumber."""

    NONE = 0
    FAILED = 1  # an assistant message that ended in an error; a tool result with is_error
    ABORTED = 2  # stopped before its end
    HIDDEN = 4  # not meant to be displayed as a card of its own
    EXCLUDED = 8  # the source keeps it out of the context (pi `excludeFromContext`, notes, sidechains)
    INJECTED = 16  # written by the tool, not typed by the person (Claude Code `isMeta`)
    REPAIRED = 32  # its parent link was mended on import
    ENDS_TURN = 64  # an assistant message whose stop reason says the turn is over
    OWN = 128  # written by Stemmata, no record of a source file
    CUT = 256  # an assistant message that ended at the longest a reply may be
    UNFINISHED = 512  # only the beginning of an assistant message, sent on as it is: its usage does not cover it
    VARIANT = 1024  # its source gives it the id of another entry, which says something else: both are kept


MESSAGE_KINDS = frozenset({Kind.MESSAGE, Kind.CUSTOM_MESSAGE, Kind.BRANCH_SUMMARY, Kind.COMPACTION})
ANNOTATION_KINDS = frozenset({Kind.LABEL, Kind.PIN, Kind.SESSION_INFO, Kind.TRASH})
SETTING_KINDS = frozenset({Kind.MODEL_CHANGE, Kind.THINKING_LEVEL_CHANGE})


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider reported for one response, in tokens. `total` is its own total, 0 when it gave none.

    `cost` is in millionths of a dollar, None when unknown.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    total: int = 0
    cost: int | None = None

    @property
    def context(self) -> int:
        """Size of the context after the reply (pi `contextTokens`): total, else the sum of the four parts."""
        return self.total or self.input + self.output + self.cache_read + self.cache_write

    @property
    def sent(self) -> int:
        """Size of the request: input + cache read + cache creation."""
        return self.input + self.cache_read + self.cache_write


def sum_of(usages: Iterable[Usage]) -> Usage:
    """What several responses took together; totals and costs that were reported are those of one alone."""
    parts = [(one.input, one.output, one.cache_read, one.cache_write, one.cache_write_1h) for one in usages]
    return Usage(*map(sum, zip(*parts, strict=True)))


@dataclass(frozen=True, slots=True)
class Record:
    """Where the entry's source record lies in its file, in bytes."""

    offset: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A whole entry, as a reader yields it and a service appends it.

    `id` and `parent` are the source's own ids. `target` is the entry meant by a compaction (first kept), a label or
    pin (the marked one), an omission (the same), a tool prune (the last one pruned) or a branch summary (the
    abandoned leaf).
    `name` is the label's text, the session's name, a custom type, a shell command (bashExecution), a thinking
    level, or "" / "off" for a pin taken back. `details` is JSON text with the extras of its kind.
    A summary's text is its only Text block.
    """

    id: str
    parent: str | None = None
    kind: Kind = Kind.MESSAGE
    role: Role = Role.NONE
    time: int = 0  # nanoseconds since the epoch, UTC; 0 = unknown
    blocks: tuple[Block, ...] = ()
    provider: str = ""
    model: str = ""
    tool: str = ""  # tool result: the tool's name
    call: str = ""  # tool result: the id of the call it answers
    target: str | None = None
    name: str = ""
    usage: Usage | None = None
    flags: Flag = Flag.NONE
    details: str = ""
    record: Record | None = None
