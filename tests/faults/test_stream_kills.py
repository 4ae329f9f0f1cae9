"""A few of the kills that `python -m tests.faults.stream_kills` makes by the hundred."""

from __future__ import annotations

import os

import pytest

from tests.faults.stream_kills import kill


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.parametrize(("kind", "kills"), [("window", 3), ("command", 5)])
def test_what_was_shown_for_a_second_is_there_after_a_kill(kind: str, kills: int) -> None:
    out = kill(kind, kills, seed=4, longest=2.0)
    assert (out.kills, out.lost_late, out.problems) == (kills, 0, [])
    assert out.shown > 0
