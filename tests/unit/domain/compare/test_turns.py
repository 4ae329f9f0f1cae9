from __future__ import annotations

from dataclasses import replace

from stemmata.domain.compare.turns import NOTHING, Call, Turn, TurnStep, turns_of
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.domain.tool_calls.outcomes import Outcome
from tests.unit.domain.talk import branch_summary, call, ran, result, says, shell, user

SECOND = 10**9


def turns(*entries: Entry) -> list[Turn]:
    return list(turns_of(TurnStep(at, entry, 10) for at, entry in enumerate(entries)))


def priced(entry: Entry, **usage: int) -> Entry:
    return replace(entry, usage=Usage(**usage))


def test_a_request_and_its_replies() -> None:
    first, second = turns(user(" Fix it "), says("I look.", ""), says("Done."), user("Thanks"))
    assert (first.entries, first.request, first.prompt) == ((0, 1, 2), 0, "Fix it")
    assert first.replies == ("I look.", "Done.")
    assert (second.entries, second.request, second.replies) == ((3,), 3, ())


def test_no_entries_give_no_turns() -> None:
    assert turns() == []


def test_a_branch_may_begin_in_the_middle_of_a_turn() -> None:
    first, second = turns(says("going on"), user("next"))
    assert (first.request, first.prompt, second.request) == (None, "", 1)


def test_a_message_written_by_a_tool_starts_no_turn() -> None:
    injected = user("caveat", flags=Flag.INJECTED)
    [only] = turns(injected, user("ask"), says("yes"), injected)
    assert (only.entries, only.request, only.prompt) == ((0, 1, 2, 3), 1, "ask")


def test_settings_and_summaries_before_the_first_request_belong_to_it() -> None:
    setting = Entry(id="m", kind=Kind.MODEL_CHANGE, model="m")
    [only] = turns(setting, branch_summary("what was tried"), user("ask"))
    assert (only.request, only.entries) == (2, (0, 1, 2))
    [quiet] = turns(setting)
    assert quiet.request is None
    assert (only.totals.turns, quiet.totals.turns) == (1, 0)


def test_calls_have_the_outcome_of_their_result() -> None:
    [turn] = turns(
        user("go"), *ran("1", "pytest -q", "Command exited with code 2", failed=True), *ran("2", "ls"),
        says(call("3", "read", path="a.py"), call("4", "edit", path="b.py")), result("3"), shell("make", exitCode=1),
    )  # fmt: skip
    assert turn.calls == (
        Call("bash", "pytest -q", Outcome.FAILED, 2, is_command=True),
        Call("bash", "ls", Outcome.OK, None, is_command=True),
        Call("read", "a.py", Outcome.OK),
        Call("edit", "b.py", Outcome.UNFINISHED),
        Call("", "make", Outcome.FAILED, 1, is_command=True),
    )
    assert (turn.totals.calls, turn.totals.failed_commands) == (5, 2)
    assert (turn.read, turn.modified) == (("a.py",), ("b.py",))


def test_a_call_id_used_twice_gets_a_result_each() -> None:
    [turn] = turns(user("go"), *ran("1", "a", failed=True), *ran("1", "b"), says(call("1", "bash", command="c")))
    assert [made.outcome for made in turn.calls] == [Outcome.FAILED, Outcome.OK, Outcome.UNFINISHED]


def test_a_report_covers_the_messages_of_its_request() -> None:
    reply = priced(says("yes"), input=100, output=20, cache_read=5000, cache_write=30)
    assert turns(user("go"), reply)[0].totals.tokens == Figure.reported(150)


def test_messages_without_a_report_are_estimated() -> None:
    reply = priced(says("yes"), input=100, output=20)
    assert turns(user("go"), reply, result("1"))[0].totals.tokens == Figure.estimated(130)
    assert turns(user("go"), says("yes"))[0].totals.tokens == Figure.estimated(20)
    assert turns(Entry(id="m", kind=Kind.MODEL_CHANGE))[0].totals.tokens == NOTHING


def test_a_report_of_a_total_alone_counts() -> None:
    assert turns(user("go"), priced(says("yes"), total=90))[0].totals.tokens == Figure.reported(90)


def test_the_cost_is_known_when_all_replies_have_one() -> None:
    paid = priced(says("yes"), output=1, cost=400)
    assert turns(user("go"), paid, paid)[0].totals.cost == Figure.reported(800)
    assert turns(user("go"), paid, says("free?"))[0].totals.cost == UNKNOWN
    assert turns(user("go"), paid, says(flags=Flag.ABORTED))[0].totals.cost == Figure.reported(400)
    assert turns(user("go"))[0].totals.cost == NOTHING


def test_a_turn_lasts_from_its_first_entry_to_its_last() -> None:
    entries = [replace(entry, time=at * SECOND) for entry, at in ((user("go"), 5), (says("a"), 9), (says("b"), 7))]
    label = Entry(id="l", kind=Kind.LABEL, time=100 * SECOND)
    assert turns(*entries, label, says("no time"))[0].totals.time == Figure.reported(4 * SECOND)
    assert turns(user("go"))[0].totals.time == UNKNOWN


def test_totals_add_up_and_keep_their_weakest_part() -> None:
    first, second = turns(user("go"), priced(says("a"), output=5, cost=1), user("on"), says("b"))
    both = first.totals + second.totals
    assert (both.turns, both.tokens, both.cost) == (2, Figure.estimated(25), UNKNOWN)


def test_a_request_may_be_an_image_alone() -> None:
    [only] = turns(Entry(id="u", role=Role.USER), says("I see"))
    assert (only.request, only.prompt) == (0, "")
