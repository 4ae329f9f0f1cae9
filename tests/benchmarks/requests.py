"""What is done before a message is sent: the next request of the longest session, all of it sent."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial
from statistics import median

from stemmata.bootstrap.core import Core
from stemmata.bootstrap.window import GC_THRESHOLDS
from stemmata.domain.requests.apis import API_NAMES, payload_of
from stemmata.domain.requests.cache_prefix import CachePrefix, compare_prefix
from stemmata.domain.requests.request import RequestOptions
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.chat.requests import media_left_out, messages_of
from stemmata.services.ports.archive import ArchiveReader
from tests.benchmarks.core import headline
from tests.benchmarks.report import Figure, worked

ROUNDS = 9


def building(core: Core) -> Iterator[Figure]:
    """Measure making the JSON body and the cache prefix of a request from the archive, on the db thread."""
    session_tree = headline(core)
    gc.set_threshold(*GC_THRESHOLDS)  # as in the window
    for api in API_NAMES:
        job = partial(_timed, core, session_tree, api=api)
        took = [core.store.read(job).result() for _ in range(ROUNDS)]
        count = len(session_tree.tree)
        yield Figure("request", f"built of {count:,} entries, all sent, {api}", min(took), "ms", 300,
                     note=f" CPU time, median {median(took):.0f} ms")  # fmt: skip


def _timed(core: Core, session_tree: SessionTree, reader: ArchiveReader, *, api: str) -> float:
    return worked(lambda: _built(core, session_tree, reader, api))[0]


def _built(core: Core, session_tree: SessionTree, reader: ArchiveReader, api: str) -> CachePrefix:
    fresh = SessionTree(reader.session(session_tree.session.key), reader.tree(session_tree.session.key))
    view = core.services.contexts.seen(fresh, fresh.tree.get(fresh.session.leaf))
    messages = messages_of(reader, view.projection)
    options = RequestOptions(model="claude-sonnet-4-5", cache="5m")
    payload = payload_of(api, messages, options, reader.blob)
    media_left_out(messages, options.traits)
    return compare_prefix(payload, CachePrefix("", "", "", "", len(messages) // 2))[0]
