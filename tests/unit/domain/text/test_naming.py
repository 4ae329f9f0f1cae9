"""The mark that the user named a session."""

from __future__ import annotations

import json

import pytest

from stemmata.domain.entries.session_facts import is_named_by_user, with_named_by_user


def test_the_mark_is_set_and_removed_without_changing_other_details() -> None:
    before = '{"version":3,"cwd":"/é"}'
    marked = with_named_by_user(before, on=True)
    assert (is_named_by_user(before), is_named_by_user(marked)) == (False, True)
    assert json.loads(marked) == {"version": 3, "cwd": "/é", "namedHere": True}
    assert json.loads(with_named_by_user(marked, on=False)) == json.loads(before)
    assert with_named_by_user(with_named_by_user("", on=True), on=False) == ""


@pytest.mark.parametrize("details", ["", "[]", "no json", "[" * 100_000, '{"namedHere":"yes"}', '{"namedHere":1}'])
def test_other_details_do_not_count_as_the_mark(details: str) -> None:
    assert not is_named_by_user(details)
    assert is_named_by_user(with_named_by_user(details, on=True))
