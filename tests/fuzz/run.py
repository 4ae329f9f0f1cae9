"""A spoilt file from a number, and a trial of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from stemmata.formats.shared.database import MAGIC
from tests.fuzz.mutations import mutations, rows_changed
from tests.fuzz.seeds import Files, Seed, seeds
from tests.fuzz.trial import Outcome, Trial


@dataclass(frozen=True)
class Mutant:
    number: int
    seed: str
    what: str
    main: str  # the file that was spoilt
    files: Files


@cache
def _seeds() -> list[Seed]:
    return seeds()


@cache
def _weights() -> list[int]:
    """Return the weights of the mutations; those of values are heavier, because there are more kinds of them."""
    return [4 if name.startswith(("value", "key", "nested")) else 1 for name in mutations()]


def mutant(number: int) -> Mutant:
    """The same for the same number. Now and then two mutations, or another file of the session than its main one."""
    random = Random(number)
    seed = random.choice(_seeds())
    spoilt = seed.main if random.random() < 0.8 else random.choice(list(seed.files))
    names = random.choices(list(mutations()), weights=_weights(), k=random.choice((1, 1, 1, 2)))
    data = seed.files[spoilt]
    if data.startswith(MAGIC) and random.random() < 0.7:  # of other changes most damage the whole database
        return Mutant(number, seed.name, "rows", spoilt, {**seed.files, spoilt: rows_changed(random, data)})
    for name in names:
        data = mutations()[name](random, data)
    return Mutant(
        number, seed.name, names[0] if len(names) == 1 else "two of them", spoilt, {**seed.files, spoilt: data}
    )


def tried(made: Mutant, folder: Path) -> Outcome:
    grow = Random(made.number) if made.number % 4 == 0 else None
    return Trial(folder / "trial", made.files, made.main, grow=grow).run()
