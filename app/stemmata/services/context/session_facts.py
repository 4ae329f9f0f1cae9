"""What is told of one session: its context, what it cost, and how the provider's prompt cache did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stemmata.domain.entries.entry import Role
from stemmata.domain.entries.session_facts import Session, Skeleton
from stemmata.domain.entries.tree import Tree
from stemmata.services.context.contexts import Contexts, ContextView
from stemmata.services.ports.archive import ArchiveReader

PAGE = 500  # rows in memory at once


@dataclass(frozen=True, slots=True)
class Used:
    """What replies reported: tokens sent, of them read from the cache, and received; millionths of a dollar."""

    sent: int
    read: int
    output: int
    cost: int

    @property
    def cache_hits(self) -> float | None:
        """The part of what was sent that the cache held already, None where nothing was reported."""
        return self.read / self.sent if self.sent else None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """`path` is what the replies on the active path used, `whole` those of all branches."""

    session: Session
    view: ContextView
    path: Used
    whole: Used


def facts_of(reader: ArchiveReader, contexts: Contexts, session: int) -> SessionFacts:
    """On the db thread."""
    skeleton = Skeleton(reader.session(session), reader.tree(session))
    tree = skeleton.tree
    leaf = tree.get(skeleton.session.leaf)
    path = _used(reader, tree, tree.path(leaf))
    whole = _used(reader, tree, range(len(tree))) if skeleton.session.branches > 1 else path
    return SessionFacts(skeleton.session, contexts.seen(skeleton, leaf), path, whole)


def _used(reader: ArchiveReader, tree: Tree, entries: Iterable[int]) -> Used:
    replies = [tree.key(at) for at in entries if tree.role(at) is Role.ASSISTANT]
    sent = read = output = cost = 0
    for start in range(0, len(replies), PAGE):
        for row in reader.rows(replies[start : start + PAGE]).values():
            if row.usage is not None:
                sent += row.usage.sent
                read += row.usage.cache_read
                output += row.usage.output
                cost += row.usage.cost or 0
    return Used(sent, read, output, cost)
