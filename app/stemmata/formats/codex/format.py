"""The declaration of Codex's format."""

from __future__ import annotations

from stemmata.formats.codex.reader import Codex
from stemmata.formats.codex.writer import CodexCarrier
from stemmata.formats.shared.format import Format

CODEX = Format(
    Codex.name,
    "Codex",
    reader=Codex,
    unique_ids=True,
    resume=("codex", "resume", "{id}"),
    resumes_agents=True,
    carrier=CodexCarrier,
)
