"""Automatic compaction for runs: prune tool output first, then compact the context.

A note in the session reports each automatic pruning and compaction, with the size of every part. It also reports a
compaction that fails or would not make the context smaller, with its cost. After a failure the next compaction waits
for one reply, then for two, four and eight replies; after five failures it stays off until the user compacts the
session. After a failure before a request, the reply to this request does not count. A compaction without which a
request cannot be sent does not wait. When a model fails, the note offers the digest; the digest is never used without
the user's choice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from math import inf, isinf
from typing import Any

from stemmata.domain.chat.run import AutoCompacting, CompactionStage, Noticed, RunEvent, SessionContinued
from stemmata.domain.compaction.advice import causes_of
from stemmata.domain.compaction.pruning import PruneOccasion, PrunePlan
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Flag, Kind, Role, Usage, sum_of
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import ConflictError, KnownError, NoGainError, NothingToDoError
from stemmata.domain.sessions.details import is_compacted_by_hand, verbosity_of
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.domain.text.phrases import Phrase, joined
from stemmata.services.chat.compaction_countdown import Countdown
from stemmata.services.chat.compaction_notices import (
    advice,
    auto_compacted,
    compacted_title,
    cost_of_failure,
    failed,
    pruned,
    pruned_title,
)
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.requests import model_of
from stemmata.services.chat.run_store import tip_now
from stemmata.services.compaction.automatic import repeated_causes
from stemmata.services.compaction.compaction import Compactions
from stemmata.services.compaction.model_compaction import ModelCompactions, ModelRef, writer_of
from stemmata.services.compaction.prune_planning import planned_prune
from stemmata.services.compaction.pruning import Pruning
from stemmata.services.compaction.request import Compaction, CompactionRequest
from stemmata.services.compaction.summarising import CompactionFailedError
from stemmata.services.context.contexts import Contexts, ContextView
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
        """Compact the session of a request, in a new session if the settings want this.

        Raises NothingToDoError, also when the context would not become smaller, and ConflictError when the leaf moved
        away; after a model was asked, CompactionFailedError with one of these or with the model's error.
        """
        # a run never changes its session
        apart = self._contexts.settings.strategy == "new-session" and not request.of_run
        run = self._compactions.run_in_new_session if apart else self._compactions.run
        if self._contexts.settings.summariser != "model":
            return await settled(run(request))
        drafted = await settled(self._compactions.draft(request))
        spent: list[Usage] = []
        try:
            written = await self._by_model(request, drafted, spent.append)
            return await settled(run(written))
        except KnownError as error:
            raise CompactionFailedError(error, _usage_sum(spent)) from error

    async def written(self, request: CompactionRequest) -> str:
        """Return the text of the summary that `compact` would store, wherever the leaf is. Raises KnownError."""
        drafted = await settled(self._compactions.draft(request))
        if self._contexts.settings.summariser != "model":
            return drafted.summary.text
        written = await self._by_model(replace(request, of_run=True), drafted, lambda _usage: None)
        return written.text or ""

    async def _by_model(
        self, request: CompactionRequest, drafted: Compaction, spent: Callable[[Usage], object]
    ) -> CompactionRequest:
        """Return the request with the summary of the model for summaries, for the leaf at that moment."""

        kept = drafted.plan.first_kept

        def look(reader: ArchiveReader) -> tuple[str, str, int | None]:
            tree = reader.tree(request.session)
            chosen = self._contexts.summary_model(reader.session(request.session))
            name = context_at(tree, tree.index(request.leaf)).model
            return chosen, name, None if kept is None else tree.key(kept)

        chosen, name, first_kept = await settled(self._archive.read(look))
        own = ModelRef("", "") if chosen.partition("/")[0] else await self._session_model(name)
        writer = writer_of(chosen, own)
        written = await self._written.write(request, writer, spent)
        if request.of_run:
            return written
        leaf = await settled(self._archive.read(lambda reader: _leaf_below(reader, request)))
        return replace(written, leaf=leaf, first_kept=first_kept)

    async def _session_model(self, name: str) -> ModelRef:
        """Return the session's model, which its entries call `name`."""
        named, _, model = name.partition("/")
        _, connection = await self._connected.provider_for(named)
        return ModelRef(connection.name, model_of(connection, named, model))


