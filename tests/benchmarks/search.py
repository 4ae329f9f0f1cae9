"""Searching as you type, in a large archive and in its sessions: each kind of query by itself."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import product
from random import Random
from typing import Any

from stemmata.bootstrap.core import Core
from stemmata.domain.search.hits import SearchPage, Share
from stemmata.domain.search.query import Query, parse
from stemmata.domain.search.results import Results
from tests.benchmarks.report import Figure, percentile, timed
from tests.benchmarks.search_corpus import CHARACTERS, Speech

ROUNDS = 3
COMMON = ("the", "lane", "lane7", "tool")
DRAWN = 2_000  # queries of words, phrases and filters
BAR = 50.0  # milliseconds
SHARE = Share(20)  # hits of each session that the results view asks for first
SESSIONS = ("long", "turn-1", "long-lived", "fork")


def figures(core: Core, count: int) -> Iterator[Figure]:
    """Return the p95 of every group with median and maximum, then of all queries."""
    every: list[float] = []
    for name, asked in _groups(core):
        times = _times(core, asked)
        every += times
        yield _figure(name, times)
    yield _figure(f"all of it, in {count:,} entries", every)
    found: list[float] = []
    for name, texts, by_rank in _filtered():
        times = _find_times(core, texts, by_rank=by_rank)
        found += times
        yield _figure(f"results, {name}", times)
    yield _figure(f"results, all of it, in {count:,} entries", found)
    yield _figure(f"results, first hits or the answer that there are none, in {count:,} entries", _first_hits(core))
    yield _figure(f"results, the same of {DRAWN:,} queries drawn at random", _drawn(core))


def in_longest_session(core: Core) -> Iterator[Figure]:
    """Measure words that nearly every entry contains, in one session and among its user messages."""
    longest = max(core.services.sessions.all().result(), key=lambda session: session.entries)
    asked = _asked(["the", "te", "error", "a", "sel"], session=[longest.key], role=["", "user"])
    yield _figure("common words in the longest session", _times(core, asked))


def _groups(core: Core) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    """Return the queries, grouped by their difficulty."""
    words = Speech().words
    common, rare = words[0], words[-1]
    both, part = f"{common} {rare}", words[600][:3]
    telling = ["the", common, rare, part, "lane", "lane7", "toolresult", both, "nothing at all"]
    typed = [word[:length] for word in words[:2400:120] for length in range(2, len(word) + 1)]
    yield "as you type", _asked(typed)
    yield "one letter", _asked("abkltz1")
    yield "two letters", _asked(["la", "th", "ba", "to", "zu", "qx"])
    yield "a beginning that every entry has", _asked(["lan", "lane", "lane1", "lane39", "modu", "tool", "toolres"])
    yield "phrases", _asked(_phrases(words))
    yield "Chinese", _asked([CHARACTERS[0], CHARACTERS[3], CHARACTERS[:2], CHARACTERS[:5], f"the {CHARACTERS[7]}"])
    yield "no hits", _asked(["qqqq", "the qqqq", "nothing at all", f"{common} zzz", '"lane1 lane1"', "lane zzzz"])
    for role in ("user", "assistant", "bashExecution", "compaction", "system"):
        yield f"role {role}", _asked(telling, role=[role])
    for tool in ("bash", "browser"):
        yield f"tool {tool}", _asked(telling, tool=[tool])
    keys = {session.source_id: session.key for session in core.services.sessions.all().result()}
    for session in (*SESSIONS, next(name for name in keys if name not in SESSIONS)):
        yield f"session “{session}”", _asked(telling, session=[keys[session]], role=["", "user"])
    for scope in ("active", "abandoned"):
        yield f"branches that are {scope}", _asked(telling, scope=[scope], session=[None, keys["fork"]])


def _filtered() -> Iterator[tuple[str, Sequence[str], bool]]:
    """Return the queries of the results view, grouped by their filters, and whether the best matches come first."""
    words = Speech().words
    common, rare, part = words[0], words[-1], words[600][:3]
    both, phrase = f"{common} {rare}", f'"{common} {words[1]}"'
    telling = ["the", common, rare, part, "lane", "lane7", both, phrase, "nothing at all"]
    inside = [CHARACTERS[at : at + length] for at in range(4) for length in (1, 2, 3, 5)]
    yield "without filters", telling, False
    yield "Chinese inside runs", [*inside, f"the {inside[1]}"], False
    for filter in (
        "role:user", "role:tool tool:bash", "role:summary", "after:2026-06", "before:2001", "model:none",
        "file:module_12.py", "has:image", "is:starred", "cost>0", "project:a", "in:abandoned", "in:active",
    ):  # fmt: skip
        yield filter, [f"{text} {filter}" for text in telling], False
    yield "best match first", telling, True
    yield "filters alone", ["role:user", "has:image", "before:2001", "model:none", "in:abandoned"], False


def _find_times(core: Core, texts: Sequence[str], *, by_rank: bool) -> list[float]:
    find, now = core.services.searching.find, datetime.now()

    def found(text: str) -> Results:
        return find(parse(text, now), by_rank=by_rank, share=SHARE).result()

    return [timed(partial(found, text))[0] for _ in range(ROUNDS) for text in texts]


def _first_hits(core: Core) -> list[float]:
    """Return the processor time (ms) of the db thread until a search has a hit, or has looked through everything.

    The queries combine common, rare and missing words, phrases and filters, whose hits may be the oldest entries.
    """
    words = Speech().words
    common, rare = words[0], words[-1]
    telling = [
        "", "the", common, rare, "lane7", f'"{common} {words[1]}"', f'"{common} {words[2]} {words[1]}"',
        '"the lane7 the"', " ".join(words[:5]), f'"{words[40]} {words[41]}"', "nothing at all",
    ]  # fmt: skip
    filters = (
        "", "before:2023-11-16", "before:2023-11-16 role:user", "before:2023-11-16 role:summary", "after:2023-11-25",
        "before:2001", "has:image", "model:none", "in:abandoned", "in:active", "file:module_12.py", "file:module_1",
        "file:app.py role:assistant", "role:tool tool:browser", "role:summary in:abandoned",
    )  # fmt: skip
    now = datetime.now()
    queries = [parse(f"{text} {filter}", now) for filter in filters for text in telling]
    asked = [(query, by_rank) for by_rank in (False, True) for query in queries if not query.is_empty]
    return [_first_hit(core, query, by_rank=by_rank) for query, by_rank in asked]


def _drawn(core: Core) -> list[float]:
    """Return what `_first_hits` does, for queries that nobody thought of."""
    random, words, now = Random(1), Speech().words, datetime.now()

    def part() -> str:
        kind, word = random.random(), random.choice((*words[:3], random.choice(words), *COMMON))
        if kind < 0.15:
            return word[: random.randint(1, 3)]
        if kind < 0.3:
            among = words[: random.choice((5, 50, 2000))]
            return f'"{" ".join(random.choices(among, k=random.randint(1, 4)))}"'
        if kind < 0.36:
            return "".join(random.choices(CHARACTERS, k=random.randint(1, 4)))
        return random.choice("*%_()^'-/") + word if kind < 0.45 else word

    filters = (
        "role:user", "role:tool", "role:assistant", "role:summary", "tool:bash", "tool:nope", "model:none", "cost>0",
        "model:claude", "file:module_12.py", "file:app.py", "file:.py", "project:a", "source:codex", "is:starred",
        "before:2023-11-16", "after:2023-11-25", "after:2030", "in:abandoned", "in:active", "has:image",
    )  # fmt: skip
    out: list[float] = []
    while len(out) < DRAWN:
        parts = [part() for _ in range(random.choice((0, 1, 1, 2, 2, 3, 5)))]
        query = parse(" ".join([*parts, *random.sample(filters, random.choice((0, 0, 1, 1, 2, 3)))]), now)
        if not query.is_empty:
            out.append(_first_hit(core, query, by_rank=random.random() < 0.3))
    return out


def _first_hit(core: Core, query: Query, *, by_rank: bool) -> float:
    searching, wanted = core.services.searching, query.filters.scope
    begun = _db_time(core)
    results = searching.find(query, by_rank=by_rank, share=SHARE).result()
    found, unsorted, rest = bool(results.hits), results.unsorted, results.rest
    while not found and (unsorted or rest is not None):
        if unsorted:
            sorted_ = searching.sort(unsorted, lambda: False).result()
            found, unsorted = bool(getattr(sorted_, wanted)), sorted_.unsorted
        else:
            results = searching.find(query, below=rest, share=SHARE).result()
            found, unsorted, rest = bool(results.hits), results.unsorted, results.rest
    return _db_time(core) - begun


def _db_time(core: Core) -> float:
    return core.store.read(lambda _reader: time.thread_time()).result() * 1000


def _phrases(words: Sequence[str]) -> list[str]:
    first, second, third = words[:3]
    return [
        f'"{first} {second}"', f"{first}-{second}", f'"{first} {second} {third}"', '"the lane7"', '"lane7 the"',
        "src/module_12", "src/module_1", "module_12.py", f'"{first} {second}" {third}', f"{first}_{words[2000]}",
    ]  # fmt: skip


def _asked(queries: Sequence[str], **narrowed: Sequence[object]) -> list[Mapping[str, Any]]:
    """Yield every query with every combination of filters."""
    return [
        {"query": query, **dict(zip(narrowed, values, strict=True))}
        for values in product(*narrowed.values())
        for query in queries
    ]


def _times(core: Core, asked: Sequence[Mapping[str, Any]]) -> list[float]:
    find = core.services.searching.search

    def found(one: Mapping[str, Any]) -> SearchPage:
        return find(**one, limit=50).result()

    return [timed(partial(found, one))[0] for _ in range(ROUNDS) for one in asked]


def _figure(name: str, times: Sequence[float]) -> Figure:
    note = f" median {percentile(times, 50):.1f}, worst {max(times):.1f}"
    return Figure("search", f"{name}, p95", percentile(times, 95), "ms", BAR, note=note)
