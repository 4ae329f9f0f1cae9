"""The shortcut in the search field of the top bar."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QTranslator
from PySide6.QtWidgets import QApplication

from tests.journeys.person import Person


def test_the_shortcut_is_named_in_the_language_of_the_window(person: Person) -> None:
    bar, application, german = person.window.top_bar, QApplication.instance(), QTranslator()
    assert application is not None
    assert german.load("qtbase_de", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    assert bar.search.text().endswith("Ctrl+K")
    application.installTranslator(german)
    try:
        bar._show_keys()
        assert bar.search.text().endswith("Strg+K")
    finally:
        application.removeTranslator(german)
