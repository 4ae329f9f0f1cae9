"""Room for the request: pruned and compacted before it would not fit, after it did not, and behind a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.chat.run import Phase, RunChanged, ToolOutcome
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from tests.fakes.scripted_provider import Gate, ScriptedBench, said
from tests.fakes.waiting import PATIENCE

TOO_LONG = ProviderError("Too long.", Fault.OVERFLOW, status=400, tokens=1200, limit=1000)
LONG = "A long story about nothing much. " * 40  # ≈ 330 tokens


def settings(chat: ScriptedBench, **facts: Any) -> None:
    contexts = chat.services.contexts
    contexts.settings = contexts.settings._replace(**facts)


def kinds(chat: ScriptedBench, session: int) -> list[Kind]:
    return [row.kind for row, _ in chat.path(session) if row.kind is not Kind.MESSAGE]


def settled(chat: ScriptedBench, session: int) -> None:
    """Wait until the work after a reply has ended."""
    chat.runs.loop.run(chat.runs._stop_all()).result(PATIENCE)
    chat.archive.write(lambda writer: writer.session(session)).result()


def phases(chat: ScriptedBench) -> list[Phase]:
    return [event.state.phase for event in chat.events if isinstance(event, RunChanged)]


NOTE = Kind.CUSTOM_MESSAGE


def filled(chat: ScriptedBench, turns: int = 2) -> int:
    session = chat.session()
    settings(chat, enabled=False)
    for at in range(turns):
        chat.talk(session, f"question {at}", said(Text(LONG * (turns - at)), usage=Usage(input=100, output=300)))
    settled(chat, session)
    chat.events.clear()
    chat.provider.requests.clear()
    return session


def test_a_refusal_as_too_long_compacts_and_asks_once_more(chat: ScriptedBench) -> None:
    session = filled(chat)
    chat.talk(session, "and now?", [TOO_LONG], said(Text("Now it fits.")))
    assert kinds(chat, session) == [Kind.COMPACTION, NOTE]
    assert chat.told(session)[-1] == "assistant: Now it fits."
    assert Phase.COMPACTING in phases(chat)
    first, second = chat.provider.requests
    assert json.dumps(second).count("story about nothing") < json.dumps(first).count("story about nothing")
    [details] = [json.loads(body.details) for row, body in chat.path(session) if row.kind is Kind.COMPACTION]
    assert details["trigger"] == "overflow"


def test_a_second_refusal_is_told(chat: ScriptedBench) -> None:
    session = filled(chat)
    chat.talk(session, "and now?", [TOO_LONG], [TOO_LONG])
    state = chat.runs.state(session)
    assert (state.phase, state.problem, state.offers) == (Phase.FAILED, "Too long.", ("compact", "retry"))
    assert len(chat.provider.requests) == 2


def test_without_leave_a_refusal_is_told_at_once(chat: ScriptedBench) -> None:
    session = filled(chat)
    settings(chat, retry_on_overflow=False)
    chat.talk(session, "and now?", [TOO_LONG])
    assert chat.runs.state(session).phase is Phase.FAILED
    assert len(chat.provider.requests) == 1


def test_nothing_to_leave_out_is_told(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "only this", [TOO_LONG])
    assert chat.runs.state(session).phase is Phase.FAILED
    assert chat.told(session) == ["user: only this"]


def test_a_request_that_would_not_fit_is_compacted_before(chat: ScriptedBench) -> None:
    session = filled(chat)
    settings(chat, enabled=True)
    chat.talk(session, "x" * 1200, said(Text("Fine.")))
    settled(chat, session)
    [details] = [json.loads(body.details) for row, body in chat.path(session) if row.kind is Kind.COMPACTION]
    assert details["trigger"] == "before-request"
    assert len(chat.provider.requests) == 1
    assert chat.told(session)[-1] == "assistant: Fine."


def test_behind_a_reply_the_session_is_compacted_when_it_is_due(chat: ScriptedBench) -> None:
    session = filled(chat, 2)
    settings(chat, enabled=True, reserve_tokens=100, threshold_percent=65)
    chat.talk(session, "more", said(Text("Yes."), usage=Usage(input=500, output=450)))
    settled(chat, session)
    [details] = [json.loads(body.details) for row, body in chat.path(session) if row.kind is Kind.COMPACTION]
    assert details["trigger"] == "threshold"
    assert [row.kind for row, _ in chat.path(session)[-2:]] == [Kind.COMPACTION, NOTE]


def test_automatic_compaction_can_be_turned_off(chat: ScriptedBench) -> None:
    session = filled(chat, 3)
    chat.talk(session, "more", said(Text("Yes."), usage=Usage(input=500, output=450)))
    settled(chat, session)
    assert kinds(chat, session) == []


def test_tool_output_is_pruned_first(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("line " * 100),))}
    calls = said(ToolCall("c1", "look"), ToolCall("c2", "look"))
    chat.talk(session, "look", calls, said(Text("ok"), usage=Usage(input=700, output=5)))
    settled(chat, session)
    assert kinds(chat, session) == [Kind.TOOL_PRUNE, NOTE]


def test_what_a_pruning_leaves_is_judged_at_the_scale_of_the_context(chat: ScriptedBench) -> None:
    """The messages alone would be below the trigger of 650; with the system prompt they are not."""
    session = chat.session()
    settings(chat, enabled=False, reserve_tokens=100, threshold_percent=65)
    chat.talk(session, "question", said(Text(LONG[:660] * 3), usage=Usage(input=200, output=500)))
    settled(chat, session)  # what comes behind this reply is not to see the next settings
    settings(chat, enabled=True)
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("line " * 100),))}
    calls = said(ToolCall("c1", "look"), ToolCall("c2", "look"))
    chat.talk(session, "look", calls, said(Text("ok"), usage=Usage(input=980, output=5)))
    settled(chat, session)
    assert kinds(chat, session) == [Kind.TOOL_PRUNE, Kind.COMPACTION, NOTE]
    [note] = [body.blocks for row, body in chat.path(session) if row.kind is NOTE]
    assert "🔧 Tool outputs pruned" in str(note)


def test_one_undo_takes_back_a_compaction_with_its_pruning(chat: ScriptedBench) -> None:
    test_what_a_pruning_leaves_is_judged_at_the_scale_of_the_context(chat)
    session = chat.services.sessions.all().result()[0].key
    chat.services.histories.undo(session).result()
    assert kinds(chat, session) == []
    assert chat.told(session)[-1] == "assistant: ok"
    chat.services.histories.redo(session).result()
    assert kinds(chat, session) == [Kind.TOOL_PRUNE, Kind.COMPACTION, NOTE]


def test_a_tool_that_the_table_keeps_is_not_pruned(chat: ScriptedBench) -> None:
    session = chat.session()
    settings(chat, tools={"LOOK": "keep"}, tool_prune_threshold=100)
    looked(chat, session)
    assert kinds(chat, session) == []
    settings(chat, tools={"LOOK": "prune"})
    looked(chat, session, "another")
    assert kinds(chat, session) == [Kind.TOOL_PRUNE, NOTE]


def test_duplicates_are_pruned_first_and_never_again_after_an_undo(chat: ScriptedBench) -> None:
    session = chat.session()
    settings(chat, tool_prune_threshold=300, tool_keep_threshold=130)
    for _ in range(3):
        looked(chat, session, "the same")
    assert kinds(chat, session) == [Kind.OMISSION, Kind.OMISSION, NOTE]
    *hidden, last = [row for row, _ in chat.path(session) if row.kind is Kind.OMISSION]
    assert [row.flags & Flag.HIDDEN for row in (*hidden, last)] == [Flag.HIDDEN, Flag.NONE]
    chat.services.histories.undo(session).result()
    assert kinds(chat, session) == []
    chat.talk(session, "thanks", said(Text("ok"), usage=Usage(input=100, output=5)))
    settled(chat, session)
    assert kinds(chat, session) == []


def test_keep_all_prunes_only_when_nothing_else_helps(chat: ScriptedBench) -> None:
    session = chat.session()
    settings(chat, tool_policy="keep_all")
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("line " * 100),))}
    calls = said(ToolCall("c1", "look"), ToolCall("c2", "look"))
    chat.talk(session, "look", calls, said(Text("ok"), usage=Usage(input=700, output=5)))
    settled(chat, session)
    assert Kind.TOOL_PRUNE not in kinds(chat, session)
    settings(chat, enabled=False)
    chat.talk(session, "again", [TOO_LONG], said(Text("ok")))
    assert Phase.COMPACTING in phases(chat)


def test_keep_all_prunes_for_a_request_that_is_refused_as_too_long(chat: ScriptedBench) -> None:
    session = chat.session()
    settings(chat, tool_policy="keep_all", enabled=False)
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("line " * 100),))}
    calls = said(ToolCall("c1", "look"), ToolCall("c2", "look"))
    chat.talk(session, "look", calls, said(Text("ok"), usage=Usage(input=700, output=5)))
    settled(chat, session)
    assert kinds(chat, session) == []
    chat.talk(session, "again", [TOO_LONG], said(Text("Now it fits.")))
    assert Kind.TOOL_PRUNE in kinds(chat, session)
    assert chat.told(session)[-1] == "assistant: Now it fits."


def looked(chat: ScriptedBench, session: int, what: str = "") -> None:
    """A reply after one tool result of about 125 tokens, in a context far below its trigger.

    Without `what` each result is another one.
    """
    what = what or f"number {len(chat.provider.requests)}"
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("line " * 95 + what.ljust(25)),))}
    usage = Usage(input=100, output=5)
    chat.talk(session, "look", said(ToolCall("c1", "look"), usage=usage), said(Text("ok"), usage=usage))
    settled(chat, session)


def test_after_a_reply_tool_output_above_its_own_threshold_is_pruned_once(chat: ScriptedBench) -> None:
    session = chat.session()
    settings(chat, tool_prune_threshold=300, tool_keep_threshold=130)
    for prunings in (0, 0, 1, 1, 2, 2):  # 125 tokens stay; the next two results are below the threshold
        looked(chat, session)
        assert kinds(chat, session).count(Kind.TOOL_PRUNE) == prunings
    assert Kind.COMPACTION not in kinds(chat, session)
    assert len(chat.provider.requests) == 12


def test_a_pruning_that_was_undone_is_not_repeated_after_the_next_reply(chat: ScriptedBench) -> None:
    session = chat.session()
    settings(chat, tool_prune_threshold=100)
    looked(chat, session)
    assert kinds(chat, session)[:1] == [Kind.TOOL_PRUNE]
    chat.services.histories.undo(session).result()
    chat.talk(session, "thanks", said(Text("ok"), usage=Usage(input=100, output=5)))
    settled(chat, session)
    assert kinds(chat, session) == []
    looked(chat, session)
    assert kinds(chat, session)[:1] == [Kind.TOOL_PRUNE]


@pytest.mark.parametrize("facts", [{"enabled": False}, {"tool_policy": "keep_all"}, {"tool_prune_threshold": 1_000}])
def test_after_a_reply_nothing_is_pruned(chat: ScriptedBench, facts: dict[str, Any]) -> None:
    session = chat.session()
    settings(chat, **facts)
    looked(chat, session)
    assert kinds(chat, session) == []


def test_keep_none_prunes_after_every_reply(chat: ScriptedBench) -> None:
    session = chat.session()
    settings(chat, tool_policy="keep_none", tool_prune_threshold=8_000, tool_keep_threshold=2_000)
    looked(chat, session)
    looked(chat, session)
    assert kinds(chat, session).count(Kind.TOOL_PRUNE) == 2
    chat.talk(session, "and", said(Text("ok"), usage=Usage(input=100, output=5)))
    assert "line line" not in json.dumps(chat.provider.requests[-1])
    assert kinds(chat, session).count(Kind.TOOL_PRUNE) == 2


def test_a_run_on_another_branch_makes_its_own_room(chat: ScriptedBench) -> None:
    session, gate = filled(chat), Gate()
    away = chat.path(session)[0][0].key
    chat.provider.scripts += [[gate, TOO_LONG], said(Text("Done over there."))]
    chat.send(session, "and now?")
    gate.reached.result(PATIENCE)
    chat.services.branching.move_leaf(session, away).result()
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    session_tree = chat.services.sessions.open(session).result()
    assert session_tree.session.leaf == away
    tip = session_tree.tree.index(chat.stored()[-1])
    found = [session_tree.tree.kind(at) for at in session_tree.tree.path(tip)]
    assert found[-3:] == [Kind.COMPACTION, NOTE, Kind.MESSAGE]


def test_a_context_that_was_cut_in_silence_is_noted(chat: ScriptedBench) -> None:
    session = chat.session()
    _, (_, body) = chat.talk(session, "x", said(Text("I think so."), usage=Usage(input=5000, output=5)))[:2]
    assert json.loads(body.details)["overflowed"] is True


# -- what is put beside the conversation meanwhile -------------------------------------------------------------------


def test_notes_and_picks_become_the_tip(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([gate, *said(Text("Hi"))])
    chat.send(session, "Hello")
    gate.reached.result(PATIENCE)
    note = chat.runs.note(session, "3 sessions", "/status").result()
    chat.runs.pick_model(session, "local", "other").result()
    chat.runs.pick_level(session, "high").result()
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    path = chat.path(session)
    assert [row.kind for row, _ in path] == [
        Kind.MESSAGE, Kind.CUSTOM_MESSAGE, Kind.MODEL_CHANGE, Kind.THINKING_LEVEL_CHANGE, Kind.MESSAGE,
    ]  # fmt: skip
    assert (path[1][0].key, path[1][0].name, path[1][0].flags) == (note, "note", Flag.EXCLUDED | Flag.OWN)
    assert json.loads(path[1][1].details) == {"command": "/status"}
    assert path[-1][0].model == "m"
    chat.talk(session, "Again", said(Text("Yes")))
    assert chat.provider.requests[-1]["model"] == "m"  # that of the last reply, made after the pick
    assert "3 sessions" not in json.dumps(chat.provider.requests[-1])


def test_a_model_that_is_picked_is_asked(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    chat.runs.pick_model(session, "local", "other").result()
    chat.talk(session, "And you?")
    assert chat.provider.requests[-1]["model"] == "other"
    reply = chat.path(session)[-1][0]
    chat.runs.pick_model(session, "local", "third").result()
    chat.runs.regenerate(session, reply.key).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.provider.requests[-1]["model"] == "third"
    assert chat.path(session)[-2][0].role is Role.USER


def test_who_looks_elsewhere_is_not_moved(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.talk(session, "one", said(Text("1")))
    away = chat.path(session)[0][0].key
    chat.provider.scripts.append([gate, *said(Text("2"))])
    chat.send(session, "two")
    gate.reached.result(PATIENCE)
    chat.services.branching.move_leaf(session, away).result()
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == ["user: one"]
    assert chat.services.sessions.get(session).result().leaf == away


# -- silence ---------------------------------------------------------------------------------------------------------


def test_a_reply_for_nobody_is_kept_and_not_shown(chat: ScriptedBench) -> None:
    session = chat.session()
    path = chat.talk(session, "Anything to note?", said(Text("NO_REPLY nothing new")))
    assert chat.shown() == ""
    assert path[-1][0].flags & Flag.HIDDEN
    assert chat.told(session)[-1] == "assistant: NO_REPLY nothing new"


@pytest.mark.parametrize("text", ["NO", "NO_REPLYING is no token", "Nobody knows"])
def test_what_only_begins_like_it_is_shown(chat: ScriptedBench, text: str) -> None:
    session = chat.session()
    path = chat.talk(session, "Hm?", said(Text(text)))
    assert chat.shown() == text
    assert not path[-1][0].flags & Flag.HIDDEN


# -- sessions of other tools -----------------------------------------------------------------------------------------


def test_going_on_leaves_the_source_as_it_is(chat: ScriptedBench, bench: Any, talk: Any) -> None:
    session_tree = bench.imported(talk("s", ("1", None, "user", "Hi"), ("2", "1", "assistant", "Hello")))
    session, source = session_tree.session.key, (bench.folder / "s.jsonl").read_bytes()
    chat.talk(session, "Go on", said(Text("With pleasure.")))
    assert chat.told(session)[-2:] == ["user: Go on", "assistant: With pleasure."]
    assert (bench.folder / "s.jsonl").read_bytes() == source
    assert b"".join(chat.archive.read(lambda reader: list(reader.raw(session))).result()) == source
    records = [chat.services.entries.record(row.key).result() for row, _ in chat.path(session)]
    assert [record is None for record in records] == [False, False, True, True]
    exported = chat.services.exporting.to_bytes(session, "pi").result()
    assert exported.startswith(source)
    again = chat.services.importing.import_paths([bench.folder / "s.jsonl"]).result()
    assert again.unchanged == 1
    assert len(chat.told(session)) == 4


def test_an_entry_that_says_nothing_is_no_place_to_begin_again(chat: ScriptedBench) -> None:
    session = chat.session()
    lone = Entry(id="a", role=Role.ASSISTANT, time=1, blocks=(Text("Hello?"),))
    [key] = chat.archive.write(lambda writer: writer.append(session, [lone])).result()
    with pytest.raises(Exception, match="No message above"):
        chat.runs.regenerate(session, key).result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE


# -- a window that only refusals tell --------------------------------------------------------------------------------


def test_each_overflow_of_a_run_is_met_by_one_compaction(chat: ScriptedBench) -> None:
    """Thirty calls in a window that nobody told: an overflow that was met may be followed by another."""
    session = chat.session()
    settings(chat, enabled=False)
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome((Text("A line of it. " * 60),))}
    for at in range(30):
        script = said(Text(LONG), ToolCall(f"c{at}", "look"))
        chat.provider.scripts += [[TOO_LONG], script] if at in (12, 13, 22) else [script]
    chat.provider.scripts.append(said(Text("Done.")))
    chat.say(session, "look thirty times")
    assert chat.told(session)[-1] == "assistant: Done."
    assert kinds(chat, session).count(Kind.COMPACTION) == 3


def test_a_limit_that_a_refusal_names_is_kept(chat: ScriptedBench) -> None:
    session = filled(chat)
    chat.talk(session, "and now?", [TOO_LONG], said(Text("Now it fits.")))
    assert chat.provider.limits == [("local", "m", 1000)]
