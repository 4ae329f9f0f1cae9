"""An id that is taken gets a number."""

from __future__ import annotations

import pytest

from stemmata.formats.shared.free_ids import free_id


@pytest.mark.parametrize(
    ("taken", "id"), [([], "a"), (["b"], "a"), (["a"], "a~2"), (["a", "a~2"], "a~3"), (["a", "a~3"], "a~2")]
)
def test_the_first_free_id_is_taken(taken: list[str], id: str) -> None:
    assert free_id("a", taken) == id
