"""Stores a compaction or a branch summary: an entry with the summary, and notes and prunings of the same step."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from stemmata.domain.compaction.operations import to_details
from stemmata.domain.compaction.summary.signed import DETAIL, to_detail
from stemmata.domain.context.breakdown import breakdown_data
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Usage
from stemmata.services.compaction.request import Compaction, CompactionRequest
from stemmata.services.ports.archive import ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import ids_in, note_entry, prune_entries


def store_compaction(
    writer: ArchiveWriter, clock: Clock, request: CompactionRequest, drafted: Compaction, took: int
) -> Compaction:
    """Store a compaction below the entry that the request names; the leaf moves along if it is there.

    `took` is the time for the draft, in ms.
    """
    id_of = ids_in(writer, writer.tree(request.session))
    plan = drafted.plan
    details = details_of(drafted, request, took, id_of)
    kept = None if plan.first_kept is None else id_of(plan.first_kept)
    parent, added = id_of(plan.parent), list[Entry]()
    if drafted.prune is not None:
        added += prune_entries(clock, id_of, drafted.prune)
        parent = added[-1].id
    entry = summary_entry(clock, drafted.summary.text, parent, kept, details)
    at = len(added)
    comes_along = writer.session(request.session).leaf == request.leaf
    what = "compact" if request.trigger == "manual" else "auto-compact"
    added.append(replace(entry, usage=usage_of(drafted, request)))
    told = request.notice(writer, request, drafted) if request.notice else ""
    if told:
        added.append(note_of(clock, told, request, entry.id))
    keys = append_entries(writer, clock, request.session, added, what if comes_along else "")
    return replace(drafted, entry=keys[at], tip=keys[-1], notice=told)


def store_branch_summary(
    writer: ArchiveWriter, clock: Clock, request: CompactionRequest, drafted: Compaction, took: int
) -> Compaction:
    """Store a branch summary as a sibling of the first summarised entry, and move the leaf to the summary."""
    tree, first = writer.tree(request.session), drafted.plan.first_summarised
    assert first is not None
    id_of, above = ids_in(writer, tree), tree.parents[first]
    details = details_of(drafted, request, took, id_of)
    summary = summary_entry(
        clock, drafted.summary.text, None if above < 0 else id_of(above), id_of(drafted.plan.parent), details
    )
    usage = None if request.usage is None else Usage(cost=request.usage.cost)
    [key] = append_entries(
        writer, clock, request.session, [replace(summary, kind=Kind.BRANCH_SUMMARY, usage=usage)], "summarise-branch"
    )
    return replace(drafted, entry=key, tip=key)


def append_entries(
    writer: ArchiveWriter, clock: Clock, session: int, entries: Sequence[Entry], reason: str
) -> list[int]:
    """Append entries and return their keys. The leaf moves to the last one when `reason` is not empty."""
    keys = writer.append(session, entries)
    if reason:
        writer.move_leaf(session, keys[-1], reason, time=clock.now())
    writer.refresh(session)
    return keys


def summary_entry(clock: Clock, text: str, parent: str | None, target: str | None, details: dict[str, Any]) -> Entry:
    """Create a compaction with a summary, below `parent`; `target` is the first kept entry. Both are ids."""
    return Entry(
        id=clock.new_id(),
        parent=parent,
        kind=Kind.COMPACTION,
        time=clock.now(),
        blocks=(Text(text),),
        target=target,
        flags=Flag.OWN,
        details=json.dumps(details, ensure_ascii=False),
    )


def note_of(clock: Clock, told: str, request: CompactionRequest, parent: str) -> Entry:
    """Create the note about a compaction, below the entry `parent` (id)."""
    facts = {"command": request.command} if request.command else {}
    return replace(note_entry(clock, told, **facts), parent=parent)


def details_of(
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


def usage_of(drafted: Compaction, request: CompactionRequest) -> Usage:
    """Return the usage to store: the size of the context before, and the summary's cost for the session's total."""
    return Usage(total=drafted.before.total.value or 0, cost=None if request.usage is None else request.usage.cost)


def _spent(usage: Usage | None) -> dict[str, Any]:
    """Return the tokens that a model used to write the summary, as details."""
    if usage is None:
        return {}
    return {"usage": {"input": usage.sent, "output": usage.output, "cost": usage.cost}}
