"""What a request says beside its messages: the same for a run, for “Show request” and for the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stemmata.domain.chat.connections import ANTHROPIC_URL, Connection, OfferedModel, chosen
from stemmata.domain.context.projection import Projection
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.session_facts import Session
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.request import RequestOptions, ToolDefinition
from stemmata.domain.settings.settings import ChatSettings
from stemmata.domain.text.phrases import Phrase
from stemmata.services.ports.archive import ArchiveReader

LEAST_REPLY = 256  # tokens


@dataclass(frozen=True, slots=True)
class Wish:
    """What differs from what the path says. `prefix` is what had come of the reply that is asked for.

    `signed` False: a summary that the provider signed is sent as plain text.
    """

    model: str = ""  # connection/model
    level: str = ""
    prefix: str = ""
    signed: bool = True


class RunOptions:
    """`chat` and `tools` are asked anew each time: settings and servers change while the program runs.

    `offered` is what a connection's server last told of a model, None when it was never asked. That and the
    `connections` lie in files: on the db thread.
    """

    def __init__(
        self,
        window: Callable[[str], int | None],
        chat: Callable[[], ChatSettings],
        tools: Callable[[Session], tuple[ToolDefinition, ...]] = lambda _session: (),
        offered: Callable[[str, str], OfferedModel | None] = lambda _connection, _model: None,
        connections: Callable[[], Sequence[Connection]] = tuple,
        most_output: Callable[[str], int | None] = lambda _model: None,
    ) -> None:
        self._window, self._tools, self._offered, self._connections = window, tools, offered, connections
        self._most_output = most_output
        self.chat = chat

    def asked(self, projection: Projection, api: str) -> tuple[str, str]:
        """Connection and model that a run would ask here; what the entries name where that is none of this API."""
        named, _, model = projection.model.partition("/")
        connection = chosen(self._connections(), named, self.chat().default_connection)
        if connection is None or connection.api != api:
            return named, model
        return connection.name, model_of(connection, named, model)

    def of(
        self, reader: ArchiveReader, session: Session, projection: Projection, provider: str, model: str, wish: Wish
    ) -> RequestOptions:
        """`provider` and `model` as entries are to name them. On the db thread."""
        chat = self.chat()
        cache = "" if chat.cache_ttl == "off" else chat.cache_ttl
        return RequestOptions(
            model=model,
            provider=provider,
            system=chat.system_prompt,
            tools=self._tools(session),
            max_tokens=self.longest_reply(f"{provider}/{model}"),
            thinking=wish.level,
            cache=cache,
            facts=self._offered(provider, model),
            prefill=wish.prefix,
            signed=wish.signed,
            previous=self._previous(reader, projection, provider) if cache else "",
        )

    def _previous(self, reader: ArchiveReader, projection: Projection, provider: str) -> str:
        """Id of the message before, for Anthropic's own servers: they tell what broke the cache."""
        named = [known for known in self._connections() if known.name == provider]
        if not any(known.api == "anthropic" and known.base_url.rstrip("/") == ANTHROPIC_URL for known in named):
            return ""
        tree = projection.tree
        for message in reversed(projection.messages):
            if tree.columns.role[message.entry] == Role.ASSISTANT:
                key = tree.key(message.entry)
                details = json.loads(reader.bodies([key])[key].details or "{}")
                is_its = reader.rows([key])[key].provider == provider
                return str(details.get("message") or "") if is_its and isinstance(details, dict) else ""
        return ""

    def longest_reply(self, model: str) -> int:
        """Tokens; at most half of a window that is known, so that small models can be asked at all.

        What is known of the longest reply of the model is not passed either.
        """
        window, most = self._window(model), self._most_output(model)
        wanted = min(self.chat().max_tokens, most or self.chat().max_tokens)
        return wanted if window is None else min(wanted, max(window // 2, LEAST_REPLY))


class NoModelError(KnownError):
    """It is not clear which model to ask."""


def model_of(connection: Connection, provider: str, model: str) -> str:
    """The model to ask there in a session whose entries name this provider and model, "" for none.

    A connection that is none of that provider's is asked for its own. Raises NoModelError when it has none.
    """
    is_its = provider == connection.name or connection.api.startswith(provider.lower() or "-")
    found = (model if is_its else connection.model) or connection.model or model
    if not found:
        raise NoModelError(Phrase("No model is chosen for “{0}”. Pick one, then try again.", connection.name))
    return found


def level_of(projection: Projection) -> str:
    """The thinking level that was picked on the path, "" when none ever was: then it is left to the model."""
    was_picked = projection.line.kinds.rfind(Kind.THINKING_LEVEL_CHANGE, 0, projection.end) >= 0
    return projection.level if was_picked else ""
