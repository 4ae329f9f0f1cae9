"""The declaration of Windsurf's format."""

from __future__ import annotations

from stemmata.formats.shared.format import Format
from stemmata.formats.windsurf.reader import Windsurf

WINDSURF = Format(Windsurf.name, "Windsurf", reader=Windsurf)
