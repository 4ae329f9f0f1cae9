from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.errors import CancelledError, KnownError, NotFoundError
from stemmata.domain.search.hits import UnreadHits
from stemmata.domain.search.query import Query, parse
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.services.futures import chain, then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import ArchiveWriter
from stemmata.services.ports.sources import Formats
from stemmata.services.search import searching
from stemmata.services.sessions.exporting import ArchivedSession, Exporting, ExportPart, ExportReader, ReaderInJobs
from stemmata.store.reader import Reader
from stemmata.store.search import search as search_repository
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records


@pytest.fixture
def small(bench: Bench, talk: Records) -> SessionTree:
    rows = [
        ("1", None, "user", "a question about lanes"), ("2", "1", "assistant", "an answer about lanes"),
        ("3", "1", "assistant", "another answer about lanes"),
    ]  # fmt: skip
    return bench.imported(talk("s", *rows))


def test_sessions_are_listed_found_and_opened(bench: Bench, small: SessionTree) -> None:
    sessions = bench.services.sessions
    assert [s.key for s in sessions.all().result()] == [small.session.key]
    assert sessions.newest(1).result() == sessions.all().result()
    for name in (small.session.id, small.session.id[:4], "s", "latest"):
        assert sessions.find(name).result().key == small.session.key
    with pytest.raises(NotFoundError):
        sessions.find("nothing").result()
    assert sessions.get(small.session.key).result().branches == 2
    session, keys = sessions.tail(small.session.key, 10).result()
    assert (session.key, [bench.id_of(key) for key in keys]) == (small.session.key, ["1", "3"])
    assert sessions.totals().result()["entries"] == 3


def test_facts_of_a_session_are_changed_and_published(bench: Bench, small: SessionTree) -> None:
    sessions, key = bench.services.sessions, small.session.key
    sessions.rename(key, "  A name ").result()
    sessions.star([key], on=True).result()
    sessions.set_archived([key], on=True, initiator="me").result()
    found = sessions.get(key).result()
    assert (found.title, found.named, found.starred, found.archived) == ("A name", True, True, True)
    assert bench.published[-1] == ChangeSet(Change.SESSIONS, initiator="me")


def test_the_trash_keeps_and_deleting_does_not(bench: Bench, small: SessionTree) -> None:
    sessions, key = bench.services.sessions, small.session.key
    sessions.trash([key], on=True).result()
    assert sessions.all().result() == []
    assert [s.key for s in sessions.all(trashed=True).result()] == [key]
    sessions.trash([key], on=False).result()
    assert len(sessions.all().result()) == 1
    sessions.delete([key]).result()
    assert sessions.all().result() == sessions.all(trashed=True).result() == []
    assert sessions.check().result() == []


def test_search_with_scopes(bench: Bench, small: SessionTree) -> None:
    search = bench.services.searching.search
    assert {hit.id for hit in search("lanes").result().hits} == {"1", "2", "3"}
    assert {hit.id for hit in search("lanes", scope="active").result().hits} == {"1", "3"}
    assert [hit.id for hit in search("lanes", scope="abandoned").result().hits] == ["2"]
    assert search("lanes", role="user", session=small.session.key).result().total == 1
    assert search("  ").result().hits == ()
    assert search("nowhere").result().total == 0


def test_hits_of_a_scope_are_looked_for_no_further_than_asked(bench: Bench, talk: Records) -> None:
    rows = [("0", None, "user", "lanes"), *((str(at), str(at - 1), "assistant", "lanes") for at in range(1, 9))]
    session_tree = bench.imported(talk("s", *rows, ("x", "3", "user", "lanes"), ("y", "x", "assistant", "lanes")))
    search, key = bench.services.searching.search, session_tree.session.key
    page = search("lanes", scope="abandoned", limit=2).result()
    assert ([hit.id for hit in page.hits], page.total, page.more) == (["8", "7"], 2, True)
    page = search("lanes", scope="abandoned", limit=5, session=key).result()
    assert ([hit.id for hit in page.hits], page.total, page.more) == (["8", "7", "6", "5", "4"], 5, True)
    page = search("lanes", scope="active", limit=6).result()
    assert ([hit.id for hit in page.hits], page.total, page.more) == (["y", "x", "3", "2", "1", "0"], 6, False)


