"""A chat history of Aider: whatever was there when it was first read, the archive is the same in the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.aider import HISTORY, talk
from tests.unit.services.conftest import Bench
from tests.unit.services.importing.test_following import Follower

Content = dict[str, list[tuple[str, str | None]]]


def content(bench: Bench) -> Content:
    """Each session's entries with their parents, by the run."""
    out: Content = {}
    for session in bench.services.sessions.all().result():
        tree = bench.services.sessions.open(session.key).result().tree
        rows = bench.services.entries.rows([tree.key(entry) for entry in range(len(tree))]).result()
        found = [(row.id, bench.id_of(row.parent)) for row in rows.values()]
        out[session.source_id.partition("#")[2]] = sorted(found, key=lambda one: one[0])
    return out


def put(bench: Bench, data: bytes) -> Path:
    path = bench.folder / "tea" / HISTORY
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("cut", [40, 60, 75, 200, 330, 331, 450, 600, -2, -70])
def test_a_history_that_was_read_half_written(bench: Bench, cut: int) -> None:
    whole = talk()
    for data in (whole[:cut], whole):
        bench.services.importing.import_paths([put(bench, data)]).result()
    grown = content(bench)
    for session in bench.services.sessions.all().result():
        bench.services.sessions.delete([session.key]).result()
    bench.services.importing.import_paths([put(bench, whole)]).result()
    assert grown == content(bench)
    assert sum(map(len, grown.values())) == 17


def test_a_history_is_followed(bench: Bench) -> None:
    follower = Follower(bench)
    whole = talk()
    path = put(bench, whole[:700])
    follower.watch.see(path)
    path.write_bytes(whole)
    follower.watch.see(path)
    assert sum(map(len, content(bench).values())) == 17
    follower.following.close()
