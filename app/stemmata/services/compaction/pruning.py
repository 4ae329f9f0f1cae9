"""Pruning: leave tool output or single entries out of the context.

A pruning is an entry that lists them. The archive keeps everything.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar

from stemmata.domain.compaction.pruning import PruneOccasion, PrunePlan, plan_prune
from stemmata.domain.context.projection import CUT, CUT_TOKENS, OUT, WHOLE, context_at
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.path_totals import Emission, PathTotals
from stemmata.domain.errors import ConflictError, NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.session import SessionTree
from stemmata.domain.text.phrases import Phrase
from stemmata.services.compaction.prune_planning import planned_prune
from stemmata.services.compaction.read_in_parts import ReadInParts
from stemmata.services.context.contexts import Contexts, ContextView
from stemmata.services.futures import run_in_thread, then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import ids_in, note_entry, own_entry, prune_entries, put_below

T = TypeVar("T")

OMISSIONS = {OUT: "exclude", CUT: "cut", WHOLE: "include"}  # names of steps


class Pruning:
    """Leaves old tool results out of the context."""

    def __init__(self, archive: Archive, contexts: Contexts, notices: Notices, clock: Clock) -> None:
        self._archive = archive
        self._contexts = contexts
        self._notices = notices
        self._clock = clock

    def preview(
        self, session_tree: SessionTree, leaf: int | None, path_totals: PathTotals | None = None
    ) -> PrunePlan:
        """Return the plan of a pruning by the user. Raises NothingToDoError."""
        settings = self._contexts.settings
        return plan_prune(session_tree.tree, leaf, settings, PruneOccasion.BY_HAND, path_totals)

    def duplicates(self, session: int, leaf: int, is_wanted: Callable[[], bool] = lambda: True) -> Future[PrunePlan]:
        """Return the pruning of results that later ones replace, at an entry (key). Fails with NothingToDoError.

        The work is done in a thread of its own, and the archive is read in short jobs, since a long session takes
        long. It ends with CancelledError soon after `is_wanted` is false.
        """

        def work() -> PrunePlan:
            reader, settings = ReadInParts(self._archive, is_wanted), self._contexts.settings
            tree = reader.tree(session)
            return planned_prune(reader, tree, tree.get(leaf), settings, PruneOccasion.DUPLICATES)

        return run_in_thread(work)

    def run(
        self,
        session: int,
        leaf: int,
        initiator: object = None,
        *,
        occasion: PruneOccasion = PruneOccasion.BY_HAND,
        of_run: bool = False,
        notice: Callable[[PrunePlan, ContextView], str] | None = None,
        command: str = "",
    ) -> Future[tuple[PrunePlan, int]]:
        """Prune at the leaf; returns the plan and the key of the last new entry.

        Fails with NothingToDoError, ConflictError. With `of_run`, `leaf` is a run's tip and is pruned wherever the
        session's leaf is; a leaf at the tip moves along. `notice` returns the text of a note that is stored below the
        pruning in the same transaction, from the plan and the context after it; `command` is the command that it
        answers.
        """

        def job(writer: ArchiveWriter) -> tuple[PrunePlan, int]:
            standing = writer.session(session).leaf
            if standing != leaf and not of_run:
                raise ConflictError(
                    "The session changed meanwhile. Nothing was pruned. Check the context again and repeat."
                )
            tree = writer.tree(session)
            plan = planned_prune(writer, tree, tree.index(leaf), self._contexts.settings, occasion)
            entries = prune_entries(self._clock, ids_in(writer, tree), plan)
            key = writer.append(session, entries)[-1]
            if notice is not None:
                grown = SessionTree(writer.session(session), writer.tree(session))
                told = notice(plan, self._contexts.seen(grown, grown.tree.index(key)))
                facts = {"command": command} if command else {}
                [key] = writer.append(
                    session, [replace(note_entry(self._clock, told, **facts), parent=entries[-1].id)]
                )
            if standing == leaf:
                reason = "auto-prune" if occasion.is_automatic else "prune"
                writer.begin_step(reason, "", count=len(plan.pruned))
                writer.move_leaf(session, key, reason, time=self._clock.now())
            writer.refresh(session)
            return plan, key

        return self._published(self._archive.write(job), session, initiator)

    def omit(self, session: int, entry: int, how: str, initiator: object = None) -> Future[int]:
        """Leave an entry of the active path out of the context (OUT), cut it (CUT) or send it whole again (WHOLE).

        Returns the key of the new entry, which becomes the leaf, so that undo takes it back. Fails with
        NothingToDoError.
        """

        def job(writer: ArchiveWriter) -> tuple[None, int]:
            tree, leaf = writer.tree(session), writer.session(session).leaf
            projection = context_at(tree, tree.get(leaf))
            at, path_totals = tree.get(entry), projection.path_totals
            if (
                at is None
                or at not in path_totals
                or path_totals.emissions[path_totals.position(at)] != Emission.MESSAGE
            ):
                raise NothingToDoError("This entry is not in the context. Nothing was changed.")
            if projection.omissions.get(path_totals.position(at), WHOLE) == how:
                raise NothingToDoError("The entry is already in this state. Nothing was changed.")
            if how == CUT and tree.tokens(at) <= CUT_TOKENS:
                raise NothingToDoError(
                    Phrase("This entry has less than {0} tokens, too few to cut. Nothing was changed.", CUT_TOKENS)
                )
            target = writer.rows([entry])[entry].id
            made = own_entry(self._clock, Kind.OMISSION, target=target, name=how)
            key = put_below(writer, self._clock, session, made, leaf, OMISSIONS[how])
            writer.refresh(session)
            return None, key

        return then(self._published(self._archive.write(job), session, initiator), lambda made: made[1])

    def _published(self, future: Future[tuple[T, int]], session: int, initiator: object) -> Future[tuple[T, int]]:
        def publish(result: tuple[T, int]) -> tuple[T, int]:
            what = Change.ENTRIES | Change.LEAF | Change.SESSIONS
            self._notices.publish(ChangeSet(what, session, (result[1],), initiator))
            return result

        return then(future, publish)