def test_what_is_in_the_trash_beside_an_only_branch_is_abandoned(bench: Bench, small: SessionTree) -> None:
    thrown = bench.key(small, "2")
    bench.services.branching.trash(small.session.key, thrown, on=True).result()
    assert bench.reopened(small).session.branches == 1
    search = bench.services.searching.search
    assert [hit.id for hit in search("lanes", scope="abandoned").result().hits] == ["2"]
    assert {hit.id for hit in search("lanes", scope="active").result().hits} == {"1", "3"}


def test_what_lies_below_the_leaf_of_an_only_branch_is_abandoned(bench: Bench, talk: Records) -> None:
    rows = [("0", None, "user", "lanes"), ("1", "0", "assistant", "lanes"), ("2", "1", "user", "lanes")]
    session_tree = bench.imported(talk("s", *rows))
    search, session, one = bench.services.searching.search, session_tree.session.key, bench.key(session_tree, "1")
    assert search("lanes", scope="abandoned").result().hits == ()
    bench.archive.write(lambda writer: writer.move_leaf(session, one, "undo", time=1)).result()
    assert [hit.id for hit in search("lanes", scope="abandoned").result().hits] == ["2"]
    assert [hit.id for hit in search("lanes", scope="active").result().hits] == ["1", "0"]
    bench.archive.write(lambda writer: writer.move_leaf(session, None, "undo", time=2)).result()
    assert search("lanes", scope="active").result().hits == ()


def test_a_label_hangs_beside_an_only_branch(bench: Bench, talk: Records) -> None:
    session_tree = bench.imported(talk("s", ("0", None, "user", "lanes"), ("1", "0", "assistant", "curbs")))
    session, search = session_tree.session.key, bench.services.searching.search
    bench.services.branching.label(session, bench.key(session_tree, "0"), "lanes").result()

    def job(writer: ArchiveWriter) -> None:
        [later] = writer.append(session, [Entry(id="2", parent="1", role=Role.USER, blocks=(Text("kerbs"),))])
        writer.move_leaf(session, later, "append", time=1)

    bench.archive.write(job).result()
    assert bench.reopened(session_tree).session.branches == 1

    def kinds(scope: str) -> set[Kind]:
        return {hit.kind for hit in search("lanes", scope=scope).result().hits}

    assert kinds("all") == {Kind.LABEL, Kind.MESSAGE}
    assert (kinds("active"), kinds("abandoned")) == ({Kind.MESSAGE}, {Kind.LABEL})


def test_a_search_that_nobody_waits_for_is_given_up(bench: Bench, small: SessionTree) -> None:
    search = bench.services.searching.search
    for scope in ("all", "abandoned"):
        with pytest.raises(CancelledError):
            search("lanes", scope=scope, stopped=lambda: True).result()
    assert search("lanes", stopped=lambda: False).result().total == 3
    entries, key = bench.services.searching.entries, small.session.key
    assert len(entries("lanes", session=key, limit=2).result()) == 2
    assert entries("question", session=key, limit=9).result() == {bench.key(small, "1")}
    with pytest.raises(CancelledError):
        entries("lanes", session=key, limit=9, stopped=lambda: True).result()


def test_entries_by_id_row_and_record(bench: Bench, small: SessionTree) -> None:
    entries, key = bench.services.entries, bench.key(small, "2")
    assert entries.ids(small.session.key).result() == ["1", "2", "3"]
    assert entries.previews(small.session.key).result()[0] == "a question about lanes"
    record = entries.record(key).result()
    assert record is not None
    assert json.loads(record)["id"] == "2"


def test_export_gives_the_source_back(bench: Bench, small: SessionTree) -> None:
    exporting, source = bench.services.exporting, bench.folder / "s.jsonl"
    assert "pi" in exporting.names
    assert [exporting.ending(name) for name in ("pi", "markdown")] == ["jsonl", "md"]
    assert exporting.to_bytes(small.session.key, "pi").result() == source.read_bytes()
    target = bench.folder / "out.jsonl"
    assert exporting.to_file(small.session.key, "pi", target).result() == source.stat().st_size
    assert target.read_bytes() == source.read_bytes()


