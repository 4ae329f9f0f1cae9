"""Simple summaries that a good one has to beat: the last messages, head and tail, and the most central sentences."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from stemmata.domain.compaction.digest.passages import clip, one_line
from stemmata.domain.compaction.summary.summary import serialise
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN

_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+")
MOST_SENTENCES = 800  # sentences of a conversation, evenly spread: the similarity of every pair is computed
ROUNDS = 20
DAMPING = 0.85


def last_messages(entries: Sequence[Entry], tokens: int) -> str:
    """Return the last messages that fit into a number of estimated tokens; the first of them is cut."""
    room, out = tokens * UNITS_PER_TOKEN, list[str]()
    for text in reversed([serialise([entry]) for entry in entries]):
        if room <= 0:
            break
        out.append(text[-room:])
        room -= len(text)
    return "\n\n".join(filter(None, reversed(out)))


def head_and_tail(entries: Sequence[Entry], tokens: int) -> str:
    """Return the beginning and the end of the conversation, half of the tokens each."""
    half = tokens * UNITS_PER_TOKEN // 2
    text = serialise(entries)
    return text if len(text) <= 2 * half else f"{text[:half]}\n[…]\n{text[-half:]}"


def without_results(entries: Sequence[Entry]) -> str:
    """Return the conversation without the output of tools, as pruning leaves it; its size is not limited."""
    return serialise([entry for entry in entries if entry.role is not Role.TOOL_RESULT])


def central_sentences(entries: Sequence[Entry], tokens: int) -> str:
    """Return the sentences that are most similar to all others, in their order (LexRank, Erkan and Radev 2004).

    Sentences are vectors of words weighted by tf-idf; the rank is that of PageRank over their cosines.
    """
    said = [one_line(text) for text in _SENTENCE_ENDS.split(serialise(entries))]
    told = list(dict.fromkeys(clip(text, 400) for text in said if len(_WORD.findall(text)) > 2))
    if len(told) > MOST_SENTENCES:
        told = [told[at * len(told) // MOST_SENTENCES] for at in range(MOST_SENTENCES)]
    ranks = _ranks(_edges(_vectors([Counter(_WORD.findall(text.casefold())) for text in told])))
    room, chosen = tokens * UNITS_PER_TOKEN, set[int]()
    for at in sorted(range(len(told)), key=lambda at: -ranks[at]):
        if len(told[at]) < room:
            chosen.add(at)
            room -= len(told[at]) + 1
    return "\n".join(told[at] for at in sorted(chosen))


def _vectors(bags: Sequence[Counter[str]]) -> list[dict[str, float]]:
    """Return the words of each sentence with their weights by tf-idf, as vectors of length 1."""
    spread = Counter(word for bag in bags for word in bag)
    vectors = []
    for bag in bags:
        weights = {word: times * math.log(len(bags) / spread[word]) for word, times in bag.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({word: weight / length for word, weight in weights.items()})
    return vectors


def _edges(vectors: Sequence[dict[str, float]]) -> list[dict[int, float]]:
    """Return the cosines of each sentence with the others, as shares of their sum; only those above 0."""
    having: dict[str, list[int]] = {}
    for at, vector in enumerate(vectors):
        for word in vector:
            having.setdefault(word, []).append(at)
    edges: list[dict[int, float]] = []
    for at, vector in enumerate(vectors):
        near: dict[int, float] = {}
        for word, weight in vector.items():
            for other in having[word]:
                if other != at:
                    near[other] = near.get(other, 0.0) + weight * vectors[other][word]
        whole = sum(near.values())
        edges.append({other: weight / whole for other, weight in near.items()} if whole else {})
    return edges


def _ranks(edges: Sequence[dict[int, float]]) -> list[float]:
    """Return the PageRank of each sentence."""
    if not edges:
        return []
    count = len(edges)
    ranks = [1 / count] * count
    for _ in range(ROUNDS):
        following = [(1 - DAMPING) / count] * count
        for at, near in enumerate(edges):
            for other, weight in near.items():
                following[other] += DAMPING * ranks[at] * weight
        ranks = following
    return ranks
