"""The language of the window: translations, and the format of numbers and dates."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

SYSTEM = "system"
SOURCE = "en"  # the language of the texts in the code; its file holds the plural forms


class Language(QObject):
    """Installs the translations and the locale in the application until `remove`.

    Texts created before keep their language.
    """

    def __init__(self, application: QCoreApplication, folder: Path, wanted: str = SYSTEM) -> None:
        """Install the wanted language.

        `folder` holds the compiled translations, such as `stemmata_de.qm`; `wanted` is a language code or "system".
        """
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
        """Remove the translations and restore the locale. May be called twice."""
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
    """Return the codes of the languages with a translation in `folder`, sorted."""
    names = os.listdir(folder) if folder.is_dir() else []
    found = [name for name in names if name.startswith("stemmata_") and name.endswith(".qm")]
    return sorted(name.removeprefix("stemmata_").removesuffix(".qm") for name in found)


def choose(wanted: str, codes: Sequence[str], preferred: Sequence[str]) -> str:
    """Return `wanted` if it is available, else the first available language of `preferred` (such as `de-Latn-AT`)."""
    if wanted in codes:
        return wanted
    read = (language.partition("-")[0] for language in preferred)
    return next((code for code in read if code in codes), SOURCE)


def locale_for(wanted: str, system: QLocale) -> QLocale:
    """Return the locale for numbers and dates: the system's, unless another language is wanted."""
    if wanted not in (SYSTEM, system.name().partition("_")[0]):
        return QLocale(wanted)
    if system.language() is QLocale.Language.C:
        system = QLocale.c()
        # the C locale omits group separators: 14179 for 14,179
        system.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    return system
