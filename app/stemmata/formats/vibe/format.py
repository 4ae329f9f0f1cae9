"""The declaration of Mistral Vibe's format."""

from __future__ import annotations

from stemmata.formats.shared.format import Format
from stemmata.formats.vibe.reader import FACTS, Vibe

VIBE = Format(
    Vibe.name,
    "Mistral Vibe",
    reader=Vibe,
    unique_ids=True,
    others={FACTS: "the facts of a Mistral Vibe session"},
    resume=("vibe", "--resume", "{id}"),
)
