"""Every fault of a server ends in a stated outcome: phase, words, what is stored, what is offered."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase, RunChanged
from stemmata.domain.entries.entry import Flag, Role
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.chat import run as run_retry
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, ChatApp, chat_app, connect
from tests.fakes.model_server import ModelServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Break, Refuse, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.faults.fault_cases import CASES, FaultCase
from tests.faults.table import DOCUMENT, refused, refused_in, table_in, written
from tests.unit.cli.conftest import Run

STALL = 0.5  # seconds; four times as long for a server on this machine
QUESTION = "What is the answer? " * 10
COUNTS = ("/count_tokens", "/input_tokens")


EVERY = [pytest.param(case, api, id=f"{case.fault}, {api}") for case in CASES for api in case.apis]


def server_of(api: str) -> ModelServer:
    return AnthropicServer() if api == "anthropic" else OpenAIServer()


def way_to(server: ModelServer, api: str, case: FaultCase) -> tuple[str, str]:
    """Return the address and the model of a server."""
    url, model = (server.url, MODEL) if api == "anthropic" else (f"{server.url}/v1", "gpt-4o")
    return url.replace("http:", "https:") if case.secure else url, model


@pytest.mark.parametrize(("case", "api"), EVERY)
def test_every_fault_ends_as_it_is_stated(case: FaultCase, api: str, tmp_path: Path) -> None:
    settings = ChatSettings(longest_wait=0, cache_ttl="off", tool_rounds=case.rounds)
    with ExitStack() as stack:
        server = stack.enter_context(server_of(api))
        url, model = way_to(server, api, case)
        stall = STALL if "stall" in case.fault else PATIENCE  # a busy machine is no stall
        chat = stack.enter_context(
            chat_app(tmp_path, url, chat=settings, stall=stall, model=model, api=api, extra=case.extra)
        )
        session = chat.session()
        for _ in range(case.before):
            server.script(Reply(blocks=(Say("A long answer. " * 300),)))
            chat.say(session, QUESTION)
        server.window = case.window
        server.script(*case.steps(api))
        earlier = asked(server)
        chat.say(session, QUESTION)
        state = chat.runs.state(session)
        assert (state.phase, state.offers) == (case.phase, case.offers), state
        assert case.problem in state.problem
        assert bool(case.problem) == bool(state.problem)
        assert asked(server) - earlier == case.asked
        assert kept(chat, session) == case.stored
        assert chat.archive.read(lambda reader: reader.open_runs()).result() == []
        assert case.is_on_the_way or goes_on(chat, server, session)


@pytest.mark.parametrize(
    ("case", "api"),
    [
        pytest.param(case, case.apis[at % len(case.apis)], id=case.fault)
        for at, case in enumerate(CASES)
        if not (case.window or "stall" in case.fault)  # its settings are whole seconds
    ],
)
def test_the_command_line_says_the_same(
    case: FaultCase, api: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_retry, "FIRST_WAIT", 0.0)
    monkeypatch.setenv("STEMMATA_PROFILE", str(tmp_path / "p"))
    (tmp_path / "p" / "config").mkdir(parents=True)
    with server_of(api) as server:
        url, model = way_to(server, api, case)
        settings = connect(tmp_path / "p" / "config", url, model, api=api, extra=case.extra)
        with settings.open("a", encoding="utf-8") as file:
            file.write(f"[chat]\ntool_rounds = {case.rounds}\n")
        server.script(*case.steps(api))
        ran = run("chat", "new", QUESTION, "--json")
    assert ran.code == case.exit_code, ran.err
    assert case.problem in ran.err
    assert ran.json["complete"] == (case.stored == "whole" and not case.problem)
    assert "\x1b" not in ran.err


def asked(server: ModelServer) -> int:
    """Return how many requests wanted a reply. Near a limit the provider is also asked for a count."""
    return sum(not request.path.endswith(COUNTS) for request in server.requests)


def kept(chat: ChatApp, session: int) -> str:
    row, body = next(pair for pair in reversed(chat.path(session)) if pair[0].role is not Role.TOOL_RESULT)
    if row.role is not Role.ASSISTANT:
        assert row.role is Role.USER
        return "nothing"
    if not body.blocks:
        return "empty"
    if row.flags & Flag.FAILED:
        assert "problem" in body.details
        return "part"
    return "whole"


def goes_on(chat: ChatApp, server: ModelServer, session: int) -> bool:
    """The next message is taken by a server that checks every rule."""
    server.window = None
    chat.services.connecting.models("fake", refresh=True).result()  # it tells its window again
    server.script(Reply(blocks=(Say("Here I am again."),)))
    chat.say(session, "Are you there?")
    return chat.runs.state(session).phase is Phase.IDLE and chat.told(session)[-1].endswith("Here I am again.")


def test_a_break_that_comes_too_late_is_not_seen(tmp_path: Path) -> None:
    """A server that sends nothing for too long is asked again, and the second answer counts."""
    settings = ChatSettings(longest_wait=0)
    with AnthropicServer() as server, chat_app(tmp_path, server.url, chat=settings, stall=STALL) as chat:
        server.script(Reply(wait=PATIENCE, breaks=Break("eof")))
        session = chat.session()
        chat.say(session, "Hello")
        assert (chat.runs.state(session).phase, len(server.requests)) == (Phase.IDLE, 2)
        assert chat.told(session) == ["user: Hello", "assistant: You said: Hello"]


def test_a_retry_is_shown_and_can_be_cancelled(tmp_path: Path) -> None:
    chat_settings = ChatSettings(longest_wait=60)
    with AnthropicServer() as server, chat_app(tmp_path, server.url, chat=chat_settings) as chat:
        server.script(Refuse(529, "Overloaded", headers={"retry-after": "3600"}))
        session = chat.session()
        chat.send(session, "Hello")
        chat.wait_phase(session, Phase.RETRYING)
        state = chat.runs.state(session)
        assert 50e9 < state.retry_at - chat.services.clock.now() <= 60e9
        assert (state.attempt, "overloaded" in state.problem) == (2, True)
        chat.runs.stop(session).result(PATIENCE)
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
    """`python -m tests.faults.table` writes the table."""
    text = DOCUMENT.read_text(encoding="utf-8")
    assert table_in(text) == written()
    assert refused_in(text) == refused()
