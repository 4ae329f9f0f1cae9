"""What a request says beside its messages: the same for a run, for “Show request” and for the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stemmata.domain.connections import OfferedModel
from stemmata.domain.context import Projection
from stemmata.domain.entries import Kind
from stemmata.domain.preferences import ChatSettings
from stemmata.domain.requests import RequestOptions, ToolDefinition
from stemmata.domain.session import Session

LEAST_REPLY = 256  # tokens


@dataclass(frozen=True, slots=True)
class Wish:
    """What differs from what the path says. `prefix` is what had come of the reply that is asked for."""

    model: str = ""  # connection/model
    level: str = ""
    prefix: str = ""


class RunOptions:
    """`chat` and `tools` are asked anew each time: settings and servers change while the program runs.

    `offered` is what a connection's server last told of a model, None when it was never asked.
    """

    def __init__(
        self,
        window: Callable[[str], int | None],
        chat: Callable[[], ChatSettings],
        tools: Callable[[Session], tuple[ToolDefinition, ...]] = lambda _session: (),
        offered: Callable[[str, str], OfferedModel | None] = lambda _connection, _model: None,
    ) -> None:
        self._window, self._tools, self._offered = window, tools, offered
        self.chat = chat

    def of(self, session: Session, provider: str, model: str, wish: Wish) -> RequestOptions:
        """`provider` and `model` as entries are to name them. On the db thread: what servers offer is in files."""
        chat = self.chat()
        return RequestOptions(
            model=model,
            provider=provider,
            system=chat.system_prompt,
            tools=self._tools(session),
            max_tokens=self.longest_reply(f"{provider}/{model}"),
            thinking=wish.level,
            cache="" if chat.cache_ttl == "off" else chat.cache_ttl,
            facts=self._offered(provider, model),
            prefill=wish.prefix,
        )

    def longest_reply(self, model: str) -> int:
        """Tokens; at most half of a window that is known, so that small models can be asked at all."""
        window, wanted = self._window(model), self.chat().max_tokens
        return wanted if window is None else max(min(wanted, window // 2), LEAST_REPLY)


def level_of(projection: Projection) -> str:
    """The thinking level that was picked on the path, "" when none ever was: then it is left to the model."""
    was_picked = projection.line.kinds.rfind(Kind.THINKING_LEVEL_CHANGE, 0, projection.end) >= 0
    return projection.level if was_picked else ""
