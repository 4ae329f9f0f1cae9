"""The declaration of the format of Google AI Studio."""

from __future__ import annotations

from stemmata.formats.ai_studio.reader import AiStudio
from stemmata.formats.shared.format import Format

AI_STUDIO = Format(AiStudio.name, "Google AI Studio", reader=AiStudio)
