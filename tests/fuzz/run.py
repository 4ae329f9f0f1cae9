"""A spoilt file from a number, and a trial of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from stemmata.formats.registry import standard_formats
from stemmata.formats.shared.database import MAGIC
from stemmata.formats.shared.zip_archive import ZIP
from tests.fuzz import archives, databases
from tests.fuzz.good import PACKED, Said, lost_texts
from tests.fuzz.mutations import Mutation, mutations, unpacked_changed
from tests.fuzz.seeds import Files, Seed, seeds
from tests.fuzz.trial import Outcome, Trial


@dataclass(frozen=True)
class Mutant:
    number: int
    seed: str
    what: str
    main: str  # the file that was spoilt
    files: Files
    sound: bytes  # the file before


@cache
def seeds_of(format: str = "") -> list[Seed]:
    """Return the seeds that are read as this format; all seeds without one."""
    return [seed for seed in seeds() if not format or format_of(seed) == format]


@cache
def _formats() -> dict[str, str]:
    """Return the format of each seed, by its name."""
    out: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        formats = standard_formats(Path(folder), {})
        for at, seed in enumerate(seeds()):
            for name, data in seed.files.items():
                path = Path(folder, str(at), name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            out[seed.name] = formats.identify(Path(folder, str(at), seed.main))
    return out


def format_of(seed: Seed) -> str:
    return _formats()[seed.name]


@cache
def _sound(name: str) -> Said:
    """Return what the entries of a sound seed say."""
    seed = next(seed for seed in seeds_of() if seed.name == name)
    with TemporaryDirectory() as folder:
        outcome = Trial(Path(folder, "sound"), seed.files, seed.main).read()
    assert outcome.faults == [], f"{name}: {outcome.faults}"
    return outcome.said


@cache
def _weights() -> list[int]:
    """Return the weights of the mutations; those of values are heavier, because there are more kinds of them."""
    return [4 if name.startswith(("value", "key", "nested")) else 1 for name in mutations()]


def mutant(number: int, format: str = "") -> Mutant:
    """The same for the same number. Now and then two mutations, or another file of the session than its main one."""
    random = Random(number)
    seed = random.choice(seeds_of(format))
    spoilt = seed.main if random.random() < 0.8 else random.choice(list(seed.files))
    data = seed.files[spoilt]
    what, change = _chosen(random, data)
    return Mutant(number, seed.name, what, spoilt, {**seed.files, spoilt: change(random, data)}, data)


def _chosen(random: Random, data: bytes) -> tuple[str, Mutation]:
    """Choose a mutation that suits the kind of file; of the general ones most spoil a packed file or a database."""
    special: dict[bytes, dict[str, Mutation]] = {
        MAGIC[:4]: databases.damages(), ZIP: archives.damages(), PACKED: {"unpacked": unpacked_changed},
    }  # fmt: skip
    suited = special.get(data[:4], {})
    if suited and random.random() < 0.8:
        name = random.choice(list(suited)) if random.random() < 0.6 else next(iter(suited))
        return name, suited[name]
    names = random.choices(list(mutations()), weights=_weights(), k=random.choice((1, 1, 1, 2)))
    return names[0] if len(names) == 1 else "two of them", _one_after_the_other([mutations()[name] for name in names])


def _one_after_the_other(changes: list[Mutation]) -> Callable[[Random, bytes], bytes]:
    def change(random: Random, data: bytes) -> bytes:
        for one in changes:
            data = one(random, data)
        return data

    return change


def tried(made: Mutant, folder: Path) -> Outcome:
    """Read, import and write the files."""
    grow = Random(made.number) if made.number % 4 == 0 else None
    return _counted(made, Trial(folder / "trial", made.files, made.main, grow=grow).run())


def read(made: Mutant, folder: Path) -> Outcome:
    """Only read the files, which takes a twentieth of the time."""
    return _counted(made, Trial(folder / "trial", made.files, made.main).read())


def _counted(made: Mutant, outcome: Outcome) -> Outcome:
    """Add the good records of the spoilt file, and those of them that were lost."""
    is_log = next(seed.changes for seed in seeds_of() if seed.name == made.seed)
    is_log |= made.what in ("values exchanged", "two of them")  # a record may be there, inside another one
    good = set() if is_log else _sound(made.seed).good_texts(made.sound, made.files[made.main])
    lost = lost_texts(good, outcome.said)
    outcome.good, outcome.lost = len(good), len(lost)
    if lost and not outcome.told:
        outcome.faults.append(f"lost without a word: {lost[0][:60]!r}")
    return outcome
