"""Every fault of a server ends in a stated outcome: phase, words, what is stored, what is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.blocks import plain_text
from stemmata.domain.entries import Flag, Role
from stemmata.domain.preferences import ChatSettings
from stemmata.domain.runs import Phase, RunChanged
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Refuse, Reply, Say
from tests.faults.fault_cases import CASES, FaultCase
from tests.faults.table import DOCUMENT, table_in, written

STALL = 0.1  # seconds; four times as long for a server on this machine
QUESTION = "What is the answer? " * 10


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.fault)
def test_every_fault_ends_as_it_is_stated(case: FaultCase, tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url, stall=STALL) as chat:
        session = chat.session()
        for _ in range(case.before):
            server.script(Reply(blocks=(Say("A long answer. " * 300),)))
            chat.say(session, QUESTION)
        server.window = case.window
        server.script(*case.script)
        earlier = len(server.requests)
        chat.say(session, QUESTION)
        state = chat.runs.state(session)
        assert (state.phase, state.offers) == (case.phase, case.offers), state
        assert case.problem in state.problem
        assert bool(case.problem) == bool(state.problem)
        assert len(server.requests) - earlier == case.asked
        assert kept(chat, session) == case.stored
        assert chat.archive.read(lambda reader: reader.open_runs()).result() == []
        assert goes_on(chat, server, session)


def kept(chat: ChatApp, session: int) -> str:
    row, body = chat.path(session)[-1]
    if row.role is not Role.ASSISTANT:
        assert row.role is Role.USER
        return "nothing"
    assert plain_text(body.blocks)
    if row.flags & Flag.FAILED:
        assert "problem" in body.details
        return "part"
    return "whole"


def goes_on(chat: ChatApp, server: AnthropicServer, session: int) -> bool:
    """The next message is taken by a server that checks every rule."""
    server.window = None
    server.script(Reply(blocks=(Say("Here I am again."),)))
    chat.say(session, "Are you there?")
    return chat.runs.state(session).phase is Phase.IDLE and chat.told(session)[-1].endswith("Here I am again.")


def test_a_retry_is_shown_and_can_be_cancelled(tmp_path: Path) -> None:
    chat_settings = ChatSettings(longest_wait=60)
    with AnthropicServer() as server, chat_app(tmp_path, server.url, chat=chat_settings) as chat:
        server.script(Refuse(529, "Overloaded", headers={"retry-after": "3600"}))
        session = chat.session()
        chat.send(session, "Hello")
        chat.wait_phase(session, Phase.RETRYING)
        state = chat.runs.state(session)
        assert 50e9 < state.retry_at - chat.services._clock.now() <= 60e9
        assert (state.attempt, "overloaded" in state.problem) == (2, True)
        chat.runs.stop(session).result(5)
        assert chat.runs.state(session).phase is Phase.IDLE
        assert chat.told(session) == ["user: Hello"]


def test_phases_follow_each_other(tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        session = chat.session()
        chat.say(session, "Hello")
        phases = [event.state.phase for event in chat.events if isinstance(event, RunChanged)]
        seen = list(dict.fromkeys(phases))
        assert seen == [Phase.PREPARING, Phase.WAITING, Phase.STREAMING, Phase.IDLE]


def test_the_table_in_the_documentation_is_in_step() -> None:
    """`python -m tests.faults.table` writes it."""
    assert table_in(DOCUMENT.read_text(encoding="utf-8")) == written()
