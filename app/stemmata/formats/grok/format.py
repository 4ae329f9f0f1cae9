"""The declaration of Grok's format."""

from __future__ import annotations

from stemmata.formats.grok.reader import Grok
from stemmata.formats.shared.format import Format

GROK = Format(Grok.name, "Grok", reader=Grok, others=Grok.bookkeeping)
