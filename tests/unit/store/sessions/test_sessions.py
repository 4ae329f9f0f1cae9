"""The list of sessions: made, found, changed, with their leaf's moves and their checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import NotFoundError
from stemmata.domain.sessions.details import with_named_here, with_named_in_tool
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.domain.sources.reading import Checkpoint
from stemmata.services.ports.archive import Archive
from stemmata.store.archive import SqliteArchive
from stemmata.store.reader import Reader
from stemmata.store.writer import Writer
from tests.unit.store.conftest import Filled

INFO = SessionInfo(
    source="pi", source_id="2025-12-09_x", title="", cwd="/home/é", created_at=5, details='{"header":1}'
)


def test_the_archive_is_what_the_services_ask_for(archive: SqliteArchive) -> None:
    asked: Archive = archive
    assert asked.read(lambda reader: reader.sessions()).result() == []


def test_a_new_session_states_what_was_said_of_it(archive: SqliteArchive) -> None:
    key = archive.write(lambda writer: writer.create_session(INFO, path="/tmp/x.jsonl")).result()
    session = archive.read(lambda reader: reader.session(key)).result()
    assert session == Session(
        key=key, id=session.id, source="pi", source_id="2025-12-09_x", title="", named=False, cwd="/home/é",
        parent=None, leaf=None, created_at=5, updated_at=5, entries=0, branches=0, compactions=0, context_tokens=None,
        context_kind="unknown", model="", cost=0, path="/tmp/x.jsonl", details='{"header":1}',
    )  # fmt: skip
    assert len(session.id) == 8


def test_making_it_again_gives_the_same(archive: SqliteArchive) -> None:
    first = archive.write(lambda writer: writer.create_session(INFO)).result()
    assert archive.write(lambda writer: writer.create_session(INFO)).result() == first


def test_ids_are_the_same_in_every_archive(archive: SqliteArchive) -> None:
    archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="abc"))).result()
    assert archive.read(lambda reader: reader.find_session("fe2bf1c1").source_id).result() == "abc"


def test_a_taken_id_makes_the_next_one_longer(archive: SqliteArchive) -> None:
    def job(writer: Writer) -> str:
        other = writer.create_session(SessionInfo(source="pi", source_id="other"))
        writer.connection.execute("UPDATE sessions SET id = 'fe2bf1c1' WHERE key = ?", (other,))
        return writer.session(writer.create_session(SessionInfo(source="pi", source_id="abc"))).id

    id = archive.write(job).result()
    assert id.startswith("fe2bf1c1")
    assert len(id) == 12


@pytest.mark.parametrize(
    ("name", "expected"),
    [("alpha-1", "alpha-1"), ("alpha-2", "alpha-2"), ("be", "beta"), ("latest", "beta"), ("alpha", "alpha")],
)
def test_sessions_are_found_by_name(filled: Filled, name: str, expected: str) -> None:
    for at, source_id in enumerate(("alpha", "alpha-1", "alpha-2", "beta")):
        info = SessionInfo(source="pi", source_id=source_id, created_at=at)
        filled.archive.write(partial(Writer.create_session, info=info)).result()
    assert filled.archive.read(lambda reader: reader.find_session(name).source_id).result() == expected


def test_a_prefix_of_a_session_and_its_subagents_means_the_session(filled: Filled) -> None:
    main = filled.session("0b9a1c52")
    agents = [filled.session(f"0b9a1c52/agent-{name}") for name in ("a", "b")]
    for name, key in (("0b9a", main), ("0b9a1c52", main), ("0b9a1c52/agent-b", agents[1])):
        assert filled.archive.read(partial(Reader.find_session, name=name)).result().key == key
    with pytest.raises(NotFoundError, match="2 sessions match"):
        filled.archive.read(partial(Reader.find_session, name="0b9a1c52/")).result()
    filled.session("0b9a77")
    with pytest.raises(NotFoundError, match="2 sessions match"):
        filled.archive.read(partial(Reader.find_session, name="0b9a")).result()


@pytest.mark.parametrize("name", ["", "latest", "nothing", "al%"])
def test_names_that_fit_nothing_are_said_so(archive: SqliteArchive, name: str) -> None:
    with pytest.raises(NotFoundError):
        archive.read(lambda reader: reader.find_session(name)).result()


def test_a_prefix_of_several_names_them(filled: Filled) -> None:
    filled.session("alpha-1")
    filled.session("alpha-2")
    with pytest.raises(NotFoundError, match="2 sessions match"):
        filled.archive.read(lambda reader: reader.find_session("alpha")).result()


def test_a_session_is_found_by_its_id_and_prefix(filled: Filled) -> None:
    key = filled.session()
    id = filled.archive.read(lambda reader: reader.session(key).id).result()
    for name in (id, id[:3]):
        assert filled.archive.read(partial(Reader.find_session, name=name)).result().key == key


def test_facts_are_set(filled: Filled) -> None:
    key, parent = filled.session(), filled.session("two")
    facts: dict[str, object] = {
        "title": "A \0 title \ud800", "starred": True, "archived": 1, "tags": ["b", "a", "b"], "details": "{}",
        "path": "/x", "parent": parent, "cwd": "/c",
    }  # fmt: skip
    filled.archive.write(lambda writer: writer.update_session(key, **facts)).result()
    session = filled.archive.read(lambda reader: reader.session(key)).result()
    assert (session.title, session.named) == ("A \0 title \ud800", True)
    assert (session.starred, session.archived, session.trashed) == (True, True, False)
    assert (session.tags, session.details, session.path, session.cwd) == (("a", "b"), "{}", "/x", "/c")
    assert session.parent == parent
    filled.archive.write(lambda writer: writer.update_session(key, tags=[])).result()
    assert filled.archive.read(lambda reader: reader.session(key).tags).result() == ()


@pytest.mark.parametrize(
    ("job", "error"),
    [
        (lambda writer: writer.update_session(1, leaf=3), ValueError),
        (lambda writer: writer.update_session(99, title="x"), NotFoundError),
        (lambda writer: writer.session(99), NotFoundError),
        (lambda writer: writer.refresh(99), NotFoundError),
        (lambda writer: writer.delete_session(99), NotFoundError),
        (lambda writer: writer.move_leaf(99, None, "x", time=1), NotFoundError),
        (lambda writer: writer.move_leaf(1, 99, "x", time=1), NotFoundError),
    ],
)
def test_what_does_not_exist_cannot_be_changed(
    filled: Filled, job: Callable[[Writer], Any], error: type[Exception]
) -> None:
    assert filled.session() == 1
    with pytest.raises(error):
        filled.archive.write(job).result()


def test_trashed_sessions_are_listed_apart(filled: Filled) -> None:
    kept, gone = filled.session("kept"), filled.session("gone")
    filled.archive.write(lambda writer: writer.update_session(gone, trashed=True)).result()
    assert [s.key for s in filled.archive.read(lambda reader: reader.sessions()).result()] == [kept]
    assert [s.key for s in filled.archive.read(lambda reader: reader.sessions(trashed=True)).result()] == [gone]
    assert filled.archive.read(lambda reader: reader.find_session("latest").key).result() == kept


def test_a_parent_that_comes_later_is_found(filled: Filled) -> None:
    child = filled.session("child", parent="parent")
    assert filled.archive.read(lambda reader: reader.session(child).parent).result() is None
    parent = filled.session("parent")
    assert filled.archive.read(lambda reader: reader.session(child).parent).result() == parent
    younger = filled.session("younger", parent="parent")
    assert filled.archive.read(lambda reader: reader.session(younger).parent).result() == parent


def test_sessions_that_descend_from_each_other_hang_nothing(filled: Filled) -> None:
    one = filled.session("one", parent="two")
    two = filled.session("two", parent="one")
    keys = filled.append(one, [Entry(id="a", parent="b"), Entry(id="b")])
    assert filled.append(two, [Entry(id="c", parent="a")])
    assert len(filled.archive.read(lambda reader: reader.tree(two)).result()) == len(keys) + 1


def test_the_leaf_moves_and_remembers(filled: Filled) -> None:
    session = filled.session()
    first, second = filled.append(session, [Entry(id="a"), Entry(id="b")])

    def job(writer: Writer) -> None:
        writer.move_leaf(session, first, "import", time=1)
        writer.move_leaf(session, second, "continue", time=2)
        writer.move_leaf(session, None, "continue", time=3)

    filled.archive.write(job).result()
    moves = filled.archive.read(lambda reader: list(reader.leaf_moves(session))).result()
    assert [(m.before, m.after, m.time, m.reason) for m in reversed(moves)] == [
        (None, first, 1, "import"),
        (first, second, 2, "continue"),
        (second, None, 3, "continue"),
    ]
    assert filled.archive.read(lambda reader: reader.session(session).leaf).result() is None


@pytest.mark.parametrize("moves", [100, 400])
def test_of_the_log_of_a_leaf_only_what_is_asked_for_is_read(filled: Filled, moves: int) -> None:
    session = filled.session()
    keys = filled.append(session, [Entry(id=f"e{at}") for at in range(moves)])

    def job(writer: Writer) -> None:
        for key in keys:
            writer.move_leaf(session, key, "append", time=1)

    filled.archive.write(job).result()

    def steps(reader: Reader) -> int:
        taken = 0

        def count() -> int:
            nonlocal taken
            taken += 1
            return 0

        reader.connection.set_progress_handler(count, 1)  # of SQLite's own machine
        found = next(reader.leaf_moves(session))
        reader.connection.set_progress_handler(None, 0)
        assert found.after == keys[-1]
        return taken

    assert filled.archive.read(steps).result() < 60


def test_checkpoints_come_back_as_they_were(filled: Filled) -> None:
    session = filled.session()
    checkpoint = Checkpoint("/tmp/\udcff.jsonl", 10, 20, 9, 3, "hash", '{"a":"\0"}')
    for size in (10, 12):
        changed = Checkpoint(checkpoint.path, size, *(20, 9, 3), "hash", '{"a":"\0"}')
        filled.archive.write(partial(Writer.save_checkpoint, checkpoint=changed, session=session)).result()
    found = replace(changed, source=filled.archive.read(lambda reader: reader.session(session)).result().source)
    assert found.source
    assert filled.archive.read(lambda reader: reader.checkpoints()).result() == {checkpoint.path: found}
    assert filled.archive.read(lambda reader: reader.checkpoint(checkpoint.path)).result() == found


def test_totals_count(filled: Filled) -> None:
    filled.append(filled.session(), [Entry(id="a"), Entry(id="b")])
    totals = filled.archive.read(lambda reader: reader.totals()).result()
    assert (totals["sessions"], totals["entries"]) == (1, 2)
    assert totals["bytes"] > 4096


def refreshed(filled: Filled, entries: list[Entry], leaf: int | None) -> Session:
    session = filled.session()

    def job(writer: Writer) -> Session:
        keys = writer.append(session, entries)
        writer.move_leaf(session, None if leaf is None else keys[leaf], "import", time=1)
        return writer.refresh(session)

    return filled.archive.write(job).result()


def test_refreshing_counts_the_tree(filled: Filled) -> None:
    entries = [
        Entry(id="m", kind=Kind.MODEL_CHANGE, provider="anthropic", model="claude-opus-4-5", time=1),
        Entry(id="i", parent="m", role=Role.USER, blocks=(Text("<environment>"),), flags=Flag.INJECTED, time=2),
        Entry(id="e", parent="i", role=Role.USER, blocks=(Text("  "),), time=2),
        Entry(id="a", parent="e", role=Role.USER, blocks=(Text("First question\nmore"),), time=3),
        Entry(
            id="b", parent="a", role=Role.ASSISTANT, provider="anthropic", model="claude-opus-4-5",
            blocks=(Text("answer"),), usage=Usage(input=100, output=20, cost=7), time=9,
        ),
        Entry(id="c", parent="a", role=Role.ASSISTANT, blocks=(Text("other"),), usage=Usage(1, 1, cost=3), time=4),
        Entry(id="d", parent="b", kind=Kind.COMPACTION, target="a", blocks=(Text("sum"),), time=5),
    ]  # fmt: skip
    session = refreshed(filled, entries, 4)
    assert (session.title, session.named) == ("First question", False)
    assert (session.entries, session.branches, session.compactions, session.cost) == (7, 2, 1, 10)
    assert (session.updated_at, session.model) == (9, "anthropic/claude-opus-4-5")
    assert (session.context_tokens, session.context_kind) == (120, "reported")


def test_refreshing_adds_the_cost_of_what_is_new(filled: Filled) -> None:
    session, other = filled.session(), filled.session("other")

    def job(writer: Writer, to: int, id: str, *, is_twice: bool = False) -> int:
        writer.append(to, [Entry(id=id, role=Role.ASSISTANT, usage=Usage(input=1, cost=5))])
        if is_twice:
            writer.refresh(to)
        return writer.refresh(to).cost

    def refreshed(to: int, id: str, *, is_twice: bool = False) -> int:
        return filled.archive.write(lambda writer: job(writer, to, id, is_twice=is_twice)).result()

    assert [refreshed(session, "a"), refreshed(other, "b"), refreshed(session, "c", is_twice=True)] == [5, 5, 10]
    assert [refreshed(other, "d"), refreshed(session, "e")] == [10, 15]


def test_refreshing_a_session_without_anything(filled: Filled) -> None:
    session = refreshed(filled, [], None)
    assert (session.title, session.entries, session.branches, session.updated_at) == ("", 0, 0, 1)


CLEAR, OUTPUT = "<command-name>/clear</command-name>", "<local-command-stdout>done</local-command-stdout>"


@pytest.mark.parametrize(
    ("texts", "title"),
    [
        ([CLEAR, OUTPUT, "Mend it.\nSoon.", "More."], "Mend it"),
        ([OUTPUT, CLEAR, ""], "done"),
        ([CLEAR], "/clear"),
        (["Warmup", "Mend it."], "Mend it"),
        (["Warmup", CLEAR], "Warmup"),
        (["<system-reminder>Be brief.</system-reminder>\nMend it."], "Mend it"),
        (["<ide_opened_file>The user opened a.py.</ide_opened_file>\nMend it."], "Mend it"),
        (["<ide_opened_file>The user opened a.py.</ide_opened_file>", "Mend it."], "Mend it"),
        (["<ide_selection>of 3 lines\n</ide_selection>\n<system-reminder>x</system-reminder>Mend it."], "Mend it"),
        (["<user-prompt-submit-hook>ok</user-prompt-submit-hook>Mend it."], "Mend it"),
        (["", ""], ""),
        (["/clear", "ls", "Hello!", "Mend it."], "Mend it"),
        (["/clear", "ls"], "/clear"),
        (['{"a": 1}', "Mend it."], "Mend it"),
        (["<command-name>/mend</command-name><command-args>the login bug</command-args>"], "the login bug"),
    ],
)
def test_a_session_goes_by_the_first_thing_the_person_wrote(filled: Filled, texts: list[str], title: str) -> None:
    entries = [Entry(id=f"{at}", role=Role.USER, blocks=(Text(text),)) for at, text in enumerate(texts)]
    assert refreshed(filled, entries, 0).title == title


def test_a_session_without_a_prompt_goes_by_its_first_text(filled: Filled) -> None:
    entries = [
        Entry(id="a", role=Role.ASSISTANT, blocks=(Text(" "),)),
        Entry(id="b", role=Role.ASSISTANT, blocks=(Text("I read the plan. It is long."),)),
    ]
    assert refreshed(filled, entries, 1).title == "I read the plan"


def test_a_session_without_any_text_goes_by_its_first_call(filled: Filled) -> None:
    calls = ToolCall("1", "bash", '{"command": "npm test"}'), ToolCall("2", "bash", '{"command": "ls -la"}')
    entries = [Entry(id=f"{at}", role=Role.ASSISTANT, blocks=(call,)) for at, call in enumerate(calls)]
    assert refreshed(filled, entries, 1).title == "npm test"


def test_only_the_first_prompts_are_looked_at_for_one_that_says_something(filled: Filled) -> None:
    texts = ["hi", *["ok"] * 9, "Mend the whole login page"]
    entries = [Entry(id=f"{at}", role=Role.USER, blocks=(Text(text),)) for at, text in enumerate(texts)]
    assert refreshed(filled, entries, 0).title == "hi"


def test_the_title_from_the_prompt_replaces_one_that_the_tool_cut_off(filled: Filled) -> None:
    session = refreshed(filled, [Entry(id="a", role=Role.USER, blocks=(Text("Mend the whole login page"),))], 0)

    def renamed(title: str) -> str:
        filled.archive.write(lambda writer: writer.update_session(session.key, title=title)).result()
        return filled.archive.read(lambda reader: reader.session(session.key).title).result()

    for given, shown in (
        ("Mend the who…", "Mend the whole login page"),
        ("Mend the who...", "Mend the whole login page"),
        ("Mending…", "Mending…"),
        ("Mend the whole login page", "Mend the whole login page"),
    ):
        assert renamed(given) == shown


ASKED = "Hi! can you update @apps/web/agent-sidebar.tsx so that the filter icon comes after the search field"
OWN = "can you update agent-sidebar.tsx so that the filter icon…"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (f"{ASKED[:83]} (fork)", f"{OWN} (fork)"),
        (ASKED[4:80], OWN),
        (f"{ASKED[:83]}… (fork #2)", f"{OWN} (fork #2)"),
        ("Update the sidebar so that the filter icon comes after the search field", ""),
    ],
)
def test_a_long_title_that_is_the_beginning_of_the_prompt_is_none(filled: Filled, given: str, shown: str) -> None:
    session = refreshed(filled, [Entry(id="a", role=Role.USER, blocks=(Text(ASKED),))], 0)
    assert session.title == OWN

    def told(details: str) -> str:
        filled.archive.write(lambda writer: writer.update_session(session.key, title=given, details=details)).result()
        return filled.archive.read(lambda reader: reader.session(session.key).title).result()

    assert told("") == (shown or given)
    assert told(with_named_in_tool("", on=True)) == given
    assert told(with_named_here("", on=True)) == given


def test_a_short_prompt_is_not_looked_for_in_a_long_title(filled: Filled) -> None:
    session = refreshed(filled, [Entry(id="a", role=Role.USER, blocks=(Text("Mend it"),))], 0)
    title = "Mend it before the release of the summer, together with the other faults"
    filled.archive.write(lambda writer: writer.update_session(session.key, title=title)).result()
    assert filled.archive.read(lambda reader: reader.session(session.key).title).result() == title


def test_a_given_title_stands_before_the_prompt(filled: Filled) -> None:
    session = refreshed(filled, [Entry(id="a", role=Role.USER, blocks=(Text("prompt"),))], 0)
    filled.archive.write(lambda writer: writer.update_session(session.key, title="Name")).result()
    assert filled.archive.write(lambda writer: writer.refresh(session.key).title).result() == "Name"
    filled.archive.write(lambda writer: writer.update_session(session.key, title="")).result()
    assert filled.archive.read(lambda reader: reader.session(session.key).title).result() == "prompt"


def test_the_newest_sessions_come_with_those_above_them(archive: SqliteArchive) -> None:
    def make(writer: Writer) -> list[int]:
        keys = []
        for at, parent in enumerate(("", "s0", "", "s1", "")):
            info = SessionInfo(source="pi", source_id=f"s{at}", created_at=at + 1, parent_source_id=parent)
            keys.append(writer.create_session(info))
        writer.update_session(keys[4], trashed=True)
        return keys

    keys = archive.write(make).result()
    newest = archive.read(lambda reader: [session.key for session in reader.newest_sessions(1)]).result()
    assert newest == [keys[3], keys[1], keys[0]]
    assert len(archive.read(lambda reader: reader.newest_sessions(9)).result()) == 4
    writing = archive.write(lambda writer: writer.update_session(keys[0], trashed=True))
    writing.result()
    assert archive.read(lambda reader: [session.key for session in reader.newest_sessions(1)]).result() == [
        keys[3], keys[1]
    ]  # fmt: skip


def test_texts_that_sqlite_cannot_hold_come_back_in_the_list(archive: SqliteArchive) -> None:
    title = "odd \0 title"
    archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="x", title=title))).result()
    archive.write(lambda writer: writer.update_session(1, tags=["a\0b", "plain"])).result()
    [session] = archive.read(lambda reader: reader.sessions()).result()
    assert (session.title, session.named, session.tags) == (title, True, ("plain", "a\0b"))
