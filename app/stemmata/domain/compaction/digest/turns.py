"""Turns as a digest tells them: a request of a person and what answers it, up to the next request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from stemmata.domain.compaction.operations import Operations, operations_of
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role

_TRIVIAL = 3  # words of a request that says nothing alone: "ok, continue"


@dataclass(frozen=True)
class Turn:
    """`request` is None when the entries begin in the middle of a turn."""

    request: Entry | None
    answers: Sequence[Entry]

    @cached_property
    def text(self) -> str:
        """The request, word for word."""
        return "" if self.request is None else plain_text(self.request.blocks).strip()

    @cached_property
    def replies(self) -> list[str]:
        """The texts of the assistant, those of replies that broke off too."""
        texts = (plain_text(entry.blocks, "\n\n").strip() for entry in self.answers if entry.role is Role.ASSISTANT)
        return [text for text in texts if text]

    @cached_property
    def operations(self) -> Operations:
        return operations_of(self.answers)

    @cached_property
    def has_calls(self) -> bool:
        return any(isinstance(block, ToolCall) for entry in self.answers for block in entry.blocks)

    @property
    def is_trivial(self) -> bool:
        """Whether neither the request nor what followed needs to be told."""
        return self.request is not None and len(self.text.split()) <= _TRIVIAL and not self.has_calls

    @property
    def is_ended(self) -> bool:
        """Whether the model answered to the end: its last message is whole and asks for no tool."""
        last = next((entry for entry in reversed(self.answers) if entry.role is Role.ASSISTANT), None)
        if last is None or last.flags & (Flag.ABORTED | Flag.FAILED):
            return False
        return bool(last.flags & Flag.ENDS_TURN) or not any(isinstance(block, ToolCall) for block in last.blocks)


def turns_of(entries: Iterable[Entry]) -> list[Turn]:
    """The entries as turns. What a tool wrote in the person's name starts none."""
    out: list[tuple[Entry | None, list[Entry]]] = []
    for entry in entries:
        if entry.flags & Flag.EXCLUDED:
            continue
        if is_request(entry):
            out.append((entry, []))
        else:
            if not out:
                out.append((None, []))
            out[-1][1].append(entry)
    return [Turn(request, answers) for request, answers in out]


def is_request(entry: Entry) -> bool:
    """Whether a person typed it: a user message with text that no tool injected."""
    if entry.kind is not Kind.MESSAGE or entry.role is not Role.USER or entry.flags & Flag.INJECTED:
        return False
    return any(isinstance(block, Text) and block.text.strip() for block in entry.blocks)
