"""Turn requests into entries, one change of the document after the other, so that a log may grow.

An entry never changes. So a reply becomes an entry when the request is over, or when another one follows or replaces
it; the part that a later change adds becomes a further entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.free_ids import free_id, with_free_id
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import count, instant, mapping, text
from stemmata.formats.vscode_chat.log import ID
from stemmata.formats.vscode_chat.parts import ChatSummary, Part, has_rounds, prompt_blocks, reply_parts

_OVER = (1, 2, 3)  # states of a response: complete, cancelled, failed
_CANCELLED, _FAILED = 2, 3
_COPILOT = "copilot"


@dataclass(slots=True)
class _Turn:
    """A request. `parent` is the entry before it, `end` its last entry so far."""

    id: str
    parent: str | None
    fields: dict[str, Any]
    record: Record
    end: str | None = None
    prompts: list[tuple[Block, ...]] = field(default_factory=list)
    told: list[Part] = field(default_factory=list)
    pieces: int = 0  # number of pieces of the reply that became entries
    by_rounds: bool = False


class ChatRequests:
    """The requests of a session, including requests that were cut off."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}
        self._order: list[str] = []
        self._there: set[str] = set()  # the ids in `_order`
        self._taken: set[str] = set()  # ids of the entries so far

    @property
    def leaf(self) -> str | None:
        """The last entry of the conversation as VS Code would continue it."""
        kept = None
        for id in self._order:
            if self._turns[id].fields.get("shouldBeRemovedOnSend"):
                break
            kept = self._turns[id].end
        return kept

    @property
    def is_waiting(self) -> bool:
        """Whether a reply is not over yet and is held back."""
        return any(not turn.pieces and not _is_over(turn.fields) for turn in self._turns.values())

    def settle(self, requests: Sequence[Any], records: Sequence[Record], changed: range | None) -> Iterator[Entry]:
        """Yield the entries that a change adds.

        `records` are the places in the file, one for all requests or one for each. `changed` are the places of the
        requests that were changed or added at the end: looking at all requests after each change would take too
        long. It is None when the list may be another one.
        """
        before = self._order
        if changed is None:
            self._order, self._there = [], set()
        self._name(requests)
        if changed is None:
            for id in before:
                if id not in self._there:
                    yield from self._finish(self._turns[id])
        for at in range(len(requests)) if changed is None else changed:
            id, fields = self._order[at], requests[at]
            fields = fields if isinstance(fields, dict) else {"message": fields}
            turn, record = self._turns.get(id), records[min(at, len(records) - 1)]
            if turn is None:
                last = self._turns[self._order[at - 1]] if at else None
                if last is not None:
                    yield from self._finish(last)
                turn = self._turns[id] = _Turn(id, last.end if last is not None else None, {}, record)
            if turn.fields is not fields or changed is not None:
                yield from self._update(turn, fields, record)

    def _name(self, requests: Sequence[Any]) -> None:
        """Note an id of each new request; without an id, or with the id of an earlier one, this is its place."""
        for at in range(len(self._order), len(requests)):
            id = text(mapping(requests[at]).get(ID))
            id = free_id(f"{id} ({at + 1})", self._there) if not id or id in self._there else id
            self._order.append(id)
            self._there.add(id)

    def close(self) -> Iterator[Entry]:
        """Yield the replies that were held back and will not be continued."""
        for turn in self._turns.values():
            yield from self._finish(turn)

    def _update(self, turn: _Turn, fields: dict[str, Any], record: Record) -> Iterator[Entry]:
        turn.fields = fields
        blocks = prompt_blocks(fields)
        if blocks not in turn.prompts:
            id = free_id(f"{turn.id}/{len(turn.prompts) + 1}" if turn.prompts else turn.id, self._taken)
            self._taken.add(id)
            turn.prompts.append(blocks)
            turn.end, turn.record = id, record
            yield Entry(
                id=id, parent=turn.parent, role=Role.USER, blocks=blocks, time=instant(fields.get("timestamp")),
                record=record,
            )  # fmt: skip
        if turn.pieces or _is_over(fields):
            yield from self._reply(turn, record)

    def _finish(self, turn: _Turn) -> Iterator[Entry]:
        if not turn.pieces:
            yield from self._reply(turn, turn.record, is_over=True)

    def _reply(self, turn: _Turn, record: Record, *, is_over: bool = False) -> Iterator[Entry]:
        """Yield entries for those parts of a reply that became no entry at an earlier reading."""
        if not turn.pieces:
            turn.by_rounds = has_rounds(turn.fields)
        parts = reply_parts(turn.fields, by_rounds=turn.by_rounds)
        new = [_beyond(part, turn.told) for part in parts if part not in turn.told]
        flags = _flags(turn.fields, is_over=is_over)
        if not new and (turn.pieces or not flags & (Flag.FAILED | Flag.ABORTED)):
            return
        turn.told += parts
        turn.pieces += 1
        id = f"{turn.id}/reply" + (f"+{turn.pieces}" if turn.pieces > 1 else "")
        whole = _whole(id, turn.fields, record, flags)
        for one in _entries(whole, new, turn.id):
            entry = with_free_id(one, "", self._taken)
            yield replace(entry, parent=turn.end)
            turn.end = entry.id


