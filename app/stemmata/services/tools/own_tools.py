"""The toolbox of a run: our own tools and those of MCP servers, each call with the consent that it needs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from stemmata.domain.chat.run import Question, ToolOutcome
from stemmata.domain.chat.tool_servers import ServerTool, ToolServer, ToolServerError
from stemmata.domain.entries.blocks import Text, ToolCall, arguments_of
from stemmata.domain.requests.request import ToolDefinition, clean_arguments
from stemmata.domain.sessions.session import Session
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.untrusted import parse_json
from stemmata.services.ports.providers import Ask, Toolbox
from stemmata.services.tools.consents import NOT_ALLOWED, Consents
from stemmata.services.tools.servers import ToolServers
from stemmata.services.tools.tool import Tool, ToolError

LONGEST = 64  # characters of a tool's name; limit of Anthropic and OpenAI
_UNWANTED = re.compile(r"[^A-Za-z0-9_-]")
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class ServerTools:
    """Implements `Toolbox` for the tools of MCP servers. Calls of other tools go to `own`."""

    def __init__(self, own: Toolbox, servers: ToolServers, consents: Consents) -> None:
        self._own, self._servers, self._consents = own, servers, consents

    def definitions(self, session: Session) -> tuple[ToolDefinition, ...]:
        """Return the definitions of all tools that a session may use."""
        own = self._own.definitions(session)
        offered = [ToolDefinition(name, tool.description, tool.schema) for name, (_, tool) in self._named().items()]
        return (*own, *offered)

    async def call(self, session: Session, call: ToolCall, ask: Ask) -> ToolOutcome:
        """Run a call after consent and return its outcome."""
        found = self._named().get(call.name)
        if found is None:
            return await self._own.call(session, call, ask)
        server, tool = found
        question = Question(
            session=session.key,
            run=0,
            call=call.id,
            tool=call.name,
            origin=server.name,
            arguments=call.arguments,
            folder=session.cwd,
            why=why(server),
        )
        if not await self._consents.may(question, ask):
            return _server_tools_failed(server, NOT_ALLOWED)
        try:
            return await self._servers.call(server.name, tool.name, parse_json(clean_arguments(call)))
        except ToolServerError as error:
            return _server_tools_failed(server, str(error))

    def _named(self) -> dict[str, tuple[ToolServer, ServerTool]]:
        """Return the servers' tools by the names that the model uses."""
        named: dict[str, tuple[ToolServer, ServerTool]] = {}
        for server, tool in self._servers.offered:
            name = name_of(server.name, tool.name)
            named[name if name not in named else _marked(name, f"{server.name}\0{tool.name}")] = server, tool
        return named


def name_of(server: str, tool: str) -> str:
    """Return a tool's name as providers accept it. A changed name gets a hash, so that names stay different."""
    wanted = f"{server}__{tool}"
    name = _UNWANTED.sub("_", wanted)
    return name if name == wanted and len(name) <= LONGEST else _marked(name, f"{server}\0{tool}")


def _marked(name: str, whole: str) -> str:
    mark = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: LONGEST - 9]}_{mark}"


def why(server: ToolServer) -> str:
    """Return the effect of a server's tool for the question of consent: "leaves the machine" or "runs"."""
    return "leaves the machine" if server.url and urlsplit(server.url).hostname not in _HERE else "runs"


def _server_tools_failed(server: ToolServer, reason: str) -> ToolOutcome:
    return ToolOutcome((Text(reason),), failed=True, details=compact_json({"origin": server.name}))


ORIGIN = "Stemmata"
LARGEST = 50_000  # characters per result


class OwnTools:
    """Implements `Toolbox` for our own tools. `tools` creates the tools and is called once."""

    def __init__(self, tools: Callable[[], Sequence[Tool]], consents: Consents | None = None) -> None:
        self._make, self._consents = tools, consents or Consents()
        self._tools: dict[str, Tool] | None = None

    def definitions(self, session: Session) -> tuple[ToolDefinition, ...]:
        """Return the definitions of the tools that a session may use."""
        return tuple(tool.definition for tool in self._named.values() if tool.is_offered(session))

    async def call(self, session: Session, call: ToolCall, ask: Ask) -> ToolOutcome:
        """Run a call after consent and return its outcome."""
        tool = self._named.get(call.name)
        if tool is None or not tool.is_offered(session):
            return _failed(f"There is no tool called “{call.name}”.")
        arguments = arguments_of(call)
        why = tool.why(arguments)
        if why and not await self._may(session, call, why, tool.consent_folder(session), ask):
            return _failed(NOT_ALLOWED)
        try:
            text = await tool.answer(session, arguments)
        except ToolError as error:
            return _failed(str(error))
        if len(text) > LARGEST:
            text = f"{text[:LARGEST]}\n[cut: {len(text) - LARGEST} more characters]"
        return ToolOutcome((Text(text),), details=compact_json({"origin": ORIGIN}))

    @property
    def _named(self) -> dict[str, Tool]:
        if self._tools is None:
            self._tools = {tool.definition.name: tool for tool in self._make()}
        return self._tools

    async def _may(self, session: Session, call: ToolCall, why: str, folder: str, ask: Ask) -> bool:
        return await self._consents.may(
            Question(
                session=session.key,
                run=0,
                call=call.id,
                tool=call.name,
                origin=ORIGIN,
                arguments=call.arguments,
                folder=folder,
                why=why,
            ),
            ask,
        )


def _failed(why: str) -> ToolOutcome:
    return ToolOutcome((Text(why),), failed=True, details=compact_json({"origin": ORIGIN}))
