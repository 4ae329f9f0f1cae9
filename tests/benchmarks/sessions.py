"""The list of 10,000 sessions: read, opened, filtered and sorted, in a process of its own."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.benchmarks.report import Figure, percentile
from tests.benchmarks.window import in_process

if TYPE_CHECKING:
    from PySide6.QtCore import QCoreApplication

    from stemmata.domain.sessions.session import Session
    from stemmata.gui.sessions.listing import Forest, Listing
    from stemmata.gui.sessions.model import SessionsModel
    from stemmata.gui.sessions.view import SessionsView
    from stemmata.services.ports.archive import ArchiveWriter
    from stemmata.services.services import Services

COUNT = 10_000
TYPED = ("fix", "test the log", "zzz", "billing-7", "session 9", "#late")
DAY = 86_400 * 10**9
WORDS = "fix the login test of billing service add theme port parser log chart".split()


def figures() -> Iterator[Figure]:
    """Measure what a person waits for in the window's thread, and what the db thread does before."""
    found = in_process("measure", str(COUNT), module="sessions")
    label = f"{COUNT:,} sessions"
    yield Figure("sessions", f"list opens, from the archive to the first rows, {label}", found["first"], "ms", 50)
    yield Figure("sessions", f"list opens, {label}", found["open"], "ms", 50, note=" rows and first paint")
    yield Figure("sessions", f"a key in the filter, worst, {label}", found["worst"], "ms", 16,
                 note=f" median {found['median']:.1f}")  # fmt: skip
    yield Figure("sessions", f"a changed list, {label}", found["again"], "ms", 16)
    yield Figure("sessions", f"grouped or sorted otherwise, worst, {label}", found["arranged"], "ms", 50)
    yield Figure("sessions", f"read and prepared on the db thread, {label}", found["read"], "ms")


# -- inside the child process ------------------------------------------------------------------------------------


def measure(count: str) -> dict[str, float]:
    """Return times in ms: the processor time of the window's thread, the least of several runs for each key."""
    from PySide6.QtWidgets import QApplication

    from stemmata.gui.sessions.listing import Listing, Order
    from stemmata.gui.sessions.model import SessionsModel
    from stemmata.gui.sessions.view import SessionsView
    from stemmata.gui.sessions.words import Grouping
    from stemmata.gui.theme.theme import Theme
    from tests.benchmarks.core import core_at

    application = QApplication.instance() or QApplication([])
    theme = Theme("dark")
    model = SessionsModel({"anthropic/claude": 200_000}.get)
    view = SessionsView(theme, model)
    view.resize(288, 900)
    view.show()

    def took(work: Callable[[], object]) -> float:
        start = time.thread_time()
        work()
        application.processEvents()
        return (time.thread_time() - start) * 1000

    with tempfile.TemporaryDirectory(prefix="stemmata-benchmark-") as folder:
        core = core_at(Path(folder) / "archive.db")
        core.services.sessions.archive.write(lambda writer: _fill(writer, int(count))).result()
        out = {"first": min(_first_rows(core.services, model, application) for _ in range(5))}
        start = time.perf_counter()
        listing = Listing(core.services.sessions.all().result())
        forest = model.forest_of(listing)
        out["read"] = (time.perf_counter() - start) * 1000
        core.close()
    again = Listing(listing.sessions)
    opened = []
    for _ in range(5):
        model.set_listing(Listing())
        opened.append(took(lambda: model.set_listing(listing, forest)))
    out["open"] = min(opened)
    out["again"] = min(took(lambda: model.set_listing(again, forest)) for _ in range(5))
    keys = [_typed(view, text, took) for text in TYPED]
    out["worst"], out["median"] = max(map(max, keys)), percentile([key for each in keys for key in each], 50)
    arranged = [took(partial(model.set_order, order)) for order in reversed(Order)]
    arranged += [took(partial(model.set_grouping, grouping)) for grouping in reversed(Grouping)]
    out["arranged"] = max(arranged)
    view.close()
    return out


def _first_rows(services: Services, model: SessionsModel, application: QCoreApplication) -> float:
    """Return the ms from the question to the archive until the first rows are painted, in processor time.

    The db thread reads and arranges the newest sessions, the window's thread lists and paints them.
    """
    from stemmata.gui.sessions.listing import Listing
    from stemmata.gui.sessions.session_list import FIRST
    from stemmata.services.futures import then

    model.set_listing(Listing())
    application.processEvents()

    def prepared(sessions: list[Session]) -> tuple[Listing, Forest, float]:
        listing = Listing(sessions)
        return listing, model.forest_of(listing), time.thread_time()

    begun = services.sessions.archive.read(lambda _reader: time.thread_time()).result()
    listing, forest, ended = then(services.sessions.newest(FIRST), prepared).result()
    start = time.thread_time()
    model.set_listing(listing, forest)
    application.processEvents()
    return (ended - begun + time.thread_time() - start) * 1000


def _typed(view: SessionsView, text: str, took: Callable[[Callable[[], object]], float]) -> list[float]:
    """Return the time of each key of a text that is typed and taken back; the least of three runs each."""
    states = [text[:end] for end in (*range(1, len(text) + 1), *reversed(range(len(text))))]
    runs = [[took(partial(view.filter.setText, state)) for state in states] for _ in range(3)]
    return [min(times) for times in zip(*runs, strict=True)]


def _fill(writer: ArchiveWriter, count: int) -> None:
    """Store sessions without entries: of a tenth, agents, forks and automated runs."""
    from stemmata.domain.sessions.session import SessionInfo

    random, now = Random(7), time.time_ns()
    for at in range(count):
        main = at - at % 10
        is_agent, is_fork, is_script = at % 10 in (1, 2, 3), at % 10 == 4, at % 10 == 5
        name = f"s{main}/agent-{at:08x}" if is_agent else f"s{at}"
        title = " ".join(random.choices(WORDS, k=random.randint(3, 9)))
        info = SessionInfo(
            source="claude-code", source_id=name, title=f"{title} session {at}",
            cwd=f"/home/me/code/billing-{main // 10 % 60}", created_at=now - random.randrange(400 * DAY),
            parent_source_id=f"s{main}" if is_agent or is_fork else "",
            details='{"version":"2.1.114","gitBranch":"main","entrypoint":"%s"}' % ("sdk-py" if is_script else "cli"),
        )  # fmt: skip
        key = writer.create_session(info)
        if at % 50 == 0:
            writer.update_session(key, tags=["late"])
