"""Turns the projection into messages that any provider accepts. It works in memory and does not change the archive.

Interrupted replies are dropped. Every call gets exactly one result right after it. Entries that no provider knows
(shell commands, custom messages, summaries) become user text. Blank and unknown blocks are dropped. The rules of
single providers belong to the request builders.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from stemmata.domain.compaction.summary.signed import SignedSummary, signed_summary
from stemmata.domain.compaction.summary.summary import model_text
from stemmata.domain.context.projection import CUT_TOKENS, Form
from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Kind, Role
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN

NO_RESULT = "No result provided"  # pi's text for a call without a result
NO_OUTPUT = "(no output)"
OPENING = "(The conversation begins with the assistant.)"


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user. `form` distinguishes a summary, after which the prompt cache is marked.

    `signed` is the signed summary that its provider is sent in place of the blocks when this is the first message.
    """

    blocks: tuple[Text | Image, ...]
    form: Form = field(default=Form.WHOLE, compare=False)
    signed: SignedSummary | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """A message of the assistant. Its thinking may be sent only to the `provider` and `model` that made it."""

    blocks: tuple[Text | Thinking | ToolCall, ...]
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class CallResult:
    """The only result of a call. `call` is the id of the call, unique within the conversation."""

    call: str
    tool: str
    blocks: tuple[Text | Image, ...]
    failed: bool = False
    form: Form = field(default=Form.WHOLE, compare=False)


CleanMessage: TypeAlias = UserMessage | Reply | CallResult


def normalize(messages: Iterable[tuple[Entry, Form]]) -> list[CleanMessage]:
    """Return the normalised messages in order. The first is the user's; a reply is followed by its calls' results.

    Call ids are those of the source; an id that is repeated gets a number (`call_0#2`).
    """
    paired = _paired([message for entry, form in messages if (message := _converted(entry, form)) is not None])
    if paired and not isinstance(paired[0], UserMessage):
        paired.insert(0, UserMessage((Text(OPENING),)))
    return paired


def pruned_line(tool: str) -> str:
    """Return the line that replaces a pruned tool result."""
    return f"[Output of {tool or 'a tool'} left out to save space]"


# -- one entry at a time --------------------------------------------------------------------------------------


def shortened(entry: Entry) -> Entry:
    """Return the entry with each long text reduced to its beginning and end."""
    return replace(entry, blocks=tuple(_shortened(block) for block in entry.blocks))


def _shortened(block: Block) -> Block:
    end = CUT_TOKENS * UNITS_PER_TOKEN // 2  # characters
    if not isinstance(block, Text) or len(block.text) <= 2 * end:
        return block
    left_out = len(block.text) - 2 * end
    return Text(f"{block.text[:end]}\n\n[{left_out} characters left out to save space]\n\n{block.text[-end:]}")


def _converted(entry: Entry, form: Form) -> CleanMessage | None:
    if form is Form.CUT:
        entry = shortened(entry)
    if Flag.EXCLUDED in entry.flags or entry.kind not in MESSAGE_KINDS:
        return None
    if entry.kind in (Kind.COMPACTION, Kind.BRANCH_SUMMARY):
        has_text = any(isinstance(block, Text) and block.text.strip() for block in entry.blocks)
        form = Form.SUMMARY if entry.kind is Kind.COMPACTION else form
        return UserMessage((Text(model_text(entry)),), form, signed_summary(entry)) if has_text else None
    if entry.role is Role.ASSISTANT:
        return _reply(entry)
    if entry.role is Role.TOOL_RESULT:
        return _result(entry, form)
    if entry.role is Role.BASH_EXECUTION:
        return UserMessage((Text(model_text(entry)),))
    if entry.role is Role.USER or entry.role is Role.CUSTOM:
        shown = _shown(entry)
        return UserMessage(shown) if shown else None
    return None


