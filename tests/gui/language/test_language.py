"""Which language the window speaks, and how it writes numbers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from stemmata.assets import resource
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.domain.text.phrases import Phrase
from stemmata.gui.branches.model import EntryRows
from stemmata.gui.branches.words import tr as branches_tr
from stemmata.gui.core.language import Language, available, choose, locale_for
from stemmata.gui.settings.setting_field import tr, value_text
from stemmata.gui.widgets.context_words import figure_with_noun
from stemmata.gui.widgets.figures import dollars, number, size_text, tokens_text
from stemmata.services.sessions.own_entries import note_entry
from stemmata.system.settings.schema import SETTINGS
from tests.fakes.pages import FakePages
from tests.unit.services.conftest import Ticking

FOLDER = resource("i18n")


@pytest.fixture
def german(qapp: QApplication) -> Iterator[Language]:
    language = Language(qapp, FOLDER, "de")
    yield language
    language.remove()


@pytest.mark.parametrize(
    ("wanted", "preferred", "chosen"),
    [
        ("system", ["de-Latn-AT", "de"], "de"),
        ("system", ["fr-FR", "de-CH", "en"], "de"),
        ("system", ["en-GB", "de"], "en"),
        ("system", ["fr"], "en"),
        ("system", [], "en"),
        ("en", ["de"], "en"),
        ("de", ["en"], "de"),
        ("xx", ["de"], "de"),
    ],
)
def test_what_is_asked_for_else_what_the_person_reads(wanted: str, preferred: list[str], chosen: str) -> None:
    assert choose(wanted, ["de", "en"], preferred) == chosen


def test_the_choices_of_the_setting_are_the_languages_there_are() -> None:
    assert sorted(SETTINGS["window.language"].choices) == sorted(["system", *available(FOLDER)])


def test_numbers_follow_the_language_that_was_asked_for_else_the_system() -> None:
    swiss = QLocale("de_CH")
    assert locale_for("system", swiss) == swiss
    assert locale_for("de", swiss) == swiss  # the person's own kind of it
    assert locale_for("en", swiss).language() is QLocale.Language.English
    assert locale_for("system", QLocale.c()).toString(14_179) == "14,179"


def test_german_words_plurals_and_numbers(german: Language) -> None:
    assert german.code == "de"
    assert branches_tr("Turns") == "Runden"
    assert [branches_tr("%Ln tools", None, count) for count in (1, 2, 14_179)] == [
        "1 Werkzeug", "2 Werkzeuge", "14.179 Werkzeuge",
    ]  # fmt: skip
    assert (number(1_234_567), tokens_text(124_600), dollars(310_000)) == ("1.234.567", "124,6k", "0,31\xa0$")
    assert size_text(1_500_000) == "1,5 MB"


@pytest.mark.parametrize(("value", "told"), [(1, "≈ 1 Token"), (2, "≈ 2 Tokens"), (33_100, "≈ 33,1k Tokens")])
def test_one_token_is_german_singular(german: Language, value: int, told: str) -> None:
    assert figure_with_noun(Figure.estimated(value)) == told


@pytest.mark.parametrize(("value", "told"), [(1, "≈ 1 token"), (0, "≈ 0 tokens"), (None, "— tokens")])
def test_one_token_is_singular(qapp: QApplication, value: int | None, told: str) -> None:
    assert figure_with_noun(UNKNOWN if value is None else Figure.estimated(value)) == told


def test_english_plurals_and_numbers(qapp: QApplication) -> None:
    assert [branches_tr("%Ln tools", None, count) for count in (0, 1, 14_179)] == [
        "0 tools", "1 tool", "14,179 tools",
    ]  # fmt: skip
    assert (number(1_234_567), tokens_text(124_600), dollars(310_000)) == ("1,234,567", "124.6k", "$0.31")


def test_settings_speak_german_and_languages_keep_their_names(german: Language) -> None:
    assert tr(SETTINGS["compaction.keep_recent_tokens"].title) == "Letzte Tokens behalten"
    assert [value_text(choice) for choice in ("system", "en", "de")] == ["System", "English", "Deutsch"]


def test_qt_speaks_german_too(german: Language) -> None:
    from PySide6.QtWidgets import QDialogButtonBox

    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert box.button(QDialogButtonBox.StandardButton.Cancel).text() == "Abbrechen"
    box.deleteLater()


def test_a_note_of_stemmata_is_german_in_the_branches(german: Language) -> None:
    told = Phrase("Stemmata tries to compact automatically again after {0} more replies.", 3)
    note, typed = note_entry(Ticking(), told), note_entry(Ticking(), "Kept as it was typed")
    rows = EntryRows(FakePages([note, typed, Entry(id="m", role=Role.USER, blocks=(Text("Hello"),))]))
    rows.load(range(3))
    shown = [row.preview if (row := rows.get(key)) is not None else "" for key in range(3)]
    assert shown[1:] == ["Kept as it was typed", "Hello"]
    assert "nach 3 weiteren Antworten" in shown[0]


def test_removed_it_is_as_before(qapp: QApplication) -> None:
    before = QLocale()
    language = Language(qapp, FOLDER, "de")
    assert number(1_000) == "1.000"
    language.remove()
    language.remove()
    assert branches_tr("Turns") == "Turns"
    assert QLocale() == before


def test_without_any_translations_it_is_english(qapp: QApplication, tmp_path: Path) -> None:
    language = Language(qapp, tmp_path, "de")
    assert language.code == "en"
    language.remove()


@pytest.mark.parametrize("code", ["en", "de"])
def test_installing_takes_no_time_of_the_first_window(qapp: QApplication, code: str) -> None:
    took = []
    for _ in range(9):
        start = time.thread_time()
        language = Language(qapp, FOLDER, code)
        took.append(time.thread_time() - start)
        language.remove()
    assert min(took) < 0.02
