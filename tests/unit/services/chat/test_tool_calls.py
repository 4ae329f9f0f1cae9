"""Calls and their answers: one after the other, each stored, none left open whatever comes between."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from stemmata.domain.chat.run import Consent, ConsentAsked, Phase, Question, ToolOutcome
from stemmata.domain.chat.streaming import StopReason
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import Flag, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.ports.providers import Ask
from tests.fakes.scripted_provider import Gate, ScriptedBench, consenting, said
from tests.fakes.waiting import PATIENCE

LOOK, WRITE = ToolCall("c1", "look", '{"at":1}'), ToolCall("c2", "write", '{"to":2}')


def answers(chat: ScriptedBench, session: int) -> list[tuple[str, str, bool]]:
    """Return call, text and failure of each tool result on the path."""
    return [
        (row.call, plain_text(body.blocks), bool(row.flags & Flag.FAILED))
        for row, body in chat.path(session)
        if row.role is Role.TOOL_RESULT
    ]


def test_calls_are_answered_one_after_the_other_until_the_model_is_done(chat: ScriptedBench) -> None:
    order: list[str] = []

    def look(call: ToolCall, _ask: Ask) -> ToolOutcome:
        order.append(call.id)
        return ToolOutcome((Text(f"answer to {call.id}"),), details='{"took": 1}')

    chat.tools.answers = {"look": look, "write": look}
    session = chat.session()
    path = chat.talk(session, "go", said(Text("Looking."), LOOK, WRITE), said(Text("Done.")))
    assert order == ["c1", "c2"]
    assert chat.told(session) == [
        "user: go", "assistant: Looking. | ToolCall | ToolCall",
        "toolResult: answer to c1", "toolResult: answer to c2", "assistant: Done.",
    ]  # fmt: skip
    assert (path[2][0].tool, path[2][1].details) == ("look", '{"took": 1}')
    first, second = chat.provider.requests
    assert [tool["name"] for tool in first["tools"]] == ["look", "write"]
    assert [part["type"] for part in second["messages"][-1]["content"]] == ["tool_result", "tool_result"]
    assert not path[1][0].flags & Flag.ENDS_TURN


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (KnownError("There is no such file."), "There is no such file."),
        (FileNotFoundError(2, "No such file or directory"), "The tool failed: No such file or directory"),
    ],
)
def test_a_tool_that_fails_has_answered(chat: ScriptedBench, raised: Exception, told: str) -> None:
    def look(_call: ToolCall, _ask: Ask) -> ToolOutcome:
        raise raised

    chat.tools.answers = {"look": look}
    session = chat.session()
    chat.talk(session, "go", said(LOOK))
    assert answers(chat, session) == [("c1", told, True)]
    assert chat.runs.state(session).phase is Phase.IDLE


def test_a_tool_with_a_fault_of_its_own_is_logged(chat: ScriptedBench, caplog: pytest.LogCaptureFixture) -> None:
    def look(_call: ToolCall, _ask: Ask) -> ToolOutcome:
        raise ValueError("oops")

    chat.tools.answers = {"look": look}
    session = chat.session()
    with caplog.at_level(logging.ERROR):
        chat.talk(session, "go", said(LOOK))
    assert "The tool look failed" in caplog.text
    assert answers(chat, session)[0][2]


def test_arguments_that_were_cut_off_are_not_run(chat: ScriptedBench) -> None:
    chat.tools.answers = {"write": lambda _call, _ask: pytest.fail("it was run")}
    session = chat.session()
    chat.talk(session, "go", said(ToolCall("c1", "write", '{"to": "/ho'), reason=StopReason.MAX_TOKENS))
    [(_, text, failed)] = answers(chat, session)
    assert failed
    assert "not a JSON object" in text


def test_a_tool_that_says_nothing_has_answered(chat: ScriptedBench) -> None:
    chat.tools.answers = {"look": lambda _call, _ask: ToolOutcome(())}
    session = chat.session()
    chat.talk(session, "go", said(LOOK))
    assert answers(chat, session) == [("c1", "(no output)", False)]


def test_stopping_answers_every_open_call(chat: ScriptedBench) -> None:
    gate = Gate()

    async def look(_call: ToolCall, _ask: Ask) -> ToolOutcome:
        await gate.passed()
        return ToolOutcome((Text("too late"),))

    chat.tools.answers = {"look": look, "write": look}
    session = chat.session()
    chat.provider.scripts.append(said(LOOK, WRITE))
    chat.send(session, "go")
    gate.reached.result(PATIENCE)
    assert (chat.runs.state(session).phase, chat.runs.state(session).tool) == (Phase.TOOLS, "look")
    chat.runs.stop(session).result(PATIENCE)
    told = "Stopped by the user."
    assert answers(chat, session) == [("c1", told, True), ("c2", told, True)]
    assert len(chat.provider.requests) == 1


def test_steering_ends_behind_the_call_that_runs(chat: ScriptedBench) -> None:
    gate = Gate()

    async def look(_call: ToolCall, _ask: Ask) -> ToolOutcome:
        await gate.passed()
        return ToolOutcome((Text("seen"),))

    chat.tools.answers = {"look": look, "write": look}
    session = chat.session()
    chat.provider.scripts += [said(LOOK, WRITE), said(Text("As you wish."))]
    chat.send(session, "go")
    gate.reached.result(PATIENCE)
    chat.send(session, "no, stay")
    chat.runs.send_now(session).result(PATIENCE)
    assert chat.runs.state(session).remark == "Your message is sent after this part of the reply"
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    assert not chat.runs.state(session).remark
    assert answers(chat, session) == [
        ("c1", "seen", False), ("c2", "Skipped: the user sent a new message.", True),
    ]  # fmt: skip
    assert chat.told(session)[-2:] == ["user: no, stay", "assistant: As you wish."]


def asking(chat: ScriptedBench) -> Question:
    chat.wait(lambda: any(isinstance(event, ConsentAsked) for event in chat.events))
    return next(event.question for event in chat.events if isinstance(event, ConsentAsked))


def ask_first(call: ToolCall, ask: Ask) -> Any:
    return consenting(call, ask, ToolOutcome((Text("written"),)))


@pytest.mark.parametrize(("consent", "answer"), [(Consent.ONCE, "written"), (Consent.REFUSED, "refused")])
def test_a_tool_asks_and_the_run_waits(chat: ScriptedBench, consent: Consent, answer: str) -> None:
    chat.tools.answers = {"write": ask_first}
    session = chat.session()
    chat.provider.scripts.append(said(WRITE))
    chat.send(session, "go")
    question = asking(chat)
    state = chat.runs.state(session)
    assert (question.session, question.run, state.phase) == (session, state.run, Phase.ASKING)
    chat.runs.answer(question, consent)
    chat.runs.answer(question, Consent.NEVER)  # too late
    chat.wait_phase(session, Phase.IDLE)
    assert answers(chat, session)[0][:2] == ("c2", answer)
    chat.runs.answer(question, consent)  # far too late


def test_stopping_takes_the_question_back(chat: ScriptedBench) -> None:
    chat.tools.answers = {"write": ask_first}
    session = chat.session()
    chat.provider.scripts.append(said(WRITE))
    chat.send(session, "go")
    asking(chat)
    chat.runs.stop(session).result(PATIENCE)
    assert answers(chat, session) == [("c2", "Stopped by the user.", True)]


def test_steering_takes_the_question_back_at_once(chat: ScriptedBench) -> None:
    chat.tools.answers = {"write": ask_first}
    session = chat.session()
    chat.provider.scripts.append(said(WRITE))
    chat.send(session, "go")
    asking(chat)
    chat.send(session, "never mind")
    chat.runs.send_now(session).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert answers(chat, session)[0][1].startswith("Skipped")
    assert chat.told(session)[-2] == "user: never mind"


def test_rounds_have_an_end_that_is_seen(chat: ScriptedBench) -> None:
    chat.services.adopt_chat(ChatSettings(tool_rounds=3))
    chat.tools.answers = {"look": lambda call, _ask: ToolOutcome((Text(call.id),))}
    session = chat.session()
    chat.talk(session, "go", *[said(ToolCall(f"c{at}", "look")) for at in range(9)])
    state = chat.runs.state(session)
    assert (state.phase, state.offers) == (Phase.FAILED, ("continue",))
    assert "3 times in a row" in state.problem
    assert len(answers(chat, session)) == 3
    chat.provider.scripts = [said(Text("Enough."))]
    chat.runs.go_on(session).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session)[-1] == "assistant: Enough."


def test_a_turn_that_pauses_goes_on(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "go", said(Text("A moment."), reason=StopReason.PAUSE_TURN), said(Text("Here.")))
    assert chat.told(session) == ["user: go", "assistant: A moment.", "assistant: Here."]
