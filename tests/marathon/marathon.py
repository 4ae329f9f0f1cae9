"""One session of very many turns with tools, in a small window, against a server that checks every request."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.request import urlopen

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.compaction.plan import plan_from
from stemmata.domain.compaction.summary.summary import SummaryInput
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.entries.tree import Tree
from stemmata.services.chat.auto_compaction import FAILURES
from stemmata.services.compaction.drafting import material_of
from stemmata.services.compaction.summarising import ModelSummariser
from stemmata.services.ports.archive import ArchiveReader
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.scripted_provider import Tools
from tests.fakes.summary_model import GOOD, SummaryModel
from tests.marathon.heap import Heap, heap, resident
from tests.marathon.server import EARLY, TALLY, TOOL, constraint, prose

MODELS = {"anthropic": "claude-haiku-3-5", "openai-chat": "gpt-4o", "openai-responses": "gpt-4o"}
LATER = 100  # after the early turns, one turn of so many names a constraint
MOST_PARTS = 1000  # of one compaction that a model summarises
STRETCH = 100  # turns between two points of the curves
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Course:
    """What a marathon is run on. `known`: whether the settings name the window, else refusals alone tell it.

    `minutes` ends it earlier. `summariser` is "digest" or "model".
    """

    turns: int
    window: int = 32_000
    api: str = "anthropic"
    seed: int = 1
    known: bool = True
    minutes: float = inf
    summariser: str = "digest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The state after a stretch of turns; times are medians of its turns, in milliseconds.

    `constraints` is the number of those told so far, and `kept` of those that the last request had word for word.
    """

    turn: int
    cpu: float
    wall: float
    memory: float
    heap: Heap
    constraints: int
    kept: int


@dataclass
class Figures:
    """`cpu` are seconds of this process for each turn, where the server has another one.

    `predicted` is the number of requests for summaries by the plans of the compactions, without those that failed.
    """

    tally: dict[str, Any] = field(default_factory=dict)
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)  # resident after each turn, in MB
    kinds: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    predicted: int = 0
    failed: int = 0  # compactions that a note reports as failed


@contextmanager
def server_apart(course: Course) -> Iterator[str]:
    """Start the server in a process of its own, so that this one can be measured; return its address."""
    command = [sys.executable, "-m", "tests.marathon.server", "--api", course.api]
    command += ["--seed", str(course.seed), "--window", str(course.window)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.communicate("")


def run(course: Course, folder: Path, url: str, each: Callable[[int, Figures], None] | None = None) -> Figures:
    """All turns, one after the other. `each` is called after a turn."""
    figures, random = Figures(), Random(course.seed)
    model = MODELS[course.api]
    address = url if course.api == "anthropic" else f"{url}/v1"
    tools = Tools({TOOL: lambda _call, _ask: _file(random)})
    extra = ("[compaction]", f'summariser = "{course.summariser}"')
    with chat_app(folder, address, api=course.api, model=model, tools=tools, extra=extra) as chat:
        chat.services.catalogue = Catalogue({model: Model(model, course.window if course.known else None)})
        chat.services.contexts.adopt(chat.services.catalogue)
        session = chat.session()
        begun = time.monotonic()
        for turn in range(course.turns):
            if time.monotonic() - begun > course.minutes * 60:
                break
            started, busy = time.perf_counter(), time.process_time()
            chat.say(session, _message(random, turn))
            _until_rested(chat)
            figures.wall.append(time.perf_counter() - started)
            figures.cpu.append(time.process_time() - busy)
            figures.memory.append(resident())
            state = chat.runs.state(session)
            if state.problem:
                figures.problems.append(f"turn {turn + 1}: {state.phase.value}: {state.problem}")
            chat.events.clear()
            if (turn + 1) % STRETCH == 0:
                figures.points.append(_point(turn + 1, figures, _tally(url)))
            if each is not None:
                each(turn, figures)
        tree = chat.services.sessions.open(session).result().tree
        for kind in Kind:
            figures.kinds[kind.text] = sum(1 for _ in tree.of_kind(kind))
        figures.predicted = _predicted(chat, tree, course)
        figures.failed = sum(f'"{FAILURES}"' in body.details for body in _notes(chat, tree))
    figures.tally = _tally(url)
    return figures


def _tally(url: str) -> dict[str, Any]:
    with urlopen(url + TALLY) as answer:
        return dict(json.load(answer))


def _point(turn: int, figures: Figures, tally: dict[str, Any]) -> Point:
    cpu, wall = (median(values[-STRETCH:]) * 1000 for values in (figures.cpu, figures.wall))
    told = tally["constraints"]
    return Point(turn=turn, cpu=cpu, wall=wall, memory=figures.memory[-1], heap=heap(), constraints=told,
                 kept=told - len(tally["constraints lost"]))  # fmt: skip


def _predicted(chat: ChatApp, tree: Tree, course: Course) -> int:
    """The requests that the plan of each stored compaction needs for its summary."""
    if course.summariser == "digest":
        return 0
    name = f"fake/{MODELS[course.api]}"
    catalogue = chat.services.catalogue
    sizes = catalogue.window(name), catalogue.most_output(name)

    def requests_for(material: SummaryInput) -> int:
        model = SummaryModel(*[GOOD] * MOST_PARTS)
        asyncio.run(ModelSummariser(model, "fake", MODELS[course.api], *sizes).summarise(material))
        return len(model.asked)

    def job(reader: ArchiveReader) -> int:
        plans = (plan_from(tree, tree.parents[at], tree.columns.target[at]) for at in tree.of_kind(Kind.COMPACTION))
        return sum(requests_for(material_of(reader, tree, plan, "")) for plan in plans)

    return chat.archive.read(job).result()


def _notes(chat: ChatApp, tree: Tree) -> Iterator[Body]:
    for at in tree.of_kind(Kind.CUSTOM_MESSAGE):
        yield from chat.services.entries.bodies([tree.key(at)]).result().values()


def _message(random: Random, turn: int) -> str:
    text = prose(random, random.choice((30, 60, 200, 200, 1_500)))
    is_early = turn < EARLY
    return f"{text}\n\n{constraint(turn)}" if is_early or turn % LATER == 0 else text


def _file(random: Random) -> ToolOutcome:
    return ToolOutcome((Text(prose(random, random.choice((50, 300, 1_000, 3_000, 6_000)))),))


def _until_rested(chat: ChatApp) -> None:
    """Wait for a compaction after a reply, which is a part of the turn."""

    async def rested() -> None:
        while chat.runs._background:
            await asyncio.wait(chat.runs._background)

    chat.services.chat_ports.loop.run(rested()).result()
