"""A branch whose context takes long: it is computed on the db thread, and shown when it is there."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtWidgets import QApplication

from stemmata.domain.entries import path_totals, whole_columns
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.gui.core import open_session
from stemmata.services.context.contexts import Contexts
from tests.journeys.person import Person

ON_THE_PATH = "ans00001"


def apart() -> Iterator[str]:
    """Yield the lines of a branch that shares no entry with the others."""
    parent: str | None = None
    for turn in range(6):
        role = "assistant" if turn % 2 else "user"
        said = {"role": role, "content": [{"type": "text", "text": f"the part {turn} of the other branch"}]}
        place = {"id": f"apart{turn:03}", "parentId": parent, "timestamp": "2025-01-02T03:04:05.000Z"}
        yield json.dumps({"type": "message", **place, "message": said}) + "\n"
        parent = f"apart{turn:03}"


@pytest.fixture
def reader(person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person with an open session of three branches, one with a root of its own; each other one counts as long."""
    header, *lines = session_file.read_text(encoding="utf-8").splitlines(keepends=True)
    session_file.write_text("".join((header, *apart(), *lines)), encoding="utf-8")
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None)
    person.until(lambda: not person.gui.controllers.context.is_behind)
    monkeypatch.setattr(open_session, "AT_ONCE", 0)
    return person


@pytest.fixture
def others(reader: Person) -> tuple[int, int]:
    """Two entries (keys) at the ends of branches that are not shown."""
    tree, leaf = reader.tree, reader.gui.opened.leaf
    assert leaf is not None
    found = [tree.key(end) for end in tree.leaves if not tree.is_ancestor(end, leaf)]
    return found[0], found[-1]


@pytest.fixture
def hold(reader: Person) -> Iterator[Callable[[], Event]]:
    """A function that stops the db thread until the returned event is set."""
    held: list[Event] = []

    def stop() -> Event:
        event, reached = Event(), Event()
        held.append(event)

        def wait() -> None:
            reached.set()
            event.wait()

        reader.application.services.sessions.compute(wait)
        assert reached.wait(10)
        return event

    yield stop
    for event in held:
        event.set()


def events_of(person: Person) -> list[str]:
    events: list[str] = []
    opened = person.gui.opened
    opened.branch_awaited.connect(lambda: events.append("awaited"))
    opened.selected.connect(lambda: events.append("selected"))
    opened.view_changed.connect(lambda: events.append("view"))
    return events


def shows(person: Person, key: int) -> bool:
    """Whether the transcript shows the branch that ends with this entry."""
    view, others = person.window.transcript.view, [person.tree.key(end) for end in person.tree.leaves]
    return [end for end in others if view.finding.position(end) is not None] == [key]


