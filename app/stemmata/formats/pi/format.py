"""The declaration of pi's format."""

from __future__ import annotations

from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiCarrier, PiWriter
from stemmata.formats.shared.format import Format

PI = Format(Pi.name, "pi", reader=Pi, writer=PiWriter, resume=("pi", "--session", "{path}"), carrier=PiCarrier)
