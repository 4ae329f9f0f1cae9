"""SIGKILL at random moments of writing: every acknowledged job is there, and nothing of any other."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from stemmata.store.archive import SqliteArchive
from stemmata.store.reader import Reader

APP = Path(__file__).parents[2] / "app"
ROUNDS = 10
BATCH = 40  # entries a job
PIECE, LEAST = 16, 32  # entries of a piece of columns, and of a session that gets them
WRITE = """
import sys
from pathlib import Path
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Record, Role
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive
from stemmata.store.entries import tree_pieces

tree_pieces.PIECE, tree_pieces.LEAST = PIECES  # the columns of large sessions; `check` compares them with the rows
archive = SqliteArchive(Path(sys.argv[1]))
print("started", flush=True)

def job(writer):
    session = writer.create_session(SessionInfo(source="pi", source_id="x"))
    ids = writer.ids(session)
    size = sum(map(len, writer.raw(session)))
    last = ids[-1] if ids else None
    entries = []
    for at in range(len(ids), len(ids) + BATCH):
        blocks = (Text(f"words of {at} " * 200), ToolCall("c", "bash", '{"command":"ls"}'))
        entries.append(Entry(id=f"e{at}", parent=last, role=Role.USER, blocks=blocks, record=Record(size, 10)))
        writer.add_raw(session, size, b"%09d\\n" % at)
        size += 10
        last = f"e{at}"
    writer.connection.execute("UPDATE entries SET flags = flags ^ 4 WHERE key % 97 = 5")
    keys = writer.append(session, entries)
    writer.move_leaf(session, keys[-1], "append", time=1)
    writer.refresh(session)
    return len(ids) + BATCH

while True:
    print(archive.write(job).result(), flush=True)
""".replace("BATCH", str(BATCH)).replace("PIECES", f"{PIECE}, {LEAST}")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    dice = random.Random(20)
    for _ in range(ROUNDS):
        acknowledged = killed(path, dice.uniform(0, 0.15))
        archive = SqliteArchive(path)
        try:
            problems, sessions = archive.read(lambda reader: (reader.check(), reader.sessions())).result()
            assert problems == []
            entries = sessions[0].entries if sessions else 0
            assert entries >= acknowledged
            assert entries % BATCH == 0
            assert archive.read(pieces).result() == (entries // PIECE if entries >= LEAST else 0)
            if sessions:
                session = sessions[0].key
                ids, raw = archive.read(partial(stored, session)).result()
                assert ids == [f"e{at}" for at in range(entries)]
                assert raw == b"".join(b"%09d\n" % at for at in range(entries))
                leaf = sessions[0].leaf
                assert leaf is not None
                assert archive.pages.rows([leaf])[leaf].id == ids[-1]
                assert archive.read(lambda reader: reader.search("words").total).result() == min(entries, 1000)
        finally:
            archive.close()


def pieces(reader: Reader) -> int:
    count: int = reader.connection.execute("SELECT count(*) FROM tree_pieces").fetchone()[0]
    return count


def stored(session: int, reader: Reader) -> tuple[list[str], bytes]:
    return reader.ids(session), b"".join(reader.raw(session))


def killed(path: Path, after: float) -> int:
    """Kill a child while it writes; return the number of entries that it had reported as stored."""
    child = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(path)],
        env=os.environ | {"PYTHONPATH": str(APP)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        lines = child.stdout.read().splitlines()
    return int(lines[-1]) if lines and lines[-1].isdigit() else 0
