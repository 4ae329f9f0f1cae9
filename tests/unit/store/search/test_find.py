"""Searches with filters: by role, tool, model, file, session and time; the best first; in steps."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role, Usage
from stemmata.domain.errors import CancelledError
from stemmata.domain.search.hits import Share, UnreadHit, UnreadHits
from stemmata.domain.search.query import parse
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.entries.content import HEAD_BLOCK
from stemmata.store.search import search as search_module
from stemmata.store.search.search import MOST_EXPANDED
from stemmata.store.search.snippets import CLOSING, LONG, OPENING, Snippets
from tests.unit.store.conftest import Filled

NOW = datetime(2026, 11, 25)
DAY = 86_400_000_000_000


def said(id: str, text: str = "word", role: Role = Role.USER, **more: Any) -> Entry:
    return Entry(id=id, role=role, blocks=(Text(text),), **more)


def hits(filled: Filled, text: str, **asked: Any) -> UnreadHits:
    return filled.archive.read(lambda reader: reader.find(parse(text, NOW), **asked)).result()


def found(filled: Filled, text: str, **asked: Any) -> list[str]:
    def job(reader: Any) -> list[str]:
        query = parse(text, NOW)
        keys = [hit.entry for hit in reader.find(query, **asked).found]
        return [hit.id for hit in reader.hits(query.words, keys, long=True)]

    return filled.archive.read(job).result()


@pytest.fixture
def mixed(filled: Filled) -> Filled:
    entries = [
        said("asked", time=DAY),
        said("answer", role=Role.ASSISTANT, model="claude-Opus", time=2 * DAY),
        said("result", role=Role.TOOL_RESULT, tool="Bash", time=3 * DAY),
        said("summary", role=Role.NONE, kind=Kind.COMPACTION, time=4 * DAY),
        said("label", role=Role.NONE, kind=Kind.LABEL, name="word", time=5 * DAY),
    ]
    filled.append(filled.session(), entries)
    return filled


def test_roles_tools_and_models_narrow_the_search(mixed: Filled) -> None:
    assert found(mixed, "word") == ["label", "summary", "result", "answer", "asked"]
    assert found(mixed, "word role:user,summary") == ["summary", "asked"]
    assert found(mixed, "word role:tool tool:bash") == ["result"]
    assert found(mixed, "tool:edit") == []
    assert found(mixed, "word model:opus") == ["answer"]
    assert [hit.tool for hit in hits(mixed, "tool:bash").found] == ["Bash"]


def test_without_words_all_that_is_read_is_found(mixed: Filled) -> None:
    assert found(mixed, "role:any after:1970") == ["summary", "result", "answer", "asked"]
    assert found(mixed, "role:user") == ["asked"]


def test_times_are_limits(mixed: Filled) -> None:
    since = int(datetime(1970, 1, 3).timestamp()) * 1_000_000_000
    expected = [m.entry for m in hits(mixed, "word").found if m.time >= since]
    assert [m.entry for m in hits(mixed, "word after:1970-01-03").found] == expected
    assert len(hits(mixed, "word before:1970-01-03").found) == 5 - len(expected)


def test_images_and_files_are_in_entries(filled: Filled) -> None:
    call = ToolCall(id="c", name="edit", arguments='{"path":"src/Wrap.ts"}')
    entries = [
        Entry(id="picture", role=Role.USER, blocks=(Text("word"), Image("image/png", "0" * 64, 1))),
        Entry(id="edit", role=Role.ASSISTANT, blocks=(call, Text("word"))),
        said("talk", "word about src/wrap.ts"),
    ]
    filled.append(filled.session(), entries)
    assert found(filled, "word file:wrap.ts") == ["edit"]
    assert found(filled, "role:user,reply file:wrap.ts wor") == ["talk", "edit"]
    assert found(filled, "word file:!") == ["edit"]  # says no word, so any file
    assert found(filled, "word has:image") == ["picture"]


def test_sessions_are_chosen_by_their_facts(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(name: str, source: str, cwd: str) -> int:
        info = SessionInfo(source=source, source_id=name, cwd=cwd, created_at=1)
        key = filled.archive.write(lambda writer: writer.create_session(info)).result()
        filled.append(key, [said(name)])
        return key

    make("one", "pi", "/code/Ledgerly")
    two = make("two", "claude-code", "/code/editor")
    usage = Usage(input=1, output=1, cost=700_000)
    filled.append(two, [said("paid", "word", Role.ASSISTANT, usage=usage)])
    filled.archive.write(lambda writer: writer.refresh(two)).result()
    three = make("three", "codex", "")
    filled.archive.write(lambda writer: writer.update_session(three, starred=True)).result()
    for few in (search_module.FEW_SESSIONS, 0):  # named in the index, and compared with each entry
        monkeypatch.setattr(search_module, "FEW_SESSIONS", few)
        assert found(filled, "word project:ledger") == ["one"]
        assert found(filled, 'word source:"claude code"') == ["paid", "two"]
        assert found(filled, "word cost>0.5") == ["paid", "two"]
        assert found(filled, "word cost<0.5") == ["three", "one"]
        assert found(filled, "word is:starred") == ["three"]
        assert found(filled, "word project:ledger is:starred") == []


def test_sessions_in_the_trash_are_left_out(mixed: Filled) -> None:
    mixed.append(other := mixed.session("two"), [said("kept")])
    mixed.archive.write(lambda writer: writer.update_session(other, trashed=True)).result()
    assert "kept" not in found(mixed, "word")
    assert "kept" not in found(mixed, "word", by_rank=True)


def test_one_session_and_its_forks(mixed: Filled) -> None:
    assert found(mixed, "word role:user", session=1) == ["asked"]
    fork = mixed.session("fork", parent="one")
    shared = said("answer", role=Role.ASSISTANT, model="claude-Opus", time=2 * DAY)
    asked = said("asked", time=DAY)
    mixed.append(fork, [asked, shared, said("forked", parent="answer", time=9 * DAY)])
    assert found(mixed, "word", session=fork) == ["forked", "answer", "asked"]
    assert found(mixed, "word after:1970-01-02", session=fork)[:1] == ["forked"]
    assert set(found(mixed, "word", session=fork, by_rank=True)) == {"forked", "answer", "asked"}


def test_the_best_come_first(filled: Filled) -> None:
    entries = [said("best", "word word word"), said("long", "word " + "other " * 200), said("none", "other")]
    filled.append(filled.session(), [*entries, said("newest", "a word among others")])
    assert found(filled, "word", by_rank=True) == ["best", "newest", "long"]
    assert hits(filled, "word", by_rank=True).by_rank
    assert found(filled, "role:user", by_rank=True) == ["newest", "none", "long", "best"]
    assert found(filled, "word before:2000", by_rank=True)[:1] == ["best"]


def test_the_newest_come_where_ranking_takes_too_long(mixed: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "STEPS", 1)
    best = hits(mixed, "word", by_rank=True, seconds=-1)
    assert not best.by_rank
    assert [hit.time for hit in best.found] == [at * DAY for at in (5, 4, 3, 2, 1)]
    with pytest.raises(CancelledError):
        hits(mixed, "word", by_rank=True, stopped=lambda: True)


def test_a_search_goes_on_where_its_time_ended(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "SCANNED", 4)
    entries = [said(f"{at}", time=DAY if at % 5 else 3 * DAY) for at in range(20)]
    filled.append(filled.session(), entries)
    collected: list[int] = []
    first = hits(filled, "word after:1970-01-03", seconds=-1)
    assert first.more
    rest = first.rest
    collected += [hit.entry for hit in first.found]
    steps = 1
    while rest is not None:
        part = hits(filled, "word after:1970-01-03", seconds=-1, below=rest)
        collected += [hit.entry for hit in part.found]
        rest = part.rest
        steps += 1
    assert collected == [16, 11, 6, 1]
    assert steps == 6
    assert [m.entry for m in hits(filled, "word after:1970-01-03").found] == [16, 11, 6, 1]


@pytest.mark.parametrize("query", ["wo", "word", "word after:1970"])
def test_hits_beyond_the_most_are_found_later(filled: Filled, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    monkeypatch.setattr(search_module, "MOST", 3)
    monkeypatch.setattr(search_module, "SCANNED", 4)
    filled.append(filled.session(), [said(f"{at}", time=at + 1) for at in range(8)])
    first = hits(filled, query)
    assert ([hit.entry for hit in first.found], first.rest) == ([8, 7, 6], 6)
    second = hits(filled, query, below=first.rest)
    assert [hit.entry for hit in second.found] == [5, 4, 3]
    assert hits(filled, query, below=3).rest is None


def test_beginnings_of_many_words_are_checked_in_steps_too(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "MOST_EXPANDED", 2)
    monkeypatch.setattr(search_module, "SCANNED", 2)
    monkeypatch.setattr(search_module, "COMPARED_AT_ONCE", 2)
    entries = [said(f"{at}", f"lane{at} lanx", time=(at % 2) * 3 * DAY) for at in range(12)]
    filled.append(filled.session(), entries)
    assert found(filled, "lane after:1970-01-03") == ["11", "9", "7", "5", "3", "1"]
    assert hits(filled, "lane after:1970-01-03", seconds=-1).rest is not None


def test_long_snippets_have_more_context() -> None:
    text = "before " * 40 + "needle" + " behind" * 80
    short, long = Snippets([("needle", False)]).of(text), Snippets([("needle", False)], LONG).of(text)
    assert len(long) > len(short) > 100
    assert f"{OPENING}needle{CLOSING}" in long


@pytest.mark.parametrize("checked", [4, 1_000], ids=["few entries", "little text"])
def test_a_prefix_of_many_words_is_found_in_steps(
    filled: Filled, monkeypatch: pytest.MonkeyPatch, checked: int
) -> None:
    """Each step reads a few entries that begin alike, and the steps find together what one search finds."""
    texts = [f"lane{at} word" if at % 3 else f"landing{at} word" for at in range(60)]
    filled.append(filled.session(), [said(f"{at}", text) for at, text in enumerate(texts)])
    whole = [hit.entry for hit in hits(filled, "word lane").found]
    assert len(whole) == 40
    for name, value in (("COMPARED_AT_ONCE", 2), ("MOST_COMPARED", checked), ("MOST_CHARACTERS", 40)):
        monkeypatch.setattr(search_module, name, value)
    out: list[int] = []
    below: int | None = None
    steps = 0
    while below is not None or not steps:
        steps += 1
        part = hits(filled, "word lane", below=below, seconds=0)
        out += [hit.entry for hit in part.found]
        below = part.rest
    assert out == whole
    assert steps > 4
    at_once = filled.archive.read(lambda reader: reader.unread_hits("word lane", session=None, limit=50)).result()
    assert len(at_once.found) == len(whole), "a search that cannot go on finds them all"


def test_large_entries_that_are_not_read_whole_begin_the_next_step(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MOST_READ_WHOLE", 1)
    large = tuple(Text("z " * (HEAD_BLOCK // 2)) for _ in range(4))
    entries = [
        Entry(id=f"{at}", role=Role.USER, blocks=(*large, Text(f"word land{at}" if at % 2 else f"word lane{at}")))
        for at in range(6)
    ]
    more = [said(f"m{at}", f"lane{at}") for at in range(MOST_EXPANDED)]
    filled.append(filled.session(), [*entries, *more, said("last", "word lane")])
    first = hits(filled, "word lane", seconds=0)
    assert [hit.entry for hit in first.found] == [len(entries) + len(more) + 1]
    assert first.rest == 6, "the second one that would have to be read whole"
    assert len(hits(filled, "word lane", below=first.rest, seconds=0).found) == 1


@pytest.mark.parametrize("query", ["wo", "word", "word after:1970"])
@pytest.mark.parametrize("seconds", [-1, 60])
def test_each_session_has_its_share_of_the_hits(
    filled: Filled, monkeypatch: pytest.MonkeyPatch, query: str, seconds: float
) -> None:
    """One long session took the place of all others."""
    for name, value in (("MOST", 5), ("AT_ONCE", 1), ("SCANNED", 4)):
        monkeypatch.setattr(search_module, name, value)
    names = ("one", "two", "three", "four")
    sessions = {name: filled.session(name) for name in names}
    own: dict[str, list[int]] = {name: [] for name in names}
    at = 0
    for name, count in [("four", 1), *[("one", 6), ("two", 5)] * 2, ("three", 1), ("one", 9), ("two", 1), ("one", 9)]:
        filled.append(sessions[name], [said(f"{at + each}", time=1 + at + each) for each in range(count)])
        own[name] += range(at + 1, at + count + 1)
        at += count
    seen: dict[int, int] = {}
    rest, steps, part = None, 0, UnreadHits(more=True)
    while part.more:
        share = Share(2, Counter(seen.values()))
        part = hits(filled, query, seconds=seconds, below=rest, share=share)
        seen |= {hit.entry: hit.session for hit in part.found}
        rest, steps = part.rest, steps + 1
    assert sorted(seen) == sorted(key for keys in own.values() for key in keys[-2:])
    assert part.unfinished == {sessions["one"], sessions["two"]}
    assert steps > 1


@pytest.mark.parametrize("seconds", [-1, 60])
def test_a_session_has_its_share_of_the_entries_that_suit(
    filled: Filled, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """The last hits of a session that are on another branch took its share, or those of a long one took all."""
    for name, value in (("MOST", 4), ("AT_ONCE", 2), ("LEAST", -1)):
        monkeypatch.setattr(search_module, name, value)
    one, two = filled.session("one"), filled.session("two")
    filled.append(two, [said(f"two{at}") for at in range(3)])
    filled.append(one, [said(f"{at}") for at in range(20)])
    seen: list[UnreadHit] = []
    rest, part = None, UnreadHits(more=True)
    while part.more:
        share = Share(2, Counter(hit.session for hit in seen))
        part = hits(filled, "word", share=share, suits=lambda hit: hit.entry <= 9, seconds=seconds, below=rest)
        seen += part.found
        rest = part.rest
    assert [(hit.session, hit.entry) for hit in seen] == [(one, 9), (one, 8), (two, 3), (two, 2)]
    assert part.unfinished == {one, two}


def test_each_session_has_its_share_of_the_best_hits(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "MOST", 4)
    one, two, three = (filled.session(name) for name in ("one", "two", "three"))
    filled.append(one, [said(f"{at}", "word " + "and " * at) for at in range(9)])
    filled.append(two, [said("two", "word " + "or " * 20), said("also", "word " + "or " * 20)])
    best = hits(filled, "word", by_rank=True, share=Share(2))
    assert [(hit.session, hit.entry) for hit in best.found] == [(one, 1), (one, 2), (two, 10), (two, 11)]
    assert (best.by_rank, best.more, best.unfinished) == (True, False, frozenset({one}))
    suiting = hits(filled, "word", by_rank=True, share=Share(2), suits=lambda hit: hit.entry > 6)
    assert [hit.entry for hit in suiting.found] == [7, 8, 10, 11]
    filled.append(three, [said("last", "word " + "or " * 30)])
    best = hits(filled, "word", by_rank=True, share=Share(2))
    assert (len(best.found), best.more, best.unfinished) == (4, True, frozenset({one, two}))
    within = hits(filled, "word", session=two, by_rank=True, share=Share(1))
    assert (len(within.found), within.unfinished) == (2, frozenset()), "they fit into one answer"


def test_the_newest_hits_are_returned_when_it_takes_long_to_tell_which_of_the_best_suit(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.append(filled.session(), [said("best"), said("newest", "word and more", time=DAY)])
    monkeypatch.setattr(search_module, "LEAST", 60)
    now = time.monotonic()

    def suits(_hit: UnreadHit) -> bool:
        monkeypatch.setattr(time, "monotonic", lambda: now + 120)
        return True

    found = hits(filled, "word", by_rank=True, suits=suits, seconds=60)
    assert (found.by_rank, [hit.entry for hit in found.found]) == (False, [2, 1])


def test_the_newest_hits_are_returned_when_the_best_of_one_session_take_too_long(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 60,000 hits of one session were looked at, on the thread that also reads for the window."""
    monkeypatch.setattr(search_module, "MOST", 5)
    filled.append(filled.session(), [said(f"{at}") for at in range(20)])
    take, now, seen = search_module._Taken.take, time.monotonic(), list[int]()

    def takes_long(taken: Any, found: Sequence[UnreadHit], until: float) -> int | None:
        seen.append(len(found))
        monkeypatch.setattr(time, "monotonic", lambda: now + 120)
        return take(taken, found, until)

    monkeypatch.setattr(search_module._Taken, "take", takes_long)
    best = hits(filled, "word", by_rank=True, share=Share(2), seconds=60)
    assert not best.by_rank
    assert [hit.entry for hit in best.found] == [20, 19]
    assert seen[0] == 5


