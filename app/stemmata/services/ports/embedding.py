"""The port for embedding models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Computes vectors. Used on the io loop only."""

    @property
    def model(self) -> str:
        """The name under which vectors are stored. Vectors of different models cannot be compared."""
        ...

    @property
    def batch(self) -> int:
        """The most texts that `embed` takes at once."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return a packed vector for each text. Raises KnownError, such as ProviderError for a server."""
        ...
