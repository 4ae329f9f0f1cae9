"""Runs under way and the parts of their replies that have arrived."""

from __future__ import annotations

from peewee import SqliteDatabase, fn

from stemmata.domain.chat.run import OpenRun, Partial, PartialText, append_text
from stemmata.domain.entries import blocks as block_codec
from stemmata.store.chat.queue import body_of
from stemmata.store.core.models import PartialTable, PartialTextTable, RunTable
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, stored

_BLOCK = (PartialTable.run, PartialTable.step, PartialTable.position)


class RunRepository:
    """Read open runs and their partial replies."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def all(self) -> list[OpenRun]:
        """Return the open runs of all sessions, the oldest first."""
        query = RunTable.select(
            RunTable.key,
            RunTable.session,
            RunTable.owner,
            RunTable.tip,
            RunTable.connection,
            RunTable.model,
            RunTable.started,
        ).order_by(RunTable.key)
        return [
            OpenRun(
                run=key, session=session, owner=owner, tip=tip, connection=restored(connection),
                model=restored(model), started=started,
            )
            for key, session, owner, tip, connection, model, started in query.tuples().execute(self._database)
        ]  # fmt: skip

    def partials(self, run: int) -> list[Partial]:
        """Return the stored blocks of a run in the order of the reply."""
        row = PartialTable
        query = row.select(row.step, row.position, row.body, row.whole).where(row.run == run)
        texts = self._texts(run)
        out = []
        for step, position, body, whole in query.order_by(row.step, row.position).tuples().execute(self._database):
            block = block_codec.decode(from_json(body))[0]
            if not whole:
                block = append_text(block, "".join(texts.get((step, position), ())))
            out.append(Partial(step, position, block, bool(whole)))
        return out

    def _texts(self, run: int) -> dict[tuple[int, int], list[str]]:
        """Return the texts by which open blocks have grown, in order, by (step, position)."""
        row = PartialTextTable
        query = row.select(row.step, row.position, row.text).where(row.run == run)
        out: dict[tuple[int, int], list[str]] = {}
        ordered = query.order_by(row.step, row.position, row.part)
        for step, position, text in ordered.tuples().execute(self._database):
            out.setdefault((step, position), []).append(restored(text))
        return out


class RunWriter(RunRepository):
    """Stores runs that have not ended, and the received parts of their replies."""

    def begin(self, session: int, owner: str, *, time: int) -> int:
        """Store a new run; returns its key, which counts up over all sessions."""
        row = {"session": session, "owner": owner, "connection": "", "model": "", "started": time}
        key: int = RunTable.insert(row).execute(self._database)
        return key

    def follow(self, run: int, tip: int | None, connection: str, model: str) -> None:
        """Store the parent of the run's next reply, and the connection and model that the run uses."""
        row = {"tip": tip, "connection": stored(connection), "model": stored(model)}
        RunTable.update(row).where(RunTable.key == run).execute(self._database)

    def save_partial(self, run: int, partial: Partial) -> None:
        """Store a block in place of its earlier state. Nothing is stored after the run has ended."""
        row = {
            "run": run, "step": partial.step, "position": partial.position, "whole": int(partial.whole),
            "body": body_of([partial.block]),
        }  # fmt: skip
        if self._is_open(run):
            upsert = PartialTable.insert(row).on_conflict(
                conflict_target=_BLOCK, preserve=[PartialTable.whole, PartialTable.body]
            )
            upsert.execute(self._database)
        texts = PartialTextTable
        grown_by = (texts.run == run) & (texts.step == partial.step) & (texts.position == partial.position)
        texts.delete().where(grown_by).execute(self._database)

    def grow_partial(self, run: int, more: PartialText) -> None:
        """Store more text of an open block as one row. Nothing is stored after the run has ended."""
        if not self._is_open(run):
            return
        texts = PartialTextTable
        of_block = (texts.run == run) & (texts.step == more.step) & (texts.position == more.position)
        last = texts.select(fn.MAX(texts.part)).where(of_block).scalar(self._database)
        row = {
            "run": run, "step": more.step, "position": more.position, "part": (last or 0) + 1,
            "text": stored(more.text),
        }  # fmt: skip
        texts.insert(row).execute(self._database)

    def drop_partials(self, run: int) -> None:
        """Delete all stored blocks of a run."""
        for row in (PartialTable, PartialTextTable):
            row.delete().where(row.run == run).execute(self._database)

    def end(self, run: int) -> None:
        """Delete a run with all stored blocks."""
        RunTable.delete().where(RunTable.key == run).execute(self._database)

    def _is_open(self, run: int) -> bool:
        return bool(RunTable.select(RunTable.key).where(RunTable.key == run).exists(self._database))
