"""Split the content of a message into entries: each tool result is an entry between the text before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from stemmata.domain.entries.blocks import Block
from stemmata.domain.entries.entry import Entry, Flag, Role


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a tool call, among the blocks of a message. `call` is the id of the call."""

    call: str
    tool: str
    blocks: tuple[Block, ...]
    failed: bool = False


def split_at_results(whole: Entry, parts: Iterable[Block | Result]) -> Iterator[Entry]:
    """Yield the entries of a message, at least one.

    `whole` has the facts that all entries share; its flags, details and usage belong to the last entry that is no
    result, if there is one. A message without parts is an entry without blocks. The ids are that of the message, then
    `…#2`, `…#3`.
    """
    out: list[Entry] = []
    said: list[Block] = []
    for part in parts:
        if not isinstance(part, Result):
            said.append(part)
            continue
        if said:
            out.append(replace(whole, blocks=tuple(said), usage=None, flags=Flag.NONE, details=""))
            said = []
        out.append(_result(whole, part))
    if said or not out:
        out.append(replace(whole, blocks=tuple(said), usage=None, flags=Flag.NONE, details=""))
    last = max((at for at, entry in enumerate(out) if entry.role == whole.role), default=None)
    if last is not None:
        out[last] = replace(out[last], usage=whole.usage, flags=whole.flags, details=whole.details)
    for at, entry in enumerate(out):
        yield replace(entry, id=f"{whole.id}#{at + 1}" if at else whole.id)


def _result(whole: Entry, result: Result) -> Entry:
    return Entry(
        id=whole.id, role=Role.TOOL_RESULT, time=whole.time, record=whole.record, blocks=result.blocks,
        tool=result.tool, call=result.call, flags=Flag.FAILED if result.failed else Flag.NONE,
    )  # fmt: skip
