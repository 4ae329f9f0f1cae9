"""Pages that a search of the web found are read from details and answers."""

from __future__ import annotations

import json

import pytest

from stemmata.domain.tool_calls.kinds import MOST_READ
from stemmata.domain.tool_calls.web_pages import FoundPage, found_pages, written_pages


def test_pages_stand_in_the_details_or_in_the_answer() -> None:
    page = {"title": "Qt", "url": "https://doc.qt.io"}
    found = [FoundPage("Qt", "https://doc.qt.io")]
    assert list(found_pages({"results": [{"content": [page, 7]}, "words"]}, "")) == found
    assert list(found_pages({"results": [page]}, "")) == found
    assert list(found_pages({}, f"Found:\nLinks: {json.dumps([page])}\n\nThat is all.")) == found
    assert list(found_pages({}, json.dumps([page]))) == found


def test_an_excerpt_is_one_line() -> None:
    text = json.dumps({"organic": [{"name": "Qt", "link": "https://doc.qt.io", "snippet": "All\n about it."}]})
    assert list(found_pages({}, text)) == [FoundPage("Qt", "https://doc.qt.io", "All about it.")]
    assert written_pages(text)[1] == ""


def test_the_rest_of_an_answer_is_kept() -> None:
    assert written_pages('Words\nLinks: [{"url": "u"}]\n\nMore') == ([{"url": "u"}], "Words\nMore")


@pytest.mark.parametrize(
    "text",
    ["", "words", "{broken", "Links: [broken]", "[]", "[1]", '{"results": []}', '{"results": [{"title": "x"}]}',
     '{"a": 1}', "[" + " " * MOST_READ + "]"],
)  # fmt: skip
def test_other_answers_have_no_pages(text: str) -> None:
    assert written_pages(text) == ([], text)
