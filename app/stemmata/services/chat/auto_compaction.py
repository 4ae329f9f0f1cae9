"""Automatic compaction for runs: prune tool output first, then compact the context.

A note in the session reports an automatic compaction that fails or would not make the context smaller. The next
compaction waits for one reply, then for two, four and eight replies; after five failures it stays off until the user
compacts the session. A compaction that a request needs in order to be sent does not wait.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from math import inf

from stemmata.domain.compaction.plan import plan_prune
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.session_facts import SessionTree
from stemmata.domain.errors import ConflictError, KnownError, NoGainError, NothingToDoError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.requests import model_of
from stemmata.services.chat.run_store import tip_now
from stemmata.services.compaction.compaction import Compaction, CompactionRequest, Compactions
from stemmata.services.compaction.model_compaction import ModelCompactions, ModelRef
from stemmata.services.compaction.pruning import Pruning
from stemmata.services.context.contexts import Contexts
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.ports.providers import ProviderSource


class ConfiguredCompaction:
    """Compacts as the settings say, on the io loop.

    Messages that arrive while a model writes are kept word for word.
    """

    def __init__(
        self,
        archive: Archive,
        contexts: Contexts,
        compactions: Compactions,
        written: ModelCompactions,
        connected: ProviderSource,
    ) -> None:
        self._archive, self._contexts = archive, contexts
        self._compactions, self._written, self._connected = compactions, written, connected

    async def compact(self, request: CompactionRequest) -> Compaction:
        """Compact.

        Raises NothingToDoError, also when a digest would save nothing, ConflictError when the leaf moved away.
        """
        drafted = await settled(self._compactions.draft(request))
        if self._contexts.settings.summariser == "model":
            request = await self._by_model(request, drafted)
        return await settled(self._compactions.run(request))

    async def _by_model(self, request: CompactionRequest, drafted: Compaction) -> CompactionRequest:
        """Return the request with the summary of the session's model, for the leaf at that moment."""

        kept = drafted.plan.first_kept

        def look(reader: ArchiveReader) -> tuple[str, int | None]:
            tree = reader.tree(request.session)
            return context_at(tree, tree.index(request.leaf)).model, None if kept is None else tree.key(kept)

        name, first_kept = await settled(self._archive.read(look))
        named, _, model = name.partition("/")
        _, connection = await self._connected.provider_for(named)
        writer = ModelRef(connection.name, model_of(connection, named, model))
        written = await self._written.write(request, writer)
        if request.of_run:
            return written
        leaf = await settled(self._archive.read(lambda reader: _leaf_below(reader, request)))
        return replace(written, leaf=leaf, first_kept=first_kept)


def _leaf_below(reader: ArchiveReader, request: CompactionRequest) -> int:
    """Return the current leaf. Raises ConflictError when it is on another branch."""
    leaf, tree = reader.session(request.session).leaf, reader.tree(request.session)
    if leaf is None or not tree.is_ancestor(tree.index(request.leaf), tree.index(leaf)):
        raise ConflictError("The session's leaf moved to another branch. Nothing was changed.")
    return leaf


FAILURES = "failed_compactions"  # key in the details of a note
MOST_FAILURES = 5


