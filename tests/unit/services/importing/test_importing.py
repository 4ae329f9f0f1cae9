from __future__ import annotations

import json
import logging
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.sessions.changes import Change
from stemmata.domain.sources.reading import Checkpoint
from stemmata.services.importing import importing
from stemmata.services.importing.importing import Progress
from stemmata.services.importing.pausing import PauseSwitch
from stemmata.store.entries.tree_loader import TreeLoader
from tests.fakes.waiting import PATIENCE, until
from tests.unit.services.conftest import Bench, Records


def write(path: Path, lines: list[dict[str, object]], *, cut: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(data[: len(data) - cut])
    return path


ROWS = (("1", None, "user", "hello"), ("2", "1", "assistant", "hi"), ("3", "2", "user", "more"))


def test_an_import_reports_and_publishes(bench: Bench, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    report = bench.services.importing.import_paths([path]).result()
    [session] = report.sessions
    assert (session.entries, session.new_entries, session.branches, session.title) == (3, 3, 1, "hello")
    assert report.complete
    assert [change.what for change in bench.published] == [Change.SESSIONS | Change.ENTRIES]


def test_importing_twice_changes_nothing_and_opens_nothing(bench: Bench, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    bench.services.importing.import_paths([path]).result()
    path.chmod(0)
    again = bench.services.importing.import_paths([path]).result()
    assert (again.sessions, again.unchanged, again.skipped_files) == ((), 1, ())


def test_a_file_that_somebody_else_was_quicker_with_is_left_as_it_is(bench: Bench, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    importing = bench.services.importing
    importing.import_paths([path]).result()
    again = importing.import_files([path], cancelled=lambda: False, initiator=None).result()
    assert (again.sessions, again.unchanged, again.skipped_files) == ((), 1, ())


def test_a_touched_file_is_read_and_adds_nothing(bench: Bench, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    bench.services.importing.import_paths([path]).result()
    path.touch()
    [session] = bench.services.importing.import_paths([path]).result().sessions
    assert (session.entries, session.new_entries) == (3, 0)


def test_a_grown_file_adds_what_is_new_and_the_leaf_follows(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    session_tree = bench.imported(lines[:3], "a.jsonl")
    assert bench.id_of(session_tree.session.leaf) == "2"
    grown = bench.imported(lines, "a.jsonl")
    assert grown.session.key == session_tree.session.key
    assert bench.id_of(grown.session.leaf) == "3"
    assert (
        b"".join(bench.archive.read(lambda r: list(r.raw(grown.session.key))).result())
        == (bench.folder / "a.jsonl").read_bytes()
    )


def test_a_grown_file_is_added_to_the_held_trees(
    bench: Bench, talk: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read the tree of a long session again for each line that its tool writes takes 40 ms for 40,000 entries."""
    other, lines = bench.imported(talk("other", *ROWS), "b.jsonl"), talk("s", *ROWS)
    bench.imported(lines[:3], "a.jsonl")
    monkeypatch.setattr(TreeLoader, "_whole", None)  # fails when it is called
    grown = bench.imported(lines, "a.jsonl")
    assert [grown.tree.key(entry) for entry in range(3)] == [bench.key(grown, id) for id in ("1", "2", "3")]
    assert bench.reopened(other).tree is other.tree


def test_a_cut_last_line_is_reported_and_read_once_it_is_whole(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines, cut=30)
    [cut] = bench.services.importing.import_paths([path]).result().sessions
    assert (cut.entries, [line.line for line in cut.skipped]) == (2, [4])
    write(path, lines)
    [whole] = bench.services.importing.import_paths([path]).result().sessions
    assert (whole.entries, whole.new_entries, whole.skipped) == (3, 1, ())
    assert b"".join(bench.archive.read(lambda r: list(r.raw(whole.key))).result()) == path.read_bytes()


def test_a_last_line_that_was_taken_before_its_end_is_taken_once(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines[:3], cut=1)
    assert bench.services.importing.import_paths([path]).result().sessions[0].entries == 2
    write(path, lines)
    [whole] = bench.services.importing.import_paths([path]).result().sessions
    assert (whole.entries, whole.new_entries, whole.skipped) == (3, 1, ())


def test_a_leaf_moved_here_stays_where_it_was_put(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    session_tree = bench.imported(lines[:3], "a.jsonl")
    bench.services.branching.move_leaf(session_tree.session.key, bench.key(session_tree, "1")).result()
    grown = bench.imported(lines, "a.jsonl")
    assert bench.id_of(grown.session.leaf) == "1"


def test_bad_files_are_reported_and_the_good_ones_imported(bench: Bench, talk: Records) -> None:
    folder = bench.folder / "many"
    folder.mkdir()
    write(folder / "good.jsonl", talk("s", *ROWS))
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "binary.jsonl").write_bytes(b"\x00\x01\x02" * 100)
    report = bench.services.importing.import_paths([folder, bench.folder / "missing.jsonl"]).result()
    assert [session.source_id for session in report.sessions] == ["s"]
    assert {Path(file.path).name for file in report.skipped_files} == {"empty.jsonl", "binary.jsonl", "missing.jsonl"}
    assert all(file.reason for file in report.skipped_files)
    assert not report.complete
    assert bench.services.sessions.check().result() == []


FAULTS = [ZeroDivisionError(), RecursionError(), MemoryError(), TypeError("unhashable"), OSError(5, "I/O error")]


@pytest.mark.parametrize("fault", [*FAULTS, UnicodeDecodeError("utf-8", b"x", 0, 1, "bad")], ids=repr)
@pytest.mark.parametrize("where", ["identify", "read", "events", "is_unchanged"])
def test_whatever_a_reader_raises_costs_one_file(
    bench: Bench,
    talk: Records,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Exception,
    where: str,
) -> None:
    files = [write(bench.folder / "many" / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(3)]
    if where == "is_unchanged":
        bench.services.importing.import_paths([files[1]]).result()
    formats = type(bench.services.formats)
    plain = getattr(formats, "read" if where == "events" else where)

    def buggy(self: Any, path: Path, *more: Any) -> Any:
        if path != files[1]:
            return plain(self, path, *more)
        if where != "events":
            raise fault
        return broken_off(plain(self, path, *more))

    def broken_off(events: Any) -> Any:
        yield next(events)
        yield next(events)
        raise fault

    monkeypatch.setattr(formats, "read" if where == "events" else where, buggy)
    with caplog.at_level(logging.ERROR):
        report = bench.services.importing.import_paths([bench.folder / "many"]).result()
    assert [session.source_id for session in report.sessions] == ["s0", "s2"]
    [left_out] = report.skipped_files
    assert (left_out.path, left_out.fault, left_out.is_transient) == (str(files[1]), True, False)
    assert left_out.reason.startswith(f"{files[1]} could not be imported because of a bug in Stemmata (")
    assert [record.exc_info[1] for record in caplog.records if record.exc_info] == [fault]
    assert bench.services.sessions.check().result() == []


def test_a_fault_in_finding_files_costs_one_path(
    bench: Bench, talk: Records, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    good = write(bench.folder / "good.jsonl", talk("s", *ROWS))
    formats = type(bench.services.formats)
    plain = formats.expand

    def buggy(self: Any, path: Path, *more: Any) -> Any:
        if path != good:
            raise ZeroDivisionError
        return plain(self, path, *more)

    monkeypatch.setattr(formats, "expand", buggy)
    with caplog.at_level(logging.ERROR):
        report = bench.services.importing.import_paths([bench.folder / "odd", good]).result()
    assert (len(report.sessions), [file.fault for file in report.skipped_files]) == (1, [True])


def test_what_goes_wrong_outside_the_reader_is_handed_on(bench: Bench, talk: Records) -> None:
    path = write(bench.folder / "good.jsonl", talk("s", *ROWS))

    def progress(told: Progress) -> None:
        if told.done:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bench.services.importing.import_paths([path], progress=progress).result()
    reading = bench.archive.read

    def failing(_job: object) -> Any:
        return reading(lambda _reader: 1 / 0)

    bench.archive.read = failing  # type: ignore[method-assign, assignment]
    with pytest.raises(ZeroDivisionError):
        bench.services.importing.import_paths([path]).result()


def test_a_foreign_file_costs_no_other(bench: Bench, talk: Records) -> None:
    write(bench.folder / "many" / "a.jsonl", talk("s", *ROWS))
    write(bench.folder / "many" / "foreign.jsonl", [{"type": ["string", "null"], "parentId": None}])
    report = bench.services.importing.import_paths([bench.folder / "many"]).result()
    assert [session.source_id for session in report.sessions] == ["s"]
    assert [file.fault for file in report.skipped_files] == [False]
    assert "not a session file of a supported tool" in report.skipped_files[0].reason


def test_sums_of_absurd_figures_stay_within_the_archives_numbers(bench: Bench, talk: Records) -> None:
    rows = [(str(at), str(at - 1) if at else None, "assistant", "x") for at in range(1200)]
    lines = talk("s", *rows)
    odd = [9e9, 1 << 63, 1 << 70, 1e308, -5, "7", True, None, [], {"total": 999_999}]
    for at, line in enumerate(lines[1:]):
        line["message"]["usage"] = dict.fromkeys(("input", "totalTokens", "cacheRead"), odd[at % 9])  # type: ignore[index]
        line["message"]["usage"]["cost"] = odd[at % 10]  # type: ignore[index]
    session_tree = bench.imported(lines)
    assert 0 <= session_tree.session.cost < 1 << 63
    assert session_tree.session.entries == 1200


def test_progress_is_told_file_by_file(bench: Bench, talk: Records) -> None:
    paths = [write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(3)]
    told: list[Progress] = []
    bench.services.importing.import_paths(paths, progress=told.append).result()
    assert [(p.done, p.total) for p in told] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert told[-1].path == ""


def test_cancelling_between_files_keeps_those_that_are_done(bench: Bench, talk: Records) -> None:
    paths = [write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(3)]
    seen: list[Progress] = []
    future = bench.services.importing.import_paths(paths, progress=seen.append, cancelled=lambda: len(seen) > 2)
    report = future.result()
    assert report.cancelled
    assert len(report.sessions) == 2
    assert len(bench.services.sessions.all().result()) == 2


def test_large_files_come_last_so_that_sessions_appear_at_once(
    bench: Bench, talk: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "LARGE", 2000)
    sizes = (30, 1, 20, 1)
    for at, count in enumerate(sizes):
        rows = [(str(row), str(row - 1) if row else None, "user", "x" * 100) for row in range(count)]
        write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *rows))
    report = bench.services.importing.import_paths([bench.folder]).result()
    assert [session.source_id for session in report.sessions] == ["s1", "s3", "s2", "s0"]


def test_a_file_that_is_paused_is_read_again_from_its_beginning(bench: Bench, talk: Records) -> None:
    rows = [(str(at), str(at - 1) if at else None, "user", "x") for at in range(1200)]
    path, pause = write(bench.folder / "a.jsonl", talk("s", *rows)), PauseSwitch()
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        if len(asked) == 3:  # inside the file
            pause.pause()
        return False

    future = bench.services.importing.import_paths([path], cancelled=cancelled, pause=pause)
    until(lambda: pause._go_on is not None)
    assert bench.services.sessions.all().result() == []
    pause.resume()
    report = future.result(PATIENCE)
    assert (report.cancelled, [one.new_entries for one in report.sessions]) == (False, [1200])


def test_a_paused_import_waits_between_two_files(bench: Bench, talk: Records) -> None:
    paths = [write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(3)]
    pause = PauseSwitch()
    pause.resume()  # nothing waits

    told: list[Progress] = []

    def progress(one: Progress) -> None:
        told.append(one)
        if one.done == 1 and len(told) == 2:
            pause.pause()

    future = bench.services.importing.import_paths(paths, progress=progress, pause=pause)
    until(lambda: pause._go_on is not None)
    assert len(bench.services.sessions.all().result()) == 1  # the file under way was rolled back
    assert not future.done()
    pause.resume()
    assert len(future.result(PATIENCE).sessions) == 3


def test_a_paused_import_can_be_cancelled(bench: Bench, talk: Records) -> None:
    path, pause, stop = write(bench.folder / "a.jsonl", talk("s", *ROWS)), PauseSwitch(), threading.Event()
    pause.pause()
    future = bench.services.importing.import_paths([path], cancelled=stop.is_set, pause=pause)
    until(lambda: pause._go_on is not None)
    stop.set()
    pause.resume()
    report = future.result(PATIENCE)
    assert (report.cancelled, report.sessions) == (True, ())


def test_cancelling_inside_a_file_leaves_no_trace_of_it(bench: Bench, talk: Records) -> None:
    rows = [(str(at), str(at - 1) if at else None, "user", "x") for at in range(1200)]
    path = write(bench.folder / "a.jsonl", talk("s", *rows))
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 2

    report = bench.services.importing.import_paths([path], cancelled=cancelled).result()
    assert report.cancelled
    assert report.sessions == ()
    assert bench.services.sessions.all().result() == []
    assert bench.services.sessions.check().result() == []


def test_a_file_that_was_rewritten_is_read_anew_and_loses_nothing(bench: Bench, talk: Records) -> None:
    bench.imported(talk("s", *ROWS), "a.jsonl")
    other = [("x", None, "user", "quite another start, and longer than before"), ("y", "x", "assistant", "yes")]
    both = bench.imported(talk("s", *other), "a.jsonl")
    assert both.session.entries == 5


def test_many_changed_files_do_not_pile_up_calls(bench: Bench, talk: Records) -> None:
    folder, count = bench.folder / "many", 400
    folder.mkdir()
    for at in range(count):
        write(folder / f"{at}.jsonl", talk(f"s{at}", *ROWS[:2]))
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(300)  # fewer calls than files
    try:
        assert len(bench.services.importing.import_paths([folder]).result().sessions) == count
        assert bench.services.importing.import_paths([folder]).result().unchanged == count
    finally:
        sys.setrecursionlimit(before)


def test_discovery_of_an_empty_machine(bench: Bench) -> None:
    assert bench.services.importing.discover().result() == []


def test_a_source_is_called_by_its_tools_name(bench: Bench) -> None:
    assert bench.services.importing.tool_name("claude-code") == "Claude Code"


def test_the_formats_that_can_be_imported_are_named(bench: Bench) -> None:
    assert {"pi", "claude-code"} <= set(bench.services.importing.names)


def claude(id: str, *uuids: str) -> list[dict[str, object]]:
    return [
        {
            "type": "user", "uuid": uuid, "parentUuid": uuids[at - 1] if at else None, "sessionId": id,
            "cwd": "/work",
            "timestamp": f"2026-01-01T00:00:0{at}.000Z", "message": {"role": "user", "content": f"Step {uuid}"},
        }
        for at, uuid in enumerate(uuids)
    ]  # fmt: skip


def test_a_claude_code_fork_that_names_no_origin_shares_what_it_replays(bench: Bench) -> None:
    original = write(bench.folder / "one.jsonl", claude("one", "a", "b", "c"))
    forked = write(bench.folder / "two.jsonl", claude("two", "a", "b", "x"))
    [first] = bench.services.importing.import_paths([original]).result().sessions
    [second] = bench.services.importing.import_paths([forked]).result().sessions
    assert (second.new_entries, second.entries) == (1, 3)
    fork = bench.services.sessions.open(second.key).result()
    assert fork.session.parent == first.key
    assert bench.services.entries.ids(second.key).result() == ["a", "b", "x"]
    assert [bench.id_of(fork.session.leaf)] == ["x"]
    assert bench.services.sessions.check().result() == []


def long_claude(id: str, count: int) -> list[dict[str, object]]:
    """Return a Claude Code file that is too long to be read again from its start."""
    lines = claude(id, *(f"u{at}" for at in range(count)))
    for at, line in enumerate(lines):
        line["timestamp"] = f"2026-01-01T00:{at // 60:02d}:{at % 60:02d}.000Z"
        line["message"] = {"role": "user", "content": f"Step {at} " + "x" * 4000}
    return lines


def append(path: Path, *lines: dict[str, object]) -> None:
    with path.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


def test_a_long_file_is_gone_on_with_at_its_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = long_claude("one", 130)
    path = write(bench.folder / "one.jsonl", lines[:128])
    bench.services.importing.import_paths([path]).result()
    read: list[bool] = []
    formats = type(bench.services.formats)
    plain = formats.read

    def noted(self: Any, path: Path, format: str, since: Checkpoint | None) -> object:
        read.append(since is None)
        return plain(self, path, format, since)

    monkeypatch.setattr(formats, "read", noted)
    append(path, lines[128])
    [session] = bench.services.importing.import_paths([path]).result().sessions
    assert (session.entries, session.new_entries, len(session.added)) == (129, 1, 1)
    assert bench.published[-1].entries == session.added
    append(path, lines[129] | {"uuid": "u3", "message": {"role": "user", "content": "an id again"}})
    [again] = bench.services.importing.import_paths([path]).result().sessions
    assert (again.entries, again.new_entries) == (130, 1)
    assert read == [False, False, True]  # only the last one made it look at the whole file
    assert bench.services.entries.ids(again.key).result()[-1] == "u3~2"
    assert b"".join(bench.archive.read(lambda r: list(r.raw(again.key))).result()) == path.read_bytes()
    assert bench.services.sessions.check().result() == []


def test_a_long_file_whose_session_was_deleted_is_imported_whole(bench: Bench) -> None:
    lines = long_claude("one", 130)
    path = write(bench.folder / "one.jsonl", lines[:128])
    [session] = bench.services.importing.import_paths([path]).result().sessions
    bench.services.sessions.delete([session.key]).result()
    append(path, *lines[128:])
    [again] = bench.services.importing.import_paths([path]).result().sessions
    assert (again.entries, again.new_entries) == (130, 130)


def test_a_subagent_that_grows_alone_is_noticed(bench: Bench) -> None:
    path = write(bench.folder / "p" / "one.jsonl", claude("one", "a", "b"))
    agent = write(bench.folder / "p" / "one" / "subagents" / "agent-7.jsonl", claude("one", "g"))
    importing = bench.services.importing
    assert len(importing.import_paths([path]).result().sessions) == 2
    assert importing.import_paths([path]).result().unchanged == 1
    append(agent, claude("one", "g", "h")[1])
    report = importing.import_paths([path.parent]).result()
    assert [(session.source_id, session.new_entries) for session in report.sessions] == [
        ("one", 0),
        ("one/agent-7", 1),
    ]
    assert importing.import_paths([path]).result().unchanged == 1
    write(agent.with_name("agent-8.jsonl"), claude("one", "k"))
    assert [session.new_entries for session in importing.import_paths([path]).result().sessions] == [0, 1]


def test_two_processes_import_a_file_once(bench: Bench, talk: Records) -> None:
    """The slower process sees the other's import when it begins to write."""
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    both = [bench.services.importing.import_paths([path]) for _ in range(2)]
    reports = [future.result() for future in both]
    assert sorted((len(report.sessions), report.unchanged) for report in reports) == [(0, 1), (1, 0)]
    assert reports[0].complete
    assert reports[1].complete


def test_a_grown_file_that_names_what_is_not_there_is_read_whole(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines)
    bench.services.importing.import_paths([path]).result()
    path.write_text(path.read_text() + json.dumps(lines[-1] | {"id": "4", "parentId": "gone"}) + "\n")
    [session] = bench.services.importing.import_paths([path]).result().sessions
    assert (session.new_entries, session.branches) == (1, 2)
    assert [repair.what for repair in session.repaired] == [
        "Entry 4 was stored as a root: its parent gone is not in the file."
    ]


def test_a_file_that_is_gone_has_no_size(tmp_path: Path) -> None:
    assert importing._order(tmp_path / "gone.jsonl") == (0, 0)