def test_sessions_in_the_trash_take_no_share(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "MOST", 5)
    one, two = filled.session("one"), filled.session("two")
    filled.append(two, [said("kept")])
    filled.append(one, [said(f"{at}") for at in range(9)])
    filled.archive.write(lambda writer: writer.update_session(one, trashed=True)).result()
    part = hits(filled, "word", share=Share(2))
    assert [hit.session for hit in part.found] == [two]
    assert not part.unfinished


def test_hits_that_fit_into_one_answer_are_all_returned(mixed: Filled) -> None:
    whole = hits(mixed, "word", share=Share(1))
    assert len(whole.found) == 5
    assert not whole.unfinished


def test_a_search_ends_where_only_sessions_with_their_share_are_left(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MOST", 5)
    filled.append(one := filled.session("one"), [said(f"{at}") for at in range(9)])
    part = hits(filled, "word", share=Share(2))
    assert ([hit.entry for hit in part.found], part.rest, part.unfinished) == ([9, 8], None, frozenset({one}))


def test_a_session_may_have_hits_where_the_search_has_not_been(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MOST", 3)
    one, two = filled.session("one"), filled.session("two")
    filled.append(one, [said("a"), said("b")])
    filled.append(two, [said("c"), said("d")])
    assert hits(filled, "word").unfinished == {one}
    assert hits(filled, "word", by_rank=True).unfinished
    query = parse("word", NOW)
    within = replace(query, filters=replace(query.filters, session=one))
    own = filled.archive.read(lambda reader: reader.find(within, below=2)).result()
    assert [hit.entry for hit in own.found] == [1]
    assert not own.unfinished


def test_a_search_without_shares_goes_on_in_a_session_with_many_hits(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MOST", 5)
    filled.append(filled.session(), [said(f"{at}") for at in range(20)])
    part = hits(filled, "word", suits=lambda hit: hit.entry != 18)
    assert ([hit.entry for hit in part.found], part.rest) == ([20, 19, 17, 16, 15], 15)