def watch_threads(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Note whether the GUI thread computed each part of a path's totals."""
    in_gui: list[bool] = []
    gui, original = threading.main_thread(), whole_columns.marked

    def marked(which: bytes) -> Iterator[int]:
        in_gui.append(threading.current_thread() is gui)
        return original(which)

    monkeypatch.setattr(path_totals, "marked", marked)
    return in_gui


def watch_paths(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """Note the ends of the paths whose totals are asked for."""
    ends: list[int | None] = []
    original = PathTotals.to

    def to(tree: Tree, entry: int | None) -> PathTotals:
        ends.append(entry)
        return original(tree, entry)

    monkeypatch.setattr(PathTotals, "to", to)
    return ends


def test_the_gui_thread_computes_nothing_of_a_long_branch(
    reader: Person, others: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a branch of 334,000 entries that shared nothing with the shown one, it computed for 135 ms."""
    in_gui, events, leaf = watch_threads(monkeypatch), events_of(reader), reader.leaf
    assert leaf is not None
    reader.gui.opened.view_entry(others[0])
    assert events == ["awaited", "selected"]
    assert shows(reader, leaf)
    reader.until(lambda: "view" in events)
    assert events == ["awaited", "selected", "view"], "selected again, a hit that is about to be opened would be lost"
    assert shows(reader, others[0])
    assert in_gui
    assert not any(in_gui)


def test_both_paths_are_kept(reader: Person, others: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The context of the next request and the shown path were computed in turn, each in place of the other."""
    opened = reader.gui.opened
    opened.view_entry(others[0])
    reader.until(lambda: not opened.is_branch_awaited)
    made = watch_paths(monkeypatch)
    for _ in range(3):
        opened.context(opened.leaf)
        opened.context(opened.end)
    assert made == []


def test_a_key_acts_on_the_chosen_entry_while_its_branch_is_awaited(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event]
) -> None:
    view, marked = reader.window.transcript.view, reader.gui.controllers.marked
    view.setFocus()
    view.focused.emit()
    assert marked.under_cursor not in (None, others[0])
    go_on = hold()
    reader.gui.opened.view_entry(others[0])
    pinned: list[list[int]] = []
    marked.every(pinned.append)
    assert pinned == [[others[0]]]
    assert reader.gui.opened.end == reader.tree.get(others[0])
    go_on.set()
    reader.until(lambda: shows(reader, others[0]))


def test_a_card_of_the_branch_that_was_left_is_not_selected(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event]
) -> None:
    opened, left = reader.gui.opened, reader.leaf
    assert left is not None
    go_on = hold()
    opened.view_entry(others[0])
    opened.select(left)  # a click on its card
    assert opened.selection == others[0]
    above = reader.tree.key(opened.path[1])
    opened.select(above)
    assert opened.selection == above
    go_on.set()
    reader.until(lambda: shows(reader, others[0]))
    assert opened.selection == above


def test_only_the_last_chosen_branch_is_computed_and_shown(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert others[0] != others[1]
    go_on, events, computed = hold(), events_of(reader), watch_paths(monkeypatch)
    for key in (*others, *others):
        reader.gui.opened.view_entry(key)
    go_on.set()
    reader.until(lambda: "view" in events)
    reader.application.services.sessions.compute(lambda: None).result()
    QApplication.processEvents()
    assert events == ["awaited", "selected"] * 4 + ["view"]
    ends = [reader.tree.get(key) for key in others]
    assert [end in computed for end in ends] == [False, True]
    assert shows(reader, others[1])


def test_a_late_answer_for_a_branch_that_was_left_again_is_dropped(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event]
) -> None:
    opened, leaf, go_on = reader.gui.opened, reader.leaf, hold()
    opened.view_entry(others[0])
    opened.view_leaf()
    events = events_of(reader)
    go_on.set()
    reader.application.services.sessions.compute(lambda: None).result()
    for _ in range(10):
        QApplication.processEvents()
    assert leaf is not None
    assert shows(reader, leaf)
    assert (events, opened.selection, opened.is_behind) == ([], leaf, False)


def test_a_branch_chosen_while_a_tree_is_read_is_computed_before_both_are_shown(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, in_gui = reader.gui.opened, watch_threads(monkeypatch)
    trees: list[object] = []
    opened.tree_read.connect(lambda: trees.append(opened.session_tree))
    go_on = hold()
    reader.gui.bridge.changed.emit((ChangeSet(Change.MARKS),))  # another process wrote
    opened.view_entry(others[0])
    go_on.set()
    reader.until(lambda: shows(reader, others[0]) and bool(trees) and not opened.is_behind)
    assert not any(in_gui)


def test_a_shown_branch_stays_known_when_the_session_grows(
    reader: Person, others: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = reader.gui.opened
    opened.view_entry(others[0])
    reader.until(lambda: not opened.is_branch_awaited)
    tokens, in_gui = opened.path_totals_to(opened.end).tokens, watch_threads(monkeypatch)
    before = opened.session_tree
    reader.gui.controllers.branches.pin([reader.key(ON_THE_PATH)])
    reader.until(lambda: opened.session_tree is not before and not opened.is_behind)
    reader.until(lambda: not reader.gui.controllers.context.is_behind)
    assert opened.path_totals_to(opened.end).tokens is tokens
    assert not any(in_gui)


def test_an_entry_at_which_a_session_is_opened_is_computed_before_it_is_shown(
    reader: Person, others: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hit on another branch than the active one was computed in the turn that shows the tree."""
    opened, key, in_gui = reader.gui.opened, reader.gui.opened.key, watch_threads(monkeypatch)
    assert key is not None
    opened.close()
    opened.open(key, others[0])
    reader.until(lambda: opened.session_tree is not None)
    assert shows(reader, others[0])
    reader.until(lambda: not reader.gui.controllers.context.is_behind)
    assert not any(in_gui)


def test_a_branch_that_cannot_be_computed_leaves_the_leaf(
    reader: Person, others: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, leaf, errors = reader.gui.opened, reader.leaf, list[Exception]()

    def compute(_job: Callable[[], object]) -> Future[object]:
        failed: Future[object] = Future()
        failed.set_exception(KnownError("The disk is gone."))
        return failed

    monkeypatch.setattr(reader.application.services.sessions, "compute", compute)
    reader.gui.bridge.failed.connect(errors.append)
    opened.view_entry(others[0])
    reader.until(lambda: bool(errors))
    assert leaf is not None
    assert shows(reader, leaf)
    assert (opened.selection, opened.is_branch_awaited) == (leaf, False)


def test_the_loading_page_comes_after_a_moment_and_goes_with_the_branch(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event]
) -> None:
    session, column, go_on = reader.gui.controllers.session, reader.window.transcript, hold()
    title = column.header.title
    reader.gui.opened.view_entry(others[0])
    waits = session.is_waiting
    reader.until(lambda: column.is_loading)
    go_on.set()
    reader.until(lambda: not column.is_loading)
    assert (waits, session.is_waiting) == (True, False)
    assert shows(reader, others[0])
    assert column.header.title == title


def test_the_context_at_an_entry_is_shown_with_its_branch(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int | None] = []
    seen = Contexts.seen

    def noted(contexts: Contexts, session_tree: object, entry: int | None, totals: object = None) -> object:
        if threading.current_thread() is threading.main_thread():
            asked.append(entry)
        return seen(contexts, session_tree, entry, totals)  # type: ignore[arg-type]

    monkeypatch.setattr(Contexts, "seen", noted)
    go_on, other = hold(), reader.tree.get(others[0])
    reader.gui.controllers.show_context_at(others[0])
    assert reader.window.actions_table["context-here"].isChecked()
    assert other not in asked
    go_on.set()
    reader.until(lambda: other in asked)
    assert shows(reader, others[0])


def test_the_side_that_becomes_active_keeps_its_place(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event]
) -> None:
    split, opened, key = reader.gui.controllers.split, reader.gui.opened, reader.gui.opened.key
    split.show_beside(key, others[0])
    beside = reader.window.beside.view
    reader.until(lambda: split.other is not None and beside.visible_keys != [])
    beside.show_place(beside.visible_keys[0], 7)
    place, go_on = beside.place, hold()
    split.switch()
    assert opened.is_branch_awaited
    go_on.set()
    reader.until(lambda: not opened.is_branch_awaited)
    assert beside.place == place
    go_on = hold()
    opened.view_entry(others[1])
    split.switch()  # the branch that is awaited is that of the other side now
    go_on.set()
    reader.until(lambda: beside.finding.position(others[1]) is not None)
    assert reader.leaf is not None
    assert shows(reader, reader.leaf)


def test_words_wanted_in_an_entry_are_found_when_its_branch_is_shown(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event]
) -> None:
    view, go_on = reader.window.transcript.view, hold()
    reader.gui.opened.view_entry(others[0])
    reader.gui.controllers.finding.find_at(others[0], "part")
    go_on.set()
    reader.until(lambda: shows(reader, others[0]) and view.finding.is_marked)


def test_no_prompt_of_the_branch_that_was_left_is_gone_to(
    reader: Person, others: tuple[int, int], hold: Callable[[], Event]
) -> None:
    view, opened, go_on = reader.window.transcript.view, reader.gui.opened, hold()
    opened.view_entry(others[0])
    before = view.visible_keys
    reader.gui.controllers.entries.step_prompt(-1)
    assert view.visible_keys == before
    assert list(opened.path) == list(reader.tree.path(opened.end))
    go_on.set()
    reader.until(lambda: not opened.is_branch_awaited)
