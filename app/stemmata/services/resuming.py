"""Going on with an old session: whole where its context fits the budget, else from its summary in a new session."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions import Skeleton
from stemmata.services.compaction import Compaction, CompactionRequest, Compactions
from stemmata.services.contexts import Contexts, ContextView
from stemmata.services.futures import aside
from stemmata.services.ports import Archive, ArchiveReader


@dataclass(frozen=True, slots=True)
class Resumed:
    """Where to go on. `told` says how; `compaction` is what the new session begins with, None where it is whole."""

    session: int
    told: str
    compaction: Compaction | None = None


class Resuming:
    """`written` gives a request the summary of a model where the settings ask for one; it may wait for it."""

    def __init__(
        self,
        archive: Archive,
        contexts: Contexts,
        compactions: Compactions,
        written: Callable[[CompactionRequest], CompactionRequest],
    ) -> None:
        self._archive, self._contexts = archive, contexts
        self._compactions, self._written = compactions, written

    def resume(self, session: int) -> Future[Resumed]:
        return aside(lambda: self._resume(session))

    def _resume(self, session: int) -> Resumed:
        leaf, view = self._archive.read(lambda reader: self._look(reader, session)).result()
        percent = self._contexts.settings.resume_token_budget
        total, window = view.breakdown.total.value or 0, view.budget.window
        if window is None:
            return Resumed(session, "Resumed whole: the model’s window is not known.")
        share = f"{round(100 * total / window)}% of the window"
        if leaf is None or total * 100 <= window * percent:
            return Resumed(session, f"Resumed whole: it fills {share}, at most {percent}% may be.")
        try:
            request = self._written(CompactionRequest(session=session, leaf=leaf, trigger="resume"))
            done = self._compactions.run_in_new_session(request).result()
        except NothingToDoError as error:
            return Resumed(session, f"Resumed whole, though it fills {share}: {error}")
        assert done.session is not None
        told = f"Resumed from its summary in a new session: the whole would fill {share}, at most {percent}% may be."
        return Resumed(done.session, told, done)

    def _look(self, reader: ArchiveReader, session: int) -> tuple[int | None, ContextView]:
        skeleton = Skeleton(reader.session(session), reader.tree(session))
        leaf = skeleton.session.leaf
        return leaf, self._contexts.seen(skeleton, skeleton.tree.get(leaf))
