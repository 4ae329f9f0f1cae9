"""What automatic compaction tells: notes, events, and what can be refused."""

from __future__ import annotations

import json

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.run import AutoCompacting, CompactionStage, Noticed, Phase, ToolOutcome
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.compaction.advice import Cause
from stemmata.domain.context.breakdown import Budget
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Flag, Kind, Usage
from stemmata.domain.errors import NoGainError
from stemmata.domain.sessions.details import is_compacted_by_hand
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.domain.text.phrases import from_data
from stemmata.services.chat.compaction_notices import advice, compacted, cost_of_failure, price_text, settings_told
from stemmata.services.compaction.request import Compaction, CompactionRequest
from tests.fakes.scripted_provider import Gate, ScriptedBench, said
from tests.fakes.waiting import PATIENCE
from tests.unit.domain.compaction.test_advice import breakdown
from tests.unit.services.chat.test_auto_compaction import SUMMARY, compactions, due, settled

FULL = said(Text("Now."), usage=Usage(input=450, output=5))


def noticed(chat: ScriptedBench) -> list[Noticed]:
    return [event for event in chat.events if isinstance(event, Noticed)]


def stages(chat: ScriptedBench) -> list[CompactionStage]:
    return [event.stage for event in chat.events if isinstance(event, AutoCompacting)]


def test_note_and_compaction_are_one_move_of_the_leaf(chat: ScriptedBench) -> None:
    session = due(chat)
    chat.talk(session, "one more", FULL, said(Text(SUMMARY)))
    settled(chat)
    [(compaction, _), (note, body)] = chat.path(session)[-2:]
    assert (compaction.kind, note.kind, note.flags) == (
        Kind.COMPACTION, Kind.CUSTOM_MESSAGE, Flag.OWN | Flag.EXCLUDED,
    )  # fmt: skip
    [told] = noticed(chat)
    assert (told.tip, told.has_changed, told.offers_digest) == (note.key, True, False)
    assert told.title.startswith("⚙️ Compacted (")
    assert from_data(json.loads(body.details)["phrase"]) == told.text  # so that the window can translate it
    assert chat.told(session)[-1] == f"custom: {told.text}"
    assert stages(chat)[-2:] == [CompactionStage.WRITING, CompactionStage.OVER]
    chat.services.histories.undo(session).result()
    assert chat.path(session)[-1][0].role.text == "assistant"


def test_advice_can_be_translated_and_names_its_figures() -> None:
    settings = CompactionSettings()
    told = advice(tuple(Cause), Budget.of(16_000, settings), breakdown(system=5_000, tool_results=6_000, total=9_000))
    assert told.splitlines()[1:] == [
        "- The model’s window is small (16k tokens). Choose a model with a larger window.",
        "- 9.6k of 16k tokens are reserved, so compaction begins at 6.4k. Lower compaction.reserve_tokens.",
        "- The system prompt and the tools take 5k tokens, and no compaction leaves them out. Offer fewer tools.",
        "- Tool results take 6k of 9k tokens. Prune tool output, or lower compaction.tool_keep_threshold.",
        "- Single messages or replies are large. Cut or exclude them in the context.",
    ]


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (Usage(), "The server reported no tokens for the attempt."),
        (Usage(input=1_200, output=30), "The attempt cost 1.2k tokens in, 30 out."),
        (Usage(input=1_200, output=30, cost=250_000), "The attempt cost 1.2k tokens in, 30 out, $0.25."),
        (Usage(output=30, cost=1_234), "The attempt cost 0 tokens in, 30 out, $0.0012."),
    ],
)
def test_what_a_failure_cost(usage: Usage, told: str) -> None:
    assert cost_of_failure(usage) == told
    assert price_text(0) == "$0.00"


@pytest.mark.parametrize("prices", [True, False])
def test_the_cost_of_all_answers_is_told(chat: ScriptedBench, prices: bool) -> None:
    session = due(chat)
    price = 1_000_000 if prices else None
    chat.services.catalogue = Catalogue({"m": Model("m", 1000, input_price=price, output_price=price)})
    empty = said(Text(" "), usage=Usage(input=20_000, output=1_000))
    chat.talk(session, "one more", FULL, empty, empty)
    settled(chat)
    cost = ", $0.04" if prices else ""
    assert f"The attempt cost 40k tokens in, 2k out{cost}." in chat.told(session)[-1]
    [told] = noticed(chat)
    assert (told.offers_digest, told.has_changed) == (True, False)


def test_a_digest_that_brings_nothing_says_why_it_is_asked_for_so_often(chat: ScriptedBench) -> None:
    session = due(chat)

    async def no_gain(request: CompactionRequest) -> Compaction:
        raise NoGainError(f"A compaction of {request.session} would not make the context smaller.")

    chat.runs.parts.auto_compaction._compact_with = no_gain
    chat.talk(session, "one more", FULL)
    settled(chat)
    told = chat.told(session)[-1]
    assert "would not make the context smaller" in told
    assert "The model’s window is small" in told
    assert "cost" not in told
    assert not noticed(chat)[-1].offers_digest


