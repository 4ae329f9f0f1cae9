"""What people type finds what they mean, and can never fail."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.search.hits import SearchPage
from stemmata.domain.search.terms import terms_of
from stemmata.store.archive import SqliteArchive
from stemmata.store.core import search_text
from stemmata.store.entries.content import HEAD_BLOCK, LARGE
from stemmata.store.schema.migrations import MIGRATIONS
from stemmata.store.search import search as search_module
from stemmata.store.search.search import MOST, MOST_READ_WHOLE, fts_query
from stemmata.store.search.snippets import Snippets
from tests.indexes import index_differences, restore_former_views
from tests.strategies import shapes
from tests.unit.store.conftest import Filled


def said(id: str, text: str, time: int = 0, role: Role = Role.USER) -> Entry:
    return Entry(id=id, role=role, blocks=(Text(text),), time=time)


def search(filled: Filled, query: str, session: int | None = None, role: str = "", limit: int = 50) -> SearchPage:
    return filled.archive.read(
        lambda reader: reader.search(query, session=session, role=role, limit=limit, offset=0)
    ).result()


def ids(page: SearchPage) -> list[str]:
    return [hit.id for hit in page.hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("fox", ["fox"]), ("FOX", ["fox"]), ("quick fo", ["fox"]), ("fox quick", ["fox"]), ("qui fox", []),
        ('"quick brown"', ["fox"]), ('"brown quick"', []), ('"quick bro"', []), ("foo-bar", ["dash"]),
        ("cafe", ["accent"]), ("CAFÉ", ["accent"]), ("naïve", ["accent"]), ("中文", ["accent"]), ("中", ["accent"]),
        ("makefile", ["call"]), ("bash", ["call"]), ("second", ["call"]), ("\\\\second", ["call"]),
        ("secret thought", ["call"]), ("git status", ["shell"]), ("clean", ["shell"]), ("label", ["label"]),
        ('"', []), ("", []), ("->", []), ("AND", []), ("NOT fox", []), ("fox OR dash", []), ("text:fox", []),
        ("fox*", ["fox"]), ("(fox", ["fox"]), ("^fox", ["fox"]), ('fox"', ["fox"]), ("\0fox\ud800", ["fox"]),
        ("q", []), ("x", ["single"]),
    ],
)  # fmt: skip
def test_words_are_found(filled: Filled, query: str, expected: list[str]) -> None:
    entries = [
        said("fox", "The quick brown fox"), said("dash", "a foo-bar thing"), said("accent", "Café naive 中文字"),
        Entry(id="call", role=Role.ASSISTANT, blocks=(
            Thinking("secret thought"), ToolCall("c", "Bash", '{"command":"cat Makefile\\nsecond\\tthird"}'),
        )),
        Entry(id="shell", role=Role.BASH_EXECUTION, name="git status", blocks=(Text("clean"),)),
        Entry(id="label", kind=Kind.LABEL, name="my label"), Entry(id="level", kind=Kind.CUSTOM, name="fox"),
        said("single", "x marks"),
    ]  # fmt: skip
    filled.append(filled.session(), entries)
    page = search(filled, query)
    assert ids(page) == expected
    assert page.total == len(expected)


def test_hits_come_newest_first_and_in_pages(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [said(f"{time}", f"word {time}", time) for time in (3, 9, 1, 9, 2)][:4])
    assert ids(search(filled, "word")) == ["9", "3", "1"]
    filled.append(session, [said("tie", "word", 9)])
    assert ids(search(filled, "word", limit=2)) == ["tie", "9"]
    page = filled.archive.read(lambda reader: reader.search("word", limit=2, offset=2)).result()
    assert (page.total, ids(page)) == (4, ["3", "1"])


def test_many_hits_are_counted_up_to_a_limit(filled: Filled) -> None:
    filled.append(filled.session(), [said(f"{at}", "word", at) for at in range(MOST + 20)])
    page = search(filled, "word", limit=3)
    assert (page.total, page.more, ids(page)) == (MOST, True, [str(MOST + 19), str(MOST + 18), str(MOST + 17)])


def test_a_limit_that_is_just_met_leaves_nothing_out(filled: Filled) -> None:
    filled.append(filled.session(), [said(f"{at}", "word", at) for at in range(MOST)])
    page = search(filled, "word", limit=1)
    assert (page.total, page.more, ids(page)) == (MOST, False, [str(MOST - 1)])


def test_hits_of_one_session_or_role(filled: Filled) -> None:
    one, two = filled.session("one"), filled.session("two")
    filled.append(one, [said("a", "word", 1), said("b", "word", 2, Role.ASSISTANT)])
    filled.append(two, [said("c", "word", 3)])
    filled.append(one, [said("d", "word", 4)])
    assert ids(search(filled, "word", session=one)) == ["d", "b", "a"]
    assert ids(search(filled, "word", session=two)) == ["c"]
    assert ids(search(filled, "word", role="assistant")) == ["b"]
    assert ids(search(filled, "word", session=one, role="user")) == ["d", "a"]
    assert ids(search(filled, "word", role="nobody")) == []
    assert ids(search(filled, "word", session=99)) == []


def test_a_fork_finds_what_it_shares(filled: Filled) -> None:
    parent, fork = filled.session("parent"), filled.session("fork", parent="parent")
    filled.append(parent, [said("a", "word"), replace(said("b", "word"), parent="a"), said("other", "word")])
    filled.append(fork, [said("a", "word"), replace(said("c", "word"), parent="a")])
    assert sorted(ids(search(filled, "word", session=fork))) == ["a", "c"]


def test_deleted_sessions_are_found_no_more(filled: Filled) -> None:
    session = filled.session()
    hostile = (Text("word \0 after \ud800 it"), Text("\\"), ToolCall("c", "x", '{"a":"\\\\word\\n"}'))
    filled.append(session, [Entry(id="a", role=Role.USER, blocks=hostile), said("b", "word")])
    assert ids(search(filled, "after")) == ["a"]
    filled.archive.write(lambda writer: writer.delete_session(session)).result()
    assert ids(search(filled, "word")) == []
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_a_snippet_leaves_out_what_a_command_is_wrapped_in(filled: Filled) -> None:
    command = "<command-name>/exit</command-name><command-message>leave</command-message>"
    filled.append(filled.session(), [said("command", command)])
    for query, expected in (("exit", "/[exit]"), ("leave", "<command-message>[leave]</command-message>")):
        [hit] = search(filled, query).hits
        assert hit.snippet.replace("\ue000", "[").replace("\ue001", "]").endswith(expected)


def test_a_snippet_shows_paths_and_patterns_as_they_were_written(filled: Filled) -> None:
    call = ToolCall(
        "c",
        "Grep",
        orjson.dumps({"pattern": r"\d+\.new\\table", "path": r"C:\Users\new\table.txt", "glob": "a\nb"}).decode(),
    )
    text = r"It is in C:\Users\old\table.txt \*now\*"
    filled.append(filled.session(), [said("text", text), Entry(id="call", role=Role.ASSISTANT, blocks=(call,))])
    for query, expected in (
        (r"C:\Users\new", r'Grep {"pattern":"\d+\.new\\table","path":"[C:\Users\new]\table.txt","glob":"a b"}'),
        (r"C:\Users\old", r"It is in [C:\Users\old]\table.txt \*now\*"),
    ):
        [hit] = search(filled, query).hits
        assert hit.snippet.replace("\ue000", "[").replace("\ue001", "]") == expected


def test_very_long_texts_are_indexed_to_a_limit(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = "early " + "x" * 5_000_000 + " late"
    filled.append(filled.session(), [said("huge", huge), said("large", "y" * LARGE + " end")])
    monkeypatch.setattr(search_text, "LENGTH", 30)
    filled.append(filled.session("two"), [said("long", "x " * 10 + "inside " + "x " * 10 + "outside")])
    assert ids(search(filled, "inside")) == ["long"]
    assert ids(search(filled, "outside")) == []
    assert ids(search(filled, "early")) == ids(search(filled, "late")) == ["huge"]
    assert ids(search(filled, "end")) == ["large"]
    filled.archive.write(lambda writer: writer.delete_session(2)).result()
    monkeypatch.undo()
    assert index_differences(filled.archive._path) == [], "the index lost what it held of the text"


def test_an_archive_of_an_older_format_gets_its_thoughts_indexed(filled: Filled) -> None:
    thought = Entry(id="thought", role=Role.ASSISTANT, blocks=(Thinking("a secret"), Text("said"), Thinking("later")))
    filled.append(filled.session(), [thought])
    filled.archive.close()
    path = filled.archive._path
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO entries_fts (entries_fts) VALUES ('delete-all')")
        restore_former_views(connection)
        at = next(at for at, step in enumerate(MIGRATIONS) if step.__name__ == "_thoughts")
        connection.execute(f"PRAGMA user_version = {at}")
    again = Filled(SqliteArchive(path))
    assert ids(search(again, "secret")) == ["thought"]
    assert ids(search(again, '"said a secret later"')) == ["thought"], "the thoughts come after what was said"
    assert again.archive.read(lambda reader: reader.check()).result() == []
    again.archive.close()
    assert index_differences(path) == []


def test_a_match_deep_in_a_large_entry_is_shown_for_the_first_few(filled: Filled) -> None:
    blocks = (*(Text("z " * (HEAD_BLOCK // 2)) for _ in range(4)), Text("y " * 50 + "deep down"))
    entries = [Entry(id=f"{at}", role=Role.USER, blocks=blocks, time=at) for at in range(MOST_READ_WHOLE + 1)]
    filled.append(filled.session(), entries)
    shown = ["\ue000deep\ue001" in hit.snippet for hit in search(filled, "deep").hits]
    assert shown == [True] * MOST_READ_WHOLE + [False]


def test_of_very_large_entries_only_the_first_is_read_whole(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "MOST_REST", HEAD_BLOCK)
    blocks = (*(Text("z " * (HEAD_BLOCK // 2)) for _ in range(5)), Text("deep down"))
    filled.append(filled.session(), [Entry(id=f"{at}", role=Role.USER, blocks=blocks, time=at) for at in range(3)])
    shown = ["\ue000deep\ue001" in hit.snippet for hit in search(filled, "deep").hits]
    assert shown == [True, False, False]


@given(st.text(max_size=30))
def test_no_query_fails(shared: Filled, query: str) -> None:
    search(shared, query)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """One archive for all examples of a property."""
    archive = SqliteArchive(tmp_path_factory.mktemp("search") / "a.db")
    filled = Filled(archive)
    filled.append(filled.session(), [said("a", "some words"), said("b", 'quo"ted * ^ AND')])
    yield filled
    archive.close()


ODD = st.sampled_from(
    (
        *("\0", "\\", "\\\\", "\\n", "\\u0000", "\ud800", '"', "\ue003", "é", "x", "\n", " ", "}"),
        *("\x1b[31m", "\x1b]8;;u\a", "\x9b1m", "\r", "\b", "池"),
    )
)


@settings(max_examples=150)
@given(shapes(), st.lists(st.lists(ODD, max_size=8).map("".join), min_size=4, max_size=4))
def test_the_index_holds_what_the_entry_says(shared: Filled, shape: Entry, odd: list[str]) -> None:
    blocks: tuple[Block, ...] = (*shape.blocks, Text(odd[0]), ToolCall("", odd[1], odd[2]))
    entry = replace(shape, id="odd", name=odd[3], blocks=blocks if odd[0] else shape.blocks)
    session = shared.session("odd")
    shared.append(session, [entry])
    assert index_differences(shared.archive._path) == []
    shared.archive.write(lambda writer: writer.delete_session(session)).result()
    assert index_differences(shared.archive._path) == []
    assert shared.archive.read(lambda reader: reader.check()).result() == []


# -- queries and snippets --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("one two", '"one" AND "two"*'), ('"one two" three', '"one two" AND "three"*'), ('x "y z"', '"x" AND "y z"'),
        ("a", '"a"'), ("é", '"é"*'), ('open "quote', '"open" AND "quote"*'), ("- one -", '"one"*'),
    ],
)  # fmt: skip
def test_queries_are_quoted(typed: str, expected: str) -> None:
    assert fts_query(terms_of(typed)) == expected


def snippet(text: str, query: str) -> str:
    return Snippets(terms_of(query)).of(text).replace("\ue000", "[").replace("\ue001", "]")


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("The quick\nbrown fox", "fox", "The quick brown [fox]"),
        ("foxes and a fox", "fox", "[foxes] and a [fox]"),
        ("foxes and a fox", '"fox"', "foxes and a [fox]"),
        ("a foo--bar b", "foo-bar", "a [foo--bar] b"),
        ("Café CAFE", "cafe", "[Café] [CAFE]"),
        ("cafe", "café", "[cafe]"),
        ("a cafe\u0301 b", "café", "a [café] b"),
        ("İstanbul ﬁne", "istanbul", "[İstanbul] ﬁne"),
        ("forged \ue000mark\ue001 fox", "fox", "forged mark [fox]"),
        ("nothing here", "fox", "nothing here"),
        ("", "fox", ""),
        ("fox_trot", "trot", "fox_[trot]"),
        ("a one two three", '"one two" "two three"', "a [one two] three"),
    ],
)
def test_snippets_mark_the_matches(text: str, query: str, expected: str) -> None:
    assert snippet(text, query) == expected


def test_a_snippet_shows_the_place_with_most_terms() -> None:
    text = "alpha " + "filler " * 200 + "alpha beta " + "filler " * 200
    found = snippet(text, "alpha beta")
    assert "[alpha] [beta]" in found
    assert found.startswith("…filler")
    assert found.endswith("…")
    assert len(found) < 250


def test_a_snippet_of_one_long_word() -> None:
    found = snippet("é" * 5000 + " fox " + "x" * 5000, "fox")
    assert "[fox]" in found


def test_terms_without_words_mark_nothing() -> None:
    assert Snippets([("->", False)]).of("a -> b") == "a -> b"
