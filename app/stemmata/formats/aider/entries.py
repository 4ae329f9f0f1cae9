"""Turn the groups of a run into entries, each the child of the previous one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stemmata.domain.entries.blocks import Block, Text, Thinking
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.formats.aider.history import AiderRun
from stemmata.formats.aider.talk import Group, Printed, Speaker, groups, printed
from stemmata.formats.shared.values import count, millionths

_THINKING = re.compile(r"<(thinking-content-[0-9a-f]{32})>\n?(.*?)(?:</\1>\n*|\Z)", re.DOTALL)
_CLEARED = ("/clear", "/reset")
_NOT_SENT = ("/", "!")  # commands to Aider and to the shell
_BLANK = "<blank>"  # the text that Aider writes for an empty prompt


class RunEntries:
    """The entries of a run. `leaf` and `restored` are valid after the iteration.

    `restored`: the run began with the conversation that the file already contained.
    """

    def __init__(self, run: AiderRun, time: int) -> None:
        self.leaf: str | None = None
        self.restored = False
        self._run = run
        self._time = time
        self._model = ""
        self._is_clear = False  # whether the next prompt begins a new context
        self._has_begun = False  # whether the person has typed something
        self._is_stopped = False

    def __iter__(self) -> Iterator[Entry]:
        found = list(groups(self._run.lines))
        for at, group in enumerate(found):
            entry = self._entry(group, found[at + 1 :])
            self.leaf = entry.id
            yield entry

    def _entry(self, group: Group, following: Sequence[Group]) -> Entry:
        start, size = group.start - self._run.offset, group.end - group.start
        entry = Entry(
            id=f"{self._run.key}/{start}+{size}", parent=self.leaf, record=Record(start, size),
            time=0 if self._has_begun else self._time,
        )  # fmt: skip
        match group.speaker:
            case Speaker.AIDER:
                return self._note(entry, group)
            case Speaker.PERSON:
                return self._prompt(entry, group.text)
            case _:
                return self._reply(entry, group.text, _printed_after(following))

    def _note(self, entry: Entry, group: Group) -> Entry:
        facts = printed(group.said)
        self._model = facts.model or self._model
        self._is_stopped |= facts.stopped
        self.restored |= facts.restored and not self._has_begun
        name = "aider:output" if self._has_begun else "aider:start"
        return replace(entry, kind=Kind.CUSTOM, name=name, blocks=_text(group.text))

    def _prompt(self, entry: Entry, said: str) -> Entry:
        self._has_begun, self._is_stopped = True, False
        if said.startswith(_NOT_SENT) or said in ("", _BLANK):
            self._is_clear |= said.split(maxsplit=1)[:1] in ([one] for one in _CLEARED)
            return replace(entry, kind=Kind.CUSTOM, name="aider:command", blocks=_text(said))
        if self._is_clear:
            self._is_clear = False
            entry = replace(entry, parent=None)
        return replace(entry, role=Role.USER, blocks=_text(said))

    def _reply(self, entry: Entry, said: str, facts: Printed) -> Entry:
        is_stopped = self._is_stopped or facts.stopped
        self._is_stopped = False
        return replace(
            entry, role=Role.ASSISTANT, blocks=tuple(_blocks(said)), model=self._model, usage=_usage(facts),
            flags=Flag.ABORTED if is_stopped else Flag.ENDS_TURN,
        )  # fmt: skip


def _printed_after(following: Sequence[Group]) -> Printed:
    """Return the text that Aider printed directly after a reply."""
    return printed(following[0].said if following and following[0].speaker is Speaker.AIDER else ())


def _blocks(said: str) -> Iterator[Block]:
    at = 0
    for found in _THINKING.finditer(said):
        yield from _text(said[at : found.start()].strip("\n"))
        yield Thinking(found[2].strip("\n"))
        at = found.end()
    yield from _text(said[at:].strip("\n"))


def _text(said: str) -> tuple[Block, ...]:
    return (Text(said),) if said else ()


def _usage(facts: Printed) -> Usage | None:
    """Return the tokens of a request, which Aider rounds. The tokens of the cache are part of the sent ones."""
    if facts.tokens is None:
        return None
    sent, received, read, made = map(count, facts.tokens)
    read = min(read, sent)
    made = min(made, sent - read)
    return Usage(sent - read - made, received, read, made, cost=millionths(facts.dollars))
