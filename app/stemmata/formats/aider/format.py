"""The declaration of Aider's format."""

from __future__ import annotations

from stemmata.formats.aider.reader import Aider
from stemmata.formats.shared.format import Format

AIDER = Format(Aider.name, "Aider", reader=Aider)
