"""Making room for a run: tool output is pruned first, then the context is compacted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from stemmata.domain.errors import ConflictError, NothingToDoError
from stemmata.domain.prune import plan_prune
from stemmata.domain.sessions import Skeleton
from stemmata.services.compaction import Compaction, CompactionRequest
from stemmata.services.run_interrupt import settled
from stemmata.services.run_tip import tip_now

if TYPE_CHECKING:
    from stemmata.services.contexts import Contexts
    from stemmata.services.ports import Archive, ArchiveReader
    from stemmata.services.pruning import Pruning

KEPT_SHARE = 4  # of a small window, one part in so many stays word for word


class RunReduction:
    """Nothing happens where nothing can be left out, nor when the session has moved on meanwhile.

    `compact` writes the summary, by the digest or by a model, and stores it.
    """

    def __init__(
        self,
        archive: Archive,
        contexts: Contexts,
        pruning: Pruning,
        compact: Callable[[CompactionRequest], Awaitable[Compaction]],
    ) -> None:
        self._archive, self._contexts = archive, contexts
        self._pruning, self._compact_with = pruning, compact

    @property
    def is_automatic(self) -> bool:
        return self._contexts.settings.enabled

    @property
    def helps_overflow(self) -> bool:
        return self._contexts.settings.retry_on_overflow

    async def make_room(self, session: int, tip: int | None, trigger: str, window: int | None) -> int | None:
        """Prune and compact below a run's tip, wherever the session stands. The new tip, None for nothing."""
        pruned = await self._prune(session, tip, force=True)
        compacted = await self._compact(session, tip if pruned is None else pruned, trigger, window)
        return pruned if compacted is None else compacted

    async def when_due(self, session: int) -> bool:
        """After a reply: when the context at the leaf has grown beyond its trigger."""
        if not self.is_automatic or not await self._is_due(session):
            return False
        leaf = await settled(self._archive.read(lambda reader: reader.session(session).leaf))
        pruned = await self._prune(session, leaf, force=False)
        if pruned is not None and not await self._is_due(session):
            return True
        return await self._compact(session, leaf if pruned is None else pruned, "threshold", None) is not None

    async def _is_due(self, session: int) -> bool:
        def job(reader: ArchiveReader) -> bool:
            skeleton = Skeleton(reader.session(session), reader.tree(session))
            view = self._contexts.seen(skeleton, skeleton.tree.get(skeleton.session.leaf))
            return view.budget.is_due(view.breakdown.total.value)

        return await settled(self._archive.read(job))

    async def _prune(self, session: int, tip: int | None, *, force: bool) -> int | None:
        settings = self._contexts.settings

        def plan(reader: ArchiveReader) -> int:
            tree = reader.tree(session)
            found = plan_prune(tree, tree.get(tip_now(reader, session, tip)), settings, force=force)
            return tree.key(found.parent)

        if settings.tool_policy == "keep_all" and not force:
            return None
        try:
            below = await settled(self._archive.read(plan))
            _, key = await settled(self._pruning.run(session, below, of_run=force))
        except (NothingToDoError, ConflictError):
            return None
        return key

    async def _compact(self, session: int, tip: int | None, trigger: str, window: int | None) -> int | None:
        below = await settled(self._archive.read(lambda reader: tip_now(reader, session, tip)))
        if below is None:
            return None
        keep = self._contexts.settings.keep_recent_tokens
        request = CompactionRequest(
            session=session,
            leaf=below,
            keep_recent_tokens=keep if window is None else min(keep, window // KEPT_SHARE),
            trigger=trigger,
            of_run=trigger != "threshold",
        )
        try:
            return (await self._compact_with(request)).entry
        except (NothingToDoError, ConflictError):
            return None
