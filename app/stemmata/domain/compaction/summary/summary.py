"""The input and output of summarisers, and the text in which a model receives summaries and conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stemmata.domain.compaction.operations import Operations
from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, arguments_of, plain_text
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Kind, Role
from stemmata.domain.entries.tokens import units
from stemmata.domain.text.json_text import MAX_NESTING, compact_json, nests_deeper_than
from stemmata.domain.tool_calls.outcomes import Outcome, details_of, ending

COMPACTION_INTRO = "Everything said before this point has been replaced by this summary of it:"
BRANCH_INTRO = "Another branch of this conversation was left; this is a summary of what happened on it:"


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryInput:
    """The input of a summariser: complete entries in the order of the path, without pinned ones.

    `turn_prefix` is the first part of a turn whose remaining entries are kept. `previous` is the text of the summary
    before these entries, which is merged into the new one, also when only a turn prefix is summarised. `focus` names
    the subject that the user wants kept in most detail. `longest` is the maximum of tokens for the summary, None when
    only the summariser's own limit applies. The results of `whole_tools`, in lower case, are not cut. `pause` is
    called between the steps of a long work. Entries may be read from the archive each time that they are iterated.
    """

    entries: Iterable[Entry] = ()
    turn_prefix: Iterable[Entry] = ()
    previous: str = ""
    previous_operations: Operations = field(default_factory=Operations)
    focus: str = ""
    longest: int | None = None
    whole_tools: frozenset[str] = frozenset()
    pause: Callable[[], object] = nothing

    def is_whole(self, entry: Entry) -> bool:
        """Whether the entry is a tool result that goes to the summariser as a whole."""
        return entry.role is Role.TOOL_RESULT and entry.tool.lower() in self.whole_tools


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary and its maker. `operations` are computed from entries and earlier operations, never from the text."""

    text: str
    operations: Operations
    summariser: str


class Summariser(Protocol):
    """Makes summaries. The archive stores `name` as the maker of the summary."""

    name: str

    def summarise(self, given: SummaryInput) -> Summary:
        """Return the summary of the input."""


def compaction_message(summary: str) -> str:
    """Return the user message that represents a compaction in a request."""
    return f"{COMPACTION_INTRO}\n\n<summary>\n{_escape_closing_tags(summary)}\n</summary>"


def branch_message(summary: str) -> str:
    """Return the user message for a branch summary. As in pi, no newline precedes the closing tag."""
    return f"{BRANCH_INTRO}\n\n<summary>\n{_escape_closing_tags(summary)}</summary>"


def _escape_closing_tags(summary: str) -> str:
    """Return the summary with closing tags broken up, since a closing tag inside the text would end the summary
    early.
    """
    return summary.replace("</summary>", "</ summary>")


def model_text(entry: Entry) -> str:
    """Return the text of the entry in a request; for a plain message its text blocks, joined as in pi."""
    if entry.kind is Kind.COMPACTION:
        return compaction_message(plain_text(entry.blocks))
    if entry.kind is Kind.BRANCH_SUMMARY:
        return branch_message(plain_text(entry.blocks))
    if entry.role is Role.BASH_EXECUTION:
        return bash_text(entry)
    return plain_text(entry.blocks, "")


def bash_text(entry: Entry) -> str:
    """Return the text of a shell command that the user ran: command, output, exit code, file of the full output.

    The form is that of pi 0.58.
    """
    output = plain_text(entry.blocks)
    parts = [f"Ran `{entry.name}`\n" + (f"```\n{output}\n```" if output else "(no output)")]
    ended, code = ending(entry)
    if ended is Outcome.CANCELLED:
        parts.append("(command cancelled)")
    elif code:
        parts.append(f"Command exited with code {code}")
    details = details_of(entry.details)
    if details.get("truncated") and details.get("fullOutputPath"):
        parts.append(f"[Output truncated. Full output: {details['fullOutputPath']}]")
    return "\n\n".join(parts)


LONGEST_RESULT = 2000  # UTF-16 code units to which tool results are cut where there is no room for more


def serialise(entries: Iterable[Entry], longest: int | None = LONGEST_RESULT) -> str:
    """Return the conversation as text, without images, excluded entries and entries that are not messages.

    Tool results are cut to `longest` UTF-16 code units; None leaves them whole.
    """
    return "\n\n".join(part for entry in entries for part in _parts(entry, longest))


def longest_result_within(room: int, texts: int, results: Sequence[int]) -> int | None:
    """Return the length at which the results must be cut so that everything fits; None when all fit whole.

    `room`, the size of the other `texts` and the sizes of the results are in UTF-16 code units. Short results stay
    whole, and the long ones get equal parts of the remaining room, but at least LONGEST_RESULT even if that is too
    much.
    """
    left = room - texts
    if sum(results) <= left:
        return None
    for number, size in enumerate(sorted(results)):
        share = left // (len(results) - number)
        if size > share:
            return max(share, LONGEST_RESULT)
        left -= size
    return LONGEST_RESULT  # there are no results, and the other texts do not fit


def _parts(entry: Entry, longest: int | None) -> Iterator[str]:
    if entry.kind not in MESSAGE_KINDS or entry.flags & Flag.EXCLUDED:
        return
    if entry.role is Role.ASSISTANT:
        yield from _reply_parts(entry)
    elif entry.role is Role.TOOL_RESULT:
        text = model_text(entry)
        if text:
            yield f"[Tool result]: {_cut(text, longest)}"
    elif entry.role not in (Role.NONE, Role.SYSTEM) or entry.kind is not Kind.MESSAGE:
        text = model_text(entry)
        if text:
            yield f"[User]: {text}"


def _reply_parts(entry: Entry) -> Iterator[str]:
    """Yield the thinking, the text and the tool calls of a reply, each joined; their order in the reply is lost."""
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


def _cut(text: str, longest: int | None) -> str:
    size = units(text)
    if longest is None or size <= longest:
        return text
    kept = text.encode("utf-16-le", "surrogatepass")[: 2 * longest].decode("utf-16-le", "ignore")
    return f"{kept}\n\n[... {size - longest} more characters truncated]"
