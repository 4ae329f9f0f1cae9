"""What is asked of an entry in a session that has it not is refused, and leaves no trace."""

from __future__ import annotations

import pytest

from stemmata.domain.errors import NotFoundError
from tests.unit.services.conftest import Bench, Records


def test_an_entry_of_another_session_is_refused(bench: Bench, talk: Records) -> None:
    one = bench.imported(talk("one", ("a", None, "user", "Hi"), ("b", "a", "assistant", "Yes")), "one.jsonl")
    two = bench.imported(talk("two", ("a", None, "user", "Hello"), ("c", "a", "assistant", "No")), "two.jsonl")
    foreign, session, branching = bench.key(one, "b"), two.session.key, bench.services.branching
    same = bench.key(one, "a")  # the other session has one of this name
    for asked in (
        lambda: branching.label(session, foreign, "here"),
        lambda: branching.pin(session, foreign, on=True),
        lambda: branching.pin(session, same, on=True),
        lambda: branching.move_leaf(session, foreign),
        lambda: branching.continue_from(session, foreign),
        lambda: branching.continue_from(session, foreign, focus=""),
        lambda: branching.fork(session, foreign),
    ):
        with pytest.raises(NotFoundError):
            asked().result()
    after = bench.reopened(two)
    assert len(after.tree) == len(two.tree)
    assert after.session.leaf == two.session.leaf
