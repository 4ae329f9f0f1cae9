"""The style sheet: one template, `resources/themes/stemmata.qss`, filled from tokens, fonts and sizes.

Style sheets can only show pictures that are files, so the few they need (tick, arrows) are written, tinted, to a
temporary folder that lives as long as the `Stylesheet`.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

from PySide6.QtCore import QTemporaryDir

from stemmata.assets import resource
from stemmata.gui.theme import metrics
from stemmata.gui.theme.fonts import Fonts
from stemmata.gui.theme.icons import IconSet
from stemmata.gui.theme.tokens import Tokens

PICTURES = {
    "check": ("check", "on_accent"),
    "partial": ("minus", "on_accent"),
    "dot": ("dot", "on_accent"),
    "menu_check": ("check", "accent"),
    "clear": ("close", "dim"),
    "arrow_down": ("chevron-down", "dim"),
    "arrow_up": ("chevron-up", "dim"),
    "arrow_right": ("chevron-right", "dim"),
}  # placeholder: icon, token


class Stylesheet:
    """Renders the template. One instance serves every theme of a running program."""

    def __init__(self) -> None:
        self._folder = QTemporaryDir()
        self._template = Template(resource("themes", "stemmata.qss").read_text(encoding="utf-8"))

    def render(self, tokens: Tokens, fonts: Fonts, icons: IconSet, scale: int, *, mirrored: bool = False) -> str:
        """The sheet's text; `mirrored`: read from the right. Raises KeyError for a placeholder that nothing fills."""
        first, last = ("right", "left") if mirrored else ("left", "right")
        return self._template.substitute(
            tokens.colors,
            side_first=first,
            side_last=last,
            **self._pictures(tokens, icons),
            **_sizes(scale),
            **_font_facts(fonts),
        )

    def _pictures(self, tokens: Tokens, icons: IconSet) -> dict[str, str]:
        out: dict[str, str] = {}
        for placeholder, (icon, color) in PICTURES.items():
            path = Path(self._folder.path()) / f"{tokens.name}-{placeholder}.svg"
            if not path.exists():
                path.write_bytes(icons.svg(icon, tokens.colors[color]))
            out[f"picture_{placeholder}"] = f'url("{path.as_posix()}")'
        return out


def _sizes(scale: int) -> dict[str, str]:
    """`$size_control`, `$space_4`, … in scaled pixels with their unit."""
    out = {
        f"size_{name.lower()}": f"{round(value * scale / 100)}px"
        for name, value in vars(metrics).items()
        if name.isupper() and isinstance(value, int)
    }
    out |= {f"space_{step}": f"{round(value * scale / 100)}px" for step, value in enumerate(metrics.SPACE)}
    thin, around = round(metrics.THIN_BAR * scale / 100), round(metrics.SPACE[3] * scale / 100)
    border = round(metrics.BORDER * scale / 100)
    handle = thin + 2 * around  # Qt rounds no corner whose radius is more than half of the side
    return out | {
        "size_handle": f"{handle - 2 * border}px",
        "radius_handle": f"{handle // 2}px",
        "radius_thin_bar": f"{thin // 2}px",
    }


def _font_facts(fonts: Fonts) -> dict[str, str]:
    roles = ("ui", "small", "field", "heading", "code")
    out = {f"font_{role}": f"{fonts.font(role).pixelSize()}px" for role in roles}
    return out | {"family_code": fonts.code_family}
