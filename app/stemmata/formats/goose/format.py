"""The declaration of Goose's format."""

from __future__ import annotations

from stemmata.formats.goose.reader import Goose
from stemmata.formats.shared.format import Format

GOOSE = Format(
    Goose.name,
    "Goose",
    reader=Goose,
    unique_ids=True,
    resume=("goose", "session", "--resume", "--session-id", "{id}"),
    resumes_agents=True,
)