def test_notices_can_be_switched_off(chat: ScriptedBench) -> None:
    session = due(chat)
    chat.services.contexts.settings = chat.services.contexts.settings._replace(notify=False, summariser="digest")
    chat.say(session, "one more " * 40)
    chat.talk(session, "one more", FULL)
    settled(chat)
    assert chat.path(session)[-1][0].kind is Kind.COMPACTION
    assert noticed(chat) == []


@pytest.mark.parametrize("notify", [True, False])
def test_a_pruning_is_told(chat: ScriptedBench, notify: bool) -> None:
    session = chat.session()
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(enabled=False, notify=notify)
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("line " * 300),))}
    usage = Usage(input=100, output=5)
    chat.talk(session, "look", said(ToolCall("c1", "look"), usage=usage), said(Text("Seen."), usage=usage))
    chat.services.contexts.settings = settings._replace(notify=notify)
    chat.talk(session, "and", said(Text("Now."), usage=Usage(input=480, output=5)))
    settled(chat)
    titles = [event.title for event in noticed(chat)]
    assert titles[:1] == (["🔧 Tool outputs pruned (≈ 376 → ≈ 1, −100%)"] if notify else [])
    kinds = [row.kind for row, _ in chat.path(session)]
    after = kinds.index(Kind.TOOL_PRUNE) + 1
    assert kinds[after : after + 1] == ([Kind.CUSTOM_MESSAGE] if notify else [])


def test_one_summary_at_a_time_is_written(chat: ScriptedBench) -> None:
    session, gate = due(chat), Gate()
    chat.provider.scripts += [FULL, [gate, *said(Text(SUMMARY))], FULL]
    chat.send(session, "one more")
    gate.reached.result(PATIENCE)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    chat.say(session, "meanwhile")
    assert len(chat.provider.requests) == 6  # three before, two replies, one summary
    gate.open()
    settled(chat)
    assert len(compactions(chat, session)) == 1


def test_a_request_that_does_not_fit_waits_for_the_summary(chat: ScriptedBench) -> None:
    session, gate = due(chat), Gate()
    chat.provider.scripts += [FULL, [gate, *said(Text(SUMMARY))], said(Text("Here."))]
    chat.send(session, "one more")
    gate.reached.result(PATIENCE)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    chat.send(session, "long " * 50)
    chat.wait_phase(session, Phase.COMPACTING)
    gate.open()
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    settled(chat)
    assert len(compactions(chat, session)) == 1
    assert chat.told(session)[-1] == "assistant: Here."


def test_a_branch_that_was_left_costs_and_says_so(chat: ScriptedBench) -> None:
    session, gate = due(chat), Gate()
    away = chat.path(session)[0][0].key
    chat.provider.scripts += [FULL, [gate, *said(Text(SUMMARY))]]
    chat.send(session, "one more")
    gate.reached.result(PATIENCE)
    chat.services.branching.move_leaf(session, away).result()
    gate.open()
    settled(chat)
    words = "The session's leaf moved to another branch. Nothing was changed. The attempt cost 10 tokens in, 5 out."
    assert chat.told(session)[-1] == f"custom: {words}"


# -- the countdown --------------------------------------------------------------------------------------------


def awaited(chat: ScriptedBench) -> bool:
    return CompactionStage.AWAITED in stages(chat)


def with_countdown(chat: ScriptedBench, seconds: float = PATIENCE) -> int:
    session = due(chat)
    chat.services.contexts.settings = chat.services.contexts.settings._replace(summariser="digest")
    chat.runs.count_down(seconds)
    chat.events.clear()
    return session


def test_the_first_one_is_counted_down_and_begins_at_a_word(chat: ScriptedBench) -> None:
    session = with_countdown(chat)
    chat.talk(session, "one more", FULL)
    chat.wait(lambda: awaited(chat))
    [event] = [event for event in chat.events if isinstance(event, AutoCompacting)]
    assert event.begins_at > chat.services.clock.now()
    assert compactions(chat, session) == []
    chat.runs.answer_compaction(session, begin=True)
    chat.runs.answer_compaction(session, begin=False)  # too late
    settled(chat)
    assert len(compactions(chat, session)) == 1
    chat.events.clear()
    chat.talk(session, "one more " * 30, said(Text("Now."), usage=Usage(input=500, output=5)))
    settled(chat)
    assert not awaited(chat)  # one on this branch was automatic already
    assert len(compactions(chat, session)) == 2


def test_a_countdown_that_is_over_compacts(chat: ScriptedBench) -> None:
    session = with_countdown(chat, 0.01)
    chat.talk(session, "one more", FULL)
    settled(chat)
    assert len(compactions(chat, session)) == 1


def test_a_refusal_holds_until_the_context_has_grown(chat: ScriptedBench) -> None:
    session = with_countdown(chat)
    chat.talk(session, "one more", FULL)
    chat.wait(lambda: awaited(chat))
    chat.runs.answer_compaction(session, begin=False)
    settled(chat)
    chat.events.clear()
    chat.talk(session, "and", said(Text("Now."), usage=Usage(input=455, output=5)))
    settled(chat)
    assert not awaited(chat)
    chat.talk(session, "and", said(Text("Now."), usage=Usage(input=510, output=5)))
    chat.wait(lambda: awaited(chat))
    chat.runs.answer_compaction(session, begin=True)
    settled(chat)
    assert len(compactions(chat, session)) == 1


