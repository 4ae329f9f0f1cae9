"""The memory flush: a silent turn before a compaction, in which the model may store notes in its memory.

As in OpenClaw, it runs once between two compactions, when the context is some thousand tokens below the trigger. Its
entries are stored like all others and displayed dimmed. When it fails, the leaf moves back and the next reply
retries.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.run import Consent, Phase, Question, RunState
from stemmata.domain.chat.streaming import StreamEvent
from stemmata.domain.entries.blocks import Block, Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.session_facts import SessionTree
from stemmata.domain.errors import KnownError
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.reply import KeptReply
from stemmata.services.chat.requests import PreparedRequest
from stemmata.services.chat.run import Run, RunParts
from stemmata.services.chat.run_states import writes_notes
from stemmata.services.chat.run_store import RunPosition
from stemmata.services.context.contexts import Contexts
from stemmata.services.ports.archive import Archive, ArchiveReader

if TYPE_CHECKING:
    from collections.abc import Mapping


log = logging.getLogger(__name__)

NAME = "memory_flush"  # name of the entry that asks for the notes
SOFT = 4_000  # tokens below the trigger at which the flush runs
TOOL = "memory"
ROUNDS = 5  # most replies of the silent turn
_WORDS = (
    "This conversation is about to be compacted. If something of it should last beyond it (decisions, facts, what is "
    "to be done next), write it now with the tool memory, by append, to the file {file}. Then answer NO_REPLY and "
    "nothing else. If nothing is worth keeping, answer NO_REPLY at once."
)


class MemoryFlush:
    """Decides when a memory flush is due, and begins it. Used on the io loop."""

    def __init__(self, archive: Archive, contexts: Contexts, parts: RunParts) -> None:
        self._archive, self._contexts, self._parts = archive, contexts, parts

    async def next(self, session: int) -> Run | None:
        """Begin a silent turn and return it; None when none is due."""
        settings = self._contexts.settings
        if not (settings.enabled and settings.memory_flush):
            return None
        before = await settled(self._archive.read(lambda reader: self._due_below(reader, session)))
        if before is None:
            return None
        file = f"{_day(self._parts.clock.now())}.md"
        asks = self._parts.store.entry(
            Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name=NAME, blocks=(Text(_WORDS.format(file=file)),),
            flags=Flag.INJECTED,
        )  # fmt: skip
        place = await self._parts.store.begin_entry(session, asks, before)
        return None if place is None else SilentRun(self._parts, place, before, file)

    def _due_below(self, reader: ArchiveReader, session: int) -> int | None:
        """Return the leaf when a flush is due: the context is nearly full and none ran since the last compaction."""
        found = reader.session(session)
        if not any(tool.name == TOOL for tool in self._parts.toolbox.definitions(found)):
            return None
        session_tree = SessionTree(found, reader.tree(session))
        view = self._contexts.seen(session_tree, session_tree.tree.get(found.leaf))
        total, trigger = view.breakdown.total.value, view.budget.trigger
        if total is None or trigger is None or not 0 < trigger - SOFT <= total or _was_flushed(reader, session_tree):
            return None
        return found.leaf


def _day(now: int) -> str:
    """Return the date in the user's time zone."""
    return datetime.fromtimestamp(now / 1e9, UTC).astimezone().date().isoformat()


def _was_flushed(reader: ArchiveReader, session_tree: SessionTree) -> bool:
    """Whether a flush ran since the last compaction."""
    tree = session_tree.tree
    asked: list[int] = []
    for entry in reversed(tree.path(tree.get(session_tree.session.leaf))):
        if tree.kind(entry) is Kind.COMPACTION:
            break
        if tree.kind(entry) is Kind.CUSTOM_MESSAGE:
            asked.append(tree.key(entry))
    return any(row.name == NAME for row in reader.rows(asked).values())


class SilentRun(Run):
    """The run of a silent turn. It does not stream, may write only to `file`, and never asks for consent."""

    is_silent = True

    def __init__(self, parts: RunParts, place: RunPosition, before: int, file: str) -> None:
        super().__init__(parts, place)
        self._before, self._file = before, file
        self._remark = str(writes_notes())

    @property
    def most_rounds(self) -> int:
        """The most replies of the turn."""
        return ROUNDS

    async def go(self) -> RunState:
        """Run the turn; on failure the leaf moves back."""
        state = await super().go()
        if state.phase is not Phase.IDLE or self.is_stopped:
            try:
                await self._parts.store.step_back(self.place, self._before)
            except KnownError as error:  # logged only: the reply before it succeeded and must not look failed
                log.info("What came of a silent turn stays: %s", error)
        return RunState(session=self.place.session, run=self.place.run)

    async def _append_reply(
        self, request: PreparedRequest, reply: KeptReply, blocks: tuple[Block, ...], flags: Flag, attempt: int,
        more: dict[str, Any],
    ) -> None:  # fmt: skip
        await super()._append_reply(request, reply, blocks, flags | Flag.HIDDEN, attempt, more)

    async def _append(self, entry: Entry, files: Mapping[str, bytes] | None = None) -> None:
        self._place, _ = await self._parts.store.append(self.place, entry, files)

    async def _ask(self, question: Question) -> Consent:
        return Consent.ONCE if question.tool == TOOL and self._may(question.arguments) else Consent.REFUSED

    def _may(self, arguments: str) -> bool:
        """Whether a call writes to the day's file. Calls with invalid arguments never reach a tool."""
        return bool(json.loads(arguments).get("file") == self._file)

    def _stream_shown(self, event: StreamEvent) -> None:
        """Discard stream events: the text of a silent turn is not displayed."""
