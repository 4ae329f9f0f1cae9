"""Where the time of an import goes: seconds of processor time of each stage, and the whole beside `json.loads`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any
from unittest.mock import patch

from stemmata.services.importing.read_ahead import ReadAhead
from stemmata.store import archive
from stemmata.store.core.database import copy_log
from stemmata.store.core.rows import insert_rows
from stemmata.store.entries import entry_rows, indexing, records
from stemmata.store.entries.prepared import PreparedEntries
from stemmata.store.upkeep.refreshing import Refresher
from tests.benchmarks.core import core_at
from tests.benchmarks.corpus import Shape, write_claude_code_session, write_codex_session, write_session
from tests.benchmarks.report import Figure

TOOLS: dict[str, Callable[[Path, Shape], Path]] = {
    "pi": write_session, "claude-code": write_claude_code_session, "codex": write_codex_session,
}  # fmt: skip
LIMIT = 6  # × the time of `json.loads`


def figures(work: Path, megabytes: int) -> Iterator[Figure]:
    """Yield the figures of importing one file of each tool into a new archive."""
    for tool, write in TOOLS.items():
        shape = Shape(megabytes * 200, megabytes, megabytes * 4, megabytes * 850_000)
        yield from _of_file(write(work / f"stages-{tool}-{megabytes}.jsonl", shape), work / "stages", tool)


def _of_file(path: Path, folder: Path, tool: str) -> Iterator[Figure]:
    for old in folder.glob("*"):
        old.unlink()
    start, begun = perf_counter(), process_time()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    parsed, parsed_cpu = perf_counter() - start, process_time() - begun
    core = core_at(folder / "archive.db")
    core.services.sessions.all().result()
    spent: Counter[str] = Counter()
    with _stages(spent):
        start, begun = perf_counter(), process_time()
        report = core.services.importing.import_paths([path]).result()
        took, cpu = perf_counter() - start, process_time() - begun
        core.close()
    assert report.complete
    size = path.stat().st_size / 1e6
    yield Figure("import", f"{tool}, {size:.0f} MB, beside json.loads: clock", took / parsed, "×", LIMIT)
    yield Figure("import", f"{tool}, {size:.0f} MB, beside json.loads: processor", cpu / parsed_cpu, "×")
    yield Figure("import", f"{tool}: json.loads", parsed * 1000, "ms")
    for name, seconds in spent.items():
        yield Figure("import", f"{tool}: {name}", seconds * 1000, "ms")


@contextmanager
def _stages(spent: Counter[str]) -> Iterator[None]:
    """Add the processor time of each stage to `spent` while the block runs."""
    insert = insert_rows

    def inserted(connection: Any, table: str, *rest: Any, **more: Any) -> None:
        name = "db thread, of it full text" if table.endswith("_fts") else "db thread, of it rows"
        _timed(spent, name, insert)(connection, table, *rest, **more)

    with (
        patch.object(ReadAhead, "_run", _timed(spent, "import thread", ReadAhead._run)),
        patch.object(PreparedEntries, "of", _timed(spent, "import thread, of it columns", PreparedEntries.of)),
        patch.object(archive.SqliteArchive, "_write", _timed(spent, "db thread", archive.SqliteArchive._write)),
        patch.object(Refresher, "refresh", _timed(spent, "db thread, of it totals", Refresher.refresh)),
        patch.object(archive, "copy_log", _timed(spent, "copying the log", copy_log)),
        patch.object(entry_rows, "insert_rows", inserted),
        patch.object(indexing, "insert_rows", inserted),
        patch.object(records, "insert_rows", inserted),
    ):
        yield


def _timed(spent: Counter[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def timed(*arguments: Any, **more: Any) -> Any:
        begun = thread_time()
        try:
            return function(*arguments, **more)
        finally:
            spent[name] += thread_time() - begun  # type: ignore[assignment]  # a Counter of seconds

    return timed
