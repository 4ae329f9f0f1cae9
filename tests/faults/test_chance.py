from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.chance import played


@pytest.mark.parametrize("seed", range(1, 9))
def test_faults_by_chance_leave_a_session_that_goes_on(seed: int, tmp_path: Path) -> None:
    """`python -m tests.faults` plays more sessions."""
    played(seed, tmp_path)
