"""From the projection to messages any provider can take: in memory only, the archive is never rewritten.

Replies that broke off are dropped, every call gets exactly one result right behind it, what no provider knows (shell
commands, custom messages, summaries) becomes text of the user, blank and foreign blocks go. What is peculiar to one
provider is left to the request builders.
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

NO_RESULT = "No result provided"  # pi's words for a call that was never answered
NO_OUTPUT = "(no output)"
OPENING = "(The conversation begins with the assistant.)"


@dataclass(frozen=True, slots=True)
class UserMessage:
    """`form` tells a summary from what somebody said: a prompt cache is marked behind it.

    `signed`: what its provider is sent in place of the blocks, where it stands first.
    """

    blocks: tuple[Text | Image, ...]
    form: Form = field(default=Form.WHOLE, compare=False)
    signed: SignedSummary | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """A message of the assistant. `provider` and `model` made it: their thinking means nothing to another."""

    blocks: tuple[Text | Thinking | ToolCall, ...]
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class CallResult:
    """The one result of a call. `call` is its id, unique within the conversation and the same as in the call."""

    call: str
    tool: str
    blocks: tuple[Text | Image, ...]
    failed: bool = False
    form: Form = field(default=Form.WHOLE, compare=False)


CleanMessage: TypeAlias = UserMessage | Reply | CallResult


def clean(messages: Iterable[tuple[Entry, Form]]) -> list[CleanMessage]:
    """Clean messages in order. The first is the user's; each reply's results follow it in the order of its calls.

    Call ids are those of the source where they are unique; a repeated id gets a number (`call_0#2`).
    """
    paired = _paired([message for entry, form in messages if (message := _converted(entry, form)) is not None])
    if paired and not isinstance(paired[0], UserMessage):
        paired.insert(0, UserMessage((Text(OPENING),)))
    return paired


def pruned_line(tool: str) -> str:
    """What stands for a tool result that was pruned."""
    return f"[Output of {tool or 'a tool'} left out to save space]"


# -- one entry at a time --------------------------------------------------------------------------------------


def shortened(entry: Entry) -> Entry:
    """The entry with the beginning and the end of each long text alone."""
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
    """None for a reply that broke off (no provider takes half a call) and for one that says nothing."""
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
class _Slot:
    """A call that waits for its result."""

    call: ToolCall
    result: CallResult | None = None


def _paired(messages: Sequence[CleanMessage]) -> list[CleanMessage]:
    """Results behind their calls, one each: made up where none came, dropped where no call waits for them."""
    waiting: dict[str, list[_Slot]] = {}
    slots: list[list[_Slot]] = []  # of each reply, in order
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


def _opened(reply: Reply, waiting: dict[str, list[_Slot]]) -> list[_Slot]:
    """Slots for the reply's calls. An id that is used again no longer waits for its earlier call."""
    opened = [_Slot(block) for block in reply.blocks if isinstance(block, ToolCall)]
    fresh: dict[str, list[_Slot]] = {}
    for slot in opened:
        fresh.setdefault(slot.call.id, []).append(slot)
    waiting.update(fresh)
    return opened


def _fill(result: CallResult, waiting: dict[str, list[_Slot]]) -> None:
    slot = next((slot for slot in waiting.get(result.call, ()) if slot.result is None), None)
    if slot is not None:
        slot.result = result


def _with_results(reply: Reply, slots: Sequence[_Slot], names: _CallNames) -> list[CleanMessage]:
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


def _answer(id: str, slot: _Slot) -> CallResult:
    if slot.result is None:
        return CallResult(id, slot.call.name, (Text(NO_RESULT),), failed=True)
    return CallResult(
        id, slot.result.tool or slot.call.name, slot.result.blocks, slot.result.failed, slot.result.form
    )


class _CallNames:
    """Ids that are unique within the conversation; some providers count their calls anew in each reply."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}  # by id, the last one that was tried

    def of(self, id: str) -> str:
        name, number = id, self._numbers.get(id, 1)
        while name in self._used:
            number += 1
            name = f"{id}#{number}"
        self._numbers[id] = number
        self._used.add(name)
        return name
