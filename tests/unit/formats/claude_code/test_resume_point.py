"""A resume point is restored from the archive, which may hold anything."""

from __future__ import annotations

from typing import Any

import pytest

from stemmata.formats.claude_code.resume_point import ResumePoint

FACTS = {"first": {}, "sessions": [], "forked": "", "titles": ["", "", ""], "others": {}}


def test_a_state_gives_the_same_point() -> None:
    point = ResumePoint.of([10, 2, FACTS, ["id"], 7], 20)
    assert point is not None
    assert point.state == [10, 2, FACTS, ["id"], 7]


@pytest.mark.parametrize(
    "state",
    [
        None, [], [10, 2, FACTS, []], ["10", 2, FACTS, [], 0], [10, 2, [], [], 0], [10, 2, FACTS, {}, 0],
        [0, 2, FACTS, [], 0], [20, 2, FACTS, [], 0], [10, 0, FACTS, [], 0],
        [10, 2, FACTS, [1], 0], [10, 2, {}, [], 0], [10, 2, FACTS | {"others": {"a": "b"}}, [], 0],
    ],
)  # fmt: skip
def test_an_invalid_state_gives_none(state: Any) -> None:
    assert ResumePoint.of(state, 20) is None
