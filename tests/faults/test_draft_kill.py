"""SIGKILL while drafts are kept: the one before or the one after is there, whole, with its attachments."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stemmata.bootstrap.core import open_core
from stemmata.domain.entries.blocks import Image
from stemmata.services.services import Services
from stemmata.store.archive import SqliteArchive
from stemmata.system.settings.settings import load

ROOT = Path(__file__).parents[2]
LIFE = 0.4  # seconds
SIZE = 300_000  # bytes of a picture: more than a page of the database


def picture(number: int) -> tuple[Image, bytes]:
    data = b"\x89PNG\r\n\x1a\n" + str(number).encode() * (SIZE // len(str(number)))
    return Image("image/png", hashlib.sha256(data).hexdigest(), len(data), f"{number}.png"), data


def keep_until_killed(path: Path) -> None:
    core = open_core(path, load(path.parent / "settings.toml"))
    session = only_session(core.services)
    number = int(core.services.drafts.get(session).result() or 0)
    while True:
        number += 1
        block, data = picture(number)
        core.services.drafts.save(session, str(number), (block,), {block.blob: data}).result()
        os.write(1, f"{number}\n".encode())


def blobs(store: SqliteArchive) -> int:
    query = "SELECT count(*) FROM blobs"
    return int(store.read(lambda reader: reader.connection.execute(query).fetchone()[0]).result())


def only_session(services: Services) -> int:
    sessions = services.sessions.all().result()
    return sessions[0].key if sessions else services.branching.start().result().key


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_draft_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}"}
    for _ in range(4):
        command = [sys.executable, "-m", "tests.faults.test_draft_kill", str(path)]
        child = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE)
        assert child.stdout is not None
        first = int(child.stdout.readline())
        time.sleep(random.uniform(0, LIFE))
        child.kill()
        last = [first, *map(int, child.communicate()[0].split())][-1]
        core = open_core(path, load(tmp_path / "settings.toml"))
        try:
            drafts, session = core.services.drafts, only_session(core.services)
            number = int(drafts.get(session).result())
            assert number in (last, last + 1)
            assert drafts.attached(session).result() == (picture(number),)
            assert blobs(core.store) == 1
            assert core.services.sessions.check().result() == []
        finally:
            core.close()


if __name__ == "__main__":
    keep_until_killed(Path(sys.argv[1]))
