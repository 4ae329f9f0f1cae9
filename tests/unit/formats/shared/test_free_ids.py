"""An id that is taken gets a number."""

from __future__ import annotations

import pytest

from stemmata.formats.shared.free_ids import free_id


@pytest.mark.parametrize(
    ("taken", "id"),
    [
        ([], "a"),
        (["b"], "a"),
        (["a"], "a~2"),
        (["a", "a~2"], "a~3"),
        (["a", "a~3"], "a~2"),
        (["a", *(f"a~{at}" for at in range(2, 1000))], "a~1000"),
    ],
)
def test_the_first_free_id_is_taken(taken: list[str], id: str) -> None:
    assert free_id("a", taken) == id


def test_an_id_that_is_repeated_very_often_is_not_counted_from_the_start() -> None:
    asked = list[str]()

    class Taken(set[str]):
        def __contains__(self, id: object) -> bool:
            asked.append(str(id))
            return super().__contains__(id)

    taken = Taken(["a", *(f"a~{at}" for at in range(2, 5_000))])
    assert free_id("a", taken) == "a~5000"
    assert len(asked) < 40
