"""What is told of one session: its context, what it cost, and how the provider's prompt cache did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stemmata.domain.entries import Role, Usage
from stemmata.domain.sessions import Session, Skeleton
from stemmata.services.contexts import Contexts, ContextView
from stemmata.services.ports import ArchiveReader

PAGE = 500  # rows in memory at once


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """Tokens sent, of them read from the cache, and received, as the replies on the active path reported them."""

    session: Session
    view: ContextView
    sent: int
    read: int
    output: int

    @property
    def cache_hits(self) -> float | None:
        """The part of what was sent that the cache held already, None where nothing was reported."""
        return self.read / self.sent if self.sent else None


def facts_of(reader: ArchiveReader, contexts: Contexts, session: int) -> SessionFacts:
    """On the db thread."""
    skeleton = Skeleton(reader.session(session), reader.tree(session))
    view = contexts.seen(skeleton, skeleton.tree.get(skeleton.session.leaf))
    usages = list(_usages(reader, skeleton))
    return SessionFacts(
        skeleton.session,
        view,
        sum(usage.sent for usage in usages),
        sum(usage.cache_read for usage in usages),
        sum(usage.output for usage in usages),
    )


def _usages(reader: ArchiveReader, skeleton: Skeleton) -> Iterable[Usage]:
    tree = skeleton.tree
    path = tree.path(tree.get(skeleton.session.leaf))
    replies = [tree.key(at) for at in path if tree.role(at) is Role.ASSISTANT]
    for start in range(0, len(replies), PAGE):
        rows = reader.rows(replies[start : start + PAGE])
        yield from (row.usage for row in rows.values() if row.usage is not None)