def _usage_sum(usages: Sequence[Usage]) -> Usage:
    """Return the sum of usages; its cost is unknown when the cost of one is unknown."""
    if not usages:
        return Usage()
    costs = [usage.cost for usage in usages]
    return replace(sum_of(usages), cost=None if None in costs else sum(cost or 0 for cost in costs))


def _leaf_below(reader: ArchiveReader, request: CompactionRequest) -> int:
    """Return the current leaf. Raises ConflictError when it is on another branch."""
    leaf, tree = reader.session(request.session).leaf, reader.tree(request.session)
    if leaf is None or not tree.is_ancestor(tree.index(request.leaf), tree.index(leaf)):
        raise ConflictError("The session's leaf moved to another branch. Nothing was changed.")
    return leaf


FAILURES = "failed_compactions"  # keys in the details of a note: a number of failures
WAIT = "replies_until_next"  # the replies until the next try
IMPOSSIBLE = "nothing_to_compact"  # a compaction was due, and nothing could be summarised
MOST_FAILURES = 5


class Need(Enum):
    """Why a request needs a compaction."""

    TRIGGER = "trigger"  # the context is above the trigger
    REPLY = "reply"  # the window has no room for the longest reply
    ROOM = "room"  # the request does not fit, or was refused as too long


_OCCASIONS = {
    Need.TRIGGER: PruneOccasion.CONTEXT,
    Need.REPLY: PruneOccasion.ROOM,
    Need.ROOM: PruneOccasion.ROOM,
}


