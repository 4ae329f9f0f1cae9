"""The source that a reader gives its sessions. The archive finds the reader of a stored file by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.sources.reading import Begin
from stemmata.formats.registry import FORMATS, standard_formats
from tests.fuzz.run import format_of, seeds_of
from tests.fuzz.seeds import Seed

DATA = Path(__file__).parents[2] / "data"
FIXTURES = sorted(
    path for folder in ("chatgpt", "claude_ai", "claude_code") for path in (DATA / folder).glob("*.json*")
)


def sources_in(path: Path, format: str) -> set[str]:
    events = standard_formats(path.parent, {}).read(path, format, None)
    return {event.info.source for event in events if isinstance(event, Begin)}


@pytest.mark.parametrize("seed", seeds_of(), ids=lambda seed: seed.name)
def test_each_reader_names_itself_as_the_source(tmp_path: Path, seed: Seed) -> None:
    for name, data in seed.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert sources_in(tmp_path / seed.main, "") == {format_of(seed)}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_each_reader_names_itself_in_the_files_of_the_tests(path: Path) -> None:
    assert sources_in(path, "") == {standard_formats(path.parent, {}).identify(path)}


def test_no_format_is_left_out() -> None:
    assert {format_of(seed) for seed in seeds_of()} == {one.name for one in FORMATS if one.reader is not None}
    assert len(FIXTURES) == 4
