"""Where a run without a new message starts: to answer a prompt again, to retry a reply, or to continue it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from stemmata.domain.chat.streaming import StopReason
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.entry_rows import EntryRow
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.requests import RunOverrides, level_of
from stemmata.services.chat.run_store import is_conversation
from stemmata.services.ports.archive import ArchiveReader

BROKEN = Flag.FAILED | Flag.ABORTED | Flag.CUT  # flags of a reply that can be continued
_SHORT = (StopReason.REFUSAL.value, StopReason.CONTEXT_FULL.value)


@dataclass(frozen=True, slots=True)
class RestartPoint:
    """The entry (store key `under`) below which a run without a new message adds its reply."""

    under: int | None
    overrides: RunOverrides


def regenerate_point(reader: ArchiveReader, session: int, entry: int) -> RestartPoint:
    """Return where to regenerate a turn's reply: below its prompt, with the current model."""
    row: EntryRow | None = _row(reader, entry)
    while row is not None and not _is_prompt(row):
        row = None if row.parent is None else _row(reader, row.parent)
    if row is None:
        raise NothingToDoError("No message above this entry can be answered again. Nothing was changed.")
    return RestartPoint(row.key, _in_force(reader, session))


def retry_point(reader: ArchiveReader, session: int) -> RestartPoint:
    """Return where to retry the reply that broke off or never arrived."""
    broken = _last_reply(reader, session)
    if broken is None or not (broken.flags & BROKEN or _is_empty(reader, broken)):
        return RestartPoint(reader.session(session).leaf, _in_force(reader, session))
    return RestartPoint(broken.parent, _in_force(reader, session))


def _is_empty(reader: ArchiveReader, reply: EntryRow) -> bool:
    """Return whether a reply ended without content: refused, stopped by a full window, or empty."""
    body = reader.bodies([reply.key])[reply.key]
    stop = json.loads(body.details or "{}").get("stop") if reply.flags & Flag.OWN else None
    return stop in _SHORT or not plain_text(body.blocks).strip()


def continue_point(reader: ArchiveReader, session: int, entry: int | None = None) -> RestartPoint:
    """Return where to continue a broken reply: the new reply begins with the received part. Else the leaf.

    `entry` is the broken reply; None for the reply at the leaf.
    """
    overrides = _in_force(reader, session)
    broken = _last_reply(reader, session) if entry is None else _row(reader, entry)
    if broken is None or broken.role is not Role.ASSISTANT or not broken.flags & BROKEN:
        return RestartPoint(reader.session(session).leaf, overrides)
    text = plain_text(reader.bodies([broken.key])[broken.key].blocks, "\n\n")
    return RestartPoint(broken.parent, replace(overrides, prefix=text.rstrip()))


def _in_force(reader: ArchiveReader, session: int) -> RunOverrides:
    """Return the model and thinking level at the leaf, which also apply to replies further up."""
    tree = reader.tree(session)
    projection = context_at(tree, tree.get(reader.session(session).leaf))
    return RunOverrides(projection.model, level_of(projection))


def _last_reply(reader: ArchiveReader, session: int) -> EntryRow | None:
    """Return the last reply above the leaf, skipping tool results and notes; None when a prompt comes first."""
    at = reader.session(session).leaf
    while at is not None:
        row = _row(reader, at)
        if row.role is Role.ASSISTANT and row.kind is Kind.MESSAGE:
            return row
        if is_conversation(row) and row.role is not Role.TOOL_RESULT:
            return None
        at = row.parent
    return None


def _is_prompt(row: EntryRow) -> bool:
    return is_conversation(row) and row.role in (Role.USER, Role.CUSTOM, Role.BASH_EXECUTION)


def _row(reader: ArchiveReader, key: int) -> EntryRow:
    row = reader.rows([key]).get(key)
    if row is None:
        raise NotFoundError(Phrase("Entry {0} does not exist.", str(key)))
    return row
