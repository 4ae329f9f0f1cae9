"""The declaration of OpenClaw's format."""

from __future__ import annotations

from stemmata.formats.openclaw.reader import OpenClaw
from stemmata.formats.shared.format import Format

OPENCLAW = Format(OpenClaw.name, "OpenClaw", reader=OpenClaw)
