"""Undo and redo of everything that a person does with sessions, over a real archive."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing, suppress
from random import Random
from typing import Any

import pytest

from stemmata.domain.errors import ConflictError, NothingToDoError
from stemmata.domain.sessions.session import SessionTree
from stemmata.domain.sessions.steps import LIST, SESSIONS
from stemmata.services.notices import Notices
from stemmata.services.services import Services
from stemmata.services.sessions.sessions import Sessions
from stemmata.store.archive import SqliteArchive
from tests.unit.services.conftest import Bench, Records, Ticking


@pytest.fixture
def forked(bench: Bench, talk: Records) -> SessionTree:
    return bench.imported(
        talk(
            "s", ("1", None, "user", "the first"), ("2", "1", "assistant", "one"), ("3", "2", "user", "second"),
            ("4", "3", "assistant", "two"), ("5", "2", "user", "other"), ("6", "5", "assistant", "three"),
        )
    )  # fmt: skip


def state(bench: Bench) -> object:
    """Everything of the archive that undo promises to bring back, without the entries that are only added."""
    found = []
    sessions = bench.services.sessions
    for session in [*sessions.all().result(), *sessions.all(trashed=True).result()]:
        tree = sessions.open(session.key).result().tree
        marks = [
            sorted((tree.key(at), text) for at, text in tree.labels.items()),
            sorted(map(tree.key, tree.pins)),
            sorted(map(tree.key, tree.trash)),
        ]
        facts = session.leaf, session.title, session.named, session.tags, session.starred, session.archived
        found.append((session.key, facts, session.trashed, session.branches, session.context_tokens, marks))
    return sorted(found)


def names(bench: Bench, scope: int) -> tuple[str | None, str | None]:
    history = bench.services.histories.of(scope).result()
    undo, redo = history.next_undo, history.next_redo
    told = [None if step is None else f"{step.what} {step.name}".strip() for step in (undo, redo)]
    return told[0], told[1]


def test_labels_pins_and_deleted_branches_are_steps_with_a_name(bench: Bench, forked: SessionTree) -> None:
    branching, histories, key = bench.services.branching, bench.services.histories, forked.session.key
    start = state(bench)
    branching.label(key, bench.key(forked, "2"), "mark").result()
    assert names(bench, key) == ("label mark", None)
    branching.pin(key, bench.key(forked, "3"), on=True).result()
    assert names(bench, key) == ("pin second", None)
    branching.trash(key, bench.key(forked, "5"), on=True).result()
    assert names(bench, key) == ("delete-branch other", None)
    end = state(bench)
    for _ in range(3):
        histories.undo(key).result()
    assert state(bench) == start
    assert names(bench, key) == (None, "label mark")
    for _ in range(3):
        histories.redo(key).result()
    assert state(bench) == end
    branching.label(key, bench.key(forked, "2"), "").result()
    assert names(bench, key) == ("unlabel mark", None)
    branching.pin(key, bench.key(forked, "3"), on=False).result()
    branching.trash(key, bench.key(forked, "5"), on=False).result()
    assert names(bench, key) == ("restore-branch other", None)
    for _ in range(3):
        histories.undo(key).result()
    assert state(bench) == end


def test_several_entries_are_one_step_and_no_change_is_none(bench: Bench, forked: SessionTree) -> None:
    branching, key = bench.services.branching, forked.session.key
    several = [bench.key(forked, id) for id in "234"]
    branching.pin(key, several, on=True).result()
    branching.pin(key, several[0], on=True).result()
    step = bench.services.histories.of(key).result().next_undo
    assert step is not None
    assert step.count == 3
    bench.services.histories.undo(key).result()
    assert bench.reopened(forked).tree.pins == frozenset()


def test_what_the_list_shows_is_in_its_history_too(bench: Bench, forked: SessionTree) -> None:
    sessions, histories, key = bench.services.sessions, bench.services.histories, forked.session.key
    assert names(bench, LIST) == ("import the first", None)
    assert histories.several([key, LIST]).result() == {at: histories.of(at).result() for at in (key, LIST)}
    assert names(bench, key) == (None, None), "a new session begins without a history"
    start = state(bench)
    sessions.rename(key, "New name").result()
    assert names(bench, key) == names(bench, LIST) == ("rename New name", None)
    both = histories.several([LIST, key]).result()
    assert both == {LIST: histories.of(LIST).result(), key: histories.of(key).result()}
    sessions.tag([key], "b", on=True).result()
    sessions.tag([key], "a\n", on=True).result()
    sessions.tag([key], "a\n", on=True).result()
    sessions.star([key], on=True).result()
    sessions.set_archived([key], on=True).result()
    sessions.trash([key], on=True).result()
    assert names(bench, LIST) == ("trashed New name", None)
    end = state(bench)
    for scope in (key, LIST) * 3:
        histories.undo(scope).result()
    assert state(bench) == start
    for scope in (LIST, key) * 3:
        histories.redo(scope).result()
    assert state(bench) == end
    sessions.tag([key], "a\n", on=False).result()
    sessions.trash([key], on=False).result()
    assert names(bench, key) == ("not-trashed New name", None)
    histories.undo(key).result()
    histories.undo(key).result()
    assert state(bench) == end


def test_a_fork_and_an_import_go_to_the_trash_and_come_back(bench: Bench, forked: SessionTree, talk: Records) -> None:
    branching, histories, key = bench.services.branching, bench.services.histories, forked.session.key
    made = branching.fork(key, bench.key(forked, "3")).result()
    assert names(bench, key) == names(bench, LIST) == ("fork the first", None)
    undone = histories.undo(key).result()
    assert (undone.made, undone.origin, undone.moved) == ((made.key,), key, False)
    assert bench.services.sessions.get(made.key).result().trashed
    histories.redo(LIST).result()
    assert not bench.services.sessions.get(made.key).result().trashed
    bench.imported(talk("t", ("1", None, "user", "third")), "t.jsonl")
    assert names(bench, LIST)[0] == "import third"
    histories.undo(LIST).result()
    assert {session.key for session in bench.services.sessions.all().result()} == {made.key, key}


def test_an_import_of_several_files_is_one_step(bench: Bench, talk: Records) -> None:
    for name in "ab":
        lines = "".join(json.dumps(line) + "\n" for line in talk(name, ("1", None, "user", name)))
        (bench.folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    paths = [bench.folder / "a.jsonl", bench.folder / "b.jsonl"]
    bench.services.importing.import_paths(paths).result()
    step = bench.services.histories.of(LIST).result().next_undo
    assert step is not None
    assert (step.what, step.count) == ("import", 2)
    bench.services.histories.undo(LIST).result()
    assert bench.services.sessions.all().result() == []
    bench.services.histories.redo(LIST).result()
    assert len(bench.services.sessions.all().result()) == 2
    bench.services.importing.import_paths(paths).result()
    assert bench.services.histories.of(LIST).result().next_undo == step, "nothing new is no step"


def test_a_new_session_that_was_continued_stays(bench: Bench, forked: SessionTree) -> None:
    branching, histories, key = bench.services.branching, bench.services.histories, forked.session.key
    branching.pin(key, bench.key(forked, "2"), on=True).result()
    made = branching.fork(key, bench.key(forked, "3")).result()
    branching.move_leaf(made.key, None).result()
    bench.published.clear()
    with pytest.raises(ConflictError, match="continued or deleted since"):
        histories.undo(key).result()
    assert bench.published, "menus learn that the step is gone"
    assert not bench.services.sessions.get(made.key).result().trashed
    assert names(bench, key)[0] == "pin one", "the next undo goes to the step before"
    with pytest.raises(NothingToDoError):
        histories.redo(key).result()


def test_the_text_of_a_prompt_that_went_to_the_composer_is_named(bench: Bench, forked: SessionTree) -> None:
    branching, histories, key = bench.services.branching, bench.services.histories, forked.session.key
    branching.continue_from(key, bench.key(forked, "3")).result()
    undone = histories.undo(key).result()
    assert (undone.text, undone.moved, undone.leaf) == ("second", True, bench.key(forked, "6"))
    assert histories.redo(key).result().text == "second"


def test_a_step_that_no_longer_applies_is_refused_and_leaves_the_history(bench: Bench, forked: SessionTree) -> None:
    histories, key = bench.services.histories, forked.session.key
    label, title = bench.key(forked, "2"), bench.services.sessions.rename
    bench.services.branching.label(key, label, "x").result()
    title(key, "A").result()
    bench.archive.write(lambda writer: writer.update_session(key, title="changed otherwise")).result()
    before = state(bench)
    with pytest.raises(ConflictError, match="renamed since"):
        histories.undo(key).result()
    assert state(bench) == before
    histories.undo(key).result()
    bench.archive.write(lambda writer: writer.move_leaf(key, label, "undo", time=1)).result()
    bench.services.branching.move_leaf(key, None).result()
    histories.undo(key).result()
    bench.archive.write(lambda writer: writer.move_leaf(key, None, "undo", time=1)).result()
    with pytest.raises(ConflictError, match="no longer be redone"):
        histories.redo(key).result()


def test_deleting_a_session_for_good_takes_it_out_of_the_histories(bench: Bench, forked: SessionTree) -> None:
    sessions, key = bench.services.sessions, forked.session.key
    made = bench.services.branching.fork(key, bench.key(forked, "3")).result()
    sessions.star([key, made.key], on=True).result()
    sessions.delete([made.key]).result()
    assert names(bench, LIST)[0] == "starred", "the other session still has its star"
    bench.services.histories.undo(LIST).result()
    assert not sessions.get(key).result().starred
    assert names(bench, LIST)[0] == "import the first"
    sessions.delete([key]).result()
    assert names(bench, LIST) == (None, None)


def test_an_entry_that_is_gone_is_refused(bench: Bench, forked: SessionTree) -> None:
    key = forked.session.key
    bench.services.branching.label(key, bench.key(forked, "2"), "x").result()
    bench.archive.write(lambda writer: writer.connection.execute("UPDATE step_changes SET entry = 999999")).result()
    with pytest.raises(ConflictError, match="label has changed"):
        bench.services.histories.undo(key).result()


def test_redo_takes_what_was_undone_last_also_of_a_step_that_the_list_undid_before(
    bench: Bench, forked: SessionTree
) -> None:
    sessions, histories, key = bench.services.sessions, bench.services.histories, forked.session.key
    sessions.tag([key], "kept", on=True).result()
    sessions.tag([key], "kept", on=False).result()
    bench.services.branching.move_leaf(key, bench.key(forked, "4")).result()
    histories.undo(LIST).result()  # the tag is back, and the move that came after it stays
    before = of_session(bench, key)
    assert names(bench, key) == ("continue", "untag kept")
    histories.undo(key).result()
    assert names(bench, key) == ("tag kept", "continue"), "the step that was undone last"
    histories.undo(key).result()
    histories.redo(key).result()
    histories.redo(key).result()
    assert of_session(bench, key) == before
    assert names(bench, key) == ("continue", "untag kept")


def test_another_step_than_the_one_that_was_seen(bench: Bench, forked: SessionTree) -> None:
    """A later step of this process is undone, because its windows show it at once; one of another process is not."""
    branching, histories, key = bench.services.branching, bench.services.histories, forked.session.key
    branching.label(key, bench.key(forked, "2"), "seen").result()
    seen = histories.of(key).result().next_undo
    assert seen is not None
    branching.pin(key, bench.key(forked, "3"), on=True).result()
    with pytest.raises(ConflictError, match="Something else was done"):
        histories.undo(key, seen.key, only=True).result()
    assert histories.undo(key, seen.key).result().step.what == "pin"
    with closing(SqliteArchive(bench.folder / "archive" / "archive.db")) as store:
        other = Services(
            Sessions(store, Notices()), lambda: None, lambda: None, bench.services._settings, Ticking(ids=900),  # type: ignore[arg-type, return-value]
            lambda: None,  # type: ignore[arg-type, return-value]
        )  # fmt: skip
        other.branching.pin(key, bench.key(forked, "4"), on=True).result()
        with pytest.raises(ConflictError, match="Something else was done"):
            histories.undo(key, seen.key).result()
        now = histories.of(key).result().next_undo
        assert now is not None
        assert now.is_external
        assert histories.undo(key, now.key).result().step.name == "two"
        assert histories.undo(key, seen.key).result().step.name == "seen"
    assert bench.reopened(forked).tree.labels == {}


ACTIONS = ("label", "pin", "delete", "move", "continue", "rename", "tag", "star", "trash", "fork", "undo", "redo")


def act(bench: Bench, session: int, keys: list[int], what: str, at: int, on: bool) -> None:
    branching, sessions, entry = bench.services.branching, bench.services.sessions, keys[at]
    acts: dict[str, Callable[[], Future[Any]]] = {
        "label": lambda: branching.label(session, entry, f"label {at}" if on else ""),
        "pin": lambda: branching.pin(session, [entry, keys[0]], on=on),
        "delete": lambda: branching.trash(session, entry, on=on),
        "move": lambda: branching.move_leaf(session, entry if on else None),
        "continue": lambda: branching.continue_from(session, entry),
        "rename": lambda: sessions.rename(session, f"name {at}" if on else ""),
        "tag": lambda: sessions.tag([session], f"tag {at}", on=on),
        "star": lambda: sessions.star([session], on=on),
        "trash": lambda: sessions.trash([session], on=on),
        "fork": lambda: branching.fork(session, entry),
        "undo": lambda: bench.services.histories.undo(session if on else LIST),
        "redo": lambda: bench.services.histories.redo(session if on else LIST),
    }
    with suppress(NothingToDoError, ConflictError):
        acts[what]().result()


@pytest.mark.parametrize("seed", range(10))
def test_undo_all_is_the_start_and_redo_all_the_end(bench: Bench, forked: SessionTree, seed: int) -> None:
    dice, session, histories = Random(seed), forked.session.key, bench.services.histories
    keys = [forked.tree.key(at) for at in range(6)]
    start = of_session(bench, session)
    for _ in range(16):
        act(bench, session, keys, dice.choice(ACTIONS), dice.randrange(6), dice.random() < 0.6)
    end, count = of_session(bench, session), 0
    while histories.of(session).result().next_undo is not None:
        histories.undo(session).result()
        count += 1
    assert of_session(bench, session) == start
    for _ in range(count):
        histories.redo(session).result()
    assert of_session(bench, session) == end
    assert bench.services.sessions.check().result() == []


def of_session(bench: Bench, session: int) -> object:
    everything = state(bench)
    assert isinstance(everything, list)
    return next(found for found in everything if found[0] == session)


def test_several_tags_at_once_are_one_step(bench: Bench, forked: SessionTree) -> None:
    sessions, histories, key = bench.services.sessions, bench.services.histories, forked.session.key
    sessions.tag([key], "kept", on=True).result()
    sessions.tag([key], "b", "kept", "a", "b", on=True).result()
    assert sessions.get(key).result().tags == ("a", "b", "kept")
    assert names(bench, key) == ("tag b, kept, a, b", None)
    histories.undo(key).result()
    assert sessions.get(key).result().tags == ("kept",)
    histories.redo(key).result()
    sessions.tag([key], "b", "a", "unknown", on=False).result()
    assert sessions.get(key).result().tags == ("kept",)


def test_a_step_names_the_sessions_that_it_returned_and_put_away(bench: Bench, forked: SessionTree) -> None:
    histories, key = bench.services.histories, forked.session.key
    for put_away in (bench.services.sessions.trash, bench.services.sessions.set_archived):
        put_away([key], on=True).result()
        undone, again = histories.undo(LIST).result(), histories.redo(LIST).result()
        assert (undone.back, undone.gone, again.back, again.gone) == ((key,), (), (), (key,))
        put_away([key], on=False).result()
        undone, again = histories.undo(LIST).result(), histories.redo(LIST).result()
        assert (undone.back, undone.gone, again.back, again.gone) == ((), (key,), (key,), ())
    bench.services.sessions.star([key], on=True).result()
    undone = histories.undo(LIST).result()
    assert (undone.back, undone.gone) == ((), ())


def test_forks_deletions_and_archivings_are_a_history_of_their_own(bench: Bench, forked: SessionTree) -> None:
    """It has no stars, tags and imports, so that keys outside the list do not undo these in other sessions."""
    sessions, histories, key = bench.services.sessions, bench.services.histories, forked.session.key
    made = bench.services.branching.fork(key, bench.key(forked, "3")).result().key
    sessions.trash([made], on=True).result()
    sessions.tag([made], "a", on=True).result()
    assert names(bench, LIST) == ("tag a", None)
    assert names(bench, SESSIONS) == ("trashed the first (fork)", None)
    assert histories.undo(SESSIONS).result().session == made
    assert names(bench, SESSIONS) == ("fork the first", "trashed the first (fork)")
    fork, deletion = histories.of(SESSIONS).result()
    assert fork is not None
    assert deletion is not None
    assert (set(fork.sessions), set(deletion.sessions)) == ({key, made}, {made})
    with pytest.raises(ConflictError, match="Something else was done meanwhile"):
        histories.redo(SESSIONS, fork.key, only=True).result()
    redone = histories.redo(SESSIONS).result()
    assert (redone.gone, names(bench, LIST), names(bench, SESSIONS)) == (
        (made,), ("tag a", None), ("trashed the first (fork)", None),
    )  # fmt: skip
    sessions.trash([made], on=False).result()
    sessions.trash([made], on=True).result()
    bench.archive.write(lambda writer: writer.update_session(made, trashed=False)).result()
    with pytest.raises(ConflictError, match="session has changed"):
        histories.undo(SESSIONS).result()
    assert names(bench, SESSIONS)[0] == "not-trashed the first (fork)"


def test_a_step_that_needs_an_entry_that_is_gone_is_told_and_passed_over(bench: Bench, forked: SessionTree) -> None:
    services, key = bench.services, forked.session.key
    services.sessions.rename(key, "A").result()
    services.branching.move_leaf(key, bench.key(forked, "2")).result()
    services.branching.move_leaf(key, bench.key(forked, "3")).result()
    lost = "UPDATE step_changes SET before = '999999' WHERE step = (SELECT max(key) FROM steps)"
    bench.archive.write(lambda writer: writer.connection.execute(lost)).result()
    before = state(bench)
    with pytest.raises(ConflictError, match="no longer exists"):
        services.histories.undo(key).result()
    assert state(bench) == before
    with pytest.raises(ConflictError, match="leaf has moved"):
        services.histories.undo(key).result()
    services.histories.undo(key).result()
    assert services.sessions.get(key).result().title != "A"


def test_a_fault_of_the_program_keeps_the_step(
    bench: Bench, forked: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, key = bench.services, forked.session.key
    services.sessions.rename(key, "A").result()
    with monkeypatch.context() as broken:
        broken.setattr("stemmata.services.sessions.histories.with_named_here", None)
        with pytest.raises(TypeError):
            services.histories.undo(key).result()
    services.histories.undo(key).result()
    assert services.sessions.get(key).result().title != "A"
