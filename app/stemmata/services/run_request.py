"""The next request of a run: what is sent, to whom, and how full it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stemmata.domain.context import Form, Projection
from stemmata.domain.entries import Entry
from stemmata.domain.errors import KnownError
from stemmata.domain.payloads import payload_of
from stemmata.domain.sessions import Session, Skeleton, whole_entry
from stemmata.services.run_interrupt import settled
from stemmata.services.run_options import RunOptions, Wish, level_of
from stemmata.services.run_store import tip_now

if TYPE_CHECKING:
    from stemmata.domain.connections import Connection
    from stemmata.services.contexts import Contexts, ContextView
    from stemmata.services.ports import Archive, ArchiveReader
    from stemmata.services.provider_ports import Connected, Provider


class NoModelError(KnownError):
    """It is not clear which model to ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request, ready to be sent. Tokens are those of the context, the reply not among them."""

    payload: dict[str, Any]
    provider: Provider
    connection: Connection
    model: str
    session: Session
    tip: int | None
    tokens: int | None
    window: int | None
    longest_reply: int

    @property
    def fits(self) -> bool:
        """Whether request and reply have room in the window; an unknown one has room for all."""
        return self.window is None or self.tokens is None or self.tokens + self.longest_reply <= self.window


class RunRequests:
    def __init__(self, archive: Archive, connected: Connected, contexts: Contexts, options: RunOptions) -> None:
        self._archive, self._connected = archive, connected
        self._contexts, self._options = contexts, options

    async def prepare(self, session: int, tip: int | None, wish: Wish) -> Prepared:
        """Raises KnownError when there is nobody to ask."""

        def look(reader: ArchiveReader) -> tuple[Skeleton, int | None, ContextView]:
            below = tip_now(reader, session, tip)
            skeleton = Skeleton(reader.session(session), reader.tree(session))
            return skeleton, below, self._contexts.at(skeleton, skeleton.tree.get(below))

        skeleton, below, view = await settled(self._archive.read(look))
        named, _, wanted = (wish.model or view.projection.model).partition("/")
        provider, connection = await self._connected.provider_for(named)
        model = model_of(connection, named, wanted)
        wish = replace(wish, level=wish.level or level_of(view.projection))

        def build(reader: ArchiveReader) -> tuple[dict[str, Any], int]:
            options = self._options.of(skeleton.session, connection.name, model, wish)
            messages = messages_of(reader, view.projection)
            return payload_of(connection.api, messages, options, reader.blob), options.max_tokens

        payload, longest_reply = await settled(self._archive.read(build))
        return Prepared(
            payload=payload,
            provider=provider,
            connection=connection,
            model=model,
            session=skeleton.session,
            tip=below,
            tokens=view.breakdown.total.value,
            window=self._contexts.window(f"{connection.name}/{model}"),
            longest_reply=longest_reply,
        )


def model_of(connection: Connection, provider: str, model: str) -> str:
    """The model to ask there in a session whose entries name this provider and model, "" for none.

    A connection that is none of that provider's is asked for its own. Raises NoModelError when it has none.
    """
    is_its = provider == connection.name or connection.api.startswith(provider.lower() or "-")
    found = (model if is_its else connection.model) or connection.model or model
    if not found:
        raise NoModelError(f"No model is chosen for “{connection.name}”. Pick one, then try again.")
    return found


def messages_of(reader: ArchiveReader, projection: Projection) -> Sequence[tuple[Entry, Form]]:
    """What the projection emits, with its content."""
    keys = [projection.tree.key(message.entry) for message in projection.messages]
    rows, bodies = reader.rows(keys), reader.bodies(keys)
    return [
        (whole_entry(rows[key], bodies[key]), message.form)
        for key, message in zip(keys, projection.messages, strict=True)
    ]