def _reply(entry: Entry) -> Reply | None:
    """Return the reply; None for an interrupted one (providers refuse half a call) and one without content."""
    if Flag.FAILED in entry.flags or Flag.ABORTED in entry.flags:
        return None
    blocks: list[Text | Thinking | ToolCall] = []
    for block in entry.blocks:
        if isinstance(block, ToolCall | Thinking) or (isinstance(block, Text) and block.text.strip()):
            blocks.append(block)
        elif isinstance(block, Image):
            blocks.append(Text("[image made by the assistant]"))
    says_something = any(not isinstance(block, Thinking) for block in blocks)
    return Reply(tuple(blocks), entry.provider, entry.model) if says_something else None


def _result(entry: Entry, form: Form) -> CallResult:
    failed = Flag.FAILED in entry.flags
    if form is Form.PRUNED:
        return CallResult(entry.call, entry.tool, (Text(pruned_line(entry.tool)),), failed, form)
    return CallResult(entry.call, entry.tool, _shown(entry) or (Text(NO_OUTPUT),), failed)


def _shown(entry: Entry) -> tuple[Text | Image, ...]:
    return tuple(
        block
        for block in entry.blocks
        if isinstance(block, Image) or (isinstance(block, Text) and block.text.strip())
    )  # fmt: skip


# -- calls and their results ----------------------------------------------------------------------------------


@dataclass(slots=True)
class _CallSlot:
    """A call and its result, None until the result is found."""

    call: ToolCall
    result: CallResult | None = None


def _paired(messages: Sequence[CleanMessage]) -> list[CleanMessage]:
    """Return the messages with one result after each call: missing ones are made up, those without a call dropped."""
    waiting: dict[str, list[_CallSlot]] = {}
    slots: list[list[_CallSlot]] = []  # one list per reply, in order
    for message in messages:
        if isinstance(message, Reply):
            slots.append(_opened(message, waiting))
        elif isinstance(message, CallResult):
            _fill(message, waiting)
    out: list[CleanMessage] = []
    names, next_slots = _CallNames(), iter(slots)
    for message in messages:
        if isinstance(message, UserMessage):
            out.append(message)
        elif isinstance(message, Reply):
            out += _with_results(message, next(next_slots), names)
    return out


def _opened(reply: Reply, waiting: dict[str, list[_CallSlot]]) -> list[_CallSlot]:
    """Return slots for the reply's calls. Results for a reused id belong to the later call."""
    opened = [_CallSlot(block) for block in reply.blocks if isinstance(block, ToolCall)]
    fresh: dict[str, list[_CallSlot]] = {}
    for slot in opened:
        fresh.setdefault(slot.call.id, []).append(slot)
    waiting.update(fresh)
    return opened


def _fill(result: CallResult, waiting: dict[str, list[_CallSlot]]) -> None:
    slot = next((slot for slot in waiting.get(result.call, ()) if slot.result is None), None)
    if slot is not None:
        slot.result = result


def _with_results(reply: Reply, slots: Sequence[_CallSlot], names: _CallNames) -> list[CleanMessage]:
    if not slots:
        return [reply]
    ids = [names.of(slot.call.id) for slot in slots]
    fresh = iter(ids)
    blocks = tuple(
        ToolCall(next(fresh), block.name, block.arguments, block.signature) if isinstance(block, ToolCall) else block
        for block in reply.blocks
    )
    results = [_answer(id, slot) for id, slot in zip(ids, slots, strict=True)]
    return [Reply(blocks, reply.provider, reply.model), *results]


def _answer(id: str, slot: _CallSlot) -> CallResult:
    if slot.result is None:
        return CallResult(id, slot.call.name, (Text(NO_RESULT),), failed=True)
    return CallResult(
        id, slot.result.tool or slot.call.name, slot.result.blocks, slot.result.failed, slot.result.form
    )


class _CallNames:
    """Makes call ids unique within the conversation, since some providers number the calls of each reply from 0."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}  # id → the last number that was tried

    def of(self, id: str) -> str:
        """Return the id, with a number when it was used before."""
        name, number = id, self._numbers.get(id, 1)
        while name in self._used:
            number += 1
            name = f"{id}#{number}"
        self._numbers[id] = number
        self._used.add(name)
        return name