class AutoCompaction:
    """Compacts before requests and after replies. Does nothing when nothing can be left out, or when the leaf moved.

    `compact` writes and stores the summary, by the digest or a model. `note` stores a text in a session, with the
    given facts in its details.
    """

    def __init__(
        self,
        archive: Archive,
        contexts: Contexts,
        pruning: Pruning,
        compact: Callable[[CompactionRequest], Awaitable[Compaction]],
        note: Callable[..., Future[int]],
    ) -> None:
        self._note = note
        self._archive, self._contexts = archive, contexts
        self._pruning, self._compact_with = pruning, compact

    @property
    def is_automatic(self) -> bool:
        """Whether the settings allow automatic compaction."""
        return self._contexts.settings.enabled

    @property
    def helps_overflow(self) -> bool:
        """Whether the settings allow a compaction after an overflow."""
        return self._contexts.settings.retry_on_overflow

    async def make_room(
        self, session: int, tip: int | None, trigger: str, window: int | None, *, is_needed: bool = True
    ) -> int | None:
        """Prune and compact below a run's tip, wherever the leaf is. Returns the new tip; None when nothing changed.

        `is_needed` says that the request cannot be sent without it. The compaction is then tried despite earlier
        failures, and its errors are raised.
        """
        compact = self._compact_now if is_needed else self._compact_unless_paused
        pruned = await self._prune(session, tip, force=True)
        compacted = await compact(session, tip if pruned is None else pruned, trigger, window)
        return pruned if compacted is None else compacted

    async def _compact_now(self, session: int, tip: int | None, trigger: str, window: int | None) -> int | None:
        """Return the key of the compaction; None when it would not make the context smaller. Raises KnownError."""
        try:
            return await self._compact(session, tip, trigger, window)
        except NoGainError:
            return None

    async def when_due(self, session: int) -> bool:
        """Compact after a reply when the context at the leaf is larger than its trigger; returns whether it did."""
        if not self.is_automatic or not await self._is_due(session):
            return False
        leaf = await settled(self._archive.read(lambda reader: reader.session(session).leaf))
        pruned = await self._prune(session, leaf, force=False)
        if pruned is not None and not await self._is_due(session):
            return True
        below = leaf if pruned is None else pruned
        return (await self._compact_unless_paused(session, below, "threshold", None) or pruned) is not None

    async def _is_due(self, session: int) -> bool:
        def job(reader: ArchiveReader) -> bool:
            skeleton = SessionTree(reader.session(session), reader.tree(session))
            return self._contexts.seen(skeleton, skeleton.tree.get(skeleton.session.leaf)).is_due

        return await settled(self._archive.read(job))

    async def _compact_unless_paused(
        self, session: int, tip: int | None, trigger: str, window: int | None
    ) -> int | None:
        """Return the key of the compaction; None while it waits after failures, or when it fails.

        A digest that would not make the context smaller, before a request, does not count as a failure: it costs
        nothing.
        """
        before = await settled(self._archive.read(lambda reader: _failures(reader, session)))
        if before.replies < before.pause:
            return None
        try:
            return await self._compact(session, tip, trigger, window)
        except KnownError as error:
            is_free = isinstance(error, NoGainError) and self._contexts.settings.summariser == "digest"
            if is_free and trigger != "threshold":
                return None
            failures = before.count + 1
            await settled(self._note(session, _not_compacted(error, failures), "", **{FAILURES: failures}))
            return None

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
        """Return the key of the compaction; None when nothing can be summarised or the leaf moved.

        The kept part is so small that the next compaction is many replies away (`Budget.part_left`). Raises
        KnownError, also NoGainError. `window` is in tokens; None takes the catalogue's.
        """

        def look(reader: ArchiveReader) -> tuple[int | None, int | None]:
            below = tip_now(reader, session, tip)
            skeleton = SessionTree(reader.session(session), reader.tree(session))
            view = self._contexts.seen(skeleton, skeleton.tree.get(below))
            budget = self._contexts.budget(skeleton, view.projection.model, window)
            return below, replace(view, budget=budget).part_left

        below, most = await settled(self._archive.read(look))
        if below is None:
            return None
        request = CompactionRequest(
            session=session,
            leaf=below,
            most_kept=most,
            longest_summary=most,
            trigger=trigger,
            of_run=trigger != "threshold",
        )
        try:
            return (await self._compact_with(request)).entry
        except NoGainError:
            raise
        except (NothingToDoError, ConflictError):
            return None


@dataclass(frozen=True, slots=True)
class _Failures:
    """The failures since the last compaction, and the replies since the last failure."""

    count: int = 0
    replies: int = 0

    @property
    def pause(self) -> float:
        """The replies until the next try; infinite after too many failures."""
        if not self.count:
            return 0
        return 2 ** (self.count - 1) if self.count < MOST_FAILURES else inf


def _failures(reader: ArchiveReader, session: int) -> _Failures:
    """Read the failures from the notes on the active path."""
    tree = reader.tree(session)
    line = context_at(tree, tree.get(reader.session(session).leaf)).line
    replies = 0
    for at in range(len(line) - 1, line.kinds.rfind(Kind.COMPACTION), -1):
        entry = line.path[at]
        flags = tree.columns.flags[entry]
        if line.kinds[at] == Kind.CUSTOM_MESSAGE and flags & Flag.OWN and flags & Flag.EXCLUDED:
            key = tree.key(entry)
            count = json.loads(reader.bodies([key])[key].details or "{}").get(FAILURES)
            if isinstance(count, int):
                return _Failures(count, replies)
        replies += line.roles[at] == Role.ASSISTANT and bool(flags & Flag.ENDS_TURN)
    return _Failures()


def _not_compacted(error: KnownError, failures: int) -> Phrase:
    if failures >= MOST_FAILURES:
        return Phrase(
            "{0} Automatic compaction is off for this session until you compact it with /compact.", str(error)
        )
    replies = 2 ** (failures - 1)
    if replies == 1:
        return Phrase("{0} The next automatic compaction is tried after the next reply.", str(error))
    return Phrase("{0} The next automatic compaction is tried after {1} replies.", str(error), replies)
