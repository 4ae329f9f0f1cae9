"""The language of the window: its words, and how numbers and dates are written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

SYSTEM = "system"
SOURCE = "en"  # the language of the texts in the code; its file holds the plural forms


class Language(QObject):
    """Installed while it lives: give it the application, and `remove` it in the end.

    Texts that were made before keep their language.
    """

    def __init__(self, application: QCoreApplication, folder: Path, wanted: str = SYSTEM) -> None:
        """`folder` holds the compiled translations, `stemmata_de.qm`; `wanted` is a code or "system"."""
        super().__init__()
        self._application = application
        self._translators: list[QTranslator] = []
        self._before = QLocale()
        system = QLocale.system()
        codes = available(folder)
        self.code = choose(wanted, codes, system.uiLanguages())
        QLocale.setDefault(locale_for(wanted if wanted in codes else SYSTEM, system))
        if self.code != SOURCE:
            self._install("qtbase_" + self.code, Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)))
        self._install("stemmata_" + self.code, folder)

    def remove(self) -> None:
        """May be called twice."""
        for translator in self._translators:
            self._application.removeTranslator(translator)
        if self._translators:
            QLocale.setDefault(self._before)
        self._translators.clear()

    def _install(self, name: str, folder: Path) -> None:
        translator = QTranslator(self)
        if translator.load(name, str(folder)):
            self._application.installTranslator(translator)
            self._translators.append(translator)


def available(folder: Path) -> list[str]:
    """Codes of the languages there are translations for."""
    names = os.listdir(folder) if folder.is_dir() else []
    found = [name for name in names if name.startswith("stemmata_") and name.endswith(".qm")]
    return sorted(name.removeprefix("stemmata_").removesuffix(".qm") for name in found)


def choose(wanted: str, codes: Sequence[str], preferred: Sequence[str]) -> str:
    """The language that was asked for, else the first that the person reads; `preferred` is as `de-Latn-AT`."""
    if wanted in codes:
        return wanted
    read = (language.partition("-")[0] for language in preferred)
    return next((code for code in read if code in codes), SOURCE)


def locale_for(wanted: str, system: QLocale) -> QLocale:
    """How numbers and dates are written: as the system does, unless another language was asked for."""
    if wanted not in (SYSTEM, system.name().partition("_")[0]):
        return QLocale(wanted)
    if system.language() is QLocale.Language.C:
        system = QLocale.c()
        system.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)  # else 14179 for 14,179
    return system
