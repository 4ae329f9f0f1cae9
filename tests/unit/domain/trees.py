"""A short notation for small trees, so that a test describes a session in one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.tree import UNRESOLVED, Columns, Tree


def user(id: str, parent: str | None, text: str = "text", **more: Any) -> Entry:
    return Entry(id=id, parent=parent, role=Role.USER, blocks=(Text(text),) if text else (), **more)


def assistant(
    id: str, parent: str | None, text: str = "text", *, used: int = 0, model: str = "anthropic/claude-opus-4-5",
    calls: tuple[str, ...] = (), flags: Flag = Flag.NONE,
) -> Entry:  # fmt: skip
    provider, _, name = model.partition("/")
    blocks: tuple[Block, ...] = (*((Text(text),) if text else ()), *(ToolCall(call, "read") for call in calls))
    usage = Usage(total=used) if used else None
    return Entry(
        id=id, parent=parent, role=Role.ASSISTANT, blocks=blocks, provider=provider, model=name, usage=usage,
        flags=flags,
    )  # fmt: skip


def result(id: str, parent: str | None, text: str = "text", *, call: str = "c", tool: str = "read") -> Entry:
    return Entry(id=id, parent=parent, role=Role.TOOL_RESULT, blocks=(Text(text),), tool=tool, call=call)


def compaction(id: str, parent: str | None, kept: str | None, text: str = "summary") -> Entry:
    return Entry(id=id, parent=parent, kind=Kind.COMPACTION, blocks=(Text(text),), target=kept)


def branch_summary(id: str, parent: str | None, text: str = "what was tried") -> Entry:
    return Entry(id=id, parent=parent, kind=Kind.BRANCH_SUMMARY, blocks=(Text(text),) if text else ())


def mark(kind: Kind, id: str, parent: str | None, target: str | None, name: str = "") -> Entry:
    return Entry(id=id, parent=parent, kind=kind, target=target, name=name)


def chain(*entries: Entry) -> list[Entry]:
    """Return the entries, each as the child of the one before."""
    from dataclasses import replace

    return [replace(entry, parent=entries[at - 1].id if at else None) for at, entry in enumerate(entries)]


def ids(tree: Tree, entries: list[Entry], wanted: Iterable[int]) -> list[str]:
    """Return the ids of entries given by index."""
    assert len(tree) == len(entries)
    return [entries[at].id for at in wanted]


def grown(whole: Tree, count: int) -> Tree:
    """Return the tree of the first `count` entries."""
    c = whole.columns
    fields = {name: list(getattr(c, name)[:count]) for name in Columns.__slots__ if name != "names"}
    fields["target"] = [UNRESOLVED if place >= count else place for place in fields["target"]]
    return Tree.of(Columns.of(list(fields.values()), c.names))


def rest(whole: Tree, count: int) -> Columns:
    c = whole.columns
    return Columns.of([getattr(c, name)[count:] for name in Columns.__slots__ if name != "names"], c.names)
