"""`python -m tests.benchmarks [--quick] [area …]`: one table, figures as JSON, growth as curves."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from stemmata.bootstrap.core import Core
from stemmata.domain.entries.lanes import lay_out
from tests.benchmarks import (
    compacting,
    core,
    following,
    handlers,
    meaning,
    memory,
    places,
    requests,
    search,
    sessions,
    stages,
    streaming,
    tasks,
    torture,
    trace,
    turns,
    window,
    workbench,
)
from tests.benchmarks.report import Figure, best, curve, save, show
from tests.benchmarks.search_corpus import archive_of

AREAS = (
    "import",
    "memory",
    "open",
    "context",
    "request",
    "search",
    "sessions",
    "meaning",
    "lanes",
    "window",
    "streaming",
    "compacting",
    "turns",
    "following",
    "start",
    "growth",
    "torture",
    "trace",
    "handlers",
    "workbench",
    "tasks",
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure speed and memory against the bars.")
    parser.add_argument("areas", nargs="*", choices=[*AREAS, []], help="what to measure; everything by default")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data where it is large")
    parser.add_argument("--only", action="append", default=[], help="of torture: contents with this in their name")
    parser.add_argument("--runs", type=int, default=1, help="of torture: each step counts with its shortest run")
    parser.add_argument("--out", type=Path, default=Path("benchmarks-out"), help="where data and figures go")
    parser.add_argument("--samples", type=Path, help="of tasks: a folder of session files to import")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    figures: list[Figure] = []
    for figure in measured(
        chosen.out.absolute(), chosen.areas or AREAS, quick=chosen.quick, only=chosen.only, runs=chosen.runs,
        samples=chosen.samples,
    ):  # fmt: skip
        figures.append(figure)
        show([figure])
    save(figures, chosen.out / "figures.json")
    missed = [figure.name for figure in figures if figure.met is False]
    sys.stdout.write(f"\n{len(figures)} figures, {len(missed)} bars missed\n")
    return 0


def measured(
    work: Path, areas: list[str] | tuple[str, ...], *, quick: bool, only: Sequence[str] = (), runs: int = 1,
    samples: Path | None = None,
) -> Iterator[Figure]:  # fmt: skip
    large = 100_000 if quick else 1_000_000
    archive = work / "headline" / "archive.db"
    profile = work / "profile"
    if set(areas) - {"memory", "trace", "meaning", "sessions"}:
        _prepare(work, archive)
    steps: dict[str, Callable[[], Iterator[Figure]]] = {
        "import": lambda: _imports(work, quick=quick),
        "memory": lambda: memory.figures(work, 30 if quick else 313),
        "open": lambda: _with_core(archive, core.opening),
        "context": lambda: _with_core(archive, core.context),
        "request": lambda: _with_core(archive, requests.building),
        "search": lambda: _search(work, archive, large),
        "sessions": sessions.figures,
        "meaning": lambda: meaning.figures(work, 20_000 if quick else 200_000),
        "lanes": core.lanes,
        "window": lambda: _windows(work, archive, profile, large),
        "streaming": lambda: streaming.figures(archive, work),
        "compacting": lambda: compacting.figures(archive, work),
        "turns": lambda: turns.figures(work, 200 if quick else 1000),
        "following": lambda: following.figures(work, 10 if quick else 100),
        "start": lambda: window.cold_start(archive, profile),
        "growth": lambda: _growth(work, profile, large),
        "torture": lambda: chain(torture.figures(work, only, runs), () if only else places.figures(work, archive)),
        "trace": trace.figures,
        "handlers": lambda: handlers.figures(work, archive),
        "workbench": lambda: workbench.figures(archive, profile),
        "tasks": lambda: tasks.figures(work, samples),
    }
    for area in areas:
        yield from steps[area]()


def _prepare(work: Path, archive: Path) -> None:
    """The archive of the headline corpus, made once."""
    if not archive.exists():
        from tests.benchmarks.corpus import write_archive

        files = write_archive(work / "corpus-1")
        made = core.core_at(archive)
        made.services.importing.import_paths([files[0].parent]).result()
        made.close()


def _with_core(archive: Path, work: Callable[[Core], Iterator[Figure]]) -> Iterator[Figure]:
    opened = core.core_at(archive)
    try:
        yield from work(opened)
    finally:
        opened.close()


def _imports(work: Path, *, quick: bool) -> Iterator[Figure]:
    yield from core.imports(work, 1.0)
    yield from stages.figures(work, 10 if quick else 100)
    yield from core.many_files(work, 1000 if quick else 10_000)
    yield from core.memory_of_import(work, 100 if quick else 1000)
    yield from core.memory_of_import(work, 30 if quick else 300, "claude-code")
    yield from core.memory_of_import(work, 30 if quick else 300, "codex")


def _search(work: Path, archive: Path, count: int) -> Iterator[Figure]:
    yield from _with_core(archive, search.in_longest_session)
    yield from _with_core(archive_of(work, count), lambda opened: search.figures(opened, count))


def _windows(work: Path, archive: Path, profile: Path, large: int) -> Iterator[Figure]:
    yield from window.figures(archive, profile, "14,179")
    core.million(work, large).close()
    yield from window.figures(work / f"million-{large}" / "archive.db", profile, f"{large:,}")


def _growth(work: Path, profile: Path, large: int) -> Iterator[Figure]:
    """Return the time to the first painted transcript in relation to the size of the session."""
    points: list[tuple[int, float]] = []
    for count in (1000, 10_000, 100_000, large):
        if points and points[-1][0] == count:
            continue
        core.million(work, count).close()
        path = str(work / f"million-{count}" / "archive.db")
        points.append((count, min(window.in_process("measure_open", path, str(profile))["first"] for _ in range(3))))
    curve("Click to first painted transcript", points, work / "open.svg")
    yield Figure("growth", f"first paint, 1,000 → {large:,} entries", points[-1][1] / points[0][1], "×", 1.5)
    steps = []
    for count in (1000, 10_000, 100_000):
        parents = [-1, *range(count - 1)]
        steps.append((count, best(partial(lay_out, parents, range(len(parents)), -1), 3)))
    curve("Lane layout", steps, work / "lanes.svg")


if __name__ == "__main__":
    sys.exit(main())
