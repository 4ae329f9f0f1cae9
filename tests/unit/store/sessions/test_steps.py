"""The histories in the database: what joins a step, what is in none, and what goes with a session or an entry."""

from __future__ import annotations

import pytest

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sessions.steps import LIST, Fact, History, StepChange, key_of, key_text
from stemmata.store.sessions.steps import withdraw_entry
from stemmata.store.writer import Writer
from tests.unit.store.conftest import Filled


def whats(filled: Filled, scope: int) -> list[str]:
    """What was done, newest first; everything is undone on the way and done again."""
    found = []

    def job(writer: Writer) -> None:
        while (step := writer.history(scope).next_undo) is not None:
            found.append(step.what)
            writer.set_undone(step.key, undone=True)
        while (step := writer.history(scope).next_redo) is not None:
            writer.set_undone(step.key, undone=False)

    filled.archive.write(job).result()
    return found


def changes(filled: Filled, session: int) -> list[tuple[int | None, int | None]]:
    step = filled.archive.read(lambda reader: reader.history(session)).result().next_undo
    assert step is not None
    found = filled.archive.read(lambda reader: reader.step_changes(step.key)).result()
    return [(key_of(change.before), key_of(change.after)) for change in found if change.fact is Fact.LEAF]


def moved(filled: Filled, session: int, entry: int | None, reason: str) -> None:
    filled.archive.write(lambda writer: writer.move_leaf(session, entry, reason, time=1)).result()


@pytest.fixture
def session(filled: Filled) -> int:
    return filled.session()


@pytest.fixture
def keys(filled: Filled, session: int) -> list[int]:
    return filled.append(session, [Entry(id=id) for id in "abcd"])


def test_what_begins_a_session_and_what_undo_does_is_in_no_history(
    filled: Filled, session: int, keys: list[int]
) -> None:
    for key, reason in zip(keys, ("import", "fork", "undo", "redo"), strict=True):
        moved(filled, session, key, reason)
    assert filled.archive.read(lambda reader: reader.history(session)).result() == History()


def test_what_a_run_appends_is_one_step_with_its_message(filled: Filled, session: int, keys: list[int]) -> None:
    def send(writer: Writer) -> None:
        writer.begin_step("send", "hello")
        writer.move_leaf(session, None, "edit", time=1)
        writer.move_leaf(session, keys[0], "append", time=1)

    moved(filled, session, keys[3], "import")
    filled.archive.write(send).result()
    moved(filled, session, keys[1], "append")
    moved(filled, session, keys[2], "append")
    assert whats(filled, session) == ["send"]
    assert changes(filled, session) == [(keys[3], keys[2])]
    moved(filled, session, keys[0], "continue")
    moved(filled, session, keys[1], "append")
    assert whats(filled, session) == ["reply", "continue", "send"], "a step of the person is not continued"
    moved(filled, session, None, "undo")
    moved(filled, session, keys[0], "append")
    assert whats(filled, session)[:2] == ["reply", "reply"], "a move that no step knows is not skipped"


def test_a_turn_that_is_taken_back_is_no_step(filled: Filled, session: int, keys: list[int]) -> None:
    moved(filled, session, keys[0], "append")
    moved(filled, session, None, "back")
    assert whats(filled, session) == []

    def job(writer: Writer) -> None:
        writer.begin_step("label", "x")
        writer.note_change(StepChange(session, Fact.LABEL, "", "x", keys[0]))
        writer.move_leaf(session, keys[0], "continue", time=1)
        writer.move_leaf(session, None, "continue", time=1)

    filled.archive.write(job).result()
    assert whats(filled, session) == ["label"]
    assert changes(filled, session) == [(None, None)]