class AutoCompaction:
    """Compacts before requests and after replies. Does nothing when nothing can be left out, or when the leaf moved.

    `compact` writes and stores the summary, by the digest or a model. `note` stores a text in a session, with the
    given facts in its details. `tell` passes an event to the watchers of runs.
    """

    def __init__(
        self,
        archive: Archive,
        contexts: Contexts,
        pruning: Pruning,
        compact: Callable[[CompactionRequest], Awaitable[Compaction]],
        note: Callable[..., Future[int]],
        tell: Callable[[RunEvent], None],
        countdown: Countdown,
    ) -> None:
        self._note, self._tell, self.countdown = note, tell, countdown
        self._archive, self._contexts = archive, contexts
        self._pruning, self._compact_with = pruning, compact
        self._behind: dict[int, asyncio.Event] = {}  # sessions that are compacted after a reply; set at the end
        self._continued: dict[int, int] = {}  # the new sessions of compactions that have just been stored

    def is_on(self, session: Session) -> bool:
        """Whether the settings and the session allow automatic compaction."""
        return self._contexts.is_automatic(session)

    def helps_overflow(self, session: Session) -> bool:
        """Whether the settings and the session allow a compaction after an overflow."""
        return self._contexts.settings.retry_on_overflow and not is_compacted_by_hand(session.details)

    @property
    def moves(self) -> bool:
        """Whether a compaction after a reply begins a new session."""
        return self._contexts.settings.strategy == "new-session"

    async def moves_now(self, session: int) -> bool:
        """Whether the conversation of a session should go on in a new session before its next message."""
        if not self.moves:
            return False
        leaf = await settled(self._archive.read(lambda reader: reader.session(session).leaf))
        return await self._is_due(session, leaf) and not await self._is_paused(session)

    def is_behind(self, session: int) -> bool:
        """Whether a compaction of the session, begun after a reply, is still running in the background."""
        return session in self._behind

    async def wait_for_compaction(self, session: int) -> None:
        """Wait until the compaction that began after a reply has ended; end its countdown at once."""
        self.countdown.answer(session, begin=True)
        await self._behind[session].wait()

    async def make_room(
        self, session: int, tip: int | None, trigger: str, window: int | None, need: Need = Need.ROOM
    ) -> int | None:
        """Prune and compact below a run's tip, wherever the leaf is. Returns the new tip; None when nothing changed.

        A needed compaction is tried despite earlier failures, and its errors are raised. Any other compaction waits
        for the countdown. While the compaction after the last reply is being written, no other one is begun. With the
        strategy of new sessions, a request above the trigger is sent, and the compaction after its reply begins the
        session.
        """
        if need is Need.ROOM:
            return await self._compact_now(session, tip, trigger, window)
        if self.is_behind(session) or (need is Need.TRIGGER and self.moves):
            return None
        try:
            return await self._unless_refused(session, tip, trigger, window, need)
        finally:
            self._tell(AutoCompacting(session, CompactionStage.OVER))

    async def when_due(self, session: int, *, at_once: bool = False) -> int | None:
        """Compact after a reply when the context at the leaf is larger than its trigger.

        Returns the session in which the conversation goes on; None when nothing was compacted or pruned. A smaller
        context is only pruned, once its tool results exceed their own threshold. Does nothing while the compaction
        after an earlier reply is being written. `at_once` leaves out the countdown.
        """
        if self.is_behind(session):
            return None
        self._behind[session] = asyncio.Event()
        try:
            leaf = await settled(self._archive.read(lambda reader: reader.session(session).leaf))
            if not await self._is_due(session, leaf):
                tip = await self._prune_unless_off(session, leaf)
            else:
                tip = await self._unless_refused(session, leaf, "threshold", None, Need.TRIGGER, at_once=at_once)
            return None if tip is None else self._continued.pop(session, session)
        finally:
            self._behind.pop(session).set()
            self._tell(AutoCompacting(session, CompactionStage.OVER))

    async def _unless_refused(
        self, session: int, tip: int | None, trigger: str, window: int | None, need: Need, *, at_once: bool = False
    ) -> int | None:
        """Wait for the countdown, then prune, and compact if pruning is not enough; return the new tip.

        A compaction that is stored includes the pruning, so that one undo takes back both. While the session waits
        after failures, and after a compaction that fails, it is only pruned.
        """
        is_paused = await self._is_paused(session)
        if not is_paused:
            if not at_once and not await self.countdown.passes(session, tip):
                return None
            self._tell(AutoCompacting(session, CompactionStage.WRITING))
        of_run, occasion = trigger != "threshold", _OCCASIONS[need]
        if not is_paused and (need is not Need.TRIGGER or await self._is_due(session, tip, pruned=True)):
            compacted = await self._compact_or_tell(session, tip, trigger, window, need)
            if compacted is not None:
                return compacted
        return await self._prune(session, tip, occasion, of_run=of_run)

    async def _is_due(self, session: int, tip: int | None, *, pruned: bool = False) -> bool:
        """Whether a compaction at the tip is due, with `pruned` even after the pruning that comes first."""

        def job(reader: ArchiveReader) -> bool:
            session_tree = SessionTree(reader.session(session), reader.tree(session))
            tree = session_tree.tree
            at = tree.get(tip_now(reader, session, tip) if pruned else tip)
            freed = self._freed(reader, tree, at) if pruned else 0
            return self.is_on(session_tree.session) and self._contexts.seen(session_tree, at).is_due_without(freed)

        return await settled(self._archive.read(job))

    def _freed(self, reader: ArchiveReader, tree: Tree, at: int | None) -> int:
        """Return the estimated tokens that the pruning before a compaction would free. Runs on the db thread."""
        try:
            return planned_prune(reader, tree, at, self._contexts.settings, PruneOccasion.CONTEXT).freed
        except NothingToDoError:
            return 0

    async def _prune_unless_off(self, session: int, leaf: int | None) -> int | None:
        """Prune tool results above their threshold; returns as `_prune` does.

        It prunes enough that the next pruning is due only after as many new results; until then, the provider's cache
        of the text before them stays valid.
        """
        is_on = await settled(self._archive.read(lambda reader: self.is_on(reader.session(session))))
        return await self._prune(session, leaf, PruneOccasion.RESULTS, of_run=False) if is_on else None

    async def _is_paused(self, session: int) -> bool:
        """Whether the session waits for more replies after failures."""
        before = await settled(self._archive.read(lambda reader: _failures(reader, session)))
        return before.replies < before.pause

    async def _compact_now(self, session: int, tip: int | None, trigger: str, window: int | None) -> int | None:
        """Return the new tip; None when no compaction is possible or smaller, and nothing was pruned.

        Raises KnownError after a pruning without the compaction.
        """
        compacted, failure = None, None
        try:
            compacted = await self._compact(session, tip, trigger, window, Need.ROOM)
        except KnownError as error:
            failure = error
        if compacted is not None:
            return compacted
        pruned = await self._prune(session, tip, PruneOccasion.ROOM, of_run=True)
        if failure is not None and not isinstance(failure, NothingToDoError):
            raise failure
        return pruned

    async def _compact_or_tell(
        self, session: int, tip: int | None, trigger: str, window: int | None, need: Need
    ) -> int | None:
        """Return the new tip; None when the compaction fails, which a note reports.

        If a digest before a request would not make the context smaller, this does not count as a failure, because a
        digest costs nothing.
        """
        try:
            return await self._compact(session, tip, trigger, window, need)
        except KnownError as error:
            if isinstance(error, NoGainError) and trigger != "threshold":
                return None
            if isinstance(error, NothingToDoError) and not isinstance(error, NoGainError):
                if need is Need.TRIGGER:
                    await self._tell_impossible(session, error)
                return None
            await self._tell_failure(session, error, is_in_turn=trigger != "threshold")
            return None

    async def _prune(self, session: int, tip: int | None, occasion: PruneOccasion, *, of_run: bool) -> int | None:
        """Return the key of the pruning, or of the note below it; None when nothing can be pruned."""
        told: list[tuple[str, str]] = []

        def look(reader: ArchiveReader) -> tuple[int, bool]:
            tree = reader.tree(session)
            at = tree.get(tip_now(reader, session, tip))
            found = planned_prune(reader, tree, at, self._contexts.settings, occasion)
            return tree.key(found.parent), self._is_reported(reader.session(session))

        def notice(plan: PrunePlan, view: ContextView) -> str:
            told.append((pruned(plan, view), pruned_title(plan, view.breakdown)))
            return told[-1][0]

        try:
            below, is_told = await settled(self._archive.read(look))
            wanted = notice if is_told else None
            run = self._pruning.run(session, below, occasion=occasion, of_run=of_run, notice=wanted)
            _, key = await settled(run)
        except (NothingToDoError, ConflictError):
            return None
        for text, title in told:
            self._tell(Noticed(session, text, title, key))
        return key

    def _is_reported(self, session: Session) -> bool:
        """Whether automatic compactions and prunings of a session are reported. Failures are always reported."""
        return self._contexts.settings.notify and verbosity_of(session.details) != "off"

    async def _compact(
        self, session: int, tip: int | None, trigger: str, window: int | None, need: Need
    ) -> int | None:
        """Return the key of the compaction's note, or of the compaction; None when the leaf moved away.

        The kept part is so small that the next compaction is many replies away (`Budget.part_left`). Raises
        KnownError, also NothingToDoError. `window` is in tokens; None takes the catalogue's.
        """

        def look(reader: ArchiveReader) -> tuple[int | None, int | None, bool]:
            below = tip_now(reader, session, tip)
            session_tree = SessionTree(reader.session(session), reader.tree(session))
            view = self._contexts.seen(session_tree, session_tree.tree.get(below))
            budget = self._contexts.budget(session_tree, view.projection.model, window)
            return below, replace(view, budget=budget).part_left, self._is_reported(session_tree.session)

        below, most, is_told = await settled(self._archive.read(look))
        if below is None:
            return None
        request = CompactionRequest(
            session=session,
            leaf=below,
            most_kept=most,
            longest_summary=most,
            trigger=trigger,
            of_run=trigger != "threshold",
            prune=_OCCASIONS[need],
            notice=partial(self._notice, window=window) if is_told else None,
        )
        try:
            done = await self._compact_with(request)
        except ConflictError:
            return None
        except CompactionFailedError as error:
            if not isinstance(error.cause, ConflictError):
                raise
            await self._tell_cost(session, error)
            return None
        if done.session is not None:
            self._continued[session] = done.session
            self._tell(SessionContinued(session, done.session, done.notice))
        elif done.notice and done.tip is not None:
            self._tell(Noticed(session, done.notice, compacted_title(done), done.tip))
        return done.tip

    def _notice(
        self, reader: ArchiveReader, request: CompactionRequest, done: Compaction, *, window: int | None
    ) -> str:
        """Return the note about a compaction that is about to be stored. Runs on the db thread."""
        session_tree = SessionTree(reader.session(request.session), reader.tree(request.session))
        view = self._contexts.seen(session_tree, done.plan.parent)
        view = replace(view, budget=self._contexts.budget(session_tree, view.projection.model, window))
        causes = repeated_causes(reader, view, done, self._contexts.settings)
        told = advice(causes, view.budget, view.breakdown) if causes else None
        return auto_compacted(done, request, session_tree.session.compactions + 1, told)

    async def _tell_impossible(self, session: int, error: KnownError) -> None:
        """Store and publish a note, once until the next compaction, that nothing is left to summarise."""

        def is_told(reader: ArchiveReader) -> bool:
            return any(details.get(IMPOSSIBLE) for details, _ in _notes(reader, session))

        if await settled(self._archive.read(is_told)):
            return
        text = joined(" ", [Phrase("A compaction is due, but it is not possible."), str(error)])
        key = await settled(self._note(session, text, "", **{IMPOSSIBLE: True}))
        self._tell(Noticed(session, text, text, key, has_changed=False))

    async def _tell_failure(self, session: int, error: KnownError, *, is_in_turn: bool) -> None:
        """Store and publish a note about a failure: its reason and cost, the next try, and possible remedies.

        `is_in_turn`: the reply of this turn is still to come. The next try is in another turn, so that no turn pays
        for two.
        """

        def look(reader: ArchiveReader) -> tuple[int, Phrase | None]:
            session_tree = SessionTree(reader.session(session), reader.tree(session))
            view = self._contexts.seen(session_tree, session_tree.tree.get(session_tree.session.leaf))
            cause = error.cause if isinstance(error, CompactionFailedError) else error
            told = None
            if isinstance(cause, NoGainError):
                told = advice(
                    causes_of(view.budget, self._contexts.settings, view.breakdown), view.budget, view.breakdown
                )
            return _failures(reader, session).count + 1, told

        failures, told = await settled(self._archive.read(look))
        is_model = isinstance(error, CompactionFailedError)
        cost = cost_of_failure(error.usage) if isinstance(error, CompactionFailedError) else None
        wait = _pause(failures) + is_in_turn
        text = failed(str(error), cost, next_try(wait), offers_digest=is_model)
        if told is not None:
            text = joined("\n", [text, told])
        facts = {FAILURES: failures} | ({} if isinf(wait) else {WAIT: wait})
        key = await settled(self._note(session, text, "", **facts))
        self._tell(Noticed(session, text, str(error), key, offers_digest=is_model, has_changed=False))

    async def _tell_cost(self, session: int, error: CompactionFailedError) -> None:
        """Store and publish a note about a summary that was paid for and not stored, which is not a failure."""
        text = joined(" ", [str(error), cost_of_failure(error.usage)])
        key = await settled(self._note(session, text, ""))
        self._tell(Noticed(session, text, text, key, has_changed=False))


