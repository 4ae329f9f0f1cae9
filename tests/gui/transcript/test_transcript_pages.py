"""The cache between a transcript and the archive: small pages, a bound on what is kept."""

from __future__ import annotations

from stemmata.domain.entries.blocks import Image, Text, Thinking, UnknownBlock
from stemmata.domain.entries.entry import Entry, Role
from stemmata.gui.core import pages as transcript_pages
from stemmata.gui.core.pages import PAGE, PageCache
from tests.fakes.conversation import assistant, call, chain, talk, user
from tests.fakes.pages import FakePages


def test_reads_in_pages_and_only_once() -> None:
    pages = FakePages(talk(40))
    cache = PageCache(pages)
    assert cache.load(range(160))
    assert max(count for _, count in pages.calls) == PAGE
    read = len(pages.calls)
    assert not cache.load(range(160))
    loaded = cache.get(7)
    assert loaded is not None
    assert loaded.row.key == 7
    assert len(pages.calls) == read


def test_an_entry_that_is_gone() -> None:
    cache = PageCache(FakePages(talk(1)))
    assert cache.get(99) is None
    assert [row.key for row in cache.rows([0, 99, 1])] == [0, 1]


def test_keeps_what_was_used_last() -> None:
    cache = PageCache(FakePages(talk(400)))
    cache.load(range(1600))
    assert len(cache) == transcript_pages.MOST_ENTRIES
    first = cache.get(1599)
    cache.load(range(100))
    assert first is not None
    assert cache.get(1599) is first


def test_keeps_no_more_characters_than_it_may() -> None:
    blocks = (
        Text("x" * 60_000),
        Thinking("y" * 60_000),
        call("c", arguments='"' + "z" * 60_000 + '"'),
        UnknownBlock("odd", "o" * 100),
        Image("image/png", "ab", 5),
    )
    entries = chain([assistant(*blocks) for _ in range(100)])
    cache = PageCache(FakePages(entries))
    for key in range(100):
        cache.load([key])
    assert cache.characters <= transcript_pages.MOST_CHARACTERS + 180_200
    assert len(cache) >= transcript_pages.LEAST_ENTRIES
    cache.clear()
    assert cache.characters == len(cache) == 0


def test_long_blocks_come_whole_when_asked_for() -> None:
    pages = FakePages(chain([user("x" * 100_000)]))
    cache = PageCache(pages)
    loaded = cache.get(0)
    assert loaded is not None
    assert loaded.body.cut == 100_000 - 65_536
    whole = cache.uncut(loaded)
    assert whole.body.blocks == (Text("x" * 100_000),)
    assert cache.uncut(whole) is whole


def test_blobs_pass_through() -> None:
    cache = PageCache(FakePages([Entry(id="a", role=Role.USER)], {"ab": b"bytes"}))
    assert cache.blob("ab") == b"bytes"
    assert cache.blob("cd") is None
