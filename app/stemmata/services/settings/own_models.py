"""The user's own facts about models, in addition to the shipped catalogue and the servers' reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from stemmata.domain.chat.catalogue import FACTS, Catalogue, Model
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive
from stemmata.services.ports.providers import ConnectionsFile


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A row of the catalogue.

    `model` is the combined result, `own` the user's facts or None, `shipped` the catalogue's entry or None.
    """

    model: Model
    own: Model | None = None
    shipped: Model | None = None


class OwnModels:
    """Edits the user's facts.

    Every answer is a Future. `shipped` reads the shipped catalogue; `adopt` makes the file's facts effective, on the
    db thread.
    """

    def __init__(
        self,
        archive: Archive,
        file: ConnectionsFile,
        shipped: Callable[[], Catalogue],
        notices: Notices,
        adopt: Callable[[], None],
    ) -> None:
        self._archive, self._file, self._shipped = archive, file, shipped
        self._notices, self._adopt = notices, adopt

    def all(self) -> Future[tuple[KnownModel, ...]]:
        """Return the models with the user's facts first, then the shipped ones; each group sorted by id."""
        return self._archive.read(lambda _reader: rows(self._shipped(), self._file.models()))

    def save(self, model: Model, before: str = "") -> Future[None]:
        """Store facts about a model, in place of those about the model `before`.

        Fails with a KnownError that says why nothing was changed.
        """

        def work() -> None:
            self._file.save_model(model)
            if before and before.lower() != model.id.lower():
                self._file.remove_model(before)

        return self._changed(work)

    def remove(self, id: str) -> Future[None]:
        """Remove the user's facts about a model, so that the shipped ones apply again."""
        return self._changed(lambda: self._file.remove_model(id))

    def _changed(self, work: Callable[[], None]) -> Future[None]:
        def job(_reader: object) -> None:
            work()
            self._adopt()

        changed = self._archive.read(job)
        return then(changed, lambda _none: self._notices.publish(ChangeSet(Change.SETTINGS)))


def rows(shipped: Catalogue, own: Mapping[str, Model]) -> tuple[KnownModel, ...]:
    """Return the rows of the catalogue."""
    counts = shipped.overridden(own)
    mine = [
        KnownModel(_row(counts.find(id) or model, model), model, shipped.find(id))
        for id, model in sorted(own.items())
    ]
    rest = [KnownModel(model, shipped=model) for id, model in sorted(shipped.models.items()) if id not in own]
    return (*mine, *rest)


def _row(counts: Model, own: Model) -> Model:
    """Return the combined model with the user's name and aliases."""
    return Model(own.id, aliases=own.aliases, **{fact: getattr(counts, fact) for fact in FACTS})
