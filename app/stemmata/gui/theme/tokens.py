"""A theme's named colours, read from `resources/themes/*.json`.

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
