"""The declaration of Hermes' format."""

from __future__ import annotations

from stemmata.formats.hermes.reader import Hermes
from stemmata.formats.shared.format import Format

HERMES = Format(
    Hermes.name,
    "Hermes",
    reader=Hermes,
    resume=("hermes", "--resume", "{id}"),
    resumes_agents=True,
)
