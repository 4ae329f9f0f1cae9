"""The requests of a run: their model, their options and their JSON body.

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
from stemmata.domain.context.projection import Form, Projection, SentMessage, context_at
from stemmata.domain.entries.blocks import Image, Text, Thinking
from stemmata.domain.entries.entry import Entry, FixedParts, Kind, Role
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.apis import api_of, payload_of
from stemmata.domain.requests.cache_prefix import CachePrefix, compare_prefix
from stemmata.domain.requests.model_abilities import ModelTraits
from stemmata.domain.requests.request import RequestOptions, ToolDefinition
from stemmata.domain.sessions.session import Session, SessionTree
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
from stemmata.services.whole_entries import whole_entries

LEAST_REPLY = 256  # tokens
PROBE = (Entry(id="", role=Role.USER, blocks=(Text("x"),)), Form.WHOLE)  # a message of one letter


@dataclass(frozen=True, slots=True)
class RunOverrides:
    """Options of one run that replace those of the path. `prefix` is the received part of a reply to continue.

    `signed` False: a summary that the provider signed is sent as plain text. `system` is added after the system
    prompt of the settings.
    """

    model: str = ""  # connection/model
    level: str = ""
    prefix: str = ""
    signed: bool = True
    system: str = ""


class RunOptions:
    """Chooses the options of requests. `chat` and `tools` are called each time, because settings and servers change.

    `offered` returns a model as a connection's server last reported it, None when the server was never asked. It and
    `connections` read files, so they are called on the db thread.
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
        # session, connection, model → the last entries (keys) of requests whose thinking was refused
        self._refused_thoughts: dict[tuple[int, str, str], set[int]] = {}

    def leave_out_thoughts(self, session: int, connection: str, model: str, projection: Projection) -> bool:
        """Leave the thinking in a context out of further requests of a session to a model, whose server refused it.

        This lasts until the program ends: each request with that thinking would be refused and sent again. Returns
        False when all of that thinking was left out already.
        """
        tip = 0 if projection.entry is None else projection.tree.key(projection.entry)
        is_new = tip > self.thoughtless_up_to(session, connection, model, projection)
        if is_new:
            self._refused_thoughts.setdefault((session, connection, model), set()).add(tip)
        return is_new

    def thoughtless_up_to(self, session: int, connection: str, model: str, projection: Projection) -> int:
        """Return the entry (key) on the path of a context up to which thinking is left out of requests; 0 for none.

        The thinking above it was in a refused request, also one on another branch.
        """
        tree = projection.tree
        tips = map(tree.get, self._refused_thoughts.get((session, connection, model), ()))
        shared = (tree.common_ancestor(projection.entry, tip) for tip in tips)
        return max((tree.key(entry) for entry in shared if entry is not None), default=0)

    def asked(self, projection: Projection, api: str) -> tuple[str, str]:
        """Return connection and model of a run's request; if their API is another one, the names in the entries."""
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
        """Return the options of a request; the reply's entry will name this provider and model. On the db thread."""
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
            previous=self._previous(reader, projection, provider) if cache else "",
        )

    def _previous(self, reader: ArchiveReader, projection: Projection, provider: str) -> str:
        """Return Anthropic's id of the last reply, by which the server explains a missed prompt cache.

        Returns "" for other servers.
        """
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
        """Return the longest reply to request, in tokens: the setting, limited by the model's own maximum.

        At most half of a known window, so that small models have room for the request.
        """
        window, most = self._window(model), self._most_output(model)
        wanted = min(self.chat().max_tokens, most or self.chat().max_tokens)
        return wanted if window is None else min(wanted, max(window // 2, LEAST_REPLY))


class NoModelError(KnownError):
    """Neither the session nor the connection names a model for the request."""


def model_of(connection: Connection, provider: str, model: str) -> str:
    """Return the model to use on a connection for a session whose entries name this provider and model.

    `model` is "" when no entry names one. A connection of another provider uses its own default model. Raises
    NoModelError when none is known.
    """
    is_its = provider == connection.name or connection.api.startswith(provider.lower() or "-")
    found = (model if is_its else connection.model) or connection.model or model
    if not found:
        raise NoModelError(Phrase("No model is chosen for “{0}”. Pick one, then try again.", connection.name))
    return found


def level_of(projection: Projection) -> str:
    """Return the thinking level that was picked on the path; "" when none was picked: the model decides then."""
    was_picked = projection.path_totals.kinds.rfind(Kind.THINKING_LEVEL_CHANGE, 0, projection.end) >= 0
    return projection.level if was_picked else ""


@dataclass(frozen=True, slots=True)
class ModelInForce:
    """The model and the connection that the next request uses."""

    connection: str
    model: str
    traits: ModelTraits


class ModelLookup:
    """Finds the model that a run would use. Its methods may wait for the archive and the network."""

    def __init__(self, archive: Archive, loop: Loop, connecting: Connecting, options: RunOptions) -> None:
        self._archive, self._loop, self._connecting, self._options = archive, loop, connecting, options

    def find(self, session: int, leaf: int | None) -> Future[ModelInForce]:
        """Return a future of `at`, which runs on a separate thread."""

        return run_in_thread(lambda: self.at(session, leaf))

    def at(self, session: int, leaf: int | None) -> ModelInForce:
        """Return the model that a run would use below an entry. Raises ProviderError when none is connected.

        Waits for the db thread and the io loop, so it must not run on them.
        """

        def look(reader: ArchiveReader) -> str:
            tree = reader.tree(session)
            return context_at(tree, tree.get(leaf)).model

        named, _, picked = self._archive.read(look).result().partition("/")
        connection = self._loop.run(self._connecting.connection_for(named)).result()
        model = model_of(connection, named, picked)
        facts = self._archive.read(lambda _reader: self._options.offered(connection.name, model)).result()
        return ModelInForce(connection.name, model, ModelTraits(model, facts))


KEPT = "cache_prefix"  # key in a reply's details: the hashed beginning of its request


def kept_prefix(messages: Sequence[tuple[Entry, Form]]) -> CachePrefix | None:
    """Return the prefix of the last reply's request that a cache may hold; None when nothing was cached or known."""
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
    """A request that is ready to be sent. `view` is its context, `options` has all of it except the messages.

    `left_out` counts the pictures and PDFs of the context that the model does not accept.
    `largest` is the entry with the most tokens, estimated at the scale of the context.
    `cache_prefix` contains hashes of the parts that a prompt cache may hold; computed here because they take long.
    `cache_break` names the part that the prompt cache of the previous request does not hold, "" for none.
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
        """Whether the context of the request is above the trigger of automatic compaction."""
        return self.view.is_due

    @property
    def tokens(self) -> int | None:
        """The tokens of the request, without the reply; None when unknown."""
        return self.view.breakdown.total.value

    @property
    def is_counted(self) -> bool:
        """Whether the provider counted the tokens of the request."""
        return self.view.breakdown.basis is ScaleBasis.COUNT

    @property
    def estimated(self) -> int:
        """The estimated tokens of the messages, not adjusted to the provider's reports."""
        return sum(message_parts(self.view.projection).values())

    @property
    def fixed(self) -> FixedParts:
        """The estimated tokens of system prompt and tool definitions, from the text that is sent."""
        tools, system = self.payload.get("tools"), self.options.system.strip() and self.options.system
        return FixedParts(to_tokens(units(system)), to_tokens(units(compact_json(tools))) if tools else 0)

    @property
    def longest_reply(self) -> int:
        """The maximum length of the reply, in tokens."""
        return self.options.max_tokens

    @property
    def refused_above(self) -> int | None:
        """The window, in tokens, that the server named in refusing a too long request; None when it named none."""
        return None if self.options.facts is None else self.options.facts.refused_above

    @property
    def limit(self) -> int:
        """The maximum tokens of the reply as the request's body states them, thinking included."""
        return api_of(self.connection.api).reply_limit(self.payload) or self.longest_reply

    @property
    def is_too_long(self) -> bool:
        """Whether the request alone exceeds the window. False when the window is unknown.

        The unadjusted estimate must exceed it, too, because a server's report may be wrong. A window known only from
        a refusal may have grown since, so the request is sent and the server decides.
        """
        if self.window is None or self.window == self.refused_above:
            return False
        return (self.tokens or 0 if self.is_counted else min(self.tokens or 0, self.estimated)) > self.window

    def counted(self, count: Count) -> PreparedRequest:
        """Return the request with the size that its provider counted."""
        return replace(self, view=self.view.counted(count))

    def culprit(self, window: int | None) -> Item | None:
        """Return the entry that fills more than half of the window, or of the request when the window is unknown."""
        room = window or self.tokens or 0
        return self.largest if self.largest is not None and 2 * self.largest.tokens > room else None

    @property
    def fits(self) -> bool:
        """Whether request and reply fit into the window together; True when the window is unknown."""
        return self.window is None or self.tokens is None or self.tokens + self.longest_reply <= self.window


class RunRequests:
    """Prepares the requests of runs. `ready` waits until tools are available; it returns remarks on missing ones.

    `skill_troubles` returns remarks on changed or missing files of the active skills.
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

    async def _context_below(
        self, session: int, tip: int | None, *, exactly: bool
    ) -> tuple[int | None, SessionTree, ContextView]:
        """Return the entry below which a request is sent, the session's tree, and the context at the entry."""

        def look(reader: ArchiveReader) -> tuple[int | None, SessionTree, ContextView]:
            below = tip if exactly else tip_now(reader, session, tip)
            session_tree = SessionTree(reader.session(session), reader.tree(session))
            return below, session_tree, self._contexts.seen(session_tree, session_tree.tree.get(below))

        return await settled(self._archive.read(look))

    async def is_current(self, request: PreparedRequest) -> bool:
        """Whether the connection is unchanged since the request was prepared. Raises KnownError when it is gone."""
        provider, _ = await self._connected.provider_for(request.connection.name)
        return provider is request.provider

    async def prepare(
        self, session: int, tip: int | None, overrides: RunOverrides, *, to_count: bool = False
    ) -> PreparedRequest:
        """Return the request below a tip, or below the notes that follow the tip.

        `to_count`: prepare a request at exactly this entry, which is only counted. After a reply, a message of one
        letter is added, since a request cannot end with a reply.

        Raises KnownError when no model is connected.
        """

        below, session_tree, view = await self._context_below(session, tip, exactly=to_count)
        named, _, wanted = (overrides.model or view.projection.model).partition("/")
        provider, connection = await self._connected.provider_for(named)
        model = model_of(connection, named, wanted)
        overrides = replace(overrides, level=overrides.level or level_of(view.projection))
        troubles = () if self._ready is None else await self._ready()

        def build(reader: ArchiveReader) -> tuple[dict[str, Any], RequestOptions, int, str, str]:
            asked = (connection.name, model, overrides)
            options = self._options.of(reader, session_tree.session, view.projection, *asked)
            thoughtless = self._options.thoughtless_up_to(session, connection.name, model, view.projection)
            messages = messages_of(reader, view.projection, thoughtless)
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
    """Return the largest entry of a context by its store key, with scaled tokens; None for an empty context."""
    key, scaled = session_tree.tree.key, view.breakdown.scaled
    found = (replace(item, entry=key(item.entry), tokens=scaled(item.tokens)) for item in view.breakdown.largest)
    return next(found, None)


def messages_of(reader: ArchiveReader, projection: Projection, thoughtless: int = 0) -> Sequence[tuple[Entry, Form]]:
    """Return the messages of a projection with their contents and forms; `thoughtless` as in `entries_of`."""
    return entries_of(reader, projection.tree, projection.messages, thoughtless)


def entries_of(
    reader: ArchiveReader, tree: Tree, messages: Sequence[SentMessage], thoughtless: int = 0
) -> Sequence[tuple[Entry, Form]]:
    """Return the given messages with their contents and forms, without the thinking up to the key `thoughtless`."""
    entries = whole_entries(reader, tree, [message.entry for message in messages])
    return [
        (_without_thinking(entry) if tree.key(message.entry) <= thoughtless else entry, message.form)
        for entry, message in zip(entries, messages, strict=True)
    ]


def _without_thinking(entry: Entry) -> Entry:
    return replace(entry, blocks=tuple(block for block in entry.blocks if not isinstance(block, Thinking)))


def media_left_out(messages: Iterable[tuple[Entry, Form]], traits: ModelTraits) -> int:
    """Return the number of pictures and PDFs that a note replaces because the model does not accept them."""
    blocks = (block for entry, form in messages if form is not Form.PRUNED for block in entry.blocks)
    return sum(1 for block in blocks if isinstance(block, Image) and refusal((block,), traits))


class Requests:
    """Builds the requests of a session."""

    def __init__(self, archive: Archive, options: RunOptions) -> None:
        self._archive, self._options = archive, options

    def payload(self, session_tree: SessionTree, entry: int | None, provider: str) -> Future[dict[str, Any]]:
        """Return the JSON body of the request at an entry (tree index). Fails with NothingToDoError when empty."""
        projection = context_at(session_tree.tree, entry)
        overrides = RunOverrides(level=level_of(projection))

        def job(reader: ArchiveReader) -> dict[str, Any]:
            asked = self._options.asked(projection, provider)
            options = self._options.of(reader, session_tree.session, projection, *asked, overrides)
            thoughtless = self._options.thoughtless_up_to(session_tree.session.key, *asked, projection)
            return payload_of(provider, messages_of(reader, projection, thoughtless), options, reader.blob)

        return self._archive.read(job)
