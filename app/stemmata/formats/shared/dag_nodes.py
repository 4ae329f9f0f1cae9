"""What the graph of lines is solved from: one node per line, as columns, because a file can have millions."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from enum import IntEnum

NONE = -1
MISSING = -2  # a parent that is named but stands nowhere in the file


class Part(IntEnum):
    """What a line is to the conversation."""

    NOTE = 0  # bookkeeping between messages: attachments, progress, system lines
    PROMPT = 1  # typed by the person: a turn begins
    INJECTION = 2  # user text written by the tool, within a turn
    RESULT = 3  # answers tool calls
    REPLY = 4  # a message of the model, or one part of it
    BOUNDARY = 5  # here the history before was compacted
    SUMMARY = 6  # the text that stands for it from then on


class Mend(IntEnum):
    """How a line's parent came to differ from what the line says."""

    NOTHING = 0
    INLINE = 1  # written beside the line it belongs to, kept in it
    UNLINKED = 2  # names no parent: put behind what the file holds before it
    SAME_TIME = 3  # a second line of the same instant below one parent
    REPEATED = 4  # says what an earlier line says: not an entry of its own
    ORPHAN = 5
    CYCLE = 6


@dataclass(slots=True)
class Nodes:
    """Arrays of one length. `messages` and `groups` are numbers given by the reader; NONE where a line has none.

    Lines of different groups are separate conversations. `digests` are equal for equal contents. `results` holds the
    call ids that a RESULT answers; `kept` the last message (before it in the file) that a BOUNDARY keeps.
    """

    parents: array[int] = field(default_factory=lambda: array("i"))
    parts: bytearray = field(default_factory=bytearray)
    groups: array[int] = field(default_factory=lambda: array("i"))
    times: array[int] = field(default_factory=lambda: array("q"))
    digests: array[int] = field(default_factory=lambda: array("q"))
    messages: array[int] = field(default_factory=lambda: array("i"))
    calling: bytearray = field(default_factory=bytearray)  # 1: a REPLY that calls tools
    results: dict[int, tuple[str, ...]] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.parents)