def test_undoing_it_asks_again(chat: ScriptedBench) -> None:
    session = with_countdown(chat, 0.01)
    chat.talk(session, "one more", FULL)
    settled(chat)
    chat.services.histories.undo(session).result()
    chat.runs.count_down(PATIENCE)
    chat.events.clear()
    chat.send(session, "one more")
    chat.wait(lambda: awaited(chat))
    chat.runs.answer_compaction(session, begin=False)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    settled(chat)


def test_before_a_request_it_is_refused_as_well(chat: ScriptedBench) -> None:
    session = with_countdown(chat)
    chat.provider.scripts = [said(Text("Here."), usage=Usage(input=455, output=1))]
    chat.send(session, "long " * 260)
    chat.wait(lambda: awaited(chat))
    assert chat.runs.state(session).phase is Phase.COMPACTING
    chat.runs.answer_compaction(session, begin=False)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    settled(chat)
    assert compactions(chat, session) == []
    assert chat.told(session)[-1] == "assistant: Here."


# -- the switch of a session ----------------------------------------------------------------------------------


def test_a_session_can_be_left_out(chat: ScriptedBench) -> None:
    session = due(chat)
    chat.services.sessions.set_manual_compaction(session, on=True).result()
    too_long = ProviderError("Too long.", Fault.OVERFLOW, limit=1000)
    chat.talk(session, "one more", FULL)
    settled(chat)
    chat.talk(session, "one more", [too_long])
    settled(chat)
    assert compactions(chat, session) == []
    assert chat.runs.state(session).phase is Phase.FAILED
    facts = chat.services.facts(session).result()
    assert not facts.is_automatic
    chat.services.sessions.set_manual_compaction(session, on=False).result()
    assert chat.services.facts(session).result().is_automatic
    chat.services.contexts.settings = chat.services.contexts.settings._replace(enabled=False)
    assert not chat.services.facts(session).result().is_automatic


def test_status_tells_the_switch(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.services.connecting  # noqa: B018 - the commands need it
    told = [chat.services.commands.run(session, "/status").result().text]
    chat.services.sessions.set_manual_compaction(session, on=True).result()
    told.append(chat.services.commands.run(session, "/status").result().text)
    chat.services.sessions.set_manual_compaction(session, on=False).result()
    chat.services.contexts.settings = chat.services.contexts.settings._replace(enabled=False)
    told.append(chat.services.commands.run(session, "/status").result().text)
    lines = [line for text in told for line in text.splitlines() if "Automatic" in line]
    assert lines == [
        "- Automatic compaction: on",
        "- Automatic compaction: off for this session",
        "- Automatic compaction: off in the settings",
    ]


def test_forks_and_continuations_keep_the_switch(chat: ScriptedBench) -> None:
    session = due(chat)
    leaf = chat.path(session)[-1][0].key
    chat.services.sessions.set_manual_compaction(session, on=True).result()
    fork = chat.services.branching.fork(session, leaf).result()
    request = CompactionRequest(session=session, leaf=leaf, text="## Goal\n\nShort.")
    made = chat.services.compaction.run_in_new_session(request).result()
    assert made.session is not None
    continued = chat.services.sessions.get(made.session).result()
    assert is_compacted_by_hand(fork.details)
    assert is_compacted_by_hand(continued.details)


def test_the_settings_are_told_in_lines() -> None:
    assert settings_told(CompactionSettings()) == (
        "Threshold: 80% of the window, 16.4k tokens reserved",
        "Keeps: 20k tokens",
        "Prunes: tool results above 8k tokens, keeps 2k tokens, policy auto",
        "Notices: on",
        "Resumes in full up to: 70% of the window",
    )
    others = settings_told(CompactionSettings(keep_recent_messages=12, notify=False))
    assert (others[1], others[3]) == ("Keeps: 12 messages", "Notices: off")
    assert settings_told(CompactionSettings(keep_recent_messages=1))[1] == "Keeps: 1 message"


def test_one_token_is_told_in_the_singular() -> None:
    after = breakdown(system=1, tool_results=1, total=2)
    done = Compaction(plan=None, before=after, after=after, summary=None)  # type: ignore[arg-type] # not told here
    assert compacted(done).splitlines()[1:3] == [
        "- 🔧 System with tool definitions: ≈ 1 token (inferred from the first report)",
        "- 🛠️ Tools: ≈ 1 token of calls",
    ]


def test_definitions_that_are_not_known_apart_are_told_with_the_system() -> None:
    after = breakdown(system=500, tool_results=300, total=800)
    done = Compaction(plan=None, before=after, after=after, summary=None)  # type: ignore[arg-type] # not told here
    assert compacted(done).splitlines()[1:] == [
        "- 🔧 System with tool definitions: ≈ 500 tokens (inferred from the first report)",
        "- 🛠️ Tools: ≈ 300 tokens of calls",
        "- 📊 Total: ≈ 800",
    ]
