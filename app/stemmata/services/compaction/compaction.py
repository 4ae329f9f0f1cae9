"""Preview a compaction, draft its summary, store it, and edit a stored summary.

A compaction appends one entry and moves the leaf. It changes and deletes nothing. `drafting.py` plans it and writes
its summary; `storing.py` and `new_session.py` store it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from typing import Any, TypeVar

from stemmata.domain.compaction.forecast import breakdown_with_summary, saves_nothing
from stemmata.domain.compaction.plan import Plan
from stemmata.domain.compaction.pruning import PruneOccasion
from stemmata.domain.compaction.summary.signed import DETAIL
from stemmata.domain.compaction.summary.summary import Summariser, SummaryInput
from stemmata.domain.context.breakdown import breakdown_data
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.figures import Figure
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import ConflictError, NoGainError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.text.phrases import Phrase
from stemmata.services.compaction.drafting import Drafting
from stemmata.services.compaction.new_session import has_run, store_in_new_session
from stemmata.services.compaction.read_in_parts import DraftProgress, ReadInParts
from stemmata.services.compaction.request import AUTOMATIC, Compaction, CompactionRequest
from stemmata.services.compaction.storing import append_entries, store_branch_summary, store_compaction, summary_entry
from stemmata.services.context.contexts import Contexts
from stemmata.services.futures import run_in_thread, then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import ids_in
from stemmata.services.whole_entries import index_of

T = TypeVar("T")

_MOVED = "The session changed after the preview. Nothing was compacted. Check the preview again and repeat."


class Compactions:
    """Compacts sessions.

    `preview` runs on any thread; everything else returns a Future and is published after it is stored.
    """

    def __init__(
        self, archive: Archive, contexts: Contexts, summariser: Summariser, notices: Notices, clock: Clock
    ) -> None:
        self._archive, self._contexts = archive, contexts
        self._notices, self._clock = notices, clock
        self.drafting = Drafting(contexts, summariser)
        self.preview = self.drafting.preview

    def draft(
        self, request: CompactionRequest, is_wanted: Callable[[], bool] = lambda: True,
        tell: Callable[[int], object] = lambda _percent: None,
    ) -> Future[Compaction]:  # fmt: skip
        """Return the compaction with its summary, as `run` would store it.

        The work is done on a separate thread, since a long session takes seconds. It ends with CancelledError soon
        after `is_wanted` is false. `is_wanted` is called between small steps, and may wait in order to pause the
        work. `tell` gets the finished part of the summary, in percent.
        """

        def work() -> Compaction:
            progress = DraftProgress(tell)

            def pause() -> None:
                if not is_wanted():
                    raise CancelledError
                progress.add(1)

            return self.drafting.draft(
                ReadInParts(self._archive, is_wanted, progress.add), request, pause, progress.begin
            )

        return run_in_thread(work)

    def material(self, request: CompactionRequest) -> Future[SummaryInput]:
        """Return the input for another writer of the summary. Fails with NothingToDoError."""
        return self._archive.read(lambda reader: self.drafting.material(reader, request))

    def planned(self, reader: ArchiveReader, request: CompactionRequest) -> tuple[Tree, Plan]:
        """Return the tree and the plan of a request. Runs on the db thread. Raises NothingToDoError."""
        tree = reader.tree(request.session)
        return tree, self.drafting.plan(tree, request)

    def run(self, request: CompactionRequest, initiator: object = None) -> Future[Compaction]:
        """Compact a session as the request says, and return what was stored.

        Fails with NothingToDoError, also when the context would not become smaller, or with ConflictError when the
        session's leaf moved meanwhile.
        """

        def job(writer: ArchiveWriter) -> Compaction:
            started = time.perf_counter()
            if writer.session(request.session).leaf != request.leaf and not request.of_run:
                return self._repeated(writer, request)
            drafted = self.drafting.draft(writer, request)
            if request.from_entry is None:
                _check_gain(drafted, request)
            took = round((time.perf_counter() - started) * 1000)
            store = store_compaction if request.from_entry is None else store_branch_summary
            return store(writer, self._clock, request, drafted, took)

        return self._published(self._archive.write(job), request.session, initiator)

    def run_in_new_session(self, request: CompactionRequest) -> Future[Compaction]:
        """Create a session that starts with the summary and the kept entries, and finalise the old session.

        The entries of the old session stay unchanged; without a run, its queued messages move to the new one. All of
        this is one transaction. Fails as `run` does; an automatic compaction also while a reply is running.
        """

        def job(writer: ArchiveWriter) -> Compaction:
            origin = writer.session(request.session)
            is_automatic = request.trigger == AUTOMATIC
            if origin.leaf != request.leaf or (is_automatic and has_run(writer, origin.key)):
                raise ConflictError(_MOVED)
            drafted = self.drafting.draft(writer, request)
            _check_gain(drafted, request)
            return store_in_new_session(writer, self._clock, request, drafted)

        return self._published(self._archive.write(job), request.session)

    def edit(self, session: int, compaction: int, text: str, initiator: object = None) -> Future[int]:
        """Store a sibling of a compaction with another summary, move the leaf to it, and return its key.

        Fails with NotFoundError when the session has no such entry. The new summary is unsigned, because a provider's
        signature is valid only for the old text.
        """

        def job(writer: ArchiveWriter) -> int:
            index_of(writer.tree(session), compaction)  # raises NotFoundError
            row = writer.rows([compaction])[compaction]
            near = [key for key in (row.parent, row.target) if key is not None]
            ids = {key: found.id for key, found in writer.rows(near).items()}
            details = json.loads(writer.bodies([compaction])[compaction].details or "{}")
            details |= {"edited_from": row.id, "summariser": "person"}
            details.pop(DETAIL, None)
            details.pop("tokensAfter", None)  # the source's note is the size with the old summary
            if "after" in details:
                details["after"] = self._resummarised(writer, session, compaction, to_tokens(units(text)))
            entry = replace(
                summary_entry(self._clock, text, ids.get(row.parent or 0), ids.get(row.target or 0), details),
                usage=row.usage and replace(row.usage, cost=None),
            )
            return append_entries(writer, self._clock, session, [entry], "edit-summary")[0]

        future = self._archive.write(job)
        return self._published(future, session, initiator)

    # -- inside a job -----------------------------------------------------------------------------------------

    def _resummarised(self, reader: ArchiveReader, session: int, compaction: int, tokens: int) -> dict[str, Any]:
        """Return the size details of a compaction whose summary has `tokens` estimated tokens."""
        tree = reader.tree(session)
        projection = context_at(tree, tree.index(compaction))
        found = breakdown_with_summary(
            projection, tree.index(compaction), tokens, self._contexts.window(projection.model)
        )
        return breakdown_data(found, ids_in(reader, tree))

    def _repeated(self, writer: ArchiveWriter, request: CompactionRequest) -> Compaction:
        """Return the result of the same operation when it was done before. Raises ConflictError otherwise."""
        tree = writer.tree(request.session)
        leaf = tree.get(request.leaf)
        below = [] if leaf is None else list(tree.children(leaf))
        for entry in below:  # the loop appends the entries below the marks of a pruning
            if tree.kind(entry) in (Kind.TOOL_PRUNE, Kind.OMISSION):
                below += tree.children(entry)
            if tree.kind(entry) is Kind.COMPACTION and request.operation:
                body = writer.bodies([tree.key(entry)])[tree.key(entry)]
                details = json.loads(body.details or "{}")
                if details.get("operation") == request.operation:
                    drafted = self.drafting.draft(writer, request)
                    return replace(drafted, entry=tree.key(entry))
        raise ConflictError(_MOVED)

    def _published(self, future: Future[T], session: int, initiator: object = None) -> Future[T]:
        what = Change.ENTRIES | Change.LEAF | Change.SESSIONS

        def publish(result: T) -> T:
            self._notices.publish(ChangeSet(what, session, initiator=initiator))
            return result

        return then(future, publish)


def _check_gain(drafted: Compaction, request: CompactionRequest) -> None:
    """Raise NoGainError when the compaction would not make the context smaller.

    The tokens that an automatic pruning saves do not count, since the pruning is done without the compaction, too.
    """
    prune, before = drafted.prune, drafted.before
    if prune is not None and request.prune is not PruneOccasion.BY_HAND:
        pruned = Figure.estimated((before.total.value or 0) - before.scaled(prune.freed))
        before = replace(before, total=pruned)
    if not saves_nothing(before, drafted.after):
        return
    sizes = (size.total.value or 0 for size in (before, drafted.after))
    raise NoGainError(
        Phrase(
            "A compaction would not make the context smaller: ≈ {0} tokens before, ≈ {1} after. "
            "Nothing was changed. The large entries are in the kept part: keep less, or exclude "
            "single entries from the context.",
            *sizes,
        )
    )
