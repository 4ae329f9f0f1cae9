"""The declarations of the formats of Cline, Roo Code and Kilo Code, which keep tasks in the same form."""

from __future__ import annotations

from functools import partial

from stemmata.formats.cline.reader import Cline
from stemmata.formats.shared.format import Format

CLINE = Format("cline", "Cline", reader=Cline, unique_ids=True)
ROO_CODE = Format(
    "roo-code",
    "Roo Code",
    reader=partial(Cline, "roo-code", "rooveterinaryinc.roo-cline"),
    unique_ids=True,
)
KILO_CODE = Format(
    "kilo-code",
    "Kilo Code",
    reader=partial(Cline, "kilo-code", "kilocode.kilo-code"),
    unique_ids=True,
)
