"""Read a log with one message per line, in which each message follows the one before it.

After a rewind, some tools write the messages that remain once more, and continue behind them. So a line that repeats
an earlier message adds nothing: the next message follows that message, and what came between becomes a branch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.entries.blocks import Block, ToolCall
from stemmata.domain.entries.entry import Entry, Flag
from stemmata.domain.sources.reading import Blob, Raw, ReadEvent, Repaired, Skipped
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.lines import Line, SourceLines, object_in
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import BadLineError


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a log. `whole` has its id and the facts that all of its entries share.

    `follows` is the id of the message before it, if the file names one. After a message that `ends_talk`, the
    conversation starts again without it.
    """

    whole: Entry
    parts: tuple[Block | Result, ...] = ()
    blobs: tuple[Blob, ...] = ()
    follows: str = ""
    ends_talk: bool = False


class MessageLog:
    """The messages of a file. `leaf` and `is_damaged` are valid after `events`.

    `read` converts a line; it returns the reason when the line is skipped, and "" for a line whose facts the session
    has. The events are the same for a file that has grown, except for those of its new lines.
    """

    def __init__(self, lines: SourceLines, read: Callable[[dict[str, Any], Line], Message | str]) -> None:
        self.leaf: str | None = None
        self.is_damaged = False
        self._lines = lines
        self._read = read
        self._ends: dict[str, str | None] = {}  # message → its last entry; None where the conversation starts again
        self._known: dict[tuple[str, bytes], str] = {}  # id in the file and hash of the line → message
        self._taken: set[str] = set()  # ids of entries
        self._tools: dict[str, str] = {}  # call → tool

    def events(self) -> Iterator[ReadEvent]:
        """Yield the bytes of the file, its entries, and the lines that are none."""
        for part in self._lines:
            if isinstance(part, Raw):
                yield part
                continue
            try:
                found = self._read(object_in(part), part)
            except BadLineError as error:
                found = str(error)
            if isinstance(found, Message):
                yield from self._placed(found, part)
            elif found:
                self.is_damaged = True
                yield Skipped(part.number, found)

    def _placed(self, message: Message, line: Line) -> Iterator[ReadEvent]:
        """Yield the entries of a message below the message that it follows; nothing for a repeated message."""
        named = message.whole.id
        line_key = (named, hashlib.sha256(line.data or b"").digest())
        if line_key in self._known:
            self.leaf = self._ends[self._known[line_key]]
            return
        id = self._known[line_key] = free_id(named, self._ends)
        if id != named:
            yield Repaired(f"The id {named} is that of several messages. All are kept, this one as {id}.", id)
        is_lost = bool(message.follows) and message.follows not in self._ends
        if is_lost:
            self.is_damaged = True
            yield Repaired(
                f"The message before it, {message.follows}, is not in the file: it follows the previous line.", id
            )
        yield from message.blobs
        whole = replace(message.whole, id=id, record=line.record)
        last = self._ends.get(message.follows, self.leaf)
        for entry in self._entries(whole, message.parts, last, Flag.REPAIRED if is_lost else Flag.NONE):
            yield entry
            last = entry.id
        self.leaf = self._ends[id] = None if message.ends_talk else last

    def _entries(
        self, whole: Entry, parts: tuple[Block | Result, ...], parent: str | None, flags: Flag
    ) -> Iterator[Entry]:
        """Yield the entries of a message, one below the other, with free ids. The first one gets the flags."""
        for entry in split_at_results(whole, map(self._with_tool, parts)):
            id = free_id(entry.id, self._taken)
            self._taken.add(id)
            yield replace(entry, id=id, parent=parent, flags=entry.flags | flags)
            parent, flags = id, Flag.NONE

    def _with_tool(self, part: Block | Result) -> Block | Result:
        """Note the tool of a call, and name the tool of a result, which only its call names."""
        if isinstance(part, ToolCall):
            self._tools[part.id] = part.name
        elif isinstance(part, Result) and not part.tool:
            return replace(part, tool=self._tools.get(part.call, ""))
        return part
