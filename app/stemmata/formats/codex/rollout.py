"""Follow the records of a rollout and make its entries.

Codex writes no ids and no parents: an entry follows the previous one, until a rollback takes turns back. Facts about
an entry, such as its tokens, can come some lines later, so the entries of the last part are held until a turn begins
or ends. A reading that continues starts again at the first line whose entry was held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any, TypeVar

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.errors import RereadError
from stemmata.domain.sources.reading import Blob
from stemmata.formats.codex.items import (
    EntryFields,
    call_id,
    compaction_fields,
    fields_of,
    has_failed,
    is_prompt,
    note_fields,
    outcome_of,
    tool_name,
    unknown_fields,
)
from stemmata.formats.codex.records import (
    CALLS,
    USAGE_RECORD,
    RecordRole,
    echo_of,
    item_of,
    kind_of,
    normalised,
    part_of,
    usage_of,
)
from stemmata.formats.shared.lines import Line
from stemmata.formats.shared.values import count, dump, exact_bytes, instant, mapping, text

MOST_HELD = 500  # entries
_MOST_OPEN = 1000  # calls without a result, and ends of calls without one
_MOST_TURNS = 1000  # prompts that a checkpoint remembers
_METADATA = "internal_chat_message_metadata_passthrough"
Value = TypeVar("Value")
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "reasoning": Role.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts from earlier lines that later lines depend on. Immutable: a change makes a copy."""

    turn: str = ""
    provider: str = ""
    model: str = ""
    effort: str = ""
    title: str = ""
    reported: int = 0  # tokens of the whole thread that the last `token_count` gave
    context: int = 0  # tokens of the context after the last reply
    counts_calls: bool = False  # whether a record per model call gives the tokens
    has_messages: bool = False  # whether messages are items; the first versions of some tools wrote events only
    calls: dict[str, str] = field(default_factory=dict)  # open call → tool
    outcomes: dict[str, dict[str, Any]] = field(default_factory=dict)  # call → the fields that report its end
    begun: list[str] = field(default_factory=list)  # ids of the turns that began last, before this one


@dataclass(frozen=True, slots=True)
class RolloutState:
    """The position after some lines. `turns` holds the parent of each prompt on the way to `parent`."""

    facts: Facts = Facts()
    parent: str | None = None
    turns: tuple[str | None, ...] = ()
    forgot: bool = False  # whether `turns` lacks its oldest members

    @property
    def json(self) -> dict[str, Any]:
        """The state as JSON values for `of_json`."""
        turns = self.turns[-_MOST_TURNS:]
        forgot = self.forgot or len(turns) < len(self.turns)
        return {"facts": asdict(self.facts), "parent": self.parent, "turns": list(turns), "forgot": forgot}

    @classmethod
    def of_json(cls, state: Any) -> RolloutState | None:
        """Restore a state; None when it is invalid: the archive is untrusted input here."""
        match state:
            case {
                "facts": dict(facts),
                "parent": str() | None as parent,
                "turns": list(turns),
                "forgot": bool(forgot),
            }:
                kinds = {one.name: type(getattr(Facts(), one.name)) for one in fields(Facts)}
                typed = facts.keys() == kinds.keys() and all(type(facts[key]) is kinds[key] for key in kinds)
                typed = typed and all(turn is None or isinstance(turn, str) for turn in turns)
                return cls(Facts(**facts), parent, tuple(turns), forgot) if typed else None
        return None


@dataclass(slots=True)
class _Held:
    """An entry that may still change. `echo` is the text of an event whose item may still come, else ""."""

    key: str
    time: int
    record: Record
    fields: EntryFields
    blobs: list[Blob]
    echo: str = ""

    def says(self, role: str, said: str) -> bool:
        """Return whether this is an item of the role that contains the text."""
        if self.fields.get("role") is not _ROLES[role] or self.echo:
            return False
        blocks: tuple[Block, ...] = self.fields.get("blocks", ())
        if role == "reasoning":
            return any(isinstance(block, Thinking) and said.strip() in block.text for block in blocks)
        return said.strip() in plain_text(blocks)


@dataclass(frozen=True, slots=True)
class Restart:
    """Where a later reading continues: the byte offset, the number of lines before it, and the reader's state."""

    offset: int
    lines: int
    state: RolloutState


