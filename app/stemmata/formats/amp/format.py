"""The declaration of Amp's format."""

from __future__ import annotations

from stemmata.formats.amp.reader import Amp
from stemmata.formats.shared.format import Format

AMP = Format(Amp.name, "Amp", reader=Amp, resume=("amp", "threads", "continue", "{id}"), resumes_agents=True)
