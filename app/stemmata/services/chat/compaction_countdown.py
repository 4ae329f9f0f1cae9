"""The countdown before the first automatic compaction of a session, in which the user can refuse it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from stemmata.domain.chat.run import AutoCompacting, CompactionStage, RunEvent
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.chat.interrupt import settled
from stemmata.services.compaction.automatic import last_automatic_compaction
from stemmata.services.context.contexts import Contexts
from stemmata.services.ports.archive import Archive, ArchiveReader, Clock


class Countdown:
    """Waits before the first automatic compaction on a branch. Used on the io loop.

    `seconds` is the time that the user has; 0 compacts at once, as on the command line. After a refusal there is no
    countdown until the session's context has grown by `Budget.least_growth`. `tell` passes an event to watchers.
    """

    def __init__(self, archive: Archive, contexts: Contexts, clock: Clock, tell: Callable[[RunEvent], None]) -> None:
        self._archive, self._contexts, self._clock, self._tell = archive, contexts, clock, tell
        self._asked: dict[int, asyncio.Future[bool]] = {}
        self._refused: dict[int, int] = {}  # tokens of the context at the refusal, by session
        self.seconds = 0.0

    async def passes(self, session: int, tip: int | None) -> bool:
        """Return whether the session may be compacted below `tip`: at once, or after the countdown."""
        if not self.seconds:
            return True
        tokens, growth, is_first = await settled(
            self._archive.read(lambda reader: self._context_growth(reader, session, tip))
        )
        if not is_first:
            return True
        if session in self._refused and tokens < self._refused[session] + growth:
            return False
        may = await self._answer(session)
        if not may:
            self._refused[session] = tokens
        return may

    def answer(self, session: int, *, begin: bool) -> None:
        """End the countdown of a session: compact now, or not now. Without a countdown nothing happens."""
        waiting = self._asked.get(session)
        if waiting is not None and not waiting.done():
            waiting.set_result(begin)

    async def _answer(self, session: int) -> bool:
        waiting = self._asked[session] = asyncio.get_running_loop().create_future()
        begins_at = self._clock.now() + round(self.seconds * 1e9)
        self._tell(AutoCompacting(session, CompactionStage.AWAITED, begins_at))
        try:
            return await asyncio.wait_for(waiting, self.seconds)
        except TimeoutError:
            return True
        finally:
            del self._asked[session]

    def _context_growth(self, reader: ArchiveReader, session: int, tip: int | None) -> tuple[int, int, bool]:
        """Return the tokens of the context, the growth that ends a refusal, and whether none was automatic before."""
        session_tree = SessionTree(reader.session(session), reader.tree(session))
        view = self._contexts.seen(session_tree, session_tree.tree.get(tip))
        line = view.projection.path_totals
        is_first = last_automatic_compaction(reader, session_tree.tree, line) is None
        return view.breakdown.total.value or 0, view.budget.least_growth, is_first