class Rollout:
    """Make the entries of one file. `seed` makes their ids differ from those of other threads."""

    def __init__(self, seed: str, state: RolloutState, *, resumed: bool = False) -> None:
        self._seed = seed
        self._resumed = resumed
        self.facts = state.facts
        self._parent = state.parent
        self._turns = list(state.turns)
        self._forgot = state.forgot
        self._held: list[_Held] = []
        self._before = state.facts  # at the start of the line
        self._mark = (0, 0, state.facts)  # position and facts at the first line whose entry is held
        self._claimed: set[str] = set()
        self.is_certain = True  # whether ids are unique and none was left out, so that a later reading may resume
        self._line: Line | None = None
        self._time = 0

    @property
    def state(self) -> RolloutState:
        """The state after the lines so far, when no entry is held."""
        return RolloutState(self.facts, self._parent, tuple(self._turns), self._forgot)

    @property
    def leaf(self) -> str | None:
        """The id of the entry below which the next entry would be placed; None before the first entry."""
        return self._parent

    def restart(self, offset: int, lines: int) -> Restart:
        """Return where a later reading continues; `offset` and `lines` are those after the last line."""
        if not self._held:
            return Restart(offset, lines, self.state)
        start, number, facts = self._mark
        return Restart(start, number, replace(self.state, facts=facts))

    def take(self, record: dict[str, Any], line: Line) -> Iterator[Entry | Blob]:
        """Take the record of a line; yield the entries that are complete now."""
        record = normalised(record)
        self._before, self._line, self._time = self.facts, line, instant(record.get("timestamp"))
        payload = record["payload"]
        part = part_of(record)
        if part in _CLOSING:
            yield from self.settle()
        handler = _HANDLERS.get(part)
        if part is RecordRole.ITEM:
            yield from self._item(payload)
        elif handler is not None:
            handler(self, record, payload)
        ends = part is RecordRole.TURN_END or payload.get("type") == "turn_aborted"
        if ends or len(self._held) >= MOST_HELD:
            yield from self.settle()

    def settle(self, *, last: bool = False) -> Iterator[Entry | Blob]:
        """Yield the entries that are held. `last`: the file ends here, and items of events may still come."""
        for held in self._held:
            id = self._claim(held.key)
            if last and held.echo and self.facts.has_messages:
                self.is_certain = False
                continue
            yield from held.blobs
            if is_prompt(held.fields):
                self._turns.append(self._parent)
            yield Entry(id=id, parent=self._parent, time=held.time, record=held.record, **held.fields)
            self._parent = id
        self._held.clear()

    def _claim(self, key: str) -> str:
        id, number = key, 1
        while id in self._claimed:
            number += 1
            id = f"{key}~{number}"
        self.is_certain &= number == 1
        self._claimed.add(id)
        return id

    # -- holding ----------------------------------------------------------------------------------------------

    def _hold(self, entry: EntryFields, said: Any, blobs: list[Blob] | None = None, echo: str = "") -> None:
        """Hold an entry back. Its id is made from the thread, the turn and `said`."""
        assert self._line is not None
        if not self._held:
            self._mark = (self._line.offset, self._line.number - 1, self._before)
        if entry.get("role") is Role.ASSISTANT:
            entry |= {"provider": self.facts.provider, "model": self.facts.model}
        key = blake2b(exact_bytes([self._seed, self.facts.turn, said]), digest_size=8).hexdigest()
        self._held.append(_Held(key, self._time, self._line.record, entry, blobs or [], echo))

    def _replies(self) -> Iterator[_Held]:
        """Yield the held entries of the model, the newest first."""
        return (held for held in reversed(self._held) if held.fields.get("role") is Role.ASSISTANT)

    # -- items ----------------------------------------------------------------------------------------------

    def _item(self, payload: dict[str, Any]) -> Iterator[Entry | Blob]:
        blobs: list[Blob] = []
        entries = fields_of(payload, self.facts.calls, blobs)
        first = entries[0]
        is_message = not payload.get("type") or payload["type"] == "message"
        if is_message or payload.get("type") == "reasoning":
            self._drop_echoes(payload, first)
            if is_message and not self.facts.has_messages:
                self.facts = replace(self.facts, has_messages=True)
        if is_prompt(first):
            yield from self.settle()
        self._note_call(payload, first)
        for number, entry in enumerate(entries):
            self._hold(entry, [number, _said(payload, entry)], [] if number < len(entries) - 1 else blobs)

    def _drop_echoes(self, payload: dict[str, Any], entry: EntryFields) -> None:
        """Drop the held events that say the same as this item: Codex writes a message as an event and as an item."""
        role = "reasoning" if payload.get("type") == "reasoning" else text(payload.get("role"))
        if role in _ROLES:
            real = _Held("", 0, Record(0, 0), entry, [])
            same = entry.get("role")
            self._held = [
                held
                for held in self._held
                if not (held.echo and held.fields.get("role") is same and real.says(role, held.echo))
            ]

    def _note_call(self, payload: dict[str, Any], entry: EntryFields) -> None:
        """Remember an open call; or add the recorded exit code, duration and status to the result of a call."""
        id, kind = call_id(payload), text(payload.get("type"))
        if kind in CALLS or kind == "tool_search_call":
            _add(self._calls(), id, tool_name(payload))
        elif entry.get("role") is Role.TOOL_RESULT:
            told = self.facts.outcomes.get(id)
            if told:
                entry["details"] = entry.get("details") or dump(told)
                entry["flags"] |= Flag.FAILED if has_failed(told) else Flag.NONE
            if id in self.facts.calls:
                del self._calls()[id]
            if id in self.facts.outcomes:
                del self._outcomes()[id]

    def _calls(self) -> dict[str, str]:
        """Return the open calls to be changed: a copy of them, once, when a reading may start again with them.

        It starts again at the first line whose entry is held, or at this line if none is held.
        """
        if not self._held or self.facts.calls is self._mark[2].calls:
            self.facts = replace(self.facts, calls=dict(self.facts.calls))
        return self.facts.calls

    def _outcomes(self) -> dict[str, dict[str, Any]]:
        """Return the ends of calls to be changed, as `_calls` does."""
        if not self._held or self.facts.outcomes is self._mark[2].outcomes:
            self.facts = replace(self.facts, outcomes=dict(self.facts.outcomes))
        return self.facts.outcomes

    # -- other records ---------------------------------------------------------------------------------------------

    def _echo(self, _record: dict[str, Any], payload: dict[str, Any]) -> None:
        """Hold an entry made from an event that quotes a message, in case the message's own item does not follow."""
        role, said = echo_of(payload)
        if not said.strip() or any(held.says(role, said) for held in reversed(self._held)):
            return
        block: Block = Thinking(said) if role == "reasoning" else Text(said)
        entry: EntryFields = {"role": _ROLES[role], "blocks": (block,), "flags": Flag.NONE}
        self._hold(entry, [0, _said({}, entry)], echo=said)

    def _outcome(self, _record: dict[str, Any], payload: dict[str, Any]) -> None:
        call, told = outcome_of(payload)
        for held in self._held:
            if held.fields.get("call") == call and has_failed(told):
                held.fields["flags"] |= Flag.FAILED
        if call in self.facts.calls:
            _add(self._outcomes(), call, told)

    def _usage(self, record: dict[str, Any], payload: dict[str, Any]) -> None:
        """Store the tokens of a model call in its reply. A `token_count` may repeat the tokens of the last call."""
        if record["type"] == USAGE_RECORD:
            self.facts = replace(self.facts, counts_calls=True)
            self._report(usage_of(payload.get("usage")))
        elif not self.facts.counts_calls:
            info = mapping(payload.get("info"))
            reported = count(mapping(info.get("total_token_usage")).get("total_tokens"))
            if reported and reported != self.facts.reported:
                self._report(usage_of(info.get("last_token_usage")), reported)

    def _report(self, usage: Usage | None, reported: int | None = None) -> None:
        """Store the usage in the last reply. `reported` are the tokens of the whole thread, where they are told."""
        facts: dict[str, Any] = {} if reported is None else {"reported": reported}
        reply = next(self._replies(), None)
        if usage is not None and reply is not None and "usage" not in reply.fields:
            reply.fields["usage"] = usage
            facts["context"] = usage.context
        if facts:
            self.facts = replace(self.facts, **facts)

    def _settings(self, _record: dict[str, Any], payload: dict[str, Any]) -> None:
        """Begin a turn; a changed model or reasoning effort makes an entry."""
        self._begin_turn(text(payload.get("turn_id")))
        facts = self.facts
        model = text(payload.get("model"))
        chosen = mapping(mapping(payload.get("collaboration_mode")).get("settings"))
        effort = text(payload.get("effort")) or text(chosen.get("reasoning_effort"))
        self.facts = replace(facts, model=model or facts.model, effort=effort or facts.effort)
        if self.facts.model != facts.model:
            change = {"kind": Kind.MODEL_CHANGE, "provider": facts.provider, "model": model}
            self._hold(change, ["model", model])
        if self.facts.effort != facts.effort:
            self._hold({"kind": Kind.THINKING_LEVEL_CHANGE, "name": effort}, ["effort", effort])

    def _compaction(self, _record: dict[str, Any], payload: dict[str, Any]) -> None:
        entries = compaction_fields(payload)
        entries[0]["usage"] = Usage(total=self.facts.context) if self.facts.context else None
        for number, entry in enumerate(entries):
            self._hold(entry, [number, payload])

    def _turn_start(self, _record: dict[str, Any], payload: dict[str, Any]) -> None:
        self._begin_turn(text(payload.get("turn_id")))

    def _begin_turn(self, turn: str) -> None:
        """Set the turn of the following records. Raises RereadError when a resumed file repeats an earlier turn."""
        known = self.facts.turn
        if not turn or turn == known:
            return
        if self._resumed and turn in self.facts.begun:
            raise RereadError(f"{turn} occurs again.")
        begun = [*self.facts.begun[1 - _MOST_TURNS :], known] if known else self.facts.begun
        self.facts = replace(self.facts, turn=turn, begun=begun)

    def _turn_end(self, _record: dict[str, Any], _payload: dict[str, Any]) -> None:
        """Mark the last reply as the end of the turn; older versions of Codex do not mark it themselves."""
        reply = next(self._replies(), None)
        if reply is not None and not any(isinstance(block, ToolCall) for block in reply.fields["blocks"]):
            reply.fields["flags"] = reply.fields.get("flags", Flag.NONE) | Flag.ENDS_TURN

    def _rollback(self, _record: dict[str, Any], payload: dict[str, Any]) -> None:
        """Take the last turns back: they stay as a branch, and the following entries continue before them."""
        number = count(payload.get("num_turns"))
        if self._resumed and self._forgot and number > len(self._turns):
            raise RereadError(f"{number} turns are rolled back.")
        if number and self._turns:
            at = max(len(self._turns) - number, 0)
            self._parent = self._turns[at]
            del self._turns[at:]

    def _name(self, _record: dict[str, Any], payload: dict[str, Any]) -> None:
        self.facts = replace(self.facts, title=" ".join(text(payload.get("thread_name")).split())[:500])

    def _note(self, record: dict[str, Any], payload: dict[str, Any]) -> None:
        name = kind_of(record).rpartition("/")[2]
        self._hold(note_fields(name, payload), [0, payload])

    def _unknown(self, record: dict[str, Any], payload: dict[str, Any]) -> None:
        self._hold(unknown_fields(kind_of(record), payload), [0, payload])

    def _bookkeeping(self, _record: dict[str, Any], payload: dict[str, Any]) -> None:
        provider = text(mapping(item_of(payload).get("thread_settings")).get("model_provider_id"))
        if provider:
            self.facts = replace(self.facts, provider=provider)


