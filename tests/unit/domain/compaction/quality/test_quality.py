"""Facts are planted and found again; the digest keeps more of them than simple summaries do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.compaction.digest.digest import DigestSummariser
from stemmata.domain.compaction.digest.story import turns_of
from stemmata.domain.compaction.quality import baselines
from stemmata.domain.compaction.quality.baselines import (
    central_sentences,
    head_and_tail,
    last_messages,
    without_results,
)
from stemmata.domain.compaction.quality.conversations import made_up
from stemmata.domain.compaction.quality.facts import FactKind, Planted, PlantedFact, folded, plant, score
from stemmata.domain.compaction.summary.summary import SummaryInput, serialise
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.entries.tokens import to_tokens, units

SIMPLE: tuple[Callable[[Sequence[Entry], int], str], ...] = (last_messages, head_and_tail, central_sentences)


def tokens(text: str) -> int:
    return to_tokens(units(text))


def percent(text: str, planted: Planted) -> float:
    counts = score(text, planted.facts).values()
    return 100 * sum(kept for kept, _ in counts) / sum(of for _, of in counts)


@pytest.fixture(autouse=True)
def few_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """The similarities of many sentences take seconds."""
    monkeypatch.setattr(baselines, "MOST_SENTENCES", 100)


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(made_up(1, 30), 1)


def test_every_fact_is_in_the_whole_conversation(planted: Planted) -> None:
    assert percent(serialise(planted.entries), planted) == 100
    assert {fact.kind for fact in planted.facts} == set(FactKind)
    assert len(planted.facts) == 6 * len(FactKind)


def test_no_fact_is_in_the_conversation_before(planted: Planted) -> None:
    words = [fact for fact in planted.facts if fact.kind is not FactKind.NUMBER]
    assert not any(kept for kept, _ in score(serialise(made_up(1, 30)), words).values())


def test_equal_seeds_plant_equal_facts() -> None:
    assert plant(made_up(3, 5), 3) == plant(made_up(3, 5), 3)
    assert plant(made_up(3, 5), 3).facts != plant(made_up(3, 5), 4).facts


def test_calls_keep_their_results(planted: Planted) -> None:
    calls = [block.id for entry in planted.entries for block in entry.blocks if isinstance(block, ToolCall)]
    results = [entry.call for entry in planted.entries if entry.role is Role.TOOL_RESULT]
    assert calls == results
    assert len(set(calls)) == len(calls)
    assert all(turn.request is not None for turn in turns_of(planted.entries))


def test_facts_can_be_planted_where_nobody_asked_anything() -> None:
    planted = plant([Entry(id="a", role=Role.ASSISTANT, blocks=(Text("Hello."),))], 1, each=1)
    assert percent(serialise(planted.entries), planted) == 100


def test_case_and_spacing_do_not_matter() -> None:
    fact = PlantedFact(FactKind.NAME, "Who?", ("Ada Lovelace",))
    assert fact.is_in(folded("asked ADA\n  lovelace"))
    assert not fact.is_in(folded("Ada, Lovelace"))
    assert score("nobody", [fact]) == {FactKind.NAME: (0, 1)}


@pytest.mark.parametrize("summarise", SIMPLE)
@pytest.mark.parametrize("most", [50, 200, 2000])
def test_simple_summaries_keep_to_their_size(
    summarise: Callable[[Sequence[Entry], int], str], most: int, planted: Planted
) -> None:
    text = summarise(planted.entries, most)
    assert 0 < tokens(text) <= most + 20  # the mark of what was left out


@given(st.integers(0, 500), st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_simple_summaries_take_any_size(most: int, turns: int) -> None:
    for summarise in SIMPLE:
        summarise(made_up(1, turns), most)


def test_a_conversation_of_no_entries_has_no_central_sentences() -> None:
    assert central_sentences([], 100) == ""
    assert last_messages(made_up(1, 1), 0) == ""


def test_a_short_conversation_is_kept_whole() -> None:
    entries = made_up(1, 1)
    assert head_and_tail(entries, 10_000) == last_messages(entries, 10_000) == serialise(entries)


def test_a_sentence_like_no_other_is_ranked_too() -> None:
    entries = [Entry(id="a", role=Role.USER, blocks=(Text("One two three. Four five six."),))]
    assert "Four five six." in central_sentences(entries, 100)


def test_central_sentences_of_a_long_conversation_are_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "MOST_SENTENCES", 5)
    assert len(central_sentences(made_up(1, 5), 10_000).splitlines()) == 5


def test_pruning_takes_away_the_results_alone() -> None:
    text = without_results(made_up(1, 3))
    assert "[Tool result]" not in text
    assert "[Assistant tool calls]" in text


@pytest.mark.parametrize(("ratio", "least"), [(5, 50), (10, 90), (20, 95), (50, 100)])
def test_the_digest_keeps_most_facts_and_more_than_any_simple_summary(ratio: int, least: int) -> None:
    planted = plant(made_up(1), 1)
    most = tokens(serialise(planted.entries)) * ratio // 100
    text = DigestSummariser(most).summarise(SummaryInput(entries=planted.entries)).text
    assert tokens(text) <= most
    kept = percent(text, planted)
    assert kept >= least
    assert all(kept > percent(summarise(planted.entries, most), planted) for summarise in SIMPLE)
