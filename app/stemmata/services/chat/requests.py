"""What a run asks: which model, with which options, and the body of its next request.

A run, *Show request* and the command line use the same options.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.chat.connections import Connection, OfferedModel, connection_for
from stemmata.domain.chat.skills import ActiveSkill
from stemmata.domain.compaction.summary.signed import is_anthropic
from stemmata.domain.context.breakdown import Count, Item, ScaleBasis, message_parts
from stemmata.domain.context.projection import Form, Message, Projection, context_at
from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.entry import Entry, FixedParts, Kind, Role
from stemmata.domain.entries.session_facts import Session, SessionTree, whole_entry
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.apis import api_of, payload_of
from stemmata.domain.requests.cache_prefix import CachePrefix, compare_prefix
from stemmata.domain.requests.model_abilities import ModelTraits
from stemmata.domain.requests.request import RequestOptions, ToolDefinition
from stemmata.domain.settings.settings import ChatSettings
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.attachments import refusal
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.run_store import tip_now
from stemmata.services.chat.skills import active_skills
from stemmata.services.context.contexts import Contexts, ContextView
from stemmata.services.futures import run_in_thread
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.ports.providers import Loop, Provider, ProviderSource
from stemmata.services.settings.connecting import Connecting

LEAST_REPLY = 256  # tokens
PROBE = (Entry(id="", role=Role.USER, blocks=(Text("x"),)), Form.WHOLE)  # a message of one letter


@dataclass(frozen=True, slots=True)
class RunOverrides:
    """What differs from what the path says. `prefix` is what had come of the reply that is asked for.

    `signed` False: a summary that the provider signed is sent as plain text. `thoughts` False: earlier thinking of
    the model is not sent back. `system` follows the system prompt of the settings.
    """

    model: str = ""  # connection/model
    level: str = ""
    prefix: str = ""
    signed: bool = True
    thoughts: bool = True
    system: str = ""


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
        self._window, self._tools, self._connections = window, tools, connections
        self._most_output = most_output
        self.chat, self.offered = chat, offered

    def asked(self, projection: Projection, api: str) -> tuple[str, str]:
        """Connection and model that a run would ask here; what the entries name where that is none of this API."""
        named, _, model = projection.model.partition("/")
        connection = connection_for(self._connections(), named, self.chat().default_connection)
        if connection is None or connection.api != api:
            return named, model
        return connection.name, model_of(connection, named, model)

    def of(
        self,
        reader: ArchiveReader,
        session: Session,
        projection: Projection,
        provider: str,
        model: str,
        overrides: RunOverrides,
    ) -> RequestOptions:
        """`provider` and `model` as entries are to name them. On the db thread."""
        chat = self.chat()
        cache = "" if chat.cache_ttl == "off" else chat.cache_ttl
        return RequestOptions(
            model=model,
            provider=provider,
            system="\n\n".join(filter(None, (chat.system_prompt, overrides.system))),
            skills=active_skills(reader, projection),
            tools=self._tools(session),
            max_tokens=self.longest_reply(f"{provider}/{model}"),
            thinking=overrides.level,
            cache=cache,
            facts=self.offered(provider, model),
            prefill=overrides.prefix,
            signed=overrides.signed,
            thoughts=overrides.thoughts,
            previous=self._previous(reader, projection, provider) if cache else "",
        )

    def _previous(self, reader: ArchiveReader, projection: Projection, provider: str) -> str:
        """Id of the message before, for Anthropic's own servers: they tell what broke the cache."""
        named = [known for known in self._connections() if known.name == provider]
        if not any(map(is_anthropic, named)):
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
    was_picked = projection.path_totals.kinds.rfind(Kind.THINKING_LEVEL_CHANGE, 0, projection.end) >= 0
    return projection.level if was_picked else ""


@dataclass(frozen=True, slots=True)
class ModelInForce:
    """The model and the connection that the next request uses."""

    connection: str
    model: str
    traits: ModelTraits


class ModelLookup:
    """Waits for the archive: for no thread that others wait for."""

    def __init__(self, archive: Archive, loop: Loop, connecting: Connecting, options: RunOptions) -> None:
        self._archive, self._loop, self._connecting, self._options = archive, loop, connecting, options

    def find(self, session: int, leaf: int | None) -> Future[ModelInForce]:
        """The same, waited for elsewhere."""

        return run_in_thread(lambda: self.at(session, leaf))

    def at(self, session: int, leaf: int | None) -> ModelInForce:
        """The model that a run would ask below this entry. Raises ProviderError where none is connected."""

        def look(reader: ArchiveReader) -> str:
            tree = reader.tree(session)
            return context_at(tree, tree.get(leaf)).model

        named, _, picked = self._archive.read(look).result().partition("/")
        connection = self._loop.run(self._connecting.connection_for(named)).result()
        model = model_of(connection, named, picked)
        facts = self._archive.read(lambda _reader: self._options.offered(connection.name, model)).result()
        return ModelInForce(connection.name, model, ModelTraits(model, facts))


