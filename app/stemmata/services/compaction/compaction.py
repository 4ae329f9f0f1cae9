"""Compaction from preview to undo.

A compaction appends one entry and moves the leaf. It changes and deletes nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from stemmata.domain.compaction.branch_summary import earlier_operations
from stemmata.domain.compaction.forecast import Forecast, breakdown_with_summary, forecast_of, saves_nothing
from stemmata.domain.compaction.operations import Operations, from_details, to_details
from stemmata.domain.compaction.plan import (
    Plan,
    plan_branch_summary,
    plan_compaction,
    plan_from,
    plan_whole,
)
from stemmata.domain.compaction.pruning import PruneOccasion, PrunePlan, summarised_whole
from stemmata.domain.compaction.summary.signed import DETAIL, SignedSummary, to_detail
from stemmata.domain.compaction.summary.summary import Summariser, Summary, SummaryInput, nothing
from stemmata.domain.context.breakdown import Breakdown, breakdown_data, displayed_breakdown
from stemmata.domain.context.projection import OUT, Projection, context_at, kept_tools
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Usage
from stemmata.domain.entries.entry_rows import whole_entry
from stemmata.domain.entries.figures import Figure
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import ConflictError, NoGainError, NotFoundError, NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.details import choices_of, conversation_key, with_conversation_key
from stemmata.domain.sessions.lineage import CONTINUED
from stemmata.domain.sessions.session import Session, SessionInfo, SessionTree
from stemmata.domain.sessions.steps import CONTINUING, Fact, StepChange
from stemmata.domain.text.phrases import Phrase
from stemmata.services.compaction.last_summary import LastSummary, SummarySubject
from stemmata.services.compaction.prune_planning import planned_prune
from stemmata.services.compaction.read_in_parts import DraftProgress, ReadInParts
from stemmata.services.context.contexts import Contexts
from stemmata.services.futures import run_in_thread, then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock, EntrySource
from stemmata.services.sessions.own_entries import ids_in, note_entry, own_entry, prune_entries, prune_entry

T = TypeVar("T")


def material_of(
    reader: EntrySource, tree: Tree, plan: Plan, focus: str, longest: int | None = None,
    whole_tools: frozenset[str] = frozenset(),
) -> SummaryInput:  # fmt: skip
    """Return the input for the writer of a summary: the entries that the plan summarises."""
    previous, operations = "", Operations()
    if plan.previous is not None:
        [entry] = whole_entries(reader, tree, [plan.previous])
        previous = "\n".join(block.text for block in entry.blocks if isinstance(block, Text))
        operations = from_details(entry.details)
    return SummaryInput(
        entries=tuple(whole_entries(reader, tree, plan.summarised)),
        turn_prefix=tuple(whole_entries(reader, tree, plan.turn_prefix)),
        previous=previous,
        previous_operations=operations,
        focus=focus,
        longest=longest,
        whole_tools=whole_tools,
    )


def whole_entries(reader: EntrySource, tree: Tree, entries: Sequence[int]) -> list[Entry]:
    """Read entries with their whole bodies, in order."""
    keys = [tree.key(entry) for entry in entries]
    rows, bodies = reader.rows(keys), reader.bodies(keys)
    missing = [key for key in keys if key not in rows or key not in bodies]
    if missing:
        raise NotFoundError(
            Phrase("Entry {0} has no content: the archive is damaged. A backup may hold it.", str(missing[0]))
        )
    return [whole_entry(rows[key], bodies[key]) for key in keys]


def newest_key(tree: Tree) -> int:
    """Return the key of the newest entry of a tree that is not empty."""
    return max(map(tree.key, range(len(tree))))


AUTOMATIC = "threshold"  # the trigger of automatic compactions after a reply
_MOVED = "The session changed after the preview. Nothing was compacted. Check the preview again and repeat."

ASSUMED_SUMMARY = 1200  # tokens assumed for a summary before it is written, when the session has no earlier one


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRequest:
    """A request to compact. Keys are store keys.

    `leaf` is the leaf that the caller saw; a session whose leaf has moved is not compacted. Give `first_kept` for a
    cut chosen by the user, `text` for a summary that is already written, `operation` to make a repeated request
    harmless. `maker` is the writer of the text ("" for the user), `usage` the cost of writing it; `signed` is the
    block that its provider expects in place of the text. With `of_run`, `leaf` is a run's tip and is compacted
    wherever the session's leaf is; a leaf at the tip moves along. `whole` keeps only pinned entries word for word.
    `most_kept` limits the kept part of the settings, in estimated tokens. `longest_summary` is the most estimated
    tokens of the summary; None for the part of the model's window that `Budget.part_left` gives. `prune` is the
    occasion on which tool output is pruned in the same transaction, when any can be pruned; None for no pruning.
    `notice` returns the text of a note that is stored below the compaction in the same transaction, so that one undo
    takes back everything; it runs on the db thread before anything is stored. `command` is the command that the note
    answers, "" for none. With `from_entry`, everything from this entry on is replaced by a branch summary, and the
    entries above are kept: the leaf moves to the summary, which is stored beside the entry. Pruning and notes do not
    apply.
    """

    session: int
    leaf: int
    first_kept: int | None = None
    from_entry: int | None = None
    keep_recent_tokens: int | None = None
    focus: str = ""
    text: str | None = None
    trigger: str = "manual"
    operation: str = ""
    maker: str = ""
    usage: Usage | None = None
    signed: SignedSummary | None = None
    of_run: bool = False
    whole: bool = False
    most_kept: int | None = None
    longest_summary: int | None = None
    prune: PruneOccasion | None = None
    notice: Callable[[ArchiveReader, CompactionRequest, Compaction], str] | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The forecast of a compaction before its summary is written.

    Both sizes are scaled as the context's figures are.
    """

    plan: Plan
    before: Breakdown
    forecast: Forecast

    @property
    def after(self) -> Breakdown:
        """The forecast breakdown after the compaction."""
        return self.forecast.after


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result of a compaction, or of a dry run, for which `entry` is None.

    `session` is the new session that continues the old one; None when the old one continues. `tip` is the key of the
    last stored entry, which is the note when there is one; `notice` is the text of that note. `prune` is the pruning
    before the compaction; None without one. `before` is the context before both. `usage` has the tokens of the model
    for the summary, None when the digest or a person wrote it.
    """

    plan: Plan
    before: Breakdown
    after: Breakdown
    summary: Summary
    entry: int | None = None
    session: int | None = None
    tip: int | None = None
    notice: str = ""
    prune: PrunePlan | None = None
    usage: Usage | None = None


class Compactions:
    """Compacts.

    `preview` runs on any thread; everything else returns a Future and is published after it is stored.
    """

    def __init__(
        self, archive: Archive, contexts: Contexts, summariser: Summariser, notices: Notices, clock: Clock
    ) -> None:
        self._archive = archive
        self._summariser = summariser
        self._contexts = contexts
        self._notices = notices
        self._clock = clock
        self._last = LastSummary()

    def preview(
        self,
        session_tree: SessionTree,
        leaf: int | None,
        *,
        first_kept: int | None = None,
        keep_recent_tokens: int | None = None,
        from_entry: int | None = None,
        path_totals: PathTotals | None = None,
    ) -> Preview:
        """Forecast a compaction, without side effects. Arguments are indices of the tree.

        Raises NothingToDoError with the reason.
        """
        if from_entry is not None and leaf is not None:
            plan = plan_branch_summary(session_tree.tree, leaf, from_entry, path_totals)
        else:
            plan = self._plan(session_tree.tree, leaf, first_kept, keep_recent_tokens, path_totals)
        return self._preview(session_tree, plan, _assumed_summary(session_tree.tree, plan), path_totals)

    def draft(
        self, request: CompactionRequest, is_wanted: Callable[[], bool] = lambda: True,
        tell: Callable[[int], object] = lambda _percent: None,
    ) -> Future[Compaction]:  # fmt: skip
        """Return the compaction with its summary, as `run` would store it.

        The work is done in a thread of its own, since a long session takes seconds. It ends with CancelledError soon
        after `is_wanted` is false. `is_wanted` is called between small steps and may wait, to hold the work up.
        `tell` gets the finished part of the summary, in percent.
        """

        def work() -> Compaction:
            progress = DraftProgress(tell)

            def pause() -> None:
                if not is_wanted():
                    raise CancelledError
                progress.add(1)

            return self._drafted(ReadInParts(self._archive, is_wanted, progress.add), request, pause, progress.begin)

        return run_in_thread(work)

    def material(self, request: CompactionRequest) -> Future[SummaryInput]:
        """Return the input for another writer of the summary. Fails with NothingToDoError."""

        def job(reader: ArchiveReader) -> SummaryInput:
            session_tree = SessionTree(reader.session(request.session), reader.tree(request.session))
            return self._material(reader, session_tree, self._plan_of(session_tree.tree, request), request)

        return self._archive.read(job)

    def planned(self, reader: ArchiveReader, request: CompactionRequest) -> tuple[Tree, Plan]:
        """Return the tree and the plan of a request. Runs on the db thread. Raises NothingToDoError."""
        tree = reader.tree(request.session)
        return tree, self._plan_of(tree, request)

    def run(self, request: CompactionRequest, initiator: object = None) -> Future[Compaction]:
        """Compact.

        Fails with NothingToDoError, also when the context would not become smaller, or with ConflictError when the
        session's leaf moved meanwhile.
        """

        def job(writer: ArchiveWriter) -> Compaction:
            started = time.perf_counter()
            if writer.session(request.session).leaf != request.leaf and not request.of_run:
                return self._repeated(writer, request)
            drafted = self._drafted(writer, request)
            if request.from_entry is None:
                _worthwhile(drafted, request)
            took = round((time.perf_counter() - started) * 1000)
            store = self._store if request.from_entry is None else self._store_branch_summary
            return store(writer, request, drafted, took)

        return self._published(self._archive.write(job), request.session, initiator)

    def run_in_new_session(self, request: CompactionRequest, initiator: object = None) -> Future[Compaction]:
        """Create a session that starts with the summary and the kept entries, and finalise the old session.

        The entries of the old session stay unchanged; without a run, its queued messages move to the new one. All of
        this is one transaction. Fails as `run` does; an automatic compaction also while a reply is running.
        """

        def job(writer: ArchiveWriter) -> Compaction:
            origin = writer.session(request.session)
            has_run = any(run.session == origin.key for run in writer.open_runs())
            if origin.leaf != request.leaf or (has_run and request.trigger == AUTOMATIC):
                raise ConflictError(_MOVED)
            drafted = _worthwhile(self._drafted(writer, request), request)
            key = writer.create_session(self._continuation(origin))
            writer.update_session(key, parent=origin.key)
            tree = writer.tree(request.session)
            details = _details(drafted, request, 0, ids_in(writer, tree)) | {"continues": origin.id}
            head = self._entry(drafted.summary.text, None, None, details)
            entries = self._carried(writer, tree, head.id, drafted)
            told = request.notice(writer, request, drafted) if request.notice else ""
            if told:
                entries.append(self._note(told, request, entries[-1].id if entries else head.id))
            added = writer.append(key, [replace(head, usage=_usage_of(drafted, request)), *entries])
            writer.move_leaf(key, added[-1], "fork", time=self._clock.now())
            writer.begin_step("compact-into-new", origin.title)
            writer.note_change(StepChange(key, Fact.CREATED, "", CONTINUING), also=(origin.key,))
            writer.refresh(key)
            self._lead_on(writer, origin, key)
            last = newest_key(writer.tree(origin.key))
            writer.update_session(origin.key, summary=drafted.summary.text, finalised=last)
            if not has_run:  # a run sends its queue itself
                writer.hand_over_queue(origin.key, key)
            return replace(drafted, entry=added[0], session=key, tip=added[-1], notice=told)

        return self._published(self._archive.write(job), request.session, initiator)

    def edit(self, session: int, compaction: int, text: str, initiator: object = None) -> Future[int]:
        """Store a sibling of a compaction with another summary, move the leaf to it, and return its key.

        The new summary is unsigned, because a provider's signature is valid only for the old text.
        """

        def job(writer: ArchiveWriter) -> int:
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
                self._entry(text, ids.get(row.parent or 0), ids.get(row.target or 0), details),
                usage=row.usage and replace(row.usage, cost=None),
            )
            return self._add(writer, session, [entry], "edit-summary")[0]

        future = self._archive.write(job)
        return self._published(future, session, initiator)

    # -- inside a job -----------------------------------------------------------------------------------------

    def _plan(
        self, tree: Tree, leaf: int | None, first_kept: int | None, keep: int | None,
        path_totals: PathTotals | None = None, *, most: int | None = None,
    ) -> Plan:  # fmt: skip
        if first_kept is not None:
            return plan_from(tree, leaf, first_kept, path_totals)
        settings = self._contexts.settings
        if keep is not None:
            settings = settings._replace(keep_recent_tokens=keep, keep_recent_messages=None)
        return plan_compaction(tree, leaf, settings, path_totals, most=most)

    def _plan_of(self, tree: Tree, request: CompactionRequest) -> Plan:
        if request.from_entry is not None:
            return plan_branch_summary(tree, tree.index(request.leaf), tree.index(request.from_entry))
        if request.whole:
            return plan_whole(tree, tree.index(request.leaf))
        cut = None if request.first_kept is None else tree.index(request.first_kept)
        leaf = tree.index(request.leaf)
        return self._plan(tree, leaf, cut, request.keep_recent_tokens, most=request.most_kept)

    def _material(
        self, reader: EntrySource, session_tree: SessionTree, plan: Plan, request: CompactionRequest
    ) -> SummaryInput:
        return self._material_of(reader, session_tree.tree, self._subject(session_tree, plan, request))

    def _subject(self, session_tree: SessionTree, plan: Plan, request: CompactionRequest) -> SummarySubject:
        longest = request.longest_summary
        if longest is None:
            longest = self._contexts.seen(session_tree, plan.parent).part_left
        return SummarySubject(plan, request.focus, longest, summarised_whole(self._contexts.settings))

    def _material_of(self, reader: EntrySource, tree: Tree, subject: SummarySubject) -> SummaryInput:
        plan = subject.plan
        given = material_of(reader, tree, plan, subject.focus, subject.longest, subject.whole_tools)
        if plan.first_summarised is not None:
            given = replace(given, previous_operations=earlier_operations(given.entries))
        return given

    def _preview(
        self,
        session_tree: SessionTree,
        plan: Plan,
        summary: int,
        path_totals: PathTotals | None,
        prune: PrunePlan | None = None,
    ) -> Preview:
        projection = context_at(session_tree.tree, plan.parent, path_totals)
        window = self._contexts.window(projection.model)
        forecast = forecast_of(projection, plan, summary, window)
        if prune is not None:
            forecast = forecast.with_pruned(projection, plan, prune.pruned)
        return Preview(plan, displayed_breakdown(projection, window), forecast)

    def _prune_of(self, reader: EntrySource, tree: Tree, request: CompactionRequest) -> PrunePlan | None:
        """Return the pruning before the compaction; None when none is wanted or nothing can be pruned."""
        if request.prune is None:
            return None
        try:
            return planned_prune(reader, tree, tree.index(request.leaf), self._contexts.settings, request.prune)
        except NothingToDoError:
            return None

    def _resummarised(self, reader: ArchiveReader, session: int, compaction: int, tokens: int) -> dict[str, Any]:
        """Return the size details of a compaction whose summary has `tokens` estimated tokens."""
        tree = reader.tree(session)
        projection = context_at(tree, tree.index(compaction))
        found = breakdown_with_summary(
            projection, tree.index(compaction), tokens, self._contexts.window(projection.model)
        )
        return breakdown_data(found, ids_in(reader, tree))

    def _drafted(
        self, reader: EntrySource, request: CompactionRequest, pause: Callable[[], object] = nothing,
        begin: Callable[[int], object] = lambda _entries: None,
    ) -> Compaction:  # fmt: skip
        session_tree = SessionTree(reader.session(request.session), reader.tree(request.session))
        tree = session_tree.tree
        plan = self._plan_of(tree, request)
        subject = self._subject(session_tree, plan, request)

        def computed() -> Summary:
            begin(len(plan.summarised) + len(plan.turn_prefix))
            return self._summariser.summarise(replace(self._material_of(reader, tree, subject), pause=pause))

        summary = self._last.of(tree, subject, computed)
        if request.text is not None:
            summary = replace(summary, text=request.text, summariser=request.maker or "person")
        prune = self._prune_of(reader, tree, request)
        preview = self._preview(session_tree, plan, to_tokens(units(summary.text)), None, prune)
        return Compaction(plan, preview.before, preview.after, summary, prune=prune, usage=request.usage)

    def _store(self, writer: ArchiveWriter, request: CompactionRequest, drafted: Compaction, took: int) -> Compaction:
        id_of = ids_in(writer, writer.tree(request.session))
        plan = drafted.plan
        details = _details(drafted, request, took, id_of)
        kept = None if plan.first_kept is None else id_of(plan.first_kept)
        parent, added = id_of(plan.parent), list[Entry]()
        if drafted.prune is not None:
            added += prune_entries(self._clock, id_of, drafted.prune)
            parent = added[-1].id
        entry = self._entry(drafted.summary.text, parent, kept, details)
        at = len(added)
        comes_along = writer.session(request.session).leaf == request.leaf
        what = "compact" if request.trigger == "manual" else "auto-compact"
        added.append(replace(entry, usage=_usage_of(drafted, request)))
        told = request.notice(writer, request, drafted) if request.notice else ""
        if told:
            added.append(self._note(told, request, entry.id))
        keys = self._add(writer, request.session, added, what if comes_along else "")
        return replace(drafted, entry=keys[at], tip=keys[-1], notice=told)

    def _store_branch_summary(
        self, writer: ArchiveWriter, request: CompactionRequest, drafted: Compaction, took: int
    ) -> Compaction:
        """Store a branch summary beside the first summarised entry, and move the leaf to it."""
        tree, first = writer.tree(request.session), drafted.plan.first_summarised
        assert first is not None
        id_of, above = ids_in(writer, tree), tree.parents[first]
        details = _details(drafted, request, took, id_of)
        summary = self._entry(
            drafted.summary.text, None if above < 0 else id_of(above), id_of(drafted.plan.parent), details
        )
        usage = None if request.usage is None else Usage(cost=request.usage.cost)
        [key] = self._add(
            writer, request.session, [replace(summary, kind=Kind.BRANCH_SUMMARY, usage=usage)], "summarise-branch"
        )
        return replace(drafted, entry=key, tip=key)

    def _note(self, told: str, request: CompactionRequest, parent: str) -> Entry:
        facts = {"command": request.command} if request.command else {}
        return replace(note_entry(self._clock, told, **facts), parent=parent)

    def _entry(self, text: str, parent: str | None, target: str | None, details: dict[str, Any]) -> Entry:
        return Entry(
            id=self._clock.new_id(),
            parent=parent,
            kind=Kind.COMPACTION,
            time=self._clock.now(),
            blocks=(Text(text),),
            target=target,
            flags=Flag.OWN,
            details=json.dumps(details, ensure_ascii=False),
        )

    def _continuation(self, origin: Session) -> SessionInfo:
        key = conversation_key(origin.details)
        return SessionInfo(
            source="stemmata",
            source_id=f"{CONTINUED}{self._clock.new_id()}{self._clock.new_id()}",
            title=origin.title,
            cwd=origin.cwd,
            created_at=self._clock.now(),
            details=with_conversation_key(choices_of(origin.details), key) if key else choices_of(origin.details),
        )

    def _lead_on(self, writer: ArchiveWriter, origin: Session, made: int) -> None:
        """Make the new session the current one of its conversation, when the old one was."""
        key = conversation_key(origin.details)
        current = writer.current_session(key) if key else None
        if key and (current is None or current[0] == origin.key):
            writer.make_current(key, made, time=self._clock.now())

    def _carried(self, reader: ArchiveReader, tree: Tree, head: str, drafted: Compaction) -> list[Entry]:
        """Return the entries of a new session below its summary.

        They are copies of the pinned and the kept entries, then the marks that shorten or prune them as in the old
        session, and the active skills.
        """
        plan = drafted.plan
        stays, projection = [*plan.pinned, *plan.kept], context_at(tree, plan.parent)
        out = self._copies(head, whole_entries(reader, tree, stays))
        ids = {entry: copied.id for entry, copied in zip(stays, out, strict=True)}
        marks = [
            own_entry(self._clock, Kind.OMISSION, target=ids[entry], name=name)
            for entry, name in _omissions(projection, drafted.prune).items()
            if entry in ids
        ]
        for boundary, kept in _boundaries(projection, drafted.prune):
            above = [entry for entry in stays if projection.path_totals.position(entry) <= boundary]
            marks.append(prune_entry(self._clock, "", ids[above[-1]] if above else "", kept))
        marks = [mark for mark in marks if mark.target]
        skills = whole_entries(reader, tree, [projection.path_totals.path[at] for at in projection.skills])
        marks += [replace(skill, id=self._clock.new_id()) for skill in skills]
        for mark in marks:
            out.append(replace(mark, parent=out[-1].id))
        return out

    def _copies(self, parent: str, entries: Sequence[Entry]) -> list[Entry]:
        """Return copies of entries with new ids, in a row below the parent, without their outdated usage."""
        out = []
        for entry in entries:
            copy = replace(entry, id=self._clock.new_id(), parent=parent, usage=None, flags=entry.flags | Flag.OWN)
            out.append(copy)
            parent = copy.id
        return out

    def _add(self, writer: ArchiveWriter, session: int, entries: Sequence[Entry], reason: str) -> list[int]:
        """Append entries and return their keys. The leaf moves to the last one when `reason` is not empty."""
        keys = writer.append(session, entries)
        if reason:
            writer.move_leaf(session, keys[-1], reason, time=self._clock.now())
        writer.refresh(session)
        return keys

    def _repeated(self, writer: ArchiveWriter, request: CompactionRequest) -> Compaction:
        """Return the result of the same operation when it was done before. Raises ConflictError otherwise."""
        tree = writer.tree(request.session)
        below = list(tree.children(tree.index(request.leaf)))
        for entry in below:  # the loop appends the entries below the marks of a pruning
            if tree.kind(entry) in (Kind.TOOL_PRUNE, Kind.OMISSION):
                below += tree.children(entry)
            if tree.kind(entry) is Kind.COMPACTION and request.operation:
                body = writer.bodies([tree.key(entry)])[tree.key(entry)]
                details = json.loads(body.details or "{}")
                if details.get("operation") == request.operation:
                    drafted = self._drafted(writer, request)
                    return replace(drafted, entry=tree.key(entry))
        raise ConflictError(_MOVED)

    def _published(self, future: Future[T], session: int, initiator: object) -> Future[T]:
        what = Change.ENTRIES | Change.LEAF | Change.SESSIONS

        def publish(result: T) -> T:
            self._notices.publish(ChangeSet(what, session, initiator=initiator))
            return result

        return then(future, publish)


def _omissions(projection: Projection, prune: PrunePlan | None) -> dict[int, str]:
    """Return how the entries that are not sent in full are shortened after a pruning: omission names by tree index.

    Entries that the user excluded are not listed.
    """
    path = projection.path_totals.path
    found = {path[at]: name for at, name in projection.omissions.items() if name != OUT}
    return found | {each.entry: each.reason.text for each in (prune.duplicates if prune is not None else ())}


def _boundaries(projection: Projection, prune: PrunePlan | None) -> list[tuple[int, Iterable[str]]]:
    """Return the boundary (position) of each pruning of the path, then of the planned one, and the kept tools."""
    path_totals, columns, found = projection.path_totals, projection.tree.columns, list[tuple[int, Iterable[str]]]()
    at = path_totals.kinds.find(Kind.TOOL_PRUNE, 0, projection.end) if projection.prune_end else -1
    while at >= 0:
        target = columns.target[path_totals.path[at]]
        if target >= 0 and target in path_totals:
            kept = kept_tools(projection.tree.name(path_totals.path[at]))
            found.append((path_totals.position(target), sorted(kept)))
        at = path_totals.kinds.find(Kind.TOOL_PRUNE, at + 1, projection.end)
    if prune is not None and prune.boundary is not None:
        found.append((path_totals.position(prune.boundary), prune.kept))
    return [(min(boundary, found[-1][0]), kept) for boundary, kept in found]  # the last one counts


def _worthwhile(drafted: Compaction, request: CompactionRequest) -> Compaction:
    """Return the compaction. Raises NoGainError when the context would not become smaller.

    The tokens that an automatic pruning saves do not count, since the pruning is done without the compaction, too.
    """
    prune, before = drafted.prune, drafted.before
    if prune is not None and request.prune is not PruneOccasion.BY_HAND:
        pruned = Figure.estimated((before.total.value or 0) - before.scaled(prune.freed))
        before = replace(before, total=pruned)
    if not saves_nothing(before, drafted.after):
        return drafted
    sizes = (size.total.value or 0 for size in (before, drafted.after))
    raise NoGainError(
        Phrase(
            "A compaction would not make the context smaller: ≈ {0} tokens before, ≈ {1} after. "
            "Nothing was changed. The large entries are in the kept part: keep less, or exclude "
            "single entries from the context.",
            *sizes,
        )
    )


def _assumed_summary(tree: Tree, plan: Plan) -> int:
    return ASSUMED_SUMMARY if plan.previous is None else max(ASSUMED_SUMMARY, tree.tokens(plan.previous))


def _details(
    drafted: Compaction, request: CompactionRequest, took: int, id_of: Callable[[int], str]
) -> dict[str, Any]:
    """Return the details to store with a compaction. `id_of` returns the source id of a tree's entry."""
    return {
        **to_details(drafted.summary.operations),
        "before": breakdown_data(drafted.before, id_of),
        "after": breakdown_data(drafted.after, id_of),
        "summarised": len(drafted.plan.summarised) + len(drafted.plan.turn_prefix),
        "kept": len(drafted.plan.kept),
        "summariser": drafted.summary.summariser,
        "trigger": request.trigger,
        "focus": request.focus,
        "duration_ms": took,
        "operation": request.operation,
        **_spent(request.usage),
        **_signature(request),
    }


def _signature(request: CompactionRequest) -> dict[str, Any]:
    signed = request.signed
    return {} if signed is None or signed.text != request.text else {DETAIL: to_detail(signed)}


def _usage_of(drafted: Compaction, request: CompactionRequest) -> Usage:
    """Return the usage to store: the size of the context before, and the summary's cost for the session's total."""
    return Usage(total=drafted.before.total.value or 0, cost=None if request.usage is None else request.usage.cost)


def _spent(usage: Usage | None) -> dict[str, Any]:
    """Return the tokens that a model used to write the summary, as details."""
    if usage is None:
        return {}
    return {"usage": {"input": usage.sent, "output": usage.output, "cost": usage.cost}}
