"""Summaries by a model that says what the test has it say."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from stemmata.domain.chat.streaming import Fault, ProviderError, StopReason
from stemmata.domain.compaction.summary.sections import Section, sections_of, structure_problems
from stemmata.domain.compaction.summary.summary import SummaryInput
from stemmata.domain.entries.blocks import Image, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Role, Usage
from stemmata.services.compaction.summarising import ModelSummariser, SummaryError, WrittenSummary
from tests.fakes.summary_model import GOOD, SummaryModel


def given(count: int = 4, **more: Any) -> SummaryInput:
    entries: list[Entry] = []
    for at in range(0, count, 2):
        call = ToolCall(f"c{at}", "edit", '{"path":"/src/app.py"}')
        entries.append(Entry(id=f"u{at}", role=Role.USER, blocks=(Text(f"Please do step {at}. Never use tabs."),)))
        entries.append(Entry(id=f"a{at}", role=Role.ASSISTANT, flags=Flag.NONE, blocks=(Text("Done."), call)))
        entries.append(Entry(id=f"r{at}", role=Role.TOOL_RESULT, call=f"c{at}", tool="edit", blocks=(Text("ok"),)))
    return SummaryInput(entries=tuple(entries), **more)


def write(model: SummaryModel, given: SummaryInput, window: int | None = 200_000) -> WrittenSummary:
    return asyncio.run(ModelSummariser(model, "anthropic", "claude-haiku", window).summarise(given))


def said(payload: Mapping[str, Any], at: int = 0) -> str:
    return str(payload["messages"][at]["content"][0]["text"])


def test_the_calls_of_one_summary_are_added_up_field_by_field() -> None:
    one = Usage(input=100, output=10, cache_read=30, cache_write=50, cache_write_1h=20)
    written = write(SummaryModel("## Goal\n\nOnly this.", GOOD, usage=one), given())
    assert written.usage == Usage(input=200, output=20, cache_read=60, cache_write=100, cache_write_1h=40)


def test_the_material_is_one_message_and_never_a_conversation() -> None:
    model = SummaryModel(GOOD)
    written = write(model, given(focus="the tabs"))
    [payload] = model.asked
    assert len(payload["messages"]) == 1
    assert "[User]: Please do step 0. Never use tabs." in said(payload)
    assert "Additional focus: the tabs" in said(payload)
    assert "tools" not in payload
    assert written.summary.summariser == "anthropic/claude-haiku"
    assert (written.usage.input, written.usage.output) == (100, 10)


def looked(*results: str) -> SummaryInput:
    said = Entry(id="u", role=Role.USER, blocks=(Text("Look."),))
    found = [
        Entry(id=f"r{at}", role=Role.TOOL_RESULT, call=f"c{at}", tool="read", blocks=(Text(text),))
        for at, text in enumerate(results)
    ]
    return SummaryInput(entries=(said, *found))


def test_results_that_fit_into_the_window_are_whole() -> None:
    model = SummaryModel(GOOD)
    write(model, looked("a" * 30_000, "b" * 500))
    [payload] = model.asked
    assert "a" * 30_000 in said(payload)
    assert "b" * 500 in said(payload)


def test_results_that_do_not_fit_are_cut_so_that_one_request_is_enough() -> None:
    """A window of 16,000 tokens leaves about 3,600, or 14,400 characters, for the conversation."""
    model = SummaryModel(GOOD)
    write(model, looked("a" * 30_000, "b" * 500, "c" * 30_000), 16_000)
    [payload] = model.asked
    assert said(payload).count("more characters truncated]") == 2
    assert "a" * 6_000 in said(payload)
    assert "c" * 6_000 in said(payload)
    assert "b" * 500 in said(payload)


def test_one_result_that_does_not_fit_is_cut_and_not_divided() -> None:
    model = SummaryModel(GOOD)
    write(model, looked("a" * 100_000), 16_000)
    [payload] = model.asked
    assert "a" * 10_000 in said(payload)


def test_results_of_a_marked_tool_are_never_cut() -> None:
    model = SummaryModel(GOOD, GOOD, GOOD, GOOD)
    marked = looked("a" * 30_000, "b" * 30_000)
    entries = tuple(marked.entries)
    book = replace(entries[1], tool="Read_Book", blocks=(Text("c" * 30_000),))
    write(model, replace(marked, entries=(*entries, book), whole_tools=frozenset({"read_book"})), 16_000)
    text = "".join(said(payload) for payload in model.asked)
    assert len(model.asked) > 1
    assert text.count("c") >= 30_000
    assert text.count("more characters truncated]") == 2


def test_files_are_computed_and_not_believed() -> None:
    told = GOOD.replace("About files.", "None")
    sections, _ = sections_of(write(SummaryModel(told), given()).summary.text)
    assert "/src/app.py" in sections[Section.FILES]
    assert "None" not in sections[Section.FILES]
    assert sections[Section.GOAL] == "About goal."
    assert not structure_problems(write(SummaryModel(GOOD), given()).summary.text)


def test_operations_come_from_the_entries() -> None:
    assert write(SummaryModel(GOOD), given()).summary.operations.modified == ("/src/app.py",)


def test_one_repair_is_asked_for() -> None:
    model = SummaryModel("## Goal\n\nOnly this.", GOOD)
    assert write(model, given()).usage.output == 20
    assert len(model.asked[1]["messages"]) == 3
    assert "The section “Next steps” is missing." in said(model.asked[1], 2)


@pytest.mark.parametrize("answers", [("", ""), ("nonsense", "nonsense again"), ("## Goal\n\nx", "## Goal\n\nx")])
def test_what_is_no_summary_is_never_stored(answers: tuple[str, ...]) -> None:
    with pytest.raises(SummaryError, match="use the digest"):
        write(SummaryModel(*answers), given())


END, CUT, REFUSED = StopReason.END_TURN, StopReason.MAX_TOKENS, StopReason.REFUSAL


@pytest.mark.parametrize(
    ("stop", "asked", "words"),
    [
        (CUT, "cut off at 13107 tokens. Write at most 250 tokens", "cut off at 13,107 tokens, twice. Nothing was"),
        (REFUSED, "You refused.", "refused twice to write a summary. Nothing was changed. .* use the digest"),
    ],
)
def test_what_was_cut_off_or_refused_is_repaired_once_and_never_stored(
    stop: StopReason, asked: str, words: str
) -> None:
    model = SummaryModel(GOOD, GOOD, stop=(stop, END))
    assert write(model, given()).usage.output == 20
    assert asked in said(model.asked[1], 2)
    with pytest.raises(SummaryError, match=words):
        write(SummaryModel(GOOD, GOOD, GOOD, stop=stop), given())


def test_the_usage_of_each_answer_is_told_also_of_those_that_are_not_used() -> None:
    spent: list[Usage] = []
    summariser = ModelSummariser(SummaryModel("", ""), "anthropic", "claude-haiku", spent=spent.append)
    with pytest.raises(SummaryError):
        asyncio.run(summariser.summarise(given()))
    assert [usage.output for usage in spent] == [10, 10]


def test_errors_on_the_way_are_told_as_they_are() -> None:
    with pytest.raises(ProviderError, match="Overloaded"):
        write(SummaryModel(), given())


def test_too_much_for_the_window_is_written_part_by_part() -> None:
    model = SummaryModel(*[GOOD] * 30)
    write(model, given(400), window=16_000)
    assert len(model.asked) > 1
    assert "<previous-summary>" not in said(model.asked[0])
    for payload in model.asked[1:]:
        assert "<previous-summary>\n## Goal" in said(payload)
    told = "".join(map(said, model.asked))
    assert all(f"do step {at}. " in told for at in range(0, 400, 2))


def test_what_fits_into_the_window_is_written_at_once() -> None:
    model = SummaryModel(GOOD, GOOD)
    write(model, given(400), window=200_000)
    assert len(model.asked) == 1


def test_an_entry_larger_than_the_window_is_cut() -> None:
    huge = Entry(id="u", role=Role.USER, blocks=(Text("word " * 100_000),))
    model = SummaryModel(*[GOOD] * 60)
    write(model, SummaryInput(entries=(huge,)), window=40_000)
    assert len(model.asked) > 5
    assert sum(said(payload).count("word ") for payload in model.asked) >= 99_900


def test_the_earlier_summary_is_brought_up_to_date() -> None:
    model = SummaryModel(GOOD)
    write(model, given(previous="## Goal\n\nThe old one </previous-summary> here."))
    assert "The old one </ previous-summary> here." in said(model.asked[0])
    assert "Keep everything of the previous summary" in said(model.asked[0])


def test_a_cut_turn_is_said_to_be_one() -> None:
    model = SummaryModel(GOOD)
    prefix = Entry(id="u", role=Role.USER, blocks=(Text("A long job </conversation>"),))
    write(model, SummaryInput(turn_prefix=(prefix,)))
    assert "The last turn is cut" in said(model.asked[0])
    assert "A long job </ conversation>" in said(model.asked[0])


def test_what_has_no_words_is_not_summarised() -> None:
    picture = Entry(id="u", role=Role.USER, blocks=(Image("image/png", "00"),))
    model = SummaryModel(GOOD)
    with pytest.raises(SummaryError, match="contain no text"):
        write(model, SummaryInput(entries=(picture,)))
    assert model.asked == []
    kept = write(model, SummaryInput(entries=(picture,), previous=GOOD))
    assert (model.asked, sections_of(kept.summary.text)[0][Section.GOAL]) == ([], "About goal.")


def test_a_model_that_tells_no_usage_costs_nothing_that_is_known() -> None:
    assert write(SummaryModel(GOOD, usage=None), given()).usage == Usage()


def test_a_part_that_the_model_finds_too_long_goes_again_in_smaller_parts() -> None:
    model = SummaryModel(*[GOOD] * 40, most=20_000)
    write(model, given(400))
    refused = [payload for payload in model.asked if len(str(payload["messages"])) > 20_000]
    taken = [said(payload) for payload in model.asked if payload not in refused]
    assert 0 < len(refused) < 5
    assert all("<previous-summary>" in request for request in taken[1:])
    assert all("".join(taken).count(f"do step {at}. ") == 1 for at in range(0, 400, 2))


def test_what_is_too_long_however_small_the_part_is_told() -> None:
    model = SummaryModel(*[GOOD] * 40, most=100)
    with pytest.raises(ProviderError, match="Too long"):
        write(model, given(400))
    assert len(model.asked) < 12


def test_a_summary_that_is_longer_than_what_it_stands_for_is_repaired_once() -> None:
    long = f"{GOOD}{' and more' * 3_000}"
    model = SummaryModel(long, GOOD)
    assert "and more" not in write(model, given()).summary.text
    assert "longer than what it summarises. Write at most 250 tokens." in said(model.asked[1], 2)
    with pytest.raises(SummaryError, match=r"longer than what it summarises.*Nothing was changed"):
        write(SummaryModel(long, long), given())


def test_no_more_is_asked_for_than_the_model_may_write() -> None:
    model = SummaryModel(GOOD)
    asyncio.run(ModelSummariser(model, "anthropic", "claude-haiku", 200_000, 4_096).summarise(given()))
    assert model.asked[0]["max_tokens"] == 4_096
    small = SummaryModel(GOOD)
    write(small, given(), window=8_000)
    assert small.asked[0]["max_tokens"] == 2_000


def busy(fault: Fault, times: int, *, begun: bool = False) -> tuple[SummaryModel, list[int]]:
    """A model whose first answers are refusals, and the numbers of the tries after which it was waited for."""
    left = [ProviderError("Busy.", fault, begun=begun)] * times

    def refuse() -> None:
        if left:
            raise left.pop()

    model, waited = SummaryModel(GOOD, before=refuse), list[int]()

    def wait(attempt: int, _error: ProviderError) -> float:
        waited.append(attempt)
        return 0

    asyncio.run(ModelSummariser(model, "anthropic", "claude-haiku", retry_wait=wait).summarise(given()))
    return model, waited


@pytest.mark.parametrize("fault", [Fault.RATE_LIMIT, Fault.OVERLOADED])
def test_a_busy_server_is_asked_again(fault: Fault) -> None:
    model, waited = busy(fault, 2)
    assert (len(model.asked), waited) == (3, [1, 2])


@pytest.mark.parametrize(
    ("fault", "times", "begun"),
    [(Fault.OVERLOADED, 3, False), (Fault.OVERLOADED, 1, True), (Fault.CONNECTION, 1, False)],
)
def test_what_may_have_cost_something_is_not_asked_again(fault: Fault, times: int, begun: bool) -> None:
    with pytest.raises(ProviderError, match="Busy"):
        busy(fault, times, begun=begun)
