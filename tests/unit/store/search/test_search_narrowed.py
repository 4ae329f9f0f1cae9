"""Searches of a session, a role, a kind or a tool; prefixes of many words; searches that nobody waits for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.errors import CancelledError
from stemmata.store.entries.content import HEAD_BLOCK
from stemmata.store.search.search import COMPARED_AT_ONCE, MOST_COMPARED, MOST_EXPANDED, MOST_OF_PREFIX, _stopping
from tests.unit.store.conftest import Filled

Spy = Callable[..., int]


def said(id: str, text: str, role: Role = Role.USER, **more: Any) -> Entry:
    return Entry(id=id, role=role, blocks=(Text(text),), **more)


def found(filled: Filled, query: str, **narrowed: Any) -> list[str]:
    def job(reader: Any) -> list[str]:
        matches = reader.unread_hits(query, **narrowed)
        return [hit.id for hit in reader.hits(query, [match.entry for match in matches.found])]

    return filled.archive.read(job).result()


@pytest.fixture
def steps(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> Spy:
    """Return how often a search asks whether to continue."""
    monkeypatch.setattr("stemmata.store.search.search.STEPS", 10)

    def count(query: str, **narrowed: Any) -> int:
        asked: list[int] = []

        def stopped() -> bool:
            asked.append(1)
            return False

        found(filled, query, **narrowed, stopped=stopped)
        return len(asked)

    return count


# -- who, what, with which tool --------------------------------------------------------------------------------------


def test_hits_of_a_role_or_of_a_kind_that_nobody_says(filled: Filled) -> None:
    entries = [
        said("user", "word"), said("answer", "word", Role.ASSISTANT), said("custom", "word", Role.CUSTOM),
        said("summary", "word", Role.NONE, kind=Kind.COMPACTION), said("kind", "word", Role.NONE, kind=Kind.CUSTOM),
    ]  # fmt: skip
    filled.append(filled.session(), entries)
    for role, id in (("user", "user"), ("assistant", "answer"), ("custom", "custom"), ("compaction", "summary")):
        assert found(filled, "word", role=role) == [id]
    assert found(filled, "word", role="system") == found(filled, "word", role="nobody") == []


@pytest.mark.parametrize(
    ("tool", "ids"),
    [
        ("bash", ["two", "one"]), ("Bash", ["two", "one"]), ("read", []), ("mcp__a b", ["odd"]), ("mcp", []),
        ("\0\ud800", ["broken"]), ("é" * 300, ["long"]),
    ],
)  # fmt: skip
def test_hits_of_a_tool(filled: Filled, tool: str, ids: list[str]) -> None:
    tools = {"one": "bash", "two": "Bash", "odd": "mcp__a b", "broken": "\0\ud800", "long": "é" * 300, "none": ""}
    filled.append(filled.session(), [said(id, "word", Role.TOOL_RESULT, tool=name) for id, name in tools.items()])
    assert found(filled, "word", tool=tool) == ids
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_conditions_are_no_words(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [said("a", "word", Role.TOOL_RESULT, tool="bash")])
    for query in ("bash", f"word {session}", "\U000f0003", "\U000f02001"):
        assert found(filled, query) == []


def test_rare_entries_among_many_that_match_cost_little(filled: Filled, steps: Spy) -> None:
    entries = [said(f"{at}", "word", Role.SYSTEM if at % 500 == 0 else Role.USER) for at in range(3000)]
    filled.append(filled.session(), entries)
    assert steps("word", role="system") < steps("word") / 5
    assert steps("word", role="assistant") < steps("word") / 5


def test_a_session_among_many_that_match_costs_little(filled: Filled, steps: Spy) -> None:
    one, two = filled.session("one"), filled.session("two")
    for part in range(3):
        filled.append(one, [said(f"a{part}", "word")])
        filled.append(two, [said(f"b{part}-{at}", "word") for at in range(1000)])
    assert found(filled, "word", session=one) == ["a2", "a1", "a0"]
    assert steps("word", session=one) < steps("word") / 5


def test_a_fork_finds_what_it_shares_of_each_origin(filled: Filled) -> None:
    first, second, third = filled.session("1"), filled.session("2", parent="1"), filled.session("3", parent="2")
    a, b, c = said("a", "word"), replace(said("b", "word"), parent="a"), replace(said("c", "word"), parent="b")
    filled.append(first, [a, said("other", "word")])
    filled.append(second, [a, b, replace(said("beside", "word"), parent="a")])
    filled.append(third, [a, b, c])
    assert sorted(found(filled, "word", session=third)) == ["a", "b", "c"]
    filled.archive.write(lambda writer: writer.delete_session(first)).result()
    assert sorted(found(filled, "word", session=second)) == ["a", "b", "beside"]
    filled.archive.write(lambda writer: writer.delete_session(second)).result()
    assert sorted(found(filled, "word", session=third)) == ["a", "b", "c"]
    assert filled.archive.read(lambda reader: reader.check()).result() == []


# -- prefixes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("many", "length"), [(0, 2_000_000), (1, 0), (2, 2_000_000), (32, 0)], ids=["read", "gathered", "both", "named"]
)
def test_a_prefix_of_many_words_finds_them_all(
    filled: Filled, monkeypatch: pytest.MonkeyPatch, many: int, length: int
) -> None:
    monkeypatch.setattr("stemmata.store.search.search.MOST_EXPANDED", many)
    monkeypatch.setattr("stemmata.store.search.search.MOST_CHARACTERS", length)
    texts = ["begin", "beginner one", "Beginning", "begins", "beg", "began", "bégin again"]
    filled.append(filled.session(), [said(text, text) for text in texts])
    assert sorted(found(filled, "begin")) == sorted(set(texts) - {"beg", "began"})
    assert found(filled, "BEGINN") == ["Beginning", "beginner one"]
    assert found(filled, "one begin") == ["beginner one"]
    assert found(filled, "beginx") == found(filled, "zzzz") == []
    assert len(found(filled, "bégin")) == 5
    filled.append(filled.session("paths"), [said(text, text) for text in ("src/begin", "src/begins.py", "begin/src")])
    assert sorted(found(filled, "src/begin")) == sorted(found(filled, "SRC-Beg")) == ["src/begin", "src/begins.py"]
    assert found(filled, "src/begins.") == ["src/begins.py"]
    assert sorted(found(filled, '"src begin"')) == ["src/begin"]


def test_hits_of_a_prefix_of_many_words_are_counted_up_to_a_lower_limit(filled: Filled) -> None:
    texts = [
        f"begin{number} {'even' if number % 2 == 0 else 'odd'}" for number in range(MOST_OF_PREFIX + MOST_EXPANDED)
    ]
    filled.append(filled.session(), [said(text, text) for text in texts])
    expected = texts[::-1]
    assert found(filled, "begin") == expected[:MOST_OF_PREFIX]
    assert found(filled, "begin", limit=MOST_OF_PREFIX + 1) == expected[: MOST_OF_PREFIX + 1]
    assert found(filled, "odd begin1") == [text for text in expected if "odd" in text and "begin1" in text]
    assert found(filled, "even begin") == [text for text in expected if "even" in text]


@pytest.mark.parametrize(
    ("words", "limit"), [(MOST_EXPANDED, MOST_OF_PREFIX + MOST_EXPANDED), (MOST_EXPANDED + 1, MOST_OF_PREFIX)]
)
def test_a_prefix_of_many_words_is_one_of_more_than_so_many(filled: Filled, words: int, limit: int) -> None:
    texts = [f"begin{number % words}" for number in range(MOST_OF_PREFIX + MOST_EXPANDED)]
    filled.append(filled.session(), [said(str(at), text) for at, text in enumerate(texts)])
    assert len(found(filled, "begin")) == limit


def test_a_prefix_that_is_rare_among_what_begins_alike_is_found_all_the_same(filled: Filled) -> None:
    texts = [f"begun{number}" for number in range(MOST_COMPARED + COMPARED_AT_ONCE)]
    rare = [f"begin{number}" for number in range(MOST_EXPANDED + 1)]
    filled.append(filled.session(), [said(text, text) for text in (*rare, *texts)])
    assert found(filled, "begin") == rare[::-1]


def test_a_prefix_deep_in_a_large_entry_is_found(filled: Filled) -> None:
    words = [f"begin{number}" for number in range(MOST_EXPANDED + 1)]
    deep = (*(Text("begx " * (HEAD_BLOCK // 5)) for _ in range(4)), Text("begin77"))
    filled.append(filled.session(), [said("a", " ".join(words)), Entry(id="b", role=Role.USER, blocks=deep)])
    assert found(filled, "begin") == ["b", "a"]


@pytest.mark.parametrize("query", ["src/mod_1", "src-mod-1", "mod_1"])
def test_a_number_at_the_end_of_a_path(filled: Filled, query: str) -> None:
    texts = [f"src/mod_{number}.py" for number in range(100, 100 + MOST_EXPANDED)]
    filled.append(filled.session(), [said(text, text) for text in (*texts, "src/mod_7.py", "src/mod.py 1")])
    assert set(texts) <= set(found(filled, query)) <= {*texts, "src/mod.py 1"}


# -- stopping --------------------------------------------------------------------------------------------------------


def test_a_search_is_stopped_in_the_middle(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stemmata.store.search.search.STEPS", 10)
    filled.append(filled.session(), [said(f"{at}", "word") for at in range(500)])
    asked: list[None] = []

    def stopped() -> bool:
        asked.append(None)
        return len(asked) == 20

    with pytest.raises(CancelledError):
        found(filled, "word", stopped=stopped)
    assert len(asked) == 20
    assert len(found(filled, "word")) == 500


def test_what_else_goes_wrong_is_told(filled: Filled) -> None:
    filled.append(filled.session(), [said("a", "word")])

    def job(reader: Any) -> None:
        with _stopping(reader.connection, lambda: False):
            reader.connection.execute("SELECT nothing")

    with pytest.raises(sqlite3.OperationalError, match="nothing"):
        filled.archive.read(job).result()
    assert found(filled, "word") == ["a"]
