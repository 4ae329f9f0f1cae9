"""Import, opening, context, search and lanes: everything that is measured without a window."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import orjson

from stemmata.bootstrap.core import Core, open_core
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.entries.lanes import lay_out
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.sessions.session import SessionInfo, SessionTree
from stemmata.store.writer import Writer
from stemmata.system.settings.settings import load
from tests.benchmarks.corpus import (
    Shape,
    write_archive,
    write_claude_code_session,
    write_codex_session,
    write_session,
)
from tests.benchmarks.report import Figure, best, percentile, timed
from tests.benchmarks.search_corpus import vocabulary

ROOT = Path(__file__).parents[2]


def core_at(path: Path) -> Core:
    path.parent.mkdir(parents=True, exist_ok=True)
    return open_core(path, load(path.with_name("settings.toml")))


def imports(work: Path, scale: float) -> Iterator[Figure]:
    """Measure importing the whole corpus into a new archive, and parsing it alone."""
    files = write_archive(work / f"corpus-{scale:g}", scale)
    size = sum(file.stat().st_size for file in files) / 1e6
    parse, _ = timed(lambda: [orjson.loads(line) for file in files for line in file.open("rb")])
    archive = work / "import" / "archive.db"
    for old in archive.parent.glob("*"):
        old.unlink()
    core = core_at(archive)
    took, report = timed(lambda: core.services.importing.import_paths([files[0].parent]).result())
    again, _ = timed(lambda: core.services.importing.import_paths([files[0].parent]).result())
    core.close()
    assert report.complete
    yield Figure("import", f"end to end with full text, {size:.0f} MB", size / took * 1000, "MB/s", 20, True,
                 f"parsing alone {size / parse * 1000:.0f} MB/s")  # fmt: skip
    yield Figure("import", "again, unchanged, 33 files", again, "ms")


def many_files(work: Path, count: int) -> Iterator[Figure]:
    """Measure importing files again that have not changed."""
    folder = work / f"many-{count}"
    shape = Shape(6, 1, 1, 600)
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(count):
        write_session(folder / f"{at:05}.jsonl", shape, at)
    core = core_at(work / f"many-{count}-archive" / "archive.db")
    core.services.importing.import_paths([folder]).result()
    took, report = timed(lambda: core.services.importing.import_paths([folder]).result())
    core.close()
    assert report.unchanged == count
    yield Figure("import", f"{count} unchanged files again", took, "ms", 1000, note=" 0 files parsed")


def memory_of_import(work: Path, megabytes: int, tool: str = "pi") -> Iterator[Figure]:
    """Measure the peak memory of importing one large file in a separate process, and its time beside `json.loads`."""
    shape = Shape(megabytes * 200, megabytes, megabytes * 4, megabytes * 850_000)
    write = {"pi": write_session, "claude-code": write_claude_code_session, "codex": write_codex_session}[tool]
    path = write(work / f"large-{tool}-{megabytes}.jsonl", shape)
    for old in (work / "large").glob("*"):
        old.unlink()
    # `ru_maxrss` of a child begins with the memory of the process that started it
    code = (
        "import re,sys;from stemmata.bootstrap.commands import command_line;"
        "code=command_line(sys.argv[1:]);"
        "print(int(re.search(r'VmHWM:\\s+(\\d+)',open('/proc/self/status').read())[1])/1024)"
    )
    arguments = ["--store", str(work / "large" / "archive.db"), "--quiet", "import", str(path)]
    took, ran = timed(
        lambda: subprocess.run(
            [sys.executable, "-c", code, *arguments], env=_environment(), capture_output=True, text=True, check=True
        )
    )
    parsed, _ = timed(lambda: _parse(path))
    size, name = path.stat().st_size / 1e6, f"one file of {path.stat().st_size / 1e6:.0f} MB ({tool})"
    yield Figure("import", f"peak memory, {name}", float(ran.stdout.split()[-1]), "MB", 250)
    yield Figure("import", f"{name}, whole process", size / took * 1000, "MB/s", 20, True)
    yield Figure("import", f"{name}, beside json.loads of its lines", took / parsed, "×")


def _parse(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def _environment() -> dict[str, str]:
    import os

    return os.environ | {"PYTHONPATH": str(ROOT / "app")}


def headline(core: Core) -> SessionTree:
    """The longest session of the archive, opened."""
    longest = max(core.services.sessions.all().result(), key=lambda session: session.entries)
    return core.services.sessions.open(longest.key).result()


def opening(core: Core) -> Iterator[Figure]:
    session_tree = headline(core)
    key = session_tree.session.key
    count = len(session_tree.tree)
    tail = best(lambda: core.services.sessions.tail(key, 40).result(), 20)
    whole = best(lambda: core.services.sessions.open(key).result())
    yield Figure("open", f"last 40 entries of {count:,}", tail, "ms")
    yield Figure("open", f"whole skeleton of {count:,}", whole, "ms")


def context(core: Core) -> Iterator[Figure]:
    session_tree = headline(core)
    contexts, leaf = core.services.contexts, session_tree.tree.get(session_tree.session.leaf)
    assert leaf is not None
    cold = best(lambda: contexts.at(core.services.sessions.open(session_tree.session.key).result(), leaf), 5)
    opened = best(lambda: core.services.sessions.open(session_tree.session.key).result(), 5)
    yield Figure("context", "any entry, cold", best(lambda: contexts.at(session_tree, leaf), 9), "ms", 30)
    yield Figure("context", "any entry, cold, tree read from disk", cold, "ms", note=f" {opened:.1f} of it the tree")
    line = PathTotals.through(session_tree.tree, leaf)
    contexts.at(session_tree, leaf, line)
    steps = [timed(partial(contexts.at, session_tree, entry, line))[0] for entry in line.path[-400:]]
    yield Figure("context", "moving by one entry, p99", percentile(steps, 99), "ms", 3)


def lanes() -> Iterator[Figure]:
    """A forest of 100,000 rows with 5,000 forks."""
    random = Random(7)
    parents = [-1]
    parents += [at - 1 if at % 20 else random.randrange(max(0, at - 3000), at) for at in range(1, 100_000)]
    times = list(range(100_000))
    yield Figure("lanes", "100,000 entries, 5,000 forks", best(lambda: lay_out(parents, times, 99_999), 5), "ms", 150)


def million(work: Path, count: int) -> Core:
    """An archive with one session of this many entries; kept, because making it takes a minute."""
    path = work / f"million-{count}" / "archive.db"
    done = path.with_name("done")
    if not done.exists():
        for old in path.parent.glob("*"):
            old.unlink()
        core = core_at(path)
        _fill(core, count)
        core.close()
        done.touch()
    return core_at(path)


def _fill(core: Core, count: int) -> None:
    random = Random(1)
    words = vocabulary(random)
    roles = (Role.USER, Role.ASSISTANT, Role.TOOL_RESULT, Role.ASSISTANT)
    from stemmata.domain.entries.blocks import Text

    def entries() -> Iterator[Entry]:
        for at in range(count):
            text = " ".join((*random.choices(words, k=11), f"lane{random.randrange(400)}"))
            time = 1_700_000_000_000_000_000 + at * 1_000_000_000
            parent = str(at - 1) if at else None
            yield Entry(id=str(at), parent=parent, role=roles[at % 4], time=time, blocks=(Text(text),))

    info = SessionInfo(source="stemmata", source_id="million", title="A million entries", cwd="/work")

    def job(writer: Writer) -> None:
        key = writer.create_session(info)
        batch, last = [], None
        for entry in entries():
            batch.append(entry)
            if len(batch) == 2000:
                last = writer.append(key, batch)[-1]
                batch = []
        if batch:
            last = writer.append(key, batch)[-1]
        writer.move_leaf(key, last, "import", time=1)
        writer.refresh(key)

    core.store.write(job).result()
