"""Which model a session asks, and what it takes."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stemmata.domain.context.projection import context_at
from stemmata.domain.requests.model_abilities import ModelTraits
from stemmata.services.chat.options import model_of
from stemmata.services.futures import aside
from stemmata.services.ports.archive import Archive, ArchiveReader

if TYPE_CHECKING:
    from stemmata.services.services import Services


@dataclass(frozen=True, slots=True)
class Asked:
    connection: str
    model: str
    traits: ModelTraits


class AskedModel:
    """Waits for the archive: for no thread that others wait for."""

    def __init__(self, services: Services, archive: Archive) -> None:
        self._services, self._archive = services, archive

    def find(self, session: int, leaf: int | None) -> Future[Asked]:
        """The same, waited for elsewhere."""

        return aside(lambda: self.at(session, leaf))

    def at(self, session: int, leaf: int | None) -> Asked:
        """The model that a run would ask below this entry. Raises ProviderError where none is connected."""

        def look(reader: ArchiveReader) -> str:
            tree = reader.tree(session)
            return context_at(tree, tree.get(leaf)).model

        world, connecting = self._services.world, self._services.connecting
        named, _, picked = self._archive.read(look).result().partition("/")
        connection = world.loop.run(connecting.connection_for(named)).result()
        model = model_of(connection, named, picked)
        facts = self._archive.read(lambda _reader: world.offered(connection.name, model)).result()
        return Asked(connection.name, model, ModelTraits(model, facts))
