"""A second compaction, and one whose entries have lost their content."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.ports.archive import ArchiveWriter
from tests.unit.services.compacting import LONG, request
from tests.unit.services.conftest import Bench


def test_a_second_compaction_carries_the_first_on(bench: Bench, long: SessionTree) -> None:
    bench.services.compaction.run(request(long)).result()
    compacted = bench.reopened(long)
    with pytest.raises(NothingToDoError):
        bench.services.compaction.draft(request(compacted, keep_recent_tokens=1)).result()
    parent = bench.id_of(compacted.session.leaf)
    entries = [
        Entry(id="new-1", parent=parent, role=Role.USER, blocks=(Text(f"{LONG} anew"),)),
        Entry(id="new-2", parent="new-1", role=Role.ASSISTANT, blocks=(Text(LONG),)),
        Entry(id="new-3", parent="new-2", role=Role.USER, blocks=(Text("And now?"),)),
    ]

    def job(writer: ArchiveWriter) -> None:
        keys = writer.append(long.session.key, entries)
        writer.move_leaf(long.session.key, keys[-1], "append", time=1)

    bench.archive.write(job).result()
    again = request(bench.reopened(long), keep_recent_tokens=1)
    material = bench.services.compaction.material(again).result()
    assert "## Goal" in material.previous
    assert "src/file1.py" in material.previous_operations.read
    done = bench.services.compaction.run(again).result()
    assert f"{LONG} 1" in done.summary.text
    assert f"{LONG} anew" in done.summary.text
    assert "src/file1.py" in done.summary.operations.read


def test_what_has_lost_its_content_is_told_and_nothing_is_stored(bench: Bench, long: SessionTree) -> None:
    key = bench.key(long, "1")
    with closing(sqlite3.connect(bench.folder / "archive" / "archive.db")) as connection, connection:
        connection.execute("DELETE FROM bodies WHERE key = ?", (key,))
    with pytest.raises(NotFoundError, match=f"Entry {key} has no content"):
        bench.services.compaction.run(request(long)).result()
    assert bench.reopened(long).session.entries == long.session.entries
