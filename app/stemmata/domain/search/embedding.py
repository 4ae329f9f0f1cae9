"""Embeddings: vectors that are close to each other when the texts mean similar things."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Characters of a text that are embedded. A static model averages its words: more of them blur the meaning, and
# servers refuse texts above the window of their model (512 tokens for many).
LONGEST_TEXT = 1500


@dataclass(frozen=True, slots=True)
class EmbeddingText:
    """A text that is embedded. `entry` is the store key of a prompt or summary; None for the session's own title."""

    session: int
    entry: int | None
    text: str


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """The next texts without a vector.

    `upto` is the last entry key that was looked at; `more` says that others wait.
    """

    texts: tuple[EmbeddingText, ...]
    upto: int
    more: bool


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An embedded text near a query. `score` is the cosine of the angle between both, at most 1.

    `entry` is the store key of the prompt or summary; for the title of a session that of its first prompt.
    """

    session: int
    entry: int
    score: float


def packed(values: Sequence[float]) -> bytes:
    """Return a vector at length 1 as little-endian half floats; a vector of zeros or not finite numbers as zeros."""
    length = math.sqrt(math.fsum(value * value for value in values))
    if not math.isfinite(length) or not length:
        return bytes(2 * len(values))
    return struct.pack(f"<{len(values)}e", *(value / length for value in values))


def fused(rankings: Iterable[Sequence[int]]) -> list[int]:
    """Merge rankings by reciprocal rank fusion, best first; ties keep the order of the first ranking that has them.

    An item's score is the sum of 1 / (60 + rank) over the rankings. The constant of 60 is that of Cormack, Clarke and
    Büttcher, "Reciprocal rank fusion outperforms Condorcet" (SIGIR 2009).
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), 1):
            scores[item] = scores.get(item, 0.0) + 1 / (60 + rank)
    return sorted(scores, key=lambda item: -scores[item])