def _add(known: dict[str, Value], id: str, value: Value) -> None:
    """Add an item to the remembered items of calls; the oldest are forgotten."""
    while len(known) > _MOST_OPEN:
        del known[next(iter(known))]
    known[id] = value


def _said(payload: dict[str, Any], entry: EntryFields) -> Any:
    """Return the part of an item that its id is made from: its text, so that an event quoting it gets the same id."""
    blocks: tuple[Block, ...] = entry.get("blocks", ())
    if entry.get("role") in (Role.USER, Role.ASSISTANT) and all(isinstance(block, Text) for block in blocks):
        return [entry["role"].text, plain_text(blocks)]
    if any(isinstance(block, Image) for block in blocks):
        return [[block.blob if isinstance(block, Image) else repr(block) for block in blocks], entry.get("call", "")]
    return {key: value for key, value in payload.items() if key != _METADATA} or [repr(block) for block in blocks]


# entries that were held before these records are complete
_CLOSING = frozenset({RecordRole.TURN_START, RecordRole.COMPACTION, RecordRole.ROLLBACK})
_HANDLERS: dict[RecordRole, Callable[[Rollout, dict[str, Any], dict[str, Any]], None]] = {
    RecordRole.ECHO: Rollout._echo,
    RecordRole.OUTCOME: Rollout._outcome,
    RecordRole.USAGE: Rollout._usage,
    RecordRole.SETTINGS: Rollout._settings,
    RecordRole.COMPACTION: Rollout._compaction,
    RecordRole.TURN_START: Rollout._turn_start,
    RecordRole.TURN_END: Rollout._turn_end,
    RecordRole.ROLLBACK: Rollout._rollback,
    RecordRole.NAME: Rollout._name,
    RecordRole.NOTE: Rollout._note,
    RecordRole.UNKNOWN: Rollout._unknown,
    RecordRole.BOOKKEEPING: Rollout._bookkeeping,
}
