"""What is read of entries, prompts and contexts to be shown."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from pathlib import Path
from threading import Thread, current_thread

import pytest

from stemmata.domain.context.breakdown import Breakdown, Budget, displayed_breakdown
from stemmata.domain.context.context_history import context_history_of
from stemmata.domain.context.projection import Projection, context_at
from stemmata.domain.entries.blocks import Image, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.search.finding import occurrences
from stemmata.domain.search.needle import Needle, text_needle
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.compaction.pruning import Pruning
from stemmata.services.context import contexts
from stemmata.services.sessions import sessions
from stemmata.services.sessions.sessions import PAGE
from tests.unit.services.conftest import Bench, Records

PICTURE = b"\x89PNG\r\n\x1a\n" + b"0" * 40
NAME = hashlib.sha256(PICTURE).hexdigest()


@pytest.fixture
def pictured(bench: Bench, talk: Records) -> SessionTree:
    """A session whose prompt has a picture."""
    records = talk("s", ("1", None, "user", "Look at this"), ("2", "1", "assistant", "A picture"))
    image = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(PICTURE).decode()}
    records[1]["message"]["content"].append(image)  # type: ignore[index]  # a record as pi writes it
    return bench.imported(records)


def test_a_picture_of_an_imported_session_is_in_the_archive(bench: Bench, pictured: SessionTree) -> None:
    entries, key = bench.services.entries, bench.key(pictured, "1")
    body = entries.bodies([key]).result()[key]
    assert body.blocks == (Text("Look at this"), Image("image/png", NAME, len(PICTURE)))
    assert entries.blob(NAME).result() == PICTURE
    assert entries.blob("0" * 64).result() is None
    assert bench.services.sessions.check().result() == []


def test_a_picture_is_saved_in_a_file(bench: Bench, pictured: SessionTree, tmp_path: Path) -> None:
    assert pictured.session.key
    path = tmp_path / "picture.png"
    exporting = bench.services.exporting
    assert exporting.blob_to_file(NAME, path).result() == len(PICTURE)
    assert path.read_bytes() == PICTURE
    with pytest.raises(NotFoundError, match="not in the archive"):
        exporting.blob_to_file("0" * 64, path).result()
    with pytest.raises(KnownError):
        exporting.blob_to_file(NAME, tmp_path / "none" / "picture.png").result()
    assert path.read_bytes() == PICTURE


def test_bodies_are_read_up_to_a_length(bench: Bench, pictured: SessionTree) -> None:
    entries, key = bench.services.entries, bench.key(pictured, "1")
    body = entries.bodies([key], limit=4).result()[key]
    assert (body.blocks[0], body.cut) == (Text("Look"), len(" at this"))


def test_pictures_are_in_the_json_of_a_session(bench: Bench, pictured: SessionTree) -> None:
    told = json.loads(bench.services.exporting.to_bytes(pictured.session.key, "json").result())
    assert base64.b64encode(PICTURE).decode() in json.dumps(told)


def test_a_prompt_is_written_anew_with_what_was_attached(bench: Bench, pictured: SessionTree) -> None:
    drafts = bench.services.drafts
    said, attached = drafts.of_prompt(bench.key(pictured, "1")).result()
    assert (said, attached) == ("Look at this", ((Image("image/png", NAME, len(PICTURE)), PICTURE),))
    assert drafts.of_prompt(99_999).result() == ("", ())


def test_words_are_counted_page_by_page_whatever_their_case(bench: Bench) -> None:
    count = PAGE + 2
    entries = [
        Entry(
            id=str(at), role=Role.USER, blocks=(Text("Lanes and lanes" if at % 2 else "None"), ToolCall("c", "lane"))
        )
        for at in range(count)
    ]
    shell = Entry(id="b", role=Role.BASH_EXECUTION, name="grep LANES lanes.txt", blocks=(Text("lanes"),))
    session = bench.services.branching.start().result().key
    keys = bench.archive.write(lambda writer: writer.append(session, [*entries, shell])).result()

    def found_in(keys: Sequence[int], needle: Needle, named: Sequence[int] = ()) -> Future[dict[int, int]]:
        return bench.services.entries.counts(keys, partial(occurrences, needle=needle), named=named)

    odd = {key: 2 for at, key in enumerate(keys[:count]) if at % 2}
    assert found_in(keys, text_needle("LANES")).result() == {**odd, keys[-1]: 1}
    assert found_in(keys, text_needle("lanes"), named=[keys[-1]]).result() == {**odd, keys[-1]: 3}
    assert found_in([], text_needle("lanes")).result() == {}
    assert found_in(keys, text_needle("nowhere"), named=keys).result() == {}


def test_a_count_that_nobody_waits_for_any_more_ends(bench: Bench) -> None:
    entries = [Entry(id=str(at), role=Role.USER, blocks=(Text("lanes"),)) for at in range(3 * PAGE)]
    session = bench.services.branching.start().result().key
    keys = bench.archive.write(lambda writer: writer.append(session, entries)).result()
    counted: list[str] = []

    def count(_body: Body, name: str) -> int:
        counted.append(name)
        return 1

    with pytest.raises(CancelledError):
        bench.services.entries.counts(keys, count, is_wanted=lambda: len(counted) < 2 * PAGE).result()
    assert len(counted) == 2 * PAGE


def test_many_entries_are_visited_in_parts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "AT_ONCE", 2)
    entries = [Entry(id=str(at), role=Role.USER, blocks=(Text(str(at)),)) for at in range(5)]
    session = bench.services.branching.start().result().key
    keys = bench.archive.write(lambda writer: writer.append(session, entries)).result()
    taken: list[tuple[list[int], list[int], list[int]]] = []
    told: list[int] = []

    def take(part: Sequence[int], rows: dict[int, EntryRow], bodies: dict[int, Body]) -> None:
        taken.append(([*part], [*rows], [*bodies]))

    bench.services.entries.visit(keys, take, tell=told.append).result()
    assert taken == [(part, part, part) for part in (keys[:2], keys[2:4], keys[4:])]
    assert told == [40, 80, 100]
    with pytest.raises(CancelledError):
        bench.services.entries.visit(keys, take, lambda: len(taken) < 4).result()
    assert len(taken) == 4


def test_the_context_along_a_branch_ends_as_its_end_is_seen(bench: Bench, talk: Records) -> None:
    session_tree = bench.imported(
        talk("s", ("1", None, "user", "a"), ("2", "1", "assistant", "b"), ("3", "2", "user", "c" * 40))
    )
    contexts, tree = bench.services.contexts, session_tree.tree
    line = PathTotals(tree, tree.path(2))
    timeline = contexts.along(session_tree, line)
    assert list(timeline.history.totals) == list(context_history_of(line).totals)
    assert [point.position for point in timeline.points] == [0, 1, 2]
    assert timeline.points[-1].total == contexts.seen(session_tree, 2).breakdown.total.value
    assert timeline.budget == contexts.at(session_tree, 2).budget
    assert timeline.budget.window == 1000
    empty = contexts.along(session_tree, PathTotals(tree, tree.path(None)))
    assert (empty.points, empty.budget.window) == ((), None)


def test_a_pruning_at_the_tip_of_a_run_leaves_who_looks_elsewhere(bench: Bench, talk: Records) -> None:
    rows = [("1", None, "user", "a"), ("2", "1", "call", "f"), ("3", "2", "toolResult", "x" * 4000)]
    session_tree = bench.imported(
        talk("s", *rows, ("4", "3", "assistant", "b"), ("5", "1", "assistant", "elsewhere"))
    )
    pruning: Pruning = bench.services.pruning
    tip, elsewhere = bench.key(session_tree, "4"), session_tree.session.leaf
    plan, key = pruning.run(session_tree.session.key, tip, of_run=True).result()
    after = bench.reopened(session_tree)
    assert after.session.leaf == elsewhere
    assert after.tree.kind(after.tree.index(key)) is Kind.TOOL_PRUNE
    assert context_at(after.tree, after.tree.index(key)).prune_end > 0
    assert plan.after < plan.before


def test_a_session_is_prepared_on_the_db_thread_also_when_it_is_known(bench: Bench, pictured: SessionTree) -> None:
    """What follows a future that is there already runs in the thread that asks, which may be the window's."""
    sessions, threads = bench.services.sessions, set[Thread]()

    def prepare(session_tree: SessionTree) -> int:
        threads.add(current_thread())
        return len(session_tree.tree)

    for _ in range(3):
        assert sessions.prepared(pictured.session.key, prepare).result() == len(pictured.tree)
    assert sessions.compute(lambda: threads.add(current_thread())).result() is None
    assert len(threads) == 1
    assert current_thread() not in threads


def test_a_displayed_breakdown_is_computed_once_for_a_window(
    bench: Bench, pictured: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a pruning, each of six parts of the window walked through thousands of entries for the largest: 7 ms."""
    made: list[int | None] = []

    def displayed(projection: Projection, window: int | None = None) -> Breakdown:
        made.append(window)
        return displayed_breakdown(projection, window)

    monkeypatch.setattr(contexts, "displayed_breakdown", displayed)
    monkeypatch.setattr(contexts, "MOST_BREAKDOWNS", 2)
    totals = PathTotals.to(pictured.tree, 1)
    seen = partial(bench.services.contexts.seen, pictured, path_totals=totals)
    assert seen(1).breakdown is seen(1).breakdown
    assert len(made) == 1
    monkeypatch.setattr(bench.services.contexts, "budget", lambda *_facts: Budget(77, 0, 60))
    assert seen(1).breakdown.window == 77
    assert seen(0).projection.end == 1
    assert len(made) == 3
    assert len(totals.memo) == 1, "the totals remember so many"