KEPT = "cache_prefix"  # in the details of a reply: what its request began with


def kept_prefix(messages: Sequence[tuple[Entry, Form]]) -> CachePrefix | None:
    """What the request of the last reply began with; None when it left nothing in a cache, or nothing is known."""
    for entry, _ in reversed(messages):
        if entry.role is Role.ASSISTANT:
            return _prefix_of(entry) if entry.usage and entry.usage.cache_read + entry.usage.cache_write else None
    return None


def _prefix_of(entry: Entry) -> CachePrefix | None:
    try:
        details = json.loads(entry.details or "{}")
    except ValueError:
        return None
    return CachePrefix.parse(str(details.get(KEPT, ""))) if isinstance(details, dict) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """A request, ready to be sent. `view` is its context, `options` is all that it has besides its messages.

    `left_out` counts pictures and PDFs of the context that the model does not take.
    `largest` is the entry that adds most to it, its tokens estimated at the scale of the context.
    `cache_prefix` is what a prompt cache may hold of it, told in hashes; they take a while, so they are made here.
    `cache_break` says what of it the prompt cache of the request before does not hold, "" for nothing.
    """

    payload: dict[str, Any]
    provider: Provider
    connection: Connection
    model: str
    session: Session
    tip: int | None
    window: int | None
    view: ContextView
    options: RequestOptions
    left_out: int = 0
    troubles: tuple[str, ...] = ()
    largest: Item | None = None
    cache_prefix: str = ""
    cache_break: str = ""

    @property
    def is_due(self) -> bool:
        """Whether its context is above the trigger of automatic compaction."""
        return self.view.is_due

    @property
    def tokens(self) -> int | None:
        """The tokens of its context, the reply not among them."""
        return self.view.breakdown.total.value

    @property
    def is_counted(self) -> bool:
        """Whether its provider counted the tokens."""
        return self.view.breakdown.basis is ScaleBasis.COUNT

    @property
    def estimated(self) -> int:
        """The tokens of its messages as they are estimated, at no scale."""
        return sum(message_parts(self.view.projection).values())

    @property
    def fixed(self) -> FixedParts:
        """The estimated tokens of system prompt and tool definitions, from their own text as it is sent."""
        tools, system = self.payload.get("tools"), self.options.system.strip() and self.options.system
        return FixedParts(to_tokens(units(system)), to_tokens(units(compact_json(tools))) if tools else 0)

    @property
    def longest_reply(self) -> int:
        """The most tokens of the reply."""
        return self.options.max_tokens

    @property
    def refused_above(self) -> int | None:
        """The window that a refusal named; None for none."""
        return None if self.options.facts is None else self.options.facts.refused_above

    @property
    def limit(self) -> int:
        """Tokens that the reply may have by the words of the request, its thoughts among them."""
        return api_of(self.connection.api).reply_limit(self.payload) or self.longest_reply

    @property
    def is_too_long(self) -> bool:
        """Whether the window is known, and has no room for the request alone.

        The plain estimate has to say so as well: what a server reports of itself may be nonsense. A window that only
        a refusal named may have grown since: the server says so itself.
        """
        if self.window is None or self.window == self.refused_above:
            return False
        return (self.tokens or 0 if self.is_counted else min(self.tokens or 0, self.estimated)) > self.window

    def counted(self, count: Count) -> PreparedRequest:
        """Return the request with the size that its provider counted."""
        return replace(self, view=self.view.counted(count))

    def culprit(self, window: int | None) -> Item | None:
        """The one entry that takes half of the window, or of the request where the window is not known."""
        room = window or self.tokens or 0
        return self.largest if self.largest is not None and 2 * self.largest.tokens > room else None

    @property
    def fits(self) -> bool:
        """Whether request and reply have room in the window; an unknown one has room for all."""
        return self.window is None or self.tokens is None or self.tokens + self.longest_reply <= self.window