@dataclass(frozen=True, slots=True)
class _Failures:
    """The failures since the last compaction, and the replies since the last failure.

    `pause` is the number of replies until the next try; infinite after too many failures.
    """

    count: int = 0
    replies: int = 0
    pause: float = 0


def _failures(reader: ArchiveReader, session: int) -> _Failures:
    """Read the failures from the notes on the active path."""
    for details, replies in _notes(reader, session):
        count = details.get(FAILURES)
        if isinstance(count, int):
            return _Failures(count, replies, details.get(WAIT, _pause(count)))
    return _Failures()


def _notes(reader: ArchiveReader, session: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the details of own notes since the last compaction, newest first, and the replies after each note."""
    tree = reader.tree(session)
    line = context_at(tree, tree.get(reader.session(session).leaf)).path_totals
    replies = 0
    for at in range(len(line) - 1, line.kinds.rfind(Kind.COMPACTION), -1):
        entry = line.path[at]
        flags = tree.columns.flags[entry]
        if line.kinds[at] == Kind.CUSTOM_MESSAGE and flags & Flag.OWN and flags & Flag.EXCLUDED:
            key = tree.key(entry)
            yield json.loads(reader.bodies([key])[key].details or "{}"), replies
        replies += line.roles[at] == Role.ASSISTANT and bool(flags & Flag.ENDS_TURN)


def _pause(failures: int) -> float:
    """Return the replies between a failure after a reply and the next try, by the number of failures in a row."""
    return 2 ** (failures - 1) if failures < MOST_FAILURES else inf


def next_try(replies: float) -> Phrase:
    """Return after how many replies the next automatic compaction is tried, in words, or that it never is."""
    if isinf(replies):
        return Phrase("Automatic compaction is off for this session until you compact it with /compact.")
    if replies == 1:
        return Phrase("Stemmata tries to compact automatically again after the next reply.")
    return Phrase("Stemmata tries to compact automatically again after {0} more replies.", replies)
