"""Texts that can be translated."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import (
    MAX_NESTED_PHRASES,
    Phrase,
    from_data,
    joined,
    plural_phrase,
    template,
    to_data,
    translated,
)

GERMAN = {
    "{0} of {1} tokens": "{1} Token, davon {0}",
    "It failed.": "Es ging nicht.",
    "{0} Nothing was sent.": "{0} Nichts wurde gesendet.",
    "{0} is broken": "{7} ist kaputt",
}


def german(text: str) -> str:
    return translated(
        text,
        lambda found: GERMAN.get(found, found),
        lambda number: f"{number:,}".replace(",", ".") if isinstance(number, int) else number,
    )


def test_a_phrase_is_the_english_text() -> None:
    told = Phrase("{0} of {1} tokens", 1200, "8k")
    assert told == "1,200 of 8k tokens"
    assert f"{told}!" == "1,200 of 8k tokens!"
    assert (told.template, told.values) == ("{0} of {1} tokens", (1200, "8k"))
    assert Phrase("{0}", True) == "True"


def test_an_error_keeps_its_phrase() -> None:
    told = str(KnownError(Phrase("{0} of {1} tokens", 1200, "8k")))
    assert german(told) == "8k Token, davon 1.200"
    assert german(str(KnownError("It failed."))) == "Es ging nicht."


def test_phrases_can_be_nested() -> None:
    told = Phrase("{0} Nothing was sent.", Phrase("It failed."))
    assert german(told) == "Es ging nicht. Nichts wurde gesendet."
    assert german(joined("\n", [Phrase("It failed."), "as it is"])) == "Es ging nicht.\nas it is"


def test_a_phrase_with_no_or_a_wrong_translation_is_english() -> None:
    assert german(Phrase("{0} more", 1000)) == "1.000 more"
    assert german(Phrase("{0} is broken", "It")) == "It is broken"
    assert german("of a model: {0} {") == "of a model: {0} {"


def test_values_can_be_changed_and_phrases_copied() -> None:
    told = Phrase("{0} of {1}, {2}", 5, "secret", Phrase("not {0}", "secret"))
    hidden = told.with_values(lambda text: text.replace("secret", "•"))
    assert (hidden, hidden.template) == ("5 of •, not •", told.template)
    copy = pickle.loads(pickle.dumps(told))
    assert (copy, copy.values) == (told, told.values)
    assert template("as {0} is") == "as {0} is"


def test_a_phrase_stored_as_data_can_be_translated_later() -> None:
    told = Phrase("{0} Nothing was sent.", Phrase("{0} of {1} tokens", 1200, "8k"))
    kept = json.loads(json.dumps(to_data(told)))
    assert kept == ["{0} Nothing was sent.", ["{0} of {1} tokens", 1200, "8k"]]
    back = from_data(kept)
    assert back == told
    assert german(back) == "8k Token, davon 1.200 Nichts wurde gesendet."
    assert (to_data("plain {0}"), from_data("plain {0}")) == ("plain {0}", "plain {0}")


@pytest.mark.parametrize(("count", "told"), [(0, "0 pins of x"), (1, "1 pin of x"), (1200, "1,200 pins of x")])
def test_a_phrase_is_singular_for_one(count: int, told: str) -> None:
    phrase = plural_phrase("{0} pin of {1}", "{0} pins of {1}", count, count, "x")
    assert phrase == told
    assert phrase.values == (count, "x")


@pytest.mark.parametrize(
    "data",
    [
        None, 7, {}, [], [7], [["{0}"]], ["{0}"], ["{1}", "one"], ["{0.__class__}", "x"], ["{0!r}", "x"], ["{", "x"],
        ["{0}", None], ["{0}", 1.5], ["{0}", {}],
    ],
)  # fmt: skip
def test_data_that_is_no_phrase_gives_an_empty_text(data: object) -> None:
    assert from_data(data) == ""


def test_phrases_nested_too_deep_in_data_are_dropped() -> None:
    def nested(levels: int) -> Any:
        data: Any = "word"
        for _ in range(levels):
            data = ["<{0}>", data]
        return data

    assert from_data(nested(MAX_NESTED_PHRASES)) == "<" * MAX_NESTED_PHRASES + "word" + ">" * MAX_NESTED_PHRASES
    assert "word" not in from_data(nested(MAX_NESTED_PHRASES + 1))
    assert "word" not in from_data(nested(100_000))