def test_a_path_is_exported_as_a_session_of_its_own(bench: Bench, small: SessionTree) -> None:
    exporting, key = bench.services.exporting, small.session.key
    part = ExportPart(bench.key(small, "2"))
    lines = (bench.folder / "s.jsonl").read_bytes().splitlines(keepends=True)
    assert exporting.to_bytes(key, "pi", part).result().splitlines(keepends=True)[1:] == lines[1:3]
    told = json.loads(exporting.to_bytes(key, "json", part).result())
    assert ([entry["id"] for entry in told["entries"]], told["leaf"]) == (["1", "2"], "2")
    for format, text in (("markdown", b"a question about lanes"), ("html", b"2 entries")):
        assert text in exporting.to_bytes(key, format, part).result()


def test_a_path_has_the_labels_of_its_entries(bench: Bench, small: SessionTree) -> None:
    key, end = small.session.key, bench.key(small, "1")
    bench.services.branching.label(key, end, "start").result()
    told = json.loads(bench.services.exporting.to_bytes(key, "json", ExportPart(end)).result())
    assert [(entry["kind"], entry.get("name")) for entry in told["entries"]] == [
        ("message", None),
        ("label", "start"),
    ]


def test_other_reads_come_between_those_of_an_export(bench: Bench, small: SessionTree) -> None:
    """The writer of a file waits for no read job, and no read job waits for the writer."""
    exporting, key, target = bench.services.exporting, small.session.key, bench.folder / "out.html"
    seen: list[str] = []

    class Slow:
        def export(self, _name: str, source: ArchivedSession) -> Iterator[bytes]:
            for entry in range(len(source.tree)):
                yield source.rows([entry])[0].preview.encode()
                seen.append(bench.services.sessions.get(key).result(PATIENCE).title)  # would wait for ever in a job

    slow = Exporting(bench.archive, cast("Formats", Slow()))
    assert slow.to_file(key, "html", target).result(PATIENCE) == len(target.read_bytes()) > 0
    assert len(seen) == len(small.tree)
    assert exporting.to_file(key, "html", target).result(PATIENCE) > 0


def test_a_reader_in_jobs_reads_what_a_reader_of_a_job_does(bench: Bench, small: SessionTree) -> None:
    reader, entry = ReaderInJobs(bench.archive), bench.key(small, "2")
    assert json.loads(reader.records([entry])[entry])["id"] == "2"
    assert reader.blob("0" * 64) is None


def test_a_session_that_vanishes_meanwhile_leaves_no_file(bench: Bench, small: SessionTree) -> None:
    key, target = small.session.key, bench.folder / "out.html"

    class Deleting:
        def export(self, _name: str, source: ArchivedSession) -> Iterator[bytes]:
            yield b"begun"
            bench.services.sessions.trash([key], on=True).result(PATIENCE)
            bench.services.sessions.delete([key]).result(PATIENCE)
            yield source.rows([0])[0].id.encode()

    with pytest.raises(KnownError, match="deleted while it was exported"):
        Exporting(bench.archive, cast("Formats", Deleting())).to_file(key, "html", target).result(PATIENCE)
    assert not target.exists()
    assert not list(bench.folder.glob("*.part"))


def test_an_origin_that_was_deleted_is_none(small: SessionTree) -> None:
    class Deleted:
        def session(self, _key: int) -> Session:
            raise NotFoundError("gone")

    fork = replace(small.session, parent=99)
    assert ArchivedSession(cast("ExportReader", Deleted()), fork, small.tree).parent is None


