"""Session files that were spoilt in every way: a short part of `python -m tests.fuzz`, always the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.entries.entry import Entry
from stemmata.formats.registry import FORMATS, standard_formats
from tests.fuzz.run import format_of, mutant, read, seeds_of, tried
from tests.fuzz.seeds import Seed

PART = 40
READ = [format.name for format in FORMATS if format.reader is not None]
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("first", range(0, 200, PART))
def test_spoilt_files_break_nothing(tmp_path: Path, first: int) -> None:
    for number in range(first, first + PART):
        made = mutant(number)
        outcome = tried(made, tmp_path)
        assert outcome.faults == [], f"{number} ({made.seed}, {made.what})"


@pytest.mark.parametrize("format", READ)
def test_spoilt_files_of_each_format_are_read(tmp_path: Path, format: str) -> None:
    assert seeds_of(format), f"tests/fuzz/seeds.py has no file of {format}"
    for number in range(PART):
        made = mutant(number, format)
        outcome = read(made, tmp_path)
        assert outcome.faults == [], f"{number} ({made.seed}, {made.what})"


@pytest.mark.parametrize("seed", [seed for seed in seeds_of() if seed.is_text], ids=lambda seed: seed.name)
def test_a_byte_order_mark_costs_nothing(tmp_path: Path, seed: Seed) -> None:
    """Some editors write one before every text."""
    formats, said = standard_formats(tmp_path, {}), []
    for folder, mark in (("without", b""), ("with", BOM)):
        for name, data in seed.files.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((mark if name == seed.main else b"") + data)
        path = tmp_path / folder / seed.main
        assert formats.identify(path) == format_of(seed)
        events = formats.read(path, format_of(seed), None)
        said.append([(event.id, event.blocks) for event in events if isinstance(event, Entry)])
    assert said[0] == said[1]
