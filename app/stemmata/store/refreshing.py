"""The totals of a session, computed anew from its tree."""

from __future__ import annotations

import sqlite3

from stemmata.domain.blocks import plain_text
from stemmata.domain.breakdown import breakdown_of
from stemmata.domain.context import context_at
from stemmata.domain.entries import Flag, Kind, Role
from stemmata.domain.preview import one_line
from stemmata.domain.tokens import Figure
from stemmata.domain.tree import Tree
from stemmata.store.content import ContentRepository
from stemmata.store.skeleton import Skeleton
from stemmata.store.stored_text import shown, stored

TITLE = 120  # characters
GLANCE = 2000  # characters of the first prompt that are looked at


def refresh(connection: sqlite3.Connection, skeleton: Skeleton, session: int) -> None:
    """Raises NotFoundError for an unknown session."""
    tree = skeleton.tree(session)
    (leaf_key,) = connection.execute("SELECT leaf FROM sessions WHERE key = ?", (session,)).fetchone()
    leaf = tree.get(leaf_key)
    context, model = _context(tree, leaf)
    members = skeleton.members(session)
    (cost,) = connection.execute(
        f"SELECT ifnull(sum(cost), 0) FROM usage WHERE key IN (SELECT key FROM {members})", (session,)
    ).fetchone()
    connection.execute(
        "UPDATE sessions SET prompt = ?, updated_at = max(created_at, ?), entries = ?, branches = ?, compactions = ?,"
        " context_tokens = ?, context_kind = ?, model = ?, cost = ? WHERE key = ?",
        (
            _prompt(ContentRepository(connection), tree), max(tree.columns.time, default=0), len(tree), len(tree.leaves),
            sum(1 for _ in tree.of_kind(Kind.COMPACTION)), context.value, context.kind.text, stored(model), cost,
            session,
        ),
    )  # fmt: skip


def _context(tree: Tree, leaf: int | None) -> tuple[Figure, str]:
    projection = context_at(tree, leaf)
    return breakdown_of(projection).total, projection.model


def _prompt(content: ContentRepository, tree: Tree) -> str:
    """First line of what the person asked first."""
    roles, flags = tree.columns.role, tree.columns.flags
    for entry in range(len(tree)):
        if roles[entry] == Role.USER and not flags[entry] & (Flag.INJECTED | Flag.HIDDEN):
            key = tree.key(entry)
            text = plain_text(content.cut_bodies([key], GLANCE)[key].blocks).strip()
            if text:
                return shown(one_line(text.splitlines()[0], TITLE))
    return ""
