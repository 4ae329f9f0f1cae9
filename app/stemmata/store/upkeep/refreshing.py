"""Computing the totals of a session from its tree."""

from __future__ import annotations

from typing import Any

from peewee import SqliteDatabase

from stemmata.domain.context.breakdown import displayed_breakdown
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.session import Session
from stemmata.store.core.database import connection_of
from stemmata.store.core.models import SessionTable
from stemmata.store.core.rows import update_row
from stemmata.store.core.stored_text import stored
from stemmata.store.entries.content import ContentRepository
from stemmata.store.entries.previews import first_prompt
from stemmata.store.entries.tree_loader import TreeLoader

_COST = "cost"  # key of a tree's memo: the number of entries whose cost was added up, and the sum


class Refresher:
    """Compute the totals of sessions."""

    def __init__(self, database: SqliteDatabase, trees: TreeLoader, content: ContentRepository) -> None:
        self._database = database
        self._tree_loader = trees
        self._content = content

    def refresh(self, session: Session, tree: Tree) -> None:
        """Compute and store the totals, title and context size of the session with this tree."""
        leaf = tree.get(session.leaf)
        row = {
            "prompt": first_prompt(tree, self._content),
            "updated_at": max(session.created_at, tree.newest),
            "entries": len(tree),
            "branches": len(tree.kept_leaves(leaf)),
            "compactions": len(tree.of_kind(Kind.COMPACTION)),
            "cost": self._cost(session.key, tree),
            "finalised": None if _is_continued(session, tree) else session.finalised,
            **_context(tree, leaf),
        }
        update_row(connection_of(self._database), SessionTable, session.key, row)

    def _cost(self, session: int, tree: Tree) -> int:
        """Return the cost of all entries.

        The tree caches the cost; a tree that is extended from it adds only the cost of its new entries.
        """
        seen, known = tree.memo.get(_COST, (0, 0))
        if seen == len(tree):
            return int(known)
        last = tree.key(seen - 1) if seen else 0
        members = f"{self._tree_loader.members(session)} AND key > ?2"
        query = f"SELECT ifnull(sum(cost), 0) FROM usage WHERE key > ?2 AND key IN (SELECT key FROM {members})"
        added: int = connection_of(self._database).execute(query, (session, last)).fetchone()[0]
        tree.memo[_COST] = len(tree), known + added
        return int(known) + added


def _is_continued(session: Session, tree: Tree) -> bool:
    """Return whether a finalised session got messages after those that its summary covers."""
    last = session.finalised
    if last is None:
        return False
    kinds = tree.columns.kind
    newest = next((entry for entry in range(len(tree) - 1, -1, -1) if kinds[entry] == Kind.MESSAGE), None)
    return newest is not None and tree.key(newest) > last  # keys only grow


def _context(tree: Tree, leaf: int | None) -> dict[str, Any]:
    """Return the columns of the context's size at the leaf."""
    projection = context_at(tree, leaf)
    total = displayed_breakdown(projection).total
    return {"context_tokens": total.value, "context_kind": total.kind.text, "model": stored(projection.model)}
