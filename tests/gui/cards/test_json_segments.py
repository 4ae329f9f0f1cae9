"""Long JSON is divided into segments that are printed alone, and together print the whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.gui.cards import long_json
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.json_folds import ALL
from stemmata.gui.cards.json_segments import (
    MOST_DEEP,
    SEGMENT,
    Place,
    Segment,
    divided,
    may_be_json,
    printed,
)
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.theme.theme import Theme
from tests.fakes.pages import FakePages

EVERYTHING = frozenset({ALL})
ROWS = [{"id": at, "text": f"line “{at}”, [{{", "in": {"a": [1, 2, {"b": None}]}} for at in range(600)]


def _all(text: str) -> tuple[list[Segment], Place | None]:
    """Return all segments of a text, and the place at which it is no JSON any more."""
    out: list[Segment] = []
    place: Place | None = None
    while True:
        before = place
        found, place = divided(text, place)
        out += found
        if place is None or place == before or (before is None and not found):
            return out, place


def _printed(text: str) -> str:
    found, rest = _all(text)
    assert rest is None
    return "\n".join(printed(text, segment, "x", EVERYTHING).text for segment in found)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "value",
    [
        ROWS,
        {"data": {"rows": ROWS, "next": None}, "other": list(range(20_000))},
        {"text": 'x"\\' * 40_000, "empty": [{}, []]},
        {"text": '\n\t"\\é\x01\x7f\u2028😀' * 10_000},
        [["a" * SEGMENT * 3, {"b": "c" * SEGMENT * 3}]],
    ],
)
def test_the_segments_print_the_whole(value: Any, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    assert _printed(text) == json.dumps(value, ensure_ascii=False, indent=2)


def test_a_segment_is_short_and_folds_by_its_own_names() -> None:
    text = json.dumps(ROWS)
    found, _ = _all(text)
    assert len(found) > 10
    assert max(segment.stop - segment.start for segment in found) < 2 * SEGMENT
    folded = [printed(text, segment, "x", frozenset()) for segment in found]
    names = [fold.part for one in folded for fold in one.folds.values()]
    assert len(set(names)) == len(names) > len(ROWS) / 2
    lines = folded[3].text.split("\n")
    line, fold = next((at, fold) for at, fold in folded[3].folds.items() if lines[at] == "  {… 3},")
    opened = printed(text, found[3], "x", frozenset({fold.part}))
    assert opened.text.split("\n")[line].endswith("{")


def test_a_step_reads_a_part_of_the_text() -> None:
    text = json.dumps(ROWS * 20)
    found, rest = divided(text)
    assert found
    assert rest is not None
    assert rest.at < len(text) / 4
    assert rest.brackets == "["


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"a": 1}\n{"a": 2}', 1),
        ("[1, 2", 0),
        ("[" * 500_000, 0),
        ('["' + "a" * 100_000, 0),
        ('["' + 'a"' * 100_000, 0),
        ("[1" + " " * 1_000_000, 0),
    ],
)
def test_what_is_no_json_ends_the_division(text: str, shown: int) -> None:
    found, rest = _all(text)
    assert rest is not None
    assert len([line for segment in found for line in segment.lines if not isinstance(line, str)]) == shown
    assert sum(len(segment.lines) for segment in found) <= MOST_DEEP + 2


def test_a_segment_that_is_no_json_is_refused() -> None:
    text = "[" + "1, nonsense, " * 1_000 + "2]"
    with pytest.raises(ValueError, match="invalid literal"):
        printed(text, divided(text)[0][0], "x", frozenset())


def test_a_log_is_not_taken_for_json() -> None:
    assert may_be_json(' [\n {"a": 1}]')
    assert may_be_json('{"a": 1}')
    assert not may_be_json("[INFO] started")
    assert not may_be_json("words")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**9) | st.text(max_size=9) | st.just("x" * SEGMENT),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=30,
)


@given(
    st.lists(VALUES, min_size=1, max_size=8) | st.dictionaries(st.text(max_size=5), VALUES, min_size=1, max_size=8)
)
def test_any_value_is_printed_whole(value: Any) -> None:
    assert json.loads(_printed(json.dumps(value))) == value


def test_a_step_of_deep_json_reads_few_brackets() -> None:
    """A step read ten thousand brackets that stand alone, which took longer than a turn."""
    text = '{"a":' * 50_000 + "1" + "}" * 50_000
    _, rest = divided(text)
    assert rest is not None
    assert len(rest.brackets) == 2, "the outermost object, and the one inside that was looked through once"


def test_all_of_long_json_is_divided_once_before_it_is_shown(monkeypatch: pytest.MonkeyPatch, theme: Theme) -> None:
    """Its beginning was divided and printed first, only to see whether it is JSON."""
    divisions = list[Place | None]()

    def counted(text: str, place: Place | None = None) -> tuple[list[Segment], Place | None]:
        divisions.append(place)
        return divided(text, place)

    monkeypatch.setattr(long_json, "divided", counted)
    pages = FakePages([Entry(id="a", role=Role.USER, blocks=(Text("JSON"),))])
    entry = LoadedEntry(pages.rows([0])[0], pages.bodies([0])[0])
    style, content = CardStyle(theme, lambda _digest: None), CardContent(entry, whole=True)
    assert long_json.all_segments(style, content, json.dumps(ROWS), "x")
    assert divisions == [None]
    for bad in ("words", "[1, 2, oops, 3]"):
        assert not long_json.all_segments(style, content, bad, "x")
