"""The declaration of Crush's format."""

from __future__ import annotations

from stemmata.formats.crush.reader import Crush
from stemmata.formats.shared.format import Format

CRUSH = Format(Crush.name, "Crush", reader=Crush, resume=("crush", "--session", "{id}"), resumes_agents=True)
