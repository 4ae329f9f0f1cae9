"""The entry: one node of a session's tree, with its kind, role, content and usage. Entries are never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import NamedTuple, Self

from stemmata.domain.entries.blocks import Block


class Kind(IntEnum):
    """The kind of an entry. The archive stores the numbers: add new ones, never renumber."""

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
    TRASH = 12  # moves the target and all entries below it to the trash; with the name `off` it restores them
    OMISSION = 13  # from here on the target is left out of requests ("out"), shortened ("cut") or sent whole ("off")
    SKILL = 14  # from here on the system prompt holds the text of the skill called `name`; without a text, no longer

    @property
    def text(self) -> str:
        """The kind as a word, as the output in JSON has it."""
        return self.name.lower()


class Role(IntEnum):
    """The speaker of a message. The archive stores the numbers: add new ones, never renumber."""

    NONE = 0
    USER = 1
    ASSISTANT = 2
    TOOL_RESULT = 3
    BASH_EXECUTION = 4
    CUSTOM = 5
    SYSTEM = 6

    @property
    def text(self) -> str:
        """The role as a word, as the output in JSON has it, the same as in pi's session files."""
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
PRINTED = frozenset({Role.TOOL_RESULT, Role.BASH_EXECUTION})  # roles whose texts are the output of programs


class Flag(IntFlag):
    """Marks of an entry. The archive stores the bits: add new ones, never renumber."""

    NONE = 0
    FAILED = 1  # an assistant message that ended in an error; a tool result with is_error
    ABORTED = 2  # an assistant message that was stopped before its end
    HIDDEN = 4  # has no card of its own in the transcript
    EXCLUDED = 8  # the source keeps it out of the context (pi `excludeFromContext`, notes, sidechains)
    INJECTED = 16  # a user message that the tool wrote, not the person (Claude Code `isMeta`)
    REPAIRED = 32  # the import corrected its parent link
    ENDS_TURN = 64  # an assistant message whose stop reason says that the turn is over
    OWN = 128  # written by Stemmata, not read from a source file
    CUT = 256  # an assistant message that ended at the limit of output tokens
    UNFINISHED = 512  # the beginning of an assistant message whose usage report does not cover all of its content
    VARIANT = 1024  # the source uses the id of this entry for another entry with other content; both are kept
    REMOVED = 2048  # the tool removed this entry from its source after it was imported; the archive keeps it

    def __and__(self, other: int) -> Self:
        """Return the marks that both have. Most entries have none; the inherited method takes ten times as long."""
        return super().__and__(other) if self else self


MESSAGE_KINDS = frozenset({Kind.MESSAGE, Kind.CUSTOM_MESSAGE, Kind.BRANCH_SUMMARY, Kind.COMPACTION})
ANNOTATION_KINDS = frozenset({Kind.LABEL, Kind.PIN, Kind.SESSION_INFO, Kind.TRASH})
SETTING_KINDS = frozenset({Kind.MODEL_CHANGE, Kind.THINKING_LEVEL_CHANGE})
# kinds that are no step of the conversation: the navigator shows them only when it shows everything
BOOKKEEPING_KINDS = ANNOTATION_KINDS | SETTING_KINDS | {Kind.CUSTOM, Kind.TOOL_PRUNE, Kind.OMISSION, Kind.SKILL}


@dataclass(frozen=True, slots=True)
class Usage:
    """The token counts that a provider reported for one response.

    `total` is the provider's own total, 0 when it gave none. `cost` is in millionths of a dollar, None when unknown.
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
        """Tokens of the context after the reply (pi's `contextTokens`): the total, else the sum of the four parts."""
        return self.total or self.input + self.output + self.cache_read + self.cache_write

    @property
    def sent(self) -> int:
        """Tokens of the request: input + cache read + cache creation."""
        return self.input + self.cache_read + self.cache_write


class FixedParts(NamedTuple):
    """The estimated tokens of a request before its messages: the system prompt and the tool definitions.

    `tools` is None when only the sum of both is known, which is in `system` then. `added` are tokens that the server
    reports although they are not in the text of the request.
    """

    system: int
    tools: int | None = None
    added: int = 0

    @property
    def total(self) -> int:
        """Tokens of all parts."""
        return self.system + (self.tools or 0) + self.added


def sum_of(usages: Iterable[Usage]) -> Usage:
    """Return the sum of the token counts of several responses; reported totals and costs are left out."""
    parts = [(one.input, one.output, one.cache_read, one.cache_write, one.cache_write_1h) for one in usages]
    return Usage(*map(sum, zip(*parts, strict=True)))


class Record(NamedTuple):
    """The position of the entry's record in its source file, in bytes."""

    offset: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A complete entry, as format readers yield it and services append it.

    `id` and `parent` are the ids of the source. `target` is the id of the entry that this one refers to: the first
    kept entry of a compaction, the marked entry of a label, pin or omission, the last pruned result of a tool prune,
    the abandoned leaf of a branch summary. `name` is the text of a label, the name of a session, a custom type, a
    shell command (bashExecution), a thinking level, a skill, or "off" for a mark that is removed. `details` is JSON
    text with further fields of the kind. A summary's text is its only Text block. `fixed` are the sizes that Stemmata
    measured in the request that this entry answers; None for every other entry.
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
    fixed: FixedParts | None = None
