"""Summaries: what a summariser gets and gives, and how a summary is put before the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stemmata.domain.compaction.operations import Operations
from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, arguments_of, plain_text
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Kind, Role
from stemmata.domain.entries.outcomes import Outcome, details_of, exit_code, outcome
from stemmata.domain.entries.tokens import units
from stemmata.domain.text.json_text import MAX_NESTING, compact_json, nests_deeper_than

COMPACTION_INTRO = "Everything said before this point has been replaced by this summary of it:"
BRANCH_INTRO = "Another branch of this conversation was left; this is a summary of what happened on it:"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryInput:
    """What is to be summarised: whole entries in the order of the path, pinned ones left out.

    `turn_prefix` is the first part of a turn whose rest is kept word for word. `previous` is the text of the
    summary these entries follow on, to be merged in; it counts also when there is nothing but a turn prefix.
    `focus` is what the person asked to keep most of. `longest` is the most tokens that the summary may have, None
    where only the summariser's own limit counts.
    """

    entries: Sequence[Entry] = ()
    turn_prefix: Sequence[Entry] = ()
    previous: str = ""
    previous_operations: Operations = field(default_factory=Operations)
    focus: str = ""
    longest: int | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """`operations` are computed from the entries and those carried, never taken from the text."""

    text: str
    operations: Operations
    summariser: str


class Summariser(Protocol):
    """Makes summaries; `name` is what the archive records as their maker."""

    name: str

    def summarise(self, given: SummaryInput) -> Summary: ...


def compaction_message(summary: str) -> str:
    """The user message that stands for a compaction."""
    return f"{COMPACTION_INTRO}\n\n<summary>\n{_closed(summary)}\n</summary>"


def branch_message(summary: str) -> str:
    """The user message that stands for a branch summary (no newline before the closing tag, as pi sends it)."""
    return f"{BRANCH_INTRO}\n\n<summary>\n{_closed(summary)}</summary>"


def _closed(summary: str) -> str:
    """A closing tag inside the summary would end it early, so it is broken up."""
    return summary.replace("</summary>", "</ summary>")


def model_text(entry: Entry) -> str:
    """The text a user message carries for this entry; for a plain message its text blocks, as pi joins them."""
    if entry.kind is Kind.COMPACTION:
        return compaction_message(plain_text(entry.blocks))
    if entry.kind is Kind.BRANCH_SUMMARY:
        return branch_message(plain_text(entry.blocks))
    if entry.role is Role.BASH_EXECUTION:
        return bash_text(entry)
    return plain_text(entry.blocks, "")


def bash_text(entry: Entry) -> str:
    """A shell command the user ran: command, output, how it ended, where the full output is (pi 0.58)."""
    output = plain_text(entry.blocks)
    parts = [f"Ran `{entry.name}`\n" + (f"```\n{output}\n```" if output else "(no output)")]
    code = exit_code(entry)
    if outcome(entry, code) is Outcome.CANCELLED:
        parts.append("(command cancelled)")
    elif code:
        parts.append(f"Command exited with code {code}")
    details = details_of(entry.details)
    if details.get("truncated") and details.get("fullOutputPath"):
        parts.append(f"[Output truncated. Full output: {details['fullOutputPath']}]")
    return "\n\n".join(parts)


LONGEST_RESULT = 2000  # UTF-16 units of a tool result that are kept


def serialise(entries: Iterable[Entry]) -> str:
    """The conversation as text. Images are left out, as are entries that are no messages or were excluded."""
    return "\n\n".join(part for entry in entries for part in _parts(entry))


def _parts(entry: Entry) -> Iterator[str]:
    if entry.kind not in MESSAGE_KINDS or entry.flags & Flag.EXCLUDED:
        return
    if entry.role is Role.ASSISTANT:
        yield from _reply_parts(entry)
    elif entry.role is Role.TOOL_RESULT:
        text = model_text(entry)
        if text:
            yield f"[Tool result]: {_cut(text)}"
    elif entry.role not in (Role.NONE, Role.SYSTEM) or entry.kind is not Kind.MESSAGE:
        text = model_text(entry)
        if text:
            yield f"[User]: {text}"


def _reply_parts(entry: Entry) -> Iterator[str]:
    """Thinking, text and calls, each gathered: how they alternated inside the message is lost."""
    thinking = [block.text for block in entry.blocks if isinstance(block, Thinking)]
    texts = [block.text for block in entry.blocks if isinstance(block, Text)]
    calls = [_call(block) for block in entry.blocks if isinstance(block, ToolCall)]
    if thinking:
        yield "[Assistant thinking]: " + "\n".join(thinking)
    if texts:
        yield "[Assistant]: " + "\n".join(texts)
    if calls:
        yield "[Assistant tool calls]: " + "; ".join(calls)


def _call(call: ToolCall) -> str:
    arguments = arguments_of(call)
    if nests_deeper_than(arguments, MAX_NESTING):
        return f"{call.name}({call.arguments})"
    return f"{call.name}({', '.join(f'{name}={compact_json(value)}' for name, value in arguments.items())})"


def _cut(text: str) -> str:
    size = units(text)
    if size <= LONGEST_RESULT:
        return text
    kept = text.encode("utf-16-le", "surrogatepass")[: 2 * LONGEST_RESULT].decode("utf-16-le", "ignore")
    return f"{kept}\n\n[... {size - LONGEST_RESULT} more characters truncated]"
