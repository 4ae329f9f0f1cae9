"""The declaration of Kiro CLI's format."""

from __future__ import annotations

from stemmata.formats.kiro.reader import Kiro
from stemmata.formats.shared.format import Format

KIRO = Format(
    Kiro.name,
    "Kiro CLI",
    reader=Kiro,
    unique_ids=True,
    resume=("kiro-cli", "chat", "--resume-id", "{id}"),
)
