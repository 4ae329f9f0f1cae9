"""A session that is worth to be compacted, and how that is asked for."""

from __future__ import annotations

from typing import Any

from stemmata.domain.sessions.session import SessionTree
from stemmata.services.compaction.request import CompactionRequest

LONG = "Please keep every word of this rule. " * 40


def request(session_tree: SessionTree, **more: Any) -> CompactionRequest:
    assert session_tree.session.leaf is not None
    return CompactionRequest(session=session_tree.session.key, leaf=session_tree.session.leaf, **more)
