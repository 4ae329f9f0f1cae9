"""The fonts of the window by role: preferred families if installed, else the system's fonts."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QFont, QFontDatabase

from stemmata.gui.theme import metrics

UI_FAMILIES = ("Inter", "Inter Variable")
CODE_FAMILIES = ("JetBrains Mono", "JetBrainsMono Nerd Font", "Cascadia Mono", "SF Mono")
WIDE_FAMILIES = ("DejaVu Sans", "Verdana")  # appear larger than other families at the same size
WIDE_FACTOR = 12 / 13

ROLES: dict[str, tuple[int, QFont.Weight, bool]] = {
    "ui": (metrics.FONT_UI, QFont.Weight.Normal, False),
    "ui_bold": (metrics.FONT_UI, QFont.Weight.DemiBold, False),
    "small": (metrics.FONT_SMALL, QFont.Weight.Normal, False),
    "small_bold": (metrics.FONT_SMALL, QFont.Weight.DemiBold, False),
    "field": (metrics.FONT_FIELD, QFont.Weight.Normal, False),
    "title": (metrics.FONT_TITLE, QFont.Weight.DemiBold, False),
    "heading": (metrics.FONT_HEADING, QFont.Weight.DemiBold, False),
    "code": (metrics.FONT_CODE, QFont.Weight.Normal, True),
    "code_small": (metrics.FONT_CODE_SMALL, QFont.Weight.Normal, True),
}  # size in px, weight, fixed pitch


class Fonts:
    """The fonts at one scale, in percent. `ui` and `code` are chosen families, used where they are installed."""

    def __init__(self, scale: int = 100, ui: str = "", code: str = "") -> None:
        installed = set(QFontDatabase.families())
        self.ui_family = _first((ui, *UI_FAMILIES), installed) or _system(QFontDatabase.SystemFont.GeneralFont)
        self.code_family = _first((code, *CODE_FAMILIES), installed) or _system(QFontDatabase.SystemFont.FixedFont)
        wide = WIDE_FACTOR if self.ui_family in WIDE_FAMILIES else 1.0
        self._factor = scale / 100 * wide
        self._fonts = {role: self._build(facts) for role, facts in ROLES.items()}

    def font(self, role: str) -> QFont:
        """Return a copy of the role's font. Raises KeyError for an unknown role."""
        return QFont(self._fonts[role])

    def _build(self, facts: tuple[int, QFont.Weight, bool]) -> QFont:
        size, weight, fixed = facts
        font = QFont(self.code_family if fixed else self.ui_family)
        font.setStyleHint(QFont.StyleHint.Monospace if fixed else QFont.StyleHint.SansSerif)
        font.setPixelSize(max(1, round(size * self._factor)))
        font.setWeight(weight)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)  # even spacing at every scale
        if not fixed:
            font.setFeature(QFont.Tag("tnum"), 1)  # digits of equal width align in columns
        return font


def families(*, fixed: bool) -> list[str]:
    """Return the installed families that text can be shown in, or only those of a fixed pitch."""
    found = (family for family in QFontDatabase.families() if QFontDatabase.isSmoothlyScalable(family))
    return [family for family in found if not fixed or QFontDatabase.isFixedPitch(family)]


def _first(wanted: Iterable[str], installed: set[str]) -> str:
    return next((family for family in wanted if family in installed), "")


def _system(kind: QFontDatabase.SystemFont) -> str:
    return QFontDatabase.systemFont(kind).family()