def test_a_failed_export_leaves_the_old_file(bench: Bench, small: SessionTree) -> None:
    target = bench.folder / "out.txt"
    target.write_text("old")
    with pytest.raises(KnownError, match="export"):
        bench.services.exporting.to_file(small.session.key, "nonsense", target).result()
    with pytest.raises(KnownError, match="The folder /nowhere/at does not exist"):
        bench.services.exporting.to_file(small.session.key, "pi", Path("/nowhere/at/all")).result()
    with pytest.raises(KnownError, match="Could not write"):
        bench.services.exporting.to_file(small.session.key, "pi", bench.folder / ("n" * 300)).result()
    assert target.read_text() == "old"
    assert sorted(path.name for path in bench.folder.iterdir()) == ["archive", "out.txt", "s.jsonl"]


def test_an_export_keeps_the_mode_of_the_file_that_it_replaces(bench: Bench, small: SessionTree) -> None:
    target = bench.folder / "out.jsonl"
    target.touch()
    target.chmod(0o640)
    bench.services.exporting.to_file(small.session.key, "pi", target).result()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.unlink()
    before = os.umask(0o027)
    try:
        bench.services.exporting.to_file(small.session.key, "pi", target).result()
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_an_export_replaces_nothing_but_a_file(bench: Bench, small: SessionTree) -> None:
    precious, link, dangling = (bench.folder / name for name in ("precious", "link", "dangling"))
    precious.write_text("mine")
    link.symlink_to(precious)
    dangling.symlink_to(bench.folder / "nowhere")
    pipe = bench.folder / "pipe"
    os.mkfifo(pipe)
    kinds = {link: "symbolic link", dangling: "symbolic link", pipe: "pipe", bench.folder: "folder"}
    for path, told in kinds.items():
        with pytest.raises(KnownError, match=f"is a {told}"):
            bench.services.exporting.to_file(small.session.key, "pi", path).result()
    assert precious.read_text() == "mine"
    assert link.is_symlink()
    assert pipe.is_fifo()
    assert not (bench.folder / "nowhere").exists()


