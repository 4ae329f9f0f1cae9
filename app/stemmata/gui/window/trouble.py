"""A window for when there is none yet: the archive cannot be opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.gui.core.language import Language
from stemmata.gui.theme.theme import Theme, scheme_of
from stemmata.gui.window.application import qt_application
from stemmata.gui.window.trouble_dialog import TroubleDialog, WayOut

if TYPE_CHECKING:
    from stemmata.gui.window.application import WindowSettings


def ask_way_out(window: WindowSettings, error: KnownError, archive: Path, backups: Sequence[Path]) -> WayOut:
    """Tell the error and wait for what is chosen."""
    qt = qt_application()
    language = Language(qt, resource("i18n"), window.language)
    theme = Theme(scheme_of(window.theme), window.font_scale)
    theme.apply(qt)
    dialog = TroubleDialog(theme, error, archive, backups)
    try:
        dialog.exec()
        return dialog.choice
    finally:
        dialog.deleteLater()
        theme.deleteLater()
        language.remove()
