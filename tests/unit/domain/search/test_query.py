"""The query language: words, phrases and filters."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from stemmata.domain.search.query import (
    Cost,
    Filters,
    Query,
    QueryError,
    filter_words,
    parse,
    values_of,
    with_filter,
    without,
)

ZONE = timezone(timedelta(hours=1))
NOW = datetime(2026, 11, 25, 15, 30, tzinfo=ZONE)


def ns(*date: int) -> int:
    return int(datetime(*date, tzinfo=ZONE).timestamp()) * 1_000_000_000  # type: ignore[misc,arg-type]  # three parts


def filters(text: str) -> Filters:
    return parse(text, NOW).filters


def test_words_stay_without_the_filters() -> None:
    query = parse('  cjk role:user "wide characters"  tool:bash wid ', NOW)
    assert query.words == 'cjk "wide characters" wid'
    assert query.filters == Filters(roles=("user",), tools=("bash",))
    assert not query.is_empty


@pytest.mark.parametrize(
    "text", ["https://x.org/a", "std::vector", '"role:user"', "colour:red", "cost:3", "role>user"]
)
def test_what_only_looks_like_a_filter_is_a_word(text: str) -> None:
    assert parse(text, NOW) == Query(text)


def test_filters_that_are_being_typed_do_not_filter() -> None:
    assert parse("role: tool: after: cost> words", NOW) == Query("words")
    assert parse('project:"my', NOW).filters == Filters(projects=("my",))
    assert parse("", NOW).is_empty
    assert parse("!? …", NOW).is_empty
    assert not parse("is:starred", NOW).is_empty


def test_roles_have_several_names_and_may_be_several() -> None:
    assert filters("role:prompts").roles == ("user",)
    assert filters("role:tool,Summary").roles == ("toolResult", "bashExecution", "compaction", "branch_summary")
    assert filters("role:user role:reply").roles == ("user", "assistant")
    assert filters("role:any").roles == ()


def test_texts_are_taken_as_they_are() -> None:
    found = filters('model:opus file:src/Wrap.ts project:"my app" source:codex,pi')
    assert (found.models, found.files, found.projects) == (("opus",), ("src/Wrap.ts",), ("my app",))
    assert found.sources == ("codex", "pi")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-09-02", ns(2026, 9, 2)),
        ("2026-09", ns(2026, 9, 1)),
        ("2025", ns(2025, 1, 1)),
        ("today", ns(2026, 11, 25)),
        ("Yesterday", ns(2026, 11, 24)),
        ("7d", ns(2026, 11, 18)),
        ("2w", ns(2026, 11, 11)),
        ("1m", ns(2026, 10, 26)),
        ("1y", ns(2025, 11, 25)),
    ],
)
def test_dates(value: str, expected: int) -> None:
    assert filters(f"after:{value}").since == expected
    assert filters(f"before:{value}").until == expected


def test_flags_and_costs() -> None:
    assert filters("is:starred has:image in:abandoned") == Filters(starred=True, images=True, scope="abandoned")
    assert filters("cost>0.5 cost<=$2").costs == (Cost(">", 500_000), Cost("<=", 2_000_000))
    assert filters("cost>1e300").costs == (Cost(">", 1 << 62),)


@pytest.mark.parametrize(
    "text",
    [
        "role:nobody", "after:soon", "after:2026-13", "before:99999d", "is:open", "has:sound", "in:nowhere",
        "cost>much", "cost>inf",
    ],
)  # fmt: skip
def test_impossible_values_are_told(text: str) -> None:
    with pytest.raises(QueryError, match=text.split(":")[0].split(">")[0]):
        parse(text, NOW)


def test_filters_are_changed_in_the_text() -> None:
    assert with_filter("cjk role:user width", "role", "tool") == "cjk width role:tool"
    assert with_filter("cjk", "project", "my app") == 'cjk project:"my app"'
    assert with_filter("cjk role:user", "role", "") == "cjk"
    assert without("a role:user tool:bash b in:all", "role", "in") == "a tool:bash b"
    assert values_of("role:Prompts,tool project:X", "role") == ("user", "tool")
    assert values_of("role:user project:X", "project") == ("x",)
    assert [(word.start, word.end) for word in filter_words("a role:user")] == [(2, 11)]