def _is_over(fields: dict[str, Any]) -> bool:
    state = mapping(fields.get("modelState")).get("value")
    if isinstance(state, int):
        return state in _OVER
    return fields.get("result") is not None or fields.get("isCanceled") is True


def _flags(fields: dict[str, Any], *, is_over: bool) -> Flag:
    state = mapping(fields.get("modelState")).get("value")
    if state == _FAILED or mapping(fields.get("result")).get("errorDetails"):
        return Flag.FAILED
    if state == _CANCELLED or fields.get("isCanceled") is True or (is_over and not _is_over(fields)):
        return Flag.ABORTED
    return Flag.ENDS_TURN


def _beyond(part: Part, told: Sequence[Part]) -> Part:
    """Return a text without the text before it that it continues."""
    if isinstance(part, Text):
        before = [one.text for one in told if isinstance(one, Text) and part.text.startswith(one.text)]
        return Text(part.text[len(max(before, key=len, default="")) :])
    return part


def _whole(id: str, fields: dict[str, Any], record: Record, flags: Flag) -> Entry:
    """Return the facts that all entries of a reply share."""
    result = mapping(fields.get("result"))
    metadata, timings = mapping(result.get("metadata")), mapping(result.get("timings"))
    vendor, _, model = text(fields.get("modelId")).rpartition("/")
    told = result.get("errorDetails")
    error = text(mapping(told).get("message")) or text(told or None)
    asked, took = instant(fields.get("timestamp")), instant(timings.get("totalElapsed"))
    ended = instant(mapping(fields.get("modelState")).get("completedAt")) or (asked and asked + max(0, took))
    return Entry(
        id=id, role=Role.ASSISTANT, provider="github-copilot" if vendor == _COPILOT else vendor,
        model=text(metadata.get("resolvedModel")) or model, usage=_usage(result, metadata), flags=flags,
        time=ended if abs(ended) < 1 << 63 else 0, record=record,
        details=compact_json({"errorMessage": error}) if error else "",
    )  # fmt: skip


def _usage(result: dict[str, Any], metadata: dict[str, Any]) -> Usage | None:
    told = mapping(result.get("usage"))
    sent = count(told.get("promptTokens")) or count(metadata.get("promptTokens"))
    written = count(told.get("completionTokens")) or count(metadata.get("outputTokens"))
    return Usage(input=sent, output=written) if sent or written else None


def _entries(whole: Entry, parts: Sequence[Part], prompt: str) -> Iterator[Entry]:
    """Yield the entries of a reply; a summary is between the entries before and after it."""
    segments: list[list[Block | Result]] = [[]]
    summaries: list[str] = []
    for part in parts:
        if isinstance(part, ChatSummary):
            summaries.append(part.text)
            segments.append([])
        else:
            segments[-1].append(part)
    for number, said in enumerate(segments):
        is_last = number == len(segments) - 1
        if said or (is_last and not summaries):
            one = whole if is_last else replace(whole, usage=None, flags=Flag.NONE, details="")
            goes_on = bool(said) and isinstance(said[-1], ToolCall | Result)
            flags = one.flags & ~Flag.ENDS_TURN if goes_on else one.flags
            yield from split_at_results(
                replace(one, id=f"{whole.id}~{number}" if number else whole.id, flags=flags), said
            )
        if not is_last:
            is_first = not any(map(bool, segments[: number + 1]))
            yield Entry(
                id=f"{whole.id}/summary{number + 1}", kind=Kind.COMPACTION, blocks=(Text(summaries[number]),),
                target=prompt if is_first else None, time=whole.time, record=whole.record,
            )  # fmt: skip
