"""Compaction by itself where a model writes: it takes a while, and chatting goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.run import Phase, ToolOutcome
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.compaction.summary.sections import Section
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import Kind, Usage
from stemmata.domain.errors import KnownError, NoGainError, NotFoundError, NothingToDoError
from stemmata.domain.settings.settings import ChatSettings, CompactionSettings
from stemmata.services.compaction.request import Compaction, CompactionRequest
from tests.fakes.scripted_provider import Gate, ScriptedBench, Step, said
from tests.fakes.waiting import PATIENCE

SUMMARY = "\n\n".join(f"## {section.value}\n\nWhat matters of it." for section in Section)
SUMMARY = SUMMARY.replace("## Progress\n\nWhat", "## Progress\n\n### Done\n\nWhat")
LONG = "A long story about nothing much. " * 20


def due(chat: ScriptedBench) -> int:
    """A session whose next reply makes a compaction due."""
    session = chat.session()
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(enabled=False, summariser="model")
    for at in range(3):
        chat.talk(session, f"question {at}", said(Text(LONG), usage=Usage(input=50, output=100)))
    settled(chat)
    chat.services.contexts.settings = settings._replace(summariser="model")
    return session


def compactions(chat: ScriptedBench, session: int) -> list[dict[str, Any]]:
    found = [body for row, body in chat.path(session) if row.kind is Kind.COMPACTION]
    return [json.loads(body.details) | {"text": plain_text(body.blocks)} for body in found]


def settled(chat: ScriptedBench) -> None:
    chat.runs.settled().result(PATIENCE)


def failure(chat: ScriptedBench, session: int, next_try: str) -> str:
    """The note about a model that is busy."""
    digest = "The digest needs no model: choose it in the preview of a compaction."
    tried = f"Stemmata tries to compact automatically again {next_try}" if next_try.startswith("after") else next_try
    return f"custom: Busy. The server reported no tokens for the attempt. {tried} {digest}"


OFF = "Automatic compaction is off for this session until you compact it with /compact."


def failures(chat: ScriptedBench, session: int, *, is_in_turn: bool = False) -> list[str]:
    """The notes about a model that is busy five times in a row. `is_in_turn`: before the reply of a turn."""
    tries = ["after the next reply.", "after 2 more replies.", "after 4 more replies.", "after 8 more replies.", OFF]
    if is_in_turn:
        tries = [
            "after 2 more replies.",
            "after 3 more replies.",
            "after 5 more replies.",
            "after 9 more replies.",
            OFF,
        ]
    return [failure(chat, session, next_try) for next_try in tries]


def test_what_is_said_while_the_model_writes_stays_behind_the_cut(chat: ScriptedBench) -> None:
    session, gate = due(chat), Gate()
    chat.provider.scripts += [said(Text("Now."), usage=Usage(input=450, output=5)), [gate, *said(Text(SUMMARY))]]
    chat.send(session, "one more")
    gate.reached.result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE
    chat.services.contexts.settings = chat.services.contexts.settings._replace(enabled=False)
    chat.talk(session, "meanwhile", said(Text("I am here."), usage=Usage(input=460, output=5)))
    gate.open()
    settled(chat)
    [found] = compactions(chat, session)
    assert (found["trigger"], found["summariser"]) == ("threshold", "local/m")
    assert "What matters of it." in found["text"]
    assert [row.kind for row, _ in chat.path(session)[-2:]] == [Kind.COMPACTION, Kind.CUSTOM_MESSAGE]
    chat.talk(session, "and then?")
    sent = json.dumps(chat.provider.requests[-1])
    assert "meanwhile" in sent
    assert "question 0" not in sent


def test_who_has_left_for_another_branch_is_not_followed(chat: ScriptedBench) -> None:
    session, gate = due(chat), Gate()
    away = chat.path(session)[0][0].key
    chat.provider.scripts += [said(Text("Now."), usage=Usage(input=450, output=5)), [gate, *said(Text(SUMMARY))]]
    chat.send(session, "one more")
    gate.reached.result(PATIENCE)
    chat.services.branching.move_leaf(session, away).result()
    gate.open()
    settled(chat)
    tree = chat.services.sessions.open(session).result().tree
    assert not list(tree.of_kind(Kind.COMPACTION))


def test_a_model_that_fails_leaves_the_session_as_it_was(chat: ScriptedBench) -> None:
    session = due(chat)
    broken = [ProviderError("Busy.", Fault.REQUEST)]
    chat.talk(session, "one more", said(Text("Now."), usage=Usage(input=450, output=5)), broken)
    settled(chat)
    assert compactions(chat, session) == []
    assert chat.runs.state(session).phase is Phase.IDLE
    assert chat.told(session)[-1] == failure(chat, session, "after the next reply.")


def test_a_model_that_fails_is_asked_ever_more_rarely_and_then_no_more(chat: ScriptedBench) -> None:
    session = due(chat)
    asked = []
    for at in range(32):
        before = len(chat.provider.requests)
        broken = [ProviderError("Busy.", Fault.REQUEST)]
        chat.provider.scripts = [said(Text("Now."), usage=Usage(input=450, output=5)), broken]
        chat.say(session, "more")
        settled(chat)
        asked += [at] if len(chat.provider.requests) - before == 2 else []
    assert asked == [0, 1, 3, 7, 15]
    notes = [told for told in chat.told(session) if told.startswith("custom: ")]
    assert notes == failures(chat, session)
    compact = chat.services.compaction
    leaf = chat.path(session)[-1][0].key
    compact.run(CompactionRequest(session=session, leaf=leaf, text="## Goal\n\nShort.")).result()
    chat.provider.scripts = [said(Text("Now."), usage=Usage(input=450, output=5)), said(Text(SUMMARY))]
    before = len(chat.provider.requests)
    chat.say(session, "more " * 60)
    settled(chat)
    assert len(chat.provider.requests) - before == 2


def test_what_the_person_notes_is_no_failure(chat: ScriptedBench) -> None:
    session = due(chat)
    reply = said(Text("Now."), usage=Usage(input=450, output=5))
    for at in range(3):
        chat.provider.scripts = [reply, [ProviderError("Busy.", Fault.REQUEST)]]
        chat.say(session, "more")
        settled(chat)
        chat.runs.note(session, f"note {at}").result()
    assert [told for told in chat.told(session) if told.startswith("custom: ")] == [
        failure(chat, session, "after the next reply."),
        "custom: note 0",
        failure(chat, session, "after 2 more replies."),
        "custom: note 1",
        "custom: note 2",
    ]


def test_a_summary_that_brings_nothing_is_not_stored_and_told(chat: ScriptedBench) -> None:
    session = due(chat)
    long = SUMMARY.replace("What matters of it.", "What matters of it. " * 100)
    reply = said(Text("Now."), usage=Usage(input=450, output=5))
    chat.talk(session, "one more", reply, said(Text(long)), said(Text(long)))
    settled(chat)
    assert compactions(chat, session) == []
    assert "longer than what it summarises" in chat.told(session)[-1]


def test_a_refused_request_is_compacted_by_the_model(chat: ScriptedBench) -> None:
    session = due(chat)
    too_long = ProviderError("Too long.", Fault.OVERFLOW, limit=1000)
    chat.talk(session, "one more", [too_long], said(Text(SUMMARY)), said(Text("Now.")))
    settled(chat)
    [found] = compactions(chat, session)
    assert (found["trigger"], found["summariser"]) == ("overflow", "local/m")
    assert chat.told(session)[-1] == "assistant: Now."


def test_what_cannot_be_read_behind_a_reply_leaves_the_reply_as_it_is(chat: ScriptedBench) -> None:
    async def fails(session: int, *, at_once: bool = False) -> int | None:
        raise NotFoundError("The session is gone.")

    chat.runs.parts.auto_compaction.when_due = fails  # type: ignore[method-assign] # of this one bench
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi.")))
    settled(chat)
    assert chat.told(session) == ["user: Hello", "assistant: Hi."]


PROMPT = "Read the next file, fix what is wrong with it, and tell me what you did and why you did it. " * 12


def reported(chat: ScriptedBench, fixed: int = 0) -> Iterator[Step]:
    """Return a reply that reports the usage of its request, and `fixed` tokens for the system prompt."""
    sent = sum(len(str(message["content"])) for message in chat.provider.requests[-1]["messages"]) // 4
    yield from said(Text(f"Done. {LONG}"), usage=Usage(input=sent + fixed, output=170))


def with_window(chat: ScriptedBench, window: int, **facts: Any) -> int:
    """A session of a model with this window, and the settings that people have."""
    chat.services.contexts.adopt(Catalogue({"m": Model("m", window)}))
    chat.services.contexts.settings = CompactionSettings()._replace(**facts)
    return chat.session()


@pytest.mark.parametrize(("wanted", "kept"), [(4, 4), (40, 9)])
def test_it_keeps_a_number_of_messages_as_long_as_they_are_small(chat: ScriptedBench, wanted: int, kept: int) -> None:
    """Nine messages reach the 2,000 tokens that a compaction may leave in this window."""
    session = with_window(chat, 10_000, reserve_tokens=0, keep_recent_messages=wanted)
    while not compactions(chat, session):
        chat.provider.scripts = [reported(chat)]
        chat.say(session, PROMPT)
        settled(chat)
    [found] = compactions(chat, session)
    assert found["kept"] == kept


def turns_between_compactions(chat: ScriptedBench, session: int, turns: int, fixed: int = 0) -> list[int]:
    at = []
    for turn in range(turns):
        before = len(compactions(chat, session))
        chat.provider.scripts = [reported(chat, fixed)]
        chat.say(session, f"{turn}. {PROMPT}")
        settled(chat)
        if len(compactions(chat, session)) > before:
            at.append(turn)
    return [later - earlier for earlier, later in pairwise(at)]


def test_in_a_small_window_a_compaction_lasts_for_many_turns(chat: ScriptedBench) -> None:
    """Trigger 15,616 tokens, a turn of about 450: half of the trigger is won each time, however long the session."""
    between = turns_between_compactions(chat, with_window(chat, 32_000), 110)
    assert len(between) >= 3
    assert min(between) >= 12


@pytest.mark.parametrize("fixed", [15_000, 26_000])
def test_a_large_system_prompt_does_not_make_every_reply_compact(chat: ScriptedBench, fixed: int) -> None:
    """With 26,000 tokens the context is beyond its trigger whatever a compaction leaves out."""
    session = with_window(chat, 64_000, reserve_tokens=48_000, keep_recent_tokens=1_000)
    between = turns_between_compactions(chat, session, 50, fixed)
    assert between
    assert min(between) >= 4


def test_in_a_small_window_the_summary_is_bounded_by_it(chat: ScriptedBench) -> None:
    session = with_window(chat, 32_000)
    turns_between_compactions(chat, session, 60)
    [*_, last] = compactions(chat, session)
    assert len(last["text"]) <= 4 * 15_616 // 4
    leaf = chat.path(session)[-1][0].key
    request = CompactionRequest(session=session, leaf=leaf, keep_recent_tokens=100, longest_summary=400)
    drafted = chat.services.compaction.draft(request).result()
    assert len(drafted.summary.text) <= 1_600
    assert chat.services.compaction.material(request).result().longest == 400


def nearly_full(chat: ScriptedBench, turns: int = 6, sent: int = 450) -> int:
    """A session whose next request has no room for its reply (limit 500 of 1,000), and is compacted by the model."""
    session = chat.session()
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(enabled=False)
    for at in range(turns):
        chat.talk(session, f"question {at}", said(Text(LONG), usage=Usage(input=sent, output=100)))
    settled(chat)
    chat.services.contexts.settings = settings._replace(summariser="model", threshold_percent=100, reserve_tokens=1)
    chat.provider.requests.clear()
    return session


def test_before_requests_a_model_that_fails_is_asked_ever_more_rarely_and_then_no_more(chat: ScriptedBench) -> None:
    session = nearly_full(chat)
    asked = []
    for at in range(32):
        before = len(chat.provider.requests)
        is_asked = at in (0, 2, 5, 10, 19)
        broken = [[ProviderError("Busy.", Fault.REQUEST)]] if is_asked else []
        chat.provider.scripts = [*broken, said(Text("Now."), usage=Usage(input=600, output=5))]
        chat.say(session, "more")
        settled(chat)
        assert chat.runs.state(session).phase is Phase.IDLE
        asked += [at] if len(chat.provider.requests) - before == 2 else []
    assert asked == [0, 2, 5, 10, 19]
    assert [told for told in chat.told(session) if told.startswith("custom: ")] == failures(
        chat, session, is_in_turn=True
    )


def test_a_failed_compaction_before_a_request_is_not_repeated_for_each_tool_call(chat: ScriptedBench) -> None:
    session = nearly_full(chat)
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("a line"),))}
    usage = Usage(input=600, output=5)
    calls = [said(ToolCall(f"c{at}", "look"), usage=usage) for at in range(4)]
    chat.talk(session, "look", [ProviderError("Busy.", Fault.REQUEST)], *calls, said(Text("Done."), usage=usage))
    assert chat.told(session)[-1] == "assistant: Done."
    assert len(chat.provider.requests) == 6


def test_a_request_that_cannot_be_sent_without_a_compaction_says_why_it_failed(chat: ScriptedBench) -> None:
    session = nearly_full(chat, 9, sent=1_100)
    for _ in range(3):
        chat.provider.scripts = [[ProviderError("Busy.", Fault.REQUEST)]]
        chat.say(session, "more")
        state = chat.runs.state(session)
        assert (state.phase, state.offers) == (Phase.FAILED, ("digest", "retry"))
        assert state.problem == "Busy. The server reported no tokens for the attempt."


def test_a_digest_before_a_request_that_brings_nothing_is_not_told(chat: ScriptedBench) -> None:
    session = chat.session()
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(threshold_percent=100, reserve_tokens=1)
    for at in range(4):
        chat.talk(session, f"question {at}", said(Text("Short."), usage=Usage(input=600, output=5)))
    settled(chat)
    assert not [told for told in chat.told(session) if not told.startswith(("user", "assistant"))]


def test_a_needed_compaction_that_would_not_make_the_context_smaller_changes_nothing(chat: ScriptedBench) -> None:
    session = due(chat)
    before = chat.told(session)

    asked = []

    async def no_gain(request: CompactionRequest) -> Compaction:
        asked.append(request)
        raise NoGainError(f"Nothing gained for {request.session}.")

    automatic = chat.runs.parts.auto_compaction
    automatic._compact_with = no_gain
    tip = chat.path(session)[-1][0].key
    assert chat.runs.loop.run(automatic.make_room(session, tip, "overflow", None)).result(PATIENCE) is None
    assert (len(asked), chat.told(session)) == (1, before)


@pytest.mark.parametrize("is_broken", [True, False])
def test_a_needed_compaction_that_is_not_possible_prunes_all_the_same(chat: ScriptedBench, is_broken: bool) -> None:
    session, settings = chat.session(), chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(enabled=False)
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("line " * 300),))}
    usage = Usage(input=100, output=5)
    chat.talk(session, "look", said(ToolCall("c1", "look"), usage=usage), said(Text("Seen."), usage=usage))
    settled(chat)

    async def fails(_request: CompactionRequest) -> Compaction:
        raise KnownError("The model wrote no summary.") if is_broken else NothingToDoError("Nothing to summarise.")

    automatic = chat.runs.parts.auto_compaction
    automatic._compact_with = fails
    tip = chat.path(session)[-1][0].key
    making = chat.runs.loop.run(automatic.make_room(session, tip, "overflow", None))
    if is_broken:
        with pytest.raises(KnownError, match="wrote no summary"):
            making.result(PATIENCE)
    else:
        assert making.result(PATIENCE) == chat.path(session)[-1][0].key
    assert Kind.TOOL_PRUNE in [row.kind for row, _ in chat.path(session)]


def test_a_turn_pays_for_one_failing_summary(chat: ScriptedBench) -> None:
    """The compaction fails before the request, and would be due again after its reply."""
    session = nearly_full(chat)
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(threshold_percent=50)
    chat.provider.scripts = [[ProviderError("Busy.", Fault.REQUEST)], said(Text("Now."), usage=Usage(input=600))]
    chat.say(session, "more")
    settled(chat)
    assert len(chat.provider.requests) == 2
    assert [told for told in chat.told(session) if told.startswith("custom: ")] == [
        failure(chat, session, "after 2 more replies.")
    ]


def test_a_due_compaction_with_nothing_to_summarise_is_told_once(chat: ScriptedBench) -> None:
    session = chat.session()
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(threshold_percent=50)
    for at in range(3):
        chat.talk(session, f"q{at}", said(Text("Short."), usage=Usage(input=600, output=5)))
        settled(chat)
    assert [told for told in chat.told(session) if told.startswith("custom: ")] == [
        "custom: A compaction is due, but it is not possible. Nothing to summarise: all entries are in the kept part."
    ]


def test_a_needed_compaction_with_nothing_to_summarise_changes_nothing(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "q", said(Text("Short."), usage=Usage(input=60, output=5)))
    settled(chat)
    automatic, before = chat.runs.parts.auto_compaction, chat.told(session)
    tip = chat.path(session)[-1][0].key
    assert chat.runs.loop.run(automatic.make_room(session, tip, "overflow", None)).result(PATIENCE) is None
    assert chat.told(session) == before


def test_a_busy_summariser_is_asked_again(chat: ScriptedBench) -> None:
    session = due(chat)
    chat.services.adopt_chat(ChatSettings(longest_wait=0))
    busy = [ProviderError("Busy.", Fault.OVERLOADED)]
    chat.talk(session, "one more", said(Text("Now."), usage=Usage(input=450, output=5)), busy, said(Text(SUMMARY)))
    settled(chat)
    assert len(compactions(chat, session)) == 1
