"""What the person says about models, beside what is shipped and what servers report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from stemmata.domain.chat.catalogue import FACTS, Catalogue, Model
from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive
from stemmata.services.ports.providers import ConnectionsFile


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A row of the catalogue. `model` counts; `own` is what the person says of it, None for nothing; `shipped` what
    comes with the program."""

    model: Model
    own: Model | None = None
    shipped: Model | None = None


class OwnModels:
    """Every answer is a Future. `shipped` reads the catalogue that comes with the program; `adopt` puts in force what
    the file says now, on the db thread."""

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
        """The person's own first, then what is shipped; each by id."""
        return self._archive.read(lambda _reader: rows(self._shipped(), self._file.models()))

    def save(self, model: Model, before: str = "") -> Future[None]:
        """Say this of the model, in the place of what was said of the one called `before`.

        Fails with a KnownError that says why nothing was changed.
        """

        def work() -> None:
            self._file.save_model(model)
            if before and before.lower() != model.id.lower():
                self._file.remove_model(before)

        return self._changed(work)

    def remove(self, id: str) -> Future[None]:
        """Say nothing of it any more: what is shipped counts again."""
        return self._changed(lambda: self._file.remove_model(id))

    def _changed(self, work: Callable[[], None]) -> Future[None]:
        def job(_reader: object) -> None:
            work()
            self._adopt()

        changed = self._archive.read(job)
        return then(changed, lambda _none: self._notices.publish(ChangeSet(Change.SETTINGS)))


def rows(shipped: Catalogue, own: Mapping[str, Model]) -> tuple[KnownModel, ...]:
    counts = shipped.overridden(own)
    mine = [
        KnownModel(_row(counts.find(id) or model, model), model, shipped.find(id))
        for id, model in sorted(own.items())
    ]
    rest = [KnownModel(model, shipped=model) for id, model in sorted(shipped.models.items()) if id not in own]
    return (*mine, *rest)


def _row(counts: Model, own: Model) -> Model:
    """What counts, under the name and the aliases that the person wrote."""
    return Model(own.id, aliases=own.aliases, **{fact: getattr(counts, fact) for fact in FACTS})
