"""The memory flush: a silent turn before a compaction, in which the model may store notes in its memory.

As in OpenClaw, it runs once between two compactions, when the context is some thousand tokens below the trigger. Its
entries are stored like all others and displayed dimmed. When it fails, or its note cannot be written, the leaf moves
back and the next reply retries. It does not run where the notes must not be written.
"""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stemmata.domain.chat.run import Consent, Phase, Question, RunState
from stemmata.domain.chat.silence import MARK, MEMORY_FLUSH
from stemmata.domain.chat.streaming import StreamEvent
from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.reply import KeptReply
from stemmata.services.chat.requests import PreparedRequest, RunOverrides
from stemmata.services.chat.run import Run, RunParts
from stemmata.services.chat.run_states import writes_notes
from stemmata.services.chat.run_store import RunPosition
from stemmata.services.context.contexts import Contexts
from stemmata.services.futures import run_in_thread
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.tools.consents import Consents
from stemmata.services.tools.memory_place import OFF, WORKSPACE, workspace_notes
from stemmata.services.tools.own_tools import ORIGIN
from stemmata.services.tools.tool import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


log = logging.getLogger(__name__)

TOOL = "memory"
ROUNDS = 5  # most replies of the silent turn
FILE = "{file}"  # placeholder for the file of the day in a prompt
_WORDS = (
    "This conversation is about to be compacted. If something of it should last beyond it (decisions, facts, what is "
    f"to be done next), write it now with the tool memory, by append, to the file {FILE}. Then answer {MARK} and "
    f"nothing else. If nothing is worth keeping, answer {MARK} at once."
)
_WHERE = f"Write it with the tool memory, by append, to the file {FILE}."
_SILENTLY = f"Then answer {MARK} and nothing else."


def prompt_for(own: str, file: str) -> str:
    """Return the text that asks for notes, `own` or Stemmata's, completed with the file and the token of silence."""
    words = own.strip() or _WORDS
    parts = [words, *([] if FILE in words or file in words else [_WHERE]), *([] if MARK in words else [_SILENTLY])]
    return " ".join(parts).replace(FILE, file)


def system_prompt_for(own: str, file: str) -> str:
    """Return the text that follows the system prompt meanwhile, completed with the token of silence; "" for none."""
    words = own.strip()
    return " ".join([words, *([] if MARK in words else [_SILENTLY])]).replace(FILE, file) if words else ""


class MemoryFlush:
    """Decides when a memory flush is due, and begins it. Used on the io loop."""

    def __init__(
        self, archive: Archive, contexts: Contexts, parts: RunParts, consents: Consents | None = None
    ) -> None:
        self._archive, self._contexts, self._parts = archive, contexts, parts
        self._consents = consents or Consents()

    async def next(self, session: int) -> Run | None:
        """Begin a silent turn and return it; None when none is due."""
        settings = self._contexts.settings
        if settings.memory_place == OFF:
            return None
        found = await settled(self._archive.read(lambda reader: self._due_in(reader, session)))
        if found is None or found.leaf is None or not await self._may_write(found):
            return None
        file = f"{_day(self._parts.clock.now())}.md"
        asks = self._parts.store.entry(
            Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name=MEMORY_FLUSH,
            blocks=(Text(prompt_for(settings.memory_prompt, file)),), flags=Flag.INJECTED,
        )  # fmt: skip
        place = await self._parts.store.begin_entry(session, asks, found.leaf)
        if place is None:
            return None
        system = system_prompt_for(settings.memory_system_prompt, file)
        return SilentRun(self._parts, place, found.leaf, file, system, self._asks)

    def _due_in(self, reader: ArchiveReader, session: int) -> Session | None:
        """Return the session when a flush is due: its context is nearly full, and none ran since the compaction."""
        found = reader.session(session)
        tools = self._parts.toolbox.definitions(found)
        if not self._contexts.is_automatic(found) or not any(tool.name == TOOL for tool in tools):
            return None
        session_tree = SessionTree(found, reader.tree(session))
        view = self._contexts.seen(session_tree, session_tree.tree.get(found.leaf))
        total, trigger = view.breakdown.total.value, view.budget.trigger
        if total is None or trigger is None:
            return None
        is_near = 0 < trigger - self._contexts.settings.memory_soft_threshold <= total
        return None if not is_near or _was_flushed(reader, session_tree) else found

    async def _may_write(self, session: Session) -> bool:
        """Whether notes can be stored: their place is usable, and the user has not refused consent for it."""
        if not self._asks():
            return True
        try:
            notes = await asyncio.wrap_future(run_in_thread(lambda: workspace_notes(session.cwd)))
        except ToolError as error:
            log.info("No notes are stored in %s: %s", session.cwd, error)
            return False
        return await self._consents.kept(ORIGIN, TOOL, str(notes)) is not False

    def _asks(self) -> bool:
        """Whether writing a note needs consent: in a workspace, and not in the folder of Stemmata."""
        return self._contexts.settings.memory_place == WORKSPACE


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
    return any(row.name == MEMORY_FLUSH for row in reader.rows(asked).values())


class SilentRun(Run):
    """The run of a silent turn. It does not stream, and may write only to `file`.

    `system` follows the system prompt. `asks` returns whether the user is asked before a note is written.
    """

    is_silent = True

    def __init__(
        self,
        parts: RunParts,
        place: RunPosition,
        before: int,
        file: str,
        system: str = "",
        asks: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(parts, place, RunOverrides(system=system))
        self._before, self._file, self._is_asked = before, file, asks
        self._remark = str(writes_notes())
        self._writing: set[str] = set()  # ids of the calls of a reply that write to the file
        self._refused: set[str] = set()  # ids of calls
        self._is_unwritten = False  # whether the last note could not be written

    @property
    def most_rounds(self) -> int:
        """The largest number of replies in the silent turn."""
        return ROUNDS

    async def go(self) -> RunState:
        """Run the turn; on failure the leaf moves back."""
        state = await super().go()
        if state.phase is not Phase.IDLE or self.is_stopped or self._is_unwritten:
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

    async def _answer(self, request: PreparedRequest, calls: list[ToolCall]) -> None:
        self._writing = {call.id for call in calls if call.name == TOOL and self._may(call.arguments)}
        await super()._answer(request, calls)

    async def _append(self, entry: Entry, files: Mapping[str, bytes] | None = None) -> None:
        if entry.role is Role.TOOL_RESULT and entry.call in self._writing:
            self._is_unwritten = bool(entry.flags & Flag.FAILED) and entry.call not in self._refused
        self._place, _ = await self._parts.store.append(self.place, entry, files)

    async def _ask(self, question: Question) -> Consent:
        consent = Consent.REFUSED
        if question.tool == TOOL and self._may(question.arguments):
            consent = await super()._ask(question) if self._is_asked() else Consent.ONCE
        if consent in (Consent.REFUSED, Consent.NEVER):
            self._refused.add(question.call)
        return consent

    def _may(self, arguments: str) -> bool:
        """Whether a tool call writes to the day's file of notes."""
        try:
            named = json.loads(arguments)
        except (ValueError, RecursionError):
            return False
        return isinstance(named, dict) and named.get("file") == self._file

    def _stream_shown(self, event: StreamEvent) -> None:
        """Discard stream events: the text of a silent turn is not displayed."""
