"""Stores a compaction in a new session, which starts with the summary and the kept entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stemmata.domain.compaction.pruning import PrunePlan
from stemmata.domain.context.projection import OUT, Projection, context_at, kept_tools
from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.details import choices_of, conversation_key, with_conversation_key
from stemmata.domain.sessions.lineage import CONTINUED
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.domain.sessions.steps import Fact, StepChange, continuing
from stemmata.services.compaction.request import Compaction, CompactionRequest
from stemmata.services.compaction.storing import details_of, note_of, summary_entry, usage_of
from stemmata.services.ports.archive import ArchiveReader, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import ids_in, own_entry, prune_entry
from stemmata.services.whole_entries import whole_entries


def store_in_new_session(
    writer: ArchiveWriter, clock: Clock, request: CompactionRequest, drafted: Compaction
) -> Compaction:
    """Create a session that starts with the summary and the kept entries, and finalise the old session.

    Without a run, the queued messages of the old session move to the new one.
    """
    origin, tree = writer.session(request.session), writer.tree(request.session)
    key = writer.create_session(_continuation(clock, origin))
    writer.update_session(key, parent=origin.key)
    details = details_of(drafted, request, 0, ids_in(writer, tree)) | {"continues": origin.id}
    head = summary_entry(clock, drafted.summary.text, None, None, details)
    entries = _carried_entries(writer, clock, tree, head.id, drafted)
    told = request.notice(writer, request, drafted) if request.notice else ""
    if told:
        entries.append(note_of(clock, told, request, entries[-1].id if entries else head.id))
    added = writer.append(key, [replace(head, usage=usage_of(drafted, request)), *entries])
    writer.move_leaf(key, added[-1], "fork", time=clock.now())
    writer.begin_step("compact-into-new", origin.title)
    writer.note_change(StepChange(key, Fact.CREATED, "", continuing(origin.key)), also=(origin.key,))
    writer.refresh(key)
    _make_current(writer, clock, origin, key)
    last = writer.tree(origin.key).newest_key
    writer.update_session(origin.key, summary=drafted.summary.text, finalised=last)
    if not has_run(writer, origin.key):  # a run sends its queue itself
        writer.hand_over_queue(origin.key, key)
    return replace(drafted, entry=added[0], session=key, tip=added[-1], notice=told)


def has_run(reader: ArchiveReader, session: int) -> bool:
    """Return whether a run of the session has not ended."""
    return any(run.session == session for run in reader.open_runs())


def _continuation(clock: Clock, origin: Session) -> SessionInfo:
    key = conversation_key(origin.details)
    return SessionInfo(
        source="stemmata",
        source_id=f"{CONTINUED}{clock.new_id()}{clock.new_id()}",
        title=origin.title,
        cwd=origin.cwd,
        created_at=clock.now(),
        details=with_conversation_key(choices_of(origin.details), key) if key else choices_of(origin.details),
    )


def _make_current(writer: ArchiveWriter, clock: Clock, origin: Session, made: int) -> None:
    """Make the new session the current session of its conversation if the old session was the current one."""
    key = conversation_key(origin.details)
    current = writer.current_session(key) if key else None
    if key and (current is None or current[0] == origin.key):
        writer.make_current(key, made, time=clock.now())


def _carried_entries(reader: ArchiveReader, clock: Clock, tree: Tree, head: str, drafted: Compaction) -> list[Entry]:
    """Return the entries that a new session has below its summary.

    They are copies of the pinned and the kept entries, then the marks that shorten or prune them as in the old
    session, and the active skills.
    """
    plan = drafted.plan
    stays, projection = [*plan.pinned, *plan.kept], context_at(tree, plan.parent)
    out = _copies(clock, head, whole_entries(reader, tree, stays))
    ids = {entry: copied.id for entry, copied in zip(stays, out, strict=True)}
    marks = [
        own_entry(clock, Kind.OMISSION, target=ids[entry], name=name)
        for entry, name in _omissions(projection, drafted.prune).items()
        if entry in ids
    ]
    for boundary, kept in _boundaries(projection, drafted.prune):
        above = [entry for entry in stays if projection.path_totals.position(entry) <= boundary]
        marks.append(prune_entry(clock, "", ids[above[-1]] if above else "", kept))
    marks = [mark for mark in marks if mark.target]
    skills = whole_entries(reader, tree, [projection.path_totals.path[at] for at in projection.skills])
    marks += [replace(skill, id=clock.new_id()) for skill in skills]
    for mark in marks:
        out.append(replace(mark, parent=out[-1].id))
    return out


def _copies(clock: Clock, parent: str, entries: Sequence[Entry]) -> list[Entry]:
    """Return copies of entries with new ids, in a row below the parent, without their outdated usage."""
    out = []
    for entry in entries:
        copy = replace(entry, id=clock.new_id(), parent=parent, usage=None, flags=entry.flags | Flag.OWN)
        out.append(copy)
        parent = copy.id
    return out


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