class RunRequests:
    """`ready` is awaited before each request: tools that are on their way are offered with it. It tells of others.

    `skill_troubles` tells what is wrong with the files of the active skills.
    """

    def __init__(
        self,
        archive: Archive,
        connected: ProviderSource,
        contexts: Contexts,
        options: RunOptions,
        ready: Callable[[], Awaitable[Sequence[str]]] | None,
        skill_troubles: Callable[[Session, Sequence[ActiveSkill]], Awaitable[Sequence[str]]],
    ) -> None:
        self._archive, self._connected, self._ready = archive, connected, ready
        self._skill_troubles = skill_troubles
        self._contexts, self._options = contexts, options

    async def _seen(
        self, session: int, tip: int | None, *, exactly: bool
    ) -> tuple[int | None, SessionTree, ContextView]:
        """The entry below which a request is sent, with the session's tree and the context there."""

        def look(reader: ArchiveReader) -> tuple[int | None, SessionTree, ContextView]:
            below = tip if exactly else tip_now(reader, session, tip)
            session_tree = SessionTree(reader.session(session), reader.tree(session))
            return below, session_tree, self._contexts.seen(session_tree, session_tree.tree.get(below))

        return await settled(self._archive.read(look))

    async def is_current(self, request: PreparedRequest) -> bool:
        """Whether the connection is as it was when the request was prepared. Raises KnownError when it is gone."""
        provider, _ = await self._connected.provider_for(request.connection.name)
        return provider is request.provider

    async def prepare(
        self, session: int, tip: int | None, overrides: RunOverrides, *, to_count: bool = False
    ) -> PreparedRequest:
        """The request below a tip, or below the notes that follow it.

        `to_count` is the request right at an entry, which is only counted. It ends with a message of one letter where
        the entry is a reply, since no request ends with one.

        Raises KnownError when there is nobody to ask.
        """

        below, session_tree, view = await self._seen(session, tip, exactly=to_count)
        named, _, wanted = (overrides.model or view.projection.model).partition("/")
        provider, connection = await self._connected.provider_for(named)
        model = model_of(connection, named, wanted)
        overrides = replace(overrides, level=overrides.level or level_of(view.projection))
        troubles = () if self._ready is None else await self._ready()

        def build(reader: ArchiveReader) -> tuple[dict[str, Any], RequestOptions, int, str, str]:
            asked = (connection.name, model, overrides)
            options = self._options.of(reader, session_tree.session, view.projection, *asked)
            messages = messages_of(reader, view.projection)
            if not messages:
                raise NothingToDoError("Nothing to send: every entry is excluded from the context.")
            if to_count and messages[-1][0].role is Role.ASSISTANT:
                messages = (*messages, PROBE)
            payload = payload_of(connection.api, messages, options, reader.blob)
            left_out = media_left_out(messages, options.traits)
            prefix, broken = compare_prefix(payload, kept_prefix(messages))
            return payload, options, left_out, str(prefix), broken

        payload, options, left_out, prefix, broken = await settled(self._archive.read(build))
        troubles = (*troubles, *await self._skill_troubles(session_tree.session, options.skills))
        return PreparedRequest(
            payload=payload,
            provider=provider,
            connection=connection,
            model=model,
            session=session_tree.session,
            tip=below,
            window=self._contexts.window(f"{connection.name}/{model}"),
            left_out=left_out,
            troubles=tuple(troubles),
            largest=_largest(session_tree, view),
            cache_prefix=prefix,
            cache_break=broken,
            view=view,
            options=options,
        )


def _largest(session_tree: SessionTree, view: ContextView) -> Item | None:
    """With the entry's store key."""
    key, scaled = session_tree.tree.key, view.breakdown.scaled
    found = (replace(item, entry=key(item.entry), tokens=scaled(item.tokens)) for item in view.breakdown.largest)
    return next(found, None)


def messages_of(reader: ArchiveReader, projection: Projection) -> Sequence[tuple[Entry, Form]]:
    """What the projection emits, with its content."""
    return entries_of(reader, projection.tree, projection.messages)


def entries_of(reader: ArchiveReader, tree: Tree, messages: Sequence[Message]) -> Sequence[tuple[Entry, Form]]:
    """Messages with their content."""
    keys = [tree.key(message.entry) for message in messages]
    rows, bodies = reader.rows(keys), reader.bodies(keys)
    return [(whole_entry(rows[key], bodies[key]), message.form) for key, message in zip(keys, messages, strict=True)]


def media_left_out(messages: Iterable[tuple[Entry, Form]], traits: ModelTraits) -> int:
    """How many pictures and PDFs are replaced by a note, since the model takes none."""
    blocks = (block for entry, form in messages if form is not Form.PRUNED for block in entry.blocks)
    return sum(1 for block in blocks if isinstance(block, Image) and refusal((block,), traits))


class Requests:
    """Builds the requests of a session."""

    def __init__(self, archive: Archive, options: RunOptions) -> None:
        self._archive, self._options = archive, options

    def payload(self, session_tree: SessionTree, entry: int | None, provider: str) -> Future[dict[str, Any]]:
        """The body that would be sent. `entry` is an index; an empty context fails with NothingToDoError."""
        projection = context_at(session_tree.tree, entry)
        overrides = RunOverrides(level=level_of(projection))

        def job(reader: ArchiveReader) -> dict[str, Any]:
            asked = self._options.asked(projection, provider)
            options = self._options.of(reader, session_tree.session, projection, *asked, overrides)
            return payload_of(provider, messages_of(reader, projection), options, reader.blob)

        return self._archive.read(job)