def test_an_export_replaces_no_file_that_may_not_be_written(
    bench: Bench, small: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = bench.folder / "out.jsonl"
    target.write_text("old")
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # to root every file may be written
    with pytest.raises(KnownError, match="No permission to write"):
        bench.services.exporting.to_file(small.session.key, "pi", target).result()
    assert target.read_text() == "old"


def test_contexts_know_window_and_budget(bench: Bench, small: SessionTree) -> None:
    view = bench.services.contexts.at(small, 2)
    assert (view.breakdown.window, view.budget.trigger) == (1000, 400)
    assert bench.services.contexts.window("nobody/knows") is None


def test_the_least_reserve_is_for_sessions_of_a_gateway(bench: Bench, small: SessionTree) -> None:
    contexts = bench.services.contexts
    contexts.settings = CompactionSettings(threshold_percent=100)
    theirs = replace(small, session=replace(small.session, source="openclaw"))
    assert [contexts.budget(found, "", 100_000).reserve for found in (small, theirs)] == [16_384, 20_000]
    contexts.settings = contexts.settings._replace(reserve_floor=0)
    assert contexts.budget(theirs, "", 100_000).reserve == 16_384


def test_notices_reach_subscribers_until_they_leave() -> None:
    notices = Notices()
    got: list[ChangeSet] = []
    leave = notices.subscribe(got.append)
    notices.publish(ChangeSet(Change.LEAF))
    leave()
    leave()
    notices.publish(ChangeSet(Change.MARKS))
    assert [change.what for change in got] == [Change.LEAF]


def test_then_and_chain_pass_results_and_errors_on() -> None:
    first: Future[int] = Future()
    doubled = then(first, lambda value: value * 2)
    second: Future[str] = Future()
    chained = chain(doubled, lambda value: second)
    first.set_result(2)
    second.set_result("done")
    assert (doubled.result(), chained.result()) == (4, "done")


def test_errors_go_through_then_and_chain() -> None:
    failed: Future[int] = Future()
    outcomes: list[Future[Any]] = [
        then(failed, str),
        chain(failed, lambda _: Future[int]()),
        chain(then(failed, str), lambda _: failed),
    ]
    failed.set_exception(KnownError("no"))
    assert all(isinstance(out.exception(), KnownError) for out in outcomes)
    good: Future[int] = Future()
    good.set_result(1)
    assert isinstance(then(good, lambda _: 1 // 0).exception(), ZeroDivisionError)
    assert isinstance(chain(good, lambda _: failed).exception(), KnownError)


def test_tags_are_given_and_taken_away(bench: Bench, small: SessionTree, talk: Records) -> None:
    sessions, one = bench.services.sessions, small.session.key
    two = bench.imported(talk("t", ("1", None, "user", "other")), "t.jsonl").session.key
    sessions.tag([one], "bug", on=True).result()
    sessions.tag([one, two], "ui", on=True, initiator="me").result()
    sessions.tag([one, two], "ui", on=True).result()
    assert [sessions.get(key).result().tags for key in (one, two)] == [("bug", "ui"), ("ui",)]
    assert ChangeSet(Change.SESSIONS, initiator="me") in bench.published
    sessions.tag([one, two], "bug", on=False).result()
    assert [sessions.get(key).result().tags for key in (one, two)] == [("ui",), ("ui",)]


# -- searches with filters -------------------------------------------------------------------------------------------


def never() -> bool:
    return False


def test_a_search_with_filters_reads_the_first_hits(bench: Bench, small: SessionTree) -> None:
    find, now = bench.services.searching.find, datetime(2026, 11, 25)
    results = find(parse("lanes", now)).result()
    ids = {hit.id for hit in results.read.values()}
    assert (ids, set(results.read)) == ({"1", "2", "3"}, {hit.entry for hit in results.hits})
    assert sum(results.counts.values()) == 3
    assert find(parse("!", now)).result().hits == ()
    answers = find(parse("lanes role:user", now)).result()
    assert (len(answers.hits), dict(answers.counts)) == (1, dict(results.counts))
    hits = bench.services.searching.hits(parse("lanes", now), list(results.read), never).result()
    assert set(hits) == set(results.read.values())
    with pytest.raises(CancelledError):
        find(parse("lanes", now), stopped=lambda: True).result()


def test_hits_of_other_roles_are_counted_for_a_short_time_and_once(
    bench: Bench, small: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    find, query = bench.services.searching.find, parse("lanes role:user", datetime(2026, 11, 25))
    asked = list[Query]()
    whole = Reader.find

    def noted(reader: Reader, one: Query, **how: Any) -> UnreadHits:
        asked.append(one)
        return whole(reader, one, **how)

    monkeypatch.setattr(Reader, "find", noted)
    assert sum(find(query).result().counts.values()) == 3
    assert [one.filters.roles for one in asked] == [("user",), ()]
    asked.clear()
    assert sum(find(query, below=1 << 40).result().counts.values()) == 1  # it keeps the counts of its beginning
    assert [one.filters.roles for one in asked] == [("user",)]
    monkeypatch.setattr(search_repository, "STEPS", 1)
    monkeypatch.setattr(searching, "BUDGET", -1.0)
    monkeypatch.setattr(searching, "COUNTING", -1.0)
    late = find(query).result()
    assert (len(late.hits), sum(late.counts.values())) == (1, 1)


def test_hits_are_told_apart_by_their_branches(
    bench: Bench, small: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching, now = bench.services.searching, datetime(2026, 11, 25)
    every = searching.find(parse("lanes", now)).result().hits
    assert len(searching.find(parse("lanes in:active", now)).result().hits) == 2
    [off] = searching.find(parse("lanes in:abandoned", now)).result().hits
    assert searching.sort(every, never).result().abandoned == {off.entry}
    for name in ("services.search.searching.BUDGET", "services.search.searching.LEAST", "store.search.search.LEAST"):
        monkeypatch.setattr(f"stemmata.{name}", -1)
    first = searching.sort(every, never).result()
    assert len(first.unsorted) == 2
    part = searching.find(parse("lanes in:active", now)).result()
    steps, active = 1, set(part.hits)
    while part.rest is not None:
        part = searching.find(parse("lanes in:active", now), below=part.rest).result()
        steps, active = steps + 1, active | set(part.hits)
    assert (steps, active) == (3, {*every} - {off})
    second = searching.sort(first.unsorted, never).result()
    assert len(second.unsorted) == 1
