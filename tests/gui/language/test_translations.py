"""The files of the translators: in step with the sources, whole, and with nothing lost on the way."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.translations.files import FOLDER, LANGUAGES, compile_to, unfinished, update
from tests.translations.messages import messages, mistakes

PLACE = re.compile(r"\{\w*\}|%L?n|&lt;|\\n|→|≈")
FILES = [FOLDER / f"stemmata_{code}.ts" for code in LANGUAGES]


def translated(path: Path) -> Iterator[tuple[str, str, str]]:
    """Return context, source and every form of each translation."""
    for context in ElementTree.parse(path).iter("context"):
        for message in context.iter("message"):
            found = message.find("translation")
            assert found is not None
            for form in found.findall("numerusform") or [found]:
                yield context.findtext("name") or "", message.findtext("source") or "", form.text or ""


def test_every_call_of_tr_can_be_translated() -> None:
    assert not mistakes()


def test_the_sources_texts_are_found() -> None:
    found = {(message.context, message.text): message for message in messages()}
    assert ("Actions", "Import sessions…") in found  # marked by `_`
    assert ("Branches", "Unpin") in found  # in a table
    assert ("Card", "You") in found  # an imported `tr`
    assert ("SessionsView", "Import") in found  # `self.tr`
    assert ("Settings", "Size of all text, in percent.") in found  # the settings' schema
    assert ("Settings", "High contrast") in found
    assert found["StatusLine", "%Ln sessions"].plural


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_shipped_was_compiled_from_the_texts(path: Path, tmp_path: Path) -> None:
    compiled = tmp_path / "compiled.qm"
    compile_to(path, compiled)
    assert compiled.read_bytes() == path.with_suffix(".qm").read_bytes(), "run ./packaging/dev translate"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_translations_keep_the_places_that_are_filled_in(path: Path) -> None:
    lost = [
        f"{context}: {source}"
        for context, source, text in translated(path)
        if text and set(PLACE.findall(text)) - set(PLACE.findall(source)) | _lost(source, text)
    ]
    assert not lost


def _lost(source: str, text: str) -> set[str]:
    """A plural form may say its number in a word."""
    return {place for place in set(PLACE.findall(source)) - set(PLACE.findall(text)) if place not in ("%n", "%Ln")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_translations_have_real_typography(path: Path) -> None:
    assert not [text for _context, _source, text in translated(path) if "..." in text or '"' in text or "'" in text]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_number_with_a_plus_has_it_in_every_language(path: Path) -> None:
    """The German “mindestens 1 Sitzungen” has the wrong plural; “1+ Sitzungen” fits any number."""
    assert not [text for _context, source, text in translated(path) if "{0}+" in source and "{0}+" not in text]


def test_german_quotes_as_german_does() -> None:
    german = FOLDER / "stemmata_de.ts"
    assert not [
        text for _context, _source, text in translated(german) if "”" in text or text.count("„") != text.count("“")
    ]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_text_of_the_window_is_translated(code: str, tmp_path: Path) -> None:
    """`./packaging/dev translate` adds missing texts to the files, to be filled in."""
    path = tmp_path / f"stemmata_{code}.ts"
    shutil.copy(FOLDER / path.name, path)
    before = sorted(translated(path))
    update(path, code)
    assert unfinished(path) == []
    assert sorted(translated(path)) == before, "texts are gone: run ./packaging/dev translate"
