"""Compaction that nobody asked for by hand: by the digest, or by the session's model where the settings say so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stemmata.domain.context.projection import context_at
from stemmata.domain.errors import ConflictError
from stemmata.services.chat.interrupt import settled
from stemmata.services.chat.options import model_of
from stemmata.services.compaction.compaction import Compaction, CompactionRequest

if TYPE_CHECKING:
    from stemmata.services.compaction.compaction import Compactions
    from stemmata.services.compaction.model_compaction import ModelCompactions
    from stemmata.services.context.contexts import Contexts
    from stemmata.services.ports.archive import Archive, ArchiveReader
    from stemmata.services.ports.providers import Connected


class RunCompaction:
    """On the io loop. A model may write for a while: what is said meanwhile stays behind the cut, word for word."""

    def __init__(
        self,
        archive: Archive,
        contexts: Contexts,
        compactions: Compactions,
        written: ModelCompactions,
        connected: Connected,
    ) -> None:
        self._archive, self._contexts = archive, contexts
        self._compactions, self._written, self._connected = compactions, written, connected

    async def compact(self, request: CompactionRequest) -> Compaction:
        """Raises NothingToDoError also where a digest would save nothing, ConflictError for a session that left."""
        drafted = await settled(self._compactions.draft(request))
        if self._contexts.settings.summariser == "model":
            request = await self._by_model(request, drafted)
        return await settled(self._compactions.run(request))

    async def _by_model(self, request: CompactionRequest, drafted: Compaction) -> CompactionRequest:
        """The request with the text that the session's model wrote, for where the session stands by then."""
        from stemmata.services.compaction.model_compaction import Writer

        kept = drafted.plan.first_kept

        def look(reader: ArchiveReader) -> tuple[str, int | None]:
            tree = reader.tree(request.session)
            return context_at(tree, tree.index(request.leaf)).model, None if kept is None else tree.key(kept)

        name, first_kept = await settled(self._archive.read(look))
        named, _, model = name.partition("/")
        _, connection = await self._connected.provider_for(named)
        writer = Writer(connection.name, model_of(connection, named, model))
        written = await self._written.write(request, writer)
        if request.of_run:
            return written
        leaf = await settled(self._archive.read(lambda reader: _leaf_below(reader, request)))
        return replace(written, leaf=leaf, first_kept=first_kept)


def _leaf_below(reader: ArchiveReader, request: CompactionRequest) -> int:
    """Raises ConflictError when the session stands on another branch now."""
    leaf, tree = reader.session(request.session).leaf, reader.tree(request.session)
    if leaf is None or not tree.is_ancestor(tree.index(request.leaf), tree.index(leaf)):
        raise ConflictError("The session has moved on to another branch. Nothing was changed.")
    return leaf
