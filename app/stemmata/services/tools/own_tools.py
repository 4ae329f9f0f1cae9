"""The toolbox of a run: our own tools, and the consent of the person where one acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stemmata.domain.chat.run import Question, ToolOutcome
from stemmata.domain.entries.blocks import Text, ToolCall, arguments_of
from stemmata.domain.entries.session import Session
from stemmata.domain.requests.request import ToolDefinition
from stemmata.domain.text.json_text import compact
from stemmata.services.ports.providers import Ask
from stemmata.services.tools.consents import NOT_ALLOWED, Consents
from stemmata.services.tools.tool import Tool, ToolError

ORIGIN = "Stemmata"
LARGEST = 50_000  # characters of a result


class OwnTools:
    """Implements `provider_ports.Toolbox`.

    `tools` is called once. While they are not `enabled`, the model is offered none.
    """

    def __init__(
        self,
        tools: Callable[[], Sequence[Tool]],
        enabled: Callable[[], bool] = lambda: True,
        consents: Consents | None = None,
    ) -> None:
        self._make, self._is_enabled, self._consents = tools, enabled, consents or Consents()
        self._tools: dict[str, Tool] | None = None

    def definitions(self, _session: Session) -> tuple[ToolDefinition, ...]:
        return tuple(tool.definition for tool in self._named.values()) if self._is_enabled() else ()

    async def call(self, session: Session, call: ToolCall, ask: Ask) -> ToolOutcome:
        tool = self._named.get(call.name) if self._is_enabled() else None
        if tool is None:
            return _failed(f"There is no tool called “{call.name}”.")
        arguments = arguments_of(call)
        why = tool.why(arguments)
        if why and not await self._may(session, call, why, ask):
            return _failed(NOT_ALLOWED)
        try:
            text = await tool.answer(session, arguments)
        except ToolError as error:
            return _failed(str(error))
        if len(text) > LARGEST:
            text = f"{text[:LARGEST]}\n[cut: {len(text) - LARGEST} more characters]"
        return ToolOutcome((Text(text),), details=compact({"origin": ORIGIN}))

    @property
    def _named(self) -> dict[str, Tool]:
        if self._tools is None:
            self._tools = {tool.definition.name: tool for tool in self._make()}
        return self._tools

    async def _may(self, session: Session, call: ToolCall, why: str, ask: Ask) -> bool:
        return await self._consents.may(
            Question(
                session=session.key,
                run=0,
                call=call.id,
                tool=call.name,
                origin=ORIGIN,
                arguments=call.arguments,
                folder=session.cwd,
                why=why,
            ),
            ask,
        )


def _failed(why: str) -> ToolOutcome:
    return ToolOutcome((Text(why),), failed=True, details=compact({"origin": ORIGIN}))
