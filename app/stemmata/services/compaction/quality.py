"""Measure how many planted facts summaries keep: the digest, simple summaries to compare with, and a model's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from stemmata.domain.chat.catalogue import Catalogue, cost_of
from stemmata.domain.compaction.digest.digest import DigestSummariser
from stemmata.domain.compaction.quality.baselines import (
    central_sentences,
    head_and_tail,
    last_messages,
    without_results,
)
from stemmata.domain.compaction.quality.conversations import made_up
from stemmata.domain.compaction.quality.facts import FactKind, Planted, plant, score
from stemmata.domain.compaction.summary.summary import SummaryInput, serialise
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.compaction.model_compaction import ModelRef
from stemmata.services.compaction.summarising import ModelSummariser
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.ports.providers import Loop, ProviderSource
from stemmata.services.whole_entries import whole_entries

MADE_UP = 3  # made-up conversations that are used when no session is given
RATIOS = (5, 10, 20, 50)  # percent of the conversation that a summary may have
ALL = 100  # the ratio of a summary without a limit


@dataclass(frozen=True, slots=True)
class SummaryScore:
    """The result of one way to summarise at one size, over all conversations.

    `ratio` is the permitted share of the conversation's tokens in percent, `share` the used one. `kept` gives for
    each kind of fact how many were kept and how many there were. `cost` is in millionths of a dollar, None when the
    way costs nothing or the price is unknown.
    """

    way: str
    ratio: int
    share: float
    kept: dict[FactKind, tuple[int, int]]
    cost: int | None = None

    @property
    def percent(self) -> float:
        """The facts that were kept, in percent of all."""
        kept, all_of_them = (sum(count[at] for count in self.kept.values()) for at in (0, 1))
        return 100 * kept / all_of_them


WAYS: dict[str, Callable[[Sequence[Entry], int], str]] = {
    "digest": lambda entries, tokens: DigestSummariser(tokens).summarise(SummaryInput(entries=entries)).text,
    "last messages": last_messages,
    "head and tail": head_and_tail,
    "central sentences": central_sentences,
}


class SummaryQuality:
    """Plants facts in a copy of a session, or in made-up conversations, and scores summaries. Nothing is stored."""

    def __init__(
        self, archive: Archive, loop: Loop, connections: ProviderSource, catalogue: Callable[[], Catalogue]
    ) -> None:
        self._archive, self._loop = archive, loop
        self._connections, self._catalogue = connections, catalogue

    def measure(
        self,
        session: int | None = None,
        *,
        seed: int = 1,
        ratios: Sequence[int] = RATIOS,
        model: ModelRef | None = None,
    ) -> Future[list[SummaryScore]]:
        """Return the scores of every way at every ratio, then of pruning, then of the model if one is given.

        `session` is a store key; its active path is used. Fails with NothingToDoError for a session without messages,
        and as `ModelSummariser` does.
        """
        return self._loop.run(self._measure(session, seed, ratios, model))

    async def _measure(
        self, session: int | None, seed: int, ratios: Sequence[int], model: ModelRef | None
    ) -> list[SummaryScore]:
        if session is None:
            talks = [plant(made_up(seed + at), seed + at) for at in range(MADE_UP)]
        else:
            entries = await asyncio.wrap_future(self._archive.read(lambda reader: _path(reader, session)))
            if not serialise(entries):
                raise NothingToDoError(Phrase("The session has no messages that could be summarised."))
            talks = [plant(entries, seed)]
        scores = await asyncio.to_thread(lambda: list(_scores(talks, ratios)))
        if model is not None:
            scores += [await self._by_model(model, talks, ratio) for ratio in ratios]
        return scores

    async def _by_model(self, model: ModelRef, talks: Sequence[Planted], ratio: int) -> SummaryScore:
        name, catalogue = f"{model.connection}/{model.model}", self._catalogue()
        sizes = catalogue.window(name), catalogue.most_output(name)
        writer = ModelSummariser(self._connections, model.connection, model.model, *sizes)
        texts, cost = [], 0
        for talk in talks:
            given = SummaryInput(entries=talk.entries, longest=_size(talk) * ratio // 100)
            written = await writer.summarise(given)
            texts.append(written.summary.text)
            cost += cost_of(written.usage, catalogue.find(name)) or 0
        return _score(name, ratio, talks, texts, cost or None)


def _scores(talks: Sequence[Planted], ratios: Iterable[int]) -> Iterator[SummaryScore]:
    for ratio in ratios:
        for way, summarise in WAYS.items():
            texts = [summarise(talk.entries, _size(talk) * ratio // 100) for talk in talks]
            yield _score(way, ratio, talks, texts)
    yield _score("tool output pruned", ALL, talks, [without_results(talk.entries) for talk in talks])


def _score(
    way: str, ratio: int, talks: Sequence[Planted], texts: Sequence[str], cost: int | None = None
) -> SummaryScore:
    kept = dict.fromkeys(FactKind, (0, 0))
    for talk, text in zip(talks, texts, strict=True):
        for kind, (found, of) in score(text, talk.facts).items():
            before = kept[kind]
            kept[kind] = before[0] + found, before[1] + of
    size = sum(map(_size, talks))
    return SummaryScore(way, ratio, 100 * sum(to_tokens(units(text)) for text in texts) / size, kept, cost)


def _size(talk: Planted) -> int:
    """Return the estimated tokens of a conversation as text."""
    return max(1, to_tokens(units(serialise(talk.entries))))


def _path(reader: ArchiveReader, session: int) -> list[Entry]:
    tree, leaf = reader.tree(session), reader.session(session).leaf
    return [] if leaf is None else whole_entries(reader, tree, [*tree.path(tree.index(leaf))])
