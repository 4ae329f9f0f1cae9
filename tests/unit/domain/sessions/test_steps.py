from __future__ import annotations

import pytest

from stemmata.domain.sessions.steps import continued_session, continuing


@pytest.mark.parametrize(("value", "key"), [(continuing(12), 12), ("continuing", 7), ("1", None)])
def test_a_step_names_the_session_that_was_continued(value: str, key: int | None) -> None:
    """Older archives hold the word alone: then it is the parent."""
    assert continued_session(value, parent=7) == key
