"""Tools of MCP servers in a run: real SDK, a real child, a fake model that calls them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from stemmata.domain.chat.connections import KeyOrigin
from stemmata.domain.chat.run import Consent, ConsentAsked, Phase, Question, RunChanged
from stemmata.domain.chat.tool_servers import KeptConsent, ServerPhase, ServerState, ToolServer
from stemmata.domain.entries.blocks import Image, plain_text
from stemmata.domain.entries.entry import Flag, Role
from stemmata.domain.errors import NotFoundError
from stemmata.providers.mcp.server import McpServer
from stemmata.services.ports.providers import ServerLink
from stemmata.services.tools.own_tools import LONGEST, name_of, why
from stemmata.services.tools.servers import ToolServers
from stemmata.system.settings.connections_file import ConnectionsFile, ConsentsFile
from stemmata.system.settings.settings import load
from tests.fakes import mcp_server
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Call, Reply, Say
from tests.fakes.waiting import PATIENCE, until

CHILD = str(Path(mcp_server.__file__))
FAKE = ToolServer(name="fake", command=sys.executable, args=(CHILD,), env={"GIVEN": "plain", "ASKED": "$HOME"})


class Bench:
    """A chat whose settings name these servers."""

    def __init__(self, chat: ChatApp, server: AnthropicServer, settings: Path) -> None:
        self.chat, self.server, self.settings = chat, server, settings
        self.session = chat.session()

    @property
    def servers(self) -> ToolServers:
        servers = self.chat.services.chat_ports.servers
        assert servers is not None
        return servers

    def state(self, name: str = "fake") -> ServerState:
        return next(state for state in self.servers.states().result(PATIENCE) if state.server == name)

    def call(self, tool: str, *consents: Consent, **arguments: object) -> tuple[str, bool]:
        """Let the model call the tool and the user answer the question; return text and failure of the result."""
        self.server.script(Reply(blocks=(Call(tool, arguments),)), Reply(blocks=(Say("Thanks."),)))
        asked = len(self.questions)
        self.chat.send(self.session, f"call {tool}")
        for number, consent in enumerate(consents, start=asked + 1):
            self.chat.wait(partial(self._was_asked, number))
            self.chat.runs.answer(self.questions[-1], consent)
        self.chat.wait(lambda: not self.chat.runs.state(self.session).is_busy)
        assert self.chat.runs.state(self.session).phase is Phase.IDLE, self.chat.runs.state(self.session)
        assert len(self.questions) == asked + len(consents)
        replies = [told for told in self.chat.told(self.session) if told.startswith("assistant")]
        assert replies[-1] == "assistant: Thanks."  # the note of a pruning may follow it a moment later
        row, body = [pair for pair in self.chat.path(self.session) if pair[0].role is Role.TOOL_RESULT][-1]
        self.details = json.loads(body.details)
        self.blocks = body.blocks
        return plain_text(body.blocks), bool(row.flags & Flag.FAILED)

    def _was_asked(self, times: int) -> bool:
        return len(self.questions) >= times

    @property
    def questions(self) -> list[Question]:
        return [event.question for event in self.chat.events if isinstance(event, ConsentAsked)]


Make = Callable[..., Bench]


def _wait_for_slow_starts(servers: ToolServers) -> None:
    """Give the programs of servers more time than a person has: on a busy machine they take a minute to start."""
    opening = servers._ports.open

    def open_(server: ToolServer, key: str = "") -> ServerLink:
        link = opening(server, key)
        assert isinstance(link, McpServer)
        link._start = PATIENCE
        return link

    servers._wait = PATIENCE
    servers._ports = replace(servers._ports, open=open_)


@pytest.fixture
def make(server: AnthropicServer, tmp_path: Path) -> Iterator[Make]:
    with ExitStack() as stack:

        def made(*servers: ToolServer) -> Bench:
            chat = stack.enter_context(chat_app(tmp_path, server.url))
            settings = tmp_path / "settings.toml"
            for each in servers:
                ConnectionsFile(settings).save_server(each)
            bench = Bench(chat, server, settings)
            _wait_for_slow_starts(bench.servers)
            return bench

        yield made


def test_a_tool_is_offered_asked_for_called_and_answered(make: Make) -> None:
    bench = make(FAKE)
    assert bench.state().phase is ServerPhase.STOPPED
    assert bench.call("fake__add", Consent.ONCE, a=1, b=2) == ("1 + 2 = 3", False)
    [question] = bench.questions
    assert (question.origin, question.why, question.arguments) == ("fake", "runs", '{"a":1,"b":2}')
    assert bench.details == {"origin": "fake", "tool": "add"}
    sent = bench.server.requests[0].body["tools"]
    assert [tool["name"] for tool in sent][:3] == ["fake__add", "fake__fail", "fake__die"]
    assert sent[0]["input_schema"]["required"] == ["a", "b"]
    assert bench.state().phase is ServerPhase.READY
    assert "add" in bench.state().tools
    bench.chat.core.services.close()


def test_half_a_character_in_an_argument_does_not_end_the_server(make: Make) -> None:
    bench = make(FAKE)
    assert bench.call("fake__surroundings", Consent.SESSION, name="cut \ud83d") == ("(not set)", False)
    assert bench.call("fake__surroundings", name="GIVEN") == ("plain", False)


def test_refused_is_not_called(make: Make) -> None:
    bench = make(FAKE)
    text, failed = bench.call("fake__add", Consent.REFUSED, a=1, b=2)
    assert failed
    assert "did not allow" in text


def test_answers_for_good_are_kept_and_can_be_taken_back(make: Make) -> None:
    bench = make(FAKE)
    bench.call("fake__add", Consent.ALWAYS, a=1, b=2)
    assert bench.call("fake__add", a=2, b=2) == ("2 + 2 = 4", False)
    bench.call("fake__fail", Consent.NEVER)
    assert "did not allow" in bench.call("fake__fail")[0]
    consents = bench.chat.services.chat_ports.consents
    assert consents is not None
    kept = consents.all().result(PATIENCE)
    assert kept == (KeptConsent("fake", "fake__add", "", may=True), KeptConsent("fake", "fake__fail", "", may=False))
    assert ConsentsFile(bench.settings).consents() == kept
    assert load(bench.settings).problem is None
    consents.forget(kept[0]).result(PATIENCE)
    assert bench.call("fake__add", Consent.SESSION, a=3, b=2)[1] is False
    assert bench.call("fake__add", a=4, b=2)[1] is False


def test_what_a_server_sends_is_shown_and_bounded(make: Make) -> None:
    bench = make(FAKE)
    assert "Error executing tool fail" in bench.call("fake__fail", Consent.ONCE)[0]
    bench.call("fake__picture", Consent.ONCE)
    [image] = bench.blocks
    assert isinstance(image, Image)
    assert (image.media_type, image.size) == ("image/png", len(mcp_server.PIXEL))
    assert bench.chat.archive.read(lambda reader: reader.blob(image.blob)).result() == mcp_server.PIXEL
    assert bench.call("fake__flood", Consent.ONCE)[0].endswith("[cut: 150000 more characters]")
    assert '"height": 3' in bench.call("fake__measured", Consent.ONCE)[0]
    assert bench.call(name_of("fake", "odd name/with: signs"), Consent.ONCE)[0] == "odd indeed"


def test_the_environment_is_what_the_settings_give(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "do not tell")
    monkeypatch.setenv("HOME", "/home/of/mine")
    bench = make(FAKE)
    assert bench.call("fake__surroundings", Consent.SESSION, name="SECRET_OF_MINE")[0] == "(not set)"
    assert bench.call("fake__surroundings", name="GIVEN")[0] == "plain"
    assert bench.call("fake__surroundings", name="ASKED")[0] == "/home/of/mine"


def test_tools_that_come_later_are_offered(make: Make) -> None:
    bench = make(FAKE)
    bench.call("fake__learn", Consent.ONCE)
    until(lambda: "learnt" in bench.state().tools)  # the server tells of it when it has answered
    assert bench.call("fake__learnt", Consent.ONCE) == ("new", False)


def test_a_server_that_dies_is_a_failed_result_and_is_started_again(make: Make) -> None:
    bench = make(FAKE)
    text, failed = bench.call("fake__die", Consent.ONCE)
    assert failed
    assert text == "fake: The tool server ended before it answered."
    assert "fake__add" in [tool["name"] for tool in bench.server.requests[-1].body["tools"]]
    assert bench.state().phase is ServerPhase.READY
    assert bench.call("fake__add", Consent.ONCE, a=1, b=2) == ("1 + 2 = 3", False)
    bench.servers.stop("fake").result(PATIENCE)
    assert bench.state() == ServerState("fake", ServerPhase.STOPPED)
    text, failed = bench.call("fake__add")
    assert failed
    assert "no tool called" in text


def test_one_that_is_started_anew_twice_at_once_runs_once(make: Make) -> None:
    bench = make(FAKE)
    servers, opened = bench.servers, list[str]()
    chat_ports = servers._ports

    def opening(server: ToolServer) -> ServerLink:
        opened.append(server.name)
        return chat_ports.open(server)

    servers._ports = replace(chat_ports, open=opening)
    servers.start("fake").result(PATIENCE)
    until(lambda: bench.state().phase is ServerPhase.READY)
    for start in [servers.start("fake"), servers.start("fake")]:
        start.result(PATIENCE)
    until(lambda: bench.state().phase is ServerPhase.READY)
    assert opened == ["fake", "fake"]


def test_servers_that_cannot_start_say_why_and_cost_nothing_else(make: Make) -> None:
    bench = make(
        ToolServer(name="none", command="no-such-program-anywhere"),
        ToolServer(name="ill", command=sys.executable, args=(CHILD, "--die")),
        ToolServer(name="unset", command=sys.executable, env={"KEY": "$NOT_SET_ANYWHERE"}),
        ToolServer(name="far", url="http://127.0.0.1:9/mcp"),
        FAKE,
    )
    assert bench.call("fake__add", Consent.ONCE, a=1, b=2) == ("1 + 2 = 3", False)
    assert bench.state("none").problem == "The program “no-such-program-anywhere” was not found."
    assert bench.state("ill").problem.startswith("The program ended before it answered.")
    assert "no licence found" in bench.state("ill").problem
    assert "NOT_SET_ANYWHERE is not set" in bench.state("unset").problem
    assert bench.state("far").problem == "Nothing answers at http://127.0.0.1:9/mcp."
    remarks = " ".join({event.state.remark for event in bench.chat.events if isinstance(event, RunChanged)})
    assert "The tool server “none” is not running: The program “no-such-program-anywhere” was not found." in remarks
    assert all(f"“{name}” is not running" in remarks for name in ("ill", "unset", "far"))
    assert "“fake”" not in remarks


def test_a_server_at_an_address_is_asked_over_http(make: Make) -> None:
    with mcp_server.at_address() as url:
        bench = make(ToolServer(name="far", url=url))
        assert bench.call("far__add", Consent.ONCE, a=1, b=2) == ("1 + 2 = 3", False)
        assert bench.questions[0].why == "runs"  # it is on this machine
        bench.servers.stop("far").result(PATIENCE)


def test_a_server_starts_with_the_key_it_is_given(make: Make) -> None:
    with mcp_server.at_address("tok-1234") as url:
        bench = make(ToolServer(name="far", url=url, headers={"Authorization": "Bearer ${key}"}))
        assert bench.state("far") == ServerState("far", ServerPhase.STOPPED, wants_key=True)
        bench.servers.start("far").result(PATIENCE)
        until(lambda: bench.state("far").phase is ServerPhase.FAILED)
        assert "has no key yet" in bench.state("far").problem
        assert bench.servers.give_key("far", " tok-1234 ").result(PATIENCE) in (KeyOrigin.KEYRING, KeyOrigin.MEMORY)
        until(lambda: bench.state("far").phase is ServerPhase.READY)
        bench.servers.stop("far").result(PATIENCE)
        with pytest.raises(NotFoundError):
            bench.servers.give_key("none", "x").result(PATIENCE)


def test_tools_at_an_address_elsewhere_leave_the_machine() -> None:
    assert why(ToolServer(name="far", url="https://mcp.example/mcp")) == "leaves the machine"


def test_without_the_extra_it_is_said_how_to_get_it(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    bench = make(FAKE)
    bench.server.script(Reply(blocks=(Say("Hello."),)))
    bench.chat.say(bench.session, "Hi")
    assert bench.chat.told(bench.session)[-1] == "assistant: Hello."
    assert "pip install 'mcp" in bench.state().problem


@pytest.mark.parametrize("tool", ["a", "x" * 200, "a b", "ä", ""])
def test_names_are_as_providers_take_them(tool: str) -> None:
    name = name_of("server", tool)
    assert len(name) <= LONGEST
    assert name.isascii()
    assert name.replace("_", "").replace("-", "").isalnum()
    assert name != name_of("server", tool + "!")
