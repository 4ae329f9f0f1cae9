"""The mark that the user named a session."""

from __future__ import annotations

import json

import pytest

from stemmata.domain.sessions.details import (
    choices_of,
    is_compacted_by_hand,
    is_named_by_a_person,
    is_named_here,
    verbosity_of,
    with_compacted_by_hand,
    with_marks_of,
    with_named_here,
    with_named_in_tool,
    with_verbosity,
)
from stemmata.domain.sessions.titles import title_for_list


def test_the_mark_is_set_and_removed_without_changing_other_details() -> None:
    before = '{"version":3,"cwd":"/é"}'
    marked = with_named_here(before, on=True)
    assert (is_named_here(before), is_named_here(marked)) == (False, True)
    assert json.loads(marked) == {"version": 3, "cwd": "/é", "namedHere": True}
    assert json.loads(with_named_here(marked, on=False)) == json.loads(before)
    assert with_named_here(with_named_here("", on=True), on=False) == ""


@pytest.mark.parametrize("details", ["", "[]", "no json", "[" * 100_000, '{"namedHere":"yes"}', '{"namedHere":1}'])
def test_other_details_do_not_count_as_the_mark(details: str) -> None:
    assert not is_named_here(details)
    assert is_named_here(with_named_here(details, on=True))


def test_the_marks_of_the_user_outlive_a_reading_of_the_source() -> None:
    known = with_compacted_by_hand(with_named_here('{"version":2}', on=True), on=True)
    again = with_marks_of('{"version":3}', known)
    assert json.loads(again) == {"version": 3, "namedHere": True, "compactsByHand": True}
    assert is_compacted_by_hand(again)
    assert not is_compacted_by_hand(with_compacted_by_hand(again, on=False))
    assert with_marks_of('{"version":3}', "") == '{"version":3}'


GATEWAY = '{"conversation":{"sessionKey":"agent:main:main","verboseLevel":"full"}}'


@pytest.mark.parametrize(
    ("details", "level"),
    [
        ("", "on"), (GATEWAY, "full"), (with_verbosity(GATEWAY, "off"), "off"), ('{"verbosity":"loud"}', "on"),
        (GATEWAY.replace('"full"', "3"), "on"), (GATEWAY.replace("full", "loud"), "on"),
    ],
)  # fmt: skip
def test_the_level_that_the_user_chose_comes_before_that_of_a_gateway(details: str, level: str) -> None:
    assert verbosity_of(details) == level


def test_a_chosen_level_outlives_a_reading_and_goes_on_in_another_session() -> None:
    chosen = with_verbosity(GATEWAY, "off")
    assert verbosity_of(with_marks_of(GATEWAY, chosen)) == "off"
    assert choices_of(chosen) == '{"verbosity":"off"}'
    assert choices_of(GATEWAY) == ""
    assert with_marks_of(GATEWAY, GATEWAY) == GATEWAY


LONG = "Investigate why the importer drops the very last line of files without a newline"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Tea", "Tea"), (LONG, "Investigate why the importer drops the very last line of…"),
        (f"{LONG} (fork)", "Investigate why the importer drops the very last… (fork)"),
        (f"{LONG} (again)", "Investigate why the importer drops the very last line of…"),
    ],
)  # fmt: skip
def test_a_list_cuts_titles_that_no_person_gave(title: str, shown: str) -> None:
    assert title_for_list(title, "") == shown
    assert title_for_list(title, with_named_in_tool("", on=True)) == title
    assert title_for_list(title, with_named_here("", on=True)) == title


def test_a_name_given_in_the_tool_is_told_from_one_given_here() -> None:
    in_tool = with_named_in_tool("", on=True)
    assert is_named_by_a_person(in_tool)
    assert not is_named_here(in_tool)
    assert with_named_in_tool(in_tool, on=False) == ""
    assert is_named_by_a_person(choices_of(with_named_here("", on=True)))
