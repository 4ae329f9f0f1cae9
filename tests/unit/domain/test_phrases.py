"""Texts that can be said in another language."""

from __future__ import annotations

import pickle

from stemmata.domain.errors import KnownError
from stemmata.domain.phrases import Phrase, joined, said, template

GERMAN = {
    "{0} of {1} tokens": "{1} Token, davon {0}",
    "It failed.": "Es ging nicht.",
    "{0} Nothing was sent.": "{0} Nichts wurde gesendet.",
    "{0} is broken": "{7} ist kaputt",
}


def german(text: str) -> str:
    return said(text, lambda found: GERMAN.get(found, found), lambda number: f"{number:,}".replace(",", "."))


def test_it_is_the_english_text() -> None:
    told = Phrase("{0} of {1} tokens", 1200, "8k")
    assert told == "1,200 of 8k tokens"
    assert f"{told}!" == "1,200 of 8k tokens!"
    assert (told.template, told.values) == ("{0} of {1} tokens", (1200, "8k"))
    assert Phrase("{0}", True) == "True"


def test_an_error_keeps_it() -> None:
    told = str(KnownError(Phrase("{0} of {1} tokens", 1200, "8k")))
    assert german(told) == "8k Token, davon 1.200"
    assert german(str(KnownError("It failed."))) == "Es ging nicht."


def test_phrases_hold_phrases() -> None:
    told = Phrase("{0} Nothing was sent.", Phrase("It failed."))
    assert german(told) == "Es ging nicht. Nichts wurde gesendet."
    assert german(joined("\n", [Phrase("It failed."), "as it is"])) == "Es ging nicht.\nas it is"


def test_what_has_no_translation_or_a_wrong_one_is_english() -> None:
    assert german(Phrase("{0} more", 1000)) == "1.000 more"
    assert german(Phrase("{0} is broken", "It")) == "It is broken"
    assert german("of a model: {0} {") == "of a model: {0} {"


def test_values_are_changed_and_copies_are_whole() -> None:
    told = Phrase("{0} of {1}, {2}", 5, "secret", Phrase("not {0}", "secret"))
    hidden = told.with_values(lambda text: text.replace("secret", "•"))
    assert (hidden, hidden.template) == ("5 of •, not •", told.template)
    copy = pickle.loads(pickle.dumps(told))
    assert (copy, copy.values) == (told, told.values)
    assert template("as {0} is") == "as {0} is"