def test_a_step_without_changes_is_not_stored_and_one_can_be_joined(filled: Filled, session: int) -> None:
    filled.archive.write(lambda writer: writer.begin_step("rename", "x")).result()
    assert whats(filled, LIST) == []

    def job(writer: Writer) -> None:
        writer.begin_step("import", "x" * 200)
        key = writer.note_change(StepChange(session, Fact.CREATED, "", "1"))
        for join in (key, 999):
            writer.begin_step("import", "\ud800", count=2, join=join)
            writer.note_change(StepChange(session, Fact.CREATED, "", "1"))

    filled.archive.write(job).result()
    last = filled.archive.read(lambda reader: reader.history(LIST)).result().next_undo
    assert last is not None
    assert (last.name, last.count) == ("\ud800", 2)
    filled.archive.write(lambda writer: writer.drop_step(last.key)).result()
    first = filled.archive.read(lambda reader: reader.history(LIST)).result().next_undo
    assert first is not None
    assert (len(first.name), first.count) == (80, 3)


def test_a_step_that_was_undone_meanwhile_is_not_continued(filled: Filled, session: int) -> None:
    """As when the sessions of an import are taken back while it goes on with the next file."""

    def note(writer: Writer, join: int | None) -> int:
        writer.begin_step("import", "x", count=1, join=join)
        return writer.note_change(StepChange(session, Fact.CREATED, "", "1"))

    first = filled.archive.write(lambda writer: note(writer, None)).result()
    filled.archive.write(lambda writer: writer.set_undone(first, undone=True)).result()
    second = filled.archive.write(lambda writer: note(writer, first)).result()
    assert second != first
    found = filled.archive.read(lambda reader: reader.history(LIST)).result()
    assert found.next_undo is not None
    assert (found.next_undo.key, found.next_undo.count, found.next_redo) == (second, 1, None)


def test_a_new_step_ends_what_could_be_redone_in_its_histories_only(filled: Filled, session: int) -> None:
    other = filled.session("two")

    def rename(writer: Writer, key: int, *, undone: bool) -> None:
        writer.begin_step("rename", "x")
        step = writer.note_change(StepChange(key, Fact.TITLE, "0", "1x"))
        writer.set_undone(step, undone=undone)

    filled.archive.write(lambda writer: rename(writer, session, undone=True)).result()
    moved(filled, other, None, "continue")
    assert filled.archive.read(lambda reader: reader.history(session)).result().next_redo is not None
    filled.archive.write(lambda writer: rename(writer, other, undone=False)).result()
    assert filled.archive.read(lambda reader: reader.history(session)).result() == History()


def test_a_deleted_session_leaves_the_histories(filled: Filled, session: int) -> None:
    other = filled.session("two")

    def star(writer: Writer) -> None:
        writer.begin_step("starred", count=2)
        for key in (session, other):
            writer.note_change(StepChange(key, Fact.STARRED, "", "1"))

    filled.archive.write(star).result()
    moved(filled, session, None, "continue")
    filled.archive.write(lambda writer: writer.delete_session(session)).result()
    assert whats(filled, LIST) == whats(filled, other) == ["starred"]
    count = "SELECT count(*) FROM steps"
    assert filled.archive.read(lambda reader: reader.connection.execute(count).fetchone()).result() == (1,)


def test_moves_to_a_withdrawn_entry_lead_to_the_one_above(filled: Filled, session: int, keys: list[int]) -> None:
    moved(filled, session, keys[2], "continue")
    filled.archive.write(lambda writer: withdraw_entry(writer.connection, session, keys[2], keys[1])).result()
    assert changes(filled, session) == [(None, keys[1])]
    filled.archive.write(lambda writer: withdraw_entry(writer.connection, session, keys[1], None)).result()
    assert changes(filled, session) == [(None, None)]


def test_a_change_without_a_step_is_a_bug(filled: Filled, session: int) -> None:
    change = StepChange(session, Fact.PIN, "", "1", 1)
    with pytest.raises(AssertionError, match="belongs to a step"):
        filled.archive.write(lambda writer: writer.note_change(change)).result()


def test_values_of_leaves() -> None:
    assert (key_text(None), key_text(7), key_of(""), key_of("7")) == ("", "7", None, 7)
