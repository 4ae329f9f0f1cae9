from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Usage
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.services.compaction.automatic import last_automatic_compaction
from stemmata.services.ports.archive import ArchiveReader
from tests.fakes.scripted_provider import ScriptedBench, said
from tests.unit.domain.trees import chain, compaction, user
from tests.unit.services.compacting import LONG, request


class Counting:
    """A reader that notes whose bodies are read."""

    def __init__(self, reader: ArchiveReader) -> None:
        self._reader, self.read = reader, list[int]()

    def bodies(self, keys: Sequence[int]) -> Any:
        self.read += keys
        return self._reader.bodies(keys)


def last_and_read(chat: ScriptedBench, session: int) -> tuple[int | None, list[int]]:
    """The key of the last automatic compaction, and the keys of the entries that were read to find it."""
    opened = chat.services.sessions.open(session).result()
    tree, line = opened.tree, context_at(opened.tree, opened.tree.get(opened.session.leaf)).path_totals

    def job(reader: ArchiveReader) -> tuple[int | None, list[int]]:
        counting = Counting(reader)
        at = last_automatic_compaction(cast("ArchiveReader", counting), tree, line)
        return None if at is None else tree.key(line.path[at]), counting.read

    return chat.archive.read(job).result()


def compacted(chat: ScriptedBench, session: int, trigger: str) -> int:
    """The key of a compaction below two more turns."""
    for _ in range(2):
        chat.talk(session, LONG, said(Text(LONG), usage=Usage(input=300, output=300)))
    opened = chat.services.sessions.open(session).result()
    done = chat.services.compaction.run(request(opened, trigger=trigger)).result()
    assert done.entry is not None
    return done.entry


def test_the_last_automatic_compaction_is_found_from_the_end(chat: ScriptedBench) -> None:
    """The details of each have all files: those of a session with thousands would take as much memory again."""
    chat.services.contexts.settings = chat.services.contexts.settings._replace(enabled=False)
    session = chat.session()
    assert last_and_read(chat, session) == (None, [])
    by_hand = compacted(chat, session, "manual")
    assert last_and_read(chat, session) == (None, [by_hand])
    for trigger in ("threshold", "overflow"):
        automatic = compacted(chat, session, trigger)
        assert last_and_read(chat, session) == (automatic, [automatic])
    again = compacted(chat, session, "manual")
    assert last_and_read(chat, session) == (automatic, [again, automatic])


def test_an_imported_compaction_is_not_read() -> None:
    """Only compactions of Stemmata record their trigger."""
    tree = Tree.from_entries(chain(user("1", None), compaction("2", None, "1"), user("3", None)))
    reader = Counting(cast("ArchiveReader", None))
    assert last_automatic_compaction(cast("ArchiveReader", reader), tree, PathTotals.to(tree, 2)) is None
    assert reader.read == []
