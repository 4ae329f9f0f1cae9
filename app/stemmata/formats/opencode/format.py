"""The declaration of opencode's format."""

from __future__ import annotations

from stemmata.formats.opencode.reader import Opencode
from stemmata.formats.shared.format import Format

OPENCODE = Format(
    Opencode.name,
    "opencode",
    reader=Opencode,
    resume=("opencode", "--session", "{id}"),
    resumes_agents=True,
)
