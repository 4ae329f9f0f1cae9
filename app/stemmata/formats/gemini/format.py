"""The declaration of Gemini CLI's format."""

from __future__ import annotations

from stemmata.formats.gemini.reader import Gemini
from stemmata.formats.shared.format import Format

GEMINI = Format(
    Gemini.name,
    "Gemini CLI",
    reader=Gemini,
    resume=("gemini", "--resume", "{id}"),
)
