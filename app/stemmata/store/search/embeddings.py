"""Vectors of prompts, summaries and titles, and the search for the nearest ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from peewee import JOIN, SQL, SqliteDatabase, fn

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.search.embedding import LONGEST_TEXT, EmbeddingBatch, EmbeddingText, Neighbour
from stemmata.store.core.models import EmbeddingModelTable, EmbeddingTable, EntryTable, SessionTable
from stemmata.store.core.stored_text import shown
from stemmata.store.search.search import SearchRepository
from stemmata.store.search.signs import SignCache, signs_of

SCANNED = 20_000  # entries that one batch looks at, some milliseconds
CANDIDATES = 512  # vectors whose exact cosine is computed, the nearest ones by their signs
_KINDS = (Kind.COMPACTION, Kind.BRANCH_SUMMARY)


class EmbeddingRepository:
    """Read vectors and find the nearest. `search` reads the texts of entries."""

    def __init__(self, database: SqliteDatabase, search: SearchRepository, cache: SignCache) -> None:
        self._database, self._search, self._cache = database, search, cache

    def waiting(self, model: str, limit: int) -> EmbeddingBatch:
        """Return titles that are new or have changed, then prompts and summaries added since the last batch."""
        key, done = self._model(model)
        titles = self._titles(key, limit)
        if len(titles) == limit:
            return EmbeddingBatch(tuple(titles), done, more=True)
        row = EntryTable
        wanted = row.kind.in_(_KINDS) | (
            (row.kind == Kind.MESSAGE) & (row.role == Role.USER) & (row.flags.bin_and(Flag.INJECTED) == 0)
        )
        fits = wanted & (row.key > done) & (row.key <= done + SCANNED)
        query = row.select(row.key, row.session).where(fits).order_by(row.key).limit(limit - len(titles))
        found = dict(query.tuples().execute(self._database))
        last = row.select(fn.max(row.key)).scalar(self._database) or 0
        is_full = len(titles) + len(found) == limit
        upto = max(found) if is_full else min(done + SCANNED, last)
        texts = self._search.texts(list(found))
        said = [EmbeddingText(found[entry], entry, text[:LONGEST_TEXT]) for entry, text in texts.items() if text]
        return EmbeddingBatch((*titles, *said), max(upto, done), more=upto < last)

    def nearest(self, model: str, vector: bytes, limit: int, session: int | None = None) -> tuple[Neighbour, ...]:
        """Return the texts nearest to a vector (see `domain.search.embedding.packed`), the nearest first.

        The signs of the numbers choose the candidates, their cosines the order. With a session, only its texts are
        candidates.
        """
        signs = signs_of(vector)
        import numpy as np

        key, _ = self._model(model)
        if key is None:
            return ()
        row = EmbeddingTable
        newer = (row.model == key) & (row.key > self._cache.last(key))
        more = row.select(row.key, row.signs).where(newer).order_by(row.key)
        self._cache.add(list(more.tuples().execute(self._database)))
        among = None if session is None else self._keys_of(key, session)
        chosen = self._cache.nearest(signs, max(CANDIDATES, limit), among)
        rows: list[tuple[int, int | None, bytes]] = list(
            row.select(row.session, row.entry, row.vector)
            .where(row.key.in_(_json(chosen)) & (fn.length(row.vector) == len(vector)))
            .tuples().execute(self._database)
        )  # fmt: skip
        if not rows:
            return ()
        vectors = np.frombuffer(b"".join(data for *_, data in rows), "<f2").reshape(len(rows), -1).astype(np.float32)
        scores = vectors @ np.frombuffer(vector, "<f2").astype(np.float32)
        order = np.argsort(-scores, kind="stable")[:limit]
        near = [(rows[at][0], rows[at][1] or self._first_prompt(rows[at][0]), float(scores[at])) for at in order]
        return tuple(Neighbour(session, entry, score) for session, entry, score in near if entry is not None)

    def _keys_of(self, model: int, session: int) -> list[int]:
        """Return the keys of the vectors that a model made for one session."""
        row = EmbeddingTable
        query = row.select(row.key).where((row.session == session) & (row.model == model)).tuples()
        return [key for (key,) in query.execute(self._database)]

    def _first_prompt(self, session: int) -> int | None:
        """Return the entry that represents the title of a session; None for a session without a prompt."""
        row = EntryTable
        own = (row.session == session) & (row.kind == Kind.MESSAGE) & (row.role == Role.USER)
        first: int | None = row.select(fn.min(row.key)).where(own).scalar(self._database)
        return first

    def _model(self, name: str) -> tuple[int | None, int]:
        """Return the key of a model and of the last entry that it has embedded; None and 0 for a new model."""
        row = EmbeddingModelTable
        found = list(row.select(row.key, row.done).where(row.name == name).tuples().execute(self._database))
        return found[0] if found else (None, 0)

    def _titles(self, model: int | None, limit: int) -> list[EmbeddingText]:
        """Return the titles and summaries of sessions that are new or changed since the model embedded them."""
        row, known = SessionTable, EmbeddingTable
        text = fn.substr(row.title.concat("\n").concat(row.summary), 1, LONGEST_TEXT)
        same = (known.session == row.key) & known.entry.is_null() & (known.model == model) & (known.text == text)
        query = (
            row.select(row.key, text)
            .join(known, JOIN.LEFT_OUTER, on=same)
            .where(known.key.is_null() & (row.title.concat(row.summary) != ""))
            .order_by(row.key).limit(limit)
        )  # fmt: skip
        return [EmbeddingText(key, None, shown(said)) for key, said in query.tuples().execute(self._database)]


class EmbeddingWriter(EmbeddingRepository):
    """Store vectors."""

    def add(self, model: str, batch: EmbeddingBatch, vectors: Sequence[bytes]) -> None:
        """Store the vectors of a batch, one for each text. A title's new vector replaces its old one.

        Texts whose entry or session was deleted meanwhile are left out. When the vectors have another length than the
        stored ones, the stored ones are deleted, and the next batch begins at the first text.
        """
        key = self._adopt(model, len(vectors[0]) // 2 if vectors else 0)
        if key is None:
            return
        titles = [text.session for text in batch.texts if text.entry is None]
        old = (EmbeddingTable.model == key) & EmbeddingTable.entry.is_null()
        EmbeddingTable.delete().where(old & EmbeddingTable.session.in_(_json(titles))).execute(self._database)
        sessions = self._existing(SessionTable, (text.session for text in batch.texts))
        entries = self._existing(EntryTable, (text.entry for text in batch.texts if text.entry is not None))
        for text, vector in zip(batch.texts, vectors, strict=True):
            if text.session in sessions and (text.entry is None or text.entry in entries):
                EmbeddingTable.insert(
                    session=text.session, entry=text.entry, model=key, text="" if text.entry else text.text,
                    signs=signs_of(vector), vector=vector,
                ).execute(self._database)  # fmt: skip
        EmbeddingModelTable.update(done=batch.upto).where(EmbeddingModelTable.key == key).execute(self._database)

    def _adopt(self, name: str, dimension: int) -> int | None:
        """Return the key of a model, which is added when it is new.

        None after its vectors, which have another length, were deleted. A dimension of 0 fits every model.
        """
        row = EmbeddingModelTable
        found = list(row.select(row.key, row.dimension).where(row.name == name).tuples().execute(self._database))
        if not found:
            new: int = row.insert(name=name, dimension=dimension, done=0).execute(self._database)
            return new
        key: int = found[0][0]
        if dimension and not found[0][1]:
            row.update(dimension=dimension).where(row.key == key).execute(self._database)
        elif dimension not in (0, found[0][1]):
            row.delete().where(row.key == key).execute(self._database)
            return None
        return key

    def _existing(self, table: Any, keys: Iterable[int]) -> set[int]:
        """Return the given keys that the table contains."""
        query = table.select(table.key).where(table.key.in_(_json(keys)))
        return {key for (key,) in query.tuples().execute(self._database)}


def _json(keys: Iterable[int]) -> Any:
    """Return a subquery of these keys; SQLite limits the number of parameters, not the length of one."""
    return SQL("(SELECT value FROM json_each(?))", [f"[{','.join(map(str, keys))}]"])
