"""The set of keys that a source says again: bits answer like a set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemmata.store.entries.appending import KeySet

KEYS = st.integers(0, 300)


@given(st.lists(KEYS), KEYS)
def test_the_set_holds_the_keys_that_were_added_and_no_other(added: list[int], asked: int) -> None:
    keys = KeySet()
    for key in added:
        keys.add(key)
    assert (asked in keys) is (asked in added)
    assert all(key in keys for key in added)
    assert "1" not in keys


def test_a_million_keys_take_little_memory() -> None:
    keys = KeySet()
    keys.add(1_000_000)
    assert len(keys._bits) == 125_001
    assert 1_000_000 in keys
    assert 999_999 not in keys
