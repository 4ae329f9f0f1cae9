"""The embedding model on this machine: a table of vectors of word pieces, which are averaged.

The files come with the package `wordllama`, whose code is not used: it would ask a server for its tokenizer, and
needs several packages more.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "wordllama"
NAME = "l2_supercat_256"
WEIGHTS = Path("weights") / f"{NAME}.safetensors"
TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json"
BATCH = 256  # texts, some tenths of a second
LARGEST_HEADER = 1_000_000  # bytes of the header of a file of weights
_TYPES = {"F32": "<f4", "F16": "<f2"}

MISSING = Phrase(
    "The model for search by meaning is not installed. Install the extra “meaning”, as the guide describes, "
    "or choose a connection for it in the settings."
)
DAMAGED = "The model for search by meaning cannot be read: {0}. Install the extra “meaning” again."


class StaticModel:
    """Implements `services.ports.embedding.Embedder`. The files are read when the first text is embedded.

    A vector is the mean of the vectors of a text's word pieces, at length 1. `folder` holds the files.
    """

    model, batch = NAME, BATCH

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tokenizer: Any = None
        self._weights: NDArray[np.floating[Any]] | None = None

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return a packed vector for each text; zeros for a text without word pieces. Raises KnownError."""
        return await asyncio.to_thread(self._embed, texts)

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        import numpy as np

        tokenizer, weights = self._loaded()
        out = []
        for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False):
            pieces = weights[encoding.ids].astype(np.float32)
            mean = pieces.mean(axis=0) if len(pieces) else np.zeros(weights.shape[1], np.float32)
            length = float(np.linalg.norm(mean))
            out.append((mean / length if length else mean).astype("<f2").tobytes())
        return out

    def _loaded(self) -> tuple[Any, NDArray[np.floating[Any]]]:
        """Return the tokenizer and the table. Raises KnownError when a file is missing or damaged."""
        if self._weights is None:
            # threads of the tokenizer would slow the window down
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
            from tokenizers import Tokenizer

            try:
                self._tokenizer = Tokenizer.from_file(os.fspath(self._folder / TOKENIZER))
                self._tokenizer.no_padding()
                self._tokenizer.no_truncation()
                self._weights = read_weights(self._folder / WEIGHTS)
            except Exception as error:  # the tokenizer raises plain Exception
                raise KnownError(Phrase(DAMAGED, str(error))) from error
        return self._tokenizer, self._weights


def installed() -> StaticModel:
    """Return the model that is installed. Raises KnownError when a package is missing."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None or any(find_spec(name) is None for name in ("numpy", "tokenizers")):
        raise KnownError(MISSING)
    return StaticModel(Path(spec.origin).parent)


def read_weights(path: Path) -> NDArray[np.floating[Any]]:
    """Return the single table of a safetensors file: a header of JSON after its length in 8 bytes, then the numbers.

    Raises ValueError for a file with more or other tables, OSError when it cannot be read. The numbers stay on the
    disk and are read where they are used.
    """
    import numpy as np

    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if not 0 < size <= LARGEST_HEADER:
            raise ValueError(f"the header of {path.name} has {size} bytes")
        tables = [table for name, table in orjson.loads(file.read(size)).items() if name != "__metadata__"]
    if len(tables) != 1 or tables[0]["dtype"] not in _TYPES or len(tables[0]["shape"]) != 2:
        raise ValueError(f"{path.name} holds no single table of numbers")
    begin, _ = tables[0]["data_offsets"]
    rows, columns = tables[0]["shape"]
    return np.memmap(path, _TYPES[tables[0]["dtype"]], "r", 8 + size + begin, (rows, columns))
