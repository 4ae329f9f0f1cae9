"""The signs of vectors, kept in memory to find the nearest vectors quickly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_NUMPY = Phrase("Search by meaning needs numpy, which is not installed. Install the extra “meaning”.")
_WORD = 8  # bytes of the words in which signs are compared


class SignCache:
    """The signs of all vectors of one model, in memory: 32 bytes for a vector of 256 numbers. For the db thread.

    Keys of vectors are never used again, so a deleted vector still takes its 32 bytes, but is not found.
    """

    def __init__(self) -> None:
        self.model: int | None = None
        self.keys: NDArray[np.int64] | None = None
        self.signs: NDArray[np.uint64] | None = None  # a row for each key

    def last(self, model: int) -> int:
        """Return the last key that is held; 0 after a change of the model, which empties the cache."""
        if self.model != model:
            self.model, self.keys, self.signs = model, None, None
        return 0 if self.keys is None else int(self.keys[-1])

    def add(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Hold more vectors, given by key and packed signs, in the order of their keys."""
        import numpy as np

        if not rows:
            return
        keys = np.fromiter((key for key, _ in rows), np.int64, len(rows))
        signs = np.frombuffer(b"".join(signs for _, signs in rows), np.uint64).reshape(len(rows), -1)
        self.keys = keys if self.keys is None else np.concatenate((self.keys, keys))
        self.signs = signs if self.signs is None else np.concatenate((self.signs, signs))

    def nearest(self, signs: bytes, most: int, among: Sequence[int] | None = None) -> list[int]:
        """Return the keys of the vectors that share the most signs, at most `most`, in no order.

        `among` names the vectors to compare by their keys; None for all.
        """
        import numpy as np

        if self.keys is None or self.signs is None:
            return []
        keys, held = self.keys, self.signs
        if among is not None:
            chosen = np.isin(keys, np.fromiter(among, np.int64, len(among)), assume_unique=True)
            keys, held = keys[chosen], held[chosen]
        different = np.bitwise_count(held ^ np.frombuffer(signs, np.uint64)).sum(axis=1, dtype=np.uint32)
        if len(different) <= most:
            return [int(key) for key in keys]
        return [int(key) for key in keys[np.argpartition(different, most)[:most]]]


def signs_of(vector: bytes) -> bytes:
    """Return one bit for each number of a packed vector, 1 for a positive one, filled up to words of 8 bytes.

    Raises KnownError when numpy is not installed.
    """
    try:
        import numpy as np
    except ImportError as error:
        raise KnownError(NO_NUMPY) from error

    bits = np.packbits(np.frombuffer(vector, "<f2") > 0).tobytes()
    return bits + bytes(-len(bits) % _WORD)
