"""Where in the tree a run is to begin anew."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from stemmata.domain.chat.streaming import StopReason
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.session_facts import EntryRow
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.branch_tip import speaks
from stemmata.services.chat.options import Wish, level_of
from stemmata.services.ports.archive import ArchiveReader

BROKEN = Flag.FAILED | Flag.ABORTED | Flag.CUT  # there may be more of it
_SHORT = (StopReason.REFUSAL.value, StopReason.CONTEXT_FULL.value)


@dataclass(frozen=True, slots=True)
class Start:
    """A run without a message of the person. `under` is a store key."""

    under: int | None
    wish: Wish


def again(reader: ArchiveReader, session: int, entry: int) -> Start:
    """The turn's reply once more: from the prompt above the entry, with the model that is in force now."""
    row: EntryRow | None = _row(reader, entry)
    while row is not None and not _is_prompt(row):
        row = None if row.parent is None else _row(reader, row.parent)
    if row is None:
        raise NothingToDoError("There is no message above that could be answered again.")
    return Start(row.key, in_force(reader, session))


def broken_again(reader: ArchiveReader, session: int) -> Start:
    """The reply that broke off, or never came, once more: from what it was to answer."""
    broken = last_reply(reader, session)
    if broken is None or not (broken.flags & BROKEN or _is_none(reader, broken)):
        return Start(reader.session(session).leaf, in_force(reader, session))
    return Start(broken.parent, in_force(reader, session))


def _is_none(reader: ArchiveReader, reply: EntryRow) -> bool:
    """Whether it came to an end that is none: a refusal, a full window, or without a word."""
    body = reader.bodies([reply.key])[reply.key]
    stop = json.loads(body.details or "{}").get("stop") if reply.flags & Flag.OWN else None
    return stop in _SHORT or not plain_text(body.blocks).strip()


def onward(reader: ArchiveReader, session: int, entry: int | None = None) -> Start:
    """From what had come of the broken reply, as a reply that begins with it; else from where the session stands.

    `entry` is the reply that is meant, None for the one that the session stands at.
    """
    wish = in_force(reader, session)
    broken = last_reply(reader, session) if entry is None else _row(reader, entry)
    if broken is None or broken.role is not Role.ASSISTANT or not broken.flags & BROKEN:
        return Start(reader.session(session).leaf, wish)
    text = plain_text(reader.bodies([broken.key])[broken.key].blocks, "\n\n")
    return Start(broken.parent, replace(wish, prefix=text.rstrip()))


def in_force(reader: ArchiveReader, session: int) -> Wish:
    """Model and thinking level where the session stands: they hold for a reply that hangs from further up as well."""
    tree = reader.tree(session)
    projection = context_at(tree, tree.get(reader.session(session).leaf))
    return Wish(projection.model, level_of(projection))


def last_reply(reader: ArchiveReader, session: int) -> EntryRow | None:
    """The reply the session stands at, tool results and what says nothing passed over; None at a prompt."""
    at = reader.session(session).leaf
    while at is not None:
        row = _row(reader, at)
        if row.role is Role.ASSISTANT and row.kind is Kind.MESSAGE:
            return row
        if speaks(row) and row.role is not Role.TOOL_RESULT:
            return None
        at = row.parent
    return None


def _is_prompt(row: EntryRow) -> bool:
    return speaks(row) and row.role in (Role.USER, Role.CUSTOM, Role.BASH_EXECUTION)


def _row(reader: ArchiveReader, key: int) -> EntryRow:
    row = reader.rows([key]).get(key)
    if row is None:
        raise NotFoundError(Phrase("There is no entry number {0}.", str(key)))
    return row
