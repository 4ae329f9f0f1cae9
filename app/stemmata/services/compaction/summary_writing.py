"""Who writes a summary that is asked for: the session's model where the settings say so, else the digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stemmata.services.compaction.compaction import CompactionRequest
from stemmata.services.compaction.model_compaction import Writer

if TYPE_CHECKING:
    from stemmata.services.services import Services


class SummaryWriting:
    """Waits for the model: for no thread that others wait for."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def written(self, request: CompactionRequest, summariser: str = "") -> CompactionRequest:
        """The request with its summary, where another than the digest writes it: "model", "provider" or "digest".

        By itself the settings say which.
        """
        writes = {"model": self.by_model, "provider": self.by_provider}
        write = writes.get(summariser or self._services.contexts.settings.summariser)
        return request if write is None else write(request)

    def by_model(self, request: CompactionRequest) -> CompactionRequest:
        """With a model's text. Raises ProviderError, SummaryError, and NothingToDoError before it is asked."""
        services = self._services
        return services.world.loop.run(services.model_compaction.write(request, self.writer(request))).result()

    def by_provider(self, request: CompactionRequest) -> CompactionRequest:
        """With the summary that the model's own server writes and signs. Raises as `by_model`."""
        services = self._services
        return services.provider_compaction.written(request, self.writer(request)).result()

    def writer(self, request: CompactionRequest) -> Writer:
        """The model in force where the compaction goes. Raises ProviderError where none is connected."""

        asked = self._services.asked_model.at(request.session, request.leaf)
        return Writer(asked.connection, asked.model)
