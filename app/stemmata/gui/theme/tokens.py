"""A theme's named colours, read from `resources/themes/*.json`, and the contrast between two of them.

Text tokens reach 4.5:1 on bg, panel and raised; all but `faint` on selection too. JSON, since the sessions are read
with it anyway: what reads TOML takes longer to load than the theme.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from stemmata.assets import resource


class Tokens(NamedTuple):
    """`colors` maps a token to `#rrggbb`."""

    name: str
    dark: bool
    colors: Mapping[str, str]


def load(name: str) -> Tokens:
    """The theme with this file name: dark, light or high-contrast."""
    content = json.loads(resource("themes", f"{name}.json").read_text(encoding="utf-8"))
    return Tokens(name, content["dark"], content["colors"])


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two `#rrggbb` colours, 1 to 21, as WCAG 2 defines it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """Relative luminance of `#rrggbb`, 0 to 1 (WCAG 2)."""
    red, green, blue = (_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return float(channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4)
