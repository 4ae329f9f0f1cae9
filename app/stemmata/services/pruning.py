"""Pruning tool output from the context: an entry that says so, the outputs themselves untouched in the archive."""

from __future__ import annotations

from concurrent.futures import Future

from stemmata.domain.changes import Change, ChangeSet
from stemmata.domain.entries import Entry, Flag, Kind
from stemmata.domain.errors import ConflictError
from stemmata.domain.line import Line
from stemmata.domain.prune import PrunePlan, plan_prune
from stemmata.domain.sessions import Skeleton
from stemmata.services.contexts import Contexts
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports import Archive, ArchiveWriter, Clock


class Pruning:
    def __init__(self, archive: Archive, contexts: Contexts, notices: Notices, clock: Clock) -> None:
        self._archive = archive
        self._contexts = contexts
        self._notices = notices
        self._clock = clock

    def preview(self, skeleton: Skeleton, leaf: int | None, line: Line | None = None) -> PrunePlan:
        """What pruning by hand would do. Raises NothingToDoError."""
        return plan_prune(skeleton.tree, leaf, self._contexts.settings, force=True, line=line)

    def run(
        self, session: int, leaf: int, initiator: object = None, *, of_run: bool = False
    ) -> Future[tuple[PrunePlan, int]]:
        """Prune at the leaf. The plan and the new entry's key. Fails with NothingToDoError, ConflictError.

        `of_run`: `leaf` is a run's tip, pruned wherever the session stands; the leaf comes along when it stood there.
        """

        def job(writer: ArchiveWriter) -> tuple[PrunePlan, int]:
            standing = writer.session(session).leaf
            if standing != leaf and not of_run:
                raise ConflictError("The session has moved on meanwhile. Nothing was changed; look again and repeat.")
            tree = writer.tree(session)
            plan = plan_prune(tree, tree.index(leaf), self._contexts.settings, force=True)
            rows = writer.rows([leaf, tree.key(plan.boundary)])
            entry = Entry(
                id=self._clock.new_id(),
                parent=rows[leaf].id,
                kind=Kind.TOOL_PRUNE,
                target=rows[tree.key(plan.boundary)].id,
                time=self._clock.now(),
                flags=Flag.OWN,
            )
            [key] = writer.append(session, [entry])
            if standing == leaf:
                writer.move_leaf(session, key, "prune", time=self._clock.now())
            writer.refresh(session)
            return plan, key

        def publish(result: tuple[PrunePlan, int]) -> tuple[PrunePlan, int]:
            what = Change.ENTRIES | Change.LEAF | Change.SESSIONS
            self._notices.publish(ChangeSet(what, session, (result[1],), initiator))
            return result

        return then(self._archive.write(job), publish)
