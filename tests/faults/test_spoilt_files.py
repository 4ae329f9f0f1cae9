"""Session files that were spoilt in every way: a short part of `python -m tests.fuzz`, always the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.run import mutant, tried

PART = 40


@pytest.mark.parametrize("first", range(0, 200, PART))
def test_spoilt_files_break_nothing(tmp_path: Path, first: int) -> None:
    for number in range(first, first + PART):
        made = mutant(number)
        outcome = tried(made, tmp_path)
        assert outcome.faults == [], f"{number} ({made.seed}, {made.what})"
